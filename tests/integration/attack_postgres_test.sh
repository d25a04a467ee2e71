#!/bin/sh
# attack_postgres_test: PostgreSQL hangs, and anybody asks /readyz and sends tokens that are none. /healthz is answered
# all the same, and /readyz says 503; when PostgreSQL goes on, so does the coordinator. One that is told to end meanwhile does. Needs TACIT_POSTGRES_CONTROL
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
[ -n "${TACIT_POSTGRES_CONTROL:-}" ] || { echo "# skipped: the server in TACIT_POSTGRES cannot be made to hang"; exit 77; }
set -eu
. "$here/../support/coordinator.sh"
attacker=$(realpath "${ATTACKER:-./attacker}")
control() { eval "$TACIT_POSTGRES_CONTROL $1"; }
trap 'control thaw; end_all; rm -rf "$dir"' EXIT
is() { [ "$("$attacker" crowd "$port" "$1" "${3:-1}")" = "status $2 count ${3:-1}" ]; }

serve a 0 "$TACIT_POSTGRES"
await is /readyz 200 || fail "/readyz before"
control freeze
"$attacker" crowd "$port" /readyz 40 > "$dir/ready" 2>&1 &
probes=$!
"$attacker" crowd "$port" /v1/studies 60 wrong > "$dir/wrong" 2>&1 &
strangers=$!
is /healthz 200 20 || fail "/healthz of a coordinator whose storage hangs"
wait $probes || fail "the attacker ends with $?"
echo "when PostgreSQL begins to hang, /readyz: $(tr '\n' ' ' < "$dir/ready")"
grep -qv -e 'status 200 ' -e 'status 503 ' "$dir/ready" && fail "/readyz when the storage begins to hang"
await is /readyz 503 || fail "/readyz while the storage hangs" # what was found before holds for a second
is /readyz 503 40 || fail "/readyz while the storage hangs, 40 times"
is /healthz 200 20 || fail "/healthz after that"
control thaw
wait $strangers || fail "the attacker ends with $?"
echo "tokens that are none: $(tr '\n' ' ' < "$dir/wrong")"
grep -q 'status [15]' "$dir/wrong" && fail "a token that is none: $(cat "$dir/wrong")"
await is /readyz 200 || fail "/readyz afterwards"
kill $server
wait $server || fail "the coordinator ends with $?"

# ---- a coordinator that is told to end while PostgreSQL hangs does end, and the next one goes on
serve_options="--stop-s 2"
serve b 0 "$TACIT_POSTGRES"
await is /readyz 200 || fail "/readyz of the second coordinator"
control freeze
await is /readyz 503 || fail "/readyz while the storage hangs, again"
kill $server
gone() { ! kill -0 "$server" 2>/dev/null; }
await gone || fail "a coordinator does not end while PostgreSQL hangs"
code=0
wait $server || code=$?
[ $code = 5 ] || fail "a coordinator that ends while PostgreSQL hangs has exit status $code"
grep -q 'ended after 2 s (--stop-s): a request or the storage hangs' "$dir/b.log" || { fail "it does not say why"; cat "$dir/b.log"; }
control thaw
serve c 0 "$TACIT_POSTGRES"
await is /readyz 200 || fail "/readyz of the third coordinator"
kill $server
wait $server || fail "the third coordinator ends with $?"
[ $failed = 0 ] && echo "attack_postgres_test passed"
exit $failed
