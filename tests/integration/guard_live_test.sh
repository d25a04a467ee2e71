#!/bin/sh
# guard_live_test.sh - processes that hold secrets leave no core files, and the programs that they start may.
#
# Needs the network.
. "$(dirname "$0")/../support/coordinator.sh"

# The sanitizer would forbid core files by itself.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}disable_coredump=0"

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

# A trial of a local study: it inherits no secret, and cannot read those of the process that started it.
printf '{"name": "env", "direction": "maximize", "trials": 1, "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}' > "$dir/env.json"
chmod 755 "$dir"
mkdir -m 777 "$dir/open"
cp "$tacit" "$dir/open/tacit" # which nobody can reach
as_nobody() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
(cd "$dir/open" && HOME=$dir/open TACIT_STORAGE="sqlite:///$dir/open/secret-name.db" as_nobody "$dir/open/tacit" optimize "$dir/env.json" --quiet -- \
    sh -c '(cat "/proc/$PPID/environ" > environ) 2>/dev/null; env > environ.own; echo 1') > /dev/null || fail "the trial of nobody"
[ -f "$dir/open/environ.own" ] || fail "no trial was run"
grep -qa secret-name "$dir/open/environ.own" && fail "a trial inherits the storage's name"
if grep -qa __asan_init "$tacit"; then # its leak checker traces the process (guard.c)
    echo "not looked at with AddressSanitizer: the environment of the parent"
else
    grep -qa secret-name "$dir/open/environ" 2>/dev/null && fail "a trial reads the storage's name"
fi
exit "$failed"
