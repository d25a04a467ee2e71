#!/bin/sh
# agent_use_test: an agent in the hands of its user. It endures a coordinator that limits requests, ends soon
# after it is told to, leaves nothing behind where it is refused, keeps studies of one name side by side,
# and says of a storage that was restored what it cannot know. Nobody serves from an agent's storage, and no
# agent takes a coordinator's.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
here=$dir
cd "$dir"

serve_at() { # NAME OPTIONS...: as the helper, with options
    name=$1
    shift
    "$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$here/$name.db" --format json "$@" \
        > "$name.serve" 2>> "$name.log" &
    server=$!
    servers="$servers $server"
    await test -s "$name.serve" || { cat "$name.log"; exit 1; }
    url=$(field url "$name.serve")
    pin=$(field fingerprint "$name.serve")
}
part() { # STORAGE OPTIONS...: in this process
    storage=$1
    shift
    "$tacit" agent "$url" --study s --fingerprint "$pin" --storage "sqlite:///$here/$storage.db" "$@" \
        -- ./train '{x}' > "$storage.out" 2> "$storage.err"
}
refused() { # STATUS WORDS COMMAND...
    want=$1 words=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    case $1 in part) cat "$2.err" > err ;; esac
    [ $got = "$want" ] || fail "$*: ends with $got, not with $want"
    grep -qF -- "$words" err || { fail "expected \"$words\":"; cat err; }
}

cat > s.json <<'J'
{"name": "s", "direction": "maximize", "trials": 7, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 6, "initial": 3, "releases": "0,1,3"},
 "federation": {"agents": 2, "deadline_s": 600}, "privacy": {"epsilon": 4, "delta": 1e-5}}
J
cat > train <<J
#!/bin/sh
: > ran
while [ -e slow ]; do sleep 0.05; done
awk "BEGIN {print sin(9 * \$1)}"
J
chmod +x train

# ---- refused before anything is made
serve_at one
found one 3
echo wrong > wrong.join
refused 4 "the coordinator refuses the study" part none --token-file wrong.join
[ ! -e none.db ] || fail "a wrong token leaves a storage"
printf '{"name": "v", "direction": "maximize", "trials": 9, "space": {"x": {"type": "float", "low": 0, "high": 1}}}\n' > v.json
"$tacit" remote create v.json --server "$url" --fingerprint "$pin" --token-file one.op > created
"$tacit" remote token v --server "$url" --fingerprint "$pin" --token-file one.op --out client > created
refused 4 'study "v" is served by its coordinator and has no agents: with a client'"'"'s token, `tacit optimize v --server URL` runs its trials' \
    "$tacit" agent "$url" --study v --token-file client --fingerprint "$pin" --storage "sqlite:///$here/none.db" -- ./train '{x}'
[ ! -e none.db ] || fail "a served study leaves a storage"
refused 2 "--delta is of --epsilon, which is missing" part none --token-file one.join --delta 1e-5
refused 2 "name must be 1 to" "$tacit" agent "$url" --study ../x --fingerprint "$pin" -- ./train '{x}'
refused 2 "name must be 1 to" part none --as ../x --token-file one.join
refused 2 "a join token is needed" env TACIT_TOKEN_FILE= "$tacit" agent "$url" --study s \
    --fingerprint "$pin" --storage "sqlite:///$here/none2.db" -- ./train '{x}'
[ ! -e none2.db ] || fail "no token leaves a storage"
refused 5 "cannot be listened at" "$tacit" serve --storage "sqlite:///$here/none3.db" --listen "${url#https://}"
[ ! -e none3.db ] || fail "a port that is taken leaves a storage"
refused 4 "the storage is a coordinator's: an agent needs one of its own" timeout 60 "$tacit" agent "$url" --study s \
    --fingerprint "$pin" --storage "sqlite:///$here/one.db" --token-file one.join -- ./train '{x}'
refused 4 "one.join is there already" remote one token s --uses 1 --out one.join

# ---- one waits for the other, and is told to end
: > slow
part a --token-file one.join &
first=$!
await test -e ran || fail "no trial was run"
"$tacit" backup "$here/a.backup" --storage "sqlite:///$here/a.db" --quiet > /dev/null || fail "backup"
rm slow
waits() { "$tacit" inspect s --storage "sqlite:///$here/a.db" 2>/dev/null | grep -q leaving; }
await waits || fail "no message left"
grep -q "the study may spend epsilon 4, delta 1e-05 for every agent. Towards everybody but the coordinator" a.err ||
    { fail "the agent does not say what it promises:"; cat a.err; }
agent_process=$(pgrep -P $first || echo $first)
kill -TERM $agent_process
status=0
wait $first || status=$?
[ $status = 130 ] || fail "interrupted it ends with $status"

# ---- to the end, and what left
part a --token-file one.join &
first=$!
part b --token-file one.join || { fail "b"; cat b.err; }
wait $first || { fail "a"; cat a.err; }
"$tacit" inspect s --storage "sqlite:///$here/a.db" > people
grep -q "^epsilon is at delta 1e-05, for each message by itself" people || { fail "no delta"; cat people; }
grep -q "^Towards everybody but the coordinator" people || fail "not towards whom"
refused 4 "the storage is an agent's, with its journal of study \"s\"" "$tacit" serve \
    --storage "sqlite:///$here/a.db" --listen 127.0.0.1:0

# ---- a token with which nobody gets a place leaves no storage
none_left() { [ "$(echo none*)" = "none*" ] || fail "$1 leaves $(echo none*)"; }
remote one token s --uses 1 --out spare.join > out || fail "another token"
refused 4 "the coordinator refuses to enrol this agent: the roster of 2 agents is full" part none --token-file spare.join
rm none.out none.err
none_left "a full roster"
remote one revoke s 1 > out || fail "revoking"
remote one readmit s 1 --out place.join > out || fail "a token of the place"
remote one readmit s 1 --out later.join > out || fail "a later token of the place"
refused 4 "the coordinator refuses to enrol this agent: the token is not the last one of place 1, or its agent was revoked again since" \
    part none --token-file place.join
rm none.out none.err
none_left "an earlier token of a place"
part b --token-file later.join || { fail "back in its place"; cat b.err; }
refused 4 "the coordinator refuses to enrol this agent: agent 1 has its place: it must be revoked first" part none --token-file later.join
rm none.out none.err
none_left "a token of a place that is taken"
part b --token-file later.join || { fail "with its storage"; cat b.err; }

# ---- its own backup, from before all messages
"$tacit" restore a.backup --storage "sqlite:///$here/c.db" --assume-released 0 --quiet > /dev/null || fail "restore"
part c --token-file one.join || { fail "restored"; cat c.err; }
"$tacit" inspect s --storage "sqlite:///$here/c.db" --format csv | cut -d, -f2,3 > list
[ "$(xargs < list)" = "message,bytes before, before, before," ] || { fail "what left before:"; cat list; }
"$tacit" inspect s --storage "sqlite:///$here/c.db" | grep -q "^3 of them left before this storage was restored" ||
    fail "the sum of what left before"
refused 4 "left before this storage was restored from a backup" "$tacit" inspect s \
    --storage "sqlite:///$here/c.db" --round 1
kill $server
wait $server || true

# ---- another study of that name, on a coordinator that limits requests; one ledger
serve_at two --rate 5
found two 2
refused 4 "this one can be kept beside it" part a --token-file two.join
part a --as other --token-file two.join --epsilon 20 --delta 1e-5 &
first=$!
part d --token-file two.join || { fail "429 ends an agent"; cat d.err; }
wait $first || { fail "429 ends an agent"; cat a.err; }
"$tacit" inspect other --storage "sqlite:///$here/a.db" --format csv > list
[ "$(grep -c "^[013],sent,.*,agent,[456]," list)" = 3 ] || { fail "studies of one name share no ledger"; cat list; }

[ $failed = 0 ] && echo "agent_use_test passed"
exit $failed
