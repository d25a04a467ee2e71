#!/bin/sh
# plot_test.sh - `tacit plot` of models, exported files and ledgers: what is in the picture, and what is refused. Curves of simulations
# are in curve_files_test.sh; a study at a coordinator in served_test.sh, its ledger in coordinator_test.sh.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and awk.
set -u
frame_verb=plot
. "$(dirname "$0")/../support/frame.sh"
: > out
: > err

cat > s.json <<'J'
{"name": "s", "direction": "minimize", "trials": 24, "seed": 1,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0.001, "high": 10, "log": true},
           "kind": {"type": "choice", "choices": ["a", "b", "c"]}, "n": {"type": "int", "low": 2, "high": 20, "step": 2},
           "f": {"type": "float", "low": 0.1, "high": 0.7, "step": 0.2}},
 "algorithm": {"name": "sobol"}}
J
cat > train <<'J'
#!/bin/sh
awk -v x="$1" -v kind="$2" 'BEGIN { printf "%.17g\n", 4 * x + index("abc", kind) }'
J
chmod +x train
"$tacit" optimize s.json --quiet -- ./train '{x}' '{kind}' > out || exit 1
says() { grep -q -- "$1" out; }
count() { [ "$(grep -c -- "$1" out)" -eq "$2" ] || { echo "# $(grep -c -- "$1" out) of $1"; return 1; }; }

# ---- contours

good "a contour" s --contour x,kind
check "with its axes" awk '/>x</ { a = 1 } />kind</ { b = 1 } END { exit !(a && b) }' out
check "every trial, the best once more, and both in the legend" count '<circle' 27
check "what the others are" says '>mean of a model; the rest as in trial [0-9]*, the best seen:'
# The mean rises by 4 with x and by 2 with kind: along the lowest row of cells shades go from the lightest to darker ones,
# never back, and the row of c is darker throughout.
check "shades follow the function" sh -c 'sed -n "s/.*<rect x=\"\([0-9.]*\)\" y=\"\([0-9.]*\)\" .*fill=\"#\(..\)....\".*/\2 \1 \3/p" out |
    awk "\$1 > 60 { row[\$1] = row[\$1] \" \" \$3 }
         END { for (y in row) { rows++; n = split(row[y], c, \" \"); if (n < 6) bad = 1; for (i = 2; i <= n; i++) if (c[i] > c[i - 1]) bad = 1 } exit bad || rows != 3 }"'
for pair in y,n n,f f,y kind,x; do
    good "a contour of $pair" s --contour $pair
    others=1 # trials with another kind are squares, with their entry of the legend
    [ $pair = kind,x ] && others=0
    check "$pair: all trials" count '<circle\|<polygon .*stroke="#9aa5b1"' $((27 + others))
    check "$pair: those with another kind, if any" count 'trials with other choices' $others
done
good "a contour as PNG" s --contour x,y --out contour.png
check "is one" sh -c 'head -c 4 contour.png | grep -q PNG'
bad 2 '--contour: there is no parameter "z"; the study s has x, y, kind, n, f' s --contour x,z
bad 2 '--contour must name two parameters, as in x,y, got "x"' s --contour x
bad 2 '--contour must name two parameters, as in x,y, got "x,y,n"' s --contour x,y,n
bad 2 '--contour must name two parameters, got x twice' s --contour x,x
bad 2 '--contour and --kind slice are two charts: ask for one' s --contour x,y --kind slice
sed 's/"name": "s"/"name": "few"/' s.json > few.json
"$tacit" optimize few.json --trials 3 --quiet -- ./train '{x}' '{kind}' > out || exit 1
bad 4 'a model of this space needs at least 12 completed trials, there are 3' few --contour x,y
bad 4 'a model of this space needs at least 12 completed trials, there are 3' few --kind importances
bad 2 '--direction is for an exported file: a study has its own' s --direction maximize
bad 2 '--limit is for --kind privacy' s --limit 3
bad 2 '--delta is for --kind privacy' s --delta 1e-5
bad 2 '--agents is for --kind privacy' s --agents 3
printf 'a,b\n' > points.csv
awk 'BEGIN { for (i = 0; i < 20; i++) print i "," i * i % 7 }' >> points.csv
echo '{"name": "finite", "direction": "minimize", "trials": 8, "seed": 1, "points": "points.csv", "algorithm": {"name": "gp-ei"}}' > finite.json
"$tacit" optimize finite.json --quiet -- ./train '{a}' a > out || exit 1
bad 8 '--contour is over parameters that vary by themselves, and the candidates of a file do not let them' finite --contour a,b
good "slices of candidates" finite --kind slice
check "have their columns" awk '/>a</ { a = 1 } />b</ { b = 1 } END { exit !(a && b) }' out

# ---- importances

good "importances" s --kind importances
check "in the order of tacit importances" [ "$(sed -n 's/.*text-anchor="middle">\([a-z]*\)<.*/\1/p' out | head -5 | tr '\n' ' ')" = "$("$tacit" importances s --format csv | sed 1d | cut -d, -f1 | tr '\n' ' ')" ]
check "two for each and two in the legend" [ "$(($(grep -c '<circle' out) + $(grep -c '<polygon' out)))" -eq 12 ]

# ---- exported files

for kind in csv json jsonl; do
    "$tacit" export s --out trials.$kind --quiet || exit 1
    good "slices of $kind" trials.$kind --kind slice
    check "$kind: five panels, all trials" count '<circle' 120
    good "history of $kind" trials.$kind
    check "$kind: no best one, for nobody knows what is good" awk '/best so far/ { exit 1 }' out
    good "history of $kind with its direction" trials.$kind --direction minimize
    grep -E '<(circle|polyline)' out > of.$kind
    good "history of the study" s
    check "$kind: the same picture" sh -c "grep -E '<(circle|polyline)' out | cmp -s - of.$kind"
done
sed '1s/^trial/number/' trials.csv > before.csv
good "a file of before" before.csv --direction minimize
check "the same picture" sh -c "grep -E '<(circle|polyline)' out | cmp -s - of.csv"
bad 2 '--contour needs the study'\''s space, which the exported file "trials.csv" does not have: name the study' trials.csv --contour x,y
bad 2 '--kind importances needs the study'\''s space, which the exported file "trials.json" does not have: name the study' trials.json --kind importances
bad 2 'one study is drawn at a time, 2 were given' trials.csv trials.json
head -1 trials.csv > none.csv
bad 4 'none.csv has no completed trial to draw' none.csv
echo '[]' > none.json
bad 4 'none.json has no completed trial to draw' none.json
echo '[1]' > wrong.json
bad 2 'wrong.json is not what tacit export writes' wrong.json
sed 's/COMPLETE,[^,]*,/COMPLETE,much,/' trials.csv > wrong.csv
bad 2 'wrong.csv: row 2: the trial and its value must be finite numbers' wrong.csv

# ---- what was spent

sed 's/"trials": 24/"trials": 5/; s/"name": "s"/"name": "rec", "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}/' s.json > rec.json
"$tacit" optimize rec.json --records 1000 --quiet -- ./train '0.1' 'z' > out || exit 1
good "what a ledger has spent" records --kind privacy --delta 1e-5 --limit 1
check "is what status says" says "; ε = $("$tacit" privacy status records --delta 1e-5 --format csv | sed -n 2p | cut -d, -f5 | sed 's/^\(0\.99999.*\|1\)$/1/') for every record<"
check "with the limit" says '>limit 1<'
# It rises in five steps and ends at the limit, which is epsilon 1 for all five.
check "five steps up to the limit" awk '/<polyline/ { sub(/.*points="/, ""); sub(/".*/, ""); n = split($0, p, " "); line++
        for (i = 1; i <= n; i++) { split(p[i], at, ","); if (i > 1 && at[2] > last + 0.001) bad = 1; if (line == 1 && i > 1 && at[2] < last - 0.001) steps++; last = at[2] }
        ends[line] = last }
    END { d = ends[1] - ends[2]; exit bad || steps != 5 || d > 0.05 || d < -0.05 }' out
"$tacit" privacy status records --delta 1e-5 --export ledger.json > out || exit 1
good "an exported ledger" ./ledger.json --kind privacy --delta 1e-5
check "without a limit" awk '/>limit/ { exit 1 }' out
bad 2 'a delta is needed: give --delta, or --agents N for min(1e-5, 1/N^2)' records --kind privacy
bad 3 'there is no ledger "nothing"' nothing --kind privacy --delta 1e-5
bad 2 'one ledger is drawn at a time, 2 were given' records records --kind privacy --delta 1e-5
bad 2 'limit must be' records --kind privacy --delta 1e-5 --limit 0
finish
