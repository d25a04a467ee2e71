#!/bin/sh
# voting_test: a federation of processes that votes on its length-scale. What the plan, the agents' traffic, the
# ledgers and a simulation say of the vote and of the weights, apart and with the same numbers.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
column() { # NAME: of the CSV on standard input, which has no comma but those between its columns
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { print $c }'
}
same() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}
has() { # FILE WORDS
    grep -q -- "$2" "$1" || { fail "no \"$2\""; cat "$1"; }
}

cat > "$dir/s.json" <<'J'
{"name": "s", "direction": "maximize", "trials": 7, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 12, "initial": 4, "own": "gp", "init": "domain",
  "lengthscale": 0, "vote": "yes", "releases": "0,2"},
 "federation": {"agents": 3}, "privacy": {"epsilon": 8, "delta": 1e-5}}
J
printf '#!/bin/sh\nawk "BEGIN {print sin(9 * $1)}"\n' > "$dir/train"
chmod +x "$dir/train"

# ---- before anything is spent
"$tacit" privacy plan "$dir/s.json" > "$dir/plan"
has "$dir/plan" "^ *0  vote on the length-scale "
has "$dir/plan" "^ *1  weights "
has "$dir/plan" "^ *3  weights "
has "$dir/plan" "^Nothing is spent yet. Planned: every agent: epsilon 7.9[0-9]*, delta 1e-05"
has "$dir/plan" "over 3 releases"
"$tacit" privacy plan "$dir/s.json" --format csv | cut -d, -f1-7 > "$dir/plan.csv"
same "rounds of the plan" "0 1 3" "$(column round < "$dir/plan.csv" | paste -sd' ' -)"
sed 's/"vote": "yes"/"lengthscale": 0.2/; s/"lengthscale": 0,//' "$dir/s.json" > "$dir/told.json"
same "rounds of a plan without a vote" "0 2" \
    "$("$tacit" privacy plan "$dir/told.json" --format csv | column round | paste -sd' ' -)"
sed 's/"vote": "yes"/"vote": "yes", "vote_multiplier": 3/' "$dir/s.json" > "$dir/two.json"
"$tacit" privacy plan "$dir/two.json" > "$dir/out" 2>&1 && fail "a document with two noises"
has "$dir/out" "privacy.epsilon and algorithm.vote_multiplier must not both be given"

# ---- a deployment
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/c.db" --format json \
    > "$dir/serve.json" 2> "$dir/serve.err" &
server=$!
await test -s "$dir/serve.json" || { cat "$dir/serve.err"; exit 1; }
url=$(field url "$dir/serve.json")
pin=$(field fingerprint "$dir/serve.json")
field operator_token "$dir/serve.json" > "$dir/op"
remote() { "$tacit" remote "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/op"; }
remote create "$dir/s.json" > "$dir/created"
has "$dir/created" '"vote":"yes","vote_multiplier":[1-9]'
remote token s --uses 3 > "$dir/token"
field token "$dir/token" > "$dir/join"
agents=
for n in 0 1 2; do
    timeout 300 "$tacit" agent "$url" --study s --token-file "$dir/join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/a$n.db" -- "$dir/train" '{x}' > "$dir/a$n.out" 2> "$dir/a$n.err" &
    agents="$agents $!"
done
n=0
for pid in $agents; do
    wait "$pid" || { fail "agent $n"; cat "$dir/a$n.err"; }
    n=$((n + 1))
done

# ---- what left, and what it cost
"$tacit" inspect s --storage "sqlite:///$dir/a1.db" > "$dir/seen"
has "$dir/seen" "^ *0  sent  .* 72 bytes  *vote on the length-scale$"
has "$dir/seen" "^ *1  sent  .* 96 bytes  *weights$"
has "$dir/seen" "^ *3  sent  .* 96 bytes  *weights$"
"$tacit" inspect s --storage "sqlite:///$dir/a1.db" --format csv > "$dir/seen.csv"
for pair in "parameter noise_multiplier" "epsilon epsilon" "about about"; do
    same "${pair% *} of the messages, as planned" "$(column "${pair#* }" < "$dir/plan.csv")" \
        "$(column "${pair% *}" < "$dir/seen.csv")"
done
"$tacit" inspect s --storage "sqlite:///$dir/a1.db" --round 0 > "$dir/vote"
has "$dir/vote" "^about  *vote on the length-scale$"
same "numbers in a vote" 9 "$(sed '1,/^numbers$/d' "$dir/vote" | wc -w | tr -d ' ')"
"$tacit" inspect s --storage "sqlite:///$dir/a1.db" --round 0 --format json > "$dir/vote"
has "$dir/vote" '"about": *"vote on the length-scale"'
total=$(column epsilon_so_far < "$dir/plan.csv" | tail -n 1)
for ledger in "s --storage sqlite:///$dir/c.db" "agent --storage sqlite:///$dir/a2.db"; do
    # shellcheck disable=SC2086  # words
    "$tacit" privacy status $ledger --agents 3 --format csv > "$dir/status"
    same "what $ledger has spent, as planned" "$total" "$(cut -d, -f1-7 "$dir/status" | column epsilon)"
    same "releases of $ledger" 3 "$(cut -d, -f1-7 "$dir/status" | column entries)"
done

# ---- simulated
"$tacit" simulate "$dir/s.json" --objective gp-family --runs 2 --quiet > "$dir/simulated"
has "$dir/simulated" "z of the weights "
has "$dir/simulated" "z of the vote "
has "$dir/simulated" "releases of weights 0,2"
has "$dir/simulated" "got the vote on the length-scale and 2 broadcasts of weights of 96 bytes"
tr '\n' ' ' < "$dir/simulated" > "$dir/line"
has "$dir/line" "over 3 releases"
has "$dir/line" "The first release is the vote on the length-scale."
"$tacit" simulate "$dir/s.json" --objective gp-family --runs 2 --quiet --versus ts > "$dir/simulated"
has "$dir/simulated" "over 3 releases, the first of them the vote on the length-scale$"
"$tacit" simulate "$dir/told.json" --objective gp-family --runs 2 --quiet > "$dir/simulated"
grep -q "vote" "$dir/simulated" && fail "a study without a vote speaks of one"
has "$dir/simulated" "got 2 broadcasts of 96 bytes"

exit $failed
