#!/bin/sh
# curate_program_test.sh - what the program of a curator shows: a modeler who tries to find out which records it
# fails on, and another user of the machine who looks at command lines.
set -u

. "$(dirname "$0")/../support/curate.sh"

cat > data.csv << 'END'
id,x,note
a,1,"plain, with a comma"
,2,no id
c,3,"quoted ""word"""
d,4,
e,5,secret-diagnosis
f,6,$(touch ran)
g,7,ü
h,8,last
END
release() { # NAME WORD...
    name=$1
    shift
    run 0 curate release data.csv --columns x --bounds x=0:9 --epsilon 1000 --out "$name.json" --name "$name" --ledger "$name" \
        --secret "$name.secret" --quiet "$@"
}
check "private answers" release hidden --output-epsilon 1 --output-bound 1

# ---- the modeler asks about every row, and looks for those that are answered otherwise

cat > half << 'END'
#!/bin/sh
# a value for c, d, e, f; the others fail, each in its own way
case $1 in
    a) exit 3 ;;
    g) kill -9 $$ ;;
    h) echo nothing ;;
    *) echo 0.25 ;;
esac
END
chmod +x half
ask_all() { # RELEASE WORD...: what the modeler gets of rows 0 to 7, without row and value
    of=$1
    shift
    : > shapes
    for row in 0 1 2 3 4 5 6 7; do
        "$tacit" curate answer data.csv $row --secret "$of.secret" --out answer.json "$@" > out 2> err || { echo "exit $?" >> shapes; continue; }
        sed 's/"row":[0-9]*/"row"/; s/"value":-\{0,1\}[0-9][-+.0-9e]*/"value":number/' answer.json >> shapes
    done
    [ "$(wc -l < shapes)" -eq 8 ]
}
check "eight rows, of which four have no value" ask_all hidden -- ./half {id}
check "all are answered alike" [ "$(sort -u shapes | wc -l)" -eq 1 ]
check "by a number that is private" grep -q '"value":number,.*"private":true' shapes
good "one of them again" curate answer data.csv 0 --secret hidden.secret --out first.json -- sh -c 'touch ran; exit 1'
cp first.json before.json
good "with another program" curate answer data.csv 0 --secret hidden.secret --out first.json -- sh -c 'touch ran; echo 1'
check "has the answer it had" cmp -s first.json before.json
check "and nothing ran" [ ! -e ran ]
good "what was spent" privacy status hidden --delta 1e-9 --accountant pure --format json
check "is the same for every row" says '"epsilon": 1001.0'

# what is wrong for every record is refused, and spends nothing
check "another release" release fresh --output-epsilon 1 --output-bound 1
bad 2 "{age}" curate answer data.csv 1 --secret fresh.secret -- ./half {age}
bad 3 "no-such-program" curate answer data.csv 1 --secret fresh.secret -- no-such-program
good "the ledger" privacy status fresh --delta 1e-9 --accountant pure --format json
check "has the release alone" says '"entries": 1'

# where answers leave as they are, a row without a value is said to have none
check "open answers" release open
check "eight rows" ask_all open -- ./half {id}
check "four of them null" [ "$(grep -c '"value":null' shapes)" -eq 4 ]
check "and four not" [ "$(grep -c '"value":number' shapes)" -eq 4 ]

# ---- another user looks at the command line while the program runs

cat > look << 'END'
#!/bin/sh
# what anybody sees of this process, then what it was given
tr '\0' ' ' < /proc/$$/cmdline >> seen
read -r line || line=none
echo "$line" >> stdin
echo "${TACIT_RECORD-none}" >> env
echo "${TACIT_PARAMS-none}" >> params
echo 0.5
END
chmod +x look
check "a release" release looked
look() { # RUNS WORD...: rows 0 to 7
    runs=$1
    shift
    rm -f seen stdin env params
    ask_all looked "$@" && ! grep -q exit shapes && [ "$(wc -l < stdin)" -eq "$runs" ]
}
rows() { rm -f tacit.db* looked.secret && release looked; }
secrets='diagnosis|plain|touch|quoted'
check "by arguments, of those who have both" look 6 -- ./look {id} {note}
check "fields are seen, and the search finds them" grep -qE "$secrets" seen
rows
check "on standard input" look 8 --fields stdin -- ./look {trial}
check "nothing is seen" sh -c '! grep -qE "$0" seen' "$secrets"
check "the program has all fields" grep -qF '{"id":"c","x":"3","note":"quoted \"word\"","record":"3"}' stdin
check "also empty ones" grep -qF '{"id":"","x":"2","note":"no id","record":"2"}' stdin
check "and any text" grep -qF 'ü' stdin
check "and no other way" sh -c '! grep -qE "$0" env params' "$secrets"
check "nothing is warned of" lacks "warning" err
rows
check "in the environment" look 8 --fields env -- ./look
check "nothing is seen" sh -c '! grep -qE "$0" seen' "$secrets"
check "the program has all fields" grep -qF '{"id":"e","x":"5","note":"secret-diagnosis","record":"5"}' env
check "and nothing on standard input" sh -c '! grep -qv "^none$" stdin'
check "no field was code" [ ! -e ran ]
rows
bad 2 "a record on standard input must stay off the command line" curate answer data.csv 1 --secret looked.secret --fields stdin -- ./look {id}
bad 2 "a record in the environment must stay off the command line" curate answer data.csv 1 --secret looked.secret --fields env -- ./look {record}
bad 2 "--fields is for a program" curate answer data.csv 1 --secret looked.secret --fields env
bad 2 "fields must be one of args, env, stdin" curate answer data.csv 1 --secret looked.secret --fields file -- ./look
good "a program that reads nothing" curate answer data.csv 1 --secret looked.secret --fields stdin -- echo 1
check "has its value" says '"value":1.0'

finish
