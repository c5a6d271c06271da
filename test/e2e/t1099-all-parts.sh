# t1099-all-parts.sh - a job of which each part of the extension section has something: its log has all of them
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

export UCX_MEM_MMAP_HOOK_MODE=none # it would bypass the library's mmap
cat >parts.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import darshan_log
print(*sorted(part[0] for part in darshan_log.Log(sys.argv[2]).extension_parts))
END
check 'the stand-in for GPUDirect Storage builds' cc -O1 -shared -fPIC -Wl,-soname,libcufile.so.0 -o libcufile.so "$work/cufile-library.c" -lpthread
ln -s libcufile.so libcufile.so.0
all_parts() {
    check "$MPI: builds" build plain ./all-parts "$work/all-parts.c" "-I$DSN_PREFIX/include" "-L$PWD" "-Wl,-rpath,$PWD" -lcufile
    fresh_logs
    rm -rf data logged
    mkdir data logged
    DARSHAN_CALLSITES=1 DXT_ENABLE_IO_TRACE=1 LBIO_PATTERN="$PWD/data/logged" LBIO_DIR="$PWD/logged" \
        preload="$preload:$DSN_PREFIX/lib/liblbio.so" launch_both >out 2>err
    is "$?" 0 "$MPI: the job ends well"
    is "$("$PYTHON3" parts.py "$DSN_SRC/test/decode" "$(latest_log)")" 'cpu cufile files lbio mapped nodes phases processes ranks shared sites stacks' \
        "$MPI: all parts"
    check "$MPI: a log that keeps the rules" decode "$(latest_log)" --strict
}

# launch_both: two ranks with both libraries
launch_both() {
    case $MPI in
    openmpi) timeout 100 "$OPENMPI_RUN" -n 2 env "LD_PRELOAD=$preload" ./all-parts "$PWD/data" ;;
    mpich) timeout 100 "$MPICH_RUN" -n 2 env "LD_PRELOAD=$preload" ./all-parts "$PWD/data" ;;
    esac
}
each_mpi all_parts
finish
