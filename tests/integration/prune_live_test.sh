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

# Steps that go back: a coordinator takes nothing back within a run. A run that begins anew draws its curve again.
cat > back <<'T'
#!/bin/sh
for i in 1 2 3 2 4; do echo "{\"step\": $i, \"value\": $i.5}"; done
[ -e stay ] && exec sleep 100
echo 0.25
T
chmod +x back
sed 's/"curves"/"back"/; s/"trials": 14/"trials": 2/' study.json > back.json
good "steps that go back" remote create back.json --token-file op
good "their client" remote token back --token-file op --out back-client
good "go back" optimize back --token-file back-client --trials 1 -- ./back
check "says so" grep -qF "trial 0: step 2 came after step 3, and is not taken: steps must grow" err
check "once" [ "$(grep -c '^trial' err)" -eq 1 ]
touch stay
"$tacit" optimize back --token-file back-client -- ./back > left.out 2> left.err &
left=$!
has_four() { [ "$("$tacit" trials back --token-file back-client --format jsonl | grep -cF '{"step":4,"value":4.5}')" -eq 2 ]; }
await has_four
kill -9 $left
rm stay
sed 's/ 4; do/ 5; do/' back > forth
chmod +x forth
good "again, by the next one" optimize back --token-file back-client -- ./forth
good "curves" trials back --token-file back-client --format jsonl
check "without what went back" [ "$(grep -c '"steps":\[{"step":1,"value":1.5},{"step":2,"value":2.5},{"step":3,"value":3.5},{"step":4,"value":4.5}\]' out)" -eq 1 ]
check "and anew" [ "$(grep -c '{"step":3,"value":3.5},{"step":5,"value":5.5}\]' out)" -eq 1 ]

# Where records are protected the coordinator is told noised values alone.
sed 's/"curves"/"ward"/; s/"trials": 14/"trials": 8, "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error", "evaluations": 24}/' study.json > ward.json
good "records" remote create ward.json --token-file op
good "their token" remote token ward --token-file op --out ward-client
good "run with records" optimize ward --token-file ward-client --records 90000 --range 0:1 --prune median --prune-min-trials 1 --ledger-storage sqlite:///ward.db -- ./train {x}
check "says what is promised" grep -qF 'over the 24 evaluations of study "ward"' err
check "ends trials early" grep -qE '^trial [0-9]+ pruned at step [1-2] \(' err
check "and hears a share" grep -qF 'which pay for 2 intermediate values of a trial' err
"$tacit" trials ward --token-file ward-client --format jsonl > ward.jsonl
"$tacit" privacy export records --delta 1e-5 --storage sqlite:///ward.db > ward.ledger
check "the ledger at home has each value" [ "$(grep -o '"mechanism": "gaussian-value"' ward.ledger | wc -l)" -eq $(($(grep -o '"step":' ward.jsonl | wc -l) + $(grep -c '"state":"COMPLETE"' ward.jsonl))) ]

# Values that come faster than they are reported go together, and none is lost; the 2,401st ends its trial as it would alone.
cat > many <<'T'
#!/bin/sh
awk -v t="$1" 'BEGIN { for (i = 0; i < 2600; i++) printf "{\"step\": %d, \"value\": %d}\n", i, (i == 0 || i >= 2400) ? t : 0
                       print t }'
T
chmod +x many
sed 's/"curves"/"many"/; s/"trials": 14/"trials": 2/' study.json > many.json
good "many steps" remote create many.json --token-file op
good "a token for them" remote token many --token-file op --out many-client
good "run" optimize many --token-file many-client --prune asha --prune-min-step 2400 --prune-min-trials 1 --prune-factor 2 -- ./many {trial}
check "ends the second trial" grep -qx 'trial 1 pruned at step 2400 (1; asha 0)' err
good "list them" trials many --token-file many-client --format jsonl
check "whole" [ "$(sed -n 1p out | grep -o '"step"' | wc -l)" -eq 2600 ]
check "up to there" [ "$(sed -n 2p out | grep -o '"step"' | wc -l)" -eq 2401 ]

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
