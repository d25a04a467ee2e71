#!/bin/sh
# search_test.sh - tacit optimize --protect search: paid before anything runs, only the winner is kept and printed, nothing tells
# how many runs there were, and a search that was killed is paid for and never goes on.
set -u

. "$(dirname "$0")/../support/frame.sh"

cat > study.json << 'END'
{ "name": "net", "direction": "maximize", "trials": 8, "algorithm": { "name": "random" },
  "space": { "lr": { "type": "float", "low": 1e-4, "high": 1, "log": true },
             "layers": { "type": "int", "low": 1, "high": 4 },
             "opt": { "type": "choice", "choices": ["adam", "sgd"] } } }
END
sed 's/random/gp-ei/' study.json > ei.json
sed 's/"algorithm": { "name": "random" }/"algorithm": { "name": "dp-fts-de" }, "federation": { "agents": 5 }, "privacy": "none"/' study.json > many.json
# Its score is lr itself; it leaves a mark for each run, as no program should.
cat > train << 'END'
#!/bin/sh
echo "$1 $2 $3 $4 $TACIT_TRIAL" >> ran
echo "run of $1" >&2
echo "$1"
END
chmod +x train
search="optimize study.json --protect search --trials 6 --noise-multiplier 40 --epsilon 50 --delta 1e-5"
# shellcheck disable=SC2086  # words
searched() { code=$1; shift; run "$code" $search "$@" -- ./train '{lr}' '{layers}' '{opt}' '{trial}'; }
entries() { # N [LEDGER [WORD...]]
    entries=$1 ledger=${2:-records}
    if [ $# -lt 2 ]; then shift; else shift 2; fi
    "$tacit" privacy status "$ledger" --delta 1e-5 --format json "$@" > status && grep -q "\"entries\": $entries, \"head\"" status
}
best() { sort -g -r ran | head -1; }
says() { grep -qF -- "$1" out; }

# ---- the winner

check "a search" searched 0 --format json
check "prints the best run's value" says "\"value\":$(best | cut -d ' ' -f 1),"
check "and its parameters" says "\"layers\":$(best | cut -d ' ' -f 2),\"opt\":\"$(best | cut -d ' ' -f 3)\"}"
check "and where it stands" says '"ledger":"records","entry":2,"epsilon":'
check "and what is protected" says 'Record-level privacy: epsilon '
check "and what is not" says 'Not protected: from whoever sees how long the search takes'
check "a note has the price, and nothing else is said" sh -c '[ "$(wc -l < err)" -eq 1 ] && grep -q "^the search costs epsilon [0-9.]* at delta 1e-05, charged to ledger records before it starts" err'
check "there is no study" sh -c '"$0" studies --format csv > studies && [ "$(wc -l < studies)" -eq 1 ]' "$tacit"
check "the ledger has the price and the winner" entries 2
check "the same command is another search" searched 0 --quiet
check "says nothing while it runs" [ ! -s err ]
check "a table for people" grep -q '^ *value  *lr  *layers  *opt' out
check "and is charged again" entries 4
check "runs have random numbers" sh -c '[ "$(cut -d " " -f 5 ran | sort -u | wc -l)" -eq "$(wc -l < ran)" ] && ! grep -q " [0-9]$" ran'
check "a table of numbers" searched 0 --quiet --format csv --jobs 3
check "has one row" sh -c '[ "$(wc -l < out)" -eq 2 ] && head -1 out | grep -q "^value,params_lr,params_layers,params_opt"'

# Whatever K was, what is printed and stored has the same shape.
check "what is stored does not depend on K" sh -c '
    for i in 1 2 3 4 5 6 7 8; do
        rm -f k.db* ran
        "$0" optimize study.json --storage sqlite:///k.db --protect search --trials 6 --noise-multiplier 40 --epsilon 50 --delta 1e-5 \
            --quiet --format csv -- ./train "{lr}" "{layers}" "{opt}" "{trial}" > out 2> err || exit 1
        [ ! -s err ] || exit 1
        wc -l < ran
        echo "$(wc -l < out) $(wc -c < k.db)" >> shapes
    done > numbers
    [ "$(sort -u numbers | wc -l)" -gt 1 ] && [ "$(sort -u shapes | wc -l)" -eq 1 ]' "$tacit"

# The winner is in the exported ledger, which a stranger can check.
check "an exported ledger" run 0 privacy status records --delta 1e-5 --export copy.json --format json
cp out first
check "is read by anybody" run 0 privacy status ./copy.json --delta 1e-5 --format json
check "with the same epsilon" sh -c 'grep -o "\"epsilon\": [0-9.e-]*" first > a; grep -o "\"epsilon\": [0-9.e-]*" out > b; [ -s a ] && cmp -s a b'
check "it has the divergence and from what it follows" sh -c 'grep -q "\"dp_event\": *\"RenyiBound\"" copy.json && grep -q "the best of K runs, K truncated negative binomial with mean 6 and shape 1" copy.json'

# ---- nothing

check "a program that fails" run 0 optimize study.json --protect search --trials 3 --noise-multiplier 40 --epsilon 50 --delta 1e-5 \
    --storage sqlite:///fails.db --format json -- sh -c 'echo secret >&2; echo 1 >> failed; exit 3'
check "yields nothing" says '"value":null,"params":null}'
check "and shows nothing of it" sh -c '! grep -q secret err && [ "$(wc -l < err)" -eq 1 ]'
check "nothing, in a word" sh -c '"$0" optimize study.json --protect search --trials 3 --noise-multiplier 40 --epsilon 50 --delta 1e-5 \
    --storage sqlite:///fails.db --quiet --timeout-s 60 -- false > out && [ "$(head -1 out)" = nothing ]' "$tacit"
check "it is in the ledger" entries 4 records --storage sqlite:///fails.db
check "Poisson, which may draw no run at all" sh -c '
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        "$0" optimize study.json --protect search --trials 1 --distribution poisson --noise-multiplier 400 --epsilon 500 --delta 1e-5 \
            --storage sqlite:///p.db --quiet --format csv -- echo 1 || exit 1
    done > out
    rows=$(grep -c "^1," out)
    [ "$rows" -gt 0 ] && [ "$rows" -lt 30 ]' "$tacit" # each with probability 1e-6 or less

# ---- noise that is added here

check "a score gets noise" run 0 optimize study.json --protect search --trials 4 --score-noise 30 --records 1000 --range 0:1 \
    --storage sqlite:///s.db --epsilon 5 --format json -- echo 0.25
check "so it is another one" sh -c '! grep -q "\"value\":0.25," out && grep -q "\"value\":0[.][0-9]" out'
check "whose terms are in the statement" says 'its score with Gaussian noise of 30 times 0.001, by which a replaced record moves it at most'
check "delta is that of the records" says '"delta":1e-06,'
check "a failure is noised as the worst end" run 0 optimize study.json --protect search --trials 4 --score-noise 30 --sensitivity 0.001 --range 0:1 \
    --storage sqlite:///s.db --epsilon 50 --delta 1e-6 --format json -- false
check "and is no failure outside" sh -c 'grep -q "\"value\":-\{0,1\}0[.][01]" out || grep -q "e-0" out'

# ---- a limit

bad 9 'the privacy budget of every record (epsilon 0.1, delta 1e-05) does not allow this release: spent 0, asked ' \
    optimize study.json --protect search --trials 6 --noise-multiplier 4 --epsilon 0.1 --delta 1e-5 --storage sqlite:///l.db --quiet -- touch started
check "nothing has run" [ ! -e started ]
check "one fits" run 0 optimize study.json --protect search --trials 6 --noise-multiplier 20 --epsilon 1.2 --delta 1e-5 --storage sqlite:///l.db --quiet -- echo 1
bad 9 'does not allow this release: spent ' \
    optimize study.json --protect search --trials 6 --noise-multiplier 20 --epsilon 1.2 --delta 1e-5 --storage sqlite:///l.db --quiet -- touch started
check "and two do not" [ ! -e started ]
check "another ledger is another matter" run 0 optimize study.json --protect search --trials 6 --noise-multiplier 20 --epsilon 1.2 --delta 1e-5 \
    --storage sqlite:///l.db --ledger others --quiet -- echo 1

# ---- killed

killed=0 n=1
preload=$(realpath "${KILL_AT:-$(dirname "$tacit")/tests/libkill_at.so}" 2> /dev/null)
if [ -e "$preload" ]; then
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
    export ASAN_OPTIONS
    wrong=
    while [ $n -lt 200 ]; do
        rm -f kill.db* out
        LD_PRELOAD="$preload" TACIT_KILL_AT=$n "$tacit" optimize study.json --protect search --trials 2 --noise-multiplier 40 --epsilon 50 --delta 1e-5 \
            --storage sqlite:///kill.db --quiet --format csv -- echo 1 > out 2> err
        code=$?
        [ $code -eq 137 ] || break
        killed=$((killed + 1))
        rows=$(wc -l < out)
        # What was printed is in the ledger, which goes on from what it has.
        if "$tacit" privacy status records --storage sqlite:///kill.db --delta 1e-5 --format json > status 2> /dev/null; then
            had=$(sed 's/.*"entries": \([0-9]*\), "head".*/\1/' status)
        else
            had=0
        fi
        [ "$rows" -eq 0 ] || [ "$had" -eq 2 ] || wrong="$wrong $n"
        "$tacit" optimize study.json --protect search --trials 2 --noise-multiplier 40 --epsilon 50 --delta 1e-5 \
            --storage sqlite:///kill.db --quiet --format csv -- echo 1 > out 2> err || wrong="$wrong $n"
        entries $((had + 2)) records --storage sqlite:///kill.db || wrong="$wrong $n"
        n=$((n + 3))
    done
    check "killed at $killed places, what is paid stays paid and a new start pays ($wrong)" [ -z "$wrong" ]
    check "there were some" [ $killed -gt 5 ]
else
    check "there is a library that kills: $preload" false
fi
cat > wait << 'END'
#!/bin/sh
touch waits
while [ -e waits ]; do sleep 0.1; done
END
chmod +x wait
"$tacit" optimize study.json --protect search --trials 2 --noise-multiplier 40 --epsilon 50 --delta 1e-5 --storage sqlite:///int.db -- ./wait > out 2> err &
pid=$!
while [ ! -e waits ]; do sleep 0.1; done
kill -TERM $pid # a shell lets what it has in the background ignore SIGINT
wait $pid
check "interrupted" [ $? -eq 130 ]
rm -f waits
check "it says that it is paid for" grep -q 'the search was stopped: it is paid for, has no winner, and cannot be continued' err
check "which it is" entries 1 records --storage sqlite:///int.db

# ---- bad command lines

mkdir empty && cp study.json ei.json many.json empty && cd empty || exit 1
p="--protect search --trials 6"
z="--noise-multiplier 4 --epsilon 3 --delta 1e-5"
# shellcheck disable=SC2086  # words
refuse() { code=$1 text=$2; shift 2; bad "$code" "$text" optimize "$@" -- echo 1; }
# shellcheck disable=SC2086  # words
{
    refuse 2 'protect must be one of nothing, search, got "me"' study.json --protect me
    refuse 2 '--noise-multiplier is for --protect search, which is not given' study.json --noise-multiplier 4
    refuse 2 '--ledger is for studies that protect records' study.json --ledger x
    refuse 2 '--trials is needed: the mean number of runs' study.json --protect search $z
    refuse 2 '--epsilon is needed' study.json $p --noise-multiplier 4 --delta 1e-5
    refuse 2 '--delta is needed where --records is not given' study.json $p --noise-multiplier 4 --epsilon 3
    refuse 2 'say what a run releases: --noise-multiplier' study.json $p --epsilon 3 --delta 1e-5
    refuse 2 '--release-epsilon does not describe a Gaussian release' study.json $p $z --release-epsilon 1
    refuse 2 'a Laplace or pure release is described by --release-epsilon alone' study.json $p $z --mechanism pure
    refuse 2 '--rounds and --sampling-rate describe releases' study.json $p --score-noise 3 --rounds 3 --range 0:1 --records 9 --epsilon 3
    refuse 2 '--score-noise needs --range and either --records or --sensitivity' study.json $p $z --score-noise 3 --range 0:1
    refuse 2 'give either --records or --sensitivity, not both' study.json $p $z --score-noise 3 --range 0:1 --records 10 --sensitivity 1
    refuse 2 '--range is for --score-noise, which is not given' study.json $p $z --range 0:1
    refuse 2 '--range must be LOW:HIGH with LOW below HIGH, as 0:1, got "1:0"' study.json $p $z --score-noise 3 --range 1:0 --records 10
    refuse 2 '--shape is for --distribution negative-binomial' study.json $p $z --distribution poisson --shape 1
    refuse 2 '--delta must be below' study.json $p $z --records 1000 --delta 0.01
    refuse 2 '--user is not for --protect search, which keeps no study' study.json $p $z --user ann
    refuse 2 '--server is not for --protect search' study.json $p $z --server https://127.0.0.1:1
    refuse 2 '--max-failures is not for --protect search' study.json $p $z --max-failures 3
    refuse 2 '--prune is not for --protect search, which keeps no study' study.json $p $z --prune median
    refuse 2 'needs the document itself, got the name "net"' net $p $z
    refuse 2 'a search draws its points at random, independently of each other: the document'"'"'s algorithm must be "random", got "gp-ei"' ei.json $p $z
    refuse 2 'a search is of one party, and study net is of a federation' many.json $p $z
    refuse 8 'Poisson sampling is accounted where records are added or removed' study.json $p $z --sampling-rate 0.1 --relation replace-one
    bad 3 'there is no program "no-such-program" in PATH' optimize study.json $p $z --quiet -- no-such-program
}
check "nothing was paid for" entries 0

finish
