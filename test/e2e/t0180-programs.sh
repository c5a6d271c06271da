# t0180-programs.sh - common programs have identical output when instrumented, and have logs
# SPDX-License-Identifier: BSD-3-Clause
#
# Each is run twice in a directory called the same: bare, and under the tool with logs of all processes. Compared are
# the exit status, the output, and all files that it leaves.
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' HOME=$PWD
export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e GIT_CONFIG_NOSYSTEM=1
export PYTHONHASHSEED=0

mkdir seed
(
    cd seed || exit 1
    awk 'BEGIN { for (i = 0; i < 20000; i++) print (i * 7919) % 20011, "line", i }' >numbers
    head -c 300000 numbers >block
    mkdir -p tree/a/b tree/c
    cp "$work"/*.c tree/a/
    cp "$work"/*.want tree/c/
    ln -s a/b tree/link
    : >tree/empty
) || exit 1

# What is left behind, but for times and inodes.
remains() {
    find . -printf '%p %y %m %n %l\n' | sort
    find . -type f ! -path '*/.git/index' -print0 | sort -z | xargs -0 cksum
}

# once NAME COMMAND: in a copy of the seed
once() {
    rm -rf run
    cp -rp seed run
    (cd run && touch -h -d 2020-01-01 $(find . -print) && eval "$2") >"$1.out" 2>"$1.err" </dev/null
    echo "exit status $?" >>"$1.out"
    (cd run && remains) >"$1.files"
}

# same PROGRAM SHELL-COMMAND [LEAST-BYTES]: LEAST-BYTES is what the logs must have as read or written together
same() {
    same_name="$1: $(printf %.60s "$2")"
    if ! command -v "$1" >/dev/null 2>&1; then
        skip "$same_name" "command $1"
        return
    fi
    fresh_logs
    once bare "$2"
    once tool "export DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload; $2"
    for same_what in out err files; do
        if ! cmp -s bare.$same_what tool.$same_what; then
            not_ok "$same_name" "$(diff bare.$same_what tool.$same_what | head -n 10)"
            return
        fi
    done
    same_bytes=0 same_logs=0
    for same_log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        if ! "$DSN_PREFIX/bin/darshan-parser" --total "$same_log" >total 2>total.err; then
            not_ok "$same_name" "$(cat total.err)"
            return
        fi
        same_bytes=$(awk -v s="$same_bytes" '/^total_(POSIX|STDIO)_BYTES_(READ|WRITTEN):/ { s += $2 } END { printf "%.0f", s }' total)
        same_logs=$((same_logs + 1))
    done
    if [ $same_logs = 0 ] || [ "$same_bytes" -lt "${3:-0}" ]; then
        not_ok "$same_name" "$same_logs logs, $same_bytes bytes, at least ${3:-0}"
    else
        ok "$same_name"
    fi
}

# -- files and text
same cp 'cp -rp tree copy && cp numbers other' 200000
same mv 'mv tree/a moved; mv -n numbers block; mv nothing there'
same sort 'sort -S 100K -T . -n numbers -o sorted && sort -u -k2 numbers | tail -n 3' 700000
same split 'split -b 7000 numbers part. && cat part.* | cmp - numbers' 600000
same dd 'dd if=numbers of=copy bs=777 conv=notrunc,sync status=none && dd if=copy of=block bs=512 skip=3 seek=9 count=40 conv=fsync status=none' 300000
same tail 'tail -n 5 numbers; tail -c 100 block; head -n 3 numbers; tac numbers | head -n 2'
same tee 'tee one two <numbers | wc -c' 300000
same stat 'stat -c "%n %s %F %a" tree/* && ls -lRn tree | grep -v total && du -a --apparent-size tree | sort'
same sha256sum 'sha256sum numbers block tree/a/* | tee sums && sha256sum -c sums' 600000
same shred 'shred -n 1 --random-source=numbers -z block && truncate -s 12345 block && cksum block' 300000
same install 'install -m 750 -d new && install -m 640 numbers new/ && ln -s numbers sym && readlink sym && rm -rf tree && mkdir -p x/y && rmdir x/y'
same sed 'sed -i s/line/row/ numbers && sed -n 5,7p numbers' 500000
same awk 'awk "{ print \$1 > \"out.\" (NR % 20) }" numbers && cat out.3 | head -n 2' 300000
same find 'find tree -type f -name "*.c" -exec cat {} + | cksum; find tree -empty -delete'
same rsync 'rsync -a tree/ copy/ && rsync -a --delete tree/c/ copy/' 100000
same tar 'tar -c --sort=name --mtime=@0 -f all.tar tree && tar -xf all.tar -C tree/c && tar -tf all.tar | tail -n 2' 200000
same gzip 'gzip -n9 numbers && gzip -dc numbers.gz | cksum && gzip -t numbers.gz' 300000
same xz 'xz -T2 numbers && xz -dc numbers.xz | cksum'

# -- programs of their own
same git 'git init -q -b main g && cd g && cp -r ../tree . && git add . && git commit -qm one && cp ../numbers . && git add numbers && git commit -qm two && git -c gc.auto=0 -c pack.threads=1 repack -adq && git fsck --no-progress && git clone -q . ../clone && git log --format=%H && git diff HEAD~1 --stat && cd .. && rm -rf g/.git/objects/pack g/.git/objects/info clone/.git' 200000
same sqlite3 'printf "create table t(a integer primary key, b text); begin; with recursive n(i) as (select 1 union all select i+1 from n where i<5000) insert into t select i, hex(i*i) from n; commit; create index k on t(b); pragma journal_mode=wal; update t set b=b||1 where a%%3=0; vacuum; pragma integrity_check; select count(*), sum(length(b)) from t;" | sqlite3 base.db' 100000
same perl 'perl -e "open F, q(<), q(numbers); @l = sort { \$a <=> \$b } <F>; open G, q(+>), q(out); print G @l; seek G, 100, 0; \$x = <G>; print \$x, tell(G), qq(\n); close G; print qx(wc -l <out)"' 500000
same python3 'python3 -c "
import os, mmap, tempfile, subprocess, shutil, multiprocessing as m
def f(i):
    with open(f\"w{i}\", \"wb\") as o: o.write(bytes(i * 1000))
    return os.stat(f\"w{i}\").st_size
if __name__ == \"__main__\":
    with m.get_context(\"fork\").Pool(3) as p: print(p.map(f, range(20)))
    with open(\"numbers\", \"r+b\", buffering=100) as o:
        o.seek(50); o.write(b\"x\" * 500); o.truncate(9999); print(o.tell(), os.fstat(o.fileno()).st_size)
    with tempfile.TemporaryFile() as o: o.write(b\"1\"); o.seek(0); print(o.read())
    print(subprocess.run([\"cat\", \"w3\"], capture_output=True).stdout == bytes(3000))
    shutil.copytree(\"tree\", \"copied\"); print(len(os.listdir(\"copied/a\")))
"' 190000
same ssh-keygen 'ssh-keygen -q -t ed25519 -N "" -f key && ssh-keygen -l -f key.pub | cut -d" " -f1; rm key key.pub'
same curl 'curl -s "file://$PWD/numbers" -o fetched && cmp numbers fetched' 300000
same cc 'cc -O1 -c tree/a/hello.c -I'"$work"' -o hello.o && cc -shared -fPIC -o slow.so tree/a/slow-log.c && cksum hello.o && ar rc lib.a hello.o && nm lib.a | wc -l && rm -f lib.a' 1000
same make 'printf "all: a b\na: numbers\n\tsort numbers >a\nb: a\n\thead -n 9 a >b\n" >m && make -s -j2 -f m && cat b' 500000
same bash 'for i in 1 2 3; do (echo $i; exec 3>f$i; echo in $i >&3; exec 3>&-) | cat; done; read x <numbers; echo $x; cat <<E
here
E
diff <(sort numbers) <(sort -r numbers) | wc -l; exit 7'

# -- HDF5 and PnetCDF
same h5perf_serial 'h5perf_serial -e 64K -x 16K -i 1 >/dev/null' 60000
same h5import 'seq 1 1000 >text && printf "RANK 1\nDIMENSION-SIZES 1000\nINPUT-CLASS TEXTIN\nPATH /d\n" >conf && h5import text -c conf -o x.h5 && h5repack -f GZIP=5 x.h5 y.h5 && h5diff x.h5 y.h5 && h5dump -d /d -s 10 -c 5 y.h5 && h5ls -r y.h5; rm x.h5 y.h5' 8000
same ncmpigen 'printf "netcdf t { dimensions: x = 500; variables: int v(x); data: v = 1, 2, 3; }\n" >t.cdl && ncmpigen -o t.nc t.cdl && ncmpidump t.nc | head -n 20 && ncvalidator -q t.nc'

# -- MPI, 8 ranks
with_mpi() {
    check "$MPI: compiles" compile preload ./ranks mpi-many.c
    for way in plain preload; do
        rm -rf data
        mkdir data
        fresh_logs
        run $way 8 timeout 200 ./ranks "$PWD/data" >$way.out 2>$way.err
        echo "exit status $?" >>$way.out
        (cd data && cksum -- *) >>$way.out
    done
    check "$MPI, 8 ranks: output and files" cmp plain.out preload.out
    check "$MPI, 8 ranks: stderr" cmp plain.err preload.err
    is "$(count_logs)" 1 "$MPI, 8 ranks: one log"
    check "$MPI, 8 ranks: the log can be read" "$DSN_PREFIX/bin/darshan-parser" "$(latest_log)"
}
each_mpi with_mpi
finish
