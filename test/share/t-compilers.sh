# t-compilers.sh - after darshan-on.sh, the ordinary compiler commands link the tool, and still build everything else
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

cat >main.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
END
cp main.c main.cc
cat >main.f90 <<'END'
program main
    use mpi
    integer :: ierror
    call MPI_Init(ierror)
    call MPI_Finalize(ierror)
end program
END
echo 'int main(void) { return 0; }' >nothing.c
echo 'int half(int n) { return n / 2; }' >half.c
echo 'int half(int); int main(void) { return half(0); }' >user.c

needed() { # FILE: does it ask for the library?
    readelf -d "$1" | grep -q 'NEEDED.*libdarshan\.so'
}
not_needed() {
    ! needed "$1"
}
first() { # FILE: is it the first library that the file asks for, and MPI among the others?
    readelf -d "$1" | grep NEEDED >libraries
    head -n 1 libraries | grep -q libdarshan && grep -q libmpi libraries || { cat libraries; return 1; }
}
wrapped() { # FILE: has the archive been linked in?
    nm "$1" | grep -q '__wrap_MPI_Init\|__wrap_PMPI_Init' && not_needed "$1"
}
quietly() { # COMMAND...: passes if the command does, without a word
    "$@" >said 2>&1 && [ ! -s said ] || { cat said; return 1; }
}

each() {
    for source in main.c main.cc main.f90; do
        compiler=$(compiler $source) || { skip "$MPI, $source" "compiler of $MPI for $source"; continue; }
        (
            . "$DSN_PREFIX/share/darshan/darshan-on.sh"
            quietly "$compiler" -Wall -o dynamic $source
        )
        is $? 0 "$MPI, $source: links"
        check "$MPI, $source: linked dynamically" needed dynamic
        check "$MPI, $source: runs" quietly env DARSHAN_DISABLE=1 "$(runner)" -n 1 ./dynamic
        (
            . "$DSN_PREFIX/share/darshan/darshan-on-static.sh"
            quietly "$compiler" -Wall -o static $source
        )
        is $? 0 "$MPI, $source: links statically"
        case $source in
        *.f90) check "$MPI, $source: linked dynamically all the same" needed static ;;
        *) check "$MPI, $source: linked statically" wrapped static ;;
        esac
        check "$MPI, $source: static program runs" quietly env DARSHAN_DISABLE=1 "$(runner)" -n 1 ./static
        (
            . "$DSN_PREFIX/share/darshan/darshan-on.sh"
            . "$DSN_PREFIX/share/darshan/darshan-off.sh"
            quietly "$compiler" -o off $source
        )
        is $? 0 "$MPI, $source: links when switched off again"
        check "$MPI, $source: without the tool" not_needed off
        rm -f dynamic static off
    done

    # CMake asks mpifort for its flags and calls the compiler itself
    if [ $MPI = openmpi ] && compiler=$(compiler main.f90); then
        (
            . "$DSN_PREFIX/share/darshan/darshan-on-static.sh"
            $("$compiler" --showme:command | sed 's/.*openmpi-fc //') $("$compiler" --showme:compile) -o static main.f90 \
                $("$compiler" --showme:link)
        ) >said 2>&1
        is $? 0 "$MPI, main.f90: links statically with the flags of mpifort"
        check "$MPI, main.f90: the linker says that the tool is not in it" grep -q 'warning: .*without Darshan' said
        check "$MPI, main.f90: it runs" quietly env DARSHAN_DISABLE=1 "$(runner)" -n 1 ./static
        rm -f static
    fi

    # a program that links the MPI library explicitly, and one that only uses what the tool wraps
    compiler=$(compiler main.c) || return
    case $MPI in
    openmpi) named="-L$("$compiler" --showme:libdirs | cut -d' ' -f1) -lmpi" ;;
    mpich) named=-lmpich ;;
    esac
    (
        . "$DSN_PREFIX/share/darshan/darshan-on.sh"
        quietly "$compiler" -Wl,--as-needed -o named main.c $named
    )
    is $? 0 "$MPI: a program that names the MPI library links"
    check "$MPI: the tool is found before it" first named
    check "$MPI: and runs" quietly env DARSHAN_DISABLE=1 "$(runner)" -n 1 ./named

    # another compiler than when it was enabled
    if [ "$MPI" = openmpi ] && command -v clang >/dev/null 2>&1; then
        (
            . "$DSN_PREFIX/share/darshan/darshan-on.sh"
            OMPI_CC=clang
            export OMPI_CC
            quietly "$compiler" -Werror -c main.c && quietly "$compiler" -Werror -o other main.o &&
                quietly "$compiler" -Werror -o other main.c
        )
        is $? 0 "$MPI: clang by OMPI_CC"
        check "$MPI: clang: linked" needed other
    elif [ "$MPI" = openmpi ]; then
        skip "$MPI: clang by OMPI_CC" 'package clang'
    fi

    for how in on on-static; do
        (
            . "$DSN_PREFIX/share/darshan/darshan-$how.sh"
            set -e
            quietly "$compiler" -Werror -c main.c half.c user.c nothing.c
            quietly "$compiler" -E main.c -o main.i
            quietly "$compiler" -S main.c
            quietly "$compiler" -M -MF main.d main.c
            quietly "$compiler" -MMD -c main.c
            quietly "$compiler" -Werror -o nothing nothing.o
            quietly ./nothing
            quietly "$compiler" -shared -fPIC -o libhalf.so half.c
            quietly "$compiler" -o user user.o -L. -lhalf -Wl,-rpath,"$PWD"
            quietly env DARSHAN_DISABLE=1 ./user
            quietly ar rcs libhalf.a half.o
            quietly "$compiler" -o user user.o libhalf.a -Wl,--as-needed -Wl,--no-undefined
            quietly "$compiler" -O2 -flto -o lto main.c
            quietly "$compiler" -fsanitize=undefined -o sane nothing.c
            if fortran=$(compiler main.f90); then
                quietly "$fortran" -c main.f90
                quietly "$fortran" -shared -fPIC -o libmain.so main.f90
                quietly not_needed libmain.so || [ $how$MPI = onopenmpi ]
                quietly "$fortran" -o mixed main.o
            fi
        ) >said.all 2>&1
        status=$?
        is $status 0 "$MPI, darshan-$how.sh: objects, preprocessing, dependencies, libraries, lto, a program without MPI"
        [ $status = 0 ] || sed 's/^/# /' said.all
    done
}

runner() {
    case $MPI in openmpi) echo "$OPENMPI_RUN" ;; mpich) echo "$MPICH_RUN" ;; esac
}

for MPI in openmpi mpich; do
    have_mpi $MPI || { skip $MPI "MPI: $MPI"; continue; }
    each
done

# a program that contains MPI: only MPICH is available as an archive here
MPI=mpich
if have_mpi mpich && "$MPICH_CC" -static-mpi -o plain main.c >/dev/null 2>&1; then
    (
        . "$DSN_PREFIX/share/darshan/darshan-on.sh"
        quietly "$MPICH_CC" -static-mpi -o static main.c
    )
    is $? 0 'mpich: -static-mpi links'
    check 'mpich: -static-mpi gets the archive' wrapped static
    fresh_logs
    check 'mpich: -static-mpi runs' quietly env -u DARSHAN_DISABLE "$MPICH_RUN" -n 2 ./static
    is "$(count_logs)" 1 'mpich: and leaves a log'
else
    skip 'mpich -static-mpi' 'MPI: mpich as an archive that links'
fi
finish
