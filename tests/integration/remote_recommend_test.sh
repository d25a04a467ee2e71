#!/bin/sh
# remote_recommend_test: one configuration for all agents from what a federated study has released, through processes.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
cd "$dir"
recommend() { # NAME: the exit status; answer in out, refusal in err
    status=0
    remote "$1" recommend "${2:-s}" > out 2> err || status=$?
    echo $status
}
said() { grep -qF -- "$1" err || { fail "expected \"$1\":"; cat err; }; }

document 3 6 0
serve one 0
found one 3
[ "$(recommend one)" = 4 ] || { fail "before a release"; cat out err; }
said "nothing was released yet that says where the agents' mean is largest"
[ ! -s out ] || fail "something was printed"
enrol_all one 3
finish_all one 3
[ "$(recommend one)" = 0 ] || { fail "after the release"; cat out err; }
grep -q '"by": *"released"' out || { fail "the answer"; cat out; }
grep -q '"x": *[0-9]' out || { fail "its point"; cat out; }
grep -q '"releases": *1' out || { fail "its releases"; cat out; }
grep -qF 'it is computed from what was released, which costs no privacy' out || { fail "its reason"; cat out; }
# It spends nothing and is always the same, also after the coordinator was killed.
remote one privacy s > ledger.before
cp out first
kill -9 "$server"
serve one 0
[ "$(recommend one)" = 0 ] && cmp -s out first || { fail "after a crash"; cat out first; }
remote one privacy s > ledger.after
cmp -s ledger.before ledger.after || fail "the ledger has changed"
# An agent's own best is in its storage.
"$tacit" best s --storage "sqlite:///$dir/one-0.db" > out 2> err || { fail "an agent's best"; cat err; }
grep -q COMPLETE out || { fail "it has a trial"; cat out; }
grep -q '^by ' err || { fail "and its reason"; cat err; }

# What has no common function says so.
sed 's/"name": "s"/"name": "r"/; s/"name": "dp-fts-de", "features": 20/"name": "fts"/; s/, "releases": "0"//; s/"privacy": {.*}}/"privacy": "none"}/' s.json > r.json
remote one create r.json > /dev/null || fail "a study of fts"
[ "$(recommend one r)" = 8 ] || { fail "fts"; cat out err; }
said "fts releases no function of the space, so nothing it released supports one configuration for all agents; each agent has its own best (tacit best)"
[ "$(recommend one nosuch)" = 3 ] || { fail "no such study"; cat out err; }
said 'there is no study "nosuch"'
exit $failed
