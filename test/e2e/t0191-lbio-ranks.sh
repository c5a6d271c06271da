# t0191-lbio-ranks.sh - log-based I/O under MPI, HDF5 and PnetCDF: ranks see the same data and leave the same files;
# reports
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
mkdir logs
settings="logdir=$PWD/logs,report=$PWD/report"
export LBIO_OPTS="$settings"
no_logs() { [ -z "$(ls -A logs)" ]; }

# ranks NAME SOURCE [ARGUMENT]...: alone, and under it; what is left is alike, or, if TOLD says so, as a program finds it
ranks() {
    name=$1 source=$2
    shift 2
    check "$name: compiles" build plain "$name" "$DSN_SRC/test/work/$source" "$@" || return
    mkdir "$name.bare" "$name.logged"
    check "$name: alone" run plain 3 "./$name" "$PWD/$name.bare"
    rm -f report
    LBIO_PATTERN="^$PWD/$name.logged/" check "$name: under it" "$bin/lbio" run -- "$SHELL" -c '
        . "$DSN_SRC/test/lib/lib.sh"; run plain 3 "$1" "$2"' run "./$name" "$PWD/$name.logged"
    check "$name: bytes went through the logs" awk '/^process/ { for (i = 5; i <= NF; i++) if ($i ~ /^bytes=/) n += substr($i, 7) }
        END { exit !(n > 100000) }' report
    check "$name: no rank wrote what another one did" "$bin/lbio" report report
    check "$name: no log is left" no_logs
    is "$(cd "$name.logged" && ls -A)" "$(cd "$name.bare" && ls -A)" "$name: no marker is"
}

SHELL=/bin/sh
for MPI in openmpi mpich; do
    export MPI
    if ! have_mpi $MPI; then
        skip "$MPI" "MPI: $MPI"
        continue
    fi
    ranks ranks-$MPI lbio-ranks.c
    check "$MPI: the files are the same" diff -r ranks-$MPI.bare ranks-$MPI.logged
    [ $MPI = mpich ] || continue # one suffices for the libraries
    if h5=$(pkg-config --cflags --libs hdf5-$MPI 2>/dev/null); then
        LBIO_OPTS="$settings,shared=log"
        ranks h5-$MPI lbio-h5.c $h5
        LBIO_OPTS="$settings"
        for file in independent collective; do # which have the time of their making in them
            check "$MPI: $file.h5 is the same" h5diff h5-$MPI.bare/$file.h5 h5-$MPI.logged/$file.h5
        done
    else
        skip "HDF5 with $MPI" "package libhdf5-$MPI-dev"
    fi
done
export MPI=openmpi
if have_mpi openmpi && [ -n "$PNETCDF_LIBS" ]; then
    LBIO_OPTS="$settings,shared=log"
    export OMPI_MCA_fs_ufs_lock_algorithm=1 # Open MPI 5 locks files, which are written directly then
    ranks nc lbio-nc.c $PNETCDF_CFLAGS $PNETCDF_LIBS
    LBIO_OPTS="$settings"
    check 'PnetCDF: the file is the same' cmp nc.bare/steps.nc nc.logged/steps.nc
else
    skip 'PnetCDF' 'package libpnetcdf-dev'
fi

# -- HDF5 and PnetCDF: one process reads and writes what another one has just written ----------------------------------
# directly NAME SOURCE SHARED [ARGUMENT]...: right, though nothing would be replayed before the end
directly() {
    name=$1 source=$2 shared=$3
    shift 3
    rm -rf "$name.out"
    mkdir "$name.out"
    [ -e "$name" ] || check "$name: compiles" build plain "$name" "$DSN_SRC/test/work/$source" "$@" || return
    check "$name$shared" "$bin/lbio" run --files "^$PWD/$name.out/" --options "$settings,threshold=1g$shared" -- "$SHELL" -c '
            . "$DSN_SRC/test/lib/lib.sh"; run plain 4 "$1" "$2"' run "./$name" "$PWD/$name.out"
}
# The same libraries as part of the program
statically() { printf '%s\n' "$@" | sed 's/^-l\(hdf5\|pnetcdf\)$/-Wl,-Bstatic -l\1 -Wl,-Bdynamic/'; }
for MPI in openmpi mpich; do
    export MPI
    if have_mpi $MPI && h5=$(pkg-config --cflags --libs hdf5-$MPI 2>/dev/null); then
        directly fill-$MPI lbio-h5-fill.c '' $h5
        if echo 'int main(void) { return 0; }' | cc -o none -x c - -lcurl -lcrypto -lsz 2>/dev/null; then # which its archive needs
            directly fill-static-$MPI lbio-h5-fill.c '' $(statically $h5) -lcrypto -lcurl -lm -lz -lsz -ldl
        else
            skip "fill-static-$MPI" 'package libcurl-dev'
        fi
    else
        skip "filled sets of HDF5, $MPI" "package libhdf5-$MPI-dev"
    fi
done
export MPI=openmpi
if [ -e fill-openmpi ]; then # which takes no drivers: the colon is part of the name
    mkdir run:1
    check 'a relative name with a colon' "$bin/lbio" run --files "^$PWD/run:1/" --options "$settings,threshold=1g" -- "$SHELL" -c '
        . "$DSN_SRC/test/lib/lib.sh"; run plain 4 ./fill-openmpi run:1'
fi
if have_mpi openmpi && [ -n "$PNETCDF_LIBS" ]; then
    OMPI_MCA_io=$("${OPENMPI_RUN%/*}/ompi_info" --parsable | sed -n 's/^mca:io:\(romio[0-9]*\):version.*/\1/p' | head -n 1)
    export OMPI_MCA_io PNETCDF_HINTS='romio_cb_write=disable;romio_cb_read=disable;romio_ds_write=disable;romio_ds_read=disable'
    directly moved lbio-nc-moved.c '' $PNETCDF_CFLAGS $PNETCDF_LIBS
    directly moved-static lbio-nc-moved.c '' $PNETCDF_CFLAGS $(statically $PNETCDF_LIBS) -lm
    directly moved lbio-nc-moved.c ,shared=direct $PNETCDF_CFLAGS $PNETCDF_LIBS
    unset OMPI_MCA_io PNETCDF_HINTS
else
    skip 'a moved variable of PnetCDF' 'package libpnetcdf-dev'
fi

# -- two processes write the same bytes --------------------------------------------------------------------------------
cat >pair.py <<'END'
import os, sys, time
f = os.open('pair', os.O_WRONLY | os.O_CREAT)
os.pwrite(f, b'x' * 3000, int(sys.argv[1]))
# not by open(), which before Python 3.10 loads a module: the directory is listed, and all is replayed for that
os.close(os.open('wrote.' + sys.argv[1], os.O_WRONLY | os.O_CREAT))
while not os.path.exists('wrote.' + sys.argv[2]):
    time.sleep(0.01)
END
rm -f report
check 'two processes' "$bin/lbio" run --files "^$PWD/pair\$" --options "$LBIO_OPTS,threshold=1g,shared=log" -- \
    sh -c 'python3 pair.py 0 2000 & python3 pair.py 2000 0; wait'
check 'what both wrote is told' status 1 "$bin/lbio" report report
is "$(grep -c "/pair: 1000 bytes at 2000: process [0-9]* on .*, process [0-9]* on " out)" 1 'which bytes, and who'
rm -f report
check 'one after the other' "$bin/lbio" run --files "^$PWD/pair\$" -- sh -c 'python3 pair.py 0 2000; python3 pair.py 2000 0'
check 'that is no conflict' status 0 "$bin/lbio" report report
echo 'process' >wrong
printf '%s\n' 'process a 1 0 writes=2 write=3.0 write_squares=5 longest_write=2' \
    'process a 2 1 writes=2 write=3.0 write_squares=4.5 longest_write=1.5' >varying
check 'a report' status 0 "$bin/lbio" report varying
is "$(grep '^a write' out)" 'a write took 1.500000 s on average, with a standard deviation of 0.353553 s; the longest one took 2.000 s' \
    'how long a write takes: 1, 2, 1.5 and 1.5 s'
check 'what is no report' status 1 "$bin/lbio" report wrong
is "$(cat err)" 'lbio report: wrong: is not a report of lbio' 'is said'
check 'a report whose place is not absolute' status 2 "$bin/lbio" run --files . --options report=x -- true
finish
