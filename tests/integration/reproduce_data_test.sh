#!/bin/sh
# reproduce_data_test.sh - every experiment of the papers on data runs, quickly.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, and TACIT_DATA, the folder of data sets: without
# it the test is skipped. Experiments whose own data are not there, and those with support vector machines
# where the build has no libsvm, must say so. Prints one "ok" or "not ok" line per check; the exit status is
# 0 only if all are ok.
set -u
tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
[ -n "${TACIT_DATA:-}" ] || { echo "1..0 # SKIP no TACIT_DATA"; exit 77; }
TACIT_DATA=$(cd "$TACIT_DATA" && pwd) || exit 1
export TACIT_DATA
export OPENBLAS_NUM_THREADS=1
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-reproduce.XXXXXX") || exit 1
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
    sed 's/^/# err: /' err | tail -n 5
}

has_files() { # FOLDER
    for f in figure.svg table.md curves.csv summary.json runs.jsonl; do
        [ -s "$1/$f" ] || { echo "# there is no $1/$f"; return 1; }
    done
}

# names data|none: the experiments that need data, or those that do not
names() {
    "$tacit" reproduce --format json | tr '{' '\n' | sed -n 's/.*"name":"\([^"]*\)".*"data":"\([^"]*\)".*/\1 \2/p' |
        awk -v which="$1" '(NF == 2) == (which == "data") { print $1 }'
}

: > err

ran=0

# It runs, or has a reason.
quickly() { # NAME
    "$tacit" reproduce "$1" --quick --runs 1 --out all --quiet > out 2> err
    code=$?
    [ "$code" -eq 0 ] && ran=$((ran + 1)) && has_files "all/$1" && return
    grep -q 'need libsvm' err && return
    [ "$code" -eq 3 ] && grep -q "needs .*, which is not in" err
}

for e in $(names data); do
    check "$e" quickly "$e"
done
check "some ran" test "$ran" -gt 0

echo "1..$checks"
[ "$failures" -eq 0 ]
