#!/bin/sh
# coordinator_postgres_test: coordinator_test with its disturbed coordinator on PostgreSQL, and a
# second coordinator on the same database. Needs TACIT_POSTGRES (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
COORDINATOR_STORE=postgresql exec sh "$here/coordinator_test.sh"
