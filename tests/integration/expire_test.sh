#!/bin/sh
# expire_test: a federated study and a served one whose time is over, with real processes: agents and workers end with a sentence
# that says so, and nothing that was released is lost.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
bad() { # STATUS SENTENCE COMMAND...
    want=$1
    words=$2
    shift 2
    status=0
    "$@" > "$dir/out" 2> "$dir/err" || status=$?
    [ $status = "$want" ] || { fail "$*: status $status, not $want"; cat "$dir/err"; }
    grep -qF -- "$words" "$dir/err" || { fail "$*: expected \"$words\""; cat "$dir/err"; }
}
is_closed() { [ "$(remote here show s 2> /dev/null | sed -n 's/.*"state": *"\([a-z]*\)".*/\1/p')" = closed ]; }
document 2 6 0,2,4
serve here 0
found here 2
bad 2 "say when it ends: --after-s SECONDS, or --never" remote here expire s
bad 2 "say when it ends: --after-s SECONDS, or --never" remote here expire s --after-s 5 --never
bad 3 "study" remote here expire nowhere --after-s 5
remote here expire s --after-s 100000 > "$dir/out" || fail "an end"
grep -q ends_ms "$dir/out" || fail "no end: $(cat "$dir/out")"
remote here expire s --never > "$dir/out" || fail "without an end"
remote here show s > "$dir/out"
grep -q ends_ms "$dir/out" && fail "it still has an end"
# One agent alone waits for the other one, until the study's time is over.
agent here 0
first=$!
until [ "$(enrolled here)" -gt 0 ]; do sleep 0.02; done
remote here expire s --after-s 0.5 > "$dir/out" || fail "an end"
await is_closed || fail "it does not close"
status=0
wait $first || status=$?
[ $status = 4 ] || { fail "the agent ends with $status"; cat "$dir/here-0.err"; }
grep -q "the study is closed" "$dir/here-0.err" || { fail "the agent says"; cat "$dir/here-0.err"; }
agent here 1
status=0
wait $! || status=$?
[ $status = 4 ] || { fail "another agent ends with $status"; cat "$dir/here-1.err"; }
grep -q "the study is closed" "$dir/here-1.err" || { fail "another agent says"; cat "$dir/here-1.err"; }
at=$(sed -n 's/.*its time ended at \(.*Z\).*/\1/p' "$dir/here-1.err" | head -1)
bad 4 "the study is closed: its time ended at $at" remote here token s --uses 1 --out "$dir/none"
remote here revoke s 0 > "$dir/out" || fail "revoking"
bad 4 "the study is closed: its time ended at $at" remote here readmit s 0 --out "$dir/none"
[ ! -e "$dir/none" ] || fail "a token of a closed study"
remote here audit --format csv > "$dir/audit" 2> "$dir/err" || fail "the log"
[ "$(grep -c study.expire "$dir/audit")" = 3 ] || { fail "three entries"; cat "$dir/audit"; }

# A served study: values are refused with the reason.
printf '{"name": "v", "direction": "maximize", "trials": 50, "space": {"x": {"type": "float", "low": 0, "high": 1}}}\n' > "$dir/v.json"
sed 's/"v"/"w"/' "$dir/v.json" > "$dir/w.json"
remote here create "$dir/v.json" > "$dir/out" || fail "a served study"
remote here expire v --after-s 0.001 > "$dir/out" || fail "its end"
asks() {
    "$tacit" ask v --server "$url" --fingerprint "$pin" --token-file "$dir/here.op" > "$dir/out" 2> "$dir/err" && return 1
    grep -qF "the study is closed: its time ended at " "$dir/err"
}
await asks || { fail "a worker hears"; cat "$dir/err"; }
at=$(sed -n 's/.*its time ended at \(.*Z\)$/\1/p' "$dir/err")
bad 4 "the study is closed: its time ended at $at; it gives out no trials, and takes no values" \
    "$tacit" optimize v --server "$url" --fingerprint "$pin" --token-file "$dir/here.op" -- true
bad 4 "the study is closed: its time ended at $at" remote here expire v --never
bad 4 "the study is closed: its time ended at $at" remote here token v --out "$dir/none"
[ ! -e "$dir/none" ] || fail "a token of a closed served study"
remote here create "$dir/w.json" > "$dir/out" || fail "another served study"
remote here close w > "$dir/out" || fail "closed by hand"
bad 4 "the study is closed; it gives out no trials, and takes no values" \
    "$tacit" optimize w --server "$url" --fingerprint "$pin" --token-file "$dir/here.op" -- true
exit $failed
