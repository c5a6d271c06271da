# t-commands.sh - every command of README.md and of the documents does what they say, or they say why it is not run here
# SPDX-License-Identifier: BSD-3-Clause
#
# Blocks of commands are those marked `sh` (blocks.py says what marks there are). They are run as they stand, in a directory
# of the document's own, but for where Darshan, logs and files are. What a document takes for granted (a log, a program) is
# made by the function prepare. Documents whose commands have a test of their own are listed here, with that test.
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
elsewhere='doc/block.md:e2e/t8221-block-page doc/lbio.md:e2e/t0190-lbio doc/rhythm.md:e2e/t7831-rhythm-page doc/sweep.md:e2e/t8211-sweep-page'
blocks() { "$PYTHON3" "$DSN_SRC/test/share/blocks.py" "$@"; }
cd "$DSN_SRC" || exit 1
documents=$(echo README.md CONTRIBUTING.md doc/*.md)
wrong=$(blocks check $documents)
blocks left-out $documents | sed 's/^/# /'
cd "$DSN_SCRATCH" || exit 1
is "$wrong" '' 'every block of code says whether it is run'

# What blocks.py is for
printf 'text\n\n    indented\n\n```\nx\n```\n\n```sh not run\nx\n```\n\n```text\n$ x\n```\n\n```sh not run: reason\nx\n```\n\n- a list\n\n    of lines\n' >bad.md
is "$(blocks check bad.md | cut -d: -f2 | tr '\n' ' ')" '3 5 9 13 ' 'a block that does not is found'
is "$(blocks left-out bad.md)" 'bad.md:17: not run: reason: x' 'and what is not run is printed'

# The commands of a user's PATH, of this build
mkdir bin
for pair in "mpicc:$(compiler x.c)" "python3:$PYTHON3"; do
    ln -s "$(command -v "${pair#*:}")" "bin/${pair%%:*}" || exit 1
done
case $MPI in openmpi) launcher=$OPENMPI_RUN ;; *) launcher=$MPICH_RUN ;; esac
ln -s "$(command -v "$launcher")" bin/mpirun
PATH=$PWD/bin:$PATH
export OMPI_MCA_mpi_yield_when_idle=1 XDG_DATA_HOME=$PWD/home

# a_log NAME [VARIABLE=VALUE]...: the log of a run of ./program, with traces
a_log() {
    a_log=$PWD/$1
    shift
    env DARSHAN_ENABLE_NONMPI=1 DXT_ENABLE_IO_TRACE=1 DARSHAN_LOGFILE="$a_log" LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so" "$@" ./program
}
prepare() {
    PATH=$DSN_PREFIX/bin:$PATH
    case $1 in
    README.md | doc/job-report.md | doc/simulate.md | doc/trace.md)
        cat >program.c <<'END_OF_PROGRAM'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char data[65536];
    int file;
    MPI_Init(&argc, &argv);
    file = open("written", O_RDWR | O_CREAT, 0644);
    for (int i = 0; i < 200; i++)
        if (write(file, data, sizeof data) < 0)
            return 1;
    close(file);
    MPI_Finalize();
    return 0;
}
END_OF_PROGRAM
        mpicc -o program program.c && a_log LOG && cp LOG LOG1 && cp LOG LOG2 || return 1
        mkdir FOLDER
        cp LOG1 FOLDER/1.darshan
        cp LOG2 FOLDER/2.darshan
        ;;
    esac
    case $1 in
    README.md)
        mkdir -p DIR scratch shared/darshan-logs
        a_log traced DARSHAN_TRACE="$PWD/DIR"
        cp FOLDER/*.darshan shared/darshan-logs
        for i in 0 1 2 3; do
            printf '  8,0    1   %d     0.00%d000000   100  D   W %d + 8 [dd]\n' $i $((2 * i)) $((i * 8))
            printf '  8,0    1   %d     0.00%d000000     0  C   W %d + 8 [0]\n' $i $((2 * i + 1)) $((i * 8))
        done >FILE
        printf '#!/bin/sh\necho data >%s/scratch/chk\n' "$PWD" >app
        chmod +x app
        printf 'JobIDRaw|Account|NNodes|NCPUS|State|Start|End|CPUTimeRAW\n200|Z|2|64|COMPLETED|%s\n' \
            '2026-01-01T00:00:00|2026-01-01T01:00:00|230400' >sacct.txt
        ;;
    doc/site-database.md)
        darshan-accounting --db site.db init >/dev/null
        darshan-accounting --db site.db ingest "$DSN_SRC/test/golden" >/dev/null || true # some of them are damaged on purpose
        ;;
    doc/tutorial-site.md) mkdir shared ;;
    esac
}

# followed DOCUMENT: its commands, one after the other; what it shows of their output is what they print
followed() {
    mkdir "$1" && cd "$1" || return 1
    prepare "$2" || return 1
    blocks commands "$DSN_SRC/$2" |
        sed "s!/opt/darshan!@prefix@!g; s!/shared/!@here@/shared/!g; s!/scratch\>!@here@/scratch!g; s!@prefix@!$DSN_PREFIX!g; s!@here@!$PWD!g" >commands
    export DARSHAN_MMAP_LOGPATH="$PWD"
    sh -e commands >said 2>err ||
        { echo "exit status $?; of these commands, the last that is printed:"; sh -ex commands 2>&1 | grep '^+' | tail -n 1; tail -n 5 err; return 1; }
    shown=$(blocks outputs "$DSN_SRC/$2" said)
    [ -z "$shown" ] || { echo "$shown"; return 1; }
}

# Two documents at once, for they wait more than they compute
has_commands=
for document in $documents; do
    case " $elsewhere" in *" $document:"*) continue ;; esac
    [ -n "$(blocks commands "$DSN_SRC/$document")" ] || continue
    has_commands="$has_commands $document"
done
for half in 1 2; do
    at=0
    for document in $has_commands; do
        at=$((at + 1))
        [ $((at % 2)) = $((half % 2)) ] || continue
        here=$(basename "$document" .md)
        began=$(date +%s)
        (followed "$here" "$document") >"$here.out" 2>&1
        echo $? >"$here.status"
        echo "# $document took $(($(date +%s) - began)) s" >>"$here.out"
    done &
done
wait

for document in $documents; do
    here=$(basename "$document" .md)
    case " $elsewhere" in
    *" $document:"*)
        other=${elsewhere##*"$document:"}
        check "$document: its commands are run by ${other%% *}" grep -q "DSN_SRC/$document" "$DSN_SRC/test/${other%% *}.sh"
        continue
        ;;
    esac
    case " $has_commands " in *" $document "*) ;; *) continue ;; esac
    check "$document: its commands do what it says" sh -c 'cat "$1.out"; exit "$(cat "$1.status")"' sh "$here"
done

# What zsh is to read
if command -v zsh >/dev/null; then
    blocks zsh "$DSN_SRC/README.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >README.zsh
    echo 'autoload -Uz compinit && compinit -u -D && whence -w _darshan-parser' >>README.zsh
    is "$(ZDOTDIR=$PWD zsh -f README.zsh)" '_darshan-parser: function' 'README.md: zsh finds completions'
else
    skip 'README.md: zsh finds completions' 'shell zsh'
fi

finish
