# t8230-spmv.sh - libdarshan-sched and darshan-spmv: products, messages, schedules, foreign matrices
# SPDX-License-Identifier: BSD-3-Clause
# alone: it compares times of schedules on more processes than there are processors
#
# Disk, work and slow workers are imitated by sleeping, so that times are those of a machine that is as idle as it has to be.
# What is asserted of them is which schedule is better, and by far less than it is.
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$DEFAULT_MPI" ] || skip_all 'an MPI'

# spmv PROCESSES [ARGUMENT]...: the program of $MPI
spmv() {
    spmv_n=$1 # 0: without mpirun
    shift
    if [ "$MPI" = "$DEFAULT_MPI" ]; then spmv_program=$DSN_PREFIX/bin/darshan-spmv; else spmv_program=$DSN_PREFIX/lib/darshan/$MPI/darshan-spmv; fi
    run_plain "$spmv_n" $spmv_before "$spmv_program" "$@"
}
spmv_before=

# says FILE EXPRESSION: of the JSON document d; one(...) is the run with these properties
says() {
    "$PYTHON3" -c "import json, sys; d = json.load(open(sys.argv[1]))
one = lambda **want: [r for r in d['runs'] if all(r[k] == v for k, v in want.items())][0]
print($2)" "$1"
}

# -- every schedule and mode gives the bits of the product, with the messages that it has to have
for MPI in openmpi mpich; do
    have_mpi $MPI || { skip "$MPI's schedules" "$MPI"; continue; }
    spmv 2 --self-test >self.out 2>err
    is "$?, $(tail -n 1 self.out)" '0, self-test: 104 schedules on 2 processes: exact' "$MPI: the self-test"
done
MPI=$DEFAULT_MPI
spmv 1 --self-test >self.out 2>err
is "$(tail -n 1 self.out)" 'self-test: 80 schedules on 1 process: exact' 'one process has all but a master'

# -- messages, counted by itself and under it: 3140 rows of 25,120 bytes, 5 in a block of 128 KiB
build_plain "$DSN_SCRATCH/count-sends.so" "$DSN_SRC/test/work/count-sends.c" -shared -fPIC
spmv_before="env LD_PRELOAD=$DSN_SCRATCH/count-sends.so" spmv 11 --generate psmigr1 --blocks 2 --vectors 1 --repeats 1 \
    --schedules master --modes posix --json >messages.json 2>sends
is "$(says messages.json "[one()[k] for k in ('rows', 'blocks', 'ready', 'go', 'stop')]")" '[5, 628, 628, 618, 10]' \
    '628 reads by 10 workers take 628 READY, 618 GO and 10 STOP'
# a run that only reads comes before: twice as many
is "$(grep '^tag' sends | tr '\n' ' ')" 'tag 1: 1256 tag 2: 1236 tag 3: 20 ' 'PMPI has counted the same'
spmv 2 --generate 64,100 --blocks 1,2,4,6,8,10 --repeats 1 --vectors 1 --schedules static --modes posix --json >units.json 2>err
is "$(says units.json "[r['rows'] for r in d['runs']]")" '[128, 256, 512, 768, 1024, 1280]' 'blocks are multiples of 64 KiB'

# -- SPARSKIT's product, and the same matrix in its other form
cat >small.mtx <<'END'
%%MatrixMarket matrix coordinate real general
5 5 12
1 1 2
1 3 5
2 1 8
2 2 3
2 4 7
3 2 6
3 3 2
3 5 1
4 1 9
4 4 1
5 2 7
5 5 2
END
cat >small.rb <<'END'
An example                                                              example 
             5             1             1             3
rua                        5             5            12             0
(6I3)           (12I3)          (4E8.1)             
  1  4  7  9 11 13
  1  2  4  2  3  5  1  3  2  4  3  5
 2.0E+00 8.0E+00 9.0E+00 3.0E+00
 6.0E+00 7.0E+00 5.0E+00 2.0E+00
 7.0E+00 1.0E+00 1.0E+00 2.0E+00
END
"$PYTHON3" -c "import random
random.seed(3)
places = sorted(random.sample(range(400 * 300), 9000))
print('%%MatrixMarket matrix coordinate real general\n400 300 9000')
for p in places: print(p // 300 + 1, p % 300 + 1, repr(random.uniform(-1, 1) * 10 ** random.randint(-9, 9)))" >random.mtx
spmv 3 small.mtx --product one --repeats 1 >out 2>err
spmv 3 small.rb --product other --repeats 1 >out 2>err
check 'Matrix Market and Rutherford-Boeing give the same product' alike one other
if build_plain sparskit "$DSN_SRC/test/work/spmv-sparskit.c" -l:libskit.a -lgfortran -lm 2>err; then
    for matrix in small.mtx random.mtx; do
        spmv 3 $matrix --product ours --vectors 3 --repeats 1 --blocks 1 --schedules master >out 2>err
        ./sparskit $matrix 3 >theirs
        check "$matrix: SPARSKIT's product, to the last bit" cmp ours theirs
    done
else
    skip "SPARSKIT's product" 'package libsparskit-dev'
fi

# -- 25 vectors on a slow disk: with 4 workers work takes longer, with 5 reading does
# reading takes 2.88 MB / 6.43 MB/s = 0.449 s, work 25 * 0.08 s / workers: 0.5, 0.4
spmv 6 --generate 600,40000 --blocks 1 --vectors 25 --workers 4,5 --work 0.08 --disk 6.43MB/s --repeats 1 \
    --schedules static,master --json >crossover.json 2>err
is "$(says crossover.json "[[one(workers=w, schedule=s)['limit'] for w in (4, 5)] for s in ('static', 'master')]")" \
    "[['work', 'read'], ['work', 'read']]" 'with 25 vectors reading takes longer than work from 5 workers on'
spmv 10 --generate 600,40000 --blocks 1 --vectors 100 --work 0.08 --disk 6.43MB/s --repeats 1 --schedules static --json >many.json 2>err
is "$(says many.json "[r['limit'] for r in d['runs']]")" "['work']" 'with 100 vectors it does not with 10'
is "$(says crossover.json "all(r['seconds'] > 0.98 * max(r['work_seconds'], 2.8848 / 6.43) for r in d['runs'])")" True \
    'no run is faster than its disk or its work'

# -- dynamic schedules: a worker that takes 30 % longer, rows that are not alike, and Graham's bound
# static 1.3 / 10 against 1 / (9 + 1 / 1.3): 27 % for small blocks
spmv 11 --generate 600,40000 --blocks 1 --work 0.08 --slow 30 --repeats 3 --json >slow.json 2>err
is "$(says slow.json "[one(schedule=s)['gain_percent'] >= 10 for s in ('master', 'counter')]")" '[True, True]' \
    'with a worker that is 30 % slower dynamic schedules take 10 % less at least'
spmv 6 --generate 600,40000 --skew 1 --blocks 1 --work 0.04 --workers 5 --repeats 3 --json >skew.json 2>err
is "$(says skew.json "[one(schedule=s)['seconds'] < one(schedule='static')['seconds'] for s in ('master', 'counter')]")" \
    '[True, True]' 'so do they where rows get shorter'
is "$(says slow.json "all(r['seconds'] < 1.1 * r['bound_seconds'] for r in d['runs'] if r['schedule'] != 'static')")" True \
    "no schedule takes longer than Graham's bound"
# one worker: 0.144 s to read and 0.125 s to work, one behind the other or at the same time
spmv 1 --generate 600,40000 --blocks 1 --work 0.005 --disk 20MB/s --schedules static --buffers 1 --json >single.json 2>err
spmv 1 --generate 600,40000 --blocks 1 --work 0.005 --disk 20MB/s --schedules static --json >double.json 2>err
single=$(says single.json "one()['seconds']")
is "$(says double.json "0.144 < one()['seconds'] < 0.85 * $single and $single > 0.269")" True 'a second buffer lets it read while it works'

# -- compression alone, and the gain of each repetition
spmv 4 --generate 200,3000 --vectors 0,1 --blocks 1,2 --work 0.05 --json >compressed.json 2>err
is "$(says compressed.json "[len(d['runs']), [r['work_seconds'] > 0.001 for r in d['runs'] if r['vectors'] == 0],
    all(r['work_seconds'] > 0.01 for r in d['runs'] if r['vectors'] == 1)]" | tr -d '\n')" "[12, [False, False, False, False, False, False], True]" \
    'without vectors rows are compressed, and nothing is multiplied'
is "$(says slow.json "all(r['gain_least_percent'] <= r['gain_percent'] <= r['gain_most_percent'] for r in d['runs'] if r['schedule'] != 'static')")" \
    True 'the gain lies between the least and the most of the repetitions'
spmv 3 --generate 200,3000 --vectors 1,2 --blocks 1,2 --repeats 2 --schedules static,counter >gains.out 2>err
is "$(sed -n '/^Gain/,$p' gains.out | awk 'NR > 2 { print $1, $2, ($3 >= $4), $5 }' | tr '\n' ',')" '64 counter 1 2,128 counter 1 2,' \
    'the highest and lowest gain of each size of blocks'
spmv 2 --generate 100,0 --vectors 0 --blocks 1 --repeats 1 >empty.out 2>err
is "$?, $(sed -n 2p empty.out)" '0, Compressed exact: the entries that the matrix in memory has' 'a matrix without entries'

# -- the library in a program of two dozen lines
"$PYTHON3" -c "import struct, sys
for r in range(100): sys.stdout.buffer.write(struct.pack('8d', *[r + c for c in range(8)]))" >rows
check 'the example is compiled' build_plain sums "$DSN_PREFIX/share/darshan/examples/sums-of-rows.c" -Wall -Werror \
    "-I$DSN_PREFIX/include" "-L$DSN_PREFIX/lib" -ldarshan-sched
run_plain 3 ./sums rows 100 8 2>err | sort -n >sums.out
"$PYTHON3" -c "for r in range(100): print(r, 8 * r + 28)" >sums.want
check 'each row is summed up once' alike sums.want sums.out
run_plain 3 ./sums rows 101 8 >out 2>err
is "$(grep -am 1 '^sums-of-rows' err)" 'sums-of-rows: has 6400 bytes, but its records end at 6464' 'a file that is too short is refused'
run_plain 2 ./sums nothing 100 8 >out 2>err
is "$(grep -am 1 '^sums-of-rows' err)" 'sums-of-rows: No such file or directory' 'so is one that is not there'

# -- what is wrong is said in one line, by one process
# refused STATUS MESSAGE ARGUMENT...
refused() {
    lib_want="$1, $2" && shift 2
    spmv 0 "$@" >out 2>err
    is "$?, $(grep '^darshan-spmv' err)" "$lib_want" "refused: $*"
}
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n' >bad.mtx
refused 1 'darshan-spmv: bad.mtx: line 4: integer from 1 to 2 expected' bad.mtx
refused 1 'darshan-spmv: none.mtx: No such file or directory' none.mtx
refused 1 'darshan-spmv: nowhere: cannot create a file in it: No such file or directory' --generate 10,10 --dir nowhere
refused 1 'darshan-spmv: psmigr1, generated: all 3140 x 3140 places would take 0.1 GiB; give a larger --limit than 0.0 GiB' --generate psmigr1 \
    --limit 1MiB
refused 2 "darshan-spmv: these modes imply their schedule: use --schedules static; see 'darshan-spmv --help'" \
    --modes ordered --schedules master
refused 2 "darshan-spmv: 2 workers and a master need 3 processes, but there are 1: start more with mpirun -n; see 'darshan-spmv --help'" \
    --workers 2 --schedules master
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n' >upper.mtx
refused 1 "darshan-spmv: upper.mtx: line 3: the entry at 1, 2 is above the diagonal, where a file of a symmetric matrix has none; leave it out, \
or make the matrix a general one" upper.mtx
refused 2 "darshan-spmv: there is no --product with --vectors 0; see 'darshan-spmv --help'" --vectors 0 --product none
refused 2 "darshan-spmv: give a matrix, or generate one, not both; see 'darshan-spmv --help'" --generate 10,10 small.mtx
for wrong in '--generate 10,101' '--generate 0,0' '--modes none' '--blocks 0' '--blocks 1,' '--disk 5' '--skew -1' '--buffers 3' '--repeats 100'; do
    spmv 0 $wrong >out 2>err
    is "$?, $(grep -c '^darshan-spmv: --' err)" '2, 1' "wrong usage: $wrong"
done
is "$(ls -A | grep -c darshan-spmv)" 0 'no file of rows is left'
finish
