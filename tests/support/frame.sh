# frame.sh - the frame of shell tests of the program: an empty folder of their own, one "ok" or "not ok" line
# for each check, and commands that run tacit into the files out and err. Sourced before anything else.
#
# Needs TACIT_BIN (default: tacit in PATH) and a POSIX shell. With frame_verb set, `run` and all who use it
# run that verb. frame_support is this folder, where it is not ../support of the test; frame_name is the
# program's name, where it is not tacit. A test ends with `finish`.
. "${frame_support:-$(dirname "$0")/../support}/await.sh"
tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
root=$(cd "$(dirname "$0")/../.." && pwd)
frame_verb=${frame_verb:-}
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-${frame_verb:-test}.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
unset TACIT_STORAGE
XDG_STATE_HOME=$dir/.state # a user's own files: not those of whoever runs the tests
export XDG_STATE_HOME
checks=0
failures=0

ok() { # NAME
    checks=$((checks + 1))
    echo "ok $checks - $1"
}

not_ok() { # NAME
    checks=$((checks + 1))
    failures=$((failures + 1))
    echo "not ok $checks - $1"
    sed 's/^/# out: /' out 2> /dev/null | cut -c 1-200 | head -5
    sed 's/^/# err: /' err 2> /dev/null | tail -5
}

# check NAME COMMAND...: the command succeeds
check() {
    name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name"; fi
}

# run CODE WORD...: true if it exits with CODE
run() {
    want=$1
    shift
    "$tacit" ${frame_verb:+"$frame_verb"} "$@" > out 2> err
    got=$?
    [ "$got" -eq "$want" ] || { echo "# exit $got, not $want: ${frame_name:-tacit} $frame_verb $*"; return 1; }
}

# good NAME WORD...: exits with 0
good() {
    name=$1
    shift
    check "$name" run 0 "$@"
}

# refused CODE TEXT WORD...: exits with CODE, and says one sentence with TEXT and nothing else
refused() {
    code=$1
    text=$2
    shift 2
    run "$code" "$@" && one_sentence && grep -qF -- "$text" err
}

one_sentence() { [ "$(wc -l < err)" -eq 1 ] && grep -q "^${frame_name:-tacit}: [^ ]" err && [ ! -s out ]; }

# leaving_nothing COMMAND...: it succeeds, and no file is there that was not before
leaving_nothing() {
    before=$(ls)
    "$@" && [ "$(ls)" = "$before" ]
}

# bad CODE TEXT WORD...
bad() { check "refused ($1): $2" refused "$@"; }

# The test's exit status.
finish() {
    echo "1..$checks"
    [ "$failures" -eq 0 ] || { echo "# $failures of $checks failed"; exit 1; }
}
