#!/bin/sh
# agent_alone_test: an agent is one process. A second one on the same storage is refused at once, with one
# sentence and exit status 5, and disturbs nothing; one that is killed leaves nothing in the way of the
# next; other studies share the storage as before.
# AGENT_STORE=postgresql: the agent's storage is on the server TACIT_POSTGRES, and so is store_name_lock_test's.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
storage=sqlite:///$dir/agent.db
if [ "${AGENT_STORE:-sqlite}" = postgresql ]; then
    storage=$TACIT_POSTGRES
    HOLD_STORE=postgresql "$(dirname "$simulated")/store_name_lock_test" > "$dir/hold" 2>&1 ||
        { fail "store_name_lock_test on PostgreSQL"; cat "$dir/hold"; }
fi
cat > "$dir/train" <<J
#!/bin/sh
echo \$\$ >> "$dir/ran"
while [ -e "$dir/slow" ]; do sleep 0.05; done
exec "$simulated" value 0 "\$1"
J
chmod +x "$dir/train"

take_part() { # STUDY FILE: in this process
    "$tacit" agent "$url" --study "$1" --token-file "$dir/here.join" --fingerprint "$pin" --quiet \
        --storage "$storage" --epsilon 6 --delta 0.01 --test-seed 7 --accept-not-private --format json \
        -- "$dir/train" '{x}' > "$dir/$2.out" 2> "$dir/$2.err"
}
five_told() { # STUDY FILE: and the best of them was printed
    [ "$("$tacit" trials "$1" --storage "$storage" --format jsonl | grep -c COMPLETE)" = 5 ] &&
        [ "$("$tacit" best "$1" --storage "$storage" --format json)" = "$(cat "$dir/$2.out")" ]
}
ran() { if [ -e "$dir/ran" ]; then wc -l < "$dir/ran"; else echo 0; fi; }
ran_often() { [ "$(ran)" -ge "$1" ]; }
refused() { # FILE STATUS
    [ "$2" = 5 ] || fail "a second process ends with $2, not with 5"
    [ "$(cat "$dir/$1.err")" = "tacit: an agent of study \"s\" is at work on this storage already: wait \
for it or end it, or take another storage to take part a second time" ] ||
        { fail "what a second process says:"; cat "$dir/$1.err"; }
}

# Who is alone waits for nobody.
cat > "$dir/s.json" <<'J'
{"name": "s", "direction": "maximize", "trials": 5, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "fts", "initial": 2}, "federation": {"agents": 1}, "privacy": "none"}
J
serve here 0
found here 1

# ---- while the first one runs its first trial
: > "$dir/slow"
take_part s first &
first=$!
await ran_often 1
status=0
take_part s second || status=$?
refused second $status
[ "$(ran)" = 1 ] || fail "a second process ran a trial"

# ---- another study of the same storage is another agent
sed 's/"name": "s"/"name": "t"/' "$dir/s.json" > "$dir/t.json"
remote here create "$dir/t.json" > "$dir/t.created"
remote here token t --uses 1 > "$dir/t.token"
cp "$dir/here.join" "$dir/s.join"
field token "$dir/t.token" > "$dir/here.join"
rm "$dir/slow"
take_part t other || { fail "an agent of another study"; cat "$dir/other.err"; }
cp "$dir/s.join" "$dir/here.join"
wait $first || { fail "the first agent"; cat "$dir/first.err"; }
five_told s first || fail "five trials expected"

# ---- killed, while the program that it runs lives on
sed 's/"name": "s"/"name": "u"/' "$dir/s.json" > "$dir/u.json"
remote here create "$dir/u.json" > "$dir/u.created"
remote here token u --uses 1 > "$dir/u.token"
field token "$dir/u.token" > "$dir/here.join"
: > "$dir/slow"
before=$(ran)
take_part u killed &
shell=$!
await ran_often $((before + 1))
for pid in $(grep -ls "$dir/" /proc/[0-9]*/cmdline | cut -d/ -f3); do
    tr '\0' ' ' 2>/dev/null < "/proc/$pid/cmdline" | grep -q "agent $url --study u" && kill -9 "$pid"
done
wait $shell 2>/dev/null || true
kill -0 "$(tail -n 1 "$dir/ran")" || fail "the program should have outlived its agent"
rm "$dir/slow"
again= # a server is told of it a little later
[ "${AGENT_STORE:-sqlite}" = sqlite ] || again=await
$again take_part u next || { fail "the agent after one that was killed"; cat "$dir/next.err"; }
five_told u next || fail "five trials after a kill expected"

# ---- two that find no storage yet: one of them makes it, and is the agent
if [ "${AGENT_STORE:-sqlite}" = sqlite ]; then
    sed 's/"name": "s"/"name": "v"/' "$dir/s.json" > "$dir/v.json"
    remote here create "$dir/v.json" > "$dir/v.created"
    remote here token v --uses 1 > "$dir/v.token"
    field token "$dir/v.token" > "$dir/here.join"
    storage=sqlite:///$dir/new.db
    : > "$dir/slow"
    take_part v one &
    one=$!
    take_part v two &
    two=$!
    one_speaks() { [ -s "$dir/one.err" ] || [ -s "$dir/two.err" ]; }
    await one_speaks
    rm "$dir/slow"
    results=
    for pid in $one $two; do
        status=0
        wait "$pid" || status=$?
        results="$results$status "
    done
    case $results in
    "0 5 " | "5 0 ") ;;
    *) fail "of two that start together: $results"; cat "$dir/one.err" "$dir/two.err" ;;
    esac
fi
[ $failed = 0 ] && echo "agent_alone_test passed"
exit $failed
