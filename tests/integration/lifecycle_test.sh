#!/bin/sh
# lifecycle_test: what changes hands while a study goes on, with real processes: tokens are replaced and withdrawn,
# an agent changes its key, one is lost and readmitted on another machine, one withdraws, and the rounds come to their
# end. The operator's log has all of it, survives kill -9, a backup and a restore, and shows what was tampered with.
# LIFECYCLE_STORE=postgresql: the coordinator is on the server TACIT_POSTGRES.
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
case ${LIFECYCLE_STORE:-sqlite} in
postgresql) storage=$TACIT_POSTGRES ;;
*) storage=sqlite:///$dir/here.db ;;
esac
document 3 12 0,2,5
serve here 0 "$storage"
found here 3

# ---- tokens
remote here token --role viewer --name alice --out "$dir/alice" > "$dir/made" || fail "a named token"
id=$(field id "$dir/made")
remote here tokens --format csv > "$dir/tokens" || fail "a list of tokens"
grep -q "^$id,viewer,alice," "$dir/tokens" || { fail "alice is not listed"; cat "$dir/tokens"; }
grep -qf "$dir/alice" "$dir/tokens" && fail "a list has a token"
grep -q "^$id,viewer,alice,,,2" "$dir/tokens" || { fail "a viewer's token has no uses to count"; cat "$dir/tokens"; }
grep -q ",joiner,,s,3," "$dir/tokens" || { fail "a join token has them"; cat "$dir/tokens"; }
bad 3 "$dir/none/join" remote here token s --out "$dir/none/join"
remote here tokens --format csv > "$dir/later" || fail "a list of tokens"
cmp -s "$dir/tokens" "$dir/later" || { fail "a token that cannot be written was made"; cat "$dir/later"; }
as() { # FILE WORD...
    file=$1
    shift
    "$tacit" remote "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/$file"
}
remote here replace "$id" --out "$dir/alice2" > "$dir/made" || fail "another token by its id"
bad 2 "the token is not valid" as alice show s
as alice2 show s > "$dir/out" || fail "the new token"
bad 4 "alice2 is there already: a token in it would be lost and stay valid" \
    remote here replace "$dir/alice2" --out "$dir/alice2"
remote here withdraw "$(field id "$dir/made")" > "$dir/out" || fail "withdrawn by its id"
bad 2 "the token is not valid" as alice2 show s
remote here replace --grace-s 3600 --out "$dir/op2" > "$dir/out" || fail "the operator's own"
remote here show s > "$dir/out" || fail "the old one goes on"
as op2 show s > "$dir/out" || fail "the new one"
bad 2 "name must be letters, digits and ._@+-" remote here token --role viewer --name "=1+1"
bad 3 "there is no such token" remote here withdraw 0123456789abcdef

# ---- a study is under way: one agent changes its key, one is lost, one leaves
enrol_all here 3
await test -s "$dir/here-0.db" || true
kill_agent() { # NUMBER: as by a loss of power
    eval "kill -9 \$pid_$1" 2> /dev/null || true
    eval "wait \$pid_$1" 2> /dev/null || true
}
for i in 0 1 2; do kill_agent $i; done
own() { # NUMBER WORD...
    number=$1
    shift
    "$tacit" agent "$url" --study s --fingerprint "$pin" --test-seed 7 --test-key "$number" \
        --storage "sqlite:///$dir/here-$number.db" "$@"
}
print_of() { remote here agents s --format csv | sed -n "s/^$1,\([0-9a-f]*\),.*/\1/p"; }
before=$(print_of 0)
own 0 --new-key --format csv > "$dir/out" 2> "$dir/err" || { fail "a new key"; cat "$dir/err"; }
[ "$(cat "$dir/out")" = "agent,study,done
0,s,another key" ] || { fail "what a new key says"; cat "$dir/out"; }
[ "$(print_of 0)" != "$before" ] || fail "the key is the old one"
bad 2 "give one of --withdraw and --new-key" own 0 --new-key --withdraw
bad 2 "--new-key runs no program: leave out \"true\"" own 0 --new-key -- true
bad 3 "" "$tacit" agent "$url" --study s --fingerprint "$pin" --storage "sqlite:///$dir/none.db" --withdraw
[ ! -e "$dir/none.db" ] || fail "a storage was made"

remote here revoke s 1 > "$dir/out" || fail "revoking"
remote here readmit s 1 --out "$dir/place" > "$dir/out" || fail "readmitting"
rm -f "$dir/here-1.db"*
bad 4 "agent 0 has its place: it must be revoked first" remote here readmit s 0
bad 3 "there is no agent 7 on the roster" remote here readmit s 7
cp "$dir/here.join" "$dir/all.join"
cp "$dir/place" "$dir/here.join"
"$tacit" agent "$url" --study s --token-file "$dir/place" --fingerprint "$pin" \
    --storage "sqlite:///$dir/here-1.db" --epsilon 6 --delta 0.01 --test-seed 7 --test-key 77 \
    --accept-not-private --format json -- "$simulated" value 1 '{x}' > "$dir/here-1.out" 2> "$dir/here-1.err" &
pid_1=$!
cp "$dir/all.join" "$dir/here.join"
agent here 0
pid_0=$!
own 2 --withdraw > "$dir/out" 2> "$dir/err" || { fail "withdrawing"; cat "$dir/err"; }
grep -q "stays released and charged" "$dir/err" || fail "what a withdrawal cannot undo"
bad 4 "" own 2 -- true
finish_all here 2
grep -q 'agent 1 of study s' "$dir/here-1.err" || { fail "the readmitted agent has place 1"; cat "$dir/here-1.err"; }
remote here privacy s > "$dir/ledger"
[ "$(grep -o '"round":' "$dir/ledger" | wc -l)" = 3 ] || fail "three rounds were released"
remote here agents s --format csv | cut -d, -f1,3,4 > "$dir/roster"
[ "$(tr '\n' ' ' < "$dir/roster")" = "agent,revoked,withdrawn 0,false,false 1,false,false 2,true,true " ] ||
    { fail "the roster"; cat "$dir/roster"; }

# ---- the log
remote here pause s > "$dir/out"
kill -9 "$server"
wait "$server" 2> /dev/null || true
serve here 0 "$storage"
remote here resume s > "$dir/out"
remote here audit --format csv --out "$dir/log.csv" 2> "$dir/err" || { fail "the log"; cat "$dir/err"; }
seen=$(sed -n 's/.*: \([0-9]*:[0-9a-f]*\)$/\1/p' "$dir/err")
[ -n "$seen" ] || { fail "the end of the log"; cat "$dir/err"; }
for action in token.make token.replace token.withdraw study.create agent.enrol agent.rotate agent.revoke \
    agent.readmit agent.withdraw ledger.download study.pause study.resume; do
    grep -q ",$action,done," "$dir/log.csv" || fail "no $action in the log"
done
for secret in alice alice2 op2 here.op here.join place; do
    grep -qf "$dir/$secret" "$dir/log.csv" && fail "the log has the token of $secret"
done
remote here audit --seen "$seen" > "$dir/table" 2> "$dir/err" || { fail "an earlier head"; cat "$dir/err"; }
grep -q "alice" "$dir/table" || fail "a name in the table"
remote here audit > "$dir/both" 2>&1 # one file: the note comes after the rows, and not in the middle of one
tail -n 1 "$dir/both" | grep -q "^tacit: the log is whole" || { fail "the note is not at the end"; cat "$dir/both"; }
grep -q ", key [0-9a-f]* replaced by [0-9a-f]*" "$dir/log.csv" || { fail "which key"; grep agent.rotate "$dir/log.csv"; }
bad 2 "seen must be the number and the hash of an entry" remote here audit --seen 12
bad 10 "entries were removed or replaced" remote here audit --seen "1:$(printf '%064d' 0)"
remote here audit --format json --quiet > "$dir/log.json"
# By other means: a hash is that of the entry without it, sorted and without spaces.
if command -v python3 > /dev/null; then
    python3 - "$dir/log.json" <<'P' || fail "the chain, by other means"
import hashlib, json, sys
log = json.load(open(sys.argv[1]))
previous = "0" * 64
for e in log["entries"]:
    said = e.pop("hash")
    assert e["previous"] == previous
    text = json.dumps(e, sort_keys=True, separators=(",", ":"))
    previous = hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
    assert said == previous
assert log["head"]["hash"] == previous
P
fi

# ---- a backup, a restore
"$tacit" backup "$dir/copy" --storage "$storage" --quiet > "$dir/out" || fail "a backup"
remote here audit --format csv --quiet > "$dir/log2.csv"
grep -q ",storage,,,backup.make,done," "$dir/log2.csv" || fail "no backup in the log"
kill "$server"
wait "$server" || fail "the coordinator ends with $?"
"$tacit" restore "$dir/copy" --storage "sqlite:///$dir/again.db" --assume-released 0 --quiet > "$dir/out" ||
    fail "a restore"
serve again 0
cp "$dir/here.op" "$dir/again.op"
remote again audit --seen "$seen" --format csv --quiet > "$dir/log3.csv" || fail "the log after a restore"
grep -q ",storage.restore,done,.*assuming that nothing was released since" "$dir/log3.csv" ||
    fail "no restore in the log"

# ---- somebody who holds the storage takes an entry out
kill "$server"
wait "$server" || fail "the coordinator ends with $?"
if command -v python3 > /dev/null; then
    python3 - "$dir/again.db" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
table = [t for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'record%'")][0]
n = db.execute(f"DELETE FROM {table} WHERE CAST(value AS TEXT) LIKE '%token.make%alice%'").rowcount
assert n == 1, n
db.commit()
P
    rm -f "$dir/again.db-mark"
    serve again 0
    bad 10 "is missing" remote again audit
    kill "$server"
    wait "$server" || fail "the coordinator ends with $?"
fi
[ $failed = 0 ] && echo "lifecycle_test passed"
exit $failed
