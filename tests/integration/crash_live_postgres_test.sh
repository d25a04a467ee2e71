#!/bin/sh
# crash_live_postgres_test: crash_live_test with two coordinators on one PostgreSQL. Needs TACIT_POSTGRES
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
COORDINATOR_STORE=postgresql exec sh "$here/crash_live_test.sh"
