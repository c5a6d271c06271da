# t9260-old-kernel.sh - kernels and containers that refuse newer system calls: programs run normally, one log is
# complete, and killed programs are recovered
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'compiles what refuses calls' cc -g -Wall -o refuse "$work/refuse.c"
check 'compiles a program' compile nonmpi ./plain posix-basic.c
check 'compiles one that starts others' cc -g -Wall -o family "$work/family.c"
check 'compiles one that is killed' cc -g -Wall -o endings "$work/endings.c"
./refuse statx 38 true || skip_all 'kernel: seccomp'

newer=memfd_create,statx,close_range,io_uring_setup,rseq,renameat2,openat2

# under KERNEL COMMAND...: what is refused there. The oldest kernel that the C library runs on has none of these calls. A container says that they are
# not permitted, but for clone3: the C library falls back to clone for ENOSYS only.
under() {
    case $1 in
    old) shift && ./refuse populate-write 22 ./refuse $newer,clone3 38 "$@" ;;
    container) shift && ./refuse $newer 1 ./refuse clone3 38 "$@" ;;
    esac
}

# both DIRECTORY-NAME COMMAND...: runs it without the tool and with it; exit status and output are the same, nothing is said
both() {
    both_text=$1
    shift
    rm -rf data
    mkdir data
    under "$kernel" "$@" >bare.out 2>bare.err
    both_status=$?
    rm -rf data
    mkdir data
    fresh_logs
    under "$kernel" env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@" >out 2>err
    is $? $both_status "$kernel, $both_text: exit status as bare"
    check "$kernel, $both_text: output as bare" cmp bare.out out
    check "$kernel, $both_text: stderr as bare" cmp bare.err err
}

# one_log TEXT WANT-LINE...: there is one log, with these counters, and nothing else
one_log() {
    log_text="$kernel, $1"
    shift
    is "$(count_logs) $(ls "darshan-$(id -u)" 2>/dev/null)" '1 ' "$log_text: one log, and nothing else"
    printf '%s\n' "$@" >want
    check "$log_text: counters" decode "$(latest_log)" --strict --want want
}

# -- the calls are refused indeed
refused() {
    for call in $(echo "$newer,clone3" | tr , ' '); do
        printf '%s ' "$(under "$1" ./refuse try "$call")"
    done
    under "$1" ./refuse try populate-write
}
is "$(refused old)" '38 38 38 38 38 38 38 38 22' 'old: what calls say'
is "$(refused container)" '1 1 1 1 1 1 1 38 0' 'container: what calls say'

with_mpi() {
    launcher=$OPENMPI_RUN
    [ "$MPI" = openmpi ] || launcher=$MPICH_RUN
    check "$MPI: compiles" compile plain "./$MPI" mpi-many.c
    known_ranks=4
    for kernel in old container; do
        for how in bare tool; do
            rm -rf data
            mkdir data
            fresh_logs
            if [ $how = bare ]; then
                under $kernel "$launcher" -n 4 timeout 200 "./$MPI" "$PWD/data"
            else
                under $kernel "$launcher" -n 4 env "LD_PRELOAD=$preload" timeout 200 "./$MPI" "$PWD/data"
            fi >$how.out 2>$how.err
            echo "exit status $?" >>$how.out
        done
        check "$kernel, $MPI, 4 ranks: exit status and output as bare" alike bare.out tool.out
        is "$(grep -c '^darshan' tool.err)" 0 "$kernel, $MPI, 4 ranks: nothing of ours on stderr"
        is "$(count_logs) $(ls "darshan-$(id -u)" 2>/dev/null)" '1 ' "$kernel, $MPI, 4 ranks: one log, and nothing else"
        check "$kernel, $MPI, 4 ranks: counters" wanted "$(latest_log)" "$PWD/data" -1 mpi-many.want
    done
}
each_mpi with_mpi

known_ranks=1
for kernel in old container; do
    both 'a program' ./plain "$PWD/data"
    is "$(count_logs)" 1 "$kernel, a program: one log"
    check "$kernel, a program: counters" wanted "$(latest_log)" "$PWD/data" 0 posix-basic.want
done

for kernel in old container; do
    for way in fork fork-exec vfork spawn system popen; do
        both "starts others, $way" ./family "$PWD/data" $way
        one_log "starts others, $way" 'job nprocs 2' 'POSIX 0 */root POSIX_BYTES_WRITTEN 2' \
            'sum POSIX */two POSIX_BYTES_WRITTEN 2' 'sum POSIX */two POSIX_OPENS 1' 'records POSIX 1 */two' 'partial none'
    done
    both 'is killed' ./endings "$PWD/data" kill
    is $both_status 137 "$kernel, is killed: it is"
    is "$(count_logs)" 0 "$kernel, is killed: no log yet"
    check "$kernel, is killed: darshan-recover" under $kernel "$DSN_PREFIX/bin/darshan-recover" --mine
    one_log 'is killed' 'meta recovered 1' 'POSIX 0 */own.0 POSIX_OPENS 1' 'POSIX 0 */own.0 POSIX_BYTES_WRITTEN 100'
done
finish
