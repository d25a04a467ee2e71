#!/bin/sh
# reproduce_all_test.sh - every experiment of the papers that needs no data runs, quickly, and the others
# say in one line what they miss.
#
# Needs TACIT_BIN (default: tacit in PATH) and a POSIX shell. Prints one "ok" or "not ok" line per check;
# the exit status is 0 only if all are ok.
set -u
tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
unset TACIT_DATA
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

everything() {
    "$tacit" reproduce --all --quick --runs 1 --out all > out 2> err
}

all_ran() {
    for e in $(names none); do
        has_files "all/$e" || return 1
    done
}

one_line_each() {
    [ "$(grep -c '^Not run: .* needs .*: name the folder of data sets' err)" -eq "$(names data | wc -l)" ]
}

check "there are experiments without data" test "$(names none | wc -l)" -gt 20
check "and with" test "$(names data | wc -l)" -gt 10
check "all, without data" everything
check "the whole time is told" grep -q '^All experiments: about' err
check "those that need none ran" all_ran
check "what is missing is one line each" one_line_each
check "and nothing else" test ! -e all/fts-fig2a-landmine

echo "1..$checks"
[ "$failures" -eq 0 ]
