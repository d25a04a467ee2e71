# simulate_options_test.sh - options of `tacit simulate` that would change nothing are refused, and words are true.
. "$(dirname "$0")/../support/simulate.sh"

one="--algorithm random --trials 3 --runs 1 --quiet"
fed="--algorithm ts --agents 2 --rounds 1 --runs 1 --quiet"
dp="--algorithm dp-fts-de --agents 4 --rounds 1 --runs 1 --set features=10 --quiet"
by_pulls="--algorithm hct --pulls 100 --runs 1 --quiet"
printf 'x1,value\n0,1\n1,2\n' > t.csv

# ---- options of objectives, also with the value that is their default

for of in "$one" "$fed" "$by_pulls"; do
    on="$of --objective garland"
    bad 2 "--heterogeneity is for the objective gp-family, not for garland" $on --heterogeneity 0.1
    bad 2 "--distance is for the objective gp-family, not for garland" $on --distance 0.5
    bad 2 "--lengthscale is for the objectives gp-sample, gp-family and rkhs-*, not for garland" $on --lengthscale 0.2
    bad 2 "--grid is for the objectives gp-sample, gp-family and rkhs-*, not for garland" $on --grid 20
    bad 2 "--table-value is for the objective table:FILE.csv, not for garland" $on --table-value y
    bad 2 "--table-goal is for the objective table:FILE.csv, not for garland" $on --table-goal minimize
    bad 2 "--table-columns is for the objective table:FILE.csv, not for garland" $on --table-columns agents
    bad 2 'did you mean "garland"?' $of --objective garlan --distance 0.5
done
bad 2 "--distance is for the objective gp-family, not for branin" $one --distance 0.5
bad 2 "--table-goal is for the objective table:FILE.csv, not for gp-family" $fed --table-goal minimize
bad 2 "--distance is for the objective gp-family, not for table:t.csv" $fed --objective table:t.csv --distance 0.5
bad 2 "--lengthscale is for the objectives gp-sample, gp-family and rkhs-*, not for table:t.csv" $one --objective table:t.csv --lengthscale 0.2
bad 2 "--heterogeneity does not go with --distance: each says how much agents differ" $fed --distance 0.5 --heterogeneity 0.1
good "a distance" $fed --distance 0.5 --grid 20
good "or none, and another difference" $fed --distance 0 --heterogeneity 0.3 --grid 20
good "a length-scale and a grid of a draw" $one --objective gp-sample --lengthscale 0.3 --grid 20
good "and of rkhs-se" $one --objective rkhs-se --lengthscale 0.3 --grid 20
good "the goal of a table" $one --objective table:t.csv --table-goal minimize --table-value value --table-columns agents

# ---- the scale of noise

bad 2 "--noise-scale needs --noise LAW: observations of branin have no noise of their own" $one --noise-scale 0.1
bad 2 "--noise-scale needs --noise LAW: observations of garland have no noise of their own" $fed --objective garland --noise-scale 0.2
bad 2 "--noise-scale does not go with --noise none" $fed --noise none --noise-scale 0.2
bad 2 "--noise-scale does not go with --noise none" $by_pulls --noise none --noise-scale 0.2
good "with a law" $one --noise gaussian --noise-scale 0.2
good "with the family's own law" $fed --noise-scale 0.2 --grid 20
good "by pulls, where it is uniform" $by_pulls --noise-scale 0.2

# ---- what is promised

for name in ts random; do
    bad 2 "--delta is for algorithms that release with noise (dp-fts-de, dp-pf-pne), and $name is none of them" \
        --algorithm $name --agents 4 --delta 1e-3
done
for name in fts rgpe taf; do
    bad 2 "--accountant is for algorithms that release with noise (dp-fts-de, dp-pf-pne), and $name is none of them" \
        --algorithm $name --agents 4 --accountant pld
done
bad 2 "--delta is for algorithms that release with noise" $fed --delta 1e-3 --versus "random; fts"
bad 2 "--versus: delta is for algorithms that release with noise (dp-fts-de, dp-pf-pne), and ts is none of them" $dp --versus "ts,delta=1e-3"
bad 2 "--accountant is for a federation, and this is one party" $one --accountant rdp
bad 2 "--accountant does not go with --pulls: bandits only pull" $by_pulls --accountant rdp
bad 2 "--trustees is for algorithms that release sums with noise (dp-fts-de, dp-pf-pne), and ts is none of them" $fed --trustees 5
bad 2 "--trustees does not go with --pulls" $by_pulls --trustees 5
bad 2 "trustees must be a whole number in [3, 16], got \"2\"" $dp --trustees 2
bad 2 "trustees must be a whole number in [3, 16], got \"17\"" $dp --trustees 17
bad 2 "--unit record does not go with --trustees" $dp --trustees 3 --unit record --records 100 --range 0:1 --epsilon 1
bad 2 "--versus: trustees must be 0 or a whole number in 3..16, got \"1\"" $dp --versus "dp-fts-de,trustees=1"
bad 2 "--versus: trustees are for algorithms that release sums with noise" $dp --versus "fts,trustees=3"
bad 2 "federation.trustees: sampling_rate must be 1, got 0.5: nobody draws a secret coin for others" $dp --trustees 3 --set sampling_rate=0.5
bad 2 "federation.trustees: mode must be sound, got paper" $dp --trustees 3 --set mode=paper --set own=features
bad 2 "federation.trustees: protect must be client, got record" --algorithm dp-pf-pne --agents 4 --rounds 40 --trustees 3 --set protect=record
good "trustees who add up" $dp --trustees 3 --grid 20
good "or in another arm" $fed --trustees 3 --grid 20 --versus "dp-fts-de,features=10"
good "where there are releases" $dp --delta 1e-3 --accountant rdp --grid 20
good "or another arm has some" $fed --delta 1e-3 --accountant rdp --grid 20 --versus "dp-fts-de,features=10"

study() { # TRIALS ALGORITHM REST
    printf '{"name": "s", "direction": "maximize", "trials": %s, "algorithm": {"name": "%s"}, "federation": {"agents": 4}, %s
        "space": {"x": {"type": "float", "low": 0, "high": 1}}}\n' "$1" "$2" "$3" > s.json
}
study 12 dp-fts-de '"privacy": {"epsilon": 3, "delta": 1e-4},'
good "a document's promise takes a delta" s.json --runs 1 --delta 1e-3 --accountant rdp --grid 20 --quiet
follows="must not both be given: the one follows from the other"
for noise in noise_multiplier vote_multiplier; do
    bad 2 "--epsilon and --set $noise $follows" $dp --epsilon 4 --set $noise=5
done
bad 2 "privacy.epsilon and --set vote_multiplier $follows" s.json --set vote_multiplier=5
bad 2 "--versus: dp-fts-de has epsilon and vote_multiplier; the one follows from the other" $dp --epsilon 4 \
    --versus "dp-fts-de,vote_multiplier=5"
good "noise in place of a document's promise" s.json --runs 1 --grid 20 --quiet --set vote=yes --set vote_multiplier=5 --set noise_multiplier=2
check "is as said" grep -q 'z of the weights 2, z of the vote 5' out
study 12 fts '"privacy": "none",'
good "a document without one" s.json --runs 1 --grid 20 --quiet
bad 2 "--delta is for algorithms that release with noise" s.json --delta 1e-3

# ---- a document with too few trials

study 3 dp-fts-de '"privacy": "none",'
bad 2 "the document has 3 trials, and agents begin with 3 initial points: no round is left; say --rounds, or fewer points" s.json
good "rounds that are said" s.json --rounds 1 --runs 1 --grid 20 --quiet
good "or fewer points" s.json --set initial=2 --runs 1 --grid 20 --quiet --format json
check "and the document is obeyed" grep -q '"initial":2,"trials":3,' out

# ---- a document with more parameters than the objective

printf '{"name": "s", "direction": "maximize", "trials": 5, "algorithm": {"name": "dp-fts-de"}, "privacy": "none",
    "federation": {"agents": 2}, "space": {"x": {"type": "float", "low": 0, "high": 1},
    "k": {"type": "int", "low": 1, "high": 9}, "c": {"type": "choice", "choices": ["a", "b"]}}}\n' > wide.json
wide="wide.json --runs 1 --threads 1"
note="tacit: the document has 3 parameters and the objective gp-family has 1; --dim 3 gives it as many"
noted() { grep -qxF "$note" err; }
silent() { ! grep -q 'the document has' err; }
good "three parameters on the default objective" $wide --grid 20
check "which has one" noted
check "and the header says so" grep -q '^dp-fts-de on gp-family in 1 dimension: 2 agents, ' out
good "against another" $wide --grid 20 --versus ts
check "the header says so too" grep -q '^2 algorithms on gp-family in 1 dimension: 2 agents, ' out
good "as JSON" $wide --grid 20 --format json
check "it is noted" noted
check "and said" grep -q '"objective_options":{"dim":1,' out
good "quiet" $wide --grid 20 --quiet
check "is quiet" [ ! -s err ]
good "as many dimensions" $wide --grid 5 --dim 3
check "are in the header" grep -q '^dp-fts-de on gp-family in 3 dimensions: 2 agents, ' out
check "and nothing is noted" silent
good "one, and that is said" $wide --grid 20 --dim 1
check "is not noted either" silent
good "an objective that has its own dimension" $wide --objective branin
check "needs no word" silent
check "in the header neither" grep -q '^dp-fts-de on branin: 2 agents, ' out
good "a shifted one that takes any" $wide --objective ackley
note="tacit: the document has 3 parameters and the objective ackley has 2; --dim 3 gives it as many"
check "is noted" noted
good "a table" $wide --objective table:t.csv
check "has its columns" silent

# ---- words

"$tacit" objectives gp-family > out 2> err
check "the coordinates of candidates are named" grep -q '^x1  *0 to 1$' out
printf 'agent,x,value\n0,0,1\n1,0,1\n' > warm.csv
bad 2 '"x" is neither agent, value nor a parameter of the objective (point, or its coordinates x1, x2)' $fed --dim 2 --grid 5 --warm warm.csv
printf 'agent,x1,x2,value\n0,0,0.25,1\n1,0,0.5,1\n' > warm.csv
good "coordinates" $fed --dim 2 --grid 5 --warm warm.csv --format json
check "are the only initial points" grep -q '"initial":1,"trials":2,' out
good "more are asked for" $fed --dim 2 --grid 5 --warm warm.csv --set init=5 --format json
check "and known ones count among them" grep -q '"initial":5,"trials":6,' out
printf 'agent,point,value\n0,0,1\n1,3,1\n' > warm.csv
good "or the number of a candidate" $fed --dim 2 --grid 5 --warm warm.csv
good "nothing is released" $fed --grid 20 --format json
check "and the statement ends with its full stop" grep -q 'so nothing was spent\."' out

# ---- what agents are told

# length: the length-scales of all results, one after another
length() { grep -o '"options":{[^}]*}' out | grep -o '"lengthscale":[0-9.]*' | cut -d: -f2 | tr '\n' ' '; }
shared="--agents 2 --rounds 1 --runs 1 --grid 20 --quiet --format json"
for sharer in fts dp-fts-de rgpe taf; do
    usual=0.1 # of one parameter
    good "$sharer" --algorithm $sharer $shared
    check "is told nothing by default" [ "$(length)" = "$usual " ]
    good "$sharer with --tell none" --algorithm $sharer $shared --tell none
    check "is told nothing" [ "$(length)" = "$usual " ]
    good "$sharer with --tell constants" --algorithm $sharer $shared --tell constants
    check "is told the length-scale of the family" [ "$(length)" = "0.03 " ]
    for tell in none constants; do
        good "$sharer is given one, with --tell $tell" --algorithm $sharer $shared --tell $tell --set lengthscale=0.07
        check "which wins" [ "$(length)" = "0.07 " ]
    done
done
good "told all of them" --algorithm ts $shared --tell constants --lengthscale 0.4 --versus "fts; dp-fts-de,lengthscale=0.3"
check "each by itself; ts fits its own" [ "$(length)" = "0.3 0.4 0.3 " ]
study 12 dp-fts-de '"privacy": "none",'
good "a document" s.json --runs 1 --grid 20 --quiet --format json
check "is told nothing" [ "$(length)" = "0.1 " ]
good "a document with --tell constants" s.json --runs 1 --grid 20 --quiet --format json --tell constants
check "is told" [ "$(length)" = "0.03 " ]
good "what is told is part of the simulation" --algorithm fts $shared --tell constants --checkpoint told
bad 4 "told" --algorithm fts $shared --checkpoint told
good "however it is said" --algorithm fts $shared --set lengthscale=0.03 --checkpoint told
rm told
bad 2 "--tell constants is for objectives that are drawn with a length-scale (gp-family, gp-sample, rkhs-*), not for branin" \
    --algorithm fts --agents 2 --objective branin --tell constants
bad 2 "--tell constants is for algorithms whose agents share features (fts, dp-fts-de, rgpe, taf), and ts is none of them" \
    $fed --tell constants --versus random
bad 2 "--tell does not go with --pulls: bandits only pull" $by_pulls --tell none
bad 2 'tell must be one of none, constants, got "all"' $fed --tell all
good "a length-scale beyond the range of the option is told as near as may be" $fed --algorithm fts --grid 20 --lengthscale 0.0008 --tell constants
check "and shown" grep -q 'lengthscale 0.001' out

# ---- units of values

good "values as they are" $fed --grid 20 --format csv
cp out plain.csv
for units in "--value-scale 1000 --value-shift -500" --value-negate "--value-scale 8 --value-shift 3 --value-negate"; do
    good "values told with $units" $fed --grid 20 --format csv $units
    check "to one who standardises them, change nothing" cmp plain.csv out
done
# With default options agents of dp-fts-de find units and length-scale themselves; 30 of them vote.
private="--algorithm dp-fts-de --dim 2 --lengthscale 0.2 --grid 16 --agents 30 --acting 4 --rounds 10 --runs 2 --epsilon 8 --quiet --format csv"
good "a private federation" $private --by-agent plain-agents.csv
cp out plain.csv
for units in "--value-scale 1000 --value-shift -500" --value-negate "--value-scale 1000 --value-shift -500 --value-negate"; do
    good "the same told with $units" $private --by-agent agents.csv $units
    check "has the same regrets" cmp plain.csv out
    check "of each agent" cmp plain-agents.csv agents.csv
done
good "in a federation" $fed --grid 20 --format json --value-scale 1000 --value-shift -500 --checkpoint units
check "units are part of the result" grep -q '"objective_options":{.*"value-scale":1000.0,"value-shift":-500.0,"value-negate":false}' out
bad 4 "units" $fed --grid 20 --value-scale 1000 --checkpoint units
rm units
good "of one party" --algorithm ts --objective gp-sample --grid 20 --trials 5 --runs 1 --quiet --format json --value-negate
check "too" grep -q '"objective_options":{.*"value-scale":1.0,"value-shift":0.0,"value-negate":true}' out
for scale in 0 -1; do
    bad 2 "value-scale must be a number in (0, 1000000000000], got \"$scale\"" $one --value-scale $scale
done
bad 2 'value-shift must be a number in [-1000000000000, 1000000000000], got "2e12"' $one --value-shift 2e12
bad 2 "--value-scale does not go with --pulls: bandits only pull" $by_pulls --value-scale 2

# ---- a picture by agent

good "curves of agents" $fed --agents 3 --rounds 4 --grid 20 --versus random --by-agent ag.csv --out r.csv
frame_verb=plot
good "are drawn" ag.csv
check "a thin line for each" [ "$(grep -c 'stroke-opacity="0.4"' out)" -eq 6 ]
check "and thick ones for the means" [ "$(grep -c '<polyline.*stroke-width="2"' out)" -eq 2 ]
check "with their labels" grep -q '>random<' out
good "cumulative, too" ag.csv --cumulative
mkfifo pipe.csv
cat r.csv > pipe.csv &
good "curves come through a pipe, too" pipe.csv
bad 2 "ag.csv is a file of --by-agent, which is drawn alone; curves to compare are in the file of --out" r.csv ag.csv
sed 2d ag.csv > half.csv
bad 2 "half.csv has 14 rows where 1 runs of 3 agents with 5 iterations have 15: it is not whole" half.csv
frame_verb=simulate

# ---- a folder that is not there

for word in out by-agent checkpoint; do
    bad 3 "--$word no/such/file.csv: there is no such folder" $fed --$word no/such/file.csv
done

finish
