#!/bin/sh
# program_postgres_test: program_test with studies and agents on PostgreSQL. Needs TACIT_POSTGRES
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
PROGRAM_STORE=postgresql exec sh "$here/program_test.sh"
