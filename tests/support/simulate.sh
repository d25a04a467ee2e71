# simulate.sh - what the tests of `tacit simulate` share: a folder of their own, `check`, `run`, `good`.
# Sourced before anything else; needs TACIT_BIN as they do.
tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-simulate.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
checks=0
failures=0

# check NAME COMMAND...: the command succeeds
check() {
    name=$1
    shift
    checks=$((checks + 1))
    if "$@"; then
        echo "ok $checks - $name"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $checks - $name"
    sed 's/^/# out: /' out 2> /dev/null | cut -c 1-200 | head -5
    sed 's/^/# err: /' err 2> /dev/null | head -5
}

# run CODE WORD...: tacit simulate into out and err; true if it exits with CODE
run() {
    want=$1
    shift
    "$tacit" simulate "$@" > out 2> err
    got=$?
    [ "$got" -eq "$want" ] || { echo "# exit $got, not $want: tacit simulate $*"; return 1; }
}

# good NAME WORD...: exits with 0
good() {
    name=$1
    shift
    check "$name" run 0 "$@"
}
