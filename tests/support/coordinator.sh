# coordinator.sh - what tests with a coordinator and agents as processes share. Sourced before anything
# else; needs TACIT_BIN, and simulated_run in the working folder, which the build makes.
#
#   document AGENTS TRIALS RELEASES   writes the study s, dp-fts-de, to $dir/s.json
#   serve NAME PORT [STORAGE]         starts a coordinator; sets server (its process), url, pin, port
#   found NAME USES                   creates the study there and makes $dir/NAME.join
#   agent NAME NUMBER                 starts an agent, process $!; files $dir/NAME-NUMBER.*
#   enrol_all NAME AGENTS             starts all, each with its place; processes in pid_NUMBER
#   finish_all NAME AGENTS            waits for all
#   reference FILE                    the study in one process: trials and releases
#   deployed NAME AGENTS FILE         the same of what the agents have
. "$(dirname "$0")/../support/await.sh"
tacit=$(command -v "${TACIT_BIN:-./tacit}") || { echo "no program ${TACIT_BIN:-./tacit}"; exit 1; }
simulated=$(realpath "${SIMULATED_RUN:-./simulated_run}")
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-coordinator.XXXXXX") || exit 1
servers=
through=       # not empty: the program that every trial goes through
serve_options= # words; further options of coordinators
trap 'end_all; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
fail() { echo "FAILED: $*"; failed=1; }
export OPENBLAS_NUM_THREADS=1

# Coordinators, and agents that are still there: all of them name our folder.
end_all() {
    # shellcheck disable=SC2086  # a list of numbers
    kill -9 $servers 2>/dev/null || true
    for pid in $(grep -ls "$dir/" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3); do
        [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null || true
    done
}

field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

document() { # AGENTS TRIALS RELEASES [INITIAL]: agents have something to say from three initial points on
    cat > "$dir/s.json" <<J
{"name": "s", "direction": "maximize", "trials": $2, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": ${4:-3}, "releases": "$3"},
 "federation": {"agents": $1}, "privacy": {"epsilon": 5, "delta": 0.01}}
J
}

serve() { # NAME PORT [STORAGE]
    rm -f "$dir/$1.serve"
    # shellcheck disable=SC2086  # options are words
    "$tacit" serve --listen "127.0.0.1:$2" --storage "${3:-sqlite:///$dir/$1.db}" --test-seed 7 \
        --threads 4 $serve_options --format json > "$dir/$1.serve" 2>> "$dir/$1.log" &
    server=$!
    servers="$servers $server"
    await test -s "$dir/$1.serve" || true
    url=$(field url "$dir/$1.serve")
    pin=$(field fingerprint "$dir/$1.serve")
    port=${url##*:}
    [ -n "$url" ] || { cat "$dir/$1.log"; exit 1; }
}

remote() { # NAME WORD...
    who=$1
    shift
    "$tacit" remote "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/$who.op"
}

found() { # NAME USES
    field operator_token "$dir/$1.serve" > "$dir/$1.op"
    remote "$1" create "$dir/s.json" > "$dir/$1.created" || exit 1
    remote "$1" token s --uses "$2" > "$dir/$1.token" || exit 1
    field token "$dir/$1.token" > "$dir/$1.join"
}

agent() { # NAME NUMBER
    "$tacit" agent "$url" --study s --token-file "$dir/$1.join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/$1-$2.db" --epsilon 6 --delta 0.01 --test-seed 7 --test-key "$2" \
        --accept-not-private --format json -- ${through:+"$through"} "$simulated" value "$2" '{x}' \
        > "$dir/$1-$2.out" 2>> "$dir/$1-$2.err" &
}

enrolled() { # NAME: how many; 0 while nobody answers
    remote "$1" show s 2>/dev/null | sed -n 's/.*"enrolled": *\([0-9]*\).*/\1/p' | grep . || echo 0
}

enrol_all() { # NAME AGENTS: one after the other, so that places are known
    for i in $(seq 0 $(($2 - 1))); do
        agent "$1" "$i"
        eval "pid_$i=$!"
        until [ "$(enrolled "$1")" -gt "$i" ]; do sleep 0.02; done
    done
}

finish_all() { # NAME AGENTS
    for i in $(seq 0 $(($2 - 1))); do
        eval "wait \$pid_$i" || { fail "agent $i of $1"; tail -n 5 "$dir/$1-$i.err"; }
    done
}

reference() { # FILE
    "$simulated" study "$dir/s.json" 7 > "$1" || fail "the simulation"
}

# What agents have in their journals, and what each heard in every round.
deployed() { # NAME AGENTS FILE
    for i in $(seq 0 $(($2 - 1))); do
        "$tacit" trials s --storage "sqlite:///$dir/$1-$i.db" --format csv > "$dir/trials" ||
            fail "trials of agent $i"
        awk -F, -v agent="$i" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            $at["state"] == "COMPLETE" { print "trial", agent, $at["trial" in at ? "trial" : "number"], $at["params_x"], $at["value"] }' \
            "$dir/trials"
    done > "$3"
    for i in $(seq 0 $(($2 - 1))); do
        "$tacit" inspect s --storage "sqlite:///$dir/$1-$i.db" --format csv |
            awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
                { print "release", $at["round"], $at["heard_hash"] }'
    done | sort -u -k2,2n -k3 >> "$3"
}
