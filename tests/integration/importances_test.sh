#!/bin/sh
# importances_test.sh - `tacit importances`: of a function whose indices are known, whatever chose the trials; the same
# from any number of threads and after more commands; what has no importances says so.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and awk. At a coordinator: served_test.sh.
set -u

. "$(dirname "$0")/../support/frame.sh"
: > out
: > err

# Indices of 2x + (a: 0, b: 2, c: 4), which is additive: 4/12 and 8/3 of 3.
cat > add.json <<'J'
{"name": "add", "direction": "maximize", "trials": 40, "seed": 2,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "idle": {"type": "int", "low": 1, "high": 9},
           "kind": {"type": "choice", "choices": ["a", "b", "c"]}},
 "algorithm": {"name": "sobol"}}
J
sed 's/"add"/"few"/' add.json > few.json
cat > train <<'J'
#!/bin/sh
awk -v x="$1" -v kind="$2" 'BEGIN { printf "%.17g\n", 2 * x + 2 * (index("abc", kind) - 1) }'
J
chmod +x train
sed 's/"sobol"/"random"/; s/"add"/"drawn"/' add.json > drawn.json
"$tacit" optimize add.json --quiet -- ./train '{x}' '{kind}' > out || exit 1
"$tacit" optimize drawn.json --quiet -- ./train '{x}' '{kind}' > out || exit 1
"$tacit" optimize few.json --quiet --trials 7 -- ./train '{x}' '{kind}' > out || exit 1

# near NAME COLUMN WANTED: that cell of the CSV in out, within 0.02
near() {
    awk -F, -v name="$1" -v column="$2" -v wanted="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == name { found = 1; d = $at[column] - wanted; bad = d < -0.02 || d > 0.02 }
        END { exit !found || bad }' out
}
for study in add drawn; do
    good "importances of $study" importances $study --format csv
    for column in first total first_low total_low first_high total_high; do
        check "$study: $column of kind" near kind $column 0.8889
        check "$study: $column of x" near x $column 0.1111
        check "$study: $column of idle" near idle $column 0
    done
done
check "the most important first" [ "$(sed 1d out | cut -d, -f1 | tr '\n' ' ')" = "kind x idle " ]
cp out once
good "again" importances drawn --format csv
check "to the bit" cmp -s out once
good "for programs" importances add --format json
check "with names" grep -q '^\[{"parameter":"kind","total":0.8[0-9]*,"total_low":' out
good "for people" importances add
check "with a heading" grep -q '^parameter  *total  *total_low  *total_high  *first ' out

# More trials than the model takes: every second or so, and so never only those of the beginning.
awk 'BEGIN { print "x,idle,kind,value"; for (i = 0; i < 1500; i++) { x = i * 0.618034 % 1; k = int(i * 0.7548777 * 3) % 3; printf "%.6f,%d,%s,%.17g\n", x, 1 + i % 9, substr("abc", k + 1, 1), 2 * x + 2 * k } }' > many.csv
sed 's/"add"/"many"/; s/"trials": 40/"trials": 1600/' add.json > many.json
"$tacit" import many.json many.csv --quiet > out || exit 1
good "importances of many trials" importances many --format csv
check "many: kind" near kind total 0.8889
check "many: x" near x total 0.1111

bad 4 "a model of this space needs at least 8 completed trials, there are 7" importances few
bad 3 'no study "none"' importances none
bad 2 "an argument is missing; usage: tacit importances STUDY [options]" importances
cat > finite.json <<'J'
{"name": "finite", "direction": "minimize", "trials": 8, "seed": 1, "points": "points.csv", "algorithm": {"name": "gp-ei"}}
J
awk 'BEGIN { print "a,b"; for (i = 0; i < 20; i++) print i ",", i * i % 7 }' | tr -d ' ' > points.csv
"$tacit" optimize finite.json --quiet -- ./train '{a}' a > out || exit 1
bad 8 "importances are of parameters that vary by themselves, and the candidates of a file do not let them" importances finite
finish
