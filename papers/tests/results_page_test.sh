#!/bin/sh
# results_page_test.sh - papers/tools/results: what comes from runs is renewed, what a person wrote stays, a second
# time changes nothing, and changes of verdicts and stars are told.
#
# Needs TACIT_PAPERS_BIN (default: tacit-papers in PATH) and a POSIX shell. Prints one "ok" or "not ok" line per check; the
# exit status is 0 only if all are ok.
set -u
tacit=$(command -v "${TACIT_PAPERS_BIN:-tacit-papers}") || { echo "Bail out! no program ${TACIT_PAPERS_BIN:-tacit-papers}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
tool=$(cd "$(dirname "$0")/../tools" && pwd)/results
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-results.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
checks=0
failures=0

check() { # NAME COMMAND...: the command succeeds
    name=$1
    shift
    checks=$((checks + 1))
    if "$@"; then
        echo "ok $checks - $name"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $checks - $name"
    sed 's/^/# page: /' docs/page.md | cut -c 1-160 | head -60
    sed 's/^/# note: /' notes | head
}

has() { grep -qF -- "$1" docs/page.md; }
hasnt() { ! grep -qF -- "$1" docs/page.md; }
told() { grep -qF -- "$1" notes; }
silent() { ! grep -qF -- "$1" notes; }
tool() { "$tool" runs docs/page.md >notes 2>&1; }
refuses() { ! tool; }

# made NAME STAR WORD RATIO: an experiment of two lines and one statement, as tacit writes it
made() {
    mkdir -p "runs/$1"
    cat >"runs/$1/table.md" <<END
N = 3; 40 runs, seed 1. \`tacit-papers $1 --runs 40\`

| regret | t | paper | tacit (paper mode) | tacit (default) |
|---|---|---|---|---|
| TS | 1 | – | – | 0.50 ± 0.01 |
| FTS | 1 | 0.3$2 | – | 0.25 ± 0.01 |

- FTS is better than TS: **$3** (ratio $4, 0.4 to 0.6, p = 0.0001)
END
    printf '%s' '{"experiment":"'"$1"'","claim":"it is better","quick":false,"arms":[{"name":"ts","line":"TS"},' \
        '{"name":"fts","line":"FTS"}],"statements":[{"statement":"FTS is better than TS",' \
        '"a":{"arm":"fts","x":0.0},"b":{"arm":"ts","x":0.0},"verdict":"'"$3"'","ratio":'"$4"'}]}' \
        >"runs/$1/summary.json"
    echo "<svg>$1</svg>" >"runs/$1/figure.svg"
}

mkdir docs runs
made one '' holds 0.5
made few-2 ' *' holds 0.5
made few-9 '' fails 2
made lonely '' holds 0.5
sed -i 's/tacit-papers/tacit reproduce/' runs/one/table.md # of the program under its name of before
"$tacit" privacy-numbers --runs 1 --quiet --out runs >/dev/null 2>&1
cat >docs/page.md <<'END'
# Results

| experiment | the paper says | verdicts |
|---|---|---|
| one | that it is better | 1 undecided |
| few-2 | (ours) better | 1 holds |
| few-9 | (ours) better | 1 holds |
| privacy-numbers | fourteen | 14 of 14 printed numbers agree |
| other | of another run | 7 hold |

## Chapter

### privacy-numbers: Fig. 2

**Confirmed.**

### one: Fig. 1

**Undecided.** A person wrote this,

in two paragraphs with a list:
- of one; `tacit-papers one`

N = 3; 20 runs, seed 1. `tacit-papers one --runs 20`

| regret | t | paper | tacit (paper mode) | tacit (default) |
|---|---|---|---|---|
| FTS | 1 | 0.3 * | – | 0.9 ± 0.2 |

- FTS is better than TS: **undecided** (ratio 0.9, 0.4 to 1.6, p = 0.4)

### few-2, -9: several

**Both.**

### lonely: Fig. 9

### other: Fig. 3

**Kept.**

N = 3; 20 runs, seed 1. `tacit-papers other --runs 20`

| regret | t |
|---|---|
| TS | 1 |
END

check 'runs' tool
check 'the command is that of the runs' has '40 runs, seed 1. `tacit-papers one --runs 40`'
check 'and the one before is gone' hasnt 'tacit-papers one --runs 20'
check 'so is the table before' hasnt '0.9 ± 0.2'
check 'the figure is linked' has '![one](img/results-one.svg)'
check 'and copied' cmp -s runs/one/figure.svg docs/img/results-one.svg
check 'what a person wrote stays' has '- of one; `tacit-papers one`'
check 'the row of verdicts is renewed' has '| one | that it is better | 1 holds; 1 of 1 printed numbers agree |'
check 'a star counts' has '| few-2 | (ours) better | 1 holds; 0 of 1 printed numbers agree |'
check 'another verdict is told' told 'one: fts is better than ts: was undecided, is holds'
check 'a star that goes is told' told 'one: FTS at 1: now has no star'
check 'a section that had no run before gets it' has '`tacit-papers privacy-numbers --runs 1`'
check 'fourteen numbers of a real run agree' has '| privacy-numbers | fourteen | 14 of 14 printed numbers agree |'
check 'several experiments share a table' has '| regret | N | TS | FTS |'
check 'with a ratio that holds' has '| 1 | 2 | 0.50 ± 0.01 | **0.50** |'
check 'and one that fails' has '| 1 | 9 | 0.50 ± 0.01 | 2.00 × |'
check 'and all figures' has '![few-9](img/results-few-9.svg)'
check 'a section without a run stays' has '`tacit-papers other --runs 20`'
check 'and its row' has '| other | of another run | 7 hold |'
check 'a row that is missing is told' told '| lonely | it is better | 1 holds; 1 of 1 printed numbers agree |'

cp docs/page.md before
check 'runs again' tool
check 'and changes nothing' cmp -s before docs/page.md
check 'and tells of no verdict' silent 'was '

sed 's/"quick":false/"quick":true/' runs/one/summary.json >quick && mv quick runs/one/summary.json
echo '| nonsense |' >>runs/one/table.md
check 'runs with a quick run' tool
check 'which is not taken' cmp -s before docs/page.md
made one '' holds 0.5

sed 's/^| TS | 1 | – | – | 0.50 ± 0.01 |$/&\
A remark in the wrong place./' before >docs/page.md
cp docs/page.md before
check 'refuses a text below the settings' refuses
check 'names its line' told 'there is a text; it belongs above'
check 'and changes nothing' cmp -s before docs/page.md

awk 'BEGIN { for (i = 0; i < 10001; i++) print "<!-- 3456 -->" }' >runs/one/figure.svg
check 'refuses a figure of more than 100 kB' refuses
check 'names it' told 'runs/one/figure.svg has more than 100000 bytes'

echo "1..$checks"
[ $failures -eq 0 ]
