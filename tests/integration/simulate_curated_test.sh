#!/bin/sh
# simulate_curated_test.sh - tacit simulate with a curator and a modeler: what is released, what it would
# promise, what it costs in regret, and every kind of bad input.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. Prints one "ok" or
# "not ok" line per check; the exit status is 0 only if all are ok.
set -u

. "$(dirname "$0")/../support/simulate.sh"

# bad TEXT WORD...: exits with 2 and says one sentence with TEXT
bad() { check "refused: $1" refused 2 "$@"; }

# says TEXT: in out, whose lines may be wrapped
says() { tr '\n' ' ' < out | grep -qF -- "$1"; }

# final: the mean simple regret after the last trial, of JSON
final() {
    sed 's/.*"by_run":{"simple_regret":\[\([^]]*\)\].*/\1/' out |
        awk -F, '{ for (i = 1; i <= NF; i++) sum += $i; print sum / NF }'
}

below() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x != "" && y != "" && x + 0 < y + 0) }'; }

timeless() { sed 's/"seconds":[-+.0-9e]*//g'; }

: > out
: > err
# the paper's grid with 40 rows an axis: 25 units from its middle to a corner, length-scale 5
grid="--algorithm po-gp-ucb --objective gp-sample --grid 40 --lengthscale 0.1414 --noise gaussian --noise-scale 0.0032
    --trials 40 --runs 12 --seed 3 --unit 0.0282842712 --quiet"
known="--set fit=false --set lengthscale=5 --set noise=1e-5"

# ---- both sides in one command

good "a table for people" $grid $known --epsilon 2.7 --runs 2
check "says that it is not private" says "NOT PRIVATE: seeded. If deployed: every row: epsilon 2.7, delta 0 (pure) over 1 release"
check "what neighbours are" says "one row moves by at most the public radius"
check "and what is not protected" says "The values of rows that are asked for, and which rows are, are NOT protected"
good "in JSON" $grid $known --epsilon 2.7 --format json
sound=$(final)
check "it is not private" says '"privacy":{"private":false,"reason":"seeded","if_deployed":{"epsilon":2.7,"delta":0.0,"per":"release","unit":"row"'
check "the modeler knows the noise" says '"options":{"input_sd":0.7407'
check "the terms are there" says '"release":{"mode":"sound","rows":1600,"columns":[{"name":"x1","low":0.0,"high":1.0,"unit":0.0282842712}'
timeless < out > one.json
good "with three threads" $grid $known --epsilon 2.7 --format json --threads 3
timeless < out > three.json
check "has the same bits" cmp -s one.json three.json
good "in CSV" $grid $known --epsilon 2.7 --runs 2 --format csv
check "every row has its price" grep -q '^po-gp-ucb,gp-sample,2,3,1,.*,2.7,0,,1$' out
check "the last one says what it means" sh -c 'tail -n 1 out | grep -q "NOT PRIVATE: seeded. If deployed: every row"'
cp out curve.csv
check "which tacit plot reads" "$tacit" plot curve.csv --out curve.svg --quiet

# ---- privacy costs regret

good "epsilon 0.05" $grid $known --epsilon 0.05 --format json
blind=$(final)
check "has more regret than 2.7" below "$sound" "$blind"
good "private answers" $grid $known --epsilon 2.7 --output-epsilon 0.5 --output-bound 3.5 --format json
check "have more too" below "$sound" "$(final)"
check "and their own price" says '"output_epsilon":0.5'
check "in words" says "A row whose value is asked for spends epsilon 0.5 more, once"
check "the modeler knows their noise" says '"output_sd":19.79'
good "hyper-parameters are learned from what was released" $grid --epsilon 10 --format json
check "and serve" below "$(final)" "$blind"

# ---- other ways to release

good "Gaussian noise" $grid $known --epsilon 1 --delta 1e-3 --row-noise gaussian --runs 1 --format json
check "has its mechanism" says '"mechanism":"gaussian-rows"'
good "a projection" $grid $known --epsilon 1 --project 1 --projection-seed 3 --radius 2 --runs 1
check "says so" says "a public projection to 1 directions"
good "paper mode" $grid $known --mode paper --epsilon 2.7 --delta 1e-5 --rank 8 --format json
check "promises nothing" says '"if_deployed":null,"statement":"NOT PRIVATE: seeded. If deployed, there would be no guarantee either'
check "and prints no epsilon" sh -c '! grep -q "\"epsilon\"" out'
printf 'a,b,value\n1,2,3\n2,2,4\n3,1,5\n4,4,1\n' > table.csv
printf 'column,low,high,unit\na,0,5,0.1\nb,0,5,0.1\n' > bounds.csv
good "a table with public bounds" --algorithm po-gp-ucb --objective table:table.csv --bounds-file bounds.csv \
    --epsilon 1 --trials 4 --runs 2 --quiet --format json
check "has them" says '{"name":"b","low":0.0,"high":5.0,"unit":0.1}'
check "all rows are asked: no regret" [ "$(final)" = 0 ]
good "without a curator" --algorithm po-gp-ucb --objective gp-sample --grid 10 --trials 5 --runs 1
check "it says what is seen" grep -q "po-gp-ucb sees the rows themselves; with --epsilon a curator releases them" err
check "and claims nothing" sh -c '! grep -q PRIVATE out'

# ---- bad input

some="--algorithm po-gp-ucb --objective gp-sample --grid 10 --trials 5 --runs 1 --quiet"
bad "--output-bound is for a curator, who needs --epsilon" $some --output-bound 1
bad "--delta is for a curator, who needs --epsilon" $some --delta 0.1
bad "--mode is for a curator, and gp-ucb sees no released rows; po-gp-ucb does" --algorithm gp-ucb --mode paper --quiet
bad "--unit is for a curator, and dp-fts-de sees no released rows" --algorithm dp-fts-de --agents 3 --unit 2 --quiet
bad "--output-epsilon needs --output-bound" $some --epsilon 1 --output-epsilon 1
bad "--output-bound is for --output-epsilon" $some --epsilon 1 --output-bound 1
bad "--unit must not be given with --bounds-file" $some --epsilon 1 --unit 1 --bounds-file bounds.csv
bad "--row-noise gaussian needs --delta" $some --epsilon 1 --row-noise gaussian
bad "--mode paper needs --delta" $some --epsilon 1 --mode paper
bad "--project is not for --mode paper" $some --epsilon 1 --mode paper --delta 1e-5 --project 1
bad "--rank is for --mode paper; --project is the sound one" $some --epsilon 1 --rank 2
bad "it answers: use --output-epsilon and --output-bound instead of --reply" $some --epsilon 1 --reply auto \
    --reply-epsilon 1 --reply-bound 1
bad "a projection must have fewer directions than the 2 columns, got 2" $some --epsilon 1 --project 2
bad "the columns of a table have no public bounds: give --bounds-file" --algorithm po-gp-ucb --objective table:table.csv \
    --epsilon 1 --quiet
printf 'column,low,high\na,0,5\n' > half.csv
bad 'column "b" has no public bounds: half.csv has no line for it' --algorithm po-gp-ucb --objective table:table.csv \
    --bounds-file half.csv --epsilon 1 --quiet
bad "a curator releases rows, and this objective has a continuous space" --algorithm po-gp-ucb --objective branin \
    --epsilon 1 --quiet
bad "the algorithm po-gp-ucb promises nothing; use dp-fts-de" --algorithm po-gp-ucb --agents 3 --epsilon 1 --quiet

finish
