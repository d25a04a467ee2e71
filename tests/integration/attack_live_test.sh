#!/bin/sh
# attack_live_test: attacks that cost their sender next to nothing, on a coordinator over TLS (attacker.c has them):
# a recorded hello that is replayed, answers that nobody reads, and a token of one study that asks for another. What
# is counted are handshakes, answers and kilobytes, never seconds; the server's processor time is printed. The victim is
# a worker of a served study, whose every request must be answered.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
attacker=$(realpath "${ATTACKER:-./attacker}")
export MALLOC_ARENA_MAX=1 # what malloc keeps for each thread would look like growth
size() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$server/status"; }                             # kB
spent() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%.2f", ($14 + $15) / hz }' "/proc/$server/stat"; } # s

# study NAME TRIALS PARAMETERS: makes a served study and $dir/NAME.client
study() {
    awk -v name="$1" -v trials="$2" -v n="$3" 'BEGIN {
        printf "{\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": %d, \"algorithm\": \"random\", \"space\": {", name, trials
        for (i = 0; i < n; i++) printf "%s\"parameter_%04d\": {\"type\": \"float\", \"low\": 0, \"high\": 1}", i ? ", " : "", i
        print "}}" }' > "$dir/$1.json"
    remote a create "$dir/$1.json" > "$dir/created" || exit 1
    remote a token "$1" --out "$dir/$1.client" > "$dir/token" || exit 1
}

# ask STUDY TOKENS_STUDY [N]: so many suggestions for one worker; prints "status S count C"
ask() {
    "$attacker" crowd "$port" "/v1/studies/$1/trials:suggest" "${3:-1}" "$(cat "$dir/$2.client")" \
        '{"worker": "w", "count": 1}'
}

# victim WHEN: twelve requests of the worker; every one must be answered
victim() {
    got=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ask victim victim; done | sort | uniq -c | sed 's/^ *//')
    echo "victim $1: $got"
    [ "$got" = "12 status 200 count 1" ] || fail "the victim's requests $1: $got"
}

serve a 0
field operator_token "$dir/a.serve" > "$dir/a.op"
study victim 1000 1
study big 2000 250
victim "before all attacks"

# ---- one hello, again and again
for group in FFDHE8192 FFDHE2048 SECP521R1; do
    before=$(spent)
    got=$("$attacker" hellos "$port" $group 100)
    echo "hellos $group: $got, processor $before to $(spent) s"
    [ "$got" = "answered 0 refused 100" ] || fail "$group is taken: $got"
done
before=$(spent)
got=$("$attacker" hellos "$port" X25519 100)
echo "hellos X25519: $got, processor $before to $(spent) s"
[ "$got" = "answered 100 refused 0" ] || fail "X25519: $got"
victim "after hellos"

# ---- answers that nobody reads
for i in 1 2 3 4 5 6 7 8; do
    "$attacker" crowd "$port" /v1/studies/big/trials:suggest 1 "$(cat "$dir/big.client")" \
        '{"worker": "w'$i'", "count": 100}' > "$dir/asked"
done
before=$(size)
mkfifo "$dir/leash"
"$attacker" unread "$port" '/v1/studies/big/trials?limit=1000' 150 "$(cat "$dir/big.client")" \
    < "$dir/leash" > "$dir/held" 2>&1 &
unread=$!
exec 9> "$dir/leash"
await test -s "$dir/held" || true
after=$(size)
got=$(tr '\n' ' ' < "$dir/held")
echo "unread: $got, resident $before to $after kB"
case $got in *"status 0"* | *refused* | '') fail "answers that nobody reads: $got" ;; esac
[ "$after" -lt $((before + 98304)) ] || fail "unread answers made the coordinator grow from $before to $after kB"
victim "while answers lie"
exec 9>&-
wait $unread || fail "the attacker ends with $?"

# ---- a token of another study
got=$(ask victim big 200)
echo "strangers: $got"
[ "$got" = "status 403 count 200" ] || fail "a token of another study: $got"
victim "after strangers"
kill $server
wait $server || fail "the coordinator ends with $?"

# ---- handshakes of one address: ten at once, then one a second. What time allows is counted, too.
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/a.db" --handshakes 1 --format json \
    > "$dir/few.serve" 2> "$dir/few.log" &
server=$!
servers="$servers $server"
await test -s "$dir/few.serve" || true
port=$(field url "$dir/few.serve")
port=${port##*:}
begin=$(date +%s)
got=$("$attacker" hellos "$port" X25519 500)
seconds=$(($(date +%s) - begin))
answered=${got#answered }
answered=${answered%% *}
echo "one handshake a second: $got in $seconds s"
[ "$answered" -ge 10 ] && [ "$answered" -le $((12 + seconds)) ] || fail "--handshakes 1: $got in $seconds s"

# ---- a full disk, where a small one can be had
if mkdir "$dir/disk" && mount -t tmpfs -o size=24m tmpfs "$dir/disk" 2> /dev/null; then
    trap 'end_all; umount -l "$dir/disk"; rm -rf "$dir"' EXIT
    serve full 0 "sqlite:///$dir/disk/full.db"
    is_ready() { [ "$("$attacker" crowd "$port" /readyz 1)" = "status $1 count 1" ]; }
    await is_ready 200 || fail "/readyz on an empty disk"
    dd if=/dev/zero of="$dir/disk/fill" bs=64k 2> /dev/null || true
    await is_ready 503 || fail "/readyz on a full disk is not 503"
    [ "$("$attacker" crowd "$port" /healthz 1)" = "status 200 count 1" ] || fail "/healthz on a full disk"
    rm "$dir/disk/fill"
    await is_ready 200 || fail "/readyz after room was made"
    echo "full disk: /readyz 200, 503, 200"
else
    echo "# a small disk cannot be mounted here: server_probe_test plays the full disk"
fi
[ $failed = 0 ] && echo "attack_live_test passed"
exit $failed
