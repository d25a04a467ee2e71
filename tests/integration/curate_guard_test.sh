#!/bin/sh
# curate_guard_test.sh - what a curator is kept from: forgetting what was spent, destroying its own files,
# adding up what does not add up, spending on what nobody can use, leaving traces of what was refused.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk. Prints one "ok" or
# "not ok" line per check; the exit status is 0 only if all are ok.
set -u

. "$(dirname "$0")/../support/curate.sh"

awk 'BEGIN { print "id,income,rate,profit"
    for (i = 0; i < 60; i++)
        printf "person %d,%d,%g,%s\n", i, 1000 * (i + 20), 3 + (i * 7 % 60) / 10, sin(i / 9) }' > loans.csv
units="--columns income,rate --bounds rate=0:10 --value-column profit"
loans="$units --bounds income=0:100000:5000"

# shellcheck disable=SC2086
release() { # CODE WORD...
    want=$1
    shift
    run "$want" curate release loans.csv $loans --epsilon 2.7 "$@"
}
# no TEXT WORD...: refused with 2, one sentence, and the folder is as it was
# shellcheck disable=SC2086
no() {
    text=$1
    shift
    before=$(ls)
    bad 2 "$text" curate release loans.csv $loans --epsilon 2.7 "$@"
    check "... and nothing is left" [ "$(ls)" = "$before" ]
}
: > out
: > err

# ---- a ledger that lasts

no 'storage "memory:" does not last, so nobody would know what was spent' --out r.json --storage memory:
TACIT_STORAGE=memory:
export TACIT_STORAGE
no 'storage "memory:" does not last' --out r.json
check "a user's ledger has nothing to do with it" run 0 curate perturb --value 0.3 --bound 1 --epsilon 1 --question 0
unset TACIT_STORAGE
bad 2 'storage "memory:" does not last' curate perturb --value 0.3 --bound 1 --epsilon 1 --question 0 --storage memory:

# ---- refusals leave nothing, and spend nothing

bad 3 "cannot write \"/nonexist/x.json\"" curate release loans.csv $loans --epsilon 2.7 --out /nonexist/x.json
bad 3 "cannot write \"/nonexist/s\"" curate release loans.csv $loans --epsilon 2.7 --out r.json --secret /nonexist/s
bad 2 "epsilon must be in" curate release loans.csv $loans --epsilon 1e-7 --out r.json
bad 9 "budget of every row (epsilon 1, delta 1e-09) does not allow this release: spent 0, asked 2.7, remaining 1" \
    curate release loans.csv $loans --epsilon 2.7 --out r.json --budget 1
no "--rank is for --mode paper; --project is the sound one" --out r.json --rank 3
no "--projection-seed is for --project" --out r.json --projection-seed 3
no "--delta is for Gaussian noise; Laplace noise has none" --out r.json --noise laplace --delta 1e-6
no "--output-bound is for --output-epsilon" --out r.json --output-bound 1
no "--radius is for --mode sound" --out r.json --mode paper --delta 1e-5 --radius 2
no "--project is for --mode sound" --out r.json --mode paper --delta 1e-5 --project 1
no "--noise is for --mode sound" --out r.json --mode paper --delta 1e-5 --noise laplace
no "--budget is for --mode sound" --out r.json --mode paper --delta 1e-5 --budget 2
no "delta must be below 1/N = 0.0166667 for 60 rows, got 0.02" --out r.json --delta 0.02
no "Gaussian noise cannot have an epsilon of" --out r.json --delta 1e-5 --noise gaussian --epsilon 900
: > empty.csv
bad 2 "empty.csv is empty: a data set has a header" curate release empty.csv --epsilon 1 --out r.json
printf 'Zins p. a.,b\n1,2\n3,4\n' > names.csv
bad 2 'column "Zins p. a." cannot be released under this name' curate release names.csv --epsilon 1 --out r.json \
    --bounds "Zins p. a.=0:10" --bounds b=0:10
check "no storage was made" [ ! -e tacit.db ]

# ---- what no modeler could read

wide() { # COLUMNS
    awk -v n="$1" 'BEGIN { for (i = 0; i <= 12; i++) for (k = 0; k < n; k++)
        printf "%s%s%s", i ? i * k % 7 : "c" k, k < n - 1 ? "," : "", k < n - 1 ? "" : "\n" }' > wide.csv
    awk -v n="$1" 'BEGIN { print "column,low,high"; for (k = 0; k < n; k++) printf "c%d,0,7\n", k }' > wide.bounds
}
wide 257
bad 2 "a release has at most 256 columns, since no modeler takes more, got 257" curate release wide.csv \
    --bounds-file wide.bounds --epsilon 1000 --out w.json
check "nothing was spent on it" [ ! -e tacit.db ]
wide 256
good "as many as a modeler takes" curate release wide.csv --bounds-file wide.bounds --epsilon 1000 --out w.json
good "are taken" model next w.json --state w.db
wide_steps() { # until it has learned length-scales
    n=0
    while [ $n -lt 12 ]; do
        "$tacit" model next w.json --state w.db $answer > row 2> err || return 1
        "$tacit" curate answer wide.csv "$(cat row)" "0.$n" --out w.answer > out 2> err || return 1
        answer="--answer w.answer"
        n=$((n + 1))
    done
}
answer=
# shellcheck disable=SC2086
check "to the last row" wide_steps
bad 9 "all 12 rows are answered: the search is done" model next w.json --state w.db --answer w.answer
run 9 model next w.json --state w.db --format json
check "with the best row" says '"row":null,"answered":12,"best_row":'
good "unless told to repeat" model next w.json --state again.db --set repeat=true
rm -f w.* wide.* again.db tacit.db loans.csv.secret

# ---- one release, one file; the ledger is another matter

check "a release" release 0 --out r.json --format json
check "says what it promises" says '"private": true, "epsilon": 2.7, "delta": 0.0, "statement": "every row: epsilon 2.7, delta 0 (pure) over 1 release'
check "in which units" says 'in L2 norm, in units of income 5000, rate 1;'
check "charged to a ledger of the data's own name" says '"ledger": {"name": "loans", "entries": 1, "private": true, "epsilon": 2.7, "delta": 0.0'
check "the file has the units" grep -q '"source":{"radius":1.0,"columns":\[{"name":"income","low":0.0,"high":100000.0,"unit":5000.0}' r.json
cp r.json first.json
check "another release" release 0 --name second --secret second --epsilon 1 --out s.json --format json
check "promises its own" says '"epsilon": 1.0, "delta": 0.0, "statement": "every row: epsilon 1, delta 0 (pure) over 1 release'
check "beside what the ledger has" says '"entries": 2, "private": true, "epsilon": 3.7, "delta": 0.0, "statement": "every row: epsilon 3.7, delta 0 (pure) over 2 releases'
check "the first one again" release 0 --out r.json --format json
check "is the same file" cmp -s r.json first.json
check "and the ledger has grown" says '"epsilon": 3.7'
check "in CSV" release 0 --out r.json --format csv
check "with both statements" says '^loans,sound,yes,2.7,0,60,2,0.7407.*,"every row: epsilon 2.7.*",3.7,0,"every row: epsilon 3.7'
good "as the documentation says" privacy status loans --delta 1e-6
# shellcheck disable=SC2086
good "other units" curate release loans.csv $units --bounds income=0:100000:500 --epsilon 1 --name fine --secret fine \
    --out f.json --format json
check "are another sense" says 'income 5000, rate 1; .*; and also (2) .*income 500, rate 1;.*The promise is for neighbours in all 2 of these senses at once'
# shellcheck disable=SC2086
good "without privacy" curate release loans.csv $units --mode paper --epsilon 1 --delta 1e-5 --rank 2 --name bare \
    --secret bare --out p.json
check "the first one again" release 0 --out r.json --format json
check "is still the same file" cmp -s r.json first.json
check "but the ledger says what happened" says '"ledger": {"name": "loans", "entries": 4, "private": false, "epsilon": null, "delta": null, "statement": "NOT PRIVATE'
check "and what comes now promises nothing" release 0 --name late --secret late --out l.json --format json
check "not even by itself" says '"private": false, "epsilon": null, "delta": null, "statement": "NOT PRIVATE'

# shellcheck disable=SC2086
good "bounds much farther apart than the noise" curate release loans.csv --columns income --bounds income=0:1e5:0.001 \
    --epsilon 1 --name far --secret far --ledger far --out far.json
check "have rows that no double holds" grep -q '"step":null' far.json
good "which a modeler takes as they are" model next far.json --state far.db

# ---- whose files these are

cp loans.csv loans.copy
cp loans.csv.secret secret.copy
cp r.json r.copy
ln -s loans.csv link.csv
ln loans.csv.secret hard
mkdir sub
same() { no "are the same file" "$@"; }
same --out loans.csv
same --out ./loans.csv
same --out sub/../loans.csv
same --out "$PWD/link.csv"
same --out loans.csv.secret
same --out hard
same --out tacit.db
same --out tacit.db-wal
same --out tacit.db-shm
same --out r.json --secret loans.csv
same --out r.json --secret ./r.json
same --out r.json --secret tacit.db
same --out new.db --storage sqlite:///./new.db
no '--out "second" is a secret file of a release, which would be destroyed' --out second
cp tacit.db backup.db
no '--out "backup.db" is a storage, which would be destroyed' --out backup.db
bad 2 "is a secret file of a release" curate answer loans.csv 5 --out second
check "the data are what they were" cmp -s loans.csv loans.copy
check "so is the order" cmp -s loans.csv.secret secret.copy
# shellcheck disable=SC2086
order_kept() { # WORD...: the same release elsewhere is refused, and the order stays
    release 4 --out r.json "$@" && grep -q "keeps the order of this release through another ledger (loans)" err &&
        cmp -s loans.csv.secret secret.copy
}
check "the same release through another ledger" order_kept --ledger other
check "through another storage" order_kept --storage sqlite:///other.db
check "leaves no storage" [ ! -e other.db ]
check "the first ledger still answers" run 0 curate answer loans.csv 5
check "with the release's value column" says '"value":-\{0,1\}[0-9]'
bad 2 "the value comes from the program, from VALUE or from --value-column: give one of them" curate answer loans.csv 5 1 \
    --value-column profit
sed 's/"order":\[\([0-9]*\),\([0-9]*\),/"order":[\2,\1,/' secret.copy > swapped
bad 2 "order does not match check: the file was changed" curate answer loans.csv 5 --secret swapped

# ---- budgets in epsilon, by the accountant that fits the noise

check "Laplace noise, although a delta was offered" release 0 --delta 1e-5 --budget 2.7 --ledger b --name b --secret b \
    --out b.json --format json
check "has none" says '"epsilon": 2.7, "delta": 0.0, "statement": "every row: epsilon 2.7, delta 0 (pure)'
check "what is above 1/N^2 is warned of" release 0 --delta 1e-3 --ledger wn --name wn --secret wn --out wn.json
check "with the number" grep -q "delta 0.001 is above 1/N^2 = 0.000277778 for 60 rows" err
gaussian() { # CODE NAME BUDGET
    # shellcheck disable=SC2086
    run "$1" curate release loans.csv $loans --epsilon 1 --delta 1e-5 --noise gaussian --ledger g --name "$2" --secret "$2" \
        --out g.json --budget "$3" --format json
}
check "one Gaussian release fits its own budget" gaussian 0 g1 1
check "has its delta" says '"epsilon": 1.0, "delta": 1e-05, "statement": "every row: epsilon 1, delta 1e-05 (gaussian)'
check "a second one does not" gaussian 9 g2 1.4
check "which is said in epsilon" grep -q "(epsilon 1.4, delta 1e-05) does not allow this release: spent 1, asked 1;" err
check "a larger one has room for both" gaussian 0 g2 3
# shellcheck disable=SC2086
bad 2 'a budget needs a delta: ledger "g" has releases with Gaussian noise' curate release loans.csv $loans --epsilon 1 \
    --ledger g --name g3 --secret g3 --out g.json --budget 9

# ---- rows without a value, and the end of a search

mkdir few && cd few || exit 1
printf 'x,value\n1,0.5\n2,\n3,0.7\n' > few.csv
few="few.csv --bounds x=0:4"
# shellcheck disable=SC2086
good "three records, one without a value" curate release $few --epsilon 1000 --out r.json
search() { # WORD...: until there is nothing to ask; questions in rows
    : > rows
    answer=
    n=0
    while [ $n -lt 9 ]; do
        # shellcheck disable=SC2086
        "$tacit" model next r.json --state s.db $answer "$@" > out 2> err || return $?
        cat out >> rows
        "$tacit" curate answer few.csv "$(cat out)" --out a.json 2> err || return 1
        answer="--answer a.json"
        n=$((n + 1))
    done
}
search
check "the search ends, with its code" [ $? -eq 9 ]
check "in a sentence" grep -q "all 3 rows are answered: the search is done" err
check "each row was asked once" [ "$(sort rows | tr '\n' ' ')" = "0 1 2 " ]
good "the state knows" trials few --storage sqlite:///s.db
check "that one had no value" says "the curator has no value for this row"
good "a modeler who planned two questions" model next r.json --state two.db --trials 2
two() {
    answer=
    for i in 1 2; do
        # shellcheck disable=SC2086
        "$tacit" model next r.json --state two.db $answer > row 2> err || return 1
        "$tacit" curate answer few.csv "$(cat row)" --out a.json 2> err || return 1
        answer="--answer a.json"
    done
}
check "asks two" two
bad 9 "all 2 questions that were planned are answered: the search is done; a larger number of trials plans more" \
    model next r.json --state two.db --answer a.json
good "or more" model next r.json --state two.db --trials 3
rm -f ./*.db
# shellcheck disable=SC2086
good "private answers" curate release $few --epsilon 1000 --out r.json --name hidden --secret hidden \
    --output-epsilon 1 --output-bound 1
hidden() {
    for i in 0 1 2; do
        run 0 curate answer few.csv $i --secret hidden || return 1
        says '"value":-\{0,1\}[0-9].*"private":true' || return 1
    done
}
check "do not show which row has no value" hidden
cd ..

# ---- killed while it writes

touch "$dir/r.json.tmp-999999-0" "$dir/loans.csv.secret.tmp-999999-3" "$dir/r.json.tmp"
check "a release after somebody was killed" release 0 --out r.json
check "removes what he left" [ ! -e r.json.tmp-999999-0 ]
check "and nothing else" [ -e r.json.tmp ]

# ---- two at once

if command -v flock > /dev/null; then
    touch hold
    (flock 9 && touch locked && while [ -e hold ]; do sleep 0.05; done) 9< loans.csv &
    await test -e locked
    (release 0 --out r.json) &
    second=$!
    check "a second curator waits" await grep -q "another process has a lock on loans.csv; waiting" err
    rm hold
    check "until the first is gone" wait $second
    wait
fi

finish
