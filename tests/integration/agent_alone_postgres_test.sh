#!/bin/sh
# agent_alone_postgres_test: agent_alone_test with the agent's storage on PostgreSQL. Needs
# TACIT_POSTGRES (tests/support/postgres sets it).
#
# Needs the network.
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
AGENT_STORE=postgresql exec sh "$here/agent_alone_test.sh"
