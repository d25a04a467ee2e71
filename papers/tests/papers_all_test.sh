#!/bin/sh
# papers_all_test.sh - every experiment of the papers that needs no data runs, quickly, and the others
# say in one line what they miss.
#
# Needs TACIT_PAPERS_BIN (default: tacit-papers in PATH) and a POSIX shell. Prints one "ok" or "not ok" line per check;
# the exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/papers.sh"
unset TACIT_DATA

everything() {
    "$tacit" --all --quick --runs 1 --out all > out 2> err
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

finish
