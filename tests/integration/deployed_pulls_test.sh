#!/bin/sh
# deployed_pulls_test: simulated = deployed, for bandits whose agents take trials of several pulls
# (`tacit agent --pulls`). Three agents over TLS, each with batches of its own size, one of them killed
# on the way: pull for pull they try the points of the study in one process, where every trial is
# one pull, and every broadcast that they hear is the same, bit for bit. What they are told is a sum of the
# same rewards.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
agents=3
trials=40

# The objective of simulated_run, by a program that starts faster: the same operations on doubles.
cat > "$dir/value" <<'J'
#!/bin/sh
exec awk 'BEGIN { x = ARGV[2] + 0; away = x - 0.05 * ARGV[1]
    printf "%.17g\n", x * (1 - x) * (3 - 7 * x) - 0.3 * away * away }' "$1" "$2"
J
chmod +x "$dir/value"

bandit() { # ALGORITHM
    cat > "$dir/s.json" <<J
{"name": "s", "direction": "maximize", "trials": $trials, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "$1", "low": -1.5, "high": 1, "c": 0.3},
 "federation": {"agents": $agents}, "privacy": "none"}
J
}

pulls_of() { echo "1 7 100000" | cut -d' ' -f$(($1 + 1)); }

take_part() { # NAME NUMBER: process $!
    "$tacit" agent "$url" --study s --token-file "$dir/$1.join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/$1-$2.db" --test-seed 7 --test-key "$2" --accept-not-private \
        --pulls "$(pulls_of "$2")" --format json -- "$dir/value" "$2" '{x}' \
        > "$dir/$1-$2.out" 2>> "$dir/$1-$2.err" &
}

take_part_all() { # NAME: one after the other, so that places are known
    for i in $(seq 0 $((agents - 1))); do
        take_part "$1" "$i"
        eval "pid_$i=$!"
        until [ "$(enrolled "$1")" -gt "$i" ]; do sleep 0.02; done
    done
}

disturb() { # NAME: agent 1 dies when it has told ten pulls or more
    told_ten() { [ "$(told "$1" 1)" -ge 10 ]; }
    await told_ten "$1"
    kill -9 "$pid_1" 2>/dev/null || true
    wait "$pid_1" 2>/dev/null || true
    take_part "$1" 1
    pid_1=$!
}

# Trials of an agent, one a line: X, VALUE, PULLS. A table of single pulls has no such column.
batches() { # NAME NUMBER
    "$tacit" trials s --storage "sqlite:///$dir/$1-$2.db" --format csv |
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            $at["state"] == "COMPLETE" {
                n = ("pulls" in at) && $at["pulls"] != "" ? $at["pulls"] : 1
                print $at["params_x"], $at["value"], n
            }'
}
told() { batches "$1" "$2" 2>/dev/null | awk '{ n += $3 } END { print n + 0 }'; }
largest() { batches "$1" "$2" | awk '$3 > most { most = $3 } END { print most + 0 }'; }

# Every pull as a line "pull AGENT X VALUE", in order. A value is the mean of the rewards, which are whole
# numbers of steps: what is printed of it has their precision.
pulls() { # NAME
    for i in $(seq 0 $((agents - 1))); do
        batches "$1" "$i" | awk -v agent="$i" '{
            for (n = $3; n > 0; n--) printf "pull %d %s %.6f\n", agent, $1, $2 }'
    done
}

releases() { # NAME: what agents heard, each round once
    for i in $(seq 0 $((agents - 1))); do
        "$tacit" inspect s --storage "sqlite:///$dir/$1-$i.db" --format csv |
            awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
                $at["heard_hash"] != "" { print "release", $at["round"], $at["heard_hash"] }'
    done | sort -u -k2,2n -k3
}

for name in pf-pne fed-hct; do
    bandit $name
    serve $name 0
    found $name $agents
    take_part_all $name
    disturb $name
    finish_all $name $agents
    kill "$server"
    wait "$server" || fail "the coordinator of $name ends with $?"
    reference "$dir/simulated"
    awk '$1 == "trial" { printf "pull %d %s %.6f\n", $2, $4, $5 }' "$dir/simulated" > "$dir/expected"
    grep '^release' "$dir/simulated" >> "$dir/expected" || true
    { pulls $name; releases $name; } > "$dir/got"
    [ "$(grep -c '^pull' "$dir/got")" = $((agents * trials)) ] || fail "$name: $trials pulls each"
    cmp "$dir/expected" "$dir/got" || {
        fail "$name: the deployment is not the simulation"
        diff "$dir/expected" "$dir/got" | head -n 10
    }
    grep -q '^release' "$dir/got" || fail "$name: no round was held"
    [ "$(largest $name 0)" = 1 ] || fail "$name: a batch for an agent that takes none"
    sizes="$(largest $name 1) $(largest $name 2)" # fed-hct chooses anew after every pull
    [ $name = pf-pne ] && want="7 10" || want="1 1"
    [ "$sizes" = "$want" ] || fail "$name: the largest batches are of $sizes pulls, not of $want"
done
[ $failed = 0 ] && echo "deployed_pulls_test passed"
exit $failed
