# curate.sh - the frame of the shell tests of `tacit curate` and `tacit model`, to be sourced: an empty folder
# of their own, one "ok" or "not ok" line per check.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. A test ends with
#     echo "1..$checks"
#     [ $failures -eq 0 ] || { echo "# $failures of $checks failed"; exit 1; }

tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-curate.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
unset TACIT_STORAGE
checks=0
failures=0

# check NAME COMMAND...: the command succeeds
check() {
    name=$1
    shift
    checks=$((checks + 1))
    if "$@"; then
        echo "ok $checks - $name"
    else
        failures=$((failures + 1))
        echo "not ok $checks - $name"
        sed 's/^/# out: /' out 2> /dev/null | cut -c 1-200 | head -5
        sed 's/^/# err: /' err 2> /dev/null | head -5
    fi
}

# run CODE WORD...: runs tacit into out and err; true if it exits with CODE
run() {
    want=$1
    shift
    "$tacit" "$@" > out 2> err
    got=$?
    [ "$got" -eq "$want" ] || { echo "# exit $got, not $want: tacit $*"; return 1; }
}

good() { # NAME WORD...
    name=$1
    shift
    check "$name" run 0 "$@"
}

refused() {
    code=$1
    text=$2
    shift 2
    run "$code" "$@" && [ "$(wc -l < err)" -eq 1 ] && [ ! -s out ] && grep -qF -- "$text" err
}

bad() { # CODE TEXT WORD...
    check "refused ($1): $2" refused "$@"
}

says() { grep -q -- "$1" out; }
lacks() { ! grep -qi -- "$1" "$2"; }
