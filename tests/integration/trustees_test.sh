#!/bin/sh
# trustees_test: a study with trustees as processes over TLS. Five agents, three trustees, one of which is killed in the middle:
# the same trials and broadcasts as the simulation of the study, bit for bit. All parties print one fingerprint of the roster;
# refusals; what inspect says; a trustee from a backup.
# COORDINATOR_STORE=postgresql: the coordinator is on the server TACIT_POSTGRES.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
agents=5
trustees=3
cat > "$dir/s.json" <<J
{"name": "s", "direction": "maximize", "trials": 7, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3, "releases": "0,1,3"},
 "federation": {"agents": $agents, "trustees": $trustees}, "privacy": {"epsilon": 5, "delta": 0.01}}
J

trustee() { # NUMBER WORD...: of the study s here
    number=$1
    shift
    exec "$tacit" trustee "$url" --study s --fingerprint "$pin" --token-file "$dir/trustees.join" \
        --storage "sqlite:///$dir/trustee-$number.db" --test-seed 7 --test-key "$number" \
        --format json "$@"
}

start_trustee() { # NUMBER
    trustee "$1" > "$dir/trustee-$1.out" 2>> "$dir/trustee-$1.err" &
    eval "trustee_$1=$!"
}

once_more() { # NUMBER WORD...: in the foreground
    (trustee "$@")
}

trustees_enrolled() {
    remote here show s | sed -n 's/.*"trustees_enrolled": *\([0-9]*\).*/\1/p' | grep . || echo 0
}

# The code, and one sentence with the text, of a command that is refused.
refused() { # CODE TEXT COMMAND...
    code=$1
    text=$2
    shift 2
    got=0
    "$@" > "$dir/out" 2> "$dir/refusal" || got=$?
    [ "$got" = "$code" ] || fail "exit $got, not $code: $text"
    grep -qF -- "$text" "$dir/refusal" || { fail "not said: $text"; cat "$dir/refusal"; }
}

storage=
[ "${COORDINATOR_STORE:-sqlite}" = sqlite ] || storage=$TACIT_POSTGRES
serve here 0 "$storage"
found here $agents
remote here token s --role trustee --uses $trustees > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/trustees.join"

# ---- enrolling

refused 2 "a join token is needed to become a trustee of study \"s\"" \
    "$tacit" trustee "$url" --study s --fingerprint "$pin" --storage "sqlite:///$dir/nobody.db"
refused 2 "--study is missing: say of which study to be a trustee" "$tacit" trustee "$url"
refused 2 "roster must be a fingerprint, sha256// and 44 characters, got \"sha256//x\"" \
    "$tacit" trustee "$url" --study s --storage "sqlite:///$dir/nobody.db" --roster sha256//x
refused 2 "roster must be a fingerprint, sha256// and 44 characters, got \"x\"" \
    "$tacit" agent "$url" --study s --storage "sqlite:///$dir/nobody.db" --roster x -- true
[ ! -e "$dir/nobody.db" ] || fail "a refusal has left a storage"
refused 4 "the coordinator refuses to enrol this trustee" "$tacit" trustee "$url" --study s \
    --fingerprint "$pin" --token-file "$dir/here.join" --storage "sqlite:///$dir/nobody.db"
for k in $(seq 0 $((trustees - 1))); do
    start_trustee "$k"
    until [ "$(trustees_enrolled)" -gt "$k" ]; do sleep 0.02; done
done
refused 5 "a trustee of study \"s\" is at work on this storage already: wait for it or end it" once_more 0

# ---- the study, in which trustee 1 dies after its first answer

enrol_all here $agents
await grep -q "^round 0: answered for $agents agents; its key is erased" "$dir/trustee-1.err"
kill -9 "$trustee_1"
wait "$trustee_1" 2> /dev/null || true
start_trustee 1
finish_all here $agents
for k in $(seq 0 $((trustees - 1))); do
    eval "wait \$trustee_$k" || { fail "trustee $k"; tail -n 5 "$dir/trustee-$k.err"; }
    grep -q '"answered":3,"rounds":3,"conflicts":0' "$dir/trustee-$k.out" ||
        { fail "trustee $k has not answered three rounds"; cat "$dir/trustee-$k.out"; }
done
reference "$dir/simulated"
deployed here $agents "$dir/deployed"
[ "$(grep -c '^trial' "$dir/simulated")" = $((agents * 7)) ] || fail "$agents agents, 7 trials each"
[ "$(grep -c '^release' "$dir/simulated")" = 3 ] || fail "three releases expected"
cmp "$dir/simulated" "$dir/deployed" || {
    fail "the deployment is not the simulation"
    diff "$dir/simulated" "$dir/deployed" | head -n 10
}

# ---- one roster for everybody

roster=$(sed -n 's/^the roster is \(sha256\/\/[^:]*\):.*/\1/p' "$dir/trustee-0.err" | sort -u)
[ -n "$roster" ] || fail "trustee 0 prints no fingerprint"
[ "$(sed -n 's/^the roster is \(sha256\/\/[^:]*\):.*/\1/p' "$dir"/trustee-?.err | sort -u)" = "$roster" ] ||
    fail "trustees print several fingerprints"
remote here show s | grep -qF "$roster" || fail "the coordinator prints another fingerprint"
other=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
refused 4 "the coordinator's roster has the fingerprint $roster, and the one that was given is $other: they are two rosters" \
    once_more 0 --roster $other
once_more 0 --roster "$roster" > "$dir/out" 2>&1 || { fail "trustee 0 once more"; cat "$dir/out"; }

# ---- what operators see and do

remote here trustees s --format csv > "$dir/list"
[ "$(sed -n '1p' "$dir/list")" = "trustee,fingerprint,revoked,answered,refused,wrong,conflicts,refusal" ] ||
    { fail "remote trustees: its columns"; cat "$dir/list"; }
for k in 0 1 2; do
    grep -q "^$k,[0-9a-f]*,false,3,0,0,0," "$dir/list" || { fail "remote trustees: $k"; cat "$dir/list"; }
done
refused 3 "there is no trustee 9" remote here dismiss s 9
remote here dismiss s 2 > "$dir/out" || fail "remote dismiss"
remote here trustees s --format csv | grep -q "^2,[0-9a-f]*,true,3," || fail "trustee 2 is not dismissed"
refused 4 "the roster of study \"s\" is fixed: nobody joins, comes back or changes a key any more" \
    remote here readmit s 1

# ---- what left, and for whom

"$tacit" inspect s --storage "sqlite:///$dir/here-0.db" > "$dir/inspect"
one=$("$tacit" inspect s --storage "sqlite:///$dir/here-0.db" --format csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "share_bytes") at = i } NR > 1 { sum += $at } END { print sum }')
[ "$one" -gt 0 ] || fail "no bytes of shares: $one"
grep -q "^They left as shares, one for each of trustees 0 to 2, sealed for it, $one bytes in all" "$dir/inspect" ||
    { fail "inspect"; cat "$dir/inspect"; }
"$tacit" inspect s --storage "sqlite:///$dir/here-0.db" --round 1 > "$dir/inspect"
grep -q "^left as     [0-9]* bytes: a share for each of trustees 0 to 2$" "$dir/inspect" || fail "inspect --round"
grep -q "^readable    by nobody alone; by 3 trustees together$" "$dir/inspect" || fail "inspect: who can read it"

# ---- three parties that are agents and trustees at once

sed 's/"s"/"v"/; s/"agents": 5/"agents": 3/' "$dir/s.json" > "$dir/v.json"
remote here create "$dir/v.json" > "$dir/out"
remote here token v --uses 3 > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/v.join"
remote here token v --role trustee --uses 3 > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/v.trustees"
for i in 0 1 2; do
    "$tacit" agent "$url" --study v --fingerprint "$pin" --token-file "$dir/v.join" --trustee-join "$dir/v.trustees" \
        --storage "sqlite:///$dir/both-$i.db" --trustee-storage "sqlite:///$dir/both-$i-trustee.db" \
        --accept-not-private --format json -- "$simulated" value "$i" '{x}' > "$dir/both-$i.out" 2> "$dir/both-$i.err" &
    eval "both_$i=$!"
done
for i in 0 1 2; do
    eval "wait \$both_$i" || { fail "agent and trustee $i"; tail -n 5 "$dir/both-$i.err"; }
    [ "$(grep -c "^trustee: round [0-9]*: answered for 3 agents; its key is erased$" "$dir/both-$i.err")" = 3 ] ||
        { fail "a trustee beside an agent has not answered three rounds"; cat "$dir/both-$i.err"; }
done
refused 2 "--trustee-join needs a URL: a trustee cannot be reached by --outbox" "$tacit" agent --outbox "$dir/carried" \
    --study v --trustee-join "$dir/v.trustees" -- true

# ---- a trustee that ends while its agent goes on

sed 's/"s"/"w"/' "$dir/s.json" > "$dir/w.json"
remote here create "$dir/w.json" > "$dir/out"
remote here token w --uses 1 > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/w.join"
remote here token w --role trustee --uses 1 > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/w.trustees"
"$tacit" agent "$url" --study w --fingerprint "$pin" --token-file "$dir/w.join" --trustee-join "$dir/w.trustees" --quiet \
    --storage "sqlite:///$dir/ends.db" --trustee-storage "sqlite:///$dir/ends-trustee.db" \
    --accept-not-private --format json -- "$simulated" value 0 '{x}' > "$dir/ends.out" 2> "$dir/ends.err" &
ends=$!
until remote here trustees w --format csv | grep -q '^0,'; do sleep 0.02; done
remote here dismiss w 0 > "$dir/out" || fail "remote dismiss: a trustee beside an agent"
await grep -q "^trustee: it has ended, and the agent goes on without it: " "$dir/ends.err"
kill "$ends"
wait "$ends" 2> /dev/null || true

# ---- a study without trustees has no roster, and needs none

sed 's/"s"/"u"/; s/, "trustees": 3//' "$dir/s.json" > "$dir/u.json"
remote here create "$dir/u.json" > "$dir/out"
remote here token u > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/u.join"
refused 2 "study \"u\" has no trustees, and so no roster whose fingerprint could be compared: leave it out" \
    "$tacit" agent "$url" --study u --fingerprint "$pin" --token-file "$dir/u.join" --roster "$roster" \
    --storage "sqlite:///$dir/nobody-u.db" --accept-not-private -- true
refused 4 "study \"u\" has no trustees: its coordinator adds up the messages" \
    "$tacit" trustee "$url" --study u --fingerprint "$pin" --token-file "$dir/u.join" \
    --storage "sqlite:///$dir/nobody-u.db"
[ ! -e "$dir/nobody-u.db" ] || fail "a refusal has left a storage"

# ---- a trustee from a backup, in the middle of a study

sed 's/"s"/"t"/' "$dir/s.json" > "$dir/t.json"
remote here create "$dir/t.json" > "$dir/out"
remote here token t --role trustee --uses $trustees > "$dir/here.token" || exit 1
field token "$dir/here.token" > "$dir/t.join"
as_t() {
    exec "$tacit" trustee "$url" --study t --fingerprint "$pin" --token-file "$dir/t.join" \
        --storage "sqlite:///$dir/$1.db"
}
as_second() { (as_t second); }
as_t first > "$dir/out" 2> "$dir/first.err" &
first=$!
await grep -q "^trustee 0 of study t" "$dir/first.err"
await grep -q "^waiting: not all agents and trustees have joined yet" "$dir/first.err"
"$tacit" backup "$dir/first.backup" --storage "sqlite:///$dir/first.db" > "$dir/out" 2>&1 || { fail "a backup"; cat "$dir/out"; }
kill -TERM $first
wait $first && fail "a trustee that is interrupted ends with 0"
"$tacit" restore "$dir/first.backup" --storage "sqlite:///$dir/second.db" > "$dir/out" 2>&1 || { fail "a restore"; cat "$dir/out"; }
refused 4 "this storage was restored from a backup, which leaves the keys of rounds out: this trustee answers nothing more in study \"t\", and counts as one of the 1 that may work with the coordinator" \
    as_second

kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "trustees_test passed"
exit $failed
