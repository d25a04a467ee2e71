#!/bin/sh
# demo_test: the demonstration ends well, keeps what it is told to keep, and leaves nothing else behind.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/await.sh"
tacit=${TACIT_BIN:-./tacit}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TMPDIR="$dir"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
folders() { find "$dir" -name 'tacit-demo-*' | wc -l | xargs; }
# Processes that name our folder in their command: agents, and not this grep.
helpers() { grep -l "$dir/tacit[-]demo-" /proc/[0-9]*/cmdline 2>/dev/null | wc -l | xargs; }
all_are_there() { [ "$(helpers)" -ge 6 ]; }
none_is_there() { [ "$(helpers)" = 0 ]; }

# ---- hospitals are protected. All of it, for programs; at this epsilon even ten vote on the length-scale
"$tacit" demo --protect party --hospitals 10 --trials 6 --epsilon 12 --seed 3 --keep --out "$dir/charts" --format csv > "$dir/out" 2> "$dir/err" ||
    { fail "demo"; cat "$dir/err"; }
[ "$(wc -l < "$dir/out" | xargs)" = 11 ] || { fail "ten hospitals expected"; cat "$dir/out"; }
awk -F, 'NR > 1 && !($3 == 6 && $5 <= $4 && $6 <= $4 && $10 == 2 && $12 > 0 && $12 <= 12) { exit 1 }' \
    "$dir/out" || { fail "the table"; cat "$dir/out"; }
grep -q "60/60 trials, 2 broadcasts heard by all, epsilon [0-9.]* of 12, best 0\.[0-9]" "$dir/err" || { fail "progress"; cat "$dir/err"; }
# Six digits of what the table has, rounded up.
shown=$(sed -n 's/.* 60\/60 trials.* epsilon \([0-9.]*\) of .*/\1/p' "$dir/err" | tail -n 1)
awk -F, -v shown="$shown" 'NR > 1 && $12 > most { most = $12 } END { exit !(shown >= most && shown < most + 1e-4) }' "$dir/out" ||
    { fail "epsilon $shown is not what was spent"; cat "$dir/out"; }
[ "$(folders)" = 1 ] || fail "the folder was not kept"
[ "$(helpers)" = 0 ] || fail "processes stay behind"

grep -q "^each hospital is protected; .* are not private: .* no coordinator could print them" "$dir/err" || { fail "values pass for private ones"; cat "$dir/err"; }

# Together and alone have the same start, and what the table has is where their curves begin and end.
awk -F, '
    NR == FNR { if (FNR > 1) { start[$1] = $4; alone[$1] = $5; together[$1] = $6 }; next }
    FNR == 1 { bad = $0 != "hospital,trial,together,alone"; next }
    { rows++ }
    $2 <= 3 && $3 != $4 || $2 == 3 && $3 != start[$1] || $2 == 6 && ($3 != together[$1] || $4 != alone[$1]) { bad = 1 }
    $2 > 3 && $3 != $4 { differ++ }
    END { exit bad || rows != 60 || !differ }' "$dir/out" "$dir/charts/ward.csv" ||
    { fail "the curves"; cat "$dir/out" "$dir/charts/ward.csv"; }
grep -q "10 hospitals tune a model, together and each alone" "$dir/charts/ward.svg" || fail "the chart"

# What it showed is in the hospitals' own storages, and the best value is what its model gives.
kept=$(find "$dir" -name 'tacit-demo-*')
[ "$(stat -c %a "$kept")" = 700 ] || fail "others may read the folder"
# The study is README's, whose numbers are the defaults here.
sed -n '/^{ "name": "ward"/,/^```/p' "${TACIT_SOURCE:-.}/README.md" | grep -v '^```' |
    sed 's/"agents": 50,/"agents": 10,/; s/"epsilon": 4,/"epsilon": 12,/' > "$dir/readme.json"
diff "$dir/readme.json" "$kept/ward.json" || fail "the study of README.md is another one"
"$tacit" demo --help | tr -s ' \n' ' ' > "$dir/help"
grep -q -- "--hospitals N [^-]*8 unless given; with --protect party 50, .* --trials N [^-]*6 unless given .* --epsilon X [^-]*1e-5: 1 unless given, with --protect party 4 " "$dir/help" ||
    { fail "the defaults are not README's"; cat "$dir/help"; }
for k in 1 10; do
    url="sqlite:///$kept/hospital-$k.db"
    "$tacit" inspect ward --storage "$url" --format csv > "$dir/inspect"
    [ "$(grep -c ',sent,88,' "$dir/inspect")" = 1 ] || { fail "the vote of $k"; cat "$dir/inspect"; }
    [ "$(grep -c ',sent,816,' "$dir/inspect")" = 1 ] || { fail "inspect $k"; cat "$dir/inspect"; }
    row=$(awk -F, -v k=$k '$1 == k' "$dir/out")
    field() { echo "$row" | cut -d, -f"$1"; }
    again=$("$tacit" demo train --hospital $k --seed 3 --lr "$(field 7)" --l2 "$(field 8)" --hidden "$(field 9)")
    awk "BEGIN { exit !($again == $(field 6)) }" || fail "hospital $k: $again is not the best value of $row"
done
rm -rf "$kept"

# ---- for people, and nothing is kept
"$tacit" demo --protect party --hospitals 4 --trials 4 --epsilon 1 --quiet > "$dir/out" 2> "$dir/err" || { fail "demo"; cat "$dir/err"; }
[ ! -s "$dir/err" ] || { fail "--quiet speaks"; cat "$dir/err"; }
grep -q "every agent: epsilon \(1\|0\.999[0-9]*\), delta 1e-05 .* over 1 releases\?" "$dir/out" || { fail "the promise"; cat "$dir/out"; }
grep -q "^Paid by every hospital: epsilon \(1\|0\.999[0-9]*\) at delta 1e-05" "$dir/out" || { fail "the price"; cat "$dir/out"; }
grep -q "^\(Gained\|LOST\|Neither gain nor loss\): mean log-loss 0\.[0-9]* after 4 trials, 0\.[0-9]* alone" "$dir/out" ||
    { fail "the gain"; cat "$dir/out"; }
grep -q "^This table is not private: no coordinator could print it\.$" "$dir/out" || { fail "the table passes for private"; cat "$dir/out"; }
[ "$(grep -c '^      0 ┤    ●○' "$dir/out")" = 1 ] || { fail "the chart"; cat "$dir/out"; }
grep -q "tacit demo --protect party --keep" "$dir/out" || fail "where to look next"
[ "$(folders)" = 0 ] || fail "a folder stays behind"

# What is said of two releases and of one: whether there was a vote, and for the rest the words of `tacit privacy plan`.
flat() { tr -s ' \n' ' ' < "$1"; }
scope() { flat "$1" | grep -o "Neighbours: .* once a round\."; }
flat "$dir/out" > "$dir/one"
"$tacit" demo --protect party --hospitals 10 --trials 4 --epsilon 12 --quiet > "$dir/out" || fail "demo with a vote"
flat "$dir/out" > "$dir/two"
"$tacit" privacy plan "$dir/readme.json" > "$dir/plan"
grep -q "over 2 releases\..* The first release is the vote on the length-scale\." "$dir/two" || { fail "no word of the vote"; cat "$dir/out"; }
grep -q "a vote on the length-scale and then what it had learnt, and heard a noisy sum of each" "$dir/two" || { fail "one sum, of two"; cat "$dir/out"; }
grep -q "Records never left a hospital\. The coordinator, which is trusted, saw each hospital's vectors, from which its trials can be read" "$dir/two" ||
    { fail "what the coordinator sees"; cat "$dir/out"; }
if grep -q "vote" "$dir/one"; then fail "a vote that was none"; cat "$dir/one"; fi
for text in "$dir/one" "$dir/two"; do
    [ -n "$(scope "$dir/plan")" ] && [ "$(scope "$text")" = "$(scope "$dir/plan")" ] || { fail "other neighbours than the plan's"; cat "$text"; }
done

# ---- records are protected. For programs: as many hospitals as it has by itself
"$tacit" demo --seed 3 --keep --out "$dir/records" --format csv > "$dir/out" 2> "$dir/err" || { fail "demo of records"; cat "$dir/err"; }
[ "$(wc -l < "$dir/out" | xargs)" = 9 ] || { fail "eight hospitals expected"; cat "$dir/out"; }
awk -F, 'NR > 1 && !($3 == 6 && $10 == 3 && $12 > 0.99 && $12 <= 1 && $13 >= 1000 && $13 <= 1875) { exit 1 }' \
    "$dir/out" || { fail "the table"; cat "$dir/out"; }
grep -q "48/48 trials, 21 messages heard by all, epsilon [0-9.]* of 1, best 0\.[0-9]" "$dir/err" || { fail "progress"; cat "$dir/err"; }
grep -q "^each validation record is protected; values below are .* with noise\. .* not private: .* all patients are generated" "$dir/err" ||
    { fail "what is shown"; cat "$dir/err"; }
[ "$(helpers)" = 0 ] || fail "processes stay behind"
awk -F, '
    NR == FNR { if (FNR > 1) { start[$1] = $4; alone[$1] = $5; together[$1] = $6 }; next }
    FNR == 1 { next }
    { rows++ }
    $2 == 1 && $3 != $4 || $2 == 3 && $3 != start[$1] || $2 == 6 && ($3 != together[$1] || $4 != alone[$1]) { bad = 1 }
    END { exit bad || rows != 48 }' "$dir/out" "$dir/records/ward.csv" || { fail "the curves"; cat "$dir/out" "$dir/records/ward.csv"; }
grep -q "together, ε = 1 for each record" "$dir/records/ward.svg" || fail "the chart of records"

# What is told has noise, and the truth is what the model gives on as many records as were declared. Both searches begin with
# the same points, and each ledger has paid for six evaluations.
kept=$(find "$dir" -name 'tacit-demo-*')
sed -n '/^{ "name": "ward"/,/^```/p' "${TACIT_SOURCE:-.}/README.md" | grep -v '^```' |
    sed 's/"name": "dp-fts-de"/"name": "fts"/; s/"agents": 50,/"agents": 8,/; s/"privacy": { "epsilon": 4, "delta": 1e-5 }/"privacy": { "unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error" }/' > "$dir/records.json"
diff "$dir/records.json" "$kept/ward.json" || fail "the study of records is another one"
grep -qF '"privacy": { "unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error" }' "${TACIT_SOURCE:-.}/README.md" || fail "README.md does not have the promise to records"
for k in 1 8; do
    row=$(awk -F, -v k=$k '$1 == k' "$dir/out")
    truth=$("$tacit" demo train --hospital $k --seed 3 --lr "$(field 7)" --l2 "$(field 8)" --hidden "$(field 9)" --metric error --records "$(field 13)")
    awk "BEGIN { wrong = $truth * $(field 13); exit !($truth == $(field 6) && (wrong - int(wrong + 0.5))^2 < 1e-12) }" || fail "hospital $k: $truth is not the truth of $row"
    awk "BEGIN { exit !($(field 14) != $truth && $(field 14) - $truth < 0.2 && $truth - $(field 14) < 0.2) }" || fail "hospital $k was told the truth: $row"
    for who in hospital alone; do
        url="sqlite:///$kept/$who-$k.db"
        "$tacit" trials ward --storage "$url" --format csv | awk -F, 'NR > 1 && NR <= 4 { print $3 > "'"$dir/$who.values"'"; print $4, $5, $6 }' > "$dir/$who"
        ledger=agent
        [ $who = hospital ] || ledger=records
        "$tacit" privacy status $ledger --delta 1e-5 --storage "$url" > "$dir/status" || fail "status of $who $k"
        grep -q "record" "$dir/status" || { fail "$who $k paid for no records"; cat "$dir/status"; }
        if grep -q "NOT PRIVATE" "$dir/status"; then fail "$who $k is not private"; fi
    done
    [ "$(wc -l < "$dir/hospital" | xargs)" = 3 ] && cmp "$dir/hospital" "$dir/alone" || fail "hospital $k begins alone with other points"
    if cmp -s "$dir/hospital.values" "$dir/alone.values"; then fail "hospital $k has the same noise alone"; fi
done
rm -rf "$kept"

# ---- for people: what is protected, and what is not
"$tacit" demo --hospitals 3 --trials 4 --epsilon 2 --quiet > "$dir/out" 2> "$dir/err" || { fail "demo of records"; cat "$dir/err"; }
[ ! -s "$dir/err" ] || { fail "--quiet speaks"; cat "$dir/err"; }
flat "$dir/out" > "$dir/one"
says() { grep -q -- "$1" "$dir/one" || { fail "not said: $1"; cat "$dir/out"; }; }
says "Paid by every validation record: epsilon \(2\|1\.999[0-9]*\) at delta 1e-05, for the whole study\."
says "\(Gained\|LOST\|Neither gain nor loss\): mean true error 0\.[0-9]* after 4 trials, 0\.[0-9]* alone"
says "This table is not private: it has no noise, and no hospital could print it\."
says "Protected: every single validation record, of which a hospital has 1125 to 1750\."
says "whatever the 4 evaluations .*: epsilon \(2\|1\.999[0-9]*\), delta 1e-05, for all of them together"
says "From whom: everybody, the coordinator and the other hospitals included\."
says "Not protected: that a hospital takes part, .* its training records, .* how long an evaluation takes\."
says "only a demonstration can show them: its patients are generated\."
says "that second study would cost its epsilon again"
says "tacit demo --protect party "
[ "$(grep -c '^      0 ┤    ●○' "$dir/out")" = 1 ] || { fail "the chart"; cat "$dir/out"; }
[ "$(folders)" = 0 ] || fail "a folder stays behind"

# ---- ended early
"$tacit" demo --protect party --hospitals 6 --trials 100 > "$dir/out" 2> "$dir/err" &
demo=$!
await all_are_there
kill -TERM $demo
code=0
wait $demo || code=$?
[ $code = 130 ] || fail "exit code $code after a signal"
grep -q "interrupted; the demonstration was ended" "$dir/err" || { fail "no word of the end"; cat "$dir/err"; }
[ "$(folders)" = 0 ] || fail "a folder stays behind after a signal"
[ "$(helpers)" = 0 ] || fail "processes stay behind after a signal"

# ---- killed: the kernel ends the others
"$tacit" demo --hospitals 6 --trials 100 > "$dir/out" 2> "$dir/err" &
demo=$!
await all_are_there
kill -KILL $demo
wait $demo 2> /dev/null || true
await none_is_there || fail "processes outlive a killed demonstration"

# ---- the demonstration of one party, and words that do not fit
"$tacit" demo --local --hospitals 9 > "$dir/out" 2> "$dir/err" && fail "demo --local has no hospitals"
grep -qxF 'tacit: --hospitals is for the hospitals, not for --local' "$dir/err" || fail "another sentence: $(cat "$dir/err")"
"$tacit" demo --local --format csv --quiet > "$dir/out" || fail "demo --local"
[ "$(wc -l < "$dir/out" | xargs)" = 7 ] || { fail "six rows expected"; cat "$dir/out"; }
refused() { # EXPECTED OPTIONS...
    want=$1
    shift
    if "$tacit" demo "$@" > "$dir/out" 2> "$dir/err"; then fail "not refused: $*"; fi
    grep -q -- "$want" "$dir/err" || { fail "expected \"$want\":"; cat "$dir/err"; }
}
refused "trials must be a whole number in \[4, 100\]" --trials 3
refused "trustees must be a whole number in \[3, 16\], got \"2\"" --protect party --trustees 2
refused "trustees is for --protect party: where records are protected each hospital adds the noise itself, and nobody is trusted with it" --trustees 3 --protect records
refused "protect must be one of records, party, got \"agents\"" --protect agents
refused "hospitals must be a whole number in \[2, 100\]" --hospitals 1
refused "records must be a whole number in \[1, 100000\]" train --records 0
refused "metric must be one of log-loss, error" train --metric auc
refused "hospital must be a whole number in \[1, 100\]" train --hospital 101
refused "the folder \"$dir/out/charts\" could not be made" --out "$dir/out/charts"
TMPDIR=$dir/nowhere refused "could not be made" --trials 8

# ---- trustees: nobody sees a hospital's vectors

"$tacit" demo --trustees 3 --hospitals 3 --trials 4 > "$dir/out" 2> "$dir/err" || { fail "demo --trustees"; cat "$dir/err"; }
tr '\n' ' ' < "$dir/out" > "$dir/words"
for words in "left as shares, one for each of 3 trustees, sealed for it: the coordinator carried them and could read none, no trustee could read one alone, and 3 of them together could have" \
    "Neighbours: all vectors of one agent are replaced by zero; roster, groups, clip norm and the terms of trustees are public constants" \
    "Against an adversary who controls the coordinator, up to 1 of the 3 trustees and any set of other agents" \
    "Towards a coordinator and 2 trustees: epsilon"; do
    grep -qF "$words" "$dir/words" || { fail "not said: $words"; cat "$dir/out"; }
done
grep -qF "which sees the vectors and is trusted" "$dir/words" && fail "the coordinator is said to be trusted"
grep -qF "which is the same as its absence" "$dir/words" && fail "absence is said to be hidden"
[ "$(helpers)" = 0 ] || fail "trustees stay behind"

[ $failed = 0 ] && echo "demo_test passed"
exit $failed
