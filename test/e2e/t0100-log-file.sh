# t0100-log-file.sh - location, name and permissions of the log, and its information about the job
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

LOGNAME=averylongname
export LOGNAME

# log_of WAY [ENVIRONMENT]...: runs hello in that way; sets $log and $pid
log_of() {
    way=$1
    shift
    fresh_logs
    pid=$(for setting; do export "$setting"; done; execute "$way" 1 "./hello-$way" "$PWD" 0 'two  blanks')
    log=$(latest_log) || log=
}

field() {
    decode "$log" --text | sed -n "s/^# $1: //p"
}

check_names() {
    start=$(field start_time)
    is "${log#"$DARSHAN_LOGPATH"/}" "$(date -d "@$start" +%-Y/%-m/%-d)/${log##*/}" "$1: in year/month/day"
    day=$(date -d "@$start" +%-m-%-d)
    seconds=$(($(date -d "@$start" +'3600 * %-H + 60 * %-M + %-S')))
    check "$1: name is user_program_id..._month-day-seconds-number_duration" expr "${log##*/}" : \
        "averylon_hello-$1_id$2-${pid}_$day-$seconds-[0-9][0-9]*_[1-9][0-9]*\.darshan$"
    is "$(stat -c %a "$log")" 400 "$1: mode"
    is "$(find "$DARSHAN_LOGPATH" -type f | wc -l | tr -d ' ')" 1 "$1: nothing else in the log directory"
}

check_job() {
    check "$1: exe is the command line" expr "$(field exe)" : ".*/hello-$1 $PWD 0 two  blanks$"
    is "$(field uid)" "$(id -u)" "$1: uid"
    check "$1: started within the last hour" test "$(($(date +%s) - $(field start_time)))" -lt 3600
    check "$1: ended after it started" test "$(field end_time)" -ge "$(field start_time)"
    decode "$log" --text | sed -n 's/^# mount entry:	//p' | LC_ALL=C sort >mounts
    unlisted='tmpfs|proc|sysfs|devpts|binfmt_misc|fusectl|debugfs|securityfs|nfsd|none|rpc_pipefs|hugetlbfs|cgroup'
    awk -v unlisted="^($unlisted)\$" '$3 !~ unlisted && length($2) < 256 { print $2 "\t" $3 }' /proc/self/mounts |
        LC_ALL=C sort -u >mtab
    if [ "$(wc -l <mtab)" -gt 64 ] || [ "$(wc -c <mtab)" -gt 2000 ]; then
        skip "$1: mount table" 'at most 64 mounts'
    else
        check "$1: mount table" diff mtab mounts
    fi
}

one() {
    check "$1: compiles" compile "$1" "./hello-$1" hello.c
    log_of "$1"
    check "$1: leaves a log" test -n "$log"
    [ -n "$log" ] || return
    check "$1: counters" wanted "$log" "$PWD" "$2" hello.want
    check_names "$1" "$pid"
    check_job "$1"
    log_of "$1" DARSHAN_JOBID=OUR_JOB OUR_JOB=4711
    is "$(field jobid)" 4711 "$1: job id from the variable that DARSHAN_JOBID names"
    check "$1: job id in the name" expr "${log##*/}" : ".*_id4711-$pid"
    log_of "$1" DARSHAN_JOBID=OUR_JOB OUR_JOB=4712.server
    is "$(field jobid)" 4712 "$1: job id with a server's name behind it"
    log_of "$1" DARSHAN_JOBID=OUR_JOB OUR_JOB=none
    is "$(field jobid)" "$pid" "$1: a job id that is no number"
    log_of "$1" "DARSHAN_LOGFILE=$PWD/given-$1.darshan"
    is "$(count_logs)" 0 "$1: DARSHAN_LOGFILE: nothing in the log directory"
    is "$(stat -c %a "given-$1.darshan")" 400 "$1: DARSHAN_LOGFILE: exactly this file, mode 0400"
    before=$(cksum <"given-$1.darshan")
    log_of "$1" "DARSHAN_LOGFILE=$PWD/given-$1.darshan" 2>said
    is "$(cksum <"given-$1.darshan")" "$before" "$1: DARSHAN_LOGFILE: a file that is there stays as it is"
    is "$(wc -l <said | tr -d ' ')" 1 "$1: and that is said in one line"
}

one nonmpi 0
one preload -1
one static -1
finish
