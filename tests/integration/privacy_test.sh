#!/bin/sh
# privacy_test.sh - `tacit privacy` from outside: published numbers, brackets, bad input, the audit.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. Prints one "ok" or
# "not ok" line per check; the exit status is 0 only if all are ok.
set -u

frame_verb=privacy
. "$(dirname "$0")/../support/frame.sh"
man=$root/docs/man/tacit.1

says() {
    grep -qF -- "$1" out
}

# value KEY: the first number with this key in the JSON output
value() {
    awk -v key="\"$1\": " 'i = index($0, key) { s = substr($0, i + length(key)); sub(/[,}].*/, "", s); print s; exit }' out
}

# near KEY VALUE TOLERANCE
near() {
    awk -v a="$(value "$1")" -v b="$2" -v t="$3" \
        'BEGIN { if (a == "") exit 1; d = a - b; exit !(d <= t && -d <= t) }' || { echo "# $1 is $(value "$1")"; return 1; }
}

# below A B: two numbers in order, both there
below() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 <= b + 0) }' || { echo "# $1 > $2"; return 1; }
}

: > out
: > err

# ---- help

for verb in account calibrate tune plan status export audit; do
    good "$verb --help" "$verb" --help
    check "$verb --help shows its usage" says "Usage: tacit privacy $verb"
    cp out help.txt
    "$tacit" help privacy "$verb" > out 2> err
    check "help privacy $verb says the same" cmp -s out help.txt
    sed -n 's/^  --\([a-z-]*\).*/\1/p' help.txt > names
    lacking=""
    while read -r option; do
        grep -q -- "Fl -$option\( \|\$\)" "$man" || lacking="$lacking --$option"
    done < names
    check "the manual explains $verb$lacking" [ -z "$lacking" ]
    check "the manual has a section on privacy $verb" grep -q "^\.Ss privacy $verb\$" "$man"
done
good "--help of the family" --help
check "it lists its verbs" says "privacy calibrate"
bad 2 "needs a second word: account, calibrate, tune, plan, sheet, status, export, audit"
bad 2 'there is no verb "privacy acount"; did you mean "privacy account"?' acount --delta 0.1
bad 2 'there is no verb "privacy zzzzzz"; tacit privacy --help lists them' zzzzzz

# ---- the published numbers: Abadi's accountant

# published Q Z T DELTA EPSILON
published() {
    run 0 account --noise-multiplier "$2" --sampling-rate "$1" --rounds "$3" --delta "$4" \
        --accountant moments --format json && near epsilon "$5" 0.005
}
n200=0.00294352 # 200^-1.1
n29=0.024624    # 29^-1.1
check "published: 5.93" published 0.15 1.0 40 $n200 5.93
check "published: 9.91" published 0.25 1.0 40 $n200 9.91
check "published: 20.12" published 0.50 1.0 40 $n200 20.12
check "published: 7.39" published 0.25 1.2 40 $n200 7.39
check "published: 5.22" published 0.25 1.5 40 $n200 5.22
check "published: 15.17" published 0.35 1.0 60 $n29 15.17
check "published: 7.12" published 0.35 1.6 60 $n29 7.12
check "published: 5.14" published 0.35 2.0 60 $n29 5.14
check "published: 3.05" published 0.35 3.0 60 $n29 3.05
check "published: 2.16" published 0.35 4.0 60 $n29 2.16
check "published: 3.75" published 0.10 1.0 60 $n29 3.75
check "published: 5.98" published 0.15 1.0 60 $n29 5.98
check "published: 7.69" published 0.20 1.0 60 $n29 7.69
check "published: 9.82" published 0.25 1.0 60 $n29 9.82
run 0 account --noise-multiplier 1 --sampling-rate 0.25 --rounds 40 --delta 0.00294352 --accountant moments --format json
check "the JSON reads as promised" says '"epsilon": 9.908'

# ---- the tight accountants

setting="--noise-multiplier 1 --sampling-rate 0.25 --rounds 40 --delta 0.00294352"
# shellcheck disable=SC2086  # words
{
good "pld" account $setting --format json
check "pld gives 7.054" near epsilon 7.054 0.003
check "with a lower bound" near epsilon_lower 7.054 0.003
check "below the upper one" below "$(value epsilon_lower)" "$(value epsilon_upper)"
check "which is the value" below "$(value epsilon_upper)" "$(value epsilon)"
check "and the delta" near delta 0.00294352 0
for word in "every agent" "epsilon 7.05" "delta 0.00294352" "(pld)" "Neighbours: all that one agent contributes is replaced by zeros" "Not protected: being on the roster"; do
    check "its statement says: $word" says "$word"
done
pld=$(value epsilon)
good "rdp" account $setting --accountant rdp --format json
check "rdp lies between" below "$pld" "$(value epsilon)"
check "pld and moments" below "$(value epsilon)" 9.908
good "all" account $setting --accountant all --format json
check "an array" grep -q '^\[{"accountant": "pld".*"accountant": "rdp".*"accountant": "moments".*}]$' out
check "the closed form does not apply to samples" awk '/"accountant": "gaussian"/ { exit 1 }' out
good "all, one by line" account $setting --accountant all --format jsonl
check "three lines" [ "$(wc -l < out)" -eq 3 ]
good "all, for people" account $setting --accountant all
check "a table" grep -q '^pld  *7\.05' out
check "and its statement" says "Not protected"
good "all, CSV" account $setting --accountant all --format csv
check "with a statement in every row" [ "$(grep -c 'Not protected' out)" -eq 3 ]
bad 8 'accountant "gaussian" has no formula' account $setting --accountant gaussian
bad 8 'accountant "pure" has no formula' account $setting --accountant pure
}
good "closed form" account --noise-multiplier 1 --delta 1e-5 --accountant gaussian --format json
check "GDP golden value 4.377178" near epsilon 4.377178 1e-6
good "no rounds" account --noise-multiplier 1 --rounds 0 --delta 1e-5 --format json
check "cost nothing" near epsilon 0 0
good "pure composition" account --mechanism laplace --epsilon 0.1 --rounds 100 --accountant pure --format json
check "adds up" near epsilon 10 1e-9
check "at delta 0" near delta 0 0
good "of users" account --mechanism pure --epsilon 1 --rounds 3 --accountant pure --unit user
check "says so" says "every user: epsilon 3, delta 0"
good "fixed-size samples" account --noise-multiplier 4 --sampling-rate 0.1 --rounds 5 --sampling fixed-size --accountant rdp --delta 1e-5 --format json
check "are about replacement" says "replaced by what another"

# sampling hides agents alone: a row or a user is there with another value in the other world
only='sampling with a rate below 1 is accounted for agents only, got rate 0.01 for unit'
for unit in row user; do
    bad 2 "$only $unit" account --noise-multiplier 1 --sampling-rate 0.01 --delta 1e-5 --unit $unit
    bad 2 "$only $unit" account --noise-multiplier 1 --sampling-rate 0.01 --delta 1e-5 --unit $unit --sampling fixed-size --accountant rdp
    bad 2 "$only $unit" account --mechanism laplace --epsilon 1 --sampling-rate 0.01 --delta 1e-5 --unit $unit
    bad 2 "$only $unit" calibrate --epsilon 1 --sampling-rate 0.01 --delta 1e-5 --unit $unit
    bad 2 "$only $unit" plan --rounds 1 --sampling-rate 1,0.01 --noise-multiplier 1 --delta 1e-5 --unit $unit
    good "without sampling, every $unit" account --noise-multiplier 1 --delta 1e-5 --unit $unit --format json
    check "has what Gaussian noise gives" near epsilon 4.377178 1e-6
done

# what people read is on the safe side of what programs read
good "exactly" account --noise-multiplier 8 --rounds 40 --agents 200 --format json
exact=$(value epsilon) lower=$(value epsilon_lower)
good "rounded" account --noise-multiplier 8 --rounds 40 --agents 200
check "epsilon up" below "$exact" "$(awk '/^pld/ { print $2 }' out)"
check "the lower bound down" below "$(awk '/^pld/ { print $3 }' out)" "$lower"
good "a delta with many digits" account --noise-multiplier 8 --delta 1.00000001e-5
check "delta up" awk '/^pld/ && $4 != "1.00001e-05" { exit 1 }' out
check "in words too" says "delta 1.00001e-05"

# extreme settings: an answer or a sentence, soon
good "q = 1e-6, T = 1e6" account --noise-multiplier 1 --sampling-rate 1e-6 --rounds 1e6 --delta 1e-12 --format json
good "z = 0.3, T = 1000" account --noise-multiplier 0.3 --sampling-rate 0.5 --rounds 1000 --delta 1e-12 --format json
check "a large epsilon" below 100 "$(value epsilon)"

# ---- calibrate

good "calibrate" calibrate --epsilon 1 --delta 1e-5 --rounds 40 --sampling-rate 1 --format json
check "z = 23.594" near noise_multiplier 23.594 0.001
check "stays within epsilon" below "$(value epsilon)" 1
check "says whose" says "every agent"
good "calibrate with samples" calibrate --epsilon 1 --delta 1e-5 --rounds 40 --sampling-rate 0.25 --format json
check "needs less noise" near noise_multiplier 6.130 0.001
good "calibrate for people" calibrate --epsilon 1 --delta 1e-5 --rounds 40
check "a table" grep -q '^ *23\.59' out
bad 8 'accountant "gaussian" has no formula' calibrate --epsilon 1 --delta 1e-5 --sampling-rate 0.5 --accountant gaussian
bad 6 "" calibrate --epsilon 1e-6 --delta 1e-12 --rounds 1e15
bad 2 "--epsilon is needed" calibrate --delta 1e-5
bad 2 "epsilon must be a number in (0," calibrate --epsilon 0 --delta 1e-5
bad 2 "epsilon must be a number in (0," calibrate --epsilon -1 --delta 1e-5
bad 2 "rounds must be a whole number in [1," calibrate --epsilon 1 --delta 1e-5 --rounds 0

# ---- tune: the numbers are dp_accounting's RepeatAndSelect (src/privacy/best_of_test.c has more of them)

sgd="--noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000 --delta 1e-5"
good "tune" tune --trials 10 $sgd --format json
check "geometric" near epsilon 3.4328 0.0001
check "one run alone" near epsilon_of_one_run 1.7117 0.0001
check "it names the event" grep -q '"dp_event": "RepeatAndSelect", "mean": 10.0, "shape": 1.0' out
good "tune, Poisson" tune --trials 10 --distribution poisson $sgd --format json
check "dearer than geometric" near epsilon 3.6390 0.0001
check "K may be 0" says "nothing where K is 0"
good "tune for people" tune --trials 10 $sgd
check "what must hold" says "K is drawn without looking at data"
good "tune the other way round" tune --trials 10 --target-epsilon 2 --sampling-rate 0.01 --rounds 1000 --delta 1e-5 --format json
check "within the target" below "$(value epsilon)" 2
check "and near it" below 1.99999 "$(value epsilon)"
bad 2 "--trials is needed" tune --noise-multiplier 1 --delta 1e-5
bad 2 "give either --noise-multiplier or --target-epsilon, not neither" tune --trials 10 --delta 1e-5
bad 2 "give either --noise-multiplier or --target-epsilon, not both" tune --trials 10 --delta 1e-5 --noise-multiplier 1 --target-epsilon 1
bad 2 "a Laplace or pure release is described by --epsilon alone" tune --trials 10 --delta 1e-5 --mechanism pure
bad 2 "--epsilon does not describe a Gaussian release" tune --trials 10 --delta 1e-5 --noise-multiplier 1 --epsilon 1
bad 2 "trials must be a number in [1," tune --trials 0.5 $sgd
bad 2 "shape must be a number in [0," tune --trials 10 --shape -1 $sgd
bad 2 'accountant must be one of rdp, got "pld"' tune --trials 10 --accountant pld $sgd

# ---- plan

good "plan" plan --agents 200
check "48 rows, a header, a statement" awk 'NF == 6 || NF == 7 { rows++ } /Not protected/ { s = 1 } END { exit !(s && rows >= 49) }' out
good "plan, JSON" plan --rounds 40 --sampling-rate 0.25,1 --noise-multiplier 1 --delta 0.00294352 --format json
check "all accountants" grep -q '"pld": 7\.05.*"rdp": 8\.36.*"moments": 9\.90.*"gaussian": null' out
check "with the statement" says '"statement": "Epsilon for every agent, at delta 0.00294352'
good "plan, CSV" plan --rounds 1,2,3 --sampling-rate 1 --noise-multiplier 4 --agents 10 --format csv
check "three rows" [ "$(wc -l < out)" -eq 4 ]
bad 2 '--sampling-rate must be a list of numbers in (0, 1], as in 1,10,40, got "1.5"' plan --agents 10 --sampling-rate 0.5,1.5
bad 2 '--rounds must be a list of whole numbers' plan --agents 10 --rounds 1,2.5
bad 2 '--noise-multiplier must be a list of numbers in (0,' plan --agents 10 --noise-multiplier 1,,2
bad 2 '--noise-multiplier must be a list of numbers in (0,' plan --agents 10 --noise-multiplier 1,nan
bad 2 '--noise-multiplier must be a list of numbers in (0,' plan --agents 10 --noise-multiplier ''

# ---- bad input

for q in 0 -0.1 1.0001 nan inf x; do
    bad 2 'sampling-rate must be a number in (0, 1]' account --noise-multiplier 1 --delta 1e-5 --sampling-rate "$q"
done
for z in 0 -1 nan inf 1e999; do
    bad 2 'noise-multiplier must be a number in (0,' account --delta 1e-5 --noise-multiplier "$z"
done
for delta in 0 -1e-5 1 1.5 nan; do
    bad 2 'delta must be a number in (0, 0.999999]' account --noise-multiplier 1 --delta "$delta"
done
for rounds in -1 1.5 nan 1e30; do
    bad 2 'rounds must be a whole number in [0,' account --noise-multiplier 1 --delta 1e-5 --rounds "$rounds"
done
bad 2 '--noise-multiplier is needed' account --delta 1e-5
bad 2 '--epsilon is needed' account --delta 1e-5 --mechanism laplace
bad 2 '--epsilon does not describe a Gaussian release' account --delta 1e-5 --noise-multiplier 1 --epsilon 1
bad 2 'accountant must be one of pld, rdp, moments, gaussian, pure, all' account --accountant clt --delta 1e-5
bad 2 'one argument too many' account 1

# ---- delta and the number of agents

bad 2 'a delta is needed: give --delta, or --agents N' account --noise-multiplier 1
good "100 agents" account --noise-multiplier 1 --agents 100 --format json
check "delta is 1e-5" near delta 1e-5 0
good "1000 agents" account --noise-multiplier 1 --agents 1000 --format json
check "delta is 1e-6" near delta 1e-6 0
bad 2 'delta must be below 1/N = 0.005 for 200 agents, got 0.005' account --noise-multiplier 1 --agents 200 --delta 0.005
good "a delta above 1/N^2" account --noise-multiplier 1 --agents 200 --delta 0.00294352 --format json
check "is warned of" grep -qF 'warning: delta 0.00294352 is above 1/N^2 = 2.5e-05 for 200 agents' err
good "quietly" account --noise-multiplier 1 --agents 200 --delta 0.00294352 --quiet
check "it is not" [ ! -s err ]

# ---- status

bad 2 "an argument is missing" status
bad 2 "the name of a ledger must not be empty" status "" --delta 1e-5
bad 2 "is a folder" status /tmp --delta 1e-5
bad 3 "tacit.db" status main --delta 1e-5
bad 3 "absent.json" status absent.json --delta 1e-5
echo '{"format": "something else"}' > other.json
bad 2 "other.json: " status other.json --delta 1e-5

# ---- export

bad 2 "an argument is missing" export
bad 2 "the name of a ledger must not be empty" export "" --delta 1e-5
bad 3 "absent.json" export absent.json --delta 1e-5
bad 2 'format must be one of json, registry, got "yaml"' export other.json --delta 1e-5 --format yaml
bad 2 "--curator is needed for --format registry: who publishes the data product" export other.json --delta 1e-5 --format registry
bad 2 "a delta is needed" export other.json
good "export --help" export --help
check "it has one --format" [ "$(grep -c -- '^  --format' out)" -eq 1 ]

# ---- relations: dp_accounting's PLD has 0.725522 and 1.554982, its RDP accountant 0.794522 for both

good "a record that comes or goes" account --noise-multiplier 5 --relation add-remove --unit record --delta 1e-5 --format json
check "costs what dp_accounting says" near epsilon 0.725522 1e-6
check "and says so" says '"relation": "add-remove"'
check "in words" says "all that one member contributes is added or removed"
good "a record that is replaced" account --noise-multiplier 5 --relation replace-one --unit record --delta 1e-5 --format json
check "costs what dp_accounting says" near epsilon 1.554982 1e-6
check "by half the noise" says '"noise_multiplier": 2.5'
good "by rdp" account --noise-multiplier 5 --relation replace-one --unit record --delta 1e-5 --accountant rdp --format json
check "no less" below 1.554982 "$(value epsilon)"
good "DP-SGD, replaced" account --noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000 --relation replace-one --unit record --delta 1e-5 --format json
check "a group of two" near epsilon 3.42 0.01
check "in its event" says '"group_size": 2'
good "the noise for it" calibrate --epsilon 2 --sampling-rate 0.01 --rounds 1000 --relation replace-one --unit record --delta 1e-5 --format json
check "is found" near noise_multiplier 1.501 0.001
bad 2 "--sampling fixed-size is about replacing a member" account --noise-multiplier 1 --sampling fixed-size --sampling-rate 0.5 --relation add-remove --delta 1e-5
bad 2 "sampling with a rate below 1 is accounted for agents only" account --noise-multiplier 1 --sampling-rate 0.5 --unit record --delta 1e-5

# ---- audit

good "audit" audit --seed 1 --runs 20000 --format json
check "every mechanism passes" awk '{ sub(/"controls".*/, "") } /"pass": false/ || !/"pass": true/ { exit 1 }' out
check "every control fails" awk '{ sub(/.*"controls"/, ""); sub(/"as_expected.*/, "") } /"pass": true/ || !/"pass": false/ { exit 1 }' out
for name in gaussian-sum gaussian-sum-vote laplace-vector laplace-sum laplace-sum-oversize gaussian-value gaussian-value-failed laplace-rows gaussian-rows rows-order one-bit-reply piecewise-reply laplace-reply \
    po-gp-ucb-transform renormalised-weights floating-point-laplace un-noised-empty-sample closed-at-a-quorum hash-over-contributions half-the-sensitivity; do
    check "it has $name" says "\"name\": \"$name\""
done
check "claims and bounds" says '"claimed_epsilon": '
check "bounds" says '"empirical_epsilon_lower": '
check "a seeded audit says so" says '"entropy": "seed 1: NOT PRIVATE"'
mv out first
good "the same audit" audit --seed 1 --runs 20000 --format json
check "is the same" cmp -s out first
# With 20000 runs the bound on closed-at-a-quorum is now and then below its claim; with 60000 it is six standard deviations above.
good "an audit of real noise" audit --runs 60000 --confidence 0.999999 --quiet
check "says so" says "Entropy: operating system."
good "the smallest audit at the highest confidence catches every control" audit --seed 3 --runs 20000 --confidence 0.999999 --format csv
check "the stamp is in every row of CSV" awk 'NR == 1 { n = /,entropy$/ } NR > 1 && !/,seed 3: NOT PRIVATE$/ { n = 0 } END { exit !(n && NR == 23) }' out
good "a seeded audit by line" audit --seed 3 --runs 20000 --format jsonl
check "the stamp is in every line" [ "$(grep -c '"entropy": *"seed 3: NOT PRIVATE"' out)" -eq 22 ]
bad 2 'runs must be a whole number in [20000, 10000000], got "19999"' audit --runs 19999
bad 2 'confidence must be a number in [0.5, 0.999999], got "1"' audit --confidence 1
bad 2 '--seed must be a whole number' audit --seed x

finish
