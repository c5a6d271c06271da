# t7720-corpus.sh - findings in jobs whose behaviour is known, and in real logs: recall and precision
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary

# What real logs deserve, by their counters; -: nothing. The programs: a test of MPI-IO that writes and reads 16 MiB a rank,
# independently and in one call; IOR through HDF5, PnetCDF and DFS; a job without I/O.
set --
for log in "$DSN_SRC"/test/judged/*.darshan "$DSN_SRC"/test/golden/*.darshan; do
    case ${log##*/} in
    # 512 ranks write 72 GiB collectively with holes: of 306,777 writes below all but 240 are preceded by a read of 0 bytes,
    # 284 GiB are written; 704 s in MPI_File_write_all, of which storage needs 284.
    e3sm.darshan) set -- "$@" "$log=read-modify-write,collective-waiting" ;;
    # 65,536 ranks write 40 GiB collectively; rank 0 alone moves them, 264 s of 754, to a file of one stripe.
    skew-app.darshan) set -- "$@" "$log=collective-waiting,no-striping" ;;
    # 496 ranks spend 1,150 s of 1,479 in collective calls, rank 0 moves the data to files of one stripe; before, it reads
    # 112 MB in pieces of 8 KiB, 31 s.
    imbalanced-io.darshan) set -- "$@" "$log=no-striping,small-reads" ;;
    # A data loader in Python: 5 epochs over 994 MiB of samples.
    python-epochs.darshan) set -- "$@" "$log=rereads" ;;
    # 10 ranks of Python open 220 modules, and write a dataset each.
    python-hdf5.darshan) set -- "$@" "$log=interpreter-start" ;;
    # Of 16 ranks that move 2 MiB each rank 0 needs 55 ms, and a rank in the mean 23 ms.
    ior-DFS.darshan) set -- "$@" "$log=straggler" ;;
    *) set -- "$@" "$log=-" ;;
    esac
done
"$PYTHON3" "$DSN_SRC/test/e2e/findings_corpus.py" "$summary" "$DSN_SRC/util/report/findings.def" "$@" >judged 2>said
sed 's/^/# /' judged
is "$(grep '^wrong' judged)" '' 'every job has the findings that it deserves, and no others'
is "$(sed -n 's/^recall \([0-9]*\) of \([0-9]*\), precision \([0-9]*\) of \([0-9]*\)$/\1 \3/p' judged)" \
    "$(sed -n 's/^recall \([0-9]*\) of \([0-9]*\), precision \([0-9]*\) of \([0-9]*\)$/\2 \4/p' judged)" 'recall and precision'
is "$(cat said)" '' 'nothing else is said'
finish
