# t8087-accounting-top.sh - questions of the programs at the top of the ranking: answers as if there were no others
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
base top
acct() { "$accounting" --db "$base" "$@"; }

# -- the 1994 ranking over the programs of a site of which everything is known
check 'a site' sh -c '"$1" "$2" "$3" "$4" site 60 >said || { tail -n 5 said; exit 1; }' - "$PYTHON3" "$DSN_SRC/test/site/truth.py" "$accounting" "$base"
printf 'program,system,discipline,cpu_seconds,megabytes,executions\n' >programs.csv
printf '%s\n' plasma,0,X,1000,60000,5 climate,0,X,1000,50000,5 tar,0,Y,1000,40000,5 lattice,0,Y,1000,900,5 combust,0,Y,1000,50,5 \
    genome,0,,1000,40,5 script,0,,1000,30,5 >>programs.csv
check 'without a ranking nothing is at the top' status 1 acct query interfaces --top 3
grep -q 'no program is ranked, so that none is at the top; `darshan-accounting query program-ranking` says what that takes$' err
is $? 0 'which it says'
check 'its ranking' acct import programs programs.csv

csv() { acct query "$@" --csv --raw; }
is "$(csv program-knee | cut -d, -f 1 | tail -n 1)" 3 'the knee is behind the third'
is "$(csv program-ranking --top 2 | cut -d, -f 2 | tr '\n' ' ')" 'program "plasma" "climate" ' 'the top two'
is "$(csv program-ranking --top knee | wc -l | tr -d ' ')" 4 'and those up to the knee'
is "$(csv program-ranking --top 80)" "$(csv program-ranking)" 'of fewer than 80 these are all'
check 'a machine without a ranking has none' status 1 acct query program-ranking --top 2 --machine red

# -- each question, and then without the others' logs
queries=$(acct query | cut -d ' ' -f 1)
refused=
mkdir with without
for name in $queries; do
    if acct query "$name" --top knee --json >"with/$name" 2>err; then
        :
    else
        rm "with/$name"
        refused="$refused$name: $(sed 's/^darshan-accounting: //' err)
"
    fi
done
is "$(printf %s "$refused" | grep 'counts jobs' | cut -d: -f 1 | tr '\n' ' ')" 'summary months weeks coverage project-coverage ' \
    'what counts jobs, with or without a log, cannot be asked of programs'
is "$(printf %s "$refused" | grep -c 'leave --top out')" "$(printf %s "$refused" | wc -l | tr -d ' ')" 'nor what is about no program; each is said'
check 'most can' test "$(ls with | wc -l)" -ge 35
change top "DELETE FROM log_use WHERE log_id IN (SELECT log_id FROM log WHERE program NOT IN ('plasma', 'climate', 'tar'))"
change top "DELETE FROM log WHERE program NOT IN ('plasma', 'climate', 'tar')"
cat >same.py <<'PY'
import json, math, sys
def same(a, b):     # sums may be of another order
    return a == b or isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-12)
one, other = (json.load(open(name)) for name in sys.argv[1:])
sys.exit(len(one) != len(other) or not all(a.keys() == b.keys() and all(same(a[k], b[k]) for k in a) for a, b in zip(one, other)))
PY
different=
for name in $(ls with); do
    case $name in program-* | disciplines) continue ;; esac # of the ranking itself
    acct query "$name" --json >"without/$name" 2>/dev/null
    "$PYTHON3" same.py "with/$name" "without/$name" || different="$different $name"
done
is "$different" '' 'answers are those of a site without the other programs'
check 'which are not empty' test "$(grep -c log_id with/jobs)" -gt 9

# -- shares of disciplines: of the top set, as in 1994, and of all programs
is "$(csv disciplines --top knee | cut -d, -f 1,5,7,8 | tr -d '"' | awk -F, 'NR > 1 { printf "%s %.2f %.2f %.2f\n", $1, $2, $3, $4 }')" \
    'X 28.57 73.33 72.84
Y 14.29 26.67 26.49' 'disciplines of the top set'

check 'wrong usage: of no query' status 2 acct study --top 3
check 'wrong usage: no number' status 2 acct query interfaces --top most
check 'wrong usage: none' status 2 acct query interfaces --top 0
finish
