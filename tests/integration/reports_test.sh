#!/bin/sh
# reports_test: what an operator reads about a study at a coordinator is the truth: whose messages are handed on as they are
# is not private, in every report; what is private has its epsilon in the table.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep and sed.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
server=
trap 'kill -9 $server 2>/dev/null; rm -rf "$dir"' EXIT
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }
says() { grep -qF -- "$1" out; }
lacks() { ! grep -qF -- "$1" out; }

# study NAME ALGORITHM PRIVACY: writes NAME.json
study() {
    cat > "$1.json" << J
{"name": "$1", "direction": "minimize", "trials": 6, "seed": 3, "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": $2, "federation": {"agents": 2}, "privacy": $3}
J
}
study relay '{"name": "fts", "features": 8}' '"none"'
study ward '{"name": "dp-fts-de", "features": 8, "initial": 3}' '{"epsilon": 8, "delta": 1e-5}'
study lab '{"name": "fts", "features": 8}' '{"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}'
cat > alone.json << 'J'
{"name": "alone", "direction": "minimize", "trials": 5, "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}}
J

"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/c.db" --format json --token-out op > serve.json 2> serve.err &
server=$!
await test -s serve.json
check "the operator's token is in its file" grep -q '"operator_token_file": *"op"' serve.json
check "for its owner's eyes" test "$(stat -c %a op)" = 600
check "and nowhere else" sh -c '! grep -q "$(cat op)" serve.json serve.err'
TACIT_SERVER=$(field url serve.json)
TACIT_FINGERPRINT=$(field fingerprint serve.json)
TACIT_TOKEN_FILE=$dir/op
export TACIT_SERVER TACIT_FINGERPRINT TACIT_TOKEN_FILE

# both NAME [OPTION...]: makes the study, and two agents take part to the end
both() {
    name=$1
    shift
    "$tacit" remote create "$name.json" --quiet > made && "$tacit" remote token "$name" --uses 2 --out "$name.join" > made || return 1
    for k in 1 2; do
        "$tacit" agent "$TACIT_SERVER" --study "$name" --token-file "$name.join" --storage "sqlite:///$name-$k.db" --quiet \
            --accept-not-private "$@" -- echo '{x}' > "$name-$k.out" 2> "$name-$k.err" &
        eval "agent_$k=$!"
    done
    wait "$agent_1" && wait "$agent_2"
}
check "a relay without privacy" both relay
check "a private study" both ward
check "a study that protects records" both lab --records 100 --range 0:1

# ---- a relay without privacy

why='messages are handed on without noise'
good "it is shown" remote show relay
check "with the reason" says "\"not_private\":\"$why\""
good "its ledger" remote privacy relay
check "says so although it has no entry" says "\"entries\":[]"
check "with the reason, too" says "\"not_private\":\"$why\""
cp out relay-ledger.json
good "as a table" remote privacy relay --format table
check "with a row" grep -q '^agent  *every  *0  *NO  *infinite  *none' out
check "and a sentence" says "NOT PRIVATE: $why"
good "as CSV" remote privacy relay --format csv
check "with the same row" says "agent,,0,NO,,,none,NOT PRIVATE: $why"
for from in relay ./relay-ledger.json; do
    good "what $from has spent" privacy status "$from" --storage "sqlite:///$dir/c.db" --delta 1e-5
    check "is said in words" says "NOT PRIVATE: $why"
    check "and not that nothing was released" lacks "nothing was released yet"
    good "in JSON" privacy status "$from" --storage "sqlite:///$dir/c.db" --delta 1e-5 --format json --export "copy.json"
    check "with the reason" says "\"not_private\": \"$why\""
    check "also for others" grep -qF "\"not_private\":\"$why\"" copy.json
    rm copy.json
done
sed 's/"not_private":"[^"]*"/"not_private":7/' relay-ledger.json > odd.json
bad 2 "odd.json: not_private must be a string, got a number" privacy status ./odd.json --delta 1e-5

# ---- private ones

good "a private study is shown" remote show ward
check "as such" says '"not_private":""'
good "its ledger" remote privacy ward
check "has nothing against it" lacks '"not_private":"'
good "and as a table" remote privacy ward --format table
check "with its epsilon at the delta of its document" grep -q '^agent  *every  *1  *yes  *7\.99[0-9]*  *1e-05  *[a-z]' out
check "with its statement" says "every agent: epsilon"
check "and no JSON" lacks '{'
good "as CSV" remote privacy ward --format csv
check "for programs" grep -q '^agent,,1,yes,7\.99[0-9]*,1e-05,' out

good "one for records is shown" remote show lab
check "as private" says '"not_private":""'
good "its ledger" remote privacy lab --format table
check "says where the price is" says "lab: values are private before they leave the agents; the ledger of each agent has what they cost"
good "a served study for records" remote create alone.json
check "is private" says '"not_private":""'

# ---- what is refused, and why

study single '{"name": "gp-ei"}' '"none"'
bad 2 "algorithm gp-ei is for one party: a study with a federation takes one of dp-fts-de, fts, rgpe, taf, fed-hct, pf-pne, fed-pne, dp-pf-pne" \
    remote create single.json
study guess '{"name": "dp-fts-de"}' '{"epsilon": 1}'
bad 2 "privacy.delta is missing: an epsilon needs one" remote create guess.json
TACIT_TOKEN_FILE=$dir/ward.join
bad 4 "the join token is used up: as many agents have joined with it as it was made for; ask the operator for another one" \
    agent "$TACIT_SERVER" --study ward --storage "sqlite:///third.db" -- echo '{x}'
check "leaves no storage" [ "$(echo third*)" = "third*" ]
TACIT_TOKEN_FILE=$dir/op

# ---- the operator's token goes into a file once

kill $server
wait $server
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/c.db" --format json --token-out op > again.json 2> serve.err &
server=$!
await test -s again.json
check "a later start makes none" sh -c '! grep -q operator_token again.json && [ ! -s serve.err ]'
bad 4 "op is there already: say another file for the new token, or withdraw the one in it and remove the file" \
    serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/d.db" --new-operator-token --token-out op
check "before anything is made" test ! -e d.db
kill $server
wait $server
bad 3 "none/op" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/f.db" --token-out none/op
check "before anything is made, either" test ! -e f.db
cp op kept
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/e.db" --token-out op > again 2> err &
server=$!
await grep -q '^operator token' again
check "a file of another token is left alone" cmp -s op kept
check "and said" grep -qx 'tacit: op is there already and was left alone: the token is shown' err
check "and the token is shown" grep -qE '^operator token [A-Za-z0-9_-]{43}$' again
finish
