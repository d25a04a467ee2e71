#!/bin/sh
# papers_data_test.sh - every experiment of the papers on data runs, quickly.
#
# Needs TACIT_PAPERS_BIN (default: tacit-papers in PATH), a POSIX shell, and TACIT_DATA, the folder of data sets: without
# it the test is skipped. Experiments whose own data are not there, and those with support vector machines
# where the build has no libsvm, must say so. Prints one "ok" or "not ok" line per check; the exit status is
# 0 only if all are ok.
set -u
[ -n "${TACIT_DATA:-}" ] || { echo "1..0 # SKIP no TACIT_DATA"; exit 77; }
TACIT_DATA=$(cd "$TACIT_DATA" && pwd) || exit 1
export TACIT_DATA
. "$(dirname "$0")/papers.sh"

ran=0

# It runs, or has a reason.
quickly() { # NAME
    "$tacit" "$1" --quick --runs 1 --out all --quiet > out 2> err
    code=$?
    [ "$code" -eq 0 ] && ran=$((ran + 1)) && has_files "all/$1" && return
    grep -q 'need libsvm' err && return
    [ "$code" -eq 3 ] && grep -q "needs .*, which is not in" err
}

for e in $(names data); do
    check "$e" quickly "$e"
done
check "some ran" test "$ran" -gt 0

finish
