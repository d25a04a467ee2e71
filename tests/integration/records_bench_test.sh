# records_bench_test.sh - bench/records: which commands it runs, what it keeps, its table of loans, and what it refuses.
. "$(dirname "$0")/../support/frame.sh"

command -v python3 > /dev/null || { echo "Bail out! there is no python3: tools/setup test"; exit 1; }
unset TACIT_DATA

# ---- a program with made-up results that writes down its calls: regret 0.5 of fts with records, 1 of others

cat > tacit << 'END'
#!/bin/sh
echo "$*" >> calls
regret=1
case $* in *"--algorithm fts "*"--unit record"*) regret=0.5 ;; esac
case $* in *reads=0*) regret=4 ;; esac
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=$2 ;;
    --by-agent) file=$2 ;;
    esac
    shift
done
awk -v runs=$runs -v regret=$regret 'BEGIN {
    print "run,agent,iteration,simple_regret,cumulative_regret,evaluations"
    for (run = 0; run < runs; run++)
        for (agent = 0; agent < 2; agent++)
            for (t = 0; t <= 10; t++) print run "," agent "," t "," regret "," t "," t
}' > "$file"
END
chmod +x tacit

records() { "$root/bench/records" "$@" --tacit ./tacit --results kept --runs 3 > out 2> err; }
calls() { [ "$(grep -c -- "$2" calls)" -eq "$1" ]; }

check "a grid" records grid --silos 8 --dims 2
check "has a row for each number of records and epsilon" [ "$(grep -c '^| 8 × ' out)" -eq 12 ]
check "with ratios" grep -qxF '| 8 × 1,000 | 0.5 | 2 (2 to 2) | 2 (2 to 2) | 2 (2 to 2) | 2, 2, 2 | 2, 2, 2 | 2, 2, 2 |' out
check "federation and alone are run for every row" calls 24 '--unit record'
check "agents' privacy for every epsilon" calls 4 'dp-fts-de'
check "what has no noise once" [ "$(grep -cv -e --epsilon calls)" -eq 2 ]
cp out first
check "again" records grid --silos 8 --dims 2
check "nothing is run twice" calls 30 simulate
check "and the table is the same" cmp -s first out
check "what was not run" records grid --silos 5 --dims 2 --kept
check "stays out" grep -qxF "| 5 × 1,000 | 1 | not run | not run | not run | not run | not run | not run |" out
check "and nothing was run" calls 30 simulate
check "a cross" records grid --silos 8 --dims 2 --cross
check "has half of the rows" [ "$(grep -c '^| 8 × ' out)" -eq 6 ]

# says TEXT WORD...: it fails, and says so in one sentence
fails_with() {
    text=$1
    shift
    ! records "$@" && [ "$(wc -l < err)" -eq 1 ] && grep -qF -- "$text" err
}
says() { check "refused: $1" fails_with "$@"; }

says "measured needs the folder of data sets: name it by --data or TACIT_DATA" measured
says "there is no nowhere/loans/loans.csv.gz" measured --data nowhere
says "--sets knows loans and motionsense, got mnist" measured --sets mnist
says "--dims knows 2 and 4, got 3" grid --dims 3

# ---- loans that were made up: the charged-off ones have the high rates

mkdir -p data/loans
awk 'BEGIN {
    print "funded_amnt,funded_amnt_inv,int_rate,annual_inc,term,issue_d,policy,paid,total_pymnt,total_pymnt_inv,roi"
    for (i = 0; i < 320; i++) {
        bad = i % 5 == 0
        print 1000 + i % 7 * 500 ",1," (bad ? 0.2 : 0.1) "," 30000 + i % 11 * 1000 "," (i % 3 ? 36 : 60) \
            ",2010-" 10 + i % 3 "," (i == 7 ? 0 : 1) "," 1 - bad ",1,1,0" }
}' | gzip > data/loans/loans.csv.gz
check "loans" records measured --sets loans --data data
check "have eight lenders, whose records are counted" grep -q '^loans: 8 silos, 320 models of each; 19 to 20 validation records' out
check "are searched with their numbers of records" grep -q -- '--records [12][90],.* --range 0:1' calls
check "by models that learn" awk -F'best error: ' '/^loans/ { split($2, n, ","); exit !(n[1] < 0.05) }' out
check "beside the same code that hears nobody" grep -q '| 8, 8, 8 |$' out

finish
