#!/bin/sh
# clock_postgres_test: clock_test with coordinators on one PostgreSQL, whose clock is set, too. The server is always
# one of its own: nobody sets another's clock.
#
# Needs the network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
preload=$(realpath "${SET_CLOCK:-./libset_clock.so}")
[ -e "$preload" ] || { echo "no $preload"; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/tacit-clock.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$folder" # the server may run as another user
cp "$preload" "$folder/libset_clock.so"
printf '%-16s' 0 > "$folder/clock"
chmod 755 "$folder/libset_clock.so"
chmod 644 "$folder/clock"
unset TACIT_POSTGRES
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
TACIT_CLOCK_FILE=$folder/clock LD_PRELOAD=$folder/libset_clock.so COORDINATOR_STORE=postgresql \
    sh "$here/../support/postgres" sh "$here/clock_test.sh"
