# t-wrappers.sh - the library with its wrappers, built with ThreadSanitizer: no race, and correct counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# As in an installation: the library, and beside it what it asks of each MPI.
mkdir -p lib/darshan data
cp "$DSN_BUILD/libdarshan.so.0" lib/ && ln -s libdarshan.so.0 lib/libdarshan.so && cp "$DSN_BUILD"/darshan-mpi-*.so lib/darshan/
is $? 0 'the library is there'

export TSAN_OPTIONS=exitcode=66
export DARSHAN_MODMEM=8 DARSHAN_NAMEMEM=8 DARSHAN_EXCLUDE_DIRS=none DXT_ENABLE_IO_TRACE=1
link="-g -O1 -fsanitize=thread -L$PWD/lib -Wl,-rpath,$PWD/lib -Wl,--no-as-needed -ldarshan -lpthread"

# in_order COMMAND...: it ends in order, and ThreadSanitizer says nothing
in_order() {
    "$@" >out 2>err || { echo "exit status $?"; head -n 60 out err; return 1; }
    ! grep -A 40 'ThreadSanitizer' out err
}

# no_race TEXT COMMAND...
no_race() {
    rm -rf data
    mkdir data
    fresh_logs
    no_race_text=$1
    shift
    check "$no_race_text: no race" in_order "$@"
}

# one_log WANT...: there is one log, which keeps all rules, with what the files of test/work want
one_log() {
    [ "$(count_logs)" = 1 ] || { echo "$(count_logs) logs"; return 1; }
    known_ranks=1 wanted "$(latest_log)" "$PWD/data" "$@"
}

# -- a race that is the program's own is seen, with this library in between
cat >own.c <<'END'
#include <fcntl.h>
#include <pthread.h>
static int n;
static void *work(void *unused) { n += open("/dev/null", O_RDONLY); return unused; }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
check 'compiles a program with a race' cc -o own own.c $link
check 'its race is reported' status 66 env DARSHAN_ENABLE_NONMPI=1 ./own

# -- without MPI
check 'compiles' cc -Wall -o together "$work/together.c" $link
no_race 'threads on the same files' timeout 600 env DARSHAN_ENABLE_NONMPI=1 ./together "$PWD/data"
check 'threads on the same files: counters' one_log 0 together.want
no_race 'threads on the same files, whose places are looked at' timeout 600 env DARSHAN_ENABLE_NONMPI=1 DARSHAN_CALLSITES=1 ./together "$PWD/data"
check 'threads on the same files, whose places are looked at: counters' one_log 0 together.want
no_race 'the process ends while threads are in calls' timeout 600 env DARSHAN_ENABLE_NONMPI=1 ./together "$PWD/data" ends
check 'the process ends while threads are in calls: a log' one_log 0

# -- MPI_THREAD_MULTIPLE. ThreadSanitizer knows nothing of the locks in an MPI that was not built with it. UCX, which MPICH may
# be made with, calls it from threads that it does not know yet, unless UCX lets the calls of memory alone.
export TSAN_OPTIONS='exitcode=66 ignore_noninstrumented_modules=1' UCX_MEM_MMAP_HOOK_MODE=none
with_mpi() {
    check "$MPI: compiles" build plain "./$MPI" "$work/together.c" -DWITH_MPI $link
    no_race "$MPI, threads on the same files" run plain 1 timeout 600 "./$MPI" "$PWD/data"
    check "$MPI, threads on the same files: counters" one_log -1 together.want together-mpi.want
}
each_mpi with_mpi
finish
