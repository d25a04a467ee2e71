#!/bin/sh
# simulate_pulls_test.sh - tacit simulate --pulls, from outside: what it prints and writes, that neither
# threads nor pauses nor kill -9 change a bit of it, and every kind of bad input.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk; KILL_AT (default:
# ./libkill_at.so, which the build makes) for kills at a chosen write. Prints one "ok" or "not ok"
# line per check; the exit status is 0 only if all are ok.
set -u

preload=$(realpath "${KILL_AT:-./libkill_at.so}")
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"

. "$(dirname "$0")/../support/simulate.sh"

# bad CODE TEXT WORD...: exits with CODE, says one sentence with TEXT, adds no file
bad() { check "refused ($1): $2" leaving_nothing refused "$@"; }

says() {
    grep -qF -- "$1" out
}

# What may differ between two runs of one command.
timeless() {
    sed 's/"seconds":[-+.0-9e]*//g; s/"pulls_per_second":[-+.0-9a-z]*//g'
}

: > out
: > err
small="--objective garland --shift 0.05 --agents 4 --pulls 5000 --runs 3 --seed 2 --quiet"

# ---- what it prints

good "one bandit" --algorithm pf-pne $small
check "says what was run" says "pf-pne on garland: 4 agents, 5000 pulls each, 3 runs, seed 2"
check "with which options" says "children 2, nu 1, rho 0.5, c 0.1, c1 1, delta 0, gap 0.01, transition 0,"
check "what is paid" says "Rewards: values from 0 to 1 become 0 to 1, with noise U(-0.1, 0.1); shifts of sd 0.05."
check "regret at milestones" awk '$1 ~ /^(50|100|250|500|1000|2500|5000)$/ { n++ } END { exit n != 7 }' out
check "what was sent" grep -q '^6 rounds, the last at pull [0-9.]*; [0-9.]* numbers up, [0-9.]* down\.$' out
check "how fast" grep -q '^[0-9.e+]* million pulls per second, [0-9.]* s\.$' out
good "one that is alone" --algorithm hoo --objective garland --pulls 500 --runs 2 --noise none --quiet
check "sends nothing" says "Nothing was sent: every agent searched alone."
check "and is one agent" says "hoo on garland: 1 agent, 500 pulls each"
check "without noise" says "become 0 to 1, without noise."
good "a value to be minimised" --algorithm hct --objective branin --reward-high 309 --pulls 500 --runs 2 --quiet
good "values outside the range" --algorithm hct --objective branin --pulls 500 --runs 2
check "are warned of, once" [ "$(grep -c '^tacit: warning: 98.* % of branin lies outside --reward-low 0 to --reward-high 1' err)" -eq 1 ]
good "by default" --pulls 300 --agents 2 --runs 2 --quiet
check "fed-hct on garland" says "fed-hct on garland: 2 agents, 300 pulls each, 2 runs, seed 0"

for bandit in hct hoo blin pf-pne fed-pne fed-hct; do
    good "$bandit" --algorithm $bandit $small --format json --threads 1
    timeless < out > one.json
    good "$bandit with three threads" --algorithm $bandit $small --format json --threads 3
    timeless < out > more.json
    check "has the same bits" cmp one.json more.json
done

# ---- several

good "a comparison" --algorithm pf-pne $small --versus "hct; pf-pne,gap=0.1; fed-pne" --out c.csv
check "names all of them" says "4 bandits on garland"
check "an item has its own options" grep -q '^   children 2, .*gap 0.1, ' out
check "a column each" grep -q '^pulls  *A  *B  *C  *D' out
check "ratios of later ones to the first" grep -q '^B / A  *500  0\.[0-9]*  *–  ' out
check "few runs have no interval, and why is said" grep -q '^–: an interval takes 5 runs, and there are [2-4]\.$' out
check "of each at three points" [ "$(grep -c ' / A ' out)" -eq 9 ]
check "the file has a row for each and point" [ "$(wc -l < c.csv)" -eq 401 ]
check "with these columns" grep -q '^label,algorithm,objective,agents,runs,seed,pulls,cumulative_regret_mean,cumulative_regret_se$' c.csv
good "the same as JSON" --algorithm pf-pne $small --versus "hct; pf-pne,gap=0.1; fed-pne" --format json
check "results and ratios" grep -q '^{"results":\[{"label":"pf-pne".*"ratios":\[{"label":"hct","over":"pf-pne","pulls":500,' out
check "rounds and numbers" grep -q '"communication":{"rounds":6.0,"last_round_at":[0-9.]*,"numbers_up":[0-9.]*,"numbers_down":[0-9.]*}' out
cp out c.json
sed -n 's/.*"label":"hct","algorithm"\(.*\)"seconds".*/\1/p' c.json | sed 's/"seconds".*//' > a
good "alone" --algorithm hct $small --format json
sed -n 's/.*"label":"hct","algorithm"\(.*\)"seconds".*/\1/p' out > b
check "a bandit does not depend on its company" cmp a b
for file in c.csv c.json; do
    "$tacit" plot $file --out c.svg > out 2> err
    check "plot draws every curve of $file" grep -q '>pf-pne,gap=0.1<' c.svg
    check "by pulls" grep -q '>pulls of each agent<' c.svg
done
good "a federation beside it" --algorithm random --agents 4 --rounds 5 --runs 2 --objective garland --quiet --out f.csv
"$tacit" plot c.csv f.csv --out m.svg > out 2> err
check "has simple regret, and bandits have none" grep -q 'pf-pne was simulated by pulls and has no simple regret; --cumulative draws all of them' err
"$tacit" plot c.csv f.csv --cumulative --out m.svg > out 2> err
check "cumulative regret goes together" [ -s m.svg ]

# ---- killed and resumed

long="--objective garland --shift 0.05 --agents 3 --pulls 400000 --runs 3 --seed 3 --threads 2 --quiet --format json"
for bandit in hct pf-pne fed-hct; do
    good "$bandit undisturbed" --algorithm $bandit $long
    timeless < out > calm.json
    kills=0
    for pause in 0.01 0.02 0.05 0.11 0.07 0.23 0.16 0.31; do
        "$tacit" simulate --algorithm $bandit $long --checkpoint k --checkpoint-every 0 > out 2> err &
        pid=$!
        sleep $pause
        kill -9 $pid 2> /dev/null && kills=$((kills + 1))
        wait $pid 2> /dev/null
    done
    check "$bandit was killed $kills times" [ $kills -ge 1 ]
    good "the same command goes on" --algorithm $bandit $long --checkpoint k --threads 1
    timeless < out > resumed.json
    check "as if nothing had happened" cmp calm.json resumed.json
    check "and leaves no snapshot behind" [ "$(ls k*)" = k ]
    rm k
done

# Ended at a chosen write, sync or renaming; torn: after half of a write.
calls="--algorithm hct --objective garland --agents 2 --pulls 300000 --runs 1 --threads 1 --seed 4 --quiet --format json"
good "undisturbed" $calls
timeless < out > calm.json
for torn in "" 1; do
    for at in 3 4 5 6 7 8; do
        env LD_PRELOAD="$preload" TACIT_KILL_AT=$at ${torn:+TACIT_KILL_TORN=1} \
            "$tacit" simulate $calls --checkpoint k --checkpoint-every 0 > out 2> err
        code=$?
        check "killed at call $at${torn:+, torn}" [ $code -eq 137 ]
        good "goes on" $calls --checkpoint k
        timeless < out > resumed.json
        check "with the same bits" cmp calm.json resumed.json
        check "and leaves no snapshot behind" [ "$(ls k*)" = k ]
        rm k
    done
done
"$tacit" simulate --algorithm hct $long --pulls 40000000 --checkpoint stop --checkpoint-every 0 > out 2> err &
pid=$!
await test -s stop.run-0
kill -TERM $pid # as Ctrl-C; but a script's background jobs ignore SIGINT
wait $pid
check "an interruption ends with 130" [ $? -eq 130 ]
check "and says how to go on" grep -q 'tacit: interrupted; finished runs are in stop, and the same command goes on there$' err
check "its runs are kept" [ -s stop.run-0 ]
bad 4 "must be the same" --algorithm hct $long --pulls 40000000 --set c=0.2 --checkpoint stop
rm stop
check "a snapshot of another one is left as it is" run 4 --algorithm hct $long --checkpoint stop --runs 1
check "and named" grep -q '^tacit: "stop.run-0" is the snapshot of another simulation; it is left as it is$' err
rm stop
echo damage >> stop.run-0
check "a damaged one is refused" run 10 --algorithm hct $long --pulls 40000000 --checkpoint stop --runs 1
check "with the way out" grep -q '^tacit: the snapshot "stop.run-0" is damaged; without it the run begins again$' err
rm -f stop*
"$tacit" simulate --algorithm hct $small --versus "hoo; blin" --checkpoint each > out 2> err
check "a checkpoint for each bandit" wc -c each each.2 each.3 > /dev/null

# ---- bad input

[ "$(getconf _PHYS_PAGES)" -gt 8000000 ] || # 32 GB are not enough
    bad 7 "agents with fed-hct need at least" --agents 16777216 --pulls 1000000000 --runs 1 --quiet
bad 2 "--pulls is for bandits, and gp-ei is none" --algorithm gp-ei --pulls 100
bad 2 "--pulls is for bandits, and random is none" --algorithm hct --pulls 100 --versus random
bad 2 'there is no bandit "hcr"; did you mean "hct"?' --algorithm hcr --pulls 100
for baseline in fed1-ucb fn-ucb; do # they are in papers/
    bad 2 "there is no bandit \"$baseline\"" --algorithm $baseline --agents 2 --pulls 100
    bad 2 "there is no bandit \"$baseline\"" --algorithm pf-pne --agents 2 --pulls 100 --versus $baseline
done
bad 2 "--rounds does not go with --pulls: bandits only pull" --algorithm hct --pulls 100 --rounds 5
for word in "--trials 5" "--drop 0.1" "--past 3" "--epsilon 1" "--delta 0.1" "--warm x.csv" "--by-agent x.csv" \
    "--reply auto" "--reply-epsilon 1" "--reply-bound 1"; do
    bad 2 "${word%% *} does not go with --pulls" --algorithm hct --pulls 100 $word
done
echo '{"name": "s", "direction": "maximize", "trials": 5, "space": {"x": {"type": "float", "low": 0, "high": 1}}}' > s.json
bad 2 "--pulls takes no study document" s.json --pulls 100
bad 2 'pulls must be a whole number in [1, 10000000000], got "0"' --algorithm hct --pulls 0
bad 2 "pf-pne is for a federation of agents: say of how many with --agents" --algorithm pf-pne --pulls 100
bad 2 "--noise must be uniform or none with --pulls: rewards are bounded" --algorithm hct --pulls 100 --noise gaussian
bad 2 "--noise-scale must be in [0, 1] with --pulls, got 2" --algorithm hct --pulls 100 --noise-scale 2
bad 2 "--reward-low must be below --reward-high, not 0 and -1" --algorithm hct --pulls 100 --reward-high -1
bad 2 "the optimum of hartmann6 is -3.32237, outside the rewards" --algorithm hct --objective hartmann6 --pulls 100
bad 2 "--reward-low and --reward-high are for --pulls" --algorithm random --reward-high 2
bad 2 "--checkpoint-every is for --pulls" --algorithm random --checkpoint-every 2
bad 2 'has no option "gapp"' --algorithm pf-pne --agents 2 --pulls 100 --set gapp=1
bad 2 'rho must be a number in [0.01, 0.99], got "2"' --algorithm hct --agents 2 --pulls 100 --versus "hct,rho=2"
bad 2 "blin would begin with 2^64 cubes in dimension 64" --algorithm hct --objective rastrigin --dim 64 --pulls 100 --versus blin
bad 2 '"garlnd"; did you mean "garland"?' --algorithm hct --objective garlnd --pulls 100
bad 3 "--out no/such/file.csv: there is no such folder" --algorithm hct --pulls 100 --out no/such/file.csv
bad 3 "--checkpoint no/such/file: there is no such folder" --algorithm hct --pulls 100 --checkpoint no/such/file --quiet

finish
