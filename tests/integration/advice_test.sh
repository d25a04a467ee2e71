#!/bin/sh
# advice_test: what a federated study may gain at best is said before anything is spent, by `privacy plan`, `simulate`
# and `remote create`, in the same words; where nothing is known, the reason. And no deployment takes a delta of 1/N.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
document_of() { # NAME AGENTS EPSILON DELTA [ALGORITHM OPTIONS]
    cat > "$dir/$1.json" <<J
{"name": "$1", "direction": "maximize", "trials": 20, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de"${5:-}},
 "federation": {"agents": $2}, "privacy": {"epsilon": $3, "delta": $4}}
J
}
has() { # FILE WORDS: somewhere, whatever the lines
    tr '\n' ' ' < "$1" | grep -qF -- "$2" || { fail "no \"$2\""; cat "$1"; }
}
lacks() { # FILE WORDS
    tr '\n' ' ' < "$1" | grep -qF -- "$2" && { fail "\"$2\""; cat "$1"; }
    return 0
}
expect_of() { sed -n 's/.*\("expect": *{.*}\).*/\1/p' "$1" | sed 's/": /":/g; s/, "/,"/g; s/}, {/},{/g; s/}}$/}/' | head -n 1; }

none="8 agents at epsilon 1: simulations of random smooth functions, even with agents that are alike, show no gain over working alone."
some="200 agents at epsilon 8: in simulations of random smooth functions and agents that are alike, an agent's regret is this share of its regret when working alone: 0."
why="What to expect of this study is not known: only own=gp was simulated."
document_of few 8 1 1e-5
document_of many 200 8 1e-5
document_of old 8 4 1e-5 ', "own": "features", "init": "region"'
document_of told 8 1 1e-5 ', "lengthscale": 0.3'
usual="The length-scale is the usual one in 2 dimensions, 0.168: none is given, and agents do not vote on it."

# ---- a plan
"$tacit" privacy plan "$dir/few.json" > "$dir/out"
has "$dir/out" "$none"
"$tacit" privacy plan "$dir/many.json" > "$dir/out"
has "$dir/out" "$some"
has "$dir/out" " after 1 iteration, 0."
has "$dir/out" " after 5, 0."
has "$dir/out" " after 10."
"$tacit" privacy plan "$dir/old.json" > "$dir/out"
has "$dir/out" "$why"
"$tacit" privacy plan "$dir/few.json" --format csv > "$dir/out"
has "$dir/out" "$none"
"$tacit" privacy plan "$dir/few.json" --format json > "$dir/few.plan"
has "$dir/few.plan" '{"releases": [{"round": 0, "about": null, "noise_multiplier": '
has "$dir/few.plan" '"delta": 1e-05, "statement": "Nothing is spent yet.'
has "$dir/few.plan" '"expect": {"gain": false, "reason": null, "left_open": 0.'
"$tacit" privacy plan "$dir/many.json" --format json > "$dir/many.plan"
has "$dir/many.plan" '"expect": {"gain": true, "reason": null, "left_open": 0.'
has "$dir/many.plan" '"ratios": [{"iteration": 1, "ratio": 0.'
"$tacit" privacy plan "$dir/old.json" --format json > "$dir/out"
has "$dir/out" '"expect": {"gain": null, "reason": "only own=gp was simulated", "left_open": null, "ratios": [], "sentence": "What'

# ---- a length-scale that nobody chose
"$tacit" privacy plan "$dir/few.json" > "$dir/out"
has "$dir/out" "$usual"
has "$dir/few.plan" '"usual_lengthscale": 0.168'
for study in many told; do # by vote, and as given
    "$tacit" privacy plan "$dir/$study.json" > "$dir/out"
    lacks "$dir/out" "The length-scale is"
    "$tacit" privacy plan "$dir/$study.json" --format json > "$dir/out"
    has "$dir/out" '"usual_lengthscale": null'
done

# ---- a simulation of the same study
simulate() { "$tacit" simulate "$@" --objective gp-family --dim 2 --grid 8 --acting 1 --runs 1 --threads 1 --quiet; }
simulate "$dir/few.json" > "$dir/out"
has "$dir/out" "$none"
simulate "$dir/old.json" > "$dir/out"
has "$dir/out" "$why"
simulate "$dir/few.json" --versus "ts; dp-fts-de,broadcast=none; dp-fts-de,epsilon=0.5" > "$dir/out"
has "$dir/out" "A: $none"
has "$dir/out" "D: 8 agents at epsilon 0.5: simulations of random"
lacks "$dir/out" "C: "
lacks "$dir/out" "only broadcast=normal was simulated"
simulate "$dir/few.json" --format json > "$dir/few.simulated"
simulate "$dir/many.json" --format json > "$dir/many.simulated"
simulate "$dir/few.json" --algorithm ts --format json > "$dir/out"
lacks "$dir/out" '"expect"'
for study in few many; do
    [ -n "$(expect_of "$dir/$study.plan")" ] || fail "no expectation in the plan of $study"
    [ "$(expect_of "$dir/$study.plan")" = "$(expect_of "$dir/$study.simulated")" ] ||
        { fail "$study: plan and simulation differ"; expect_of "$dir/$study.plan"; expect_of "$dir/$study.simulated"; }
done

# ---- a deployment
serve here 0
field operator_token "$dir/here.serve" > "$dir/here.op"
for study in few many; do
    remote here create "$dir/$study.json" > "$dir/$study.created" 2> "$dir/$study.err" || fail "create $study"
    [ "$(expect_of "$dir/$study.plan")" = "$(expect_of "$dir/$study.created")" ] ||
        { fail "$study: plan and deployment differ"; expect_of "$dir/$study.plan"; expect_of "$dir/$study.created"; }
done
has "$dir/few.err" "tacit: $none"
has "$dir/many.err" "tacit: $some"
has "$dir/few.err" "tacit: $usual"
lacks "$dir/many.err" "The length-scale is"
remote here create "$dir/told.json" > "$dir/out" 2> "$dir/err" || fail "create told"
lacks "$dir/err" "The length-scale is"
remote here create "$dir/old.json" > "$dir/out" 2> "$dir/err" || fail "create old"
has "$dir/err" "tacit: $why"
cat > "$dir/served.json" <<'J'
{"name": "served", "direction": "maximize", "trials": 9,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}
J
document_of calm 8 1 1e-5
remote here create "$dir/calm.json" --quiet > "$dir/out" 2> "$dir/err" || fail "create calm"
[ ! -s "$dir/err" ] || { fail "--quiet is not quiet"; cat "$dir/err"; }
remote here create "$dir/served.json" > "$dir/out" 2> "$dir/err" || fail "create served"
[ ! -s "$dir/err" ] || { fail "something to say about a served study"; cat "$dir/err"; }
lacks "$dir/out" '"expect"'

# ---- a delta of 1/N
for delta in 0.9 0.125; do
    document_of wide 8 1 $delta
    for verb in "privacy plan" "simulate" "remote here create"; do
        status=0
        case $verb in
        remote*) remote here create "$dir/wide.json" > "$dir/out" 2> "$dir/err" || status=$? ;;
        *) $tacit $verb "$dir/wide.json" --quiet > "$dir/out" 2> "$dir/err" || status=$? ;;
        esac
        [ $status = 2 ] || fail "$verb takes a delta of $delta: $status"
        has "$dir/err" "delta must be below 1/N = 0.125 for 8 agents, got $delta: such a delta allows to publish all of one agent's data"
        [ "$(wc -l < "$dir/err")" = 1 ] || { fail "$verb says more"; cat "$dir/err"; }
    done
done
document_of narrow 8 1 0.12
remote here create "$dir/narrow.json" > "$dir/out" 2> "$dir/err" || { fail "a delta of 0.12"; cat "$dir/err"; }
has "$dir/err" "warning: delta 0.12 is above 1/N^2 = 0.015625 for 8 agents"

kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "advice_test passed"
exit $failed
