# t-sweep.sh - darshan-sweep on two nodes that share a directory over the network (sshfs), and on one that has it in memory
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/cluster/lib/start.sh"

start_sharing_cluster
"$cluster/on" head -- sh -c 'mkdir /net && mount --bind /tmp/export /net'

sweeps='--limit 16MiB --reserve 0 --samples 2 --seconds 0.01 --sweeps nodes --json'
# says EXPRESSION: of the JSON document d in the file out
says() {
    "$PYTHON3" -c "import json, sys; d = json.load(open('out')); s = {x['name']: x for x in d['sweeps']}; f = d['found']; n = f['nodes']
print($1)"
}

check 'a sweep of two nodes with two processes each' \
    status 0 on n1 "timeout 120 darshan-sweep $sweeps --mpi 'mpirun.openmpi --host n1:2,n2:2 -n 4' /net"
is "$(says "(n['count'], [(e['name'], e['processes'], e['file_system'], e['withheld']) for e in n['each']])")" \
    "(2, [('n1', 2, 'fuse', {}), ('n2', 2, 'fuse', {})])" 'names both, with their processes and what the directory is on them'
is "$(says "[(p['x'], [e['node'] for e in p['nodes']]) for p in s['nodes-one-read']['points']]")" \
    "[(1, ['n1']), (2, ['n1', 'n2']), (4, ['n1', 'n2'])]" 'two processes are on two nodes'
is "$(says "all([e['node'] for e in p['nodes']] == ['n1', 'n2'] for p in s['nodes-request-write']['points'])")" True 'requests are of all'
is "$(says "all(sum(e['bytes_per_second'] for e in p['nodes']) > 0.999 * p['bytes_per_second'] for x in d['sweeps'] for p in x['points'])")" \
    True 'no node has more of a rate than its share, and all together have all of it'
is "$(says "(f['caches_bypassed'], f['withheld'], n['read']['best_request_bytes'] > 0, n['write']['file_each']['best'] > 0)")" \
    '(True, {}, True, True)' 'what they reach is told, for no node had anything in its cache'
is "$(on head 'ls -A /net')" '' 'and nothing is left'

check 'with a node on which the directory is in memory' \
    status 0 on n1 "timeout 120 darshan-sweep $sweeps --mpi 'mpirun.openmpi --host n1:1,head:1 -n 2' /net"
is "$(says "[(e['name'], e['file_system'], e['withheld']) for e in n['each']]")" \
    "[('n1', 'fuse', {}), ('head', 'tmpfs', {'read': 'memory', 'write': 'memory'})]" 'it is what is not told of that node'
is "$(says "(f['withheld'], n['read']['best_request_bytes'], n['write']['one_file']['best'])")" \
    "({'reads of nodes': 'memory', 'writes of nodes': 'memory'}, None, None)" 'and of all together'
check 'as text' on n1 "timeout 120 darshan-sweep ${sweeps% --json} --mpi 'mpirun.openmpi --host n1:1,head:1 -n 2' /net >/shared/data/text"
grep -q '^Nodes, reads          not told: on head the file system (tmpfs) is in memory$' "$CLUSTER_DIR/shared/data/text"
is $? 0 'with the name of the node'
grep -q '^    each node         n1 [0-9.]* MiB/s, head not told$' "$CLUSTER_DIR/shared/data/text"
is $? 0 'and the rate of the other one'

on n1 'mkdir /tmp/own'
check 'a directory that each node has for itself' \
    status 1 on n1 "timeout 120 darshan-sweep $sweeps --mpi 'mpirun.openmpi --host n1:1,n2:1 -n 2' /tmp/own"
grep -q '^darshan-sweep: n2: /tmp/own/.* is not the same directory on all nodes; choose one of a file system that they share$' err
is $? 0 'is refused, by the node that does not see it'
finish
