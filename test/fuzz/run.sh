#!/bin/sh
# run.sh - `make fuzz`: builds the fuzzers with clang and runs each for FUZZ_SECONDS seconds
# SPDX-License-Identifier: BSD-3-Clause
# usage: run.sh BUILD [TARGET]...   BUILD: a configured build tree; targets: log module dxt compat inflate config survival
# trace top sweep block matrix, or module-<id>, trace-<format>, simulate-spec, simulate-profile
# What a fuzzer finds stands in BUILD/fuzz/<target>.finding-*; its exit status is 1 then.
set -u
src=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "${1:?a configured build tree}" && pwd) || exit 1
shift
work=$build/fuzz
clang=${FUZZ_CC:-clang}
flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -I$build -I$src -Wno-gnu-variable-sized-type-not-at-end"
flags="$flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
mkdir -p "$work/lib" || exit 1

echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n ? 0 : 0; }' >"$work/probe.c"
if ! "$clang" -fsanitize=fuzzer,address,undefined -o "$work/probe" "$work/probe.c" 2>"$work/probe.err"; then
    cat "$work/probe.err" >&2
    echo 'make fuzz needs clang and its runtime: Debian packages clang and libclang-rt-14-dev' >&2
    exit 1
fi

# The library once, the fuzzers each.
if [ -n "$(find "$src/util/lib" "$src/util/trace" "$src/util/simulate" "$src/darshan-log-format" "$src/test/fuzz" \( -name '*.h' -o -name '*.def' \) \
    -newer "$work/lib" -print)" ]; then
    rm -rf "$work/lib"
    mkdir "$work/lib" || exit 1
fi
libs='-lz -ljansson -lm'
grep -q '^#define HAVE_BZ2 1' "$build/config.h" && libs="$libs -lbz2"
grep -q '^#define HAVE_ISAL 1' "$build/config.h" && libs="$libs -lisal"
grep -q '^#define HAVE_ZSTD 1' "$build/config.h" && libs="$libs -lzstd"
grep -q '^#define HAVE_LIBDW 1' "$build/config.h" && libs="$libs -ldw"
for source in "$src"/darshan-log-format/*.c "$src"/util/lib/*.c "$src"/util/trace/*.c "$src"/util/simulate/*.c \
    "$src/test/fuzz/fuzz.c"; do
    name=${source#"$src"/}
    [ "$name" = util/lib/logutils.c ] && continue # preprocessed only
    object=$work/lib/$(echo "$name" | tr / -).o
    [ "$object" -nt "$source" ] && continue
    "$clang" $flags -fsanitize=fuzzer-no-link -c -o "$object" "$source" || exit 1
done

logs=$(ls "$src"/test/golden/*.darshan "$src"/../shared/logs/*.darshan 2>/dev/null)
if [ ! -d "$work/seeds" ]; then
    python3 "$src/test/fuzz/seeds.py" "$work/seeds" $logs || exit 1
fi
python3 "$src/test/fuzz/trace_seeds.py" "$work/seeds" || exit 1

# The runtime without its wrappers, for the one that reads settings.
build_runtime() {
    runtime_flags="$flags -fwrapv -I$src/runtime -U_FORTIFY_SOURCE"
    rm -rf "$work/runtime"
    mkdir "$work/runtime" || return 1
    for source in "$src"/runtime/base/*.c "$src"/runtime/config/*.c "$src"/runtime/record/*.c "$src"/runtime/module/*.c \
        "$src"/runtime/module/shared/*.c "$src"/runtime/reduce/[!s]*.c "$src"/runtime/log/*.c "$src"/runtime/survive/*.c \
        "$src"/runtime/life/*.c "$src"/runtime/top/[cvw]*.c "$src"/runtime/top/report.c; do
        name=${source#"$src"/}
        "$clang" $runtime_flags -fsanitize=fuzzer-no-link -c -o "$work/runtime/$(echo "$name" | tr / -).o" "$source" ||
            return 1
    done
    ar cr "$work/runtime/runtime.a" "$work"/runtime/*.o || return 1
    mkdir -p "$work/seeds/config" && cp "$src/test/fuzz/config.seed" "$work/seeds/config"
}

found=0
[ $# -gt 0 ] || set -- log module dxt compat inflate config survival top trace sweep block matrix
for target; do
    kind=${target%%-*} only=
    [ "$kind" = "$target" ] || only=-DMODULE=${target#*-}
    with="$work/lib/*.o"
    if [ "$kind" = config ] || [ "$kind" = survival ] || [ "$kind" = top ]; then # the runtime instead of the reading library: they are never in one program
        build_runtime || exit 1
        with="-I$src/runtime $work/lib/darshan-log-format-*.o $work/runtime/runtime.a"
    fi
    if [ "$kind" = sweep ]; then # what reads, judges and tells
        with="$with $(ls "$src"/measure/sweep/[!s]*.c | grep -v -e /measure.c -e /run.c -e /page.c) $src/util/report/json.c"
        mkdir -p "$work/seeds/sweep" && cp "$src/test/fuzz/sweep.seed" "$work/seeds/sweep"
    fi
    if [ "$kind" = top ]; then
        mkdir -p "$work/seeds/top" && cp "$src/test/fuzz/top.seed" "$work/seeds/top"
    fi
    [ "$kind" != block ] || with="$with $src/measure/block/ring.c"
    if [ "$kind" = matrix ]; then
        with="$with $src/measure/spmv/boeing.c $src/measure/spmv/market.c $src/measure/spmv/matrix.c $src/measure/spmv/product.c -ffp-contract=off"
        mkdir -p "$work/seeds/matrix" && cp "$src"/test/fuzz/matrix-*.seed "$work/seeds/matrix"
    fi
    "$clang" $flags -fsanitize=fuzzer $only -o "$work/fuzz-$target" "$src/test/fuzz/fuzz-$kind.c" $with $libs || exit 1
    mkdir -p "$work/corpus-$target" "$work/seeds/$kind"
    seeds=$work/seeds/$kind
    [ "$kind" = compat ] && seeds=$work/seeds/log
    [ "$kind" = trace ] && seeds=$work/seeds/$target
    if [ "$kind" = simulate ]; then
        seeds=$work/seeds/$target
        mkdir -p "$seeds" && cp "$src/test/fuzz/$target.seed" "$seeds" || exit 1
    fi
    [ "$target" = trace-dxt ] && seeds=$work/seeds/log
    echo "== $target, ${FUZZ_SECONDS:-60} s"
    "$work/fuzz-$target" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=5 -rss_limit_mb=1024 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$work/$target.finding-" "$work/corpus-$target" "$seeds" \
        >"$work/$target.out" 2>&1 || found=1
    grep -aE 'ERROR|SUMMARY|runtime error|stat::|^Done' "$work/$target.out"
done
exit $found
