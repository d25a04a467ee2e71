#!/bin/sh
# memory_live_postgres_test: memory_live_test with two coordinators on PostgreSQL. Needs TACIT_POSTGRES
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
COORDINATOR_STORE=postgresql exec sh "$here/memory_live_test.sh"
