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
