# t0194-lbio-reuse.sh - log-based I/O: an open of a file whose data is pending is served with replay's descriptor, or not
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
mkdir bare logs

# again CASE OPENS [OPTIONS]: the case behaves as bare, and so many opens are saved
again() {
    again_opened=$2
    (cd bare && rm -f ./* && python3 "$DSN_SRC/test/work/lbio-reuse.py" "$1") >bare.said 2>&1
    check "$1: it finds something" test -s bare.said
    rm -rf logged figures && mkdir logged
    check "$1: runs" status 0 env -C logged \
        LBIO_OPTS="logdir=$PWD/logs,marker=off,visibility=drain,threshold=1g,report=$PWD/figures${3:-}" \
        "$DSN_PREFIX/bin/lbio" run --files "^$PWD/logged/" -- python3 "$DSN_SRC/test/work/lbio-reuse.py" "$1"
    check "$1: it finds the same" cmp bare.said out
    check "$1: what it leaves is the same" diff -r bare logged
    is "$(sed -n 's/.* opens_saved=\([0-9]*\).*/\1/p' figures)" "$again_opened" "$1: opens that are saved"
}
again again 5
again writing_only 1
for case in other_access other_name open_still flags_changed mode_changed user_changed name_moved child_has_it sent; do
    again $case 0
done
again again 0 ,reuse=off
finish
