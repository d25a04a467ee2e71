#!/bin/sh
# curate_test.sh - an outsourced study from outside: two parties, two folders, files between them.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. Prints one "ok" or
# "not ok" line per check; the exit status is 0 only if all are ok.
set -u

man=$(cd "$(dirname "$0")/../.." && pwd)/docs/man/tacit.1
. "$(dirname "$0")/../support/curate.sh"

# explained VERB WORD: every option in its --help is in the manual page
explained() {
    "$tacit" "$1" "$2" --help | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z][a-z-]*\).*/\2/p' > names
    while read -r option; do
        grep -q -- "Fl -$option\( \|\$\)" "$man" || { echo "# the manual lacks --$option of $1 $2"; return 1; }
    done < names
    [ -s names ] && grep -q "^\.Ss $1 $2\$" "$man"
}

for verb in "curate release" "curate answer" "curate perturb" "curate publish" "model next"; do
    # shellcheck disable=SC2086
    check "the manual explains $verb" explained $verb
done

# ---- the data: the paper's grid, and a small table with things that are nobody's business

mkdir curator modeler
awk 'BEGIN { h = 25 / sqrt(2); print "x1,x2"
    for (i = 0; i < 100; i++) for (j = 0; j < 100; j++)
        printf "%.17g,%.17g\n", h * (2 * i / 99 - 1), h * (2 * j / 99 - 1) }' > grid.csv
awk 'BEGIN { print "id,income,rate,profit"
    for (i = 0; i < 60; i++)
        printf "person %d,%d,%g,%s\n", i, 1000 * (i + 20), 3 + (i * 7 % 60) / 10, \
            i == 59 ? "" : sin(i / 9) }' > curator/loans.csv
cd curator || exit 1
loans="--columns income,rate --bounds income=0:100000:5000 --bounds rate=0:10 --value-column profit"

# ---- refusals of a release

bad 2 "curate needs a second word: release, answer, perturb" curate
bad 2 "model needs a second word: next" model
bad 2 "--out FILE is needed" curate release loans.csv --epsilon 1
bad 2 "--epsilon is needed: there is no default" curate release loans.csv --out r.json
bad 2 "DATA and --out are the same file" curate release loans.csv --out loans.csv --epsilon 1
bad 2 "the name of a release must be" curate release loans.csv --name "a b" --columns rate --bounds rate=0:1 \
    --out r.json --epsilon 1
bad 3 "none.csv" curate release none.csv --out r.json --epsilon 1
bad 2 'column "rate" has no public bounds: give --bounds rate=LOW:HIGH' curate release loans.csv \
    --columns income,rate --bounds income=0:100000 --out r.json --epsilon 1
bad 2 "they are never read from the data" curate release loans.csv --columns rate --out r.json --epsilon 1
bad 2 'column "id" is to be released and must be a number' curate release loans.csv --columns id \
    --bounds id=0:1 --out r.json --epsilon 1
bad 2 'there is no column "age"' curate release loans.csv --columns age --out r.json --epsilon 1
bad 2 "--bounds must be COLUMN=LOW:HIGH or COLUMN=LOW:HIGH:UNIT, got \"rate=1\"" curate release loans.csv \
    --columns rate --bounds rate=1 --out r.json --epsilon 1
bad 2 'column "rate" needs finite bounds low < high, got 3 and 1' curate release loans.csv \
    --columns rate --bounds rate=3:1 --out r.json --epsilon 1
bad 2 "there is no released column of that name" curate release loans.csv --columns rate \
    --bounds rate=0:1 --bounds age=0:1 --out r.json --epsilon 1
# shellcheck disable=SC2086
bad 2 "private outputs need a public bound" curate release loans.csv $loans --out r.json --epsilon 1 \
    --output-epsilon 1
bad 2 "Gaussian noise needs --delta" curate release loans.csv --out r.json --epsilon 1 --noise gaussian
bad 2 "paper mode needs --delta" curate release loans.csv --out r.json --epsilon 1 --mode paper
check "a refusal leaves nothing" [ "$(echo *)" = "err loans.csv out" ]

# ---- a release, its price, its memory

# shellcheck disable=SC2086
release() { # WORD...
    run 0 curate release loans.csv $loans --out ../released.json --epsilon 2.7 --format json "$@"
}
check "sound release" release
check "it is private" says '"private": true'
check "and says at what price" says '"epsilon": 2.7, "delta": 0.0'
check "and of whom" says '"statement": "every row: epsilon 2.7'
check "outputs are not promised anything" says 'The values of rows that are asked for, and which rows are, are NOT protected'
check "the noise is that of two columns" says '"input_sd": 0.7407'
check "the secret is for the curator alone" [ "$(ls -l loans.csv.secret | cut -c 1-10)" = "-rw-------" ]
check "no name leaves" lacks person ../released.json
check "no value leaves" lacks profit ../released.json
cp ../released.json first.json
check "the same again" release
check "is the same release" cmp -s ../released.json first.json
check "for nothing" says '"again": true, "entry": 1'
# shellcheck disable=SC2086
bad 4 "keeps the order of another release (loans)" curate release loans.csv $loans --out r.json --epsilon 1
# shellcheck disable=SC2086
bad 9 "budget" curate release loans.csv $loans --out r.json --secret other --epsilon 1 --budget 3
check "a refused release keeps no order" [ ! -e other ]
good "the ledger knows" privacy status loans --delta 1e-9 --format json
check "of one release" says '"entries": 1, "private": true'

# ---- questions and answers, with nothing but files between the two

cd ../modeler || exit 1
mv ../released.json .
good "the first question" model next released.json --state s.db
row=$(cat out)
good "asked again" model next released.json --state s.db
check "until it is answered" [ "$(cat out)" = "$row" ]
bad 2 "--state FILE is needed" model next released.json
bad 3 "none.json" model next none.json --state s.db
cp released.json other.json
sed -i 's/"rows":\[\[[^]]*\]/"rows":[[1.5,2.5]/' other.json
bad 2 "rows are not those that were released" model next other.json --state s.db
bad 2 'this is a file of the kind "row-secret", not "released-rows"' model next ../curator/loans.csv.secret --state s.db
bad 4 "has other options: algorithm.delta" model next released.json --state s.db --set delta=0.5

answer() { # ROW WORD...
    (cd ../curator && run 0 curate answer loans.csv "$@" --out ../modeler/answer.json)
}
step() { # one question and its answer
    "$tacit" model next released.json --state s.db "$@" > out 2> err && answer "$(cat out)"
}
steps() {
    step || return 1
    n=1
    while [ $n -lt 59 ]; do
        step --answer answer.json || return 1
        cat out >> rows
        n=$((n + 1))
    done
}
place_of() { # RECORD: its row in the release, which has an order of its own
    tr -d '[]' < ../curator/loans.csv.secret | sed 's/.*"order"://; s/}//' | tr ',' '\n' |
        awk -v record="$1" '$1 == record { print NR - 1 }'
}
blank=$(place_of 59) # has no value
best=$(place_of 14)  # has the largest
row_after() { # N: row + N, or the next that is neither
    next=$(((row + $1) % 60))
    while [ "$next" = "$blank" ] || [ "$next" = "$best" ]; do next=$(((next + 1) % 60)); done
    echo "$next"
}
other=$(row_after 1)
check "an answer to another question" answer "$other"
bad 2 "which was never asked" model next released.json --state s.db --answer answer.json
cd ../curator || exit 1
good "a record without a value" curate answer loans.csv "$blank"
check "is answered, too" says '"value":null,"sd":0.0,"private":false'
hand=$(row_after 5)
good "a value may be given by hand" curate answer loans.csv "$hand" 0.25
check "and is answered" says '"value":0.25,"sd":0.0,"private":false'
good "once and for all" curate answer loans.csv "$hand" 99
check "with the first answer" says '"value":0.25'
bad 2 "VALUE must be a finite number or none" curate answer loans.csv "$hand" nothing
bad 2 "DATA and --out are the same file" curate answer loans.csv "$hand" --out ../curator/loans.csv
bad 2 "--out and the secret file are the same file" curate answer loans.csv "$hand" --out loans.csv.secret
bad 2 "--out and the storage are the same file" curate answer loans.csv "$hand" --out tacit.db-wal
bad 2 "a budget is for private answers" curate answer loans.csv "$hand" --budget 3
bad 2 "--timeout-s is for a program" curate answer loans.csv "$hand" --timeout-s 3
bad 2 'storage "memory:" does not last' curate answer loans.csv "$hand" --storage memory:
bad 2 "row 60 does not exist; the release has 0 to 59" curate answer loans.csv 60 1
cat > evaluate << 'END'
#!/bin/sh
echo "$@" >> asked
echo "the value is $4"
END
chmod +x evaluate
good "a release to evaluate by program" curate release loans.csv --columns income --bounds income=0:100000:5000 \
    --value-column profit --out program.json --name program --secret program.secret --ledger program --epsilon 1 --seed 5
program() { # ROW WORD...
    run 0 curate answer loans.csv "$@" --secret program.secret --seed 5 -- ./evaluate {id} {record} {trial} {income}
}
behind=$(tr -d '[]' < program.secret | sed 's/.*"order"://; s/}//' | tr ',' '\n' | sed -n 8p)
income=$((1000 * (behind + 20)))
check "a program says the value" program 7
check "which is answered" says "\"row\":7,\"value\":$income.0"
check "it was told the record" [ "$(cat asked)" = "person $behind $((behind + 1)) 7 $income" ]
check "the same question" program 7
check "runs no program" [ "$(wc -l < asked)" -eq 1 ]
check "another" program 12
check "fields on the command line are warned of" grep -q "warning: fields of records stand on the program's command line" err
none() { # ROW REASON WORD...: a failure is answered, as a record without a value
    row_=$1
    reason=$2
    shift 2
    good "a failure" curate answer loans.csv "$row_" --secret program.secret "$@"
    check "is answered" says "\"row\":$row_,\"value\":null,\"sd\":0.0,\"private\":false"
    check "and the curator hears why" grep -qF "the program gave no value for row $row_ ($reason" err
}
none 9 "exit status 3" -- sh -c "exit 3"
none 10 "no number on the last line" -- sh -c "echo done"
none 11 "timed out after 0.2 s" --timeout-s 0.2 -- sleep 60
bad 2 "{age}" curate answer loans.csv 8 --secret program.secret -- echo {age}
bad 3 "no-such-program" curate answer loans.csv 8 --secret program.secret -- no-such-program
bad 2 "the value comes from the program, from VALUE or from --value-column: give one of them" curate answer \
    loans.csv 8 1 --secret program.secret -- echo 1
bad 2 "ROW must be the number of a released row" curate answer loans.csv x 1
bad 3 "other.db" curate answer loans.csv 1 1 --storage sqlite:///other.db
check "nobody makes another ledger for answers" [ ! -e other.db ]
cd ../modeler || exit 1
check "all rows are asked, one after the other" steps
check "none of them twice" [ "$(sort -u rows | wc -l)" -eq "$(wc -l < rows)" ]
good "the end" model next released.json --state s.db --answer answer.json --format json
check "has the best row" says '"row":[0-9]*,"answered":5[89],"best_row":'
check "which is the best there is" awk -F'"best_value":' '{ exit !($2 + 0 > 0.999) }' out
good "what left as it is" privacy status loans.outputs --delta 1e-5 --storage sqlite:///../curator/tacit.db
check "is on record" says "NOT PRIVATE"
cd ../curator || exit 1
sed 's/^person 3,23000/person 3,23001/' loans.csv > changed && mv changed loans.csv
bad 4 "is not what was released, or its released columns have changed" curate answer loans.csv 1 1
# shellcheck disable=SC2086
bad 4 "has changed since it was released" curate release loans.csv $loans --out r.json --epsilon 2.7
cd ..

# ---- private answers

mkdir both && cd both || exit 1
cp ../curator/loans.csv .
# shellcheck disable=SC2086
private() { # WORD...
    run 0 curate release loans.csv --columns rate --bounds rate=0:10 --out r.json --epsilon 1 \
        --output-epsilon 0.5 --output-bound 1 "$@"
}
check "a release with private answers" private
check "says what they cost" says "spends epsilon 0.5 more, once"
good "a private answer" curate answer loans.csv 3 0.5 --budget 1.5
check "has its noise" says '"sd":5.6568542.*"private":true'
cp out first
good "from memory" curate answer loans.csv 3 0.9 --budget 1.5
check "the same" cmp -s out first
bad 9 "budget" curate answer loans.csv 4 0.5 --budget 1.2
bad 4 'ledger "loans" does not have this release' curate answer loans.csv 4 0.5 --storage sqlite:///../curator/tacit.db
good "the row has spent both" privacy status loans --delta 1e-9 --accountant pure --format json
check "epsilon 1.5" says '"subject": "loans/3", "entries": 2, "private": true.*"epsilon": 1.5'
good "the modeler knows the noise" model next r.json --state s.db
good "and keeps it" export loans --storage sqlite:///s.db
cd ..

# ---- projected, for those who have many columns

good "a public projection" curate release grid.csv --secret proj --ledger proj --out proj.json --epsilon 1 --project 1 \
    --bounds x1=-18:18 --bounds x2=-18:18 --format json
check "has less noise" says '"columns": 1, "input_sd": 1.41421'
check "and its own column" grep -q '"columns":\["z1"\]' proj.json
bad 2 "a projection must have fewer directions than the 2 columns, got 2" curate release grid.csv --secret proj2 \
    --out proj2.json --epsilon 1 --project 2 --bounds x1=-18:18 --bounds x2=-18:18

# ---- killed at any moment: the release that left has its order

mkdir killed && cd killed || exit 1
kill_release() {
    n=0
    while [ $n -lt 12 ]; do
        "$tacit" curate release ../grid.csv --secret s --bounds x1=-18:18 --bounds x2=-18:18 --epsilon 1 \
            --out r.json > out 2> err &
        pid=$!
        sleep "0.0$n"
        kill -9 $pid 2> /dev/null
        wait $pid 2> /dev/null
        n=$((n + 1))
    done
    run 0 curate release ../grid.csv --secret s --bounds x1=-18:18 --bounds x2=-18:18 --epsilon 1 \
        --out r.json --format json || return 1
    says '"entry": 1,' && run 0 curate answer ../grid.csv 5000 1 --secret s
}
check "a curator killed a dozen times has released once" kill_release
cd ..

# ---- paper mode: the numbers of the paper's grid, and no epsilon

paper() { # EPSILON RANK OMEGA BRANCH
    run 0 curate release grid.csv --secret "p.$1.$2" --name "p$2" --out p.json --mode paper --epsilon "$1" \
        --delta 1e-5 --rank "$2" --format json &&
        says '"sigma_min": 1030.87' && says "\"omega\": $3" && says "\"branch\": \"$4\""
}
check "e^1.1, r 10: projected" paper 3.004166023946433 10 976.06 project
check "e^1.0, r 10: raised" paper 2.718281828459045 10 1078.72 raise
check "e^1.3, r 15: projected" paper 3.669296667619244 15 1002.66 project
check "e^1.5, r 20: projected" paper 4.4816890703380645 20 963.95 project
check "e^1.5, r 30: raised" paper 4.4816890703380645 30 1208.29 raise
check "the report says NOT PRIVATE" says '"private": false, "epsilon": null, "delta": null, "statement": "NOT PRIVATE'
check "so does the file" grep -q '"private":false,"not_private":' p.json
check "which has no epsilon" lacks '"epsilon"' p.json
good "sound noise after that" curate release grid.csv --secret late --name late --out late.json --epsilon 1 \
    --bounds x1=-18:18 --bounds x2=-18:18 --format json
check "promises nothing any more" says '"private": false, "epsilon": null'
good "a modeler takes it as it is" model next p.json --state p.db --set fit=false --set lengthscale=5

finish
