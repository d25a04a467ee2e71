# await.sh - waiting in shell tests: for a condition, never for a time. To be sourced.

# await COMMAND...: again and again until it succeeds. The limit is for what never comes: it is far beyond
# what the slowest machine needs.
await() {
    awaited=0
    until "$@"; do
        awaited=$((awaited + 1))
        [ "$awaited" -lt 3000 ] || { echo "# never: $*"; return 1; }
        sleep 0.05
    done
}

# has_lines FILE N: it has as many at least
has_lines() { [ "$(wc -l 2> /dev/null < "$1" || echo 0)" -ge "$2" ]; }
