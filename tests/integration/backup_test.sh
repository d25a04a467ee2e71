#!/bin/sh
# backup_test: a coordinator is backed up while agents run, dies, and is restored from the backup.
#
# A restore that is killed leaves nothing. A restored coordinator releases no round twice and counts what
# it forgot; agents who saw more are told why and stop, refuse where a release they heard is not
# counted, and go on where they are told to. Needs the library kill_at.so (KILL_AT), which the build makes.
# BACKUP_STORE=postgresql: on the server TACIT_POSTGRES.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/await.sh"
tacit=${TACIT_BIN:-./tacit}
case $tacit in */*) ;; *) tacit=$(command -v "$tacit") ;; esac
preload=${KILL_AT:-./libkill_at.so}
dir=$(mktemp -d)
server=
agents=
trap 'kill -9 $server $agents 2>/dev/null || true; rm -rf "$dir"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat > "$dir/s.json" <<'J'
{"name": "s", "direction": "maximize", "trials": 24, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 4, "releases": "0,1,4,7,10,13,16"},
 "federation": {"agents": 3, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01}}
J
# Says which trial of which agent it is, and waits where that is beyond the limit: so a backup is taken, and
# agents are killed, in the same round on any machine.
cat > "$dir/train" <<'J'
#!/bin/sh
here=$(dirname "$0")
touch "$here/begun.$2.$TACIT_TRIAL"
while [ "$TACIT_TRIAL" -gt "$(cat "$here/limit" 2> /dev/null || echo 99)" ]; do sleep 0.05; done
awk "BEGIN {x = $1; printf \"%.17g\n\", sin(9 * x) + 0.01 * $2 * x}"
J
chmod +x "$dir/train"
go_until() { # TRIAL: that one is the last; in one step, for others read it
    echo "$1" > "$dir/limit.new"
    mv "$dir/limit.new" "$dir/limit"
}
all_at() { # TRIAL: every agent has begun it
    [ "$(find "$dir" -name "begun.*.$1" | wc -l)" = 3 ]
}

field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }

serve() { # STORAGE PORT: sets url, pin, port
    rm -f "$dir/serve.json"
    "$tacit" serve --listen "127.0.0.1:$2" --storage "$1" --format json > "$dir/serve.json" 2>> "$dir/serve.err" &
    server=$!
    await test -s "$dir/serve.json" || true
    url=$(field url "$dir/serve.json")
    pin=$(field fingerprint "$dir/serve.json")
    port=${url##*:}
    [ -n "$url" ] || { cat "$dir/serve.err"; exit 1; }
}

stop() {
    kill -9 "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
}

agent() { # NUMBER [OPTION]: in the background; its process is $!
    "$tacit" agent "$url" --study s --token-file "$dir/join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/agent$1.db" --epsilon 8 --delta 0.01 ${2:-} --patience-s 100 \
        --format json -- "$dir/train" '{x}' "$1" > "$dir/agent$1.out" 2> "$dir/agent$1.err" &
}

remote() { "$tacit" remote "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/op"; }
entries() { remote privacy s --format json > "$dir/ledger"; grep -o '"mechanism"' "$dir/ledger" | wc -l; }

wait_for() { # TRIAL: every agent has begun it
    await all_at "$1" || { cat "$dir"/agent?.err; exit 1; }
}

refused() { # EXPECTED COMMAND...
    want=$1
    shift
    if "$@" > "$dir/out" 2> "$dir/err"; then fail "not refused: $*"; fi
    grep -q -e "$want" "$dir/err" || { fail "expected \"$want\":"; cat "$dir/err"; }
}

fresh() { # NAME: the URL of an empty storage
    if [ "${BACKUP_STORE:-sqlite}" = postgresql ]; then
        base=${TACIT_POSTGRES%%\?*}
        psql -q "$TACIT_POSTGRES" -c "SET client_min_messages = error" -c "DROP DATABASE IF EXISTS backup_$1" -c "CREATE DATABASE backup_$1" >&2
        echo "${base%/*}/backup_$1?${TACIT_POSTGRES#*\?}"
    else
        rm -f "$dir/$1.db" "$dir/$1.db-wal" "$dir/$1.db-shm"
        echo "sqlite:///$dir/$1.db"
    fi
}

# ---- a backup while agents run
first=$(fresh first)
serve "$first" 0
field operator_token "$dir/serve.json" > "$dir/op"
remote create "$dir/s.json" > /dev/null
remote token s --uses 3 --format json > "$dir/token"
field token "$dir/token" > "$dir/join"
go_until 5
for i in 0 1 2; do
    agent $i
    agents="$agents $!"
done
wait_for 6 # rounds 0 and 1 are over
[ "$(entries)" = 2 ] || fail "two entries expected, got $(entries)"
"$tacit" backup "$dir/copy.db" --storage "$first" 2> "$dir/err" || { fail "backup"; cat "$dir/err"; }
[ "$(stat -c %a "$dir/copy.db")" = 600 ] || fail "others can read the backup"
[ -z "$(ls "$dir" | grep 'copy.db.')" ] || fail "a backup leaves files beside it"
refused "exists: a backup replaces no file" "$tacit" backup "$dir/copy.db" --storage "$first"
go_until 12
wait_for 13 # and so are rounds 4 and 7
[ "$(entries)" = 4 ] || fail "four entries expected, got $(entries)"
stop
for a in $agents; do
    kill -9 "$a" 2>/dev/null || true
    wait "$a" 2>/dev/null || true
done
agents=
go_until 99

# ---- what is refused
refused "is not empty: a backup is restored into a new one" "$tacit" restore "$dir/copy.db" --storage "$first"
refused "this is a store and not a backup" "$tacit" restore "$dir/agent0.db" --storage "sqlite:///$dir/none.db"
refused "must be a whole number, all or unknown" "$tacit" restore "$dir/copy.db" --storage "sqlite:///$dir/none.db" --assume-released -1
refused "this is a backup: .tacit restore. makes a storage of it" "$tacit" serve --storage "sqlite:///$dir/copy.db" --listen 127.0.0.1:0
refused "this is a backup" "$tacit" backup "$dir/copy2.db" --storage "sqlite:///$dir/copy.db"
head -c 20000 "$dir/copy.db" > "$dir/cut.db"
refused "damaged" "$tacit" restore "$dir/cut.db" --storage "sqlite:///$dir/none.db"
[ ! -e "$dir/none.db" ] || fail "a refused restore leaves a storage"

# ---- a restore that is killed at any write leaves nothing or everything
half=$(fresh half)
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" # kill_at comes before it
step=1
[ "${BACKUP_STORE:-sqlite}" = sqlite ] || step=9
k=1
status=137
while [ $status = 137 ]; do
    status=0
    env LD_PRELOAD="$preload" TACIT_KILL_AT=$k "$tacit" restore "$dir/copy.db" --storage "$half" --quiet \
        > /dev/null 2> "$dir/err" || status=$?
    k=$((k + step))
done
# not empty: the last one was killed when all was written
[ $status = 0 ] || grep -q "is not empty" "$dir/err" || { fail "restore ends with $status"; cat "$dir/err"; }
[ $k -gt 20 ] || fail "only $k points to kill at"
"$tacit" backup "$dir/half-copy.db" --storage "$half" --quiet
"$tacit" restore "$dir/half-copy.db" --storage "$(fresh again)" --assume-released 0 --format csv --quiet > "$dir/again"
grep -q "^s,8,0,,counted" "$dir/again" || { fail "what a killed restore left is not whole:"; cat "$dir/again"; }

# ---- what a killed backup leaves, the next one removes
for k in 5 20 40; do
    env LD_PRELOAD="$preload" TACIT_KILL_AT=$k "$tacit" backup "$dir/killed.db" --storage "$half" --quiet 2> /dev/null && fail "not killed"
done
"$tacit" backup "$dir/alive.db" --storage "$half" --quiet
[ -z "$(ls "$dir" | grep tacit-part)" ] || { fail "killed backups leave files:"; ls "$dir"; }
[ ! -e "$dir/killed.db" ] || fail "a killed backup is there"

# ---- nobody knows how many rounds left: all are counted, none is left
all=$(fresh all)
[ "${BACKUP_STORE:-sqlite}" != sqlite ] || { : > "$dir/all.db"; chmod 644 "$dir/all.db"; }
"$tacit" restore "$dir/copy.db" --storage "$all" --format csv > "$dir/all" 2> "$dir/err" ||
    { fail "restore"; cat "$dir/err"; }
[ "${BACKUP_STORE:-sqlite}" != sqlite ] || [ "$(stat -c %a "$dir/all.db")" = 600 ] || fail "others can read what was restored"
grep -q "assumes that no study was erased and made again under its name since" "$dir/err" || { fail "no assumption:"; cat "$dir/err"; }
"$tacit" privacy status s --storage "$all" --delta 0.01 --format json > "$dir/status"
grep -q "assuming that no study was erased and made again under this name since" "$dir/status" || { fail "not in the statement:"; cat "$dir/status"; }
kept=$(sed -n 's/^s,\([0-9]*\),.*/\1/p' "$dir/all")
[ "$kept" -ge 2 ] || fail "the backup has $kept entries"
grep -q "^s,$kept,$((7 - kept)),,counted" "$dir/all" || { fail "all rounds are counted:"; cat "$dir/all"; }

# ---- too few: an agent who heard a release that is not counted refuses, whatever it is told
few=$(fresh few)
"$tacit" restore "$dir/copy.db" --storage "$few" --assume-released 0 --quiet > /dev/null
serve "$few" "$port"
heard=
for i in 0 1 2; do
    agent $i --accept-restored
    wait $! && continue
    grep -q "does not count round [0-9]*, whose release this agent has heard" "$dir/agent$i.err" && heard=$i
done
[ -n "$heard" ] || { fail "no agent refuses"; cat "$dir"/agent?.err; }
stop

# ---- as many as left, and one more to be sure: agents are told why, then go on
"$tacit" backup "$dir/final-copy.db" --storage "$first" --quiet
"$tacit" restore "$dir/final-copy.db" --storage "$(fresh dead)" --assume-released 0 --format csv --quiet > "$dir/dead"
left=$(($(sed -n 's/^s,\([0-9]*\),.*/\1/p' "$dir/dead") - kept + 1))
[ $left -le $((7 - kept)) ] || left=$((7 - kept))
second=$(fresh second)
"$tacit" restore "$dir/copy.db" --storage "$second" --assume-released "$left" --format csv --quiet > "$dir/second"
grep -q "^s,$kept,$left," "$dir/second" || { fail "$left rounds are counted:"; cat "$dir/second"; }
serve "$second" "$port"
refused_agent=
for i in 0 1 2; do
    agent $i
    if ! wait $!; then
        refused_agent=$i
        grep -q "the coordinator was restored at .* from a backup of .* that ended at entry $kept, assuming that no more than $left rounds\\? [weras]* released since, and this agent has seen entry" \
            "$dir/agent$i.err" || { fail "agent $i is not told why:"; cat "$dir/agent$i.err"; }
        break
    fi
done
[ -n "$refused_agent" ] || fail "no agent stops"
for i in 0 1 2; do
    agent $i --accept-restored
    agents="$agents $!"
done
for a in $agents; do
    wait "$a" || { fail "an agent after the restore"; cat "$dir"/agent?.err; }
done
agents=

# ---- everything is counted once: seven rounds, each released or lost, and the note
[ "$(entries)" = 8 ] || { fail "eight entries expected, got $(entries)"; cat "$dir/ledger"; }
[ "$(grep -o '"lost"' "$dir/ledger" | wc -l)" = "$left" ] || fail "$left lost rounds expected"
grep -q '"restored": *{' "$dir/ledger" || fail "the ledger does not say that it was restored"
rounds=$(remote privacy s --format json | tr '{' '\n' | sed -n 's/.*"round": *\([0-9]*\),.*/\1/p' | sort -n | uniq -d)
[ -z "$rounds" ] || fail "rounds in the ledger twice: $rounds"
stop
for i in 0 1 2; do
    [ "$("$tacit" trials s --storage "sqlite:///$dir/agent$i.db" --format csv | grep -c COMPLETE)" = 24 ] ||
        fail "agent $i has not done its trials"
done
exit $failed
