#!/bin/sh
# prune_live_test: trials that are ended early at a coordinator, as in a storage, and by the agents of a federation.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and awk.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
: > out
: > err

cat > study.json <<'J'
{"name": "curves", "direction": "minimize", "trials": 14, "seed": 1,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}
J
# A curve that falls to (x - 0.3)^2.
cat > train <<'T'
#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9; do
    awk -v x="$1" -v i=$i 'BEGIN { printf "{\"step\": %d, \"value\": %.17g}\n", i, (x - 0.3) ^ 2 + 1 / i }'
done
awk -v x="$1" 'BEGIN { printf "%.17g\n", (x - 0.3) ^ 2 }'
T
chmod +x train

good "optimize in a storage" optimize study.json --storage sqlite:///s.db --prune median -- ./train {x}
cp err said
pruned=$(grep -c 'pruned at' said)
"$tacit" trials curves --storage sqlite:///s.db --format jsonl | sed 's/"datetime_start.*"reason"/"reason"/' > whole

server=
trap 'kill -9 $server 2> /dev/null; rm -rf "$dir"' EXIT
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }
"$tacit" serve --listen 127.0.0.1:0 --storage sqlite:///coordinator.db --format json > serve.json 2> serve.err &
server=$!
await test -s serve.json
field operator_token serve.json > op
TACIT_SERVER=$(field url serve.json)
TACIT_FINGERPRINT=$(field fingerprint serve.json)
export TACIT_SERVER TACIT_FINGERPRINT
good "create" remote create study.json --token-file op
good "a client" remote token curves --token-file op --out client
good "optimize at a coordinator" optimize curves --token-file client --prune median -- ./train {x}
grep 'pruned at' err > there
grep 'pruned at' said > here
check "ends what it ends in a storage, at the same steps" cmp -s there here
"$tacit" trials curves --token-file client --format jsonl | sed 's/"datetime_start.*"reason"/"reason"/' > served
check "with the same curves" cmp -s served whole
good "show" remote show curves --token-file op --format json
check "counts them" grep -qE "\"pruned\": ?$pruned" out

cat > fed.json <<'J'
{"name": "fed", "direction": "minimize", "trials": 8, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3}, "federation": {"agents": 2},
 "privacy": {"epsilon": 5, "delta": 0.01}}
J
# Every trial is worse than the one before, whatever its point: so each agent ends some early.
cat > worse <<'T'
#!/bin/sh
for i in 1 2 3; do echo "{\"step\": $i, \"value\": $1.$i}"; done
echo "$1"
T
chmod +x worse
good "a federation" remote create fed.json --token-file op
good "join tokens" remote token fed --token-file op --uses 2 --out join
for i in 0 1; do
    "$tacit" agent "$TACIT_SERVER" --study fed --storage "sqlite:///agent$i.db" --token-file join --epsilon 6 --delta 0.01 \
        --test-seed 7 --test-key $i --prune median --prune-min-trials 2 -- ./worse {trial} > agent$i.out 2> agent$i.err &
    eval "agent$i=\$!"
done
wait "$agent0"
check "an agent ends" [ $? -eq 0 ]
wait "$agent1"
check "and so does the other" [ $? -eq 0 ]
for i in 0 1; do
    check "agent $i has ended trials early" grep -qE '^trial [0-9]+ pruned at step [1-9] \(' agent$i.err
    check "and says each once" [ -z "$(sed -n 's/^\(trial [0-9]*\) .*pruned at.*/\1/p' agent$i.err | sort | uniq -d)" ]
done
good "inspect" inspect fed --storage sqlite:///agent0.db
check "the values stayed" grep -qE '^[0-9]+ intermediate values of its trials stayed in this storage, and cost nothing\.$' out
check "messages did leave" grep -qE '^[1-9][0-9]* messages? of study fed left this machine' out
finish
