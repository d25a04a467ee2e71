#!/bin/sh
# served_test: served studies over TLS on loopback: clients that ask and tell, are killed and come back, a
# coordinator that is killed under them, users who answer privately, a curator and a modeler.
#
# Whatever can be held against a storage on this machine is: the same document, the same seed, the same
# bits. Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed, awk and od. Prints one "ok" or "not
# ok" line per check; the exit status is 0 only if all are ok.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/curate.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
server=
client=
trap 'kill -9 $server $client 2>/dev/null; rm -rf "$dir"' EXIT

field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

# serve PORT: starts the coordinator; sets url, pin, port
serve() {
    rm -f serve.json
    "$tacit" serve --listen "127.0.0.1:$1" --storage "sqlite:///$dir/coordinator.db" --format json \
        > serve.json 2>> serve.err &
    server=$!
    await test -s serve.json
    url=$(field url serve.json)
    pin=$(field fingerprint serve.json)
    port=${url##*:}
    [ -n "$url" ] || { cat serve.err; exit 1; }
}

# study NAME TRIALS ALGORITHM: writes NAME.json
study() {
    cat > "$1.json" << J
{"name": "$1", "direction": "minimize", "trials": $2, "seed": 3,
 "space": {"x": {"type": "float", "low": -1, "high": 2}, "k": {"type": "choice", "choices": ["a", "b"]}},
 "algorithm": {$3}}
J
}

cat > train << 'J'
#!/bin/sh
while [ -n "${HOLD:-}" ] && [ -e "$HOLD" ]; do sleep 0.05; done
awk "BEGIN {x = $1; printf \"%.17g\n\", (x - 0.7) ^ 2}"
J
chmod +x train
# A trial with HOLD=FILE ends after the file is gone, however long that takes: so what happens meanwhile
# does, on any machine.
touch held

serve 0
field operator_token serve.json > op
export TACIT_SERVER="$url" TACIT_FINGERPRINT="$pin" TACIT_TOKEN_FILE="$dir/client"

# found NAME: an operator makes the study, and a client's token in the file NAME.client
found() {
    "$tacit" remote create "$1.json" --token-file op > out 2> err &&
        "$tacit" remote token "$1" --token-file op --out "$1.client" > out 2> err && cp "$1.client" client
}

# ---- one by one

study b 5 '"name": "gp-ei"'
check "a served study is made" found b
printf 'tct_%s\n' "$(printf 'a%.0s' 1 2 3 4 5 6 7 8)" > nobody
bad 2 "the coordinator says 401: " remote studies --token-file nobody
bad 2 "the coordinator says 403: " remote pause b --token-file b.client
study made 5 '"name": "gp-ei"'
good "the answer to create" remote create made.json --token-file op
check "has the document as an object" says '"document":{"'
check "its token is for its owner's eyes" test "$(stat -c %a b.client)" = 600
check "and not on standard output" lacks token out
good "ask" ask b --worker gpu-1 --format json
check "the first trial" says '"trial":0'
good "the same worker asks again" ask b --worker gpu-1 --format json
check "and gets the same trial" says '"trial":0'
good "another asks" ask b --worker gpu-2 --lease-s 100 --format json
check "and gets the next" says '"trial":1'
good "tell" tell b 0 0.25
good "the same again" tell b 0 0.25
bad 4 "trial 0 was told already" tell b 0 0.5
good "skip" tell b 0 0.5 --skip-if-finished --quiet
good "a failure" tell b 1 --fail "out of memory"
bad 3 "there is no trial 7" tell b 7 1
bad 2 "VALUE must be a finite number" tell b 1 x
bad 8 "--batch is for a storage" tell b 1 --batch 2,1,1
good "trials" trials b
check "both" says 'COMPLETE.*0.25'
good "of one state" trials b --state fail --format csv
check "with the reason" says 'FAIL,,.*gpu-2,out of memory'
good "best" best b --format json
check "it is the first" says '"trial":0,"state":"COMPLETE","value":0.25'
check "and why" says '"by":"seen","because":"gp-ei has too few values for its model yet"'
good "the same by what was seen" best b --by seen --format json
check "as it was asked for" says '"trial":0,.*"by":"seen","because":"it was asked for"'
bad 4 "nothing can be recommended by the model: gp-ei has too few values for its model yet" best b --by model
good "the operator's way" remote recommend b --token-file op
check "says the same" says '"by":"seen"'
good "studies" studies --token-file op
check "with numbers" says 'b *gp-ei *minimize *1 *1 *0 *0 *5 *0.25 *0'
good "a point that was really run" ask b --worker gpu-1 --format json
good "is told" tell b 2 1 --param x=0.5 --param k=b
good "export" export b --out b.csv --quiet
check "all of them" test "$(wc -l < b.csv)" -eq 4
check "bit for bit" grep -q '^2,COMPLETE,1,0.5,b,' b.csv
bad 2 "the coordinator says 403: " delete b 1
good "the operator deletes a failed trial" delete b 1 --token-file op
good "which is in no list" trials b --format csv
check "any more" sh -c '! grep -q "^1," out'
good "but that of its state" trials b --state deleted --format csv
check "with its reason" says '1,DELETED,.*gpu-2,out of memory'
bad 4 "trial 0 is COMPLETE, and only a failed trial can be deleted" delete b 0 --token-file op
bad 3 "there is no trial 9; this study has 3" delete b 9 --token-file op

# ---- conditional parameters: what a coordinator hands out is what a storage would

cat > cond.json << 'J'
{"name": "cond", "direction": "minimize", "trials": 10, "seed": 3,
 "space": {"k": {"type": "choice", "choices": ["a", "b"]},
           "x": {"type": "float", "low": 0, "high": 1, "when": {"k": "b"}},
           "n": {"type": "choice", "choices": [16, 32], "ordered": true}, "t": {"type": "bool"}}}
J
check "a study with conditions is made" found cond
good "it is optimized" optimize cond -- sh -c 'echo $#; echo "0.$2$#"' sh --x={x} {n}
good "and exported" export cond --out served.csv --quiet
good "as in a storage" optimize cond.json --storage sqlite:///cond.db -- sh -c 'echo $#; echo "0.$2$#"' sh --x={x} {n}
good "exported" export cond --storage sqlite:///cond.db --out local.csv --quiet
cut -d, -f1-7 served.csv > a
cut -d, -f1-7 local.csv > b
check "both are the same" cmp -s a b
check "with both kinds of trials" test "$(grep -c ',a,,' a)" -gt 0 -a "$(grep -c ',b,0' a)" -gt 0
sed 's/"cond"/"cond-2"/' cond.json > cond-2.json
check "another one" found cond-2
good "ask" ask cond-2 --worker w --format json
bad 2 "the parameter x must not be given where k is a" tell cond-2 0 1 --param k=a --param x=0.5
good "the other branch" tell cond-2 0 1 --param k=b --param x=0.5
good "is told" trials cond-2 --format jsonl
check "as it was" says '"params":{"k":"b","x":0.5,"n":[0-9]*,"t":[a-z]*}'

# ---- several outcomes: the front of a coordinator's study is that of a storage's

cat > trade.json << 'J'
{"name": "trade", "objectives": {"error": "minimize", "gain": "maximize"}, "constraints": {"memory": {"max": 0.5}},
 "trials": 8, "seed": 3, "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "gp-ei", "init": 4}}
J
check "a study with several outcomes is made" found trade
cat > outcomes << 'T'
#!/bin/sh
awk -v x="$1" 'BEGIN { printf "{\"error\": %.17g, \"gain\": %.17g, \"memory\": %.17g}\n", x * x, x, x }'
T
chmod +x outcomes
good "it is optimized" optimize trade --quiet -- ./outcomes '{x}'
cp out served.front
good "as in a storage" optimize trade.json --quiet --storage sqlite:///trade.db -- ./outcomes '{x}'
check "the front is the same" cmp -s out served.front
good "its volume" best trade --reference error=1,gain=0 --format json --quiet
cp out served.json
good "as in a storage" best trade --reference error=1,gain=0 --format json --quiet --storage sqlite:///trade.db
check "is the same" sh -c 'for f in out served.json; do sed "s/.*hypervolume/hypervolume/" "$f" | grep hypervolume > "$f.v"; done; cmp -s out.v served.json.v'
good "the coordinator's list" studies --token-file op
check "says how many are feasible, and on the front" says '^trade  *gp-ei  *2 objectives  *8  *0  *0  *0  *8  *[0-9]  *[0-9] *$'
sed 's/"trade"/"trade-2"/' trade.json > trade-2.json
check "another one" found trade-2
good "ask" ask trade-2 --format json
bad 2 "study trade-2 is told 3 outcomes of a trial (error, gain, memory), got 1" tell trade-2 0 1
good "tell" tell trade-2 0 gain=1,error=2,memory=3
good "again, the same" tell trade-2 0 gain=1,error=2,memory=3
bad 4 "trial 0 was told already, and with another report" tell trade-2 0 gain=1,error=2,memory=4
good "trials" trials trade-2 --format jsonl
check "are as they were told" says '"outcomes":{"error":2.0,"gain":1.0,"memory":3.0},"feasible":false,"violation":5.0'
cp b.client client

# ---- which of the two

bad 2 "give either --server or --storage" trials b --server "$url" --storage sqlite:///x.db
bad 2 "--token-file is for a coordinator" trials b --storage sqlite:///x.db --token-file op
TACIT_STORAGE=sqlite:///none.db
export TACIT_STORAGE
bad 3 "none.db" trials b
good "--server wins over TACIT_STORAGE" trials b --server "$url"
unset TACIT_STORAGE
good "a coordinator is a storage, too" trials b --storage "$url"
check "with its trials" says 'COMPLETE.*0.25'
bad 8 "a coordinator takes no earlier results" import b b.csv --storage "$url"
bad 8 "a coordinator's storage is backed up where it is" backup copy.db --storage "$url"
study other 5 '"name": "random"'
sed 's/"b"/"B"/; s/"name": "other"/"name": "b"/' other.json > twin.json
bad 4 "the coordinator's study b is another one" trials ./twin.json

# ---- who may do what

check "another study" found other
bad 2 "the token is for another study" trials b
bad 2 "the token is for another study" trials nosuch
good "its own" trials other
bad 3 'there is no study "nosuch"' trials nosuch --token-file op
cp b.client client
good "a viewer's token" remote token --role viewer --out viewer --token-file op
good "looks" best b --token-file viewer
bad 2 "does not allow this" ask b --token-file viewer
bad 2 "for which study?" remote token --token-file op
bad 2 "a token of a viewer is of no study" remote token b --role viewer --token-file op
good "pause" remote pause b --token-file op
check "a table" says '^state *paused'
bad 4 "the study is paused" ask b
good "resume" remote resume b --token-file op
good "remote studies" remote studies --token-file op
check "one name a line" grep -qx b out
good "close" remote close other --token-file op
cp other.client client
bad 4 "the study is closed" ask other
good "delete" remote delete other --token-file op --format json
check "JSON" says '"erased":true'
bad 2 "the token is for another study" ask other

# ---- the same worker loop in a storage and at a coordinator

study c 12 '"name": "gp-ei"'
check "a study for a worker loop" found c
good "optimize at a coordinator" optimize c --quiet -- ./train '{x}'
cp out best.remote
good "optimize in a storage" optimize c.json --quiet --storage sqlite:///local.db -- ./train '{x}'
check "the same best" cmp -s out best.remote
good "by the model at the coordinator" best c --by model --quiet --format json
sed 's/"datetime.*"reason"/"reason"/' out > model.remote
good "by the model in the storage" best c --by model --quiet --format json --storage sqlite:///local.db
check "the same mean, bit for bit" sh -c 'sed "s/\"datetime.*\"reason\"/\"reason\"/" out | cmp -s - model.remote && grep -q "\"mean\"" out'
"$tacit" export c --format csv | cut -d, -f1-5 > trials.remote
"$tacit" export c --storage sqlite:///local.db --format csv | cut -d, -f1-5 > trials.local
check "the same trials, bit for bit" cmp -s trials.remote trials.local
check "all of them" test "$(wc -l < trials.remote)" -eq 13
good "what the coordinator has of it" remote show c --token-file op
check "the document is an object" says '"document":{"'
good "importances at a coordinator" importances c --format json
cp out importances.remote
good "importances in a storage" importances c --storage sqlite:///local.db --format json
check "the same to the bit" cmp -s out importances.remote
for chart in "--kind history" "--kind slice" "--kind importances" "--contour x,k"; do
    # shellcheck disable=SC2086  # words
    good "a picture at a coordinator: $chart" plot c $chart
    cp out chart.remote
    good "and in a storage" plot c --storage sqlite:///local.db $chart
    check "the same" cmp -s out chart.remote
done
sed 's/"gp-ei"/"fts"/; s/"name": "c"/"name": "fed"/; s/"seed": 3,/"seed": 3, "federation": {"agents": 2, "deadline_s": 600}, "privacy": "none",/' c.json > fed.json
good "a federated study" remote create fed.json --token-file op
bad 4 "study fed is federated: tacit agent takes part in it, and each agent has its trials in a storage of its own" importances fed --token-file op
good "again: nothing is left" optimize c --quiet -- ./train '{x}'
bad 9 "all 12 trials" ask c

# An operator's document makes the study; a client's must be the one that is there.
study d 4 '"name": "random"'
good "a document" optimize d.json --token-file op --quiet -- ./train '{x}'
good "is a study now" best d --token-file op

# ---- batches

cat > p.json << 'J'
{"name": "p", "direction": "minimize", "trials": 1000, "seed": 2,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "blin", "low": -2, "high": 0}}
J
check "a bandit's study" found p
good "a batch" ask p --worker w --pulls 8 --format json
check "of several pulls" grep -q '"pulls":[2-8]' out
cp out asked.remote
good "in a storage, too" ask p.json --worker w --pulls 8 --format json --storage sqlite:///local.db
check "the same" cmp -s out asked.remote
awk 'BEGIN { print 0.1; print 1.0 / 3; print 2.5 }' > values
"$tacit" tell p 0 --values values --format json > told.remote 2> err
check "what lies outside is warned of" grep -q "1 of 3 values are outside 0 to 2" err
good "told in a storage" tell p 0 --values values --format json --quiet --storage sqlite:///local.db
check "the same mean" cmp -s out told.remote

# ---- clients that die

study k 6 '"name": "random"'
check "a study whose clients die" found k
tacit_says() { # TEXT WORD...
    text=$1
    shift
    "$tacit" "$@" > out 2> err
    grep -q -- "$text" out
}
wait_for() { await tacit_says "$@"; } # until tacit WORD... says TEXT
HOLD=$dir/held "$tacit" optimize k --lease-s 4 --quiet -- ./train '{x}' > killed.out 2>&1 &
client=$!
check "a client runs a trial" wait_for '^ *0  RUNNING' trials k
good "another gets the next" ask k --worker other --lease-s 100 --format json
check "number 1" says '"trial":1'
good "which it tells" tell k 1 0.5
kill -9 "$client"
wait "$client" 2> /dev/null
client=
check "its lease runs out" wait_for '^ *0  STALE' trials k
good "another asks again" ask k --worker other --lease-s 100 --format json
check "the trial of the dead goes to another" says '"trial":0'
good "who tells it" tell k 0 0.4
HOLD=$dir/held "$tacit" optimize k --lease-s 1000 --quiet -- ./train '{x}' > killed.out 2>&1 &
client=$!
check "a client with a long lease" wait_for '^ *2  RUNNING' trials k
kill -9 "$client"
wait "$client" 2> /dev/null
client=
good "the same machine knows that it is dead" optimize k -- ./train '{x}'
check "and runs the same trial again" grep -q "running trial 2 again" err
good "all are there" export k
check "once" test "$(grep -c COMPLETE out)" -eq 6

# A lease ends long before the trial does, unless the client says again and again that it lives. Where a
# machine is so busy that its signs come too late, leases are longer.
signs_of_life() {
    for lease in 3 12 48; do
        study "alive$lease" 1 '"name": "random"'
        found "alive$lease" || return 1
        HOLD=$dir/held "$tacit" optimize "alive$lease" --lease-s $lease --quiet -- ./train '{x}' > alive.out 2>&1 &
        client=$!
        wait_for '^ *0  RUNNING' trials "alive$lease"
        sleep $((lease + lease / 2 + 1))
        tacit_says '^ *0  RUNNING' trials "alive$lease"
        kept=$?
        kill -9 "$client"
        wait "$client" 2> /dev/null
        client=
        [ $kept -ne 0 ] || return 0
    done
    return 1
}
check "signs of life keep a trial" signs_of_life

study i 2 '"name": "random"'
check "a study that is interrupted" found i
HOLD=$dir/held "$tacit" optimize i --quiet -- ./train '{x}' > i.out 2> i.err &
client=$!
check "a client is at work" wait_for '^ *0  RUNNING' trials i
kill -TERM "$client"
wait "$client"
check "SIGTERM: exit 130" test $? -eq 130
client=
check "and a sentence" grep -q "interrupted with 0 of 2 trials finished" i.err
good "the same command goes on" optimize i -- ./train '{x}'
check "with the same trial" grep -q "running trial 0 again" err

# ---- a coordinator that dies

study r 30 '"name": "random"'
check "a study whose coordinator dies" found r
cat > patient << 'J'
#!/bin/sh
[ "$2" -lt 4 ] || export HOLD="$PWD/pause"
exec ./train "$1"
J
chmod +x patient
touch pause
"$tacit" optimize r --jobs 2 --lease-s 1000 -- ./patient '{x}' '{trial}' > r.out 2> r.err &
client=$!
check "it is under way" wait_for '^ *3  COMPLETE' trials r
kill -9 "$server"
wait "$server" 2> /dev/null
rm pause
check "the client notices" await grep -q "does not answer.*trying again" r.err
serve "$port"
check "the client finishes" wait "$client"
client=
good "all trials" export r
check "are there once" test "$(grep -c COMPLETE out)" -eq 30

# One that hangs: programs are looked after all the same, and what came of them is told later.
study h 1 '"name": "random"'
check "a study whose coordinator hangs" found h
cat > stuck << 'J'
#!/bin/sh
trap 'touch ended; exit 1' TERM
touch begun
sleep 600 &
wait
J
chmod +x stuck
"$tacit" optimize h --lease-s 6 --timeout-s 2 -- ./stuck > h.out 2> h.err &
client=$!
await test -f begun
kill -STOP "$server"
check "its time is over, whoever hangs" await test -f ended
kill -CONT "$server"
wait "$client"
check "and that is told" test $? -eq 4
client=
good "as it was" trials h --format csv
check "a time-out" says "^0,FAIL,.*timed out after 2 s"

# ---- private replies

secret=0.7310585786300049
secret_bytes=bda2d5f5d464e73f
in_store() { # of the coordinator: is the number there, as text or as eight bytes?
    for f in coordinator.db coordinator.db-wal; do
        [ -f "$f" ] || continue
        grep -qaF 0.7310585786 "$f" && return 0
        od -An -v -tx1 "$f" | tr -d ' \n' | grep -q "$secret_bytes" && return 0
    done
    return 1
}
not_in_store() { ! in_store; }
cat > l.json << 'J'
{"name": "l", "direction": "maximize", "trials": 6, "seed": 1,
 "space": {"dose": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "ldp-tgp", "epsilon": 1, "answers": 4, "arms": 8}}
J
check "a private study" found l
bad 2 "ldp-tgp is told private replies, never rewards" optimize l -- echo "$secret"
bad 2 "ldp-tgp is told private replies, never rewards" tell l 0 "$secret"
good "ann answers" optimize l --user ann --ledger-storage sqlite:///ann.db -- echo "$secret"
check "as often as she may" grep -q "the rest of the study is for others" err
good "four times" trials l --state complete --format csv
check "and no more" test "$(grep -c COMPLETE out)" -eq 4
bad 9 "4" optimize l --user ann --ledger-storage sqlite:///ann.db --quiet -- echo "$secret"
good "bob is told a trial" ask l --worker bob
echo "$secret" | "$tacit" tell l 4 - --user bob --ledger-storage sqlite:///bob.db > out 2> err
check "and tells it" says '4  COMPLETE'
good "and another" ask l --worker bob
good "whose reply he perturbs first" tell l 5 --fail no --user bob --ledger-storage sqlite:///bob.db
check "the coordinator never had a reward" not_in_store
good "a model of private replies is post-processing of them" importances l
check "and has the parameter" grep -q "^dose " out
bad 2 "no reply of study l" tell l 5 "$secret" --reply
study open 2 '"name": "random"'
check "where values are told as they are" found open
good "a trial" ask open --worker w
good "is told" tell open 0 "$secret"
check "the coordinator has it, and the search finds it" in_store
sed 's/"epsilon": 1, "answers": 4/"epsilon": 3, "answers": 4/; s/"name": "l"/"name": "much"/' l.json > much.json
check "a study that asks for much" found much
bad 2 "together 10 or more" optimize much --user ann --ledger-storage sqlite:///cy.db -- echo 1
sed 's/"epsilon": 1, "answers": 4/"epsilon": 2.5, "answers": 4/; s/"name": "l"/"name": "ten"/' l.json > ten.json
check "a study that asks for ten" found ten
bad 2 "together 10 or more" optimize ten --user fay --ledger-storage sqlite:///fay.db -- echo 1
sed 's/"answers": 4/"answers": 9/; s/"name": "l"/"name": "nine"/' l.json > nine.json
check "a study that asks for nine" found nine
"$tacit" curate perturb --value 0 --bound 2 --epsilon 3 --study x --question 0 --user gil --storage sqlite:///gil.db --answers 9 > out 2> err
bad 2 "with what the ledger has spent 10 or more" optimize nine --user gil --ledger-storage sqlite:///gil.db -- echo 1
cp much.client client
good "who agrees names the document" optimize much.json --user cy --ledger-storage sqlite:///cy.db --quiet -- echo 1

# One user has one ledger, in whatever folder a command is started.
mkdir -p home d1 d2
sed 's/"name": "l"/"name": "o"/; s/"answers": 4/"answers": 1/' l.json > o.json
check "a study of one answer each" found o
HOME=$dir/home
export HOME
unset XDG_STATE_HOME
machines() { # names of workers that say on which machine and in which process they run
    cat coordinator.db coordinator.db-wal 2> /dev/null | grep -aoE '[0-9a-f-]{36}:[0-9]+:[0-9]+/[0-9]+' | sort -u | wc -l
}
known=$(machines)
cd d1 || exit 1
good "ann answers here" optimize o --user ann -- echo "$secret"
cd ../d2 || exit 1
bad 9 'may give 1 answers in all' optimize o --user ann --quiet -- echo "$secret"
cd ..
check "from one ledger" test -f home/.local/state/tacit/replies.db
check "and none in a folder" test ! -e d1/tacit.db -a ! -e d2/tacit.db
check "for her eyes" test "$(stat -c %a home/.local/state/tacit)" = 700
check "the coordinator has not heard of her machine" test "$(machines)" = "$known"
good "where values are told, a trial" optimize open --trials 2 --quiet --token-file open.client -- echo 1
check "it does, and the search finds it" test "$(machines)" != "$known"
good "another machine's ask" ask o --format json
good "of the same study" trials o --format csv

# Of a trial that is finished, or said to be, nothing is told but a reply that was given before.
bad 4 'trial 0 was told already, and not with a reply that user "eve" has given; nothing was told' \
    tell o 0 "$secret" --user eve
bad 4 'trial 0 was told already, and not with a reply that user "eve" has given; nothing was told' \
    tell o 0 --fail "$secret" --user eve
good "who has told it tells it again" tell o 0 0.25 --user ann
good "what is left of the study" tell o 1 "$secret" --user bob

# killed when the reply was paid for and not told
sed 's/"name": "l"/"name": "q"/; s/"answers": 4/"answers": 1/' l.json > q.json
check "a study whose client is killed" found q
cat > dies << 'J'
#!/bin/sh
echo run >> "$1"
[ -f "$1.once" ] || { touch "$1.once"; kill -9 $PPID; sleep 9; }
echo 0.5
J
chmod +x dies
"$tacit" optimize q --user hal --lease-s 1000 --quiet -- ./dies runs.q > out 2> err
check "killed" test -n "$(ls home/.local/state/tacit/clients)"
good "it comes back" optimize q --user hal --lease-s 1000 --quiet -- ./dies runs.q
good "to its trial" trials q --format csv
check "and to no other" test "$(grep -c ',RUNNING,\|,COMPLETE,' out)" -eq 1
check "two runs" test "$(wc -l < runs.q)" -eq 2
check "nothing is left of its names" test -z "$(ls home/.local/state/tacit/clients)"
HOLD=$dir/held "$tacit" optimize q --user ida --lease-s 1000 --quiet -- ./train 1 > out 2> err &
client=$!
check "another is at work" wait_for '^ *1  RUNNING' trials q
kill -9 "$client"
wait "$client" 2> /dev/null
client=
"$tacit" curate perturb --value 0 --bound 2 --epsilon 1 --study q --question 1 --user ida --answers 1 \
    --storage "sqlite:///$HOME/.local/state/tacit/replies.db" --reply laplace > out 2> err
check "its answer is in the ledger" test $? -eq 0
reply=$(grep -o -- '-*[0-9.]*[0-9]' out | head -n 1)
good "which is told" optimize q --user ida --lease-s 1000 -- ./dies runs.ida
check "it says so" grep -q "told the reply about trial 1 that an earlier run had made" err
check "without a run" test ! -e runs.ida
good "once" trials q --state complete --format csv
check "with that value" says "^1,COMPLETE,$reply,"

# ---- a pause, and an end

study z 4 '"name": "random"'
check "a study that is paused" found z
touch pause
HOLD=$dir/pause "$tacit" optimize z --lease-s 1000 -- ./train '{x}' > z.out 2> z.err &
client=$!
check "a trial runs" wait_for '^ *0  RUNNING' trials z
good "pause" remote pause z --token-file op
rm pause
check "it ends and is told" wait_for '^ *0  COMPLETE' trials z
check "and then it waits" await grep -q "the study is paused; waiting until it is resumed" z.err
touch pause
good "resume" remote resume z --token-file op
check "it goes on" wait_for '^ *1  RUNNING' trials z
good "close" remote close z --token-file op
rm pause
wait "$client"
check "exit 4" test $? -eq 4
client=
check "and says what was lost" grep -q "the value of trial 1, [0-9.e-]*, was not told (.*the study is closed)" z.err
check "and why it ends" grep -q "tacit: .*the study is closed" z.err
check "not that somebody was faster" lacks "somebody else" z.err
bad 2 "--lease-s must be 0 or at least 1 second, got 0.0001" ask z --lease-s 0.0001

# ---- a curator and a modeler

awk 'BEGIN { print "id,income,rate,profit"
    for (i = 0; i < 60; i++)
        printf "person %d,%d,%g,%s\n", i, 1000 * (i + 20), 3 + (i * 7 % 60) / 10, \
            i == 59 ? "" : sin(i / 9) }' > loans.csv
release() { # FOLDER [OPTION ...]
    mkdir -p "$1"
    cp loans.csv "$1"
    (cd "$1" && shift && "$tacit" curate release loans.csv --columns income,rate --bounds income=0:100000:5000 \
        --bounds rate=0:10 --value-column profit --out released.json --epsilon 1 --seed 5 "$@") > out 2> err
}
by_file() { # FOLDER: rows and answers of the flow by files, one a line
    cd "$1" || return 1
    given=
    # shellcheck disable=SC2086
    while row=$("$tacit" model next released.json --state m.db --trials 12 --set fit=false $given 2> ../err); do
        "$tacit" curate answer loans.csv "$row" --out answer.json --seed 5 --quiet
        given="--answer answer.json"
        echo "$row,$(sed -n 's/.*"value":\([^,]*\),.*/\1/p' answer.json)"
    done
    cd ..
}
by_server() { # NAME
    "$tacit" trials "$1" --format json | tr '{' '\n' | sed -n 's/.*"value":\([^,]*\),.*/\1/p; s/"point":\([0-9]*\).*/\1/p' |
        awk 'NR % 2 { value = $0; next } { print $0 "," value }'
}
for kind in open private; do
    options=
    [ $kind = open ] || options="--output-epsilon 2 --output-bound 1"
    # shellcheck disable=SC2086
    check "a release, answers $kind" release files-$kind $options
    # shellcheck disable=SC2086
    check "the same in another folder" release $kind $options
    by_file files-$kind > asked.files
    cd $kind || exit 1
    good "a curator's token" remote token --role curator --token-file ../op --out curator
    bad 2 "--out-token FILE is needed" curate publish released.json --token-file curator
    bad 2 'a file of the kind "row-secret"' curate publish loans.csv.secret --token-file curator --out-token t
    good "publish" curate publish released.json --name rows-$kind --token-file curator --out-token client \
        --trials 12 --set fit=false
    good "again" curate publish released.json --name rows-$kind --token-file curator --out-token client \
        --trials 12 --set fit=false --format json
    check "the token is for its owner's eyes" test "$(stat -c %a client)" = 600
    bad 2 "the token is for one release" curate publish released.json --name more --token-file curator --out-token t2
    bad 2 "a coordinator says which row" curate answer loans.csv 3 --server "$url" --token-file client
    bad 2 "--study is for --server" curate answer loans.csv 3 --study rows-$kind
    bad 4 "does not search released rows" curate answer loans.csv --server "$url" --token-file ../op --study open
    good "answer" curate answer loans.csv --server "$url" --token-file client --study rows-$kind --seed 5 --format json
    check "twelve times" says '"answered":12'
    TACIT_TOKEN_FILE=client
    by_server rows-$kind > ../asked.server
    TACIT_TOKEN_FILE=$dir/client
    cp out err .. && cd .. || exit 1
    check "rows and answers as by files ($kind)" cmp -s asked.files asked.server
    check "of which there are twelve" test "$(wc -l < asked.server)" -eq 12
done
check "one more release of the same data" release more --name more --seed 6
cd more || exit 1
bad 4 "not over the rows of release more" curate answer loans.csv --server "$url" --token-file ../op --study rows-open
cat > evaluate << 'J'
#!/bin/sh
if [ -f slow ]; then # its curator is killed meanwhile
    while [ -f slow ]; do sleep 0.05; done
    exit 1
fi
echo "$1" >> runs
echo 1.5
J
chmod +x evaluate
good "a study for a program" curate publish released.json --token-file ../op --out-token client --trials 3
touch slow
"$tacit" curate answer loans.csv --server "$url" --token-file client --quiet -- ./evaluate '{income}' > killed 2>&1 &
client=$!
check "the curator is at work" wait_for '^ *0  RUNNING' trials more --token-file client
kill -9 "$client"
wait "$client" 2> /dev/null
client=
rm slow
good "killed, it goes on" curate answer loans.csv --server "$url" --token-file client -- ./evaluate '{income}'
check "three rows" says 'more *3'
check "one run each" test "$(wc -l < runs)" -eq 3
cd .. || exit 1

# a program that fails on every second record: nobody but the curator sees on which
check "private answers of a program" release failing --name failing --output-epsilon 1 --output-bound 1
cd failing || exit 1
good "its study" curate publish released.json --token-file ../op --out-token client --trials 6
good "half of its runs fail" curate answer loans.csv --server "$url" --token-file client --fields stdin -- \
    sh -c 'read -r line; echo "$line" >> runs; [ $(($(wc -l < runs) % 2)) -eq 0 ] || exit 1; echo 0.5'
check "as the curator hears" test "$(grep -c "the program gave no value for row" err)" -eq 3
good "what the coordinator has" trials failing --token-file client --format csv
check "is six answers" test "$(grep -c ',COMPLETE,-*[0-9]' out)" -eq 6
cd .. || exit 1

finish
