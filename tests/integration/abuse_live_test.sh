#!/bin/sh
# abuse_live_test: an agent of the roster, whose signatures hold, does everything that it should not, to a
# coordinator over TLS (abuser.c has the list). Meanwhile honest agents run their study: their trials and
# the broadcasts that they hear are those of a run in which that agent behaves. The coordinator is up
# afterwards, and as large as before. Then strangers ask: all are refused, each refusal is one line of the
# log or counted there, and of a study that there is they learn no more than of one that there is not.
#
# Needs the network.
set -eu
# Freed memory that the sanitizer keeps for itself is no growth of the coordinator.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
. "$(dirname "$0")/../support/coordinator.sh"
abuser=$(realpath "${ABUSER:-./abuser}")
honest=3 rounds=3
document $((honest + 1)) 6 0,1,2
serve_options="--handshakes 0" # the abuser's thousands of connections are to come in (attack_live_test.sh)

export MALLOC_ARENA_MAX=1 # what malloc keeps for each thread would look like growth
size() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$server/status"; } # kB

# play calm|rough: the abuser takes the last place
play() {
    serve "$1" 0
    found "$1" $((honest + 1))
    enrol_all "$1" $honest
    before=$(size)
    "$abuser" "$1" "$url" "$pin" "$dir/$1.join" $rounds > "$dir/$1.abuser" 2>&1 ||
        { fail "the $1 abuser"; cat "$dir/$1.abuser"; exit 1; }
    finish_all "$1" $honest
    kill -0 $server || fail "the coordinator is gone"
    deployed "$1" $honest "$dir/$1.deployed"
}

play calm
kill $server
wait $server || fail "the coordinator ends with $?"
play rough
cmp "$dir/calm.deployed" "$dir/rough.deployed" || fail "the abuse changed the study"
[ "$(grep -c '^release' "$dir/rough.deployed")" = $rounds ] || fail "$rounds broadcasts expected"

# ---- the same again and again: what was needed once is enough
again() {
    "$abuser" again "$url" "$pin" "$dir/rough.join" "${TACIT_DEEP:+1}2" > "$dir/again" 2>&1 ||
        { fail "the abuser, again"; cat "$dir/again"; }
}
again
after=$(size)
again
later=$(size)
echo "resident: $before kB before, $after kB after the abuse, $later kB after more of it"
[ "$after" -lt $((before + 65536)) ] || fail "the coordinator grew from $before to $after kB"
[ "$later" -lt $((after + 16384)) ] || fail "the coordinator grew from $after to $later kB"

# ---- strangers
sed 's/"name": "s"/"name": "t"/' "$dir/s.json" > "$dir/t.json"
remote rough create "$dir/t.json" > "$dir/created"
remote rough token t > "$dir/token"
field token "$dir/token" > "$dir/t.join"
lines() {
    awk '/: 40[13] / { n++ } /more refusals were not logged/ { for (i = 1; i < NF; i++) if ($(i + 1) == "more") n += $i }
        END { print n + 0 }' "$dir/rough.log"
}
before=$(lines)
"$abuser" strangers "$url" "$pin" "$dir/t.join" "$dir/rough.op" > "$dir/strangers" 2>&1 ||
    { fail "strangers"; cat "$dir/strangers"; }
asked=$(sed -n 's/^asked //p' "$dir/strangers")
sleep 1 # in the next second the log says how many it left out
echo wrong > "$dir/wrong.op"
remote wrong show t > "$dir/wrong" 2>&1 && fail "a wrong token is let in"
logged=$(($(lines) - before - 1))
[ "$logged" = "$asked" ] || fail "$asked refusals, $logged lines in the log"
kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "abuse_live_test passed"
exit $failed
