# t3060-io-libraries.sh - HDF5 and PnetCDF: their MPI-IO is recorded, and the files are the same
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

MPI=openmpi
have_mpi openmpi || skip_all 'MPI: openmpi'
flags= libs=
cat >want <<'END'
# 4 ranks, each 4 times 1 MiB collectively and back; a file each of 256 times 4096 bytes
MPI-IO -1 */shared.dat MPIIO_COLL_WRITES 16
MPI-IO -1 */shared.dat MPIIO_COLL_READS 16
MPI-IO -1 */shared.dat MPIIO_BYTES_WRITTEN 16777216
records POSIX 4 */rank-?.dat
POSIX * */rank-?.dat POSIX_BYTES_WRITTEN 1048576
POSIX * */rank-?.dat POSIX_WRITES 256
END
if [ -n "$HDF5_LIBS" ]; then
    flags="$flags -DWITH_HDF5 $HDF5_CFLAGS" libs="$libs $HDF5_LIBS"
    cat >>want <<'END'
# 4 MiB of data by one collective write a rank, and what HDF5 writes about them
MPI-IO -1 */field.h5 MPIIO_COLL_OPENS 4
MPI-IO -1 */field.h5 MPIIO_COLL_WRITES 4
MPI-IO -1 */field.h5 MPIIO_SIZE_WRITE_AGG_100K_1M 4
MPI-IO -1 */field.h5 MPIIO_BYTES_WRITTEN >=4194304
MPI-IO -1 */field.h5 MPIIO_BYTES_WRITTEN <4259840
END
else
    skip 'HDF5' 'package libhdf5-openmpi-dev'
fi
if [ -n "$PNETCDF_LIBS" ]; then
    flags="$flags -DWITH_PNETCDF $PNETCDF_CFLAGS" libs="$libs $PNETCDF_LIBS"
    cat >>want <<'END'
MPI-IO -1 */field.nc MPIIO_COLL_OPENS 4
MPI-IO -1 */field.nc MPIIO_COLL_WRITES 4
MPI-IO -1 */field.nc MPIIO_BYTES_WRITTEN >=4194304
MPI-IO -1 */field.nc MPIIO_BYTES_WRITTEN <4259840
END
else
    skip 'PnetCDF' 'package libpnetcdf-dev'
fi

mkdir plain
check 'compiles plainly' build plain ./plain-program "$DSN_SRC/share/examples/first-light.c" $flags $libs
run plain 4 ./plain-program plain >out 2>err || not_ok 'runs plainly' "$(cat err)"
for way in preload linked static; do
    fresh_logs
    mkdir $way
    check "$way: compiles" build $way ./$way-program "$DSN_SRC/share/examples/first-light.c" $flags $libs
    run $way 4 timeout 200 ./$way-program $way >out 2>err
    is $? 0 "$way: exit status"
    for file in plain/*; do
        # HDF5 files hold the time of their making
        [ "${file##*.}" = h5 ] || check "$way: ${file##*/} is as without the tool" alike "$file" "$way/${file##*/}"
    done
    if [ $way = static ]; then
        # the libraries are shared ones and not linked with the tool; the program itself is
        grep -v 'field' want >own
        check "$way: counters" decode "$(latest_log)" --strict --want own
    else
        check "$way: counters" decode "$(latest_log)" --strict --want want
    fi
done
finish
