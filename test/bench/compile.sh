#!/bin/sh
# compile.sh - `make bench-compile`: a project of 200 files is compiled alternately with and without the tool
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: compile.sh LIBRARY [RUNS]. One log of some 1,000 processes is left by each run with the tool. Bound: 8 %. What
# else runs on the machine makes some runs worthless: more of them are better.
set -eu
library=$1 runs=${2:-5} files=200
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-compile.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/project" "$work/logs"
i=0
while [ $i -lt $files ]; do
    i=$((i + 1))
    cat >"$work/project/part$i.h" <<END
struct part$i { int number; char name[64]; double share; };
int part$i(struct part$i *p, const char *name);
END
    cat >"$work/project/part$i.c" <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "part$i.h"
#include "part$((i % files + 1)).h"
static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
int part$i(struct part$i *p, const char *name)
{
    const char *words[3] = { name, "part", "$i" };
    struct stat st;
    qsort(words, 3, sizeof words[0], compare);
    snprintf(p->name, sizeof p->name, "%s-%s-%s", words[0], words[1], words[2]);
    p->number = stat(p->name, &st) == 0 ? (int)st.st_size : $i;
    for (int k = 0; k < p->number; k++)
        p->share += k % 7 ? 1.0 / (k + 1) : 0.5;
    return p->number;
}
END
done
{
    echo 'int main(void) { return 0; }' >"$work/project/main.c"
    echo "objects = main.o $(i=0; while [ $i -lt $files ]; do i=$((i + 1)); printf 'part%d.o ' $i; done)"
    echo 'all: $(objects)'
    printf '\t$(CC) -o project $(objects)\n'
} >"$work/project/Makefile"

# once ENVIRONMENT...: seconds
once() {
    rm -f "$work/project/"*.o
    begin=$(date +%s.%N)
    env "$@" make -s -C "$work/project" -j 2 CFLAGS=-O1 >/dev/null
    echo "$begin $(date +%s.%N)" | awk '{ print $2 - $1 }'
}

bare() {
    once A=1 >>"$work/bare"
}

ours() {
    once "LD_PRELOAD=$library" DARSHAN_ENABLE_NONMPI=1 "DARSHAN_LOGPATH=$work/logs" DARSHAN_MODMEM=2 >>"$work/ours"
}

once A=1 >/dev/null
i=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    if [ $((i % 2)) = 1 ]; then bare; fi
    ours
    if [ $((i % 2)) = 0 ]; then bare; fi
done
[ "$(find "$work/logs" -name '*.darshan' | wc -l)" = "$runs" ] || echo "compile.sh: not one log a run" >&2
# Both runs of a pair are of the same moment: the median of their ratios says more than the ratio of medians.
paste "$work/bare" "$work/ours" | awk '{ print $2 / $1, $1, $2 }' | sort -n | awk '
    NR == 1 || $2 < b { b = $2 }
    NR == 1 || $3 < o { o = $3 }
    { r[NR] = $1 }
    END {
        m = (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2
        printf "%d files: best %.2f s bare, %.2f s with the tool (%+.1f %%); median of %d pairs %+.1f %%; bound 5 %%\n",
            '$files', b, o, (o / b - 1) * 100, NR, (m - 1) * 100
    }'
