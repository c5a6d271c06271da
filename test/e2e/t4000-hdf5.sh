# t4000-hdf5.sh - HDF5 with every kind of selection: exact counters in every way, parallel and serial
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# flags PACKAGE: what a program with that build of HDF5 is compiled and linked with
flags() {
    pkg-config --cflags --libs "$1" 2>/dev/null
}

# The MPI of the HDF5 that is there may be another one than the tool's default.
parallel() {
    h5=$(flags "hdf5-$MPI") || { skip "parallel HDF5, $MPI" "package libhdf5-$MPI-dev"; return; }
    flushes=h5-flush.want
    mkdir -p asked
    if build plain ask "$work/h5-basic.c" -DWITH_MPI $h5 && run plain 4 timeout 200 ./ask "$PWD/asked" | grep -q 'H5Dflush is refused'; then
        flushes=
        skip "H5Dflush of several ranks, $MPI" 'HDF5 that allows H5Dflush in parallel'
    fi
    for way in preload linked static; do
        known $way 4 h5-basic.c $h5 h5-parallel.want $flushes
    done
}

each_mpi parallel
# HDF5 as an archive, which is searched before the tool
archives='-l:libhdf5_openmpi.a -lcrypto -lcurl -lsz -lz -ldl -lm'
echo 'int main(void) { return 0; }' >empty.c
if have_mpi openmpi && flags hdf5-openmpi >/dev/null && cc -o empty empty.c $archives 2>/dev/null; then
    MPI=openmpi
    known static 4 h5-basic.c $(pkg-config --cflags hdf5-openmpi) $archives h5-parallel.want $flushes
else
    skip 'HDF5 as an archive' 'libhdf5_openmpi.a and what it needs'
fi

if h5=$(flags hdf5-serial); then
    known nonmpi 1 h5-basic.c $h5 h5-flush.want
else
    skip 'serial HDF5' 'package libhdf5-dev'
fi
finish
