# t9200-killed.sh - eight ranks are killed at random moments, and one process after every store: their counters are
# recovered exactly
# SPDX-License-Identifier: BSD-3-Clause
#
# FAULTS=N and FAULTS_STEPS=N: more kills and more stores; FAULTS_TABLE=FILE: where the table goes (make faults)
# alone: ranks are killed at moments of a run whose length is measured before
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

faults=$DSN_SRC/test/faults
scenarios='tree tree-one tree-start tree-end tree-term openmpi openmpi-init openmpi-end-one openmpi-end-io mpich-one mpich-end mpich-end-one'
[ -z "${FAULTS:-}" ] || scenarios=
export FAULTS_PRELOAD="$preload" FAULTS_RECOVER="$DSN_PREFIX/bin/darshan-recover" FAULTS_TREE="$PWD/tree"
export FAULTS_STEP="$PWD/step" TMPDIR="$PWD"

check 'compiles: a tree of processes' cc -g -Wall -o tree -I"$work" "$faults/victim.c"
check 'compiles: one that goes step by step' cc -g -O1 -Wall -o step "$faults/step.c"
with_mpi() {
    check "$MPI: compiles" build plain "./$MPI" "$faults/victim.c" -DWITH_MPI -I"$work"
    case $MPI in
    openmpi)
        export FAULTS_OPENMPI="$OPENMPI_RUN -n 8 env LD_PRELOAD=$preload $PWD/openmpi"
        export FAULTS_OPENMPI_GO_ON="$OPENMPI_RUN --enable-recovery -n 8 env LD_PRELOAD=$preload $PWD/openmpi"
        ;;
    mpich)
        export FAULTS_MPICH="$MPICH_RUN -n 8 env LD_PRELOAD=$preload $PWD/mpich"
        export FAULTS_MPICH_GO_ON="$MPICH_RUN -disable-auto-cleanup -n 8 env LD_PRELOAD=$preload $PWD/mpich"
        ;;
    esac
}
each_mpi with_mpi

# tabled COMMAND...: its output goes to the table, too
tabled() {
    "$@" >tabled.out 2>&1
    tabled_status=$?
    cat tabled.out
    [ -z "${FAULTS_TABLE:-}" ] || cat tabled.out >>"$FAULTS_TABLE"
    return $tabled_status
}

check 'killed at random moments' tabled "$PYTHON3" "$faults/faults.py" "${FAULTS:-30}" $scenarios
if [ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ]; then
    check 'stopped at stores' tabled "$PYTHON3" "$faults/steps.py" "${FAULTS_VISITS:-2}" "${FAULTS_STEPS:-120}" work
    check 'stopped at stores of its end' tabled "$PYTHON3" "$faults/steps.py" "${FAULTS_VISITS:-2}" "${FAULTS_STEPS:-400}" end
else
    skip 'stopped at stores' 'processor: x86_64 or aarch64'
    skip 'stopped at stores of its end' 'processor: x86_64 or aarch64'
fi
finish
