#!/bin/sh
# conditional_test: conditional parameters, bools, numeric and ordered choices through the program: documents, ask, tell,
# import and export, commands, tables and plots. And every algorithm for one party takes such a space.
set -eu
. "$(dirname "$0")/../support/frame.sh"

cat > study.json <<'J'
{"name": "svm", "direction": "minimize", "trials": 12, "seed": 5,
 "space": {"kernel": {"type": "choice", "choices": ["linear", "rbf"]},
           "C": {"type": "float", "low": 0.001, "high": 1000, "log": true},
           "gamma": {"type": "float", "low": 0.0001, "high": 1, "log": true, "when": {"kernel": "rbf"}},
           "batch": {"type": "choice", "choices": [16, 32, 64], "ordered": true},
           "shrink": {"type": "bool"}}}
J
says() { grep -qF -- "$1" out; }
lacks() { ! grep -qF -- "$1" out; }
at() { sed "s/\"seed\": 5/\"seed\": 5, \"algorithm\": \"$1\"/; s/\"svm\"/\"$1\"/" study.json; }

# ---- a command: words of inactive parameters are left out
cat > train.sh <<'T'
#!/bin/sh
echo "$TACIT_PARAMS" >> params
echo "$*" >> words
echo "$#"
T
chmod +x train.sh
good "optimize" optimize study.json --storage sqlite:///s.db -- \
    ./train.sh --kernel {kernel} --gamma {gamma} --g={gamma} {gamma} {batch} {shrink}
active=$(grep -c '"gamma"' params)
check "both branches are tried" [ "$active" -gt 0 -a "$active" -lt 12 ]
check "where gamma is active its words are there" \
    [ "$(grep -cE '^--kernel rbf --gamma [0-9.e-]+ --g=[0-9.e-]+ [0-9.e-]+ (16|32|64) (true|false)$' words)" -eq "$active" ]
check "where it is not they are left out, or empty where they have a place" \
    [ "$(grep -cE '^--kernel linear  (16|32|64) (true|false)$' words)" -eq $((12 - active)) ]
check "nothing about it in the variable" \
    [ "$(grep -cE '^\{"kernel":"linear","C":[0-9.e-]+,"batch":(16|32|64),"shrink":(true|false)\}$' params)" -eq $((12 - active)) ]

# ---- what is shown
good "a table" trials svm --storage sqlite:///s.db
check "has - for what is inactive" \
    [ "$(grep -cE ' linear +[0-9.e+-]+ +- +(16|32|64) +(true|false) *$' out)" -eq $((12 - active)) ]
good "JSON" trials svm --storage sqlite:///s.db --format jsonl
check "leaves it out" [ "$(grep -c '"gamma"' out)" -eq "$active" ]
check "has numbers and bools" grep -qE '"batch": ?(16|32|64), ?"shrink": ?(true|false)' out
good "best" best svm --storage sqlite:///s.db
check "is a linear one" says " linear "
check "with a -" grep -qE ' - +(16|32|64)' out
good "a plot" plot svm --storage sqlite:///s.db --kind slice --out slice.svg
check "of all parameters" grep -q gamma slice.svg
good "a plot as a picture" plot svm --storage sqlite:///s.db --kind slice --out slice.png
good "JSON lines" export svm --storage sqlite:///s.db --out trials.jsonl

# the best trial has no gamma: another one says what the rest is
bad 4 '--contour shows the other parameters as in trial ' plot svm --storage sqlite:///s.db --contour C,gamma
check "says what to do" grep -qF 'and there gamma is inactive: name another trial with --at' err
with=$(sed -n 's/.*"trial": *\([0-9]*\),.*"gamma".*/\1/p' trials.jsonl | head -1)
good "a contour of another trial's branch" plot svm --storage sqlite:///s.db --contour C,gamma --at "$with" --out other.svg
check "names it" grep -qF "the rest as in trial $with: " other.svg
bad 2 '--at: the study svm has no trial 99' plot svm --storage sqlite:///s.db --contour C,gamma --at 99
bad 2 '--at is for --contour' plot svm --storage sqlite:///s.db --at 1

# ---- an exported file: the first trial need not have every parameter
for kind in json jsonl; do
    if [ $kind = json ]; then
        good "trials that begin without gamma" trials svm --storage sqlite:///s.db --format json
        python3 - out > late.json <<'P'
import json, sys
trials = json.load(open(sys.argv[1]))
trials = trials if isinstance(trials, list) else trials["trials"]
print(json.dumps(sorted(trials, key=lambda t: "gamma" in t["params"])))
P
    else
        grep -v '"gamma"' trials.jsonl > late.jsonl
        grep '"gamma"' trials.jsonl >> late.jsonl
    fi
    good "a plot of late.$kind" plot late.$kind --kind slice
    check "has gamma, and both values of a bool" awk '/>gamma</ { g = 1 } />true</ { t = 1 } />false</ { f = 1 }
        END { exit !(g && t && f) }' out
done

# ---- CSV there and back
good "export" export svm --storage sqlite:///s.db --out trials.csv
check "has an empty cell" grep -qE ',linear,[0-9.e+-]+,,(16|32|64),(true|false),' trials.csv
good "import" import study.json trials.csv --storage sqlite:///i.db
good "export again" export svm --storage sqlite:///i.db --out again.csv
cut -d, -f2-8 trials.csv > a && cut -d, -f2-8 again.csv > b
check "is the same" cmp -s a b
for kind in json jsonl; do
    good "export $kind" export svm --storage sqlite:///s.db --out trials.$kind
    good "import $kind, with its bools" import study.json trials.$kind --storage sqlite:///$kind.db
    good "export it again" export svm --storage sqlite:///$kind.db --out again.csv
    cut -d, -f2-8 again.csv > b
    check "$kind is the same" cmp -s a b
done
import_bad() { # TEXT ROW
    printf 'value,kernel,C,gamma,batch,shrink\n%s\n' "$2" > bad.csv
    bad 2 "$1" import study.json bad.csv --storage sqlite:///new.db
}
import_bad 'bad.csv: row 2: the parameter gamma must not be given where kernel is linear' 1,linear,1,0.1,16,true
import_bad 'bad.csv: row 2: the parameter gamma is missing where kernel is rbf' 1,rbf,1,,16,true
import_bad 'batch is 17 but must be one of 16, 32, 64' 1,linear,1,,17,true
import_bad 'shrink is yes but must be one of false, true' 1,linear,1,,16,yes
check "nothing was made" [ ! -e new.db ]
printf 'value,kernel,C,gamma,batch,shrink\n1,linear,1,,16.0,True\n2,rbf,1,0.5,64,False\n' > pandas.csv
good "words of Python, a number with a point" import study.json pandas.csv --storage sqlite:///p.db --format json
check "both rows" says '{"imported":2,"skipped":0}'

# ---- ask and tell, and the point really run
good "ask" ask study.json --storage sqlite:///t.db --format json
good "ask again" ask svm --storage sqlite:///t.db --format json
good "another point with another kernel" tell svm 0 0.5 --param kernel=rbf --param gamma=0.25 --storage sqlite:///t.db
good "and without gamma" tell svm 1 0.75 --param kernel=linear --storage sqlite:///t.db
good "trials" trials svm --storage sqlite:///t.db --format jsonl
check "are as told" [ "$(grep -cE '"kernel": ?"rbf".*"gamma": ?0\.25|"kernel": ?"linear"' out)" -eq 2 ]
good "a third" ask svm --storage sqlite:///t.db
bad 2 'the parameter gamma must not be given where kernel is linear' \
    tell svm 2 1 --param kernel=linear --param gamma=0.1 --storage sqlite:///t.db

# ---- every algorithm for one party
"$tacit" algorithms --format csv | tail -n +2 | cut -d, -f1 > names
for name in $(cat names); do
    at "$name" > one.json
    if "$tacit" optimize one.json --storage memory: -- ./train.sh {gamma} > out 2> err; then
        ok "$name"
    else
        check "$name refuses for another reason" grep -qvE 'when|condition|gamma' err
    fi
done

# ---- and for many
for name in dp-fts-de fts rgpe taf fed-hct pf-pne fed-pne dp-pf-pne; do
    good "$name" simulate --algorithm "$name" --objective pipeline --agents 3 --rounds 6 --runs 2 --seed 1 --format json
done

# ---- documents that are wrong
wrong() { # TEXT SED
    sed "$2" study.json > wrong.json
    bad 2 "$1" optimize wrong.json --storage sqlite:///w.db -- ./train.sh
}
wrong 'space.gamma.when: kernel is "rfb" but must be one of "linear", "rbf"' 's/{"kernel": "rbf"}/{"kernel": "rfb"}/'
wrong 'space.gamma.when: there is no parameter "kernal"' 's/{"kernel": "rbf"}/{"kernal": "rbf"}/'
wrong 'space.gamma.when: C must be a choice or a bool, and is a float' 's/{"kernel": "rbf"}/{"C": 1}/'
wrong 'space.batch.choices[1] must be a number as choices[0] is, got a string' 's/32/"32"/'
finish
