#!/bin/sh
# fixtures_postgres_test: fixtures_test on the dumps of PostgreSQL. Needs TACIT_POSTGRES (tests/support/postgres sets it).
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
FIXTURES_STORE=postgresql exec sh "$here/fixtures_test.sh"
