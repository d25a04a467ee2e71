#!/bin/sh
# best_test.sh - tacit best from outside: by what was seen, by the model, and which of the two where nobody says.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep and awk. Prints one "ok" or "not ok" line per check; the
# exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/../support/frame.sh"
TACIT_STORAGE=sqlite:///best.db
export TACIT_STORAGE
says() { grep -q -- "$1" out; }
notes() { grep -qxF -- "$1" err; }

# ---- private replies: 304 users, one bit each; their share of ones is largest at 0.3, and the first says "one" at 0.969
cat > doses.json <<'J'
{"name": "doses", "direction": "maximize", "trials": 400, "seed": 3,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "ldp-tgp", "epsilon": 1, "reply": "onebit", "bound": 1, "noise_bound": 1}}
J
awk 'BEGIN {
    M = 2 * (exp(1) + 1) / (exp(1) - 1); print "x,value"
    for (i = 0; i < 16; i++) printf "0.96875,%.17g\n", i == 0 ? M : i % 3 ? -M : M
    for (u = 0; u < 16; u++) for (k = 1; k <= 18; k++) {
        x = k / 20; ones = int(16 * (0.75 - 1.2 * (x - 0.3) * (x - 0.3)) + 0.5)
        printf "%g,%.17g\n", x, (5 * u + 3 * k) % 16 < ones ? M : -M
    }
}' > replies.csv
check "304 users" test "$(wc -l < replies.csv)" -eq 305
good "their replies" import doses.json replies.csv --quiet
good "the one to take" best doses
check "lies at the optimum" says '^ *[0-9]*  COMPLETE  4.32791  [0-9.]*  [0-9.]*  0.3$'
check "with the mean and its uncertainty" says '^trial  state  *value  *mean  *sd  *x$'
check "and why" notes 'by the model, because values are private replies, of which a single one says little'
good "as it was seen" best doses --by seen
check "the first of many equals" says '^ *0  COMPLETE  4.32791  0.96875$'
check "because it was asked for" notes 'by what was seen, because it was asked for'
good "quietly" best doses --quiet --format json
check "nothing is noted" test ! -s err
check "JSON has it all" says '"params":{"x":0.3},.*"mean":[0-9.]*,"sd":[0-9.]*,"by":"model","because":"values are private replies, of which a single one says little"}'
good "CSV" best doses --format csv
check "has two more columns" says '^trial,state,value,params_x,datetime_start,datetime_complete,worker,reason,mean,sd$'

# ---- values with noise, and without
cat > try <<'S'
#!/bin/sh
awk -v x="$1" -v n="$2" -v t="$3" 'BEGIN { u = sin(7919 * (t + 1) * (t + 1)); print (x - 0.3) ^ 2 + n * u }'
S
chmod +x try
study() { # NAME ALGORITHM [MORE]
    cat > "$1.json" <<J
{"name": "$1", "direction": "minimize", "trials": 30, "seed": 3${3:-},
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "$2"}}
J
}
study exact gp-ei
good "an exact function" optimize exact.json -- ./try '{x}' 0 0
check "is by what was seen" grep -q '^by what was seen, because the model takes .*% of the variance of the values for noise$' err
cp out optimized
good "best" best exact
check "says the same as optimize" cmp -s out optimized
good "by the model, if one wants" best exact --by model --format json
check "it is there as well" says '"params":{"x":0.30.*"by":"model","because":"it was asked for"}'
study noisy gp-ei
good "a noisy one" optimize noisy.json -- ./try '{x}' 0.2 '{trial}'
check "is by the model" grep -q '^by the model, because the model takes .*% of the variance of the values for noise$' err
study records gp-ei ', "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "range": [0, 1]}'
good "a study that protects records" optimize records.json --records 1000 -- ./try '{x}' 0 0
check "is by the model" notes 'by the model, because values carry noise that was added on purpose'
study chance random
good "an algorithm without a model" optimize chance.json --trials 3 -- ./try '{x}' 0 0
check "is by what was seen" notes 'by what was seen, because random has no model of its values'

# ---- refusals
bad 8 "nothing can be recommended by the model: random has no model of its values" best chance --by model
study young gp-ei
good "a young study" optimize young.json --trials 2 --quiet -- ./try '{x}' 0 0
bad 4 "nothing can be recommended by the model: gp-ei has too few values for its model yet" best young --by model
good "has a best value all the same" best young
check "and says why it is that" notes 'by what was seen, because gp-ei has too few values for its model yet'
bad 2 '--by must be one of auto, model, seen, got "mean"' best young --by mean
study empty gp-ei
good "a study without values" ask empty.json
bad 4 "no trial of empty is complete yet" best empty
bad 4 "no trial of empty is complete yet" best empty --by model
finish
