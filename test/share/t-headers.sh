# t-headers.sh - programs of others: installed headers compile alone in C and C++ without warnings, pkg-config links each library
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

include=$DSN_PREFIX/include
strict='-Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only'
mpi=
for wrapper in mpicc.openmpi mpicc.mpich mpicc; do
    command -v $wrapper >/dev/null && mpi=$($wrapper -show -c x.c | tr ' ' '\n' | sed -n 's/^-I/-isystem /p' | tr '\n' ' ') && break
done

# alone COMPILER LANGUAGE: all headers; where there is no MPI, those that need it are left out
alone() {
    find "$include" -name '*.h' | sort | while read -r header; do
        [ -n "$mpi" ] || ! grep -q '<mpi\.h>' "$header" || continue
        printf '#include <%s>\nextern int own;\n' "${header#"$include"/}" >alone.c
        "$1" -std="$2" -x "${2%%1*}" -I "$include" $mpi $strict alone.c || echo "in ${header#"$include"/}"
    done >alone.out 2>&1
    cat alone.out
    [ ! -s alone.out ]
}
printf 'int f(long n) { return n; }\n' >narrow.c
check 'a conversion is found' sh -c "! cc -std=c11 $strict narrow.c"
check 'C' alone cc c11
check 'C++' alone c++ c++11
for pair in clang:c11 clang++:c++11; do
    if command -v "${pair%:*}" >/dev/null; then
        check "${pair%:*}" alone "${pair%:*}" "${pair#*:}"
    else
        skip "${pair%:*}" "command ${pair%:*}"
    fi
done

# linked PACKAGE HEADER CALL: a program that calls something
linked() {
    flags=$(PKG_CONFIG_PATH=$DSN_PREFIX/lib/pkgconfig pkg-config --cflags --libs "$1") || return 1
    printf '#include <%s>\n#include <stddef.h>\nint main(void)\n{\n    %s;\n    return 0;\n}\n' "$2" "$3" >"linked-$1.c"
    ${4:-cc} -Wall -Werror -o "linked-$1" "linked-$1.c" $flags && LD_LIBRARY_PATH=$DSN_PREFIX/lib "./linked-$1"
}
if command -v pkg-config >/dev/null; then
    check 'darshan-util' linked darshan-util darshan/log.h 'struct darshan_reader *r; return darshan_reader_open("/none", &r, NULL) == 0'
    check 'darshan-trace' linked darshan-trace darshan/trace.h 'darshan_trace_close(NULL)'
    check 'lbio' linked lbio lbio.h 'return lbio_finalize() != 0'
    if [ -e "$DSN_PREFIX/lib/libdarshan-sched.a" ]; then
        check 'darshan-sched' linked darshan-sched darshan/sched.h 'return darshan_sched_mode_name(0) == NULL' mpicc
    else
        skip 'darshan-sched' 'MPI'
    fi
else
    skip 'pkg-config' 'command pkg-config'
fi
finish
