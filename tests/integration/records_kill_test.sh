#!/bin/sh
# records_kill_test: `tacit optimize` of a study that protects records is ended by SIGKILL and goes on by the same command.
# First its training program ends it, at trials that a seed chooses, before it prints a value and after; then one with three jobs;
# then it ends itself at its n-th write (kill_at.c). An observer looks at the study's journal and the
# exported ledger after every death: a trial has one value, ever, each value was paid for, and the ledger keeps to the
# promise. The program prints another raw value each time, and noise is real: what is drawn twice is seen.
#
# KILL_SEED=s takes other moments; DEEP=1 tries every write. Nothing here waits for a time to pass.
set -eu
preload=$(realpath "${KILL_AT:-./libkill_at.so}")
[ -e "$preload" ] || { echo "Bail out! no $preload"; exit 1; }
. "$(dirname "$0")/../support/frame.sh"
seed=${KILL_SEED:-7}
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"

# Below MOST, from a small generator of our own.
draw() { # MOST
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

document() { # TRIALS
    cat > study.json <<J
{"name": "killed", "direction": "minimize", "trials": $1, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}}
J
}
# Ends its parent where a file says so, once; every fourth trial fails.
cat > train <<'J'
#!/bin/sh
echo "$1" >> ran
! mv "kill/$1.before" "done.$1.before" 2> /dev/null || { kill -9 $PPID; exit 1; }
[ $(($1 % 4)) != 3 ] || exit 3
echo "0.2$(wc -l < ran | tr -d ' ')"
! mv "kill/$1.after" "done.$1.after" 2> /dev/null || kill -9 $PPID
J
chmod +x train

optimize() { # OPTIONS...
    "$tacit" optimize study.json --records 1000 --quiet --storage sqlite:///s.db "$@" -- \
        env -u TACIT_KILL_AT -u LD_PRELOAD ./train '{trial}' > out 2> err
}

fresh() { # TRIALS
    rm -rf s.db* kill done.* ran values releases
    mkdir kill
    document "$1"
    : > ran
    : > values
    : > releases
}

# What has left so far: values that the journal has, with their trials; releases of the ledger, with their rounds.
see() {
    [ -e s.db ] || return 0
    "$tacit" trials killed --format csv --storage sqlite:///s.db > trials.csv 2> /dev/null || return 0
    awk -F, '$2 == "COMPLETE" { print $1, $3 }' trials.csv >> values
    sort -u values -o values
    "$tacit" privacy export records --delta 1e-5 --storage sqlite:///s.db > ledger.json 2> /dev/null || return 0
    sed 's/{"seq"/\n{"seq"/g' ledger.json > entries
    sed -n 's/.*"round": \([0-9]*\),.*"mechanism": "gaussian-value".*"release": "\([0-9a-f]*\)".*/\1 \2/p' entries >> releases
    sort -u releases -o releases
    grep -c '"mechanism": "reserved"' entries > charges || :
    sed -n 's/.*"claims": .*"epsilon": \([0-9.e-]*\),.*/\1/p' ledger.json > epsilon
    holds=yes
    [ -z "$(cut -d' ' -f1 values | uniq -d)" ] || { echo "# two values of one trial"; holds=no; }
    [ -z "$(cut -d' ' -f1 releases | uniq -d)" ] || { echo "# two releases of one charge"; holds=no; }
    [ "$(wc -l < values)" -le "$(wc -l < releases)" ] || { echo "# a value is not in the ledger"; holds=no; }
    [ "$(wc -l < releases)" -le "$(cat charges)" ] || { echo "# more releases than charges"; holds=no; }
    for trial in $(cut -d' ' -f1 values); do
        grep -q "\"round\": $((2 * trial)),.*\"mechanism\": \"reserved\"" entries || { echo "# trial $trial was not paid for"; holds=no; }
    done
    awk '$1 > 1 { print "# spent " $1; exit 1 }' epsilon || holds=no
    [ $holds = yes ]
}

# Until it ends by itself; each death is looked at.
to_the_end() { # OPTIONS...
    deaths=0 good=yes code=1
    while [ $deaths -lt 60 ]; do
        code=0
        optimize "$@" || code=$?
        see || good=no
        [ $code = 137 ] || break
        deaths=$((deaths + 1))
    done
    [ $good = yes ] && [ $code = 0 ]
}

complete() { # TRIALS
    [ "$(grep -c COMPLETE trials.csv)" = "$1" ] && [ "$(wc -l < values)" = "$1" ] &&
        [ "$(cat charges)" = "$1" ] && [ "$(wc -l < releases)" = "$1" ]
}

plan_kills() { # TRIALS
    planned=0 trial=0
    while [ $trial -lt "$1" ]; do
        draw 4
        case $drawn in 1 | 3) : > "kill/$trial.before" && planned=$((planned + 1)) ;; esac
        # A trial that fails has no moment after its value.
        case $drawn$((trial % 4)) in 23 | 33) ;; 2? | 3?) : > "kill/$trial.after" && planned=$((planned + 1)) ;; esac
        trial=$((trial + 1))
    done
}

# ---- by the training program
fresh 12
plan_kills 12
check "it is killed and goes on" to_the_end
check "it died $planned times" [ "$deaths" = "$planned" ]
check "twelve trials, twelve charges, twelve values" complete 12
check "what a dead one left is evaluated again" [ "$(wc -l < ran)" = $((12 + planned)) ]

fresh 12
plan_kills 12
check "three jobs are killed and go on" to_the_end --jobs 3
check "twelve trials of three jobs" complete 12

# ---- at its n-th write
killed_at() { # N
    code=0
    (LD_PRELOAD=$preload TACIT_KILL_AT=$1 && export LD_PRELOAD TACIT_KILL_AT && optimize) || code=$?
    see || broken=$1
    [ $code = 137 ]
}

n=1 tried=0 broken=
while fresh 3 && killed_at $n; do
    killed_at $n || : # and while it recovers
    to_the_end || broken=$n
    complete 3 || broken=$n
    [ -z "$broken" ] || break
    tried=$((tried + 1))
    draw 40
    n=$((n + 1 + (${DEEP:+0 *} drawn)))
done
echo "# $tried of $n writes"
check "killed at its writes it goes on" [ -z "$broken" ]
check "there were enough of them" [ "$tried" -gt 5 ]

# ---- with intermediate values: two of each trial, which are another number in each run, as the last value is
cat > train <<'J'
#!/bin/sh
echo "$1" >> ran
for step in 1 2; do
    echo "{\"step\": $step, \"value\": 0.3$(wc -l < ran | tr -d ' ')}"
done
echo "0.2$(wc -l < ran | tr -d ' ')"
J
document() {
    cat > study.json <<J
{"name": "killed", "direction": "minimize", "trials": $1, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error", "evaluations": $((3 * $1))}}
J
    : > steps
}
# One value for each trial and step, whenever it is looked at.
see_steps() {
    "$tacit" trials killed --format jsonl --storage sqlite:///s.db 2> /dev/null | awk '{
        t = $0; sub(/.*"trial":/, "", t); sub(/,.*/, "", t)
        n = split($0, part, /"step":/)
        for (i = 2; i <= n; i++) { sub(/}.*/, "", part[i]); print t ":" part[i] }
    }' >> steps
    sort -u steps -o steps
    [ -z "$(cut -d, -f1 steps | uniq -d)" ] || { echo "# two values of one step"; return 1; }
}
three_of_each() {
    see_steps && [ "$(grep -c COMPLETE trials.csv)" = "$1" ] && [ "$(wc -l < steps)" = $((2 * $1)) ] &&
        [ "$(cat charges)" = $((3 * $1)) ] && [ "$(wc -l < releases)" = $((3 * $1)) ]
}

n=1 tried=0 broken=
while fresh 2 && killed_at $n; do
    [ ! -e s.db ] || see_steps || broken=$n
    to_the_end || broken=$n
    three_of_each 2 || broken=$n
    [ -z "$broken" ] || break
    tried=$((tried + 1))
    draw 20
    n=$((n + 1 + (${DEEP:+0 *} drawn)))
done
echo "# $tried of $n writes"
check "killed at its writes each step has one value and one charge" [ -z "$broken" ]
check "there were enough of these" [ "$tried" -gt 5 ]
finish
