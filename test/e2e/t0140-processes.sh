# t0140-processes.sh - without MPI each process has a log of its own: parent, forked child, executed program
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

mkdir data
check 'compiles' compile nonmpi ./processes processes.c
execute nonmpi 0 ./processes "$PWD/data" >out 2>err
is $? 0 'exit status'
check 'nothing on stderr' test ! -s err
is "$(count_logs)" 3 'three logs'

echo 'POSIX 0 */child.dat POSIX_BYTES_WRITTEN 2
absent POSIX */parent.dat' >child.want
echo 'POSIX 0 */executed.dat POSIX_BYTES_WRITTEN 4
absent POSIX */parent.dat' >executed.want
for log in "$DARSHAN_LOGPATH"/*/*/*/*.darshan; do
    case $(decode "$log" --text | awk -F'\t' '/POSIX_OPENS/ { print $6 }') in
    *parent*) check 'parent' decode "$log" --strict --want "$work/processes.want" ;;
    *child*) check 'child' decode "$log" --strict --want child.want ;;
    *executed*) check 'executed' decode "$log" --strict --want executed.want ;;
    *) not_ok "a log of something else: $log" ;;
    esac
done
is "$lib_count" 7 'one log of each'

check 'compiles with a busy thread' compile nonmpi ./fork-busy fork-busy.c -pthread
TZ=America/St_Johns execute nonmpi 0 ./fork-busy "$PWD/data" >out 2>err
is "$? $(cat err)" '0 ' 'forks while a thread has the time zone in use'
finish
