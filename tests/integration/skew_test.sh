#!/bin/sh
# skew_test: agents and workers whose clocks are years off. Tokens, deadlines and leases go by the coordinator's clock, signatures
# by numbers, and a pinned key has no date: so they take part with the same bits. A certificate of an authority has dates, and whoever
# believes one must know the day: the refusal names them.
#
# All of them are started with libset_clock.so (SET_CLOCK, which the build makes).
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/coordinator.sh"
preload=$(realpath "${SET_CLOCK:-./libset_clock.so}")
[ -e "$preload" ] || { echo "no $preload"; exit 1; }
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
year=31536000
printf '%-16s' 0 > "$dir/right"
printf '%-16s' $((9 * year)) > "$dir/ahead"
printf '%-16s' -$((9 * year)) > "$dir/behind"
printf '%-16s' $((150 * year)) > "$dir/far"

# ---- a study with a deadline: one agent's clock is right, one's ahead, one's behind
document 3 6 all
sed -i 's/"agents": 3/"agents": 3, "deadline_s": 3600/' "$dir/s.json"
reference "$dir/reference"
serve c 0
found c 3
number=0
for clock in right ahead behind; do
    TACIT_CLOCK_FILE=$dir/$clock LD_PRELOAD=$preload agent c $number
    eval "pid_$number=$!"
    number=$((number + 1))
    until [ "$(enrolled c)" -ge $number ]; do sleep 0.02; done
done
finish_all c 3
deployed c 3 "$dir/skewed"
cmp -s "$dir/reference" "$dir/skewed" || { fail "not the bits of clocks that are right"; diff "$dir/reference" "$dir/skewed" | head -5; }
[ "$(grep -c ^release "$dir/skewed")" -ge 2 ] || fail "no rounds: $(cat "$dir/skewed")"

# ---- a worker: its token lasts for ten minutes, its lease for ten seconds
cat > "$dir/oven.json" << 'J'
{"name": "oven", "direction": "minimize", "trials": 4, "algorithm": "random", "space": {"x": {"type": "float", "low": 0, "high": 1}}}
J
remote c create "$dir/oven.json" > "$dir/made" || fail "a served study"
remote c token oven --expires-s 600 > "$dir/made" || fail "a token"
field token "$dir/made" > "$dir/client"
trials=0
for clock in ahead behind; do
    trials=$((trials + 2))
    TACIT_CLOCK_FILE=$dir/$clock LD_PRELOAD=$preload "$tacit" optimize oven --server "$url" --fingerprint "$pin" \
        --token-file "$dir/client" --lease-s 10 --trials $trials --quiet -- echo '{x}' > "$dir/out" 2> "$dir/err" || fail "a worker whose clock is $clock: $(cat "$dir/err")"
done
"$tacit" trials oven --server "$url" --fingerprint "$pin" --token-file "$dir/client" --format csv > "$dir/trials"
[ "$(grep -c COMPLETE "$dir/trials")" = 4 ] || fail "the workers' trials: $(cat "$dir/trials")"

# ---- an authority's certificate has dates
tls=$(dirname "$0")/../fixtures/tls
serve_options="--insecure"
serve plain 0
field operator_token "$dir/plain.serve" > "$dir/plain.op"
python3 "$(dirname "$0")/../support/ways.py" front "$port" "$tls/here.pem" > "$dir/port" &
servers="$servers $!"
await test -s "$dir/port"
studies() { # CLOCK
    TACIT_CLOCK_FILE=$dir/$1 LD_PRELOAD=$preload "$tacit" remote studies --server "https://127.0.0.1:$(cat "$dir/port")" \
        --ca "$tls/authority.pem" --token-file "$dir/plain.op" > "$dir/out" 2> "$dir/err"
}
studies right || fail "a clock that is right: $(cat "$dir/err")"
for clock in far behind; do
    studies $clock
    got=$?
    day=$(date -u -d "@$(($(date +%s) + $(cat "$dir/$clock")))" +%Y)
    [ $got = 4 ] || fail "a clock that is $clock: exit $got"
    grep -qE "^tacit: https://127.0.0.1:[0-9]+ has no certificate for this name from an authority in .*authority.pem that is valid on $day-[0-9]+-[0-9]+, the day of this machine's clock: " "$dir/err" ||
        fail "a clock that is $clock: $(cat "$dir/err")"
done
[ $failed = 0 ] && echo "skew_test passed"
