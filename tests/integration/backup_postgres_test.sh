#!/bin/sh
# backup_postgres_test: backup_test with its coordinators on PostgreSQL. Needs TACIT_POSTGRES
# (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
BACKUP_STORE=postgresql exec sh "$here/backup_test.sh"
