# t7640-darshan.sh - darshan: run, report, compare, list, and the way to the other commands
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
darshan=$bin/darshan
export XDG_DATA_HOME=$PWD/home
runs=$XDG_DATA_HOME/darshan/runs
the_log() { sed -n 's/^darshan: log: //p' err; }
counter() { "$bin/darshan-parser" --show-incomplete "$1" | awk -F'\t' -v name="$2" -v file="$3" '$4 == name && index($6, file) { n += $5 } END { print n + 0 }'; }

# -- a command ---------------------------------------------------------------------------------------------------------
check 'a command that ends with status 3' status 3 "$darshan" run -- sh -c 'seq 1000 >numbers; wc -l <numbers; echo seen >&2; exit 3'
is "$(cat out)" 1000 'its output is its own'
is "$(sed -n 1p err)" seen 'and so is what it says on stderr'
is "$(grep -c '^I/O took' err) $(grep -c '^darshan: log: ' err)" '1 1' 'behind which is the answer, and where the log is'
# by a stream or without one, as seq is of that version
is "$(($(counter "$(the_log)" STDIO_BYTES_WRITTEN "$PWD/numbers") + $(counter "$(the_log)" POSIX_BYTES_WRITTEN "$PWD/numbers"))) $(wc -c <numbers)" \
    '3893 3893' 'which has what it wrote'
is "$(find "$runs" -name '*.darshan' | wc -l) $(find "$runs" -mindepth 2 -type d | wc -l)" '1 0' 'one log, in the directory of the run'
check 'its options are not those of darshan' status 0 "$darshan" run --quiet echo --page none --quiet
is "$(cat out)" '--page none --quiet' 'wherever they stand'
is "$(grep -c '^I/O took' err)" 0 '--quiet: no summary'
check 'a line for the shell' status 0 "$darshan" run 'echo one >first; cat first | tr o 0'
is "$(cat out)" 0ne 'is run by it'
check 'a pipe' status 0 "$darshan" run 'seq 200000 >long; awk "{ print }" <long | cat | wc -c'
is "$(grep -c '^ *1.23 MiB in [0-9]* of these calls: streams and pipes, not storage$' err)" 1 'what moves through pipes is told apart'
check 'a file of one of two processes' status 0 "$darshan" run 'seq 3000000 >long'
is "$(grep -A1 '^Slowest file' err | grep -c "of the busiest process's I/O time")" 1 'the slowest file is the busiest process'"'"'s'
check 'no such command' status 127 "$darshan" run no-such-command
is "$(cat err)" 'darshan run: no-such-command: No such file or directory' 'is said'
check 'one that cannot be run' status 126 "$darshan" run ./numbers
check 'no command' status 2 "$darshan" run
check 'nowhere to put the log' status 1 env XDG_DATA_HOME=/dev/null/none "$darshan" run touch touched
is "$(cat err)" 'darshan run: the directory for logs: Not a directory; give another by --output' 'is said'
is "$(ls touched 2>&1 | grep -c 'No such')" 1 'nothing is run then'
mkdir -p here/logs/empty here/logs/other/deep && : >here/logs/other/deep/mine.darshan
check 'a directory for the log' status 0 "$darshan" run --quiet -o here/logs cp numbers copy
is "$(dirname "$(dirname "$(the_log)")")" "$PWD/here/logs" 'has it'
is "$(cd here/logs && ls -d empty other/deep/mine.darshan)" "empty
other/deep/mine.darshan" 'and what was there stays where it was'
rm -r here/logs/empty here/logs/other
printf '#!/bin/sh\necho "called $*" >>calls\n' >mpirun-mine && chmod +x mpirun-mine
check 'a script of a name like a launcher' status 0 "$darshan" run --quiet ./mpirun-mine once
is "$(cat calls)" 'called once' 'is called once'
check 'a page' status 0 "$darshan" run --quiet --trace -p page.html cp numbers copy
is "$(grep -c '^darshan: page: page.html' err) $(grep -c '<html' page.html)" '1 1' 'is written'
check '--trace: with single reads and writes' sh -c '"$0" "$1" | grep -q X_POSIX' "$bin/darshan-dxt-parser" "$(the_log)"
check 'a command that is excluded' status 0 env DARSHAN_APP_EXCLUDE=cp "$darshan" run cp numbers copy
is "$(grep -c 'cp: no log: ' err)" 1 'has no log'

check 'one that fails before it does anything' status 3 env DARSHAN_APP_EXCLUDE=sh "$darshan" run sh -c 'exit 3'
is "$(cat err)" 'darshan run: sh: no log: it ended with status 3, and had read and written nothing that is recorded' 'is said so'

# -- ends of all kinds -------------------------------------------------------------------------------------------------
check 'a command that kills itself' status 137 "$darshan" run sh -c 'echo 1234567 >killed; kill -9 $$'
is "$(counter "$(the_log)" POSIX_BYTES_WRITTEN "$PWD/killed")" 8 'its log is made of what it had counted'
is "$(grep -c '^Recovered ' err)" 1 'and says so'
check 'a signal ends it' status 139 "$darshan" run --quiet sh -c 'kill -SEGV $$'
rm -f begun
"$darshan" run --quiet sh -c 'echo $$ >begun; exec sleep 100' 2>err &
runner=$!
wait_until test -s begun
kill -TERM $runner
wait $runner
is $? 143 'SIGTERM is passed on'
is "$(kill -0 "$(cat begun)" 2>&1 | grep -c 'No such process')" 1 'and ends the command'

# A script that is slow for another reason than files
check 'a script that starts many programs' status 0 "$darshan" run sh -c 'for i in $(seq 200); do head -c 1 numbers >/dev/null; done'
is "$(tr '\n' ' ' <err | grep -c 'Healthy: the job does not wait for I/O; it started 20[0-9] processes, [0-9]* a second\.')" 1 'is told so'

# -- MPI ---------------------------------------------------------------------------------------------------------------
cat >ranks.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char name[32];
    FILE *f;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "rank.%d", rank);
    f = fopen(name, "w");
    fputs("seven\n", f);
    fclose(f);
    MPI_Finalize();
    return 0;
}
END
for MPI in openmpi mpich; do
    export MPI
    if ! have_mpi $MPI; then
        skip "$MPI" "MPI: $MPI"
        continue
    fi
    case $MPI in openmpi) launcher=$OPENMPI_RUN ;; *) launcher=$MPICH_RUN ;; esac
    check "$MPI: compiles" build plain "ranks-$MPI" ranks.c
    check "$MPI: three ranks" status 0 "$darshan" run "$launcher" -n 3 "./ranks-$MPI"
    is "$("$bin/darshan-parser" "$(the_log)" | sed -n 's/^# nprocs: //p')" 3 "$MPI: one log of all"
    is "$(counter "$(the_log)" STDIO_BYTES_WRITTEN "$PWD/rank.")" 18 "$MPI: with what they wrote"
    is "$(ls "$(dirname "$(the_log)")" | wc -l)" 1 "$MPI: and none of the launcher"
done

# -- what a program finds when it begins -------------------------------------------------------------------------------
cat >heap.c <<'END'
/* Programs with a variable that nobody has set run well as long as their heap begins with zeros. */
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *warm = argc > 1 ? malloc(100) : NULL;
    if (warm)
        warm[50] = *argv[1];
    free(warm);
    for (size_t n = 16; n <= 4096; n += 16) {
        char *p = malloc(n);
        for (size_t i = 0; i < n; i++)
            if (p[i])
                return 1;
    }
    return 0;
}
END
cc -O0 -o heap heap.c
check 'a used heap is seen' status 1 ./heap x
check 'alone its heap is untouched' status 0 ./heap
check 'recorded, too' status 0 "$darshan" run --quiet ./heap

# -- what cannot be recorded -------------------------------------------------------------------------------------------
cat >plain.c <<'END'
#ifdef GO
__asm__(".section .note.go.buildid,\"a\",@note\n.long 4, 4, 4\n.ascii \"Go\\0\\0abcd\"\n.text\n");
#endif
int main(void) { return 0; }
END
if cc -static -o static plain.c 2>/dev/null; then
    cc -static -DGO -o go plain.c
    printf '#!%s/static\n' "$PWD" >script && chmod +x script
    for what in static:'is statically linked' script:'is statically linked' go:'is written in Go'; do
        check "${what%%:*}" status 0 "$darshan" run "./${what%%:*}"
        is "$(grep -c "no log: it ${what#*:}" err)" 1 "${what%%:*}: the reason why there is no log"
    done
else
    skip 'static programs' 'the static C library'
fi

# -- runs --------------------------------------------------------------------------------------------------------------
check 'two runs' sh -c '"$0" run --quiet cp numbers a && "$0" run --quiet cat numbers >b' "$darshan" 2>err
check 'list' status 0 "$darshan" list
is "$(awk 'NR == 1 || / (cp|cat) / { print $(NR == 1 ? 3 : 4) }' out | head -n 1)" program 'has a heading'
job=$(awk '/ sh .* 0_sh|_sh_/ { print $3; exit }' out)
check 'the last run' status 0 "$darshan" report
is "$(sed -n 's/^Job  *//p' out)" 'cat numbers' 'is reported'
check 'the one before' status 0 "$darshan" report last-1
is "$(sed -n 's/^Job  *//p' out)" 'cp numbers a' 'is reported, too'
check 'as JSON' status 0 "$darshan" report --json last
is "$("$PYTHON3" -c 'import json; print(json.load(open("out"))["schema"])')" darshan-job-summary/1 'is a document'
check 'by the id of its job' status 0 "$darshan" report "$job"
is "$(grep -c " id $job," out)" 1 'is that one'
check 'of a log' status 0 "$darshan" report "$DSN_SRC/test/golden/ior-HDF5.darshan"
check 'two of them are compared' status 0 "$darshan" compare last-1 "$(dirname "$(find here -name '*.darshan')")"
check 'no such run' status 1 "$darshan" report last-1000
is "$(cat err)" 'darshan report: last-1000: there is no such run: darshan list shows those that were recorded' 'is said'
mkdir logs
check 'nor a job of that number' status 1 env "DARSHAN_LOGPATH=$PWD/logs" "$darshan" report 4711
is "$(cat err)" "darshan report: 4711: there is no such run: darshan list shows those that were recorded; of a job without darshan run: \
darshan-job-summary --job 4711 $PWD/logs" 'says where logs of jobs are that ran without it'
rmdir logs
mkdir tools && printf '#!/bin/sh\necho "shown $1"\n' >tools/xdg-open && chmod +x tools/xdg-open
check 'in a browser' status 0 env "PATH=$PWD/tools:$PATH" "$darshan" report --open -p shown.html
is "$(cat out) $(grep -c '<html' shown.html)" 'shown shown.html 1' 'is the page'
for submits in sbatch qsub bsub; do
    printf '#!/bin/sh\n: >submitted\n' >tools/$submits && chmod +x tools/$submits
    check "$submits has ended before its job begins" status 2 env "PATH=$PWD/tools:$PATH" "$darshan" run $submits job.sh
    is "$(cat err) $(ls submitted 2>&1 | grep -c '^submitted')" "darshan run: $submits: nothing was submitted, for it ends before its job begins: write 'darshan run' into the job's script, before srun, mpirun or the program 0" \
        'is said, and nothing is submitted'
done
check 'no run yet' status 0 env XDG_DATA_HOME="$PWD/none" "$darshan" list
is "$(cat out)" 'No run was recorded yet: darshan run COMMAND does it.' 'is said'

# Runs beyond the last hundred go, but nothing else.
mkdir outside && echo kept >outside/kept.darshan
for i in $(seq -w 1 150); do
    mkdir "$runs/2001-01-01T00-00-00-old-$i" && : >"$runs/2001-01-01T00-00-00-old-$i/a.darshan"
done
: >"$runs/2001-01-01T00-00-00-old-001/mine"
ln -s "$PWD/outside" "$runs/2001-01-01T00-00-00-old-002/link"
mkdir "$runs/2001-01-01T00-00-00-still-runs"
ln -s "$PWD/outside" "$runs/2001-01-01T00-00-00-old-003.link"
mkdir "$runs/mine"
check 'after many runs' status 0 "$darshan" run --quiet cp numbers a
is "$(find "$runs" -name '*.darshan' | xargs -n 1 dirname | sort -u | wc -l)" 100 'the last hundred are there'
is "$(cat outside/kept.darshan) $(ls -d "$runs/mine" "$runs/2001-01-01T00-00-00-old-001/mine" "$runs"/*-still-runs | wc -l)" 'kept 3' 'and what is no log'

# -- other commands ----------------------------------------------------------------------------------------------------
"$darshan" --help >help
missing=
for command in "$bin"/darshan-*; do
    name=${command##*/darshan-}
    case $name in *.pl) continue ;; esac
    grep -qE "[:,] $name(,|\$)" help || missing="$missing $name"
done
is "$missing" '' 'the help names all of them'
check 'one of them' status 0 "$darshan" parser --base "$DSN_SRC/test/golden/ior-HDF5.darshan"
is "$(cksum <out)" "$("$bin/darshan-parser" --base "$DSN_SRC/test/golden/ior-HDF5.darshan" | cksum)" 'is the same'
check 'help' status 0 "$darshan" help
is "$(cksum <out)" "$(cksum <help)" 'is --help'
check 'a misspelt one' status 2 "$darshan" pasrer
is "$(cat err)" "darshan: pasrer: unknown command, the nearest is parser; see 'darshan --help'" 'is said, with the nearest'
check 'an unknown one' status 2 "$darshan" frobnicate
is "$(cat err)" "darshan: frobnicate: unknown command; see 'darshan --help'" 'is said'
check 'none' status 2 "$darshan"
mkdir alone
cp "$darshan" alone/darshan
check 'one that was not built' status 127 env PATH=/nowhere alone/darshan sweep d
is "$(cat err)" 'darshan: darshan-sweep: is not part of this installation: configure without --disable-measure builds it' 'is said, and what builds it'
check 'one of another package' status 127 env PATH=/nowhere alone/darshan top
is "$(cat err)" 'darshan: darshan-top: is not part of this installation: install all of this release' 'likewise'
finish
