#!/bin/sh
# ldp_test.sh - tacit simulate with private users, from outside: algorithms with a curator, --reply
# for the others, what is said of privacy, tables with a given covariance, and every kind of bad
# input.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. Prints one "ok" or
# "not ok" line per check; the exit status is 0 only if all are ok.
set -u

. "$(dirname "$0")/../support/simulate.sh"

# bad TEXT WORD...: exits with 2 and says one sentence with TEXT
bad() { check "refused: $1" refused 2 "$@"; }

# says TEXT: in out, whose lines may be wrapped
says() {
    tr '\n' ' ' < out | grep -qF -- "$1"
}

# final: the mean cumulative regret after the last trial, of JSON
final() {
    sed 's/.*"by_run".*"cumulative_regret":\[\([^]]*\)\].*/\1/' out |
        awk -F, '{ for (i = 1; i <= NF; i++) sum += $i; print sum / NF }'
}

# below X Y
below() {
    awk -v x="$1" -v y="$2" 'BEGIN { exit !(x != "" && y != "" && x + 0 < y + 0) }'
}

# What may differ between two runs of one command.
timeless() {
    sed 's/"seconds":[-+.0-9e]*//g'
}

: > out
: > err
synthetic="--objective rkhs-se --noise uniform --noise-scale 1 --trials 400 --runs 3 --seed 2 --quiet"
reply="--reply onebit --reply-epsilon 1 --reply-bound 2"
known="--set kernel=se --set lengthscale=0.2 --set fit=false --set beta=4"

# ---- algorithms with a curator

for algorithm in ldp-tgp ldp-ata ldp-moma; do
    good "$algorithm" --algorithm $algorithm $synthetic
    check "says that it is not private" says "NOT PRIVATE: seeded. If deployed: every user: epsilon 1, delta 0"
    check "what m replies cost" says "m replies of one user cost m times as much"
    check "what is not protected" says "Not protected: that a user replied, when and how often"
    check "whether a theorem applies" says "of Zhou and Tan (2021)"
done
good "its own epsilon" --algorithm ldp-tgp --set epsilon=0.5 $synthetic --format json
check "is what a reply costs" says '"if_deployed":{"epsilon":0.5,"delta":0.0,"per":"reply","unit":"user"'
check "of a seeded run" says '"privacy":{"private":false,"reason":"seeded","if_deployed"'
check "with the theorem" says '"theorem":"Theorem 3 of Zhou and Tan (2021) applies if'
timeless < out > one.json
good "with three threads" --algorithm ldp-tgp --set epsilon=0.5 $synthetic --format json --threads 3
timeless < out > three.json
check "has the same bits" cmp one.json three.json

# ---- a theorem is about what it says, and a simulation knows its noise

verdict() { # TEXT WORD...
    text=$1
    shift
    check "no theorem: $text" run 0 --objective rkhs-se --trials 200 --runs 1 --quiet "$@"
    check "which is said" says "does not apply: $text."
}
verdict "it is about Laplace replies" --algorithm ldp-tgp --set reply=onebit --noise uniform --noise-scale 1
verdict "horizon is 10 and 200 trials are planned" --algorithm ldp-ata --set horizon=10 --noise uniform --noise-scale 1
verdict "the noise reaches 3 and noise_bound is 1" --algorithm ldp-tgp --noise uniform --noise-scale 3
verdict "the noise is unbounded and noise_bound is 1" --algorithm ldp-tgp --noise student-t --noise-scale 1
verdict "it is not about tail=weibull" --algorithm tgp-ucb --set tail=weibull --set alpha=0.5 --noise student-t --noise-scale 1
verdict "the noise has no moment of order 2" --algorithm tgp-ucb --noise pareto --noise-scale 1

# ---- replies cost regret, and less of it with more epsilon

narrow="--set width=8 --format json"
good "epsilon 8" --algorithm ldp-tgp --set epsilon=8 $narrow $synthetic
much=$(final)
good "epsilon 0.2" --algorithm ldp-tgp --set epsilon=0.2 $narrow $synthetic
little=$(final)
check "has more regret than epsilon 8" below "$much" "$little"
good "gp-ucb, told observations" --algorithm gp-ucb $known --set noise=0.3 --set standardize=false $synthetic --format json
plain=$(final)
check "claims nothing" sh -c '! grep -q "\"privacy\"" out'
good "gp-ucb, told one bit each" --algorithm gp-ucb $known $reply $synthetic --format json
bits=$(final)
check "has more regret than with observations" below "$plain" "$bits"
check "names the mechanism" says '"mechanism":"one-bit-reply"'

# ---- the model follows from the public law of the reply

check "noise is the variance of a reply" says '"variance":1.0,"noise":18.7307775'
check "in units of rewards" says '"standardize":false'
good "it says so" --algorithm gp-ucb $known $reply --objective rkhs-se --trials 5 --runs 1
check "on standard error" grep -q 'The model has noise=18.7308 (replies have sd 4.32791) and variance=1' err
good "a noise that is given" --algorithm gp-ucb $known --set noise=3 $reply $synthetic --format json
check "stays, and so does the rest" says '"variance":1.0,"noise":3.0,"standardize":true'
for kind in auto piecewise laplace; do
    good "$kind through ts" --algorithm ts --objective rkhs-se --reply $kind --reply-epsilon 2 --reply-bound 1 --trials 20 --runs 1 --quiet
done
good "an algorithm without a model" --algorithm random $reply $synthetic --format json
check "is told replies too" says '"mechanism":"one-bit-reply"'

# ---- arms with a given covariance, and rewards that are measurements

some="--objective rkhs-se --trials 5 --runs 1 --quiet"

cat > arms.csv << 'END'
k_1,k_2,k_3,value_1,value_2,value_3
1,0.5,0,10,12,11
0.5,1,0,20,25,18
0,0,1,5,4,6
END
table="--objective table:arms.csv --table-columns replicates --set kernel=given --set bound=21 --set noise_bound=4"
good "a table" --algorithm ldp-tgp $table --set epsilon=8 --set width=30 --trials 600 --runs 2 --quiet --format json
check "the best arm is found: half the regret of uniform play" below "$(final)" 2600
given="--objective table:arms.csv --table-columns replicates --set kernel=given --set beta=4 --reply auto --reply-epsilon 8 --reply-bound 25"
good "bounded replies with the same covariances" --algorithm gp-ucb $given --trials 600 --runs 2 --quiet --format json
check "find it too" below "$(final)" 2600
check "the matrix is scaled by the square of half the bound" says '"variance":156.25'
good "expected improvement takes them too" --algorithm gp-ei --objective table:arms.csv --table-columns replicates \
    --set kernel=given --trials 30 --runs 1 --quiet
bad 'kernel must be one of se, matern12, matern32, matern52' --algorithm ts --set kernel=given $some
bad 'kernel given needs as many coordinates as points, got 1' --algorithm ldp-tgp --set kernel=given --objective rkhs-se --trials 5 --runs 1 --quiet

# ---- bad input

bad "--reply needs --reply-epsilon: there is no default" --algorithm gp-ucb --reply auto $some
bad "--reply needs --reply-bound: a public bound" --algorithm gp-ucb --reply auto --reply-epsilon 1 $some
bad "--reply-epsilon is for --reply, which is not given" --algorithm gp-ucb --reply-epsilon 1 $some
bad "--reply-bound is for --reply, which is not given" --algorithm gp-ucb --reply-bound 1 $some
bad "ldp-tgp is told replies by its own options: use --set reply=..." --algorithm ldp-tgp $reply $some
bad "--reply is for one party, and this is a federation" --algorithm gp-ucb $reply --agents 3 --quiet
bad "ldp-moma is told replies of users, and a federation has none" --algorithm ldp-moma --agents 3 --quiet
bad "reply must be one of none, auto, onebit, piecewise, laplace" --algorithm gp-ucb --reply gauss $some
bad "reply-epsilon must be a number in (0, 64]" --algorithm gp-ucb --reply auto --reply-epsilon 0 --reply-bound 1 $some
bad "epsilon must be in [1e-05, 64]" --algorithm gp-ucb --reply auto --reply-epsilon 1e-6 --reply-bound 1 $some

echo "1..$checks"
[ "$failures" -eq 0 ] || echo "# $failures of $checks failed"
[ "$failures" -eq 0 ]
