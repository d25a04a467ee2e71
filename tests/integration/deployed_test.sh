#!/bin/sh
# deployed_test: simulated = deployed. Twenty agents as processes, over TLS, and the same study in one
# process: the same trials bit for bit, and every agent heard the same broadcasts.
# COORDINATOR_STORE=postgresql: the coordinator is on the server TACIT_POSTGRES.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
agents=20
document $agents 9 0,1,3,5 3
storage=
[ "${COORDINATOR_STORE:-sqlite}" = sqlite ] || storage=$TACIT_POSTGRES
serve here 0 "$storage"
found here $agents
enrol_all here $agents
finish_all here $agents
reference "$dir/simulated"
deployed here $agents "$dir/deployed"
[ "$(grep -c '^trial' "$dir/simulated")" = $((agents * 9)) ] || fail "$agents agents, 9 trials each"
[ "$(grep -c '^release' "$dir/simulated")" = 5 ] || fail "a vote and four releases expected"
cmp "$dir/simulated" "$dir/deployed" || {
    fail "the deployment is not the simulation"
    diff "$dir/simulated" "$dir/deployed" | head -n 10
}
kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "deployed_test passed"
exit $failed
