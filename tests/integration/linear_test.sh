#!/bin/sh
# linear_test: linear constraints on inputs through the program: documents, every algorithm, points of one's own, import
# and export, a killed search that goes on with the same bits, a coordinator with clients and with agents.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
server=
agents=
# shellcheck disable=SC2086  # a list of numbers
trap 'kill -9 $server $agents 2>/dev/null; rm -rf "$dir"' EXIT

cat > study.json <<'J'
{"name": "mix", "direction": "minimize", "trials": 14, "seed": 5,
 "space": {"x": {"type": "float", "low": 0, "high": 1},
           "y": {"type": "float", "low": 0, "high": 1},
           "n": {"type": "int", "low": 1, "high": 9},
           "lr": {"type": "float", "low": 0.0001, "high": 1, "log": true},
           "warm": {"type": "bool"},
           "kind": {"type": "choice", "choices": ["a", "b"]},
           "depth": {"type": "int", "low": 1, "high": 3, "when": {"kind": "a"}}},
 "linear": ["x + y <= 0.5", "9*x >= n - 4.5", "2*lr + 0.5*warm <= 1.2"]}
J
says() { grep -qF -- "$1" out; }
at() { sed "s/\"seed\": 5/\"seed\": 5, \"algorithm\": \"$1\"/; s/\"mix\"/\"$1\"/" study.json; }

# Notes the point, and fails where it violates a constraint; warm is a word.
cat > train.sh <<'T'
#!/bin/sh
echo "$*" >> "${POINTS:-points}"
awk -v x="$1" -v y="$2" -v n="$3" -v lr="$4" -v w="$5" 'BEGIN {
    if (x + y > 0.5 + 1e-9 || 9 * x < n - 4.5 - 1e-9 || 2 * lr + 0.5 * (w == "true") > 1.2 + 1e-9) exit 1
    printf "%.17g\n", (x - 0.6) ^ 2 + (y - 0.3) ^ 2 - 0.01 * n + lr }'
T
chmod +x train.sh
values="{x} {y} {n} {lr} {warm}"

# ---- every algorithm for one party: a program never sees a point that violates one
"$tacit" algorithms --format csv | tail -n +2 | cut -d, -f1 > names
for name in $(cat names); do
    at "$name" > one.json
    : > points
    # shellcheck disable=SC2086  # words
    if "$tacit" optimize one.json --storage memory: -- ./train.sh $values > out 2> err; then
        check "$name: 14 trials, none failed" [ "$(wc -l < points)" -eq 14 ]
    else
        check "$name refuses for another reason" grep -qE 'privacy|federat|for many|epsilon|replies|curator|candidates' err
    fi
done

# ---- the document
# shellcheck disable=SC2086  # words
good "optimize" optimize study.json --storage sqlite:///s.db -- ./train.sh $values
good "the same study again" optimize study.json --storage sqlite:///s.db -- ./train.sh
sed 's/"x + y <= 0.5"/"0.5 >= y + 1*x"/' study.json > same.json
good "other words for the same constraints" optimize same.json --storage sqlite:///s.db -- ./train.sh
sed 's/"x + y <= 0.5"/"x + y <= 0.6"/' study.json > other.json
bad 4 'linear is ["x + y <= 0.5","9*x - n >= -4.5","2*lr + 0.5*warm <= 1.2"] in the stored study but ["x + y <= 0.6",' \
    optimize other.json --storage sqlite:///s.db -- ./train.sh
sed '/"linear"/d; s/{"kind": "a"}}},/{"kind": "a"}}}}/' study.json > none.json
bad 4 'in the stored study but absent' optimize none.json --storage sqlite:///s.db -- ./train.sh
wrong() { # TEXT CONSTRAINTS
    sed "s|\"linear\": .*|\"linear\": $2}|" study.json > wrong.json
    bad 2 "$1" optimize wrong.json --storage sqlite:///w.db -- ./train.sh
}
wrong 'wrong.json: linear must be an array of strings, got a string' '"x <= 1"'
wrong 'linear[1] must be a string, got a number' '["x <= 0.5", 1]'
wrong 'linear[0]: the constraint "x + z <= 1": there is no parameter "z"' '["x + z <= 1"]'
wrong 'linear[0]: the constraint "kind <= 1": kind is a choice, and constraints are on floats, ints and bools' '["kind <= 1"]'
wrong 'depth has a condition, and constraints are on parameters that are always active' '["depth <= 2"]'
wrong 'it must have <= or >=, and not =: leave one parameter of an equality out of the space, compute it from the others where it is used, and give its bounds as constraints on these' '["x + y = 1"]'
wrong 'linear[1]: the constraint "x + y >= 0.5": it leaves almost no room' '["x + y <= 0.5", "x + y >= 0.5"]'
wrong 'linear[1]: the constraint "x + y >= 0.7": no point of the space satisfies it together with the constraints before it' '["x + y <= 0.5", "x + y >= 0.7"]'
wrong 'x times y is not linear' '["x*y <= 0.5"]'
check "nothing was made" [ ! -e w.db ]

# ---- points of one's own
point="--param y=0.1 --param n=2 --param lr=0.01 --param warm=false --param kind=b"
# shellcheck disable=SC2086  # words
{
    good "enqueue" enqueue study.json --param x=0.375 $point --storage sqlite:///e.db
    bad 2 'the point violates the constraint x + y <= 0.5: its left side is 0.6' \
        enqueue mix --param x=0.5 $point --storage sqlite:///e.db
}
good "ask" ask mix --storage sqlite:///e.db --format json
check "gets it" says '"x":0.375'
bad 2 'the point violates the constraint x + y <= 0.5: its left side is 1' \
    tell mix 0 0.5 --param x=0.9 --storage sqlite:///e.db
good "another one inside" tell mix 0 0.5 --param x=0.25 --storage sqlite:///e.db

# ---- CSV there and back
good "export" export mix --storage sqlite:///s.db --out trials.csv
good "import" import study.json trials.csv --storage sqlite:///i.db --format json
check "all rows" says '{"imported":14,"skipped":0}'
printf 'value,x,y,n,lr,warm,kind,depth\n1,0.5,0.25,2,0.01,false,b,\n' > bad.csv
bad 2 'bad.csv: row 2: the point violates the constraint x + y <= 0.5: its left side is 0.75' \
    import study.json bad.csv --storage sqlite:///new.db
check "nothing was made" [ ! -e new.db ]

# ---- candidates
printf 'a,b\n0,0\n1,0\n0,1\n1,1\n' > grid.csv
cat > grid.json <<'J'
{"name": "grid", "direction": "minimize", "trials": 4, "seed": 1, "points": "grid.csv", "linear": ["a + b <= 2"]}
J
good "candidates" optimize grid.json --storage sqlite:///g.db -- sh -c 'echo $(({a} + {b}))'
sed 's/<= 2/<= 1/; s/"grid"/"less"/' grid.json > less.json
bad 2 'linear[0]: the constraint "a + b <= 1": candidate 3 violates it: leave the candidates that do out of the file' \
    optimize less.json --storage sqlite:///g.db -- echo 1

# ---- killed at any moment, a search goes on with the same bits
"$tacit" export mix --storage sqlite:///s.db --out whole.csv
cat > slow.sh <<'T'
#!/bin/sh
sleep 0.03
exec ./train.sh "$@"
T
chmod +x slow.sh
for after in 0.1 0.25 0.4; do
    # shellcheck disable=SC2086  # words
    "$tacit" optimize study.json --storage sqlite:///k.db -- ./slow.sh $values > out 2> err &
    pid=$!
    sleep $after
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
# shellcheck disable=SC2086  # words
good "what is left" optimize study.json --storage sqlite:///k.db -- ./train.sh $values
"$tacit" export mix --storage sqlite:///k.db --out killed.csv
sort -t, -k1n whole.csv | cut -d, -f2-9 > a && sort -t, -k1n killed.csv | cut -d, -f2-9 > b
check "the same bits" cmp -s a b

# ---- a coordinator: the constraints are part of the document that everybody gets
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/coordinator.db" --format json > serve.json 2> serve.err &
server=$!
await test -s serve.json
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }
TACIT_SERVER=$(field url serve.json) TACIT_FINGERPRINT=$(field fingerprint serve.json)
export TACIT_SERVER TACIT_FINGERPRINT
field operator_token serve.json > op
at gp-ei | sed 's/"gp-ei",/"gp-ei",/; s/"name": "gp-ei"/"name": "served"/' > served.json
good "a served study" remote create served.json --token-file op
good "a token" remote token served --token-file op --out client
: > points
# shellcheck disable=SC2086  # words
good "its trials" optimize served --token-file client -- ./train.sh $values
check "all inside" [ "$(wc -l < points)" -eq 14 ]
sed 's/"x + y <= 0.5"/"x + y <= 0.1"/; s/"served"/"few"/' served.json > few.json
good "another one" remote create few.json --token-file op
good "its token" remote token few --token-file op --out few.client
# shellcheck disable=SC2086  # words
bad 2 'the point violates the constraint x + y <= 0.1: its left side is 0.35' \
    enqueue few --param x=0.25 $point --token-file few.client
good "ask" ask few --token-file few.client --format json
bad 2 'the point violates the constraint x + y <= 0.1' tell few 0 0.5 --param x=0.9 --token-file few.client
sed 's/"x + y <= 0.5"/"x + y <= -1"/; s/"served"/"nobody"/' served.json > nobody.json
bad 2 'no point of the space satisfies it' remote create nobody.json --token-file op

# ---- agents of a federated study
cat > many.json <<'J'
{"name": "many", "direction": "minimize", "trials": 6, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1}},
 "linear": ["x + y <= 0.5", "y >= 2*x - 0.5"],
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3},
 "federation": {"agents": 2}, "privacy": {"epsilon": 5, "delta": 0.01}}
J
good "a federated study" remote create many.json --token-file op
good "its token" remote token many --uses 2 --token-file op --out many.join
cat > local.sh <<'T'
#!/bin/sh
echo "$*" >> agent-points
awk -v x="$1" -v y="$2" 'BEGIN {
    if (x + y > 0.5 + 1e-9 || y < 2 * x - 0.5 - 1e-9) exit 1
    printf "%.17g\n", (x - 0.9) ^ 2 + y ^ 2 }'
T
chmod +x local.sh
for k in 1 2; do
    "$tacit" agent "$TACIT_SERVER" --study many --token-file many.join --fingerprint "$TACIT_FINGERPRINT" --quiet \
        --storage "sqlite:///$dir/agent-$k.db" --epsilon 6 --delta 0.01 -- ./local.sh '{x}' '{y}' > "agent-$k.out" 2> "agent-$k.err" &
    agents="$agents $!"
done
done_all=1
for pid in $agents; do wait "$pid" || done_all=0; done
cat agent-1.err agent-2.err > err
check "agents end well" [ "$done_all" -eq 1 ]
check "all of their trials are inside" [ "$(wc -l < agent-points)" -eq 12 ]
finish
