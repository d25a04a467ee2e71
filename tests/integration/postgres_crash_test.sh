#!/bin/sh
# postgres_crash_test: a PostgreSQL server crashes over and over under two coordinators, which share it, under
# the workers of a served study, the agents of a federation and two processes of `tacit optimize`, and all of
# them live on. In turn a session is killed, the first process, all of them, or the server is stopped at once.
#
# In the end every value that was acknowledged is there, at the point that it was measured at; every study can
# be read by whoever comes new; the federation has made the trials and releases of the same one in a single
# process; and nobody waits or loops for ever. The server writes its log as late as it may (tests/support/postgres),
# so that a crash takes whatever nobody has waited for.
#
# Small here; TACIT_DEEP=1 takes 120 crashes. CRASHES sets their number, CRASH_SEED other times. Needs
# TACIT_POSTGRES (tests/support/postgres sets it).
#
# Needs the network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"
. "$here/../support/coordinator.sh"
crashes=${CRASHES:-${TACIT_DEEP:+120}}
crashes=${crashes:-6}
agents=4 trials=6 # of the federation
served=$((crashes + 10)) optimized=$((crashes + 10))
workers=4

# ---- how far it is: trials wait for their share of the crashes, so that these come while there is work
crashed=0
count_crash() {
    crashed=$1
    echo "$crashed" > "$dir/crashed.new"
    mv "$dir/crashed.new" "$dir/crashed"
}
count_crash 0
cat > "$dir/share" << 'P'
#!/bin/sh
# share DIR TRIAL OF CRASHES: waits for the share of trial number TRIAL of OF; the last one waits for all
share=$((($2 + 1) * $4 / $3))
[ $share -le "$4" ] || share=$4
while crashed=$(cat "$1/crashed") && [ "$crashed" -lt $share ]; do sleep 0.03; done
P
cat > "$dir/slow" << P
#!/bin/sh
sh "$dir/share" "$dir" "\$TACIT_TRIAL" "\$OF" $crashes
exec "\$@"
P
cat > "$dir/square" << 'P'
#!/bin/sh
awk "BEGIN {x = $1; printf \"%.6f\n\", (x - 0.7) * (x - 0.7)}"
P
chmod +x "$dir/slow" "$dir/square"
through=$dir/slow
export OF=$trials

# ---- whoever is turned away for a moment comes again; what else goes wrong is written down
# 5: the storage or the coordinator is away.
again() { # NAME COMMAND...
    who=$1
    shift
    while :; do
        code=0
        "$@" || code=$?
        case $code in
        0) return 0 ;;
        5) echo "$who" >> "$dir/again"; sleep 0.05 ;;
        *)
            echo "$who: exit $code" >> "$dir/wrong"
            tail -n 2 "$dir/$who.err" >> "$dir/wrong" 2>/dev/null || true
            return "$code"
            ;;
        esac
    done
}

# ---- two coordinators
start() { # a or b
    serve "$1" 0 "$TACIT_POSTGRES"
    eval "server_$1=$server url_$1=$url pin_$1=$pin"
}
use() { # NUMBER: the coordinator for it
    if [ $(($1 % 2)) = 0 ]; then url=$url_a pin=$pin_a; else url=$url_b pin=$pin_b; fi
}
document $agents $trials 0,1,2,3
study() { # NAME TRIALS
    cat > "$dir/$1.json" << J
{"name": "$1", "direction": "minimize", "trials": $2, "seed": 3,
 "space": {"x": {"type": "float", "low": -1, "high": 2}}, "algorithm": {"name": "random"}}
J
}
study served $served
study optimized $optimized
start a
found a $agents
remote a create "$dir/served.json" > "$dir/out"
remote a token served --out "$dir/client" > "$dir/out"
start b

# ---- a worker of the served study. What it is told is acknowledged if tell exits with 0, and only then
client() { # WORKER VERB WORD...
    n=$1
    shift
    "$tacit" "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/client" \
        > "$dir/worker$n.out" 2> "$dir/worker$n.err"
}
ask_for() { # WORKER: 0, or 9 where all are handed out
    use "$1"
    client "$1" ask served --worker "w$1" --lease-s 3600 --format json
}
tell_of() { # WORKER TRIAL VALUE: the answer may have been lost: then the same again is fine, at the other one, too
    use $(($1 + $2))
    client "$1" tell served "$2" "$3"
}
work() { # WORKER
    while [ "$(cat "$dir/acknowledged" 2>/dev/null | wc -l)" -lt $served ]; do
        code=0
        ask_for "$1" || code=$?
        case $code in
        0) ;;
        5) echo "worker$1" >> "$dir/again"; sleep 0.05; continue ;;
        9) return 0 ;; # nothing is left
        *) again "worker$1" ask_for "$1"; return ;;
        esac
        trial=$(sed -n 's/.*"trial":\([0-9]*\).*/\1/p' "$dir/worker$1.out" | head -n 1)
        x=$(sed -n 's/.*"x":\([-0-9.e]*\).*/\1/p' "$dir/worker$1.out" | head -n 1)
        sh "$dir/share" "$dir" "$trial" "$served" $crashes
        value=$("$dir/square" "$x")
        again "worker$1" tell_of "$1" "$trial" "$value" || return
        echo "$trial $x $value" >> "$dir/acknowledged"
    done
}

# ---- a process that optimizes at the storage itself
optimize() { # NUMBER
    OF=$optimized "$tacit" optimize "$dir/optimized.json" --storage "$TACIT_POSTGRES" --quiet \
        --jobs 2 -- "$dir/slow" "$dir/square" '{x}' > "$dir/optimize$1.out" 2> "$dir/optimize$1.err"
}

# ---- an agent; the last two keep their own studies on the same server, in databases of their own
storage_of() { # AGENT
    case $1 in
    2 | 3) echo "$TACIT_POSTGRES" | sed "s,/postgres?,/agent$1?," ;;
    *) echo "sqlite:///$dir/a-$1.db" ;;
    esac
}
take_part() { # AGENT
    use "$1"
    "$tacit" agent "$url" --study s --token-file "$dir/a.join" --fingerprint "$pin" --quiet \
        --storage "$(storage_of "$1")" --epsilon 6 --delta 0.01 --test-seed 7 --test-key "$1" \
        --accept-not-private --format json -- "$dir/slow" "$simulated" value "$1" '{x}' \
        > "$dir/agent$1.out" 2> "$dir/agent$1.err"
}
psql=$(command -v psql || echo /usr/lib/postgresql/*/bin/psql)
for i in 2 3; do $psql -q "$TACIT_POSTGRES" -c "CREATE DATABASE agent$i" > "$dir/out"; done

# Who has ended says so: the number of a process may be given to another.
begin() { # NAME COMMAND...
    everybody="$everybody $1"
    {
        name=$1
        shift
        "$@" || true
        : > "$dir/$name.ended"
    } &
}
everybody=
for i in $(seq 0 $((agents - 1))); do
    begin "agent$i" again "agent$i" take_part "$i"
    url=$url_a pin=$pin_a
    await sh -c '[ "$("$@" 2>/dev/null | sed -n "s/.*\"enrolled\": *\([0-9]*\).*/\1/p")" -gt '"$i"' ]' - \
        "$tacit" remote show s --server "$url" --fingerprint "$pin" --token-file "$dir/a.op" ||
        { cat "$dir/agent$i.err"; exit 1; }
done
for i in $(seq $workers); do begin "worker$i" work "$i"; done
for i in 1 2; do begin "optimize$i" again "optimize$i" optimize "$i"; done

# ---- the crashes
at_work() { # is anybody?
    for who in $everybody; do
        [ -e "$dir/$who.ended" ] || return 0
    done
    return 1
}
control() { sh -c "$TACIT_POSTGRES_CONTROL $1"; }
for n in $(seq $crashes); do
    case $((n % 4)) in
    0) control crash; control start ;;
    1) control kill_session || true ;; # it may have ended by itself just now
    2) control kill_first; control start ;;
    3) control stop_now; control start ;;
    esac
    count_crash "$n"
    sleep "$(awk -v n="$n" -v seed="${CRASH_SEED:-1}" 'BEGIN { print 0.2 + (n * 0.37 + seed * 0.11) % 0.8 }')"
    [ "$n" = "$crashes" ] || at_work || { fail "all was done after $n of $crashes crashes"; break; }
done
finished() { ! at_work; }
await finished || {
    fail "somebody is still at it"
    for who in $everybody; do
        [ -e "$dir/$who.ended" ] || echo "# $who"
    done
    tail -n 3 "$dir"/*.err "$dir"/*.log
}

# ---- nobody is stuck: coordinators end when they are told to
for who in a b; do eval "kill \$server_$who"; done
ended() { ! kill -0 "$server_a" 2>/dev/null && ! kill -0 "$server_b" 2>/dev/null; }
await ended || fail "a coordinator does not end"
[ ! -s "$dir/wrong" ] || { fail "somebody was turned away for good"; cat "$dir/wrong"; }

# ---- what whoever comes new finds, after one crash more
control crash
control start
trials_of() { # STUDY STORAGE: number, x, value of those that are COMPLETE, to $dir/complete
    "$tacit" trials "$1" --storage "$2" --format csv > "$dir/trials" || fail "$1 cannot be read"
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        $at["state"] == "COMPLETE" { print $at["trial"], $at["params_x"], $at["value"] }' "$dir/trials" > "$dir/complete"
}
rounded() { awk '{ printf "%s %s %.6f\n", $1, $2, $3 }' "$dir/complete"; } # values as the trials print them
# Each value is that of its own point, whoever measured it.
at_their_points() { # FILE
    while read -r number x value; do
        [ "$("$dir/square" "$x")" = "$value" ] || echo "trial $number: $value is not the value at $x"
    done < "$1" > "$dir/astray"
    [ ! -s "$dir/astray" ] || { fail "values stand at points of others"; head -n 5 "$dir/astray"; }
}
trials_of served "$TACIT_POSTGRES"
rounded | sort > "$dir/served"
trials_of optimized "$TACIT_POSTGRES"
rounded > "$dir/optimized"
sort -u "$dir/acknowledged" > "$dir/told"
lost=$(comm -23 "$dir/told" "$dir/served" | wc -l)
[ "$lost" = 0 ] || { fail "$lost acknowledged values are lost"; comm -23 "$dir/told" "$dir/served"; }
[ "$(wc -l < "$dir/served")" = $served ] || fail "$(wc -l < "$dir/served") of $served served trials"
[ "$(wc -l < "$dir/optimized")" -ge $optimized ] || fail "$(wc -l < "$dir/optimized") of $optimized optimized trials"
at_their_points "$dir/served"
at_their_points "$dir/optimized"

reference "$dir/simulated"
for i in $(seq 0 $((agents - 1))); do
    trials_of s "$(storage_of "$i")"
    sed "s/^/trial $i /" "$dir/complete" >> "$dir/deployed"
done
for i in $(seq 0 $((agents - 1))); do
    "$tacit" inspect s --storage "$(storage_of "$i")" --format csv |
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next } { print "release", $at["round"], $at["heard_hash"] }'
done | sort -u -k2,2n -k3 >> "$dir/deployed"
cmp "$dir/simulated" "$dir/deployed" || {
    fail "crashes changed the federation"
    diff "$dir/simulated" "$dir/deployed" | head -n 10
}
"$tacit" backup "$dir/backup.db" --storage "$TACIT_POSTGRES" > "$dir/out" 2>&1 ||
    { fail "backup"; cat "$dir/out"; }
echo "# came again: $(sort "$dir/again" 2>/dev/null | uniq -c | tr -s ' \n' ' ')"
[ $failed = 0 ] && echo "postgres_crash_test passed: $crashes crashes, $(wc -l < "$dir/told") acknowledged values," \
    "none lost, $optimized trials at the storage, a federation of $agents"
exit $failed
