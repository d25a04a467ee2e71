#!/bin/sh
# trustees_postgres_test: trustees_test with its coordinator on PostgreSQL. Needs TACIT_POSTGRES
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
COORDINATOR_STORE=postgresql exec sh "$here/trustees_test.sh"
