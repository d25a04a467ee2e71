#!/bin/sh
# clock_test: the wall clock is set by hours under processes that share a storage, and others start after that. No
# trial is taken from a worker that has time left, no round ends before its deadline, and what is over ends.
#
# All processes are started with libset_clock.so (SET_CLOCK, which the build makes), which adds what stands in a
# file to the wall clock. With COORDINATOR_STORE=postgresql the server has that clock, too (clock_postgres_test.sh).
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
preload=$(realpath "${SET_CLOCK:-./libset_clock.so}")
[ -e "$preload" ] || { echo "no $preload"; exit 1; }
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
storage=sqlite:///$dir/shared.db
if [ "${COORDINATOR_STORE:-}" = postgresql ]; then
    storage=$TACIT_POSTGRES
else
    export TACIT_CLOCK_FILE="$dir/clock" LD_PRELOAD="$preload"
fi
set_clock() { printf '%-16s' "$1" | LD_PRELOAD='' dd of="$TACIT_CLOCK_FILE" conv=notrunc status=none; }
set_clock 0

study() { # NAME
    cat > "$dir/$1.json" << J
{"name": "$1", "direction": "minimize", "trials": 100, "seed": 3,
 "space": {"x": {"type": "float", "low": -1, "high": 2}}, "algorithm": {"name": "random"}}
J
}
study served
study local
document 2 6 all
sed -i 's/"agents": 2/"agents": 2, "deadline_s": 600/' "$dir/s.json"

# ask STUDY WORKER LEASE WORD...: prints the trial
ask() {
    # shellcheck disable=SC2086  # options are words
    "$tacit" ask "$1" --worker "$2" --lease-s "$3" --format json $4 2> "$dir/ask.err" > "$dir/ask.out" ||
        fail "ask $1 --worker $2: $(cat "$dir/ask.err")"
    sed -n 's/.*"trial":\([0-9]*\).*/\1/p' "$dir/ask.out"
}
here() { echo "--server $url --fingerprint $pin --token-file $dir/client"; }
check() { # WHAT EXPECTED GOT
    if [ "$2" = "$3" ]; then echo "ok - $1"; else fail "$1: expected $2, got $3"; fi
}
is_state() { # TRIAL STATE
    # shellcheck disable=SC2046  # options are words
    "$tacit" trials served $(here) --format csv 2> "$dir/out" | grep -q "^$1,$2,"
}
round() { remote a show s 2>/dev/null | tr -d '\n ' | sed -n 's/.*\("round":{[^}]*}\).*/\1/p'; }
round_is_open() { round | grep -q '"phase":"open"'; }
noticed() { grep -Eqs "clock was set [0-9]+ s $2" "$dir/$1"; }

# ---- a coordinator with a trial that somebody has, and a round that waits for the second agent
serve a 0 "$storage"
old=$server
found a 2
agent a 0
sender=$!
await round_is_open || fail "no round was opened"
open=$(round)
kill -9 "$sender"
remote a create "$dir/served.json" > "$dir/out"
remote a token served --out "$dir/client" > "$dir/out"
check "a worker has a trial" 0 "$(ask served w 600 "$(here)")"

# pass_on NAME: another coordinator starts, and is alone then. A worker that asks the storage itself has a trial for a
# second: once that is over, the new one has judged the leases, and the round of s before them.
pass_on() {
    serve "$1" 0 "$storage"
    kill -9 "$old"
    old=$server
    control=$(ask served c 1 "--storage $storage")
    await is_state "$control" STALE || fail "$1 does not end a lease that is over"
    if is_state 0 RUNNING; then echo "ok - the worker has its trial"; else fail "$1 has taken the trial away"; fi
    check "the round is as it was" "$open" "$(round)"
}

# ---- set forward, and a coordinator starts
set_clock 3600
await noticed a.log forward || fail "the coordinator has not noticed"
pass_on b
check "who asks gets what is over" 1 "$(ask served v 600 "$(here)")"
check "and then a new one" 2 "$(ask served u 600 "$(here)")"

# ---- and back
set_clock -3600
await noticed b.log back || fail "the second coordinator has not noticed"
pass_on c

# ---- one whose own clock alone is wrong: on one machine there is no such thing
if [ "${COORDINATOR_STORE:-}" = postgresql ]; then
    ours=$TACIT_CLOCK_FILE
    printf '%-16s' 90000 > "$dir/wrong"
    export TACIT_CLOCK_FILE="$dir/wrong"
    pass_on d
    export TACIT_CLOCK_FILE="$ours"
fi
kill -9 "$old"

# ---- the same with processes that have the storage open themselves
cat > "$dir/train" << 'P'
#!/bin/sh
touch "$1/begun"
while [ ! -e "$1/go" ]; do sleep 0.05; done
echo 1
P
chmod +x "$dir/train"
check "a worker asks" 0 "$(ask "$dir/local.json" w 600 "--storage $storage")"
"$tacit" optimize local --trials 1 --storage "$storage" -- "$dir/train" "$dir" > "$dir/local.out" 2> "$dir/local.err" &
optimizing=$!
servers="$servers $optimizing"
await test -e "$dir/begun" || fail "optimize runs no trial"
set_clock 7200
await noticed local.err forward || fail "optimize has not noticed"
check "another one asks" 2 "$(ask local v 600 "--storage $storage")"
touch "$dir/go"
wait $optimizing || fail "optimize: $(tail -n 1 "$dir/local.err")"
exit $failed
