#!/bin/sh
# coordinator_test: a coordinator and agents as separate processes, over TLS on loopback.
#
# Three agents run a dp-fts-de study to its end; on the way the coordinator and an agent are killed
# with SIGKILL and started again. With seeds the trials are those of agents that nothing happened to.
# COORDINATOR_STORE=postgresql: the disturbed coordinator is on the server TACIT_POSTGRES, beside a
# second one on the same database, and is held against the calm one in a SQLite file.
# TACIT_OLDER=PROGRAM: an older version runs the calm federation and begins the disturbed one, which this version
# ends: its study and its storages go on with the same bits.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/await.sh"
newer=${TACIT_BIN:-./tacit}
tacit=${TACIT_OLDER:-$newer}
dir=$(mktemp -d)
server=
second=
trap 'kill -9 $server $second 2>/dev/null || true; rm -rf "$dir"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat > "$dir/s.json" <<'J'
{"name": "s", "direction": "maximize", "trials": 12, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 4, "releases": "0,2,5"},
 "federation": {"agents": 3, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01}}
J
cat > "$dir/train" <<'J'
#!/bin/sh
# Of twelve trials none starts before its share of the kills, where there are any.
while killed=$(cat "$0.killed" 2> /dev/null) && [ "$killed" -lt $((TACIT_TRIAL * 4 / 11)) ]; do sleep 0.05; done
awk "BEGIN {x = $1; printf \"%.17g\n\", sin(9 * x) + 0.01 * $2 * x}"
J
chmod +x "$dir/train"

field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

storage_of() { # NAME
    case $1-${COORDINATOR_STORE:-sqlite} in
    rough-postgresql) echo "$TACIT_POSTGRES" ;;
    *) echo "sqlite:///$dir/$1.db" ;;
    esac
}

# serve NAME PORT [OPTION]: starts a coordinator on the storage of NAME; sets url, pin, port
serve() {
    rm -f "$dir/serve.json"
    "$tacit" serve --listen "127.0.0.1:$2" --storage "$(storage_of "$1")" --test-seed 7 ${3:-} \
        --format json > "$dir/serve.json" 2>> "$dir/serve.err" &
    server=$!
    await test -s "$dir/serve.json" || true
    url=$(field url "$dir/serve.json")
    pin=$(field fingerprint "$dir/serve.json")
    port=${url##*:}
    [ -n "$url" ] || { cat "$dir/serve.err"; exit 1; }
}

# agent NAME NUMBER: in the background; its process is $!
agent() {
    "$tacit" agent "$url" --study s --token-file "$dir/$1.join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/$1$2.db" --epsilon 6 --delta 0.01 --test-seed 7 --test-key "$2" \
        --accept-not-private --format json -- "$dir/train" '{x}' "$2" > "$dir/$1$2.out" 2> "$dir/$1$2.err" &
}

found() { # NAME: creates the study, makes a join token
    field operator_token "$dir/serve.json" > "$dir/$1.op"
    "$tacit" remote create "$dir/s.json" --server "$url" --fingerprint "$pin" \
        --token-file "$dir/$1.op" > "$dir/$1.created"
    "$tacit" remote token s --uses 3 --server "$url" --fingerprint "$pin" \
        --token-file "$dir/$1.op" > "$dir/$1.token"
    field token "$dir/$1.token" > "$dir/$1.join"
}

trials() { # NAME: values of all agents' trials, agent by place
    for i in 0 1 2; do
        "$tacit" trials s --storage "sqlite:///$dir/$1$i.db" --format csv | cut -d, -f1-4
    done
}

ledger() {
    "$tacit" remote privacy s --server "$url" --fingerprint "$pin" --token-file "$dir/$1.op"
}

# ---- nothing happens: agents enrol one after the other, so that places are known
serve calm 0
found calm
for i in 0 1 2; do
    agent calm $i
    eval "pid$i=$!"
    until [ "$("$tacit" remote show s --server "$url" --fingerprint "$pin" --token-file "$dir/calm.op" |
        sed -n 's/.*"enrolled": *\([0-9]*\).*/\1/p')" -gt $i ]; do sleep 0.05; done
done
for i in 0 1 2; do
    eval "wait \$pid$i" || { fail "agent $i"; cat "$dir/calm$i.err"; }
done
ledger calm > "$dir/calm.ledger"
# Its noise came from a seed: no picture claims an epsilon for it.
"$newer" plot s --kind privacy --server "$url" --fingerprint "$pin" --token-file "$dir/calm.op" > "$dir/spent.svg" 2> "$dir/plot.err" && fail "an epsilon was drawn"
[ "$(cat "$dir/plot.err")" = "tacit: the ledger s has no epsilon to draw: the noise was drawn from a seed (test mode)" ] ||
    { fail "plot of a ledger without an epsilon"; cat "$dir/plot.err"; }
trials calm > "$dir/calm.trials"
[ "$(grep -c COMPLETE "$dir/calm.trials")" = 36 ] || fail "36 trials expected"
kill $server
wait $server || fail "the coordinator ends with $?"

# ---- the coordinator and an agent are killed, again and again
count_kill() { # NUMBER: in one step, for the trials read it
    echo "$1" > "$dir/killed.new"
    mv "$dir/killed.new" "$dir/train.killed"
}
count_kill 0
serve rough 0
found rough
for i in 0 1 2; do
    agent rough $i
    eval "pid$i=$!"
    until [ "$("$tacit" remote show s --server "$url" --fingerprint "$pin" --token-file "$dir/rough.op" |
        sed -n 's/.*"enrolled": *\([0-9]*\).*/\1/p')" -gt $i ]; do sleep 0.05; done
done
if [ "${COORDINATOR_STORE:-sqlite}" = postgresql ]; then
    "$tacit" serve --listen 127.0.0.1:0 --storage "$TACIT_POSTGRES" --test-seed 7 > "$dir/second" 2>&1 &
    second=$!
fi
for k in 1 2 3 4; do
    sleep 0.3 # so that it is at something
    [ $k = 1 ] || tacit=$newer
    kill -9 $server
    wait $server 2>/dev/null || true
    serve rough "$port"
    kill -9 "$pid1" 2>/dev/null || true
    wait "$pid1" 2>/dev/null || true
    agent rough 1
    pid1=$!
    count_kill $k
done
tacit=$newer
for i in 0 1 2; do
    eval "wait \$pid$i" || { fail "agent $i after kills"; cat "$dir/rough$i.err"; }
done
ledger rough > "$dir/rough.ledger"
trials rough > "$dir/rough.trials"
cmp "$dir/calm.trials" "$dir/rough.trials" || fail "kills changed the trials"
# another study of the same document: other hashes, the same bytes
releases() { grep -o '"release": *"[^"]*"' "$dir/$1.ledger"; }
[ "$(releases calm | wc -l)" = 3 ] || fail "three releases expected"
[ "$(releases calm)" = "$(releases rough)" ] || fail "kills changed the releases"

# ---- who may not, learns nothing
refused() { # EXPECTED COMMAND...
    want=$1
    shift
    if "$@" > "$dir/out" 2> "$dir/err"; then fail "not refused: $*"; fi
    grep -q "$want" "$dir/err" || { fail "expected \"$want\":"; cat "$dir/err"; }
}
echo nonsense > "$dir/bad"
refused "the token is not valid" "$tacit" remote studies --server "$url" --fingerprint "$pin" --token-file "$dir/bad"
refused "does not allow this" "$tacit" remote studies --server "$url" --fingerprint "$pin" --token-file "$dir/rough.join"
refused "is not the coordinator" "$tacit" remote studies --server "$url" --token-file "$dir/rough.op" \
    --fingerprint sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
"$tacit" remote token s --uses 4 --server "$url" --fingerprint "$pin" \
    --token-file "$dir/rough.op" > "$dir/spare.token"
field token "$dir/spare.token" > "$dir/spare.join"
refused "the roster of 3 agents is full" "$tacit" agent "$url" --study s --token-file "$dir/spare.join" --fingerprint "$pin" \
    --accept-not-private --storage "sqlite:///$dir/late.db" -- "$dir/train" '{x}' 0
refused "is not a parameter" "$tacit" agent "$url" --study s --token-file "$dir/spare.join" --fingerprint "$pin" \
    --accept-not-private \
    --storage "sqlite:///$dir/never.db" -- "$dir/train" '{y}' 0
[ ! -e "$dir/never.db" ] || fail "a refused command leaves a storage"
refused "is NOT PRIVATE (its coordinator's noise comes from a seed)" "$tacit" agent "$url" --study s \
    --token-file "$dir/spare.join" --fingerprint "$pin" --storage "sqlite:///$dir/careful.db" -- "$dir/train" '{x}' 0
grep -q '"not_private": *"noise comes from a seed"' "$dir/serve.json" || fail "serve does not say NOT PRIVATE"
refused "is not the coordinator with that fingerprint" "$tacit" agent "$url" --study s \
    --token-file "$dir/spare.join" --fingerprint sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= \
    --storage "sqlite:///$dir/wrong.db" -- "$dir/train" '{x}' 0
refused 'says 404: there is no study "nosuch"$' "$tacit" remote show nosuch --server "$url" --fingerprint "$pin" \
    --token-file "$dir/rough.op"
"$tacit" remote withdraw "$dir/spare.join" --server "$url" --fingerprint "$pin" --token-file "$dir/rough.op" > /dev/null ||
    fail "a token cannot be withdrawn"
refused "the token is not valid" "$tacit" remote show s --server "$url" --fingerprint "$pin" --token-file "$dir/spare.join"
"$tacit" remote revoke s 2 --server "$url" --fingerprint "$pin" --token-file "$dir/rough.op" > /dev/null ||
    fail "an agent cannot be revoked"
[ "$(stat -c %a "$dir/calm.db")" = 600 ] || fail "others can read a coordinator's storage"

# ---- the operator's token is made when it can be shown, and another can be had
refused "cannot be listened at" "$tacit" serve --listen "127.0.0.1:$port" --storage "sqlite:///$dir/third.db"
kill $server
wait $server || fail "the coordinator ends with $?"
serve third 0
[ -n "$(field operator_token "$dir/serve.json")" ] || fail "the first start that listens shows no token"
kill $server
wait $server || fail "the coordinator ends with $?"
serve third 0 --new-operator-token
field operator_token "$dir/serve.json" > "$dir/third.op"
"$tacit" remote studies --server "$url" --fingerprint "$pin" --token-file "$dir/third.op" > /dev/null ||
    fail "a new operator token does not work"
kill $server
wait $server || fail "the coordinator ends with $?"
server=
[ $failed = 0 ] && echo "coordinator_test passed"
exit $failed
