#!/bin/sh
# features_test.sh - docs/features.md keeps to its own words: tools/check-features finds nothing in it, and finds what is wrong in
# pages that do not.
#
# Needs a POSIX shell and awk. Prints one "ok" or "not ok" line per check; the exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/../support/frame.sh"

features() { "$root/tools/check-features" "$@" > out 2> err; }
# page ROW...: a page with these rows below a header, and one note
page() {
    printf '| feature | tacit | test | Optuna |\n|---|---|---|---|\n' > page.md
    printf '%s\n' "$@" >> page.md
    printf '\n1. Optuna: a note.\n' >> page.md
}
right='| plots | yes: `plot` | [plot](../tests/integration/plot_test.sh) | partly: some (1) |'
# finds LINE TEXT ROW...: this and nothing else is wrong with such a page
finds() {
    printf 'page.md:%s\n' "$1: $2" > expected
    shift 2
    page "$@"
    ! features "$dir/page.md" && sed "s|^$dir/||" out | cmp -s - expected
}

check "the page is right" features
page "$right" '| moods | no | – | – |'
check "and so is a small one" features "$dir/page.md"
check "what there is has a test" finds 4 "what tacit has needs a test: moods" "$right" '| moods | partly: good ones | – | no |'
check "which is one" finds 4 "what tacit has needs a test: moods" "$right" '| moods | yes | [source](../src/base/text.c) | no |'
check "a cell too few" finds 4 "3 cells under a header of 4" "$right" '| moods | no | – |'
check "an empty one" finds 4 "an empty cell" "$right" '| moods | no |  | no |'
check "a word of others that nobody explains" finds 4 "neither yes, partly, no nor –: perhaps" "$right" '| moods | no | – | perhaps |'
check "and of tacit" finds 4 "neither yes, partly nor no: soon" "$right" '| moods | soon | – | no |'
check "a note that is not there" finds 4 "there is no note 2" "$right" '| moods | no | – | no (2) |'
check "a note that nobody reads" finds 5 "nothing leads to note 1" '| moods | no | – | no |'
: > nothing.md
check "no page at all" sh -c '! "$0" "$1" > out' "$root/tools/check-features" "$dir/nothing.md"

finish
