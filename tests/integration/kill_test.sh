#!/bin/sh
# kill_test.sh [N] - kills `tacit optimize` with SIGKILL at N random moments and
# checks that the run goes on as if nothing had happened: every trial has the same
# parameters and the same value, bit for bit, as in a run that nobody disturbed.
# Then kills one with several jobs and starts two at the same time: what the dead one
# left is run once.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and awk. The seed of the
# moments is printed; KILL_SEED=s repeats them. With KILL_STORE=postgresql the disturbed
# runs are on the server TACIT_POSTGRES, and are still held against the calm one in a file.
set -u
. "$(dirname "$0")/../support/await.sh"

tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
kills=${1:-10}
seed=${KILL_SEED:-$$}
trials=40
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-kill.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
unset TACIT_STORAGE

cat > study.json <<'END'
{ "name": "killed", "direction": "minimize", "trials": 40, "seed": 7,
  "space": { "x": {"type": "float", "low": -5, "high": 10},
             "n": {"type": "int", "low": 1, "high": 9},
             "kind": {"type": "choice", "choices": ["plain", "shifted"]} },
  "algorithm": { "name": "gp-ei" } }
END

cat > objective.sh <<'END'
#!/bin/sh
# A function of its arguments alone; every seventh trial fails. Takes a moment.
sleep 0.02
[ $(($4 % 7)) -ne 6 ] || exit 3
awk -v x="$1" -v n="$2" -v k="$3" 'BEGIN {
    y = (x - 2.5) ^ 2 / 10 + (n - 4) ^ 2 / 8 + (k == "shifted" ? 0.3 : 0)
    printf "value=%.17g\n", y }'
END
chmod +x objective.sh

# url NAME: an empty storage, made by `renew`
url() {
    case ${KILL_STORE:-sqlite} in
    sqlite) echo "sqlite:///$1.db" ;;
    *) echo "$TACIT_POSTGRES" | sed "s,///[a-z]*,///$1," ;;
    esac
}

renew() { # NAME
    case ${KILL_STORE:-sqlite} in
    sqlite) rm -f "$1.db" "$1.db-wal" "$1.db-shm" ;;
    *) psql -q "$TACIT_POSTGRES" -c "DROP DATABASE IF EXISTS $1 WITH (FORCE)" -c "CREATE DATABASE $1" ;;
    esac
}

# run STORAGE: to the end, or until somebody kills it
run() {
    exec "$tacit" optimize study.json --quiet --storage "$1" -- \
        ./objective.sh '{x}' '{n}' '{kind}' '{trial}'
}

# What must not differ: number, state, value, parameters. Times and workers may.
results() {
    "$tacit" export killed --storage "$1" | cut -d, -f1-6
}

# A moment in milliseconds, from a small generator of our own.
moment() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % 400 + 1))
}

echo "# $kills kills, KILL_SEED=$seed"
(run sqlite:///calm.db) > calm.out || { echo "not ok - the undisturbed run fails"; exit 1; }
results sqlite:///calm.db > calm.csv
if [ "$(wc -l < calm.csv)" -ne $((trials + 1)) ]; then
    echo "not ok - the undisturbed run has $(wc -l < calm.csv) lines"
    exit 1
fi

renew killed
killed=0
while [ "$killed" -lt "$kills" ]; do
    run "$(url killed)" > /dev/null 2>&1 &
    pid=$!
    ms=$(moment)
    sleep "$(awk -v ms="$ms" 'BEGIN { printf "%.3f", ms / 1000 }')"
    if kill -9 "$pid" 2> /dev/null; then
        wait "$pid" 2> /dev/null
        killed=$((killed + 1))
        continue
    fi
    # It was done before: begin again with a new storage, keeping the count.
    wait "$pid"
    results "$(url killed)" > killed.csv
    cmp calm.csv killed.csv || { echo "not ok - a disturbed run differs"; exit 1; }
    renew killed
done 2> /dev/null

(run "$(url killed)") > killed.out || { echo "not ok - the last run fails"; exit 1; }
results "$(url killed)" > killed.csv
if ! cmp calm.csv killed.csv; then
    diff calm.csv killed.csv | sed 's/^/# /'
    echo "not ok - after $killed kills the trials differ"
    exit 1
fi
if "$tacit" trials killed --storage "$(url killed)" --state running --format jsonl | grep -q .; then
    echo "not ok - a trial is still running"
    exit 1
fi
echo "ok - after $killed kills all $trials trials are the same, bit for bit"

# ---- two heirs

cat > held.sh <<'END'
#!/bin/sh
# Notes that it was started, and waits until it may go on.
echo "$1" >> starts
until [ -e go ]; do sleep 0.02; done
echo "$1"
END
chmod +x held.sh

held() {
    exec "$tacit" optimize study.json --quiet --trials 12 --jobs "$1" --storage "$(url heirs)" -- \
        ./held.sh '{trial}'
}

renew heirs
: > starts
held 3 > /dev/null 2>&1 &
dead=$!
await has_lines starts 3 || { echo "not ok - three jobs do not start"; kill -9 "$dead"; exit 1; }
kill -9 "$dead"
wait "$dead" 2> /dev/null
: > starts
held 2 > heir1.out 2>&1 &
heir1=$!
held 2 > heir2.out 2>&1 &
heir2=$!
await has_lines starts 4
: > go
wait "$heir1" && wait "$heir2" || { echo "not ok - an heir fails"; sed 's/^/# /' heir?.out; exit 1; }
if [ -n "$(sort starts | uniq -d)" ] || [ "$(sort -n starts | head -3 | tr '\n' ' ')" != "0 1 2 " ]; then
    echo "# started: $(tr '\n' ' ' < starts)"
    echo "not ok - two processes after a kill do not run what it left exactly once"
    exit 1
fi
if "$tacit" trials killed --storage "$(url heirs)" --state running --format jsonl | grep -q .; then
    echo "not ok - an orphan is still running"
    exit 1
fi
echo "ok - two processes run the three trials that a killed one left, each once"
