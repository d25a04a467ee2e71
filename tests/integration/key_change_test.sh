#!/bin/sh
# key_change_test: a coordinator changes its TLS key under a study that goes on, with real processes: it announces the next key, agents
# and other clients follow, one was away for the whole of it, and a backup of before brings the old key back. kill -9 after each step.
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
kill_server() {
    kill -9 "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
}
has_place() { [ "$(enrolled here)" -gt "$1" ]; }
# Lets an agent take its place and say what it hears; then it is lost.
visit() { # NUMBER SENTENCE [OPTION...]
    number=$1
    words=$2
    shift 2
    : > "$dir/here-$number.err"
    "$tacit" agent "$url" --study s --token-file "$dir/here.join" --fingerprint "$given" \
        --storage "sqlite:///$dir/here-$number.db" --epsilon 6 --delta 0.01 --test-seed 7 \
        --test-key "$number" --accept-not-private --format json "$@" \
        -- "$simulated" value "$number" '{x}' > "$dir/here-$number.out" 2>> "$dir/here-$number.err" &
    pid=$!
    await grep -qF -- "$words" "$dir/here-$number.err" ||
        { fail "agent $number does not say \"$words\""; cat "$dir/here-$number.err"; }
    await has_place "$number" || fail "agent $number has no place"
    kill -9 $pid 2> /dev/null || true
    wait $pid 2> /dev/null || true
}

document 2 6 0,2,4
serve here 0
given=$pin # as in the agents' units, which nobody edits
first=$pin
found here 2
bad 2 "two steps: agents need time to hear of the next key" "$tacit" serve --announce-key --change-key \
    --storage "sqlite:///$dir/none.db"
bad 2 "--announce-key is for TLS, and --insecure is without it" "$tacit" serve --announce-key --insecure \
    --storage "sqlite:///$dir/none.db"
[ ! -e "$dir/none.db" ] || fail "a refusal left a storage"
bad 4 "no other key is announced: \`tacit serve --announce-key\` comes first" "$tacit" serve --change-key \
    --storage "sqlite:///$dir/here.db" --listen 127.0.0.1:0
"$tacit" backup "$dir/before.db" --storage "sqlite:///$dir/here.db" 2> "$dir/err" || fail "a backup"

# ---- the next key is announced; killed, the same command announces the same
kill_server
serve_options=--announce-key
serve here "$port"
next=$(field next_fingerprint "$dir/here.serve")
[ "$pin" = "$first" ] && [ -n "$next" ] || fail "announced: $(cat "$dir/here.serve")"
kill_server
serve here "$port"
[ "$next" = "$(field next_fingerprint "$dir/here.serve")" ] || fail "another next key after kill -9"
visit 0 "the coordinator announces another key, $next: this agent will follow by itself"
visit 1 "the coordinator announces another key, $next: this agent will follow by itself"
"$tacit" remote show s --server "$url" --fingerprint "$first" --token-file "$dir/here.op" > "$dir/out" 2> "$dir/err" ||
    fail "remote show"
grep -qF "from now on give the fingerprints \"$first;$next\"" "$dir/err" || { fail "remote says"; cat "$dir/err"; }
both="$first;$next"
"$tacit" remote show s --server "$url" --fingerprint "$both" --token-file "$dir/here.op" > "$dir/out" 2> "$dir/err" ||
    fail "remote show with both"
[ ! -s "$dir/err" ] || { fail "both are known, and yet"; cat "$dir/err"; }
"$tacit" backup "$dir/announced.db" --storage "sqlite:///$dir/here.db" 2> "$dir/err" || fail "a backup"

# ---- the key is changed
kill_server
serve_options=--change-key
serve here "$port"
[ "$pin" = "$next" ] || fail "changed to $pin"
kill_server
serve here "$port" # as a unit that starts it again
[ "$pin" = "$next" ] || fail "changed twice: $pin"
grep -q "no other key is announced: the key stays the one that took the place of $first" "$dir/here.log" ||
    fail "nobody is told that nothing was changed"
visit 0 "the coordinator has changed its key, as announced: $next"
"$tacit" remote show s --server "$url" --fingerprint "$both" --token-file "$dir/here.op" > "$dir/out" ||
    fail "remote show with both, after the change"
bad 4 "$url is not the coordinator with that fingerprint; if its key was changed, its operator has the new one" \
    "$tacit" agent "$url" --study s --token-file "$dir/here.join" --fingerprint "$first" \
    --storage "sqlite:///$dir/away.db" -- true
remote here audit --format csv > "$dir/audit" 2> "$dir/err" || fail "the operator's log"
grep -q "key.announce.*$next" "$dir/audit" && grep -q "key.change.*$first replaced by $next" "$dir/audit" ||
    { fail "the operator's log"; cat "$dir/audit"; }

# ---- a backup of before the change brings the old key back: who has followed refuses it
kill_server
serve_options=
"$tacit" restore "$dir/before.db" --storage "sqlite:///$dir/old.db" --assume-released 0 > "$dir/out" 2> "$dir/err" ||
    fail "a restore"
serve old "$port"
[ "$pin" = "$first" ] || fail "restored: $pin"
bad 4 "it had changed its key to $next; if it was restored from a backup of before, ask its operator" \
    "$tacit" agent "$url" --study s --fingerprint "$given" --storage "sqlite:///$dir/here-0.db" -- true
kill_server
# One of after the announcement has both keys: the change is made once more, and nobody notices.
"$tacit" restore "$dir/announced.db" --storage "sqlite:///$dir/again.db" --assume-released 0 > "$dir/out" 2> "$dir/err" ||
    fail "a restore"
serve_options=--change-key
cp "$dir/here.op" "$dir/again.op"
serve again "$port"
[ "$pin" = "$next" ] || fail "restored and changed: $pin"
kill_server

# ---- the study comes to its end at the coordinator that was never lost, with the fingerprint that agents were given first
serve here "$port"
for i in 0 1; do
    "$tacit" agent "$url" --study s --fingerprint "$given" --storage "sqlite:///$dir/here-$i.db" --quiet \
        --epsilon 6 --delta 0.01 --test-seed 7 --test-key $i --accept-not-private --format json \
        -- "$simulated" value $i '{x}' > "$dir/here-$i.out" 2> "$dir/here-$i.err" &
    eval "pid_$i=$!"
done
finish_all here 2
reference "$dir/want"
deployed here 2 "$dir/got"
cmp -s "$dir/want" "$dir/got" || { fail "other bits than without a change"; diff "$dir/want" "$dir/got" | head -5; }
exit $failed
