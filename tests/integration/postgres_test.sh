#!/bin/sh
# postgres_test.sh - the program on a PostgreSQL server of its own: every verb that takes a storage,
# several processes on one study, kill -9, a ledger run that is ended at any message to the server,
# a server that is killed and started again.
#
# Needs TACIT_BIN, and ledger_run and libkill_at.so in the working folder, which the build makes.
# Skipped where PostgreSQL is not installed. DEEP=1 tries every message.
set -u

here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"

. "$here/../support/await.sh"
tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
run=$(realpath "${LEDGER_RUN:-./ledger_run}")
preload=$(realpath "${KILL_AT:-./libkill_at.so}")
[ -x "$run" ] && [ -e "$preload" ] || { echo "Bail out! no $run or no $preload"; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-pg.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
export TACIT_STORAGE="$TACIT_POSTGRES" XDG_STATE_HOME="$dir/.state"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"

fail() {
    echo "not ok - $*"
    [ ! -s log ] || tail -n 20 log | sed 's/^/# /'
    exit 1
}

# good WORD...: tacit succeeds; what it prints is in `out`
good() {
    "$tacit" "$@" > out 2> log || fail "tacit $*"
}

# ---- every verb

cat > study.json <<'STUDY'
{ "name": "oven", "direction": "maximize", "trials": 12, "seed": 3,
  "space": { "x": {"type": "float", "low": -5, "high": 10}, "n": {"type": "int", "low": 1, "high": 9} } }
STUDY

"$tacit" studies > out 2> log && fail "there is a store before there is one"
grep -q 'there is no tacit store in database "postgres"' log || fail "an absent store is not named"
good optimize study.json --quiet -- sh -c 'echo {x} {n}'
good export oven
cut -d, -f1-5 out > server.csv
TACIT_STORAGE=sqlite:///oven.db good optimize study.json --quiet -- sh -c 'echo {x} {n}'
TACIT_STORAGE=sqlite:///oven.db good export oven
cut -d, -f1-5 out | cmp - server.csv || fail "the server's trials are not the file's"
good ask oven
good tell oven 12 7.5
"$tacit" tell oven 12 7.5 > out 2> log && fail "a trial is told twice"
good best oven
good trials oven --state complete
[ "$(wc -l < out)" -eq 14 ] || fail "there are not 13 trials"
printf 'value,x,n\n1.5,2,3\n2.5,3,4\n' > earlier.csv
good import oven earlier.csv
good plot oven --out history.svg
good studies
grep -q oven out || fail "the study is not listed"
good curate perturb --value 0.3 --bound 2 --epsilon 1 --user ann --question 0 --storage "$TACIT_STORAGE"
cp out first
good curate perturb --value 0.9 --bound 2 --epsilon 1 --user ann --question 0 --storage "$TACIT_STORAGE"
cmp first out || fail "a reply was perturbed twice"
good privacy status replies --delta 1e-5 --storage "$TACIT_STORAGE"
echo "ok - every verb that takes a storage, with the trials of a SQLite file"

# ---- a password is nobody's business

"$tacit" studies --storage 'postgresql://me:hunter2@127.0.0.1:1/db' > out 2> log
[ $? -eq 5 ] && [ "$(wc -l < log)" -eq 1 ] || fail "an absent server is not one sentence"
grep -q hunter2 out log && fail "the password is shown"
echo "ok - an absent server is one sentence, without the password"

# ---- several processes, and kill -9

sed 's/oven/shared/; s/12/60/' study.json > shared.json
for worker in 1 2 3; do
    "$tacit" optimize shared.json --quiet --jobs 2 -- sh -c 'echo {trial} >> starts; echo {x}' \
        > "out.$worker" 2>&1 &
    eval "pid$worker=$!"
done
# shellcheck disable=SC2154
wait "$pid1" && wait "$pid2" && wait "$pid3" || fail "one of three processes fails"
[ -z "$(sort starts | uniq -d)" ] && [ "$(wc -l < starts)" -ge 60 ] ||
    fail "three processes do not run 60 trials, each once"
echo "ok - three processes run $(wc -l < starts) trials, each once"

(unset TACIT_STORAGE && KILL_STORE=postgresql sh "$here/kill_test.sh" "${KILLS:-4}") > log 2>&1 ||
    fail "a killed run does not go on"
grep '^ok' log

# ---- a server that dies under a run

sed 's/oven/crashed/; s/12/80/' study.json > crashed.json
: > beats
touch hold # the tenth trial ends after the server
"$tacit" optimize crashed.json --quiet -- \
    sh -c 'echo >> beats; [ {trial} -lt 9 ] || while [ -e hold ]; do sleep 0.02; done; echo {x} {n}' > out 2> log &
pid=$!
await has_lines beats 10 || fail "the run does not begin"
eval "$TACIT_POSTGRES_CONTROL crash"
rm hold
wait "$pid" && fail "a run does not notice that its server is gone"
[ "$(wc -l < log)" -eq 1 ] && grep -q 'cannot be reached' log || fail "a lost server is not one sentence"
eval "$TACIT_POSTGRES_CONTROL start"
good optimize crashed.json --quiet -- sh -c 'echo {x} {n}'
good export crashed
cut -d, -f1-5 out > crashed.csv
TACIT_STORAGE=sqlite:///calm.db good optimize crashed.json --quiet -- sh -c 'echo {x} {n}'
TACIT_STORAGE=sqlite:///calm.db good export crashed
cut -d, -f1-5 out | cmp - crashed.csv || fail "the trials after a crash of the server differ"
echo "ok - a run whose server was killed goes on with the same trials, bit for bit"

# ---- a ledger run, ended at its n-th message

# killed N TORN: true if the process was ended at its N-th call, false if it was done before.
killed() {
    env LD_PRELOAD="$preload" TACIT_KILL_AT="$1" ${2:+TACIT_KILL_TORN=1} \
        "$run" run "$TACIT_POSTGRES" outbox 2> log
    code=$?
    [ $code -ne 137 ] || return 0
    [ $code -eq 0 ] || fail "killed at $1: the run fails with $code"
    return 1
}

step=12
[ -z "${DEEP:-}" ] || step=1
for torn in '' torn; do
    n=1
    tried=0
    while :; do
        psql -q "$TACIT_POSTGRES" -c 'DROP SCHEMA IF EXISTS tacit CASCADE' 2> /dev/null
        rm -f outbox
        killed $n "$torn" || break
        killed $n "$torn"
        "$run" run "$TACIT_POSTGRES" outbox 2> log || fail "killed at $n ${torn:+(torn)}: it does not go on"
        "$run" check "$TACIT_POSTGRES" outbox 2> log || fail "killed at $n ${torn:+(torn)}: the check fails"
        tried=$((tried + 1))
        n=$((n + step))
    done
    [ $tried -gt 5 ] || fail "only $tried kills"
    echo "ok - a ledger run killed at $tried of $n calls${torn:+, messages torn}"
done 2> /dev/null
