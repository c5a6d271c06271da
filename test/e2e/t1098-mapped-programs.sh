# t1098-mapped-programs.sh - programs that map their files: what the log says of them is what they do
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

page=$(getconf PAGESIZE)
case $(stat -f -c %T .) in
tmpfs | ramfs) stores=0 ;;
*) stores=1 ;;
esac
python=/usr/bin/python3

# says WANT-LINE...: of the latest log
says() {
    printf '%s\n' "$@" >want
    decode "$(latest_log)" --strict -D "page=$page" -D "stores=$stores" --want want
}

if "$python" -c 'import numpy' 2>/dev/null; then
    fresh_logs
    execute nonmpi 0 "$python" -c 'import numpy
a = numpy.memmap("array", dtype="f8", mode="w+", shape=(1 << 20,))
a[:] = 1
a.flush()
a[: 1 << 19] = 2
del a' || not_ok 'numpy writes'
    check 'numpy.memmap: an array of 8 MiB, written and flushed, half of it written again' says \
        'mapped * */array MAPPED_BYTES 8388608' 'mapped * */array MAPPED_WRITABLE 8388608' \
        'mapped * */array MAPPED_DIRTY <=8388608*{stores}' 'mapped * */array MAPPED_UNEXAMINED 0'
    fresh_logs
    execute nonmpi 0 "$python" -c 'import numpy
a = numpy.memmap("array", dtype="f8", mode="r")
assert a[: 1 << 18].sum() == 2 << 18' || not_ok 'numpy reads'
    check 'of which a quarter is read' says 'mapped * */array MAPPED_TOUCHED >=2097152' \
        'mapped * */array MAPPED_TOUCHED <=8388608' 'mapped * */array MAPPED_WRITABLE 0' 'mapped * */array MAPPED_DIRTY 0'
else
    skip 'numpy.memmap' 'package python3-numpy'
fi

if "$python" -c 'import lmdb' 2>/dev/null; then
    for write_map in False True; do
        rm -rf db
        fresh_logs
        execute nonmpi 0 "$python" -c "import lmdb
e = lmdb.open('db', map_size=1 << 30, writemap=$write_map)
with e.begin(write=True) as t:
    for i in range(2000): t.put(b'%08d' % i, b'x' * 1000)
with e.begin() as t: assert sum(len(v) for k, v in t.cursor()) == 2000000
e.close()" || not_ok 'LMDB'
        case $write_map in
        True) check 'LMDB that writes by stores: 1 GiB, of which few pages are touched' says 'mapped * */data.mdb MAPPED_BYTES 1073741824' \
            'mapped * */data.mdb MAPPED_WRITABLE >=2000000' 'mapped * */data.mdb MAPPED_TOUCHED <=33554432' 'mapped * */data.mdb MAPPED_UNEXAMINED 0' ;;
        *) check 'LMDB that writes by calls, and only loads: its file grows while it is mapped' says 'mapped * */data.mdb MAPPED_TOUCHED >=2000000' \
            'mapped * */data.mdb MAPPED_BYTES >=2000000' 'mapped * */data.mdb MAPPED_WRITABLE 0' ;;
        esac
    done
else
    skip 'LMDB' 'package python3-lmdb'
fi

if command -v sqlite3 >/dev/null 2>&1; then
    fresh_logs
    sqlite3 rows.db 'create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)
        insert into t select x, hex(zeroblob(50)) from c'
    execute nonmpi 0 sqlite3 rows.db 'pragma mmap_size = 268435456; select sum(length(b)) from t' >sum
    is "$(tail -n 1 sum)" 2000000 'SQLite with mmap_size'
    size=$(stat -c %s rows.db)
    check 'all of its file is loaded, by hardly any call' says "mapped * */rows.db MAPPED_TOUCHED $(((size + page - 1) / page * page))" \
        'mapped * */rows.db MAPPED_WRITABLE 0' 'POSIX * */rows.db POSIX_BYTES_READ <16384'
else
    skip 'SQLite' 'package sqlite3'
fi
finish
