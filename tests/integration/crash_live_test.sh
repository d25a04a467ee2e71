#!/bin/sh
# crash_live_test: coordinators and agents are killed with SIGKILL at random times, over and over. The study
# must come to its end as the same study in one process does: the same trials, one broadcast for each round,
# which every agent heard, and every message paid for once before it left.
#
# Releases are sums with noise from the seed: they are the same only if every message is in them once. Small
# here; TACIT_DEEP=1 takes 30 agents, 10 rounds and 20 kills of the coordinator. CRASH_SEED chooses the times.
# COORDINATOR_STORE=postgresql: two coordinators on the server TACIT_POSTGRES, each with half of the agents
# and killed in turn, so that one closes what the other began.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
agents=6 kills=5 trials=6 releases=0,1,2,3
if [ -n "${TACIT_DEEP:-}" ]; then
    agents=30 kills=20 trials=12 releases=all
fi
document $agents $trials $releases

# Trials are slow, and no later one starts before its share of the kills: however fast the machine is, the
# study cannot come to its end before the last kill.
through=$dir/slow
cat > "$through" <<P
#!/bin/sh
sleep 0.15
while killed=\$(cat "$dir/killed" 2>/dev/null) && [ "\$killed" -lt \$((TACIT_TRIAL * $kills / ($trials - 1))) ]; do
    sleep 0.02
done
exec "\$@"
P
chmod +x "$through"
killed=0 agents_killed=0
count_kill() { # in one step, for the trials read it
    killed=$((killed + $1))
    echo $killed > "$dir/killed.new"
    mv "$dir/killed.new" "$dir/killed"
}
count_kill 0

# Times and victims, from the seed: "delay victim" a line.
awk -v seed="${CRASH_SEED:-1}" -v n="$agents" 'BEGIN {
    srand(seed); for (k = 0; k < 2000; k++) print 0.05 + 0.5 * rand(), int(n * rand()) }' > "$dir/fate"
drawn=0
draw() { # sets delay and victim
    drawn=$((drawn + 1))
    delay=$(sed -n "${drawn}s/ .*//p" "$dir/fate")
    victim=$(sed -n "${drawn}s/.* //p" "$dir/fate")
}

# ---- coordinators: a, and on PostgreSQL b beside it
both=
storage=
if [ "${COORDINATOR_STORE:-sqlite}" = postgresql ]; then
    storage=$TACIT_POSTGRES
    both=b
fi
start() { # a or b, PORT
    serve "$1" "$2" "$storage"
    eval "server_$1=$server port_$1=$port url_$1=$url"
}
crash() { # a or b: dies, and is there again
    eval "kill -9 \$server_$1"
    eval "wait \$server_$1" 2>/dev/null || true
    eval "start $1 \$port_$1"
}
use() { # AGENT: the coordinator that it has
    eval "url=\$url_a"
    [ -z "$both" ] || [ $(($1 % 2)) = 0 ] || eval "url=\$url_b"
}

start a 0
found a $agents
[ -z "$both" ] || start b 0

# ---- enrolling, with a coordinator that dies meanwhile
for i in $(seq 0 $((agents - 1))); do
    use "$i"
    agent a "$i"
    eval "pid_$i=$!"
    if [ $((i % 5)) = 2 ]; then crash a; fi
    url=$url_a
    until [ "$(enrolled a)" -gt "$i" ]; do sleep 0.02; done
done

# ---- the study
running() { # is any agent?
    for i in $(seq 0 $((agents - 1))); do
        if eval "kill -0 \$pid_$i" 2>/dev/null; then return 0; fi
    done
    return 1
}
while running; do
    draw
    sleep "$delay"
    if [ $killed -lt $kills ]; then
        if [ -n "$both" ] && [ $((killed % 2)) = 1 ]; then crash b; else crash a; fi
        count_kill 1
        if eval "kill -9 \$pid_$victim" 2>/dev/null; then
            eval "wait \$pid_$victim" 2>/dev/null || true
            use "$victim"
            agent a "$victim"
            eval "pid_$victim=$!"
            agents_killed=$((agents_killed + 1))
        fi
    fi
done
finish_all a $agents
[ $killed -ge $kills ] || fail "the study ended after $killed of $kills kills"

# ---- as if nothing had happened
reference "$dir/simulated"
deployed a $agents "$dir/deployed"
cmp "$dir/simulated" "$dir/deployed" || {
    fail "kills changed the study"
    diff "$dir/simulated" "$dir/deployed" | head -n 10
}
rounds=$(grep -c '^release' "$dir/simulated")
for i in $(seq 0 $((agents - 1))); do # round, message, ..., entry of the agent's ledger
    "$tacit" inspect s --storage "sqlite:///$dir/a-$i.db" --format csv |
        awk -F, -v rounds="$rounds" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            $at["message"] == "sent" && $at["entry"] > 0 && !paid[$at["entry"]]++ { n++ }
            END { exit n != rounds }' || fail "agent $i has not paid once for each of $rounds rounds"
done
url=$url_a
remote a privacy s > "$dir/ledger"
[ "$(grep -o '"release": *"[^"]*"' "$dir/ledger" | wc -l)" = "$rounds" ] || fail "the ledger has not $rounds releases"
[ $failed = 0 ] && echo "crash_live_test passed: $killed kills of coordinators, $agents_killed of agents, $rounds rounds"
exit $failed
