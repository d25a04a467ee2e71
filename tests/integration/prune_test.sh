#!/bin/sh
# prune_test: trials that are ended early through the program: in a storage, after kill -9; and what is refused. At a
# coordinator and by agents: prune_live_test.sh.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and awk.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
: > out
: > err
says() { grep -qF -- "$1" out; }
tells() { grep -qF -- "$1" err; }
lacks() { ! grep -qF -- "$1" "$2"; }

cat > study.json <<'J'
{"name": "curves", "direction": "minimize", "trials": 14, "seed": 1,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}
J
# A curve that falls to (x - 0.3)^2. HOLD=FILE: after the second step it waits until the file is gone, with a child of its own.
cat > train <<'T'
#!/bin/sh
echo "run $TACIT_TRIAL" >> runs
for i in 1 2 3 4 5 6 7 8 9; do
    awk -v x="$1" -v i=$i 'BEGIN { printf "{\"step\": %d, \"value\": %.17g}\n", i, (x - 0.3) ^ 2 + 1 / i }'
    while [ $i -eq 2 ] && [ -n "${HOLD:-}" ] && [ -e "$HOLD" ]; do sleep 0.05; done
done
awk -v x="$1" 'BEGIN { printf "%.17g\n", (x - 0.3) ^ 2 }'
T
chmod +x train
at="--storage sqlite:///s.db"

# ---- in a storage

good "optimize" optimize study.json $at --prune median -- ./train {x}
cp err said
pruned=$(grep -cE '^trial [0-9]+ pruned at step [1-9] \([0-9.]+; median [0-9.]+\)$' said)
check "says a line for each trial that it has ended" [ "$pruned" -gt 2 ]
good "trials" trials curves $at
check "says where" [ "$(grep -cE '^ +[0-9]+  PRUNED +[0-9.]+  pruned at step [1-9] with [0-9.]+ \(median [0-9.]+ of [0-9]+ trials\)$' out)" -eq "$pruned" ]
good "those alone" trials curves $at --state pruned --format jsonl
check "as many" [ "$(grep -c '"state":"PRUNED","value":null' out)" -eq "$pruned" ]
check "with their curves" [ "$(grep -c '"steps":\[{"step":1,"value":[0-9.]*}' out)" -eq "$pruned" ]
check "and the reason of the table" [ "$(grep -cE '"reason":"pruned at step [1-9] with [0-9.]+ \(median [0-9.]+ of [0-9]+ trials\)"' out)" -eq "$pruned" ]
good "complete ones" trials curves $at --state complete --format jsonl
check "have nine steps" [ "$(grep -c '"step":9,' out)" -eq $((14 - pruned)) ]
good "the same again runs nothing" optimize study.json $at --prune median -- ./train {x}
check "for all are finished" [ "$(grep -c run runs)" -eq 14 ]
good "best" best curves $at --by seen --format json
check "is a complete one" says '"state":"COMPLETE"'

good "asha" optimize study.json --storage sqlite:///a.db --prune asha --prune-min-step 2 --prune-factor 2 \
    --jobs 2 -- ./train {x}
check "ends at its rungs alone" [ "$(grep -cE 'pruned at step (2|4|8) \([0-9.]+; asha [0-9.]+\)$' err)" -gt 3 ]
check "and nowhere else" [ "$(grep -c 'pruned at' err)" -eq "$(grep -cE 'pruned at step (2|4|8) ' err)" ]
good "no rule" optimize study.json --storage sqlite:///n.db -- ./train {x}
good "keeps the curves" trials curves --storage sqlite:///n.db --state complete --format jsonl
check "and ends nothing" [ "$(grep -c '"step":9,' out)" -eq 14 ]

good "export" export curves $at --out all.json
check "has the steps" grep -q '"steps":\[{"step":1,' all.json
good "export as CSV" export curves $at --out all.csv
check "has the last one" [ "$(grep -cE ',PRUNED,,.*,pruned at step [1-9] with' all.csv)" -eq "$pruned" ]
sed 's/"curves"/"again"/' study.json > again.json
good "import" import again.json all.json --storage sqlite:///i.db
check "passes them over" grep -qE "^ +$((14 - pruned)) +$pruned\$" out
good "is the journal whole" trials again --storage sqlite:///i.db --format jsonl
check "of complete ones" [ "$(grep -c '"COMPLETE"' out)" -eq $((14 - pruned)) ]
good "backup" backup copy.db $at
good "restore" restore copy.db --storage sqlite:///r.db
"$tacit" trials curves --storage sqlite:///r.db --format jsonl > restored
"$tacit" trials curves $at --format jsonl > original
check "to the bit" cmp -s restored original

good "plot" plot curves $at --kind steps --out steps.svg
check "has a line for each trial" [ "$(grep -o '<polyline\|<path' steps.svg | wc -l)" -ge 9 ]
check "and says what it is" grep -qF "14 trials with intermediate values, $pruned pruned" steps.svg
good "best" best curves $at --by seen --format json
check "and which is the best" grep -qF "best: trial $(sed 's/^{"trial":\([0-9]*\),.*/\1/' out)" steps.svg
good "the history" plot curves $at --out history.svg
check "counts them, too" grep -qF ": $((14 - pruned)) trials, $pruned pruned; best" history.svg
check "and draws each, and one in the legend" [ "$(grep -o '<polygon' history.svg | wc -l)" -eq $((pruned + 1)) ]
check "that says what it is" grep -qF "pruned: its last value" history.svg
for kind in csv json jsonl; do
    good "an export" export curves $at --out drawn.$kind --quiet
    good "its history" plot drawn.$kind --direction minimize --out drawn.svg
    check "has as many" [ "$(grep -o '<polygon' drawn.svg | wc -l)" -eq $((pruned + 1)) ]
    check "and counts them" grep -qF "$((14 - pruned)) trials, $pruned pruned; best" drawn.svg
done
good "a history of complete trials alone" plot again --storage sqlite:///i.db --out none.svg
check "has no such sign" lacks "<polygon" none.svg
cat > below.json <<'J'
[{"trial": 0, "state": "COMPLETE", "value": 1, "params": {}},
 {"trial": 1, "state": "PRUNED", "value": null, "params": {}, "steps": [{"step": 1, "value": 2}, {"step": 2, "value": -0.5}]}]
J
bad 2 "--log needs values above 0, but trial 1 has -0.5" plot below.json --log
bad 4 "no trial of the study again has reported intermediate values" plot again --storage sqlite:///i.db --kind steps
bad 2 '--kind steps draws a study, not the exported file "all.json": name the study' plot all.json --kind steps

# ---- lines that are no intermediate values, steps that do not grow

cat > stray <<'T'
#!/bin/sh
echo '{"step": "a", "value": 1}'
echo '{"step": 1, "value": NaN}'
for i in 1 2 3 2 1 2; do echo "{\"step\": $i, \"value\": $i.5}"; done
echo 0.25
T
chmod +x stray
good "strays" optimize study.json --storage sqlite:///y.db --trials 2 -- ./stray
for i in 0 1; do
    check "a note for trial $i" tells "trial $i: a line with a step and a value is no intermediate value unless its step is a whole number from 0 on and its value a finite number: {\"step\": \"a\", \"value\": 1}"
    check "and another" tells "trial $i: step 2 came after step 3, and takes the place of what it had from there on: steps must grow"
done
check "and no more" [ "$(grep -c '^trial' err)" -eq 4 ]
good "what is left" trials curves --storage sqlite:///y.db --format jsonl
check "is the last curve" [ "$(grep -cF '"value":0.25' out)$(grep -cF '"steps":[{"step":1,"value":1.5},{"step":2,"value":2.5}]' out)" = 22 ]

# ---- which trial to take: last values of trials that were ended early are far from final ones, which is no noise

sed 's/"random"/"gp-ei"/; s/"trials": 14/"trials": 30/; s/"curves"/"taken"/' study.json > taken.json
good "with a model" optimize taken.json --storage sqlite:///t.db --prune asha --prune-factor 2 -- ./train {x}
pruned=$(grep -c 'pruned at' err)
why="$pruned trials were ended early and their values are not final"
check "says that the table is of what was seen" tells "by what was seen, because $why"
good "seen" best taken --storage sqlite:///t.db --by seen --format json
sed 's/,"by":.*//' out > seen
good "auto" best taken --storage sqlite:///t.db --format json
check "is by what was seen" says "\"by\":\"seen\",\"because\":\"$why\""
sed 's/,"by":.*//' out > auto
check "and the same trial" cmp -s auto seen
good "by the model, if one wants" best taken --storage sqlite:///t.db --by model
check "says what that is" tells "by the model, because it was asked for; $why, yet the model counts them"

# Values that grow with the steps: what was ended early looks best, and nobody knows what it would have come to.
sed 's/"taken"/"grown"/' taken.json > grown.json
cat > grow <<'T'
#!/bin/sh
awk -v x="$1" 'BEGIN { for (i = 1; i <= 4; i++) printf "{\"step\": %d, \"value\": %.17g}\n", i, i + (x - 0.3) ^ 2 }'
awk -v x="$1" 'BEGIN { printf "%.17g\n", 4 + (x - 0.3) ^ 2 }'
T
chmod +x grow
good "values that grow" optimize grown.json --storage sqlite:///t.db --prune asha --prune-factor 2 -- ./grow {x}
good "by the model" best grown --storage sqlite:///t.db --by model --format json
check "takes a trial that ran to its end" says '"state":"COMPLETE"'
check "and is of the model" says '"by":"model"'
check "and says that it passed one over" tells "; the point that the model likes best is of a trial that was ended early, so this is the best of those that ran to their end"

# ---- kill -9, while trial 0 is at its second step

rm -f runs
touch hold
HOLD=$dir/hold "$tacit" optimize study.json --storage sqlite:///k.db --prune median --quiet -- ./train {x} > out 2> err &
killed=$!
steps() { "$tacit" trials curves --storage sqlite:///k.db --format jsonl 2> /dev/null | grep -q '"step":2,'; }
await steps
kill -9 $killed
wait $killed 2> /dev/null
rm hold
good "the same command" optimize study.json --storage sqlite:///k.db --prune median --quiet -- ./train {x}
check "runs trial 0 again" [ "$(grep -c '^run 0$' runs)" -eq 2 ]
curves() { "$tacit" trials curves --storage "sqlite:///$1.db" --format jsonl | sed 's/"datetime_start.*"reason"/"reason"/'; }
curves k > killed
curves s > whole
check "and comes to what nobody killed" cmp -s killed whole

# ---- refused

bad 2 "--prune-factor is for --prune asha" optimize study.json $at --prune median --prune-factor 3 -- ./train {x}
bad 2 "--prune-warmup is for --prune median or --prune asha" optimize study.json $at --prune-warmup 3 -- ./train {x}
bad 2 "prune must be one of none, median, asha" optimize study.json $at --prune best -- ./train {x}
bad 2 "prune-factor must be a whole number in [2, 1000]" optimize study.json $at --prune asha --prune-factor 1 -- ./train {x}
sed 's/"seed": 1,/"seed": 1, "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"},/' study.json > records.json
bad 8 'study curves protects validation records, and each intermediate value is one more evaluation of them: it plans 14 for 14 trials; give it "evaluations" in "privacy", 28 for one intermediate value a trial' \
    optimize records.json --storage sqlite:///no.db --records 500 --prune median -- ./train {x}
bad 2 '--evaluations: evaluations of study curves must be from 14, one for each trial, to 1e12, got 13' \
    optimize records.json --storage sqlite:///no.db --records 500 --evaluations 13 -- ./train {x}
bad 2 '--evaluations: evaluations are planned for a study of one party that protects validation records, and study curves does not' \
    optimize study.json --storage sqlite:///no.db --evaluations 28 -- ./train {x}
bad 2 '--evaluations is for a study'"'"'s document: "curves" names a study that is there, whose noise is computed' optimize curves $at --evaluations 28 -- ./train {x}
sed 's/"error"}/"error", "evaluations": 13}/' records.json > few.json
bad 2 'privacy.evaluations must be a whole number in [14, 1000000000000], got 13' optimize few.json --storage sqlite:///no.db --records 500 -- ./train {x}

# ---- evaluations that are planned: each value that is heard gets noise and is charged, and a rule sees noised values alone

good "with evaluations" optimize records.json --storage sqlite:///priv.db --records 90000 --evaluations 56 --prune median -- ./train {x}
check "counts them" grep -qF 'over the 56 evaluations of study "curves"' err
check "and says of what" grep -qF 'They are the last values of 14 trials and up to 3 intermediate values of each; that a trial reported a step at all is not hidden.' err
check "ends trials early" grep -qE '^trial [0-9]+ pruned at step [1-3] \(' err
check "and hears a share" grep -qF 'are not taken from step 4 on: study "curves" plans 56 evaluations for 14 trials, which pay for 3 intermediate values of a trial' err
"$tacit" trials curves --storage sqlite:///priv.db --format jsonl > noised.jsonl
"$tacit" privacy export records --delta 1e-5 --storage sqlite:///priv.db > noised.json
check "each was paid for and released once" awk '
    FNR == 1 { file++ }
    file == 1 { told += gsub(/"step":/, "") + ($0 ~ /"state":"COMPLETE"/) }
    file == 2 { paid += gsub(/"mechanism": "reserved"/, ""); released += gsub(/"mechanism": "gaussian-value"/, "") }
    END { exit !(told == released && paid >= released && paid <= 56) }' noised.jsonl noised.json
check "no value is as it was" [ "$(grep -cE '"value":[0-9]\.[0-9]{1,3}[,}]' noised.jsonl)" -eq 0 ]
good "spent" privacy status records --storage sqlite:///priv.db --delta 1e-5
bad 4 'privacy.evaluations is 56 in the stored study but 70 in the one given' \
    optimize records.json --storage sqlite:///priv.db --records 90000 --evaluations 70 -- ./train {x}
sed 's/"random"/"ldp-tgp", "epsilon": 1/' study.json > ldp.json
bad 8 "study curves is told one private reply a trial: an intermediate value would tell more, and is refused" \
    optimize ldp.json --storage sqlite:///no.db --user ann --prune median -- ./train {x}
sed 's/"seed": 1,/"seed": 1, "constraints": {"c": {"max": 1}},/' study.json > bounds.json
bad 8 "study curves is told 2 outcomes of a trial: an intermediate value would be of the first alone, and is refused" \
    optimize bounds.json --storage sqlite:///no.db --prune median -- ./train {x}
check "and nothing is left behind" [ ! -e no.db ]
good "without a rule" optimize records.json --storage sqlite:///p.db --records 500 --trials 2 --quiet -- ./train {x}
"$tacit" trials curves --storage sqlite:///p.db --format jsonl > out
check "lines are let pass" lacks '"steps"' out
cat > one <<'T'
#!/bin/sh
echo '{"step": 1, "value": 0.5}'
T
chmod +x one
sed 's/"curves"/"lone"/' records.json > lone.json
good "one line with a step" optimize lone.json --storage sqlite:///l.db --records 500 --trials 1 --quiet -- ./one
good "its trial" trials lone --storage sqlite:///l.db --format jsonl
check "is complete, for a last line is the value" says '"state":"COMPLETE"'
check "and has no curve" lacks '"steps"' out
finish
