#!/bin/sh
# lifecycle_postgres_test: lifecycle_test with the coordinator on PostgreSQL. Needs TACIT_POSTGRES (tests/support/postgres
# sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
LIFECYCLE_STORE=postgresql exec sh "$here/lifecycle_test.sh"
