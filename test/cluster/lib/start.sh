# start.sh - starts the cluster of a test; to be sourced after test/lib/lib.sh
# SPDX-License-Identifier: BSD-3-Clause
#
# start_cluster [ARGUMENT OF up]...: skips the test where there can be no cluster; it ends with the test
[ "$(id -u)" = 0 ] || skip_all 'rights of root'
cluster=$DSN_SRC/test/cluster
CLUSTER_DIR=$DSN_SCRATCH/box
export CLUSTER_DIR

start_cluster() {
    if ! "$cluster/up" "$@" --prefix "$DSN_PREFIX" >up.out 2>&1; then
        case $(tail -n 1 up.out) in
        *'missing packages: '*) skip_all "packages $(sed -n 's/.*missing packages: \(.*\) (--install.*/\1/p' up.out)" ;;
        *'no namespaces'* | *'no overlay'* | *'no bridge'*) skip_all 'kernel: namespaces, overlay mounts and bridges' ;;
        esac
        not_ok 'the cluster starts' "$(tail -n 5 up.out)"
        finish
    fi
    trap '"$cluster/down" --purge >/dev/null 2>&1' EXIT
    trap 'exit 1' INT TERM
    ok 'the cluster starts'
}

# start_sharing_cluster: two nodes that have the directory /tmp/export of the head over the network (sshfs), as /net
start_sharing_cluster() {
    command -v sshfs >/dev/null || skip_all 'packages sshfs'
    have_mpi openmpi || skip_all 'packages libopenmpi-dev openmpi-bin'
    start_cluster -n 2
    on head 'mkdir /tmp/export'
    for node in n1 n2; do
        "$cluster/on" $node -- sh -c 'mkdir /net && chown alice /net'
        on $node 'sshfs head:/tmp/export /net' >mount.out 2>&1 && on $node 'findmnt -t fuse.sshfs /net' >/dev/null && continue
        grep -q '/dev/fuse\|fuse: device not found' mount.out && skip_all 'kernel: FUSE'
        not_ok "$node mounts a directory of another node" "$(cat mount.out)"
        finish
    done
}

# on NODE COMMAND: as the user alice
on() { "$cluster/on" "$1" --user alice -- sh -c "$2"; }
