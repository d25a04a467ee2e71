# simulate_records_test.sh - tacit simulate --unit record: noise for single records, what it would promise, how it
# compares, and every kind of bad input.
. "$(dirname "$0")/../support/simulate.sh"

# says TEXT: in out, whose lines may be wrapped
says() { tr '\n' ' ' < out | tr -s ' ' | grep -qF -- "$1"; }

timeless() { sed 's/"seconds":[-+.0-9e]*//g; s/[0-9.]* s; mean/mean/'; }

promise="--unit record --records 1000 --range -5:5 --epsilon 1"
fed="--agents 3 --rounds 3 --runs 2 --dim 2 --lengthscale 0.3 --seed 4 --quiet"

# ---- one party

good "one party" --algorithm gp-ei --objective branin --trials 12 --runs 2 $promise --range 0:300 --quiet
check "says what it would promise" says "NOT PRIVATE: seeded. If deployed: every record: epsilon 1, delta 1e-05 (gaussian) over 12 releases."
check "how much noise that is" says "Each evaluation on 1000 validation records gets noise of standard deviation 3.8"
check "who are neighbours" says "one validation record of one agent is replaced by another"
good "in JSON" --algorithm gp-ei --objective branin --trials 12 --runs 2 $promise --range 0:300 --quiet --format json
check "the unit" says '"per":"study","unit":"record","mechanism":"gaussian-value"'
timeless < out > one
good "again" --algorithm gp-ei --objective branin --trials 12 --runs 2 $promise --range 0:300 --quiet --format json --threads 2
timeless < out > two
check "runs can be repeated" cmp -s one two
for of in gp-ucb ts random; do
    good "$of" --algorithm $of --trials 8 --runs 1 $promise --range 0:300 --quiet
done

# ---- a federation

for of in fts dp-fts-de rgpe taf "gp-ei --set init=3"; do
    good "$of" --algorithm $of $fed $promise
    check "epsilon is spent on the initial values, too" grep -q "^ *0 .* 0.68" out
    check "$of promises" says "every record: epsilon 1, delta 1e-05 (gaussian) over 6 releases"
    check "and no more than that" says "messages are made of such values and get no more"
done
good "compared" --algorithm fts $fed $promise --versus "gp-ei; gp-ei,unit=none; dp-fts-de; dp-fts-de,unit=agent; fts,unit=none"
check "fts sends values" says "mode general, message values"
check "dp-fts-de votes, without noise" says "z of the weights 0, z of the vote 0"
check "with noise in the values" says "over 6 evaluations, with noise of sd 0.09"
check "an arm for agents" says "if deployed: epsilon 0.99"
check "both are explained" says "Guarantees are those of a deployment, for every agent."
check "each by its name" says "Where it says every record: Each evaluation on 1000 validation records"
good "records that differ" --algorithm fts $fed --unit record --records 300,5000 --range -5:5 --epsilon 1
check "have noise that differs" says "Each evaluation on 300, 5000 validation records gets noise of standard deviation 0.018"
good "in JSON" --algorithm fts $fed --unit record --records 300,5000 --range -5:5 --epsilon 1 --format json
check "their unit, number and noise" says '"unit":"record","records":[300,5000],"noise_sd":[0.30'
good "by agent, with a checkpoint" --algorithm fts $fed $promise --by-agent agents.csv --checkpoint kept
good "which goes on" --algorithm fts $fed $promise --by-agent agents.csv --checkpoint kept
bad 4 "is the checkpoint of another simulation" --algorithm fts $fed --unit record --records 999 --range -5:5 --epsilon 1 --by-agent agents.csv --checkpoint kept
good "options that are given win" --algorithm fts $fed $promise --set mode=one-shot --set message=mean
good "a length-scale leaves nothing to vote on" --algorithm dp-fts-de $fed $promise --set lengthscale=0.3
good "nor does one that is told" --algorithm dp-fts-de $fed $promise --tell constants

# ---- what is refused

for of in fts gp-ei; do
    bad 2 "--unit record needs --records N: how many validation records agents have" --algorithm $of --unit record --range 0:1 --epsilon 1
    bad 2 "--unit record needs --range LOW:HIGH: the bounds of each record's loss" --algorithm $of --unit record --records 9 --epsilon 1
    bad 2 "--unit record needs --epsilon E: what all evaluations may cost together" --algorithm $of --unit record --records 9 --range 0:1
done
bad 2 "--records is for --unit record" --records 100
bad 2 "--range is for --unit record" --range 0:1
bad 2 '--unit must be record, or a number in (0, 1000000000000], not "rows"' --unit rows
bad 2 '--records must be whole numbers from 1 to 1e15, as in 1000 or 300,5000, not "many"' --algorithm fts $fed --unit record --records many --range 0:1 --epsilon 1
bad 2 '--range must be LOW:HIGH with LOW below HIGH, as in 0:1, not "1:0"' --algorithm fts $fed --unit record --records 9 --range 1:0 --epsilon 1
bad 2 "--unit record does not go with --past" --algorithm fts $fed $promise --past 5
bad 2 "--unit record does not go with --reply" --algorithm gp-ei $promise --reply auto
bad 2 "--unit record does not go with --pulls" --algorithm hct $promise --pulls 100
printf 'agent,x1,x2,value\n0,0,0,1\n' > warm.csv
bad 2 "--unit record does not go with --warm" --algorithm fts $fed $promise --warm warm.csv
bad 2 "--unit record and --set noise_multiplier must not both be given" --algorithm dp-fts-de $fed $promise --set noise_multiplier=2
bad 2 "--unit record is for algorithms that are told values, and ldp-tgp is told replies" --algorithm ldp-tgp $promise
bad 2 "--unit record is for algorithms that are told values, and hct is told rewards" --algorithm hct --objective garland $promise
bad 2 '--versus: unit must be record, agent or none, with --unit record, got "row"' --algorithm fts $fed $promise --versus "gp-ei,unit=row"
bad 2 '--versus: unit must be record, agent or none, with --unit record, got "none"' --algorithm fts $fed --versus "gp-ei,unit=none"
bad 2 "message=values is for own=gp, and own is features" --algorithm fts $fed --set own=features --set message=values
bad 2 "message=values weighs agents by their values: choose=given is not for it" --algorithm fts $fed --set choose=given --set given=1,1,1 --set message=values

finish
