#!/bin/sh
# program_test: what the program of a trial gets from tacit, and what it does not. Choices of a coordinator's
# study are no commands, no options and no paths elsewhere; open files, connections and secrets stay with
# tacit. The storage is SQLite, or with PROGRAM_STORE=postgresql the server of TACIT_POSTGRES.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
cd "$dir"

storage_of() { # NAME
    if [ "${PROGRAM_STORE:-sqlite}" = sqlite ] || [ "$1" = b ]; then echo "sqlite:///$dir/$1.db"; else echo "$TACIT_POSTGRES"; fi
}
refused() { # STATUS WORDS COMMAND...
    want=$1 words=$2 got=0
    shift 2
    timeout 60 "$@" > out 2> err || got=$?
    [ $got = "$want" ] || { fail "$*: ends with $got, not with $want"; cat err; }
    grep -qF -- "$words" err || { fail "expected \"$words\":"; cat err; }
}
good() { timeout 120 "$@" > out 2> err || { fail "$*"; cat err; }; }

# Descriptors and environment of the program itself, which opens nothing while it looks.
look='n=3 open=; while [ $n -lt 256 ]; do [ ! -e /proc/$$/fd/$n ] || open="$open $n"; n=$((n + 1)); done
    echo "$open" > $0.fd; env > $0.env; echo 1'
saw_nothing() { # FILE
    [ -z "$(cat "$1.fd")" ] || { fail "$1: open in the program:"; cat "$1.fd"; }
    ! grep -q 'TACIT_STORAGE=\|TACIT_TOKEN_FILE=\|secret' "$1.env" ||
        { fail "$1: secrets in the environment"; cat "$1.env"; }
    grep -q '^TACIT_TRIAL=' "$1.env" || fail "$1: no TACIT_TRIAL"
}
export PGPASSFILE="$dir/secret-file"

cat > s.json <<'J'
{"name": "s", "direction": "maximize", "trials": 5, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 6, "initial": 3, "releases": "0,1"},
 "federation": {"agents": 2, "deadline_s": 1}, "privacy": {"epsilon": 4, "delta": 0.01}}
J
cat > oven.json <<'J'
{"name": "oven", "direction": "maximize", "trials": 4, "seed": 1, "algorithm": {"name": "random"},
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "mode": {"type": "choice", "choices": ["a", "$(touch owned)"]}}}
J

# ---- a local study: without a shell every choice is one word, in code none is allowed
good "$tacit" optimize oven.json --storage "$(storage_of local)" -- sh -c 'echo "$1" >> words; echo 1' sh '{mode}'
grep -qxF '$(touch owned)' words || { fail "the choice did not arrive as it is"; cat words; }
refused 2 "{mode} stands in \"echo {mode}\", which is read as a program" \
    "$tacit" optimize oven.json --storage memory: -- sh -c 'echo {mode}'
refused 2 "as in: sh -c 'echo \"\$1\"' sh {mode}" \
    "$tacit" optimize oven.json --storage memory: -- env A=1 bash -euc '{mode}'
good "$tacit" optimize oven.json --storage memory: -- sh -c 'echo {x} {trial}'
sed 's/"oven"/"look"/; s/\$(touch owned)/b/' oven.json > look.json
good env TACIT_STORAGE="$(storage_of look)" PGPASSWORD=secret "$tacit" optimize look.json -- sh -c "$look" local
saw_nothing local

# ---- a coordinator's study, by name: its choices must be plain
serve one 0
field operator_token one.serve > one.op
remote one create oven.json > /dev/null
remote one create look.json > /dev/null
export TACIT_SERVER="$url" TACIT_FINGERPRINT="$pin" TACIT_TOKEN_FILE="$dir/one.op"
refused 2 'space.mode.choices[1] of the coordinator'"'"'s study is "$(touch owned)"' \
    "$tacit" optimize oven -- echo 1 '{mode}'
refused 2 "the name of the program has a choice" "$tacit" optimize look -- './{mode}'
good "$tacit" optimize oven --any-choices --trials 2 -- sh -c 'echo "$1" >> words; echo 1' sh '{mode}'
good "$tacit" optimize oven.json --trials 4 -- sh -c 'echo "$1" >> words; echo 1' sh '{mode}' # the document says it
good env PGPASSWORD=secret "$tacit" optimize look -- sh -c "$look" served
saw_nothing served
unset TACIT_SERVER TACIT_FINGERPRINT TACIT_TOKEN_FILE

# ---- an agent: choices are refused before it takes a place
sed 's/"name": "s"/"name": "f"/; s/"x": {"type": "float", "low": 0, "high": 1}/"mode": {"type": "choice", "choices": ["a", "-rf"]}/' s.json > f.json
remote one create f.json > /dev/null
remote one token f --uses 2 --out f.join > /dev/null
part() { # STUDY NAME OPTIONS... -- PROGRAM...
    study=$1 name=$2
    shift 2
    timeout 120 "$tacit" agent "$url" --study "$study" --as "$study-$name" --fingerprint "$pin" \
        --storage "$(storage_of "$name")" --epsilon 6 --delta 0.01 --accept-not-private "$@" > "$name.out" 2> "$name.err"
}
got=0
part f refused --token-file f.join -- ./train '{mode}' || got=$?
[ $got = 3 ] || fail "a program that is not there: $got"
got=0
part f refused --token-file f.join -- echo '{mode}' || got=$?
[ $got = 2 ] && grep -qF 'study is "-rf"' refused.err || { fail "an option as a choice: $got"; cat refused.err; }
[ ! -e refused.db ] || fail "a refused study leaves a storage"
got=0
part f refused --any-choices --token-file f.join -- sh -c 'echo {mode}' || got=$?
[ $got = 2 ] && grep -qF 'which is read as a program' refused.err || { fail "a choice as code: $got"; cat refused.err; }

# ---- two agents over HTTPS, each with a storage and a connection open while its program runs
remote one create s.json > /dev/null
remote one token s --uses 2 --out s.join > /dev/null
export TACIT_STORAGE="postgresql://u:secret@127.0.0.1:1/x" TACIT_TOKEN_FILE="$dir/s.join" PGPASSWORD=secret
part s a -- sh -c "$look" agent_a &
first=$!
part s b -- sh -c "$look" agent_b || { fail "agent b"; cat b.err; }
wait $first || { fail "agent a"; cat a.err; }
saw_nothing agent_a
saw_nothing agent_b
[ ! -e owned ] || fail "a choice was run"

[ $failed = 0 ] && echo "program_test passed"
exit $failed
