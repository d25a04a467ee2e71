#!/bin/sh
# erase_test: a study that is erased is in no byte of its SQLite files, and its ledger still says what was spent: a study
# of one party, an agent's, and a coordinator's.
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
held() { cat "$1" "$1-wal" 2> /dev/null | grep -qaF -- "$2"; } # FILE WORDS: are they in its bytes?

# ---- of one party
cat > "$dir/own.json" <<'J'
{"name": "own", "direction": "maximize", "trials": 4, "seed": 7,
 "space": {"dose_of_warfarin": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}
J
local=sqlite:///$dir/own.db
"$tacit" ask "$dir/own.json" --storage "$local" > "$dir/out" || fail "asking"
"$tacit" tell own 0 0.7310585786300049 --storage "$local" > "$dir/out" || fail "telling"
held "$dir/own.db" dose_of_warfarin || fail "the search finds nothing: names"
held "$dir/own.db" 0.7310585786300049 || fail "the search finds nothing: values"
bad 3 "" "$tacit" erase other --storage "$local"
held "$dir/own.db" 0.7310585786300049 || fail "another study was erased"
"$tacit" erase own --storage "$local" > "$dir/out" 2> "$dir/err" || { fail "erasing"; cat "$dir/err"; }
grep -q "ledgers keep what it spent, and backups what they have of it" "$dir/err" || fail "what it says"
held "$dir/own.db" dose_of_warfarin && fail "names are left"
held "$dir/own.db" 0.7310585786300049 && fail "values are left"
"$tacit" studies --storage "$local" --format csv > "$dir/out"
[ "$(wc -l < "$dir/out")" = 1 ] || fail "the study is listed"

# ---- an agent's: journal, key and token go, its ledger stays, and it does not come back under another name
document 2 12 0,2
serve here 0
found here 2
enrol_all here 2
finish_all here 2
agent_db=$dir/here-0.db
value=$("$tacit" trials s --storage "sqlite:///$agent_db" --format csv | awk -F, 'NR == 2 { print $3 }')
secrets=$(cat "$agent_db" "$agent_db-wal" 2> /dev/null | grep -aoE '"(key|access)":"[^"]+"' | cut -d'"' -f4 | sort -u)
[ -n "$secrets" ] || fail "the agent's key is not found"
for secret in $secrets $value; do held "$agent_db" "$secret" || fail "the search finds nothing: $secret"; done
"$tacit" privacy status agent --delta 0.01 --storage "sqlite:///$agent_db" --format csv > "$dir/before" || fail "the ledger"
[ "$(wc -l < "$dir/before")" -gt 1 ] || fail "nothing was spent"
agent_own() { # OPTIONS: agent 0 once more
    "$tacit" agent "$url" --study s --token-file "$dir/here.join" --fingerprint "$pin" \
        --storage "sqlite:///$agent_db" --epsilon 6 --delta 0.01 --test-seed 7 --accept-not-private \
        "$@" -- "$simulated" value 0 '{x}'
}
"$tacit" erase s --storage "sqlite:///$agent_db" --quiet > "$dir/out" || fail "erasing an agent's"
for secret in $secrets $value; do held "$agent_db" "$secret" && fail "it is left: $secret"; done
"$tacit" privacy status agent --delta 0.01 --storage "sqlite:///$agent_db" --format csv > "$dir/after" || fail "the ledger, then"
cmp -s "$dir/before" "$dir/after" || { fail "the ledger has forgotten"; diff "$dir/before" "$dir/after" || true; }
remote here token s --uses 9 > "$dir/more"
field token "$dir/more" > "$dir/here.join"
for name in s another; do
    bad 4 "this storage took part in study \"s\", and it was erased here: what it sent is paid for" \
        agent_own --as "$name"
done

# ---- a coordinator's, whose log keeps its name
held "$dir/here.db" '"releases":"0,2"' || fail "the search finds nothing: the document"
remote here privacy s > "$dir/spent"
"$tacit" erase s --server "$url" --fingerprint "$pin" --token-file "$dir/here.op" --quiet > "$dir/out" ||
    fail "erasing at a coordinator"
held "$dir/here.db" '"releases":"0,2"' && fail "the document is left"
remote here audit --format csv --quiet | grep -q ",study.delete,done,s," || fail "not in the log"
kill "$server"
wait "$server" || fail "the coordinator ends with $?"
"$tacit" privacy status s --delta 0.01 --storage "sqlite:///$dir/here.db" --format csv > "$dir/out" || fail "its ledger"
[ "$(wc -l < "$dir/out")" -gt 1 ] || fail "its ledger is gone"

# ---- the same by whoever holds the storage, in the log as well
serve here 0
remote here create "$dir/s.json" > "$dir/out" 2>&1 || fail "the study again"
"$tacit" erase s --storage "sqlite:///$dir/here.db" --quiet || fail "erasing in a coordinator's storage"
remote here audit --format csv --quiet | grep -q ",storage,,,study.delete,done,s," || fail "not in the log, of a storage"
kill "$server"
wait "$server" || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "erase_test passed"
exit $failed
