# t0150-settings.sh - effects of settings in the file and in the environment on the log and on stderr
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
unset DARSHAN_CONFIG_PATH

mkdir data
check 'compiles' compile nonmpi ./settings settings.c

# expect NAME COMMAND...: runs it with the file `conf`; the log must fulfil the lines of stdin, stderr stay empty
expect() {
    what=$1
    shift
    fresh_logs
    cat >want
    DARSHAN_CONFIG_PATH=$PWD/conf "$@" >out 2>err
    is $? 0 "$what: exit status"
    is "$(cat err)" '' "$what: nothing on stderr"
    check "$what: log" decode "$(latest_log)" --strict -D "dir=$PWD/data" --want want
}

# alone NAME LINE...: the program without MPI, with these lines as its file
alone() {
    what=$1
    shift
    printf '%s\n' "$@" >conf
    expect "$what" execute nonmpi 0 ./settings "$PWD/data"
}

# -- names, modules, numbers of records
alone 'no setting' '# nothing' <<'END'
POSIX 0 {dir}/data.dat POSIX_BYTES_WRITTEN 8
POSIX 0 {dir}/data.dat POSIX_MEM_ALIGNMENT 8
POSIX 0 {dir}/data.dat POSIX_MEM_NOT_ALIGNED 1
POSIX 0 {dir}/plug.so POSIX_BYTES_WRITTEN 1
POSIX 0 {dir}/keep.so POSIX_BYTES_WRITTEN 1
STDIO 0 {dir}/text.txt STDIO_BYTES_WRITTEN 5
absent POSIX /etc/*
END
alone 'NAME_EXCLUDE' 'NAME_EXCLUDE \.so$,\.txt$ POSIX' <<'END'
absent POSIX {dir}/*.so
POSIX 0 {dir}/data.dat POSIX_BYTES_WRITTEN 8
STDIO 0 {dir}/text.txt STDIO_BYTES_WRITTEN 5
END
alone 'NAME_INCLUDE' 'NAME_EXCLUDE \.so$,\.txt$ *' 'NAME_INCLUDE keep,^/etc/passwd POSIX' <<'END'
absent STDIO {dir}/*
absent POSIX {dir}/plug.so
POSIX 0 {dir}/keep.so POSIX_BYTES_WRITTEN 1
POSIX 0 /etc/passwd POSIX_BYTES_READ 1
END
alone 'MOD_DISABLE' 'MOD_DISABLE POSIX,MPI-IO' <<'END'
absent POSIX *
STDIO 0 {dir}/text.txt STDIO_BYTES_WRITTEN 5
END
alone 'MOD_ENABLE' 'MOD_DISABLE *' 'MOD_ENABLE POSIX' <<'END'
absent STDIO *
POSIX 0 {dir}/data.dat POSIX_BYTES_WRITTEN 8
END
alone 'MAX_RECORDS' 'MAX_RECORDS 5 *' 'MAX_RECORDS 1 POSIX' <<'END'
POSIX 0 {dir}/data.dat POSIX_BYTES_WRITTEN 8
records POSIX 2 *
POSIX 0 {dir}/<?.so> POSIX_BYTES_WRITTEN 2
sum POSIX * POSIX_BYTES_WRITTEN 10
sum POSIX * POSIX_OPENS 3
partial POSIX
rank 0 RANK_AGGREGATED 2
rank 0 RANK_AGGREGATED_FILES 2
rank 0 RANK_AGGREGATED_UNKNOWN 0
rank 0 RANK_LIMITED 2
STDIO 0 {dir}/text.txt STDIO_BYTES_WRITTEN 5
END
"$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >summary
check 'MAX_RECORDS: the summary says so' grep -q '^Incomplete *POSIX reached MAX_RECORDS' summary
check 'MAX_RECORDS: and what would do' grep -q '; enough: MAX_RECORDS of 3$' summary
alone 'MEM_ALIGNMENT' 'MEM_ALIGNMENT 4' <<'END'
POSIX 0 {dir}/data.dat POSIX_MEM_ALIGNMENT 4
POSIX 0 {dir}/data.dat POSIX_MEM_NOT_ALIGNED 0
END

# what is opened in a signal handler is decided about later, and not otherwise
printf '%s\n' 'NAME_EXCLUDE \.so$ *' 'NAME_INCLUDE keep *' >conf
expect 'in a signal handler' execute nonmpi 0 ./settings "$PWD/data" handler <<'END'
absent POSIX {dir}/plug.so
absent POSIX /etc/*
POSIX 0 {dir}/keep.so POSIX_BYTES_WRITTEN 1
POSIX 0 {dir}/data.dat POSIX_BYTES_WRITTEN 8
END
is "$(decode "$(latest_log)" | grep -c plug.so)" 0 'in a signal handler: no trace of the name'

# -- job
fact() {
    decode "$(latest_log)" --text | sed -n "s/^# $1//p"
}
printf '%s\n' 'JOBID MY_JOB' 'LOGHINTS a=1;b=2' >conf
DARSHAN_CONFIG_PATH=$PWD/conf MY_JOB=4711 execute nonmpi 0 ./settings "$PWD/data"
is "$(fact 'jobid: ')" 4711 'JOBID'
is "$(fact 'metadata: h = ')" 'a=1;b=2' 'LOGHINTS'
logs=$DARSHAN_LOGPATH
unset DARSHAN_LOGPATH
mkdir by-file by-variable
echo "LOGPATH $PWD/by-file" >conf
DARSHAN_CONFIG_PATH=$PWD/conf execute nonmpi 0 ./settings "$PWD/data"
is "$(find by-file -name '*.darshan' | wc -l)" 1 'LOGPATH of the file'
DARSHAN_CONFIG_PATH=$PWD/conf DARSHAN_LOGPATH=$PWD/by-variable execute nonmpi 0 ./settings "$PWD/data"
is "$(find by-file by-variable -name '*.darshan' | sed 's|/.*||' | sort | tr '\n' ' ')" 'by-file by-variable ' \
    'the variable comes before it'
DARSHAN_CONFIG_PATH=$PWD/conf DARSHAN_LOGPATH=$PWD/by-variable DARSHAN_LOGFILE=$PWD/named execute nonmpi 0 ./settings "$PWD/data"
check 'and a name of its own before both' test -f named
DARSHAN_LOGPATH=$logs
export DARSHAN_LOGPATH

# -- programs
fresh_logs
DARSHAN_APP_EXCLUDE=/settings$ execute nonmpi 0 ./settings "$PWD/data"
is "$(count_logs)" 0 'APP_EXCLUDE'
DARSHAN_APP_EXCLUDE=/settings$ DARSHAN_APP_INCLUDE=sett execute nonmpi 0 ./settings "$PWD/data"
is "$(count_logs)" 1 'APP_INCLUDE'

# -- what is said
echo 'MODMEM 3' >conf
DARSHAN_CONFIG_PATH=$PWD/conf DARSHAN_DUMP_CONFIG= execute nonmpi 0 ./settings "$PWD/data" 2>err
is "$(grep -vc '^#' err)" 0 'DUMP_CONFIG: nothing but comments'
is "$(grep -E '^# (MODMEM|NAMEMEM|MEM_ALIGNMENT) = ' err)" '# MODMEM = 3 MiB
# NAMEMEM = 4096 KiB
# MEM_ALIGNMENT = 8' 'DUMP_CONFIG: the values in force'
is "$(grep -c '^# .* module: ' err)" 18 'DUMP_CONFIG: all modules'
echo INTERNAL_TIMING >conf
DARSHAN_CONFIG_PATH=$PWD/conf execute nonmpi 0 ./settings "$PWD/data" 2>err
is "$(cut -f1 err | tr '\n' ' ')" '#darshan:<op> darshan:init darshan:log_open darshan:job_write darshan:hash_write darshan:header_write darshan:POSIX_shutdown darshan:STDIO_shutdown darshan:HEATMAP_shutdown darshan:core_shutdown ' \
    'INTERNAL_TIMING: what was timed'
is "$(awk -F'\t' 'NR > 1 && NF == 3 && $2 == 1 && $3 > 0 && $3 < 100' err | wc -l)" 9 'INTERNAL_TIMING: seconds of one process'

# -- a file that is none does not keep the program waiting
mkfifo fifo
for path in fifo /dev/zero nowhere "$PWD"; do
    fresh_logs
    DARSHAN_CONFIG_PATH=$path execute nonmpi 0 ./settings "$PWD/data" 2>err
    is "$? $(count_logs)" '0 1' "$path as the file: a log"
    is "$(grep -c '^darshan: DARSHAN_CONFIG_PATH: ' err) $(wc -l <err)" '1 1' "$path as the file: named once"
done

# -- a child keeps its parent's settings; a program that is executed reads its own, and has nothing to say of them, because the job has said it
check 'compiles' compile nonmpi ./processes processes.c
printf '%s\n' 'NONSENSE' 'NAME_EXCLUDE parent *' >conf
fresh_logs
DARSHAN_CONFIG_PATH=$PWD/conf execute nonmpi 0 ./processes "$PWD/data" >out 2>err
is "$? $(grep -c NONSENSE err)" '0 1' 'fork: named once for the job'
is "$(count_logs)" 1 'fork: one log'
echo 'absent POSIX *parent.dat' >want
for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
    check 'fork: the exclusion holds' decode "$log" --strict --want want
done
finish
