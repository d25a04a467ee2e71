#!/bin/sh
# papers_test.sh - tacit-papers, from outside: the list, one experiment, what it writes, that neither
# threads nor kill -9 change a bit of it, missing data, and bad input. papers_all_test.sh and
# papers_data_test.sh run all of them.
#
# Needs TACIT_PAPERS_BIN (default: tacit-papers in PATH) and a POSIX shell. Prints one "ok" or "not ok" line per check; the exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/papers.sh"
unset TACIT_DATA

says() {
    grep -qF -- "$1" out
}

bad() { check "refused ($1): $2" leaving_nothing refused "$@"; }

same() { # FOLDER FOLDER
    for f in figure.svg table.md curves.csv summary.json; do
        cmp "$1/$f" "$2/$f" || return 1
    done
}

# ---- the list

check "without a name it lists" run 0
check "the list has the experiments" says "fts-fig1a"
check "and what they need" says "landmine"
cp out listed
check "so it does with list" run 0 list
check "the same" cmp out listed
rm listed
check "--version" run 0 --version
check "names the program" grep -qE '^tacit-papers [0-9]+\.[0-9]+\.[0-9]+$' out
check "--help" run 0 --help
check "shows how it is called" says "Usage: tacit-papers [list | NAME ... | --all] [options]"
check "has the options of every verb, too" says "--format WORD"
check "and speaks of no verb" sh -c '! grep -qw verb out'
check "as JSON" run 0 --format json
check "in JSON, too" says '"name":"po-table1"'

# ---- bad input

bad 2 "there is no experiment \"fts-fig1\"" fts-fig1
bad 2 "--all and names of experiments must not both be given" --all fts-fig1a
bad 2 "--seed must be a whole number" fts-fig1a --seed x
bad 2 "runs" fts-fig1a --runs 0
bad 2 "tacit-papers has no option --run; did you mean --runs?" fts-fig1a --run 2
bad 2 "tacit-papers has no option -z; tacit-papers --help lists them" -z
bad 2 "there is no experiment \"no-such\"" privacy-numbers no-such
bad 3 "fts-fig2a-landmine needs landmine/landmine.csv: name the folder of data sets with --data or TACIT_DATA" \
    fts-fig2a-landmine --quick
bad 3 "needs landmine/landmine.csv, which is not in ." fts-fig2a-landmine --quick --data .

# ---- one experiment

check "exact numbers" run 0 privacy-numbers --out exact --quiet
check "the paper's, ours, and tacit's" grep -q 'N=200 q=.15 z=1 *5.93 *5.934 *3.964' out
check "all fourteen agree" sh -c '! grep -q "\*" out'
check "files" has_files exact/privacy-numbers
check "a quick run" run 0 pf-pne-fig1a --quick --threads 1 --out one
check "an estimate comes first" grep -q '^pf-pne-fig1a: 2 runs of 7 arms, about [0-9]' err
check "a table" says "tacit (paper mode)"
check "verdicts" says "too few runs PF-PNE has less regret than HCT"
check "its files" has_files one/pf-pne-fig1a
cp -r one again
check "a second time" run 0 pf-pne-fig1a --quick --threads 1 --out again --quiet
check "nothing changes" same one/pf-pne-fig1a again/pf-pne-fig1a
check "no run was added" cmp one/pf-pne-fig1a/runs.jsonl again/pf-pne-fig1a/runs.jsonl
check "in three threads" run 0 pf-pne-fig1a --quick --threads 3 --out three --quiet
check "the same bits" same one/pf-pne-fig1a three/pf-pne-fig1a
check "JSON on standard output" run 0 pf-pne-fig1a --quick --out three --quiet --format json
check "is the summary" cmp -s out three/pf-pne-fig1a/summary.json
check "more runs" run 0 pf-pne-fig1a --quick --runs 3 --out three --quiet
check "go on" test "$(wc -l < three/pf-pne-fig1a/runs.jsonl)" -eq 22
check "another seed" run 0 pf-pne-fig1a --quick --seed 2 --out three
check "begins anew, and says so" grep -q 'Runs of other settings are now in' err
check "and keeps the old ones" test -s three/pf-pne-fig1a/runs.jsonl.old

# ---- kill -9: cut at any byte, the file is completed to the same results

size=$(wc -c < one/pf-pne-fig1a/runs.jsonl)
for part in 1 3 6 9; do
    rm -rf cut && cp -r one cut
    head -c $((size * part / 10)) one/pf-pne-fig1a/runs.jsonl > cut/pf-pne-fig1a/runs.jsonl
    check "cut after $part tenths" run 0 pf-pne-fig1a --quick --out cut --quiet
    check "the same bits again" same one/pf-pne-fig1a cut/pf-pne-fig1a
done
"$tacit" ldp-fig2a-se --quick --threads 1 --out killed --quiet > out 2> err &
sleep 0.2
kill -9 $! 2> /dev/null
wait $! 2> /dev/null
check "after kill -9" run 0 ldp-fig2a-se --quick --out killed --quiet
check "uninterrupted" run 0 ldp-fig2a-se --quick --out whole --quiet
check "the same bits once more" same killed/ldp-fig2a-se whole/ldp-fig2a-se
sed -i '2s/0/1/' one/pf-pne-fig1a/runs.jsonl
check "a damaged line" run 10 pf-pne-fig1a --quick --out one --quiet
check "is named" grep -q 'line 2 of "one/pf-pne-fig1a/runs.jsonl" is damaged' err

finish
