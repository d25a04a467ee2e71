#!/bin/sh
# guard_live_test.sh - processes that hold secrets leave no core files, and the programs that they start may.
. "$(dirname "$0")/../support/coordinator.sh"

core_of() { awk '/^Max core file size/ { print $5 }' "/proc/$1/limits"; }

# shellcheck disable=SC3045  # where the shell has no -S, the limit stays what it is
ulimit -S -c "$(ulimit -H -c 2>/dev/null || echo 0)" 2>/dev/null || true
outside=$(core_of $$)

cat > "$dir/through" <<'S'
#!/bin/sh
awk '/^Max core file size/ { print $5 }' /proc/self/limits >> "$CORES"
awk '/^Max core file size/ { print $5 }' "/proc/$PPID/limits" >> "$CORES.agent"
exec "$@"
S
chmod +x "$dir/through"
CORES=$dir/cores
export CORES
through=$dir/through

document 2 4 first
serve g 0
[ "$(core_of "$server")" = 0 ] || fail "the coordinator may leave a core file: $(core_of "$server")"
found g 2
enrol_all g 2
finish_all g 2
[ "$(sort -u "$CORES")" = "$outside" ] || fail "a trial has the core limit $(sort -u "$CORES"), not $outside"
[ "$(sort -u "$CORES.agent")" = 0 ] || fail "an agent may leave a core file: $(sort -u "$CORES.agent")"
exit "$failed"
