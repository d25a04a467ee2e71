#!/bin/sh
# demo_test: the demonstration ends well, keeps what it is told to keep, and leaves nothing else behind.
set -eu
. "$(dirname "$0")/../support/await.sh"
tacit=${TACIT_BIN:-./tacit}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TMPDIR="$dir"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
folders() { find "$dir" -name 'tacit-demo-*' | wc -l | xargs; }
# Processes that name our folder in their command: coordinators and agents, and not this grep.
helpers() { grep -l "$dir/tacit[-]demo-" /proc/[0-9]*/cmdline 2>/dev/null | wc -l | xargs; }
all_are_there() { [ "$(helpers)" -ge 9 ]; }
none_is_there() { [ "$(helpers)" = 0 ]; }

# ---- all of it, for programs
"$tacit" demo --trials 12 --keep --format csv > "$dir/out" 2> "$dir/err" || { fail "demo"; cat "$dir/err"; }
[ "$(wc -l < "$dir/out" | xargs)" = 9 ] || { fail "eight hospitals expected"; cat "$dir/out"; }
awk -F, 'NR > 1 && !($3 == 12 && $5 <= $4 && $5 < 0.69 && $8 == 6 && $10 > 0 && $10 <= 8) { exit 1 }' \
    "$dir/out" || { fail "the table"; cat "$dir/out"; }
grep -q "6 broadcasts, epsilon 8 of 8" "$dir/err" || { fail "progress"; cat "$dir/err"; }
[ "$(folders)" = 1 ] || fail "the folder was not kept"
[ "$(helpers)" = 0 ] || fail "processes stay behind"

# What it showed is in the hospitals' own storages, and the best value is what its model gives.
kept=$(find "$dir" -name 'tacit-demo-*')
[ "$(stat -c %a "$kept")" = 700 ] || fail "others may read the folder"
for k in 1 8; do
    url="sqlite:///$kept/hospital-$k.db"
    "$tacit" inspect hospitals --storage "$url" --format csv > "$dir/inspect"
    [ "$(grep -c ',sent,88,' "$dir/inspect")" = 1 ] || { fail "the vote of $k"; cat "$dir/inspect"; }
    [ "$(grep -c ',sent,416,' "$dir/inspect")" = 5 ] || { fail "inspect $k"; cat "$dir/inspect"; }
    row=$(awk -F, -v k=$k '$1 == k' "$dir/out")
    again=$("$tacit" demo train --hospital $k --lr "$(echo "$row" | cut -d, -f6)" --l2 "$(echo "$row" | cut -d, -f7)")
    awk "BEGIN { exit !($again == $(echo "$row" | cut -d, -f5)) }" || fail "hospital $k: $again is not the best value of $row"
done
rm -rf "$kept"

# ---- for people, and nothing is kept
"$tacit" demo --trials 12 --epsilon 1 --quiet > "$dir/out" 2> "$dir/err" || { fail "demo"; cat "$dir/err"; }
[ ! -s "$dir/err" ] || { fail "--quiet speaks"; cat "$dir/err"; }
grep -q "every agent: epsilon \(1\|0\.999[0-9]*\), delta 0.01 .* over 5 releases" "$dir/out" || { fail "the promise"; cat "$dir/out"; }
grep -q "tacit demo --keep" "$dir/out" || fail "where to look next"
[ "$(folders)" = 0 ] || fail "a folder stays behind"

# ---- ended early
"$tacit" demo --trials 1000 > "$dir/out" 2> "$dir/err" &
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
"$tacit" demo --trials 1000 > "$dir/out" 2> "$dir/err" &
demo=$!
await all_are_there
kill -KILL $demo
wait $demo 2> /dev/null || true
await none_is_there || fail "processes outlive a killed demonstration"

# ---- the demonstration of one party, and words that do not fit
"$tacit" demo --local --format csv --quiet > "$dir/out" || fail "demo --local"
[ "$(wc -l < "$dir/out" | xargs)" = 7 ] || { fail "six rows expected"; cat "$dir/out"; }
refused() { # EXPECTED OPTIONS...
    want=$1
    shift
    if "$tacit" demo "$@" > "$dir/out" 2> "$dir/err"; then fail "not refused: $*"; fi
    grep -q -- "$want" "$dir/err" || { fail "expected \"$want\":"; cat "$dir/err"; }
}
refused "--out goes with --local" --out "$dir/charts"
refused "trials must be a whole number in \[12, 1000\]" --trials 5
refused "hospital must be a whole number in \[1, 8\]" train --hospital 9
TMPDIR=$dir/nowhere refused "could not be made" --trials 12

[ $failed = 0 ] && echo "demo_test passed"
exit $failed
