# never_worse_test.sh - bench/never_worse: its arithmetic, what it keeps, and that reported seeds need committed constants.
. "$(dirname "$0")/../support/frame.sh"

command -v python3 > /dev/null || { echo "Bail out! there is no python3: tools/setup test"; exit 1; }
command -v git > /dev/null || { echo "Bail out! there is no git: tools/setup test"; exit 1; }

arithmetic() { python3 "$root/tests/integration/never_worse_stats_test.py" "$root/bench" > out 2> err; }
check "the arithmetic" arithmetic

# ---- a tree with the same sources, and a program with made-up results that writes down its calls

mkdir -p tree/bench tree/src/algo tree/src/num tree/build
cp "$root"/bench/never_worse "$root"/bench/never_worse_*.py tree/bench
cp -R "$root/src/algo/own" "$root/src/algo/dp_fts_de" "$root/src/algo/single" "$root/src/algo/thompson" tree/src/algo
cp "$root"/src/num/trend* tree/src/num
cat > tree/build/tacit << 'END'
#!/bin/sh
# Regret of the first arm: 0.5, of the others 1; of every query 2.
echo "$*" >> calls
case $* in
*"--dim 6"*) echo "tacit: this one fails" >&2 && exit 1 ;;
*"--dim 4"*) touch -d '+1 hour' "$0" ;;
esac
arms=1
while [ $# -gt 0 ]; do
    case $1 in
    --versus) arms=$(echo "$2" | awk -F ';' '{ print NF + 1 }') ;;
    --runs) runs=$2 ;;
    --rounds) rounds=$2 ;;
    --by-agent) file=$2 ;;
    esac
    shift
done
awk -v arms=$arms -v runs=$runs -v rounds=$rounds 'BEGIN {
    print (arms > 1 ? "label," : "") "run,agent,iteration,simple_regret,cumulative_regret,evaluations"
    for (arm = 0; arm < arms; arm++)
        for (run = 0; run < runs; run++)
            for (agent = 0; agent < 2; agent++)
                for (t = 0; t <= rounds; t++)
                    print (arms > 1 ? "\"arm," arm "\"," : "") run "," agent "," t "," (arm ? 1 : 0.5) "," 2 * t "," t
}' > "$file"
END
chmod +x tree/build/tacit

git_in_tree() { git -C tree -c user.name=tester -c user.email=tester@localhost -c commit.gpgsign=false "$@" > /dev/null 2>&1; }

never_worse() { tree/bench/never_worse "$@" --results kept --draws 200 > out 2> err; }
one="cells --only d1-n20-e1-alike --runs 3 --blocks 2"
calls() { [ "$(wc -l < calls)" -eq "$1" ]; }

# works NAME WORD...
works() {
    name=$1
    shift
    check "$name" never_worse "$@"
}

# says TEXT WORD...: it fails, and says so in one sentence
fails_with() {
    text=$1
    shift
    ! never_worse "$@" && [ "$(wc -l < err)" -eq 1 ] && grep -qF -- "$text" err
}
says() { check "refused: $1" fails_with "$@"; }

works "a cell" $one
check "is one command for its arms and one for its range, for each seed" calls 4
check "agents are told nothing" sh -c '! grep -q -e --tell -e --set calls'
check "ratios are in the table" grep -qF '| d1-n20-e1-alike ○ | 1.00, 1.00, 1.00, 1.00 | 0.5 (0.5 to 0.5) |' out
check "with both single-party algorithms" [ "$(grep -c '^\*\*Regret over' out)" -eq 3 ]
check "with verdicts" grep -qF 'Holds 4 times by the ratio, 0 times by a small difference (†), 0 times by a small difference of the means whose interval reaches further (‡); fails 0 times (bold).' out
check "pooled" grep -qF '| 1 cells in which nothing is to be gained | 0.5 (0.5 to 0.5) |' out
check "and how much it took" grep -q '^6 runs of each cell, seeds 1 to 2; [0-9]* core-seconds' out
cp out first
works "again" $one
check "it computes nothing" calls 4
check "and says the same" cmp first out
works "one more seed" $one --blocks 3
check "is one more" calls 6
size=$(wc -c < kept/blocks.jsonl)
dd if=kept/blocks.jsonl of=cut bs=1 count=$((size - 5)) 2> /dev/null
mv cut kept/blocks.jsonl
works "a line that was cut off" $one --blocks 3
check "is made anew" calls 7
works "after that" $one --blocks 3
check "all is there" calls 7
echo '# another program' >> tree/build/tacit
works "another program" $one
check "begins anew" calls 11

says 'd6-n20-e1-alike seed 1' cells --only d6-n20-e1-alike --runs 3 --blocks 1
check "with what the program said" grep -qF 'exited with 1: tacit: this one fails' err
says 'tree/build/tacit was made anew during the run: start again' cells --only d4-n20-e1-alike --runs 3 --blocks 1
says 'an interval needs at least 2 runs and 100 draws, got 1 and 200' $one --runs 1 --blocks 1
says 'never_worse: --only names no cell of these: d1' cells --only d1

: > calls
works "told" told --only d2-n50-e4-alike --runs 3 --blocks 1
check "is three commands" calls 3
check "one of which tells" [ "$(grep -c -e '--tell constants' calls)" -eq 1 ]
check "and keeps all of the gain here, where told is as the federation" grep -qF '| d2-n50-e4-alike | 2.00 | 2.00 | 1.00 (1.00 to 1.00) | 2.00 | 2.00 | 1.00 (1.00 to 1.00) |' out
works "hostile" hostile --only d2-n50-e4-alike --runs 3 --blocks 1
check "is worse than limits allow" grep -qF '| `broadcast=reversed` | **2.00 (2.00 to 2.00)** |' out
works "families" families --only branin-0.05-n50-e4 --runs 3 --blocks 1 --data ''
says 'tree/build/tacit-papers: run make papers, or name it by --papers' families --only branin-0.05-n50-e4 --runs 3 --blocks 1 --data .
check "are shifted" grep -q -e '--objective branin --shift 0.05 --agents 50 --acting 8' calls

# ---- seeds from 1000 on

report="$one --seed 1000"
git_in_tree init && git_in_tree add -A && git_in_tree commit -m begin || not_ok "a repository"
: > calls
says "seed 1001 is for reports, and the last commit has no bench/never_worse.sha256" $report
works "seeds up to 999" $one --seed 998
says "seed 1000 is for reports" $one --seed 999
: > calls
freeze() { tree/bench/never_worse freeze > out 2> err; }
check "constants are frozen" freeze
check "by hashes that sha256sum knows" sh -c 'cd tree && sha256sum -c --quiet bench/never_worse.sha256'
check "of the method" grep -q ' src/algo/own/own_mixture.c$' tree/bench/never_worse.sha256
check "of the cells" grep -q ' bench/never_worse_plan.py$' tree/bench/never_worse.sha256
check "and of no test" sh -c '! grep -q _test tree/bench/never_worse.sha256'
says "the last commit has no bench/never_worse.sha256" $report
git_in_tree add -A && git_in_tree commit -m freeze || not_ok "a commit"
check "nothing was run until then" calls 0
works "committed, they may be reported" $report
check "beside the chosen single-party algorithm alone" [ "$(grep -c '^\*\*Regret over' out)" -eq 2 ]
echo '/* a test */' >> tree/src/algo/own/own_test.c
touch tree/build/tacit
works "tests may change" $report
echo '/* another constant */' >> tree/src/algo/own/own_mixture.c
touch -r tree/src/algo/own/own_mixture.c tree/build/tacit
says "src/algo/own/own_mixture.c is not as in the committed bench/never_worse.sha256" $report
check "frozen anew, but not committed" freeze
says "src/algo/own/own_mixture.c is not as in the committed bench/never_worse.sha256" $report
touch -d '2001-01-01' tree/build/tacit
says "tree/build/tacit is older than src/" $one

# ---- the real program

really() { "$root/bench/never_worse" "$@" --tacit "$tacit" --runs 2 --blocks 1 --draws 200 --results real > out 2> err; }
check "the real program" really cells --only d2-n20-e1-alike
check "fills the table" grep -q '^| d2-n20-e1-alike ○ | [0-9., ]* | [0-9.*†‡]* ([0-9.]* to [0-9.]*)' out
check "hostile" really hostile --only d2-n20-e1-alike

finish
