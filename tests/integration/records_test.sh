#!/bin/sh
# records_test: studies that protect validation records, from the command line: of one party, served and federated.
# Values that leave are noised, failures look like values, a ledger pays before an evaluation, and what is
# missing is said before anything is made.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
here=$dir
cd "$dir"

refused() { # STATUS WORDS COMMAND...
    want=$1 words=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ $got = "$want" ] || { fail "$*: ends with $got, not with $want"; cat err; }
    grep -qF -- "$words" err || { fail "expected \"$words\":"; cat err; }
}
document() { # NAME TRIALS MORE
    cat > "$1.json" <<J
{"name": "$1", "direction": "minimize", "trials": $2, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, $3
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}}
J
}
# The value is about a quarter, which noise makes another number; trial 2 fails.
cat > train <<'J'
#!/bin/sh
echo "$1" >> ran
[ "$1" != 2 ] || exit 3
echo 0.2512345678901234
J
chmod +x train
export TACIT_STORAGE=sqlite:///$here/own.db

# ---- of one party
document one 5 ''
refused 2 "study one protects validation records: say with --records how many there are" \
    "$tacit" optimize one.json -- ./train '{trial}'
refused 2 "--range must be LOW:HIGH with LOW below HIGH" "$tacit" optimize one.json --records 1000 --range 1:0 -- ./train '{trial}'
refused 2 "range must be equal to the [0, 1] of the study's document (metric error)" "$tacit" optimize one.json --records 1000 --range 0:2 -- ./train '{trial}'
refused 2 "privacy.delta must be below 1/n" "$tacit" optimize one.json --records 100000 -- ./train '{trial}'
refused 2 "class_floor is for the metric auc alone" "$tacit" ask one.json --records 1000 --class-floor 3
[ ! -e own.db ] || fail "a refusal leaves a storage"
"$tacit" optimize one.json --records 1000 -- ./train '{trial}' > out 2> err || { fail "optimize"; cat err; }
grep -q "Validation records are protected with epsilon 1, delta 1e-05 over the 5 evaluations" err || fail "no statement"
grep -q "trial 2 failed (.*); it is told as the worse end of the range, with noise" err || { fail "no word of the failure"; cat err; }
"$tacit" trials one --format csv > trials.csv
[ "$(grep -c COMPLETE trials.csv)" = 5 ] || fail "a failure is not a value"
if grep -q ',0\.2512345678901234,' trials.csv; then fail "a value has no noise"; fi
[ "$(sort ran | uniq | wc -l)" = 5 ] || fail "not five evaluations"
refused 2 "--trials must be at most 5, the evaluations that the promise" "$tacit" optimize one.json --records 1000 --trials 6 -- ./train '{trial}'
[ "$(wc -l < ran)" = 5 ] || fail "evaluated what nobody paid for"
refused 2 "records" "$tacit" tell one 0 0.5
refused 2 "--max-failures is not for studies that protect records" "$tacit" optimize one.json --records 1000 --max-failures 3 -- ./train 1
refused 4 "were declared otherwise before" "$tacit" tell one 0 0.5 --records 1000 --ledger another
refused 2 "protects validation records" "$tacit" ask one
"$tacit" privacy status records --delta 1e-5 > out 2> err || { fail "privacy status"; cat err; }
grep -qi "record" out || { fail "privacy status knows no records"; cat out; }

# ---- what a program says beside its value, and what its trainer may cost
document trained 4 ''
cap='{"dp_event": "Gaussian", "noise_multiplier": 20}'
cat > say <<J
#!/bin/sh
case \$1 in
0) echo '{"value": 0.25, "n": 1000, "dp_event": $cap}' ;;
1) echo '{"value": 0.25, "n": 1001, "dp_event": $cap}' ;;
2) echo '{"value": 0.25, "dp_event": {"dp_event": "Gaussian", "noise_multiplier": 10}}' ;;
*) echo 0.25 ;;
esac
J
chmod +x say
trained() { "$tacit" optimize trained.json --records 1000 --ledger trained "$@" -- ./say '{trial}'; }
refused 2 'promises epsilon 1 for its values, and with this trainer costs every record epsilon 1.2' trained --trainer "$cap"
refused 2 'trainer costs nothing' trained --trainer '{"dp_event": "NoOp"}' --epsilon 2 --delta 1e-5
refused 2 'trainer' trained --trainer '{"dp_event": "Sorcery"}' --epsilon 2 --delta 1e-5
refused 2 'trainer and per_person 3 do not go together' trained --trainer "$cap" --epsilon 9 --delta 1e-5 --per-person 3
refused 9 'with its trainer costs every record epsilon 1.2' trained --trainer "$cap" --epsilon 1.1 --delta 1e-5
trained --trainer "$cap" --epsilon 1.3 --delta 1e-5 > out 2> err || { fail "a trainer"; cat err; }
grep -q "Training records are protected as well: the 4 trainings" err || { fail "no statement of the trainer"; cat err; }
grep -q 'trial 1 failed ("n" on the last line is 1001, and 1000 records were declared)' err || { fail "another n"; cat err; }
grep -q 'trial 2 failed (dp_event reports 1 times Gaussian(10)' err || { fail "beyond the cap"; cat err; }
grep -q 'trial 3 failed (no "dp_event" on the last line' err || { fail "no report"; cat err; }
"$tacit" trials trained --format csv > trials.csv
[ "$(awk -F, '$2 == "COMPLETE" && $3 > 0.6' trials.csv | wc -l)" = 3 ] || { fail "three failures"; cat trials.csv; }
if grep -q "records were declared\|dp_event" trials.csv; then fail "why a trial failed has left"; fi
"$tacit" privacy export trained --delta 1e-5 > out 2> err || { fail "export"; cat err; }
[ "$(grep -o '"mechanism": "training"' out | wc -l)" = 4 ] || fail "not four trainings"

# A storage that comes from a backup does not know what was paid for since: nothing is released a second time.
document back 5 ''
"$tacit" ask back.json --records 1000 --ledger back > out 2> err || { fail "ask"; cat err; }
"$tacit" backup back.backup > out 2> err || { fail "backup"; cat err; }
"$tacit" tell back 0 0.5 --records 1000 --ledger back > out 2> err || { fail "tell"; cat err; }
"$tacit" restore back.backup --storage sqlite:///restored.db > out 2> err || { fail "restore"; cat err; }
refused 9 "restored" "$tacit" tell back 0 0.5 --records 1000 --ledger back --storage sqlite:///restored.db

# A second study on the same records needs a limit over both.
document two 5 ''
refused 9 'ledger "records" has paid for another study already' "$tacit" ask two.json --records 1000
"$tacit" ask two.json --records 1000 --epsilon 3 --delta 1e-4 --format json > out 2> err || { fail "a limit"; cat err; }
"$tacit" tell two 0 0.5 --records 1000 --epsilon 3 --delta 1e-4 > out 2> err || { fail "tell"; cat err; }
refused 4 "told already" "$tacit" tell two 0 0.5 --records 1000 --epsilon 3 --delta 1e-4
cat > plain.json <<'J'
{"name": "plain", "direction": "minimize", "space": {"x": {"type": "float", "low": 0, "high": 1}}}
J
refused 2 "protects no records" "$tacit" optimize plain.json --records 5 -- ./train 1
unset TACIT_STORAGE

# ---- served: the ledger is at home, and the coordinator is told noised values alone
export XDG_STATE_HOME=$here/state
document s 4 ''
serve_options=
serve served 0
found_served() {
    field operator_token served.serve > served.op
    remote served create s.json > created
    remote served token s > served.token
    field token served.token > client.txt
}
found_served
at() { "$tacit" "$@" --server "$url" --fingerprint "$pin" --token-file client.txt; }
refused 2 "study s protects validation records" at ask s
: > ran
"$tacit" optimize s --server "$url" --fingerprint "$pin" --token-file client.txt --records 1000 --range 0:1 -- ./train '{trial}' \
    > out 2> err || { fail "optimize at a coordinator"; cat err; }
[ -e state/tacit/records.db ] || fail "no ledger at home"
at trials s --format csv > trials.csv
[ "$(grep -c COMPLETE trials.csv)" = 4 ] || { fail "four values"; cat trials.csv; }
if grep -q ',0\.2512345678901234,' trials.csv; then fail "a coordinator was told a value without noise"; fi

# ---- federated: each agent charges its own ledger, and the coordinator's noise does not matter
for algorithm in dp-fts-de fts; do
    document s 5 "\"algorithm\": \"$algorithm\", \"federation\": {\"agents\": 2, \"deadline_s\": 600},"
    serve "$algorithm" 0
    found "$algorithm" 2
    part() { # NUMBER OPTIONS...
        number=$1
        shift
        "$tacit" agent "$url" --study s --fingerprint "$pin" --token-file "$algorithm.join" \
            --storage "sqlite:///$here/$algorithm-$number.db" "$@" -- ./train '{trial}' > "out-$number" 2> "err-$number"
    }
    none() { part none "$@"; st=$?; cat err-none >&2; return $st; }
    refused 2 "protects validation records: say how many this agent has (--records)" none
    refused 2 "range is missing: somebody else wrote the document" none --records 1000
    refused 2 "privacy.delta must be below 1/n" none --records 100000 --range 0:1
    refused 4 "and this agent takes part up to epsilon 0.5" none --records 1000 --range 0:1 --epsilon 0.5 --delta 1e-5
    refused 2 "give the ledger a limit for all of it" none --records 1000 --range 0:1 --trainer "$cap"
    refused 9 "with its trainer costs every record epsilon" none --records 1000 --range 0:1 --trainer "$cap" --epsilon 1.1 --delta 1e-5
    [ ! -e "$algorithm-none.db" ] || fail "a refusal leaves a storage"
    part 0 --records 1000 --range 0:1 & first=$!
    part 1 --records 500 --range 0:1 --trainer "$cap" --epsilon 9 --delta 1e-5 || { fail "agent 1 of $algorithm"; cat err-1; }
    grep -q "Training records are protected as well: the 5 trainings" err-1 || { fail "no trainer of $algorithm"; cat err-1; }
    wait $first || { fail "agent 0 of $algorithm"; cat err-0; }
    grep -q "Validation records are protected with epsilon 1" err-0 || { fail "no statement of $algorithm"; cat err-0; }
    for number in 0 1; do
        "$tacit" trials s --storage "sqlite:///$here/$algorithm-$number.db" --format csv > trials.csv
        [ "$(grep -c COMPLETE trials.csv)" = 5 ] || { fail "five values of $algorithm"; cat trials.csv; }
        if grep -q ',0\.2512345678901234,' trials.csv; then fail "a value of an agent has no noise"; fi
        "$tacit" inspect s --storage "sqlite:///$here/$algorithm-$number.db" > out 2> err || { fail "inspect"; cat err; }
        if grep -q "NOT PRIVATE" out; then fail "inspect: NOT PRIVATE"; cat out; fi
        "$tacit" privacy status agent --delta 1e-5 --storage "sqlite:///$here/$algorithm-$number.db" > out 2> err || { fail "status"; cat err; }
        if grep -q "NOT PRIVATE" out; then fail "status: NOT PRIVATE"; cat out; fi
        grep -q "epsilon" out || { fail "status of $algorithm"; cat out; }
    done
    part 0 --records 1000 --range 0:1 || { fail "agent 0 again"; cat err-0; }
done

# ---- the value as it was measured is in no file but the program: not as text, nor as the eight bytes of a double. The bytes are looked for as
# text, where every byte is two digits and a blank.
raw_le='0d 9e 2d 27 3a 14 d0 3f' raw_be='3f d0 14 3a 27 2d 9e 0d'
hex() { od -An -v -tx1 "$1" | tr -d '\n'; }
for file in $(find . -type f ! -name train); do
    if grep -qF 2512345678901234 "$file"; then fail "$file has a value without noise"; fi
    case $file in
    *.db|*-wal)
        hex "$file" > "$here.hex"
        if grep -qF " $raw_le" "$here.hex" || grep -qF " $raw_be" "$here.hex"; then fail "$file has the bytes of a value without noise"; fi
        rm -f "$here.hex" ;;
    esac
done
exit $failed
