# t9050-memcheck.sh - programs with known results under valgrind: no error in our code, and the same counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
command -v valgrind >/dev/null 2>&1 || skip_all 'package valgrind'

export DARSHAN_MODMEM=1.5 DARSHAN_NAMEMEM=0.5 # little, for many-files
for program in posix-basic posix-calls posix-dup stdio-basic stdio-calls threads descriptors many-files; do
    rm -rf data
    mkdir data
    fresh_logs
    if ! compile nonmpi ./program $program.c 2>err; then
        not_ok "$program: compiles" "$(cat err)"
        continue
    fi
    # what is said of memory that the program itself misuses, to see how it is refused, is not about the tool
    {
        timeout 600 env DARSHAN_ENABLE_NONMPI=1 DARSHAN_APP_EXCLUDE=valgrind "LD_PRELOAD=$preload" \
            valgrind -q --log-file=report --leak-check=full --show-leak-kinds=definite ./program "$PWD/data"
        echo $? >status
    } 2>&1 | cat >out
    is "$(cat status)" 0 "$program: exit status"
    is "$(grep -cE 'dsn__|libdarshan|runtime/' report)" 0 "$program: nothing of ours in valgrind's report"
    known_ranks=1
    check "$program: counters" wanted "$(latest_log)" "$PWD/data" 0 $program.want
done

# a program that has assigned stdout, and closed that stream, redirects descriptor 1
cat >assigned.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    const int fd = open("assigned.dat", O_CREAT | O_RDWR, 0644);
    FILE *const before = stdout;

    stdout = fopen("other.dat", "w");
    fclose(stdout);
    dup2(fd, 1);
    stdout = before;
    return puts("later") < 0;
}
END
check 'assigned: compiles' cc -o assigned assigned.c
fresh_logs
timeout 600 env DARSHAN_ENABLE_NONMPI=1 DARSHAN_APP_EXCLUDE=valgrind "LD_PRELOAD=$preload" \
    valgrind -q --log-file=report ./assigned
is "$? $(grep -cE 'dsn__|libdarshan|runtime/' report) $(cat assigned.dat)" '0 0 later' \
    'assigned: a stream that is gone is not looked into when descriptor 1 is redirected'
finish
