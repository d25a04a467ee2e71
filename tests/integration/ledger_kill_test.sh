#!/bin/sh
# ledger_kill_test.sh - ends a ledger run of ten rounds at its n-th write, sync, truncation or
# removal, lets it go on, and checks: everything that left was paid for, no round left twice in
# two forms, the chain is whole, the run is complete. Then a log that is cut at any byte, which is
# recovered or noticed, and damage, which is refused with the entry's number.
#
# DEEP=1 tries every n, whole and torn writes; otherwise a sample of them. Needs the program
# ledger_run and the library kill_at.so (LEDGER_RUN, KILL_AT), which the build makes.
set -u

run=${LEDGER_RUN:-./ledger_run}
preload=${KILL_AT:-./libkill_at.so}
[ -x "$run" ] && [ -e "$preload" ] || { echo "Bail out! no $run or no $preload"; exit 1; }
run=$(realpath "$run")
preload=$(realpath "$preload")
# A killed process leaves what it wrote to the kernel: a disk would add nothing but time.
base=/tmp
[ ! -w /dev/shm ] || base=/dev/shm
dir=$(mktemp -d "${TMPDIR:-$base}/tacit-ledger.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
step=3
[ -z "${DEEP:-}" ] || step=1

fail() {
    echo "not ok - $*"
    [ ! -s log ] || sed 's/^/# /' log
    exit 1
}

# killed N TORN: true if the process was ended at its N-th call, false if it was done before.
killed() {
    env LD_PRELOAD="$preload" TACIT_KILL_AT="$1" ${2:+TACIT_KILL_TORN=1} \
        "$run" run store.db outbox 2> log
    code=$?
    [ $code -ne 137 ] || return 0
    [ $code -eq 0 ] || fail "killed at $1: the run fails with $code"
    return 1
}

# one N TORN: ended at N, its recovery ended at N again, then to the end.
one() {
    rm -f store.db* outbox
    killed "$1" "$2" || return 1
    killed "$1" "$2"
    "$run" run store.db outbox 2> log || fail "killed at $1 ${2:+(torn)}: it does not go on"
    "$run" check store.db outbox 2> log || fail "killed at $1 ${2:+(torn)}: the check fails"
}

kills() { # TORN
    n=1
    tried=0
    while one $n "$1"; do
        tried=$((tried + 1))
        n=$((n + step))
    done
    [ $tried -gt 5 ] || fail "only $tried kills"
    echo "ok - killed at $tried of $n calls${1:+, writes torn}"
} 2> /dev/null

kills ''
kills torn

# A log that ends anywhere, after ten rounds of which five were sent: what is left of the ledger
# is whole. If it is less than what was sent, the heads that were sent show it; otherwise the run
# goes on to its end.
rm -f store.db* outbox
"$run" leave store.db outbox 2> log
[ $? -eq 137 ] && [ -s store.db-wal ] || fail "no log was left"
size=$(wc -c < store.db-wal)
cuts=${DEEP:+2000}
cuts=${cuts:-100}
whole=0
shorter=0
i=0
mkdir cut
while [ $i -le "$cuts" ]; do
    rm -f cut/*
    cp store.db cut/
    head -n 5 outbox > cut/outbox
    head -c $((size * i / cuts)) store.db-wal > cut/store.db-wal
    if "$run" run cut/store.db cut/outbox 2> log; then
        "$run" check cut/store.db cut/outbox 2> log || fail "cut at $i/$cuts: the check fails"
        whole=$((whole + 1))
    elif grep -q 'the ledger was rolled back' log; then
        shorter=$((shorter + 1))
    else
        fail "a log cut at $i/$cuts is neither recovered nor noticed"
    fi
    i=$((i + 1))
done
[ $whole -gt 0 ] && [ $shorter -gt 0 ] || fail "cut logs: $whole recovered, $shorter noticed"
echo "ok - a log cut at $((cuts + 1)) places: $whole recovered, $shorter noticed as rolled back"

# Damage: a flipped byte in a release in the file is refused, and the entry is named.
"$run" run store.db outbox 2> log || fail "the run does not go on"
[ ! -s store.db-wal ] || fail "the log was not folded in"
named=0
for round in 1 4 10; do
    cp store.db bad.db
    bytes=$(awk -v r=$round '$1 == r { print substr($4, 1, 32) }' outbox)
    at=$(od -An -v -tx1 store.db | tr -d ' \n' | awk -v b="$bytes" '{ print index($0, b) }')
    [ $((at % 2)) -eq 1 ] || fail "round $round is not in the file"
    printf '\377\377\377' | dd of=bad.db bs=1 seek=$((at / 2)) conv=notrunc 2> /dev/null
    "$run" open bad.db outbox 2> log && fail "damage in round $round is not seen"
    grep -q "^E_CORRUPT: ledger entry $round: .* does not match its checksum" log ||
        fail "damage in round $round is not named"
    named=$((named + 1))
done
echo "ok - $named damaged entries were named"
