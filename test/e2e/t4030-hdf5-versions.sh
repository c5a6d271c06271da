# t4030-hdf5-versions.sh - HDF5 versions that are newer or too old, and two of them in one process
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# fake DIRECTORY FLAG...: a library that stands in for HDF5
fake() {
    mkdir -p "$1"
    where=$1
    shift
    cc -shared -fPIC -o "$where/libhdf5-fake.so" "$DSN_SRC/test/lib/fake-h5.c" "$@"
}
fake new -DMINOR=14 && mkdir a b old || exit 1

link() {
    echo "-L$PWD/$1 -lhdf5-fake -Wl,-rpath,$PWD/$1"
}
known nonmpi 1 h5-new.c $(link new)
known preload 1 h5-new.c $(link new)
known static 1 h5-new.c $(link new)

# plugin NAME LIBRARY
plugin() {
    cc -DPLUGIN -shared -fPIC -o "$1.so" "$work/h5-plugins.c" "-L$2" "-l:libhdf5-fake-$2.so" "-Wl,-rpath,$PWD/$2"
}
for l in a b old; do
    # the name in the library itself tells them apart
    cc -shared -fPIC -Wl,-soname,libhdf5-fake-$l.so -o $l/libhdf5-fake-$l.so "$DSN_SRC/test/lib/fake-h5.c" \
        $(case $l in a) echo -DMINOR=10 -DTAG=1 ;; b) echo -DMINOR=14 -DTAG=2 ;; *) echo -DMINOR=8 -DTAG=3 ;; esac)
    plugin plugin-$l $l
done
mkdir data
cc -o plugins "$work/h5-plugins.c" -ldl
check 'two libraries: without the tool' ./plugins "$PWD/data" ./plugin-a.so ./plugin-b.so
fresh_logs
check 'two libraries: each is called by its own' execute nonmpi 0 ./plugins "$PWD/data" ./plugin-a.so ./plugin-b.so
cat >want <<'END'
H5F 0 */1.h5 H5F_OPENS 1
H5F 0 */2.h5 H5F_OPENS 1
H5D 0 */1.h5:/data H5D_BYTES_READ 800
H5D 0 */2.h5:/data H5D_BYTES_READ 800
END
check 'two libraries: counters' decode "$(latest_log)" --strict --want want

# identifiers of 1.8 are not of the size that we know
fresh_logs
DARSHAN_VERBOSE=1 execute nonmpi 0 ./plugins "$PWD/data" ./plugin-old.so >out 2>err
is $? 0 '1.8: exit status'
is "$(grep -c 'HDF5 1.8.3 is not a version that is supported' err)" 1 '1.8: one line'
fresh_logs
execute nonmpi 0 ./plugins "$PWD/data" ./plugin-old.so >out 2>err
is "$(cat err)" '' '1.8: silent'
echo 'absent H5F *
absent H5D *' >want
check '1.8: not counted' decode "$(latest_log)" --strict --want want
finish
