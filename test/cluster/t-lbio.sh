# t-lbio.sh - log-based I/O of programs on two nodes that share a directory over the network (sshfs), with tokens
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/cluster/lib/start.sh"

start_sharing_cluster

library=$DSN_PREFIX/lib/liblbio.so
# run NAME OPTIONS PROGRAM ARGUMENT...: four ranks on both nodes, under log-based I/O (OPTIONS none: without), in a new directory
# /net/NAME; its output is in the file out, what lbio report says in the file report
run() {
    run_name=$1 run_options=$2 run_program=$3
    shift 3
    run_with=
    [ "$run_options" = none ] ||
        run_with="-x LBIO_OPTS=logdir=/tmp,report=/shared/data/$run_name,$run_options -x LBIO_PATTERN=^/net/ -x LD_PRELOAD=$library"
    on n1 "mkdir /net/$run_name && timeout 120 mpirun.openmpi $run_with \
        --host n1:2,n2:2 -n 4 /shared/jobs/$run_program /net/$run_name $*" >out 2>&1 || return
    [ "$run_options" = none ] || on n1 "lbio report /shared/data/$run_name" >report
}
# same NAME WANT: the files of /net/NAME are those of /net/WANT, and there is nothing beside them
same() { on head "cd /tmp/export && diff -r $1 $2"; }
figure() { awk -v what="$1" '$1 == what { print $2 }' report; }

check 'exchange, without log-based I/O' run exchange none exchange 8
is "$(grep -v '^$' out)" '0 wrong' 'exchange: a rank reads what one of another node has closed'
check 'io, without log-based I/O' run io none io-ompi ok

for from in none:hold=4m slots:slots=/shared/data/slots,tokens=1; do
    name=${from%%:*} options=${from#*:}
    check "exchange, tokens of $name" run "exchange-$name" "$options" exchange 8
    is "$(grep wrong out)" '0 wrong' "exchange, tokens of $name: the same"
    check "exchange, tokens of $name: and the files are the same" same "exchange-$name" exchange
    is "$(figure bytes) $(figure replayed_bytes) $(figure without_token) $(figure errors)" '33554432 33554432 0 0' \
        "exchange, tokens of $name: all of it went through logs"
    [ $name = none ] ||
        check "exchange, tokens of $name: with a token each time" [ "$(figure tokens)" -ge 32 ]
    check "io, tokens of $name" run "io-$name" "$options" io-ompi ok
    check "io, tokens of $name: the files are the same" same "io-$name" io
done
is "$(on n1 "cd /net && LBIO_OPTS=logdir=/tmp LBIO_PATTERN=^/net/ LD_PRELOAD=$library python3 -c '
import ctypes, os
os.open(\"first\", os.O_RDWR | os.O_CREAT)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.open(ctypes.c_void_p(1), 0), os.strerror(ctypes.get_errno()))
'; rm first")" '-1 Bad address' 'an open with a wrong address is refused as without the library'

# a process is killed on one node, while its data is in its log: another node sees that the file is incomplete
on n2 "cd /net && LBIO_OPTS=logdir=/tmp,threshold=1g LBIO_PATTERN=^/net/ LD_PRELOAD=$library python3 -c '
import os
f = os.open(\"killed\", os.O_WRONLY | os.O_CREAT)
os.write(f, b\"x\" * 1000000)
os.kill(os.getpid(), 9)'"
is "$(on n1 'lbio status /net/killed >/dev/null; echo $?; stat -c %s /net/killed; ls -A /net | grep lbio')" '1
0
.killed.lbio' 'killed: another node sees that the file is incomplete'
check 'killed: lbio recover on its own node' on n2 'lbio recover --logdir /tmp --all'
is "$(on head 'stat -c %s /tmp/export/killed; ls -A /tmp/export | grep lbio')" 1000000 'killed: completes it'
check 'killed: as another node sees it' on n1 'lbio status /net/killed'
finish
