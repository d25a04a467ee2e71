#!/bin/sh
# kernel_move_test: studies move between CPUs. OPENBLAS_CORETYPE lets one machine play two kinds of them, whose
# sums are rounded differently: a study of `optimize`, and a federation whose coordinator and agents are all
# stopped half way, go on under the other kernel with every trial and broadcast that there was.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
unset TACIT_STORAGE OPENBLAS_CORETYPE
first=Prescott second=Haswell
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || second=Nehalem
echo "kernels: $first, then $second"

on() { # KERNEL: from here on
    export OPENBLAS_CORETYPE="$1"
    taken=$("$tacit" version | sed -n 's/^kernel *//p')
    [ "$taken" = "$1" ] || fail "OpenBLAS runs $taken where $1 was said"
}

# ---- one party

cat > "$dir/o.json" <<'J'
{"name": "o", "direction": "minimize", "trials": 24, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1}},
 "algorithm": "gp-ei"}
J
cat > "$dir/objective" <<'P'
#!/bin/sh
awk -v x="$1" -v y="$2" 'BEGIN { printf "%.17g\n", (x - 0.3) ^ 2 + x * y + (y - 0.6) ^ 4 }'
P
cat > "$dir/look" <<'P'
#!/bin/sh
echo "${OPENBLAS_CORETYPE-unset}" > "$1"
echo 1
P
chmod +x "$dir/objective" "$dir/look"
optimize() { # STORAGE TRIALS
    "$tacit" optimize "$dir/o.json" --storage "sqlite:///$dir/$1.db" --trials "$2" --quiet -- \
        "$dir/objective" '{x}' '{y}' > /dev/null || fail "optimize on $1 up to $2 trials"
}
trials() { # STORAGE FILE
    "$tacit" trials o --storage "sqlite:///$dir/$1.db" --format csv | cut -d, -f1-5 > "$dir/$2" || fail "trials of $1"
}
on $first
optimize moved 12
trials moved before
optimize stayed 24
trials stayed calm
on $second
optimize moved 24
trials moved after
head -n 13 "$dir/after" | cmp - "$dir/before" || fail "trials that there were have changed"
head -n 13 "$dir/calm" | cmp - "$dir/before" || fail "the same kernel gave other trials"
[ "$(grep -c COMPLETE "$dir/after")" = 24 ] || fail "24 trials expected: $(cat "$dir/after")"

# Programs see the variable where the user has set it, and nothing of a kernel that tacit itself has taken.
unset OPENBLAS_CORETYPE
"$tacit" optimize "$dir/o.json" --storage "sqlite:///$dir/seen.db" --trials 1 --quiet -- \
    "$dir/look" "$dir/seen" > /dev/null || fail "optimize"
[ "$(cat "$dir/seen")" = unset ] || fail "programs see OPENBLAS_CORETYPE=$(cat "$dir/seen")"

# ---- a federation: agent 0 on the kernel of the coordinator, the others on the other one

agents=3
document $agents 9 0,1,3,5
through=$dir/gate # nobody goes beyond trial 4 before the gate is open
cat > "$through" <<P
#!/bin/sh
if [ "\$TACIT_TRIAL" -ge 4 ]; then
    echo > "$dir/waits-\$3"
    until [ -e "$dir/open" ]; do sleep 0.02; done
fi
exec "\$@"
P
chmod +x "$through"
anybody() { [ "$(enrolled here)" -ge 1 ]; }
start() { # PORT KERNEL OTHER: the coordinator and agent 0, the others
    on "$2"
    serve here "$1"
    [ -e "$dir/here.join" ] || found here $agents
    agent here 0
    pid_0=$!
    await anybody || fail "agent 0 does not enrol"
    on "$3"
    for i in 1 2; do
        agent here "$i"
        eval "pid_$i=$!"
    done
}
start 0 $first $second
for i in 0 1 2; do await test -e "$dir/waits-$i" || fail "agent $i does not come to trial 4"; done
kill -TERM $pid_0 $pid_1 $pid_2
for i in 0 1 2; do eval "wait \$pid_$i" || true; done
kill -TERM "$server"
wait "$server" || fail "the coordinator ends with $?"
deployed here $agents "$dir/half"
: > "$dir/open.new" && mv "$dir/open.new" "$dir/open"
start "$port" $second $first
finish_all here $agents
deployed here $agents "$dir/whole"
[ "$(grep -c '^trial' "$dir/half")" = $((agents * 4)) ] || fail "four trials each expected half way"
grep '^trial' "$dir/half" | while read -r line; do
    grep -qxF "$line" "$dir/whole" || echo "$line"
done > "$dir/lost"
[ ! -s "$dir/lost" ] || fail "trials that there were have changed: $(cat "$dir/lost")"
[ "$(grep -c '^trial' "$dir/whole")" = $((agents * 9)) ] || fail "nine trials each expected"
[ "$(grep -c '^release' "$dir/whole")" = 4 ] || fail "four broadcasts expected, the same to everybody: $(grep '^release' "$dir/whole")"
kill "$server"
wait "$server" || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "kernel_move_test passed"
exit $failed
