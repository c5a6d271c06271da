# t7715-file-patterns.sh - patterns of files and storage targets in reports: programs and logs of which all is known
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
export TZ=UTC

cat >row.py <<'END'
import json, sys
d = json.load(sys.stdin)
def n(v):
    return "?" if v is None else "%.6g" % v
if sys.argv[1] == "targets":
    t = d["targets"]
    print("none" if t is None else "%d of %s:" % (t["used"], n(t["of_at_least"])), end="")
    for r in sorted(t["rows"] if t else [], key=lambda r: r["ost"]):
        print(" %d=%s/%s" % (r["ost"], n(r["bytes_read"]), n(r["bytes_written"])), end="")
    print()
elif sys.argv[1] == "sums":
    p = d["file_patterns"]
    files = sum(r["files"] for r in p["rows"]) + p["rest"]["files"] + p["in_none"]["files"]
    moved = sum(r["work"]["bytes_written"] for r in p["rows"]) + p["rest"]["work"]["bytes_written"]
    moved += p["in_none"]["work"]["bytes_written"]
    print(len(p["rows"]), files == d["sharing"]["files"]["total"], moved == d["answer"]["bytes_written"])
else:
    for r in d["file_patterns"]["rows"]:
        if r["pattern"] == sys.argv[1]:
            s = r["size"]
            print("%d%s | %s-%s mean %s | read %s by %s, %s times | written %s by %s" % (
                r["files"], "+" if r["further_files"] else "", n(s["least"]), n(s["most"]), n(s["mean"]),
                r["work"]["bytes_read"], r["readers"]["text"] or "-", n(r["times_read"]), r["work"]["bytes_written"],
                r["writers"]["text"] or "-"))
END

# row LOG PATTERN: what the document says of it
row() {
    "$summary" --json "$1" >"$1.json" || echo 'no document'
    "$PYTHON3" row.py "$2" <"$1.json"
}

# wrote RANK NAME BYTES [MORE COUNTERS]; read_back RANK NAME BYTES SIZE: records
wrote() {
    echo "record POSIX $1 $2 POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=$3 POSIX_MAX_BYTE_WRITTEN=$(($3 - 1)) POSIX_F_WRITE_TIME=${4:-1}"
}
read_back() {
    echo "record POSIX $1 $2 POSIX_OPENS=1 POSIX_READS=1 POSIX_BYTES_READ=$3 POSIX_MAX_BYTE_READ=$(($4 - 1)) POSIX_F_READ_TIME=1"
}

# -- numbers -----------------------------------------------------------------------------------------------------------

# Two runs of four ranks: rank i writes chk_i of each, 1 MiB; in the end rank 0 reads all of them, twice.
{
    printf 'job nprocs=4 start=1000 end=1100\nmount ext4 /\n'
    for run in 1 2; do
        for i in 0 1 2 3; do
            wrote $i /s/run_$run/chk_000$i.h5 1048576
            read_back 0 /s/run_$run/chk_000$i.h5 2097152 1048576
        done
    done
    wrote 0 /s/run_1/log.txt 100 0.01
} | forge numbers
is "$(row numbers '/s/run_#/chk_#.h5')" \
    '8 | 1.04858e+06-1.04858e+06 mean 1.04858e+06 | read 16777216 by rank 0, 2 times | written 8388608 by one rank each, 4 in all' \
    'numbers of files and directories; who writes and reads, and how often'
is "$(row numbers /s/run_1/log.txt)" '1 | 100-100 mean 100 | read 0 by -, ? times | written 100 by rank 0' 'one file is a line, too'
"$summary" numbers >numbers.text
is "$(sed -n '/^Patterns/{N;N;p;}' numbers.text)" 'Patterns      /s/run_#/chk_#.h5
              8 files of 1.00 MiB; 8.00 MiB written by one rank each, 4 in all;
              16.0 MiB read by rank 0, 2 times' 'the report says it, but not of one file'
is "$(grep -c log.txt numbers.text)" 0 'of which it says nothing'

# A number that is the same in all names stays, so does the 5 of .h5 above. Sizes differ; each rank writes one file.
{
    printf 'job nprocs=3 start=1000 end=1100\nmount ext4 /\n'
    for i in 1 2 3; do wrote $((i - 1)) /data_2024/part-$i-of-3.nc4 $((i * 1000)); done
} | forge same
is "$(row same '/data_2024/part-#-of-3.nc4')" '3 | 1000-3000 mean 2000 | read 0 by -, ? times | written 6000 by one rank each' \
    'a number that is the same everywhere stays as it is'

# All ranks read all of two files, reduced records: how many ranks read is not known, how often is.
{
    printf 'job nprocs=8 start=1000 end=1100\nmount ext4 /\n'
    for i in 1 2; do read_back -1 /in/$i.dat 800 100; done
} | forge shared
is "$(row shared '/in/#.dat')" '2 | 100-100 mean 100 | read 1600 by some or all of 8 ranks, 8 times | written 0 by -' 'shared by all ranks'

# Mapped files were read by nobody knows how many bytes.
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\n'
    for i in 1 2; do
        echo "record POSIX 0 /m/$i.bin POSIX_OPENS=1 POSIX_MMAPS=1 POSIX_READS=1 POSIX_BYTES_READ=10 POSIX_MAX_BYTE_READ=9"
    done
} | forge mapped
is "$(row mapped '/m/#.bin')" '2 | 10-10 mean 10 | read 20 by -, ? times | written 0 by -' 'how often mapped files were read is not known'

# -- names that differ otherwise ---------------------------------------------------------------------------------------

{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\n'
    for name in alpha beta gamma delta; do wrote 0 /src/$name.txt 10; done
    for name in one two; do wrote 0 /two/$name.txt 10; done
    for name in Ab3dX9 k8QZ2t Zq0pL7; do wrote 0 /tmp/.out.$name 10; done
    for name in 3f786850 89e6c98d 2b66fd26; do wrote 0 /cache/obj-$name.bin 10; done
    for name in 550e8400-e29b-41d4-a716-446655440000 6ba7b810-9dad-11d1-80b4-00c04fd430c8; do wrote 0 /u/$name 10; done
    for name in sortAb3dX9 sortk8QZ2t sortZq0pL7 sortabcdef sortQWERTY sortzxcvbn; do wrote 0 /w/$name 10; done
    for i in 1 2 3 4; do wrote 0 /mix/chk_$i.dat 10; done
    for name in a b c; do wrote 0 /mix/$name.dat 10; done
} | forge names
is "$(row names '/src/*.txt' | cut -d' ' -f1)" 4 'names that differ in letters: directory and suffix'
is "$(row names '/two/*.txt')$(row names /two/one.txt | cut -d' ' -f1)" 1 'not if they are two'
is "$(row names '/tmp/.out.*' | cut -d' ' -f1)" 3 'letters that mkstemp() made up'
is "$(row names '/cache/obj-*.bin' | cut -d' ' -f1)" 3 'hashes'
is "$(row names '/u/*' | cut -d' ' -f1)" 2 'UUIDs'
is "$(row names '/w/*' | cut -d' ' -f1)" 6 'a whole name that is made up, of letters alone or not: one pattern'
is "$(row names '/mix/chk_#.dat' | cut -d' ' -f1) $(row names '/mix/*.dat' | cut -d' ' -f1)" '4 3' \
    'numbered files stay apart from others of their directory'
is "$(row names sums)" "$("$PYTHON3" -c 'import json; print(json.load(open("names.json"))["file_patterns"]["total"])') True True" \
    'all files are in some pattern'

# An anonymized log's names are numbers below the mount point: they say nothing of kinds.
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\nmount lustre /lus\n'
    for i in 2934391481 109334412 1117575673; do wrote 0 /lus/$i 10; done
} | forge hidden
is "$("$summary" --json hidden | "$PYTHON3" -c 'import json, sys
p = json.load(sys.stdin)["file_patterns"]
print(len(p["rows"]), p["in_none"]["files"])')" '0 3' 'an anonymized log has no patterns'
is "$("$summary" hidden | grep -c Patterns)" 0 'and its report does not show any'

# What has no record of its own makes one pattern of its directory and suffix.
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\npartial 2\n'
    for i in 1 2 3; do read_back 0 /train/img$i.jpg 10 10; done
    read_back 0 '/train/<*.jpg>' 1000 10
} | forge folded
is "$(row folded '/train/*.jpg')" '3+ | 10-10 mean 10 | read 1030 by -, 1 times | written 0 by -' 'further files of a kind'

# Numbers in its directory are marked already, but for those of the mount point's path.
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\npartial 2\n'
    for i in 1 2 3; do read_back 0 /d2/run$i/t/$i.jpg 10 10; done
    read_back 0 '/d2/run#/t/<*.jpg>' 1000 10
} | forge marked
is "$(row marked '/d2/run#/t/*.jpg' | cut -d' ' -f1)" 3+ 'further files of directories with numbers'

# -- very many ---------------------------------------------------------------------------------------------------------

"$PYTHON3" -c '
print("job nprocs=1 start=1000 end=1100\nmount ext4 /")
letters = "abcdefghijklmnopqrstuvwxyz"
for i in range(80000):
    v, name = i * 7919 % 26**4, ""
    for _ in range(4):
        name, v = name + letters[v % 26], v // 26
    print("record POSIX 0 /many/%s/%s.%s POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=%d POSIX_MAX_BYTE_WRITTEN=9" % (name, name, name, i))' | forge many
is "$(row many sums)" '200 True True' '80,000 directories: the list is short, and its rest and what is left out are the rest'

# -- storage targets ---------------------------------------------------------------------------------------------------

# Stripes of 100: 250 bytes on targets 3, 7 and 9 are 100, 100 and 50; written once, read twice. Of the second file the first 100 are
# on target 3 alone, the next 300 on 7 and 3: 100 + 100 and 200.
{
    printf 'job nprocs=1 start=1000 end=1100\nmount ext4 /\nmount lustre /lus\n'
    wrote 0 /lus/a.dat 250
    read_back 0 /lus/a.dat 500 250
    echo 'layout /lus/a.dat 100:3,7,9'
    wrote 0 /lus/b.dat 400
    echo 'layout /lus/b.dat 100:3@0-100 100:7,3@100-'
    echo 'record POSIX 0 /lus/c.dat POSIX_OPENS=1'
    echo 'layout /lus/c.dat 100:127'
} | forge striped
is "$(row striped targets)" '3 of 128: 3=200/300 7=200/300 9=100/50' 'bytes of files divided by their stripes'
is "$("$summary" striped | sed -n 's/^Targets *//p')" '3 of at least 128 on Lustre used, about evenly' 'the report names the number of targets'
is "$(row names targets)" none 'a log without layouts has none'

# -- a real program ----------------------------------------------------------------------------------------------------

cat >program.sh <<'END'
for step in 10 20 30; do
    head -c 4096 /dev/zero >out/chk_$step.dat
done
for epoch in 1 2 3; do
    cat out/chk_*.dat >/dev/null
done
END
mkdir out
DARSHAN_ENABLE_NONMPI=1 run preload 0 sh program.sh
"$summary" --json "$(latest_log)" >real.json
is "$("$PYTHON3" row.py "$PWD/out/chk_#.dat" <real.json | sed 's/by [^|]*process[^,|]*\(, \)*/by processes\1/g')" \
    '3 | 4096-4096 mean 4096 | read 36864 by processes, 3 times | written 12288 by processes' \
    'three files that a script writes once and reads three times'

# -- reports of some files ---------------------------------------------------------------------------------------------

# figures LOG PATTERN...: files, bytes read and written, seconds of the slowest rank, of the report on what matches
figures() {
    figures_log=$1
    shift
    for figures_pattern; do
        set -- "$@" --files "$figures_pattern"
        shift
    done
    "$summary" --json "$@" "$figures_log" >only.json || return
    "$PYTHON3" -c 'import json
d = json.load(open("only.json"))
a = d["answer"]
print(d["sharing"]["files"]["total"], a["bytes_read"], a["bytes_written"], "%.4g" % a["seconds"]["slowest"], *d["selection"]["patterns"])'
}

is "$(figures numbers '*.h5')" '8 16777216 8388608 10 *.h5' 'names that end so: rank 0 writes two and reads eight, a second each'
is "$(figures numbers '*.txt')" '1 0 100 0.01 *.txt' 'the other file'
is "$(figures numbers 'run_1/*')" '5 8388608 4194404 5.01 run_1/*' 'a directory, wherever it is'
is "$(figures numbers '/s/run_#/chk_#.h5')" '8 16777216 8388608 10 /s/run_#/chk_#.h5' 'a pattern as the report shows it'
is "$(figures numbers 'chk_000[12].h5' log.txt)" '5 8388608 4194404 4.01 chk_000[12].h5 log.txt' 'several patterns'
is "$(figures numbers '*')" '9 16777216 8388708 10.01 *' 'all of them'
is "$(figures folded '/train/*.jpg' | cut -d' ' -f1,2)" '3 1030' 'with what is counted by kind'
is "$("$summary" --files '*.txt' numbers | sed -n 1,2p)" 'Only files    *.txt
              all figures but the run time are of these files alone' 'the report says so'
"$summary" --files '*.txt' --files '*.none' numbers >printed 2>err
is "$? $(cat printed)" '1 ' 'a pattern that nothing matches: status 1, and no report'
is "$(cat err)" "darshan-job-summary: numbers: no file's name matches \"*.none\"; \`darshan-parser LOG\` prints names, and a pattern with * should be in quotes" \
    'and a line that says why'
"$summary" --files '*.txt' numbers same >printed 2>err
is "$? $(cat printed)" '2 ' 'of several logs: wrong usage'
check 'a page' "$summary" --files '*.txt' -o page.html numbers
is "$(grep -c '"selection":{"patterns":\["\*.txt"\]}' page.html)" 1 'which has the same document'
check 'darshan report takes the option, too' sh -c '"$1" report --files "*.txt" ./numbers >printed && grep -q "^Only files" printed' sh "$DSN_PREFIX/bin/darshan"
# Of all files: the same report, also of logs of older versions, but for what heat maps say of ranks.
cat >equal.py <<'END'
import json, sys
whole, some = (json.load(open(name)) for name in sys.argv[1:])
for d in (whole, some):
    del d["answer"]["share_of_run_time"]["wall"]
parts = ("job", "answer", "layers", "sizes", "access", "sharing", "files", "file_patterns", "mounts", "targets")
print(*[part for part in parts if whole[part] != some[part]])
END
for log in "$DSN_SRC"/test/golden/mpi-io-test-*.darshan "$DSN_SRC"/test/golden/ior-HDF5.darshan striped; do
    "$summary" --json "$log" >whole
    "$summary" --json --files '*' "$log" >some
    "$PYTHON3" equal.py whole some
done >differ
is "$(sort -u differ)" '' 'all files of logs of any version: nothing differs'
for name in numbers striped folded; do
    "$summary" --json --files '*' $name >$name.only.json
done
check 'documents are as the schema says' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" \
    "$DSN_PREFIX/share/darshan/job-summary.schema.json" only.json ./*.only.json names.json striped.json many.json real.json

finish
