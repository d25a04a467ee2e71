#!/bin/sh
# cli_test.sh - the tacit program from outside: every verb, every kind of bad input.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep and awk. Prints one
# "ok" or "not ok" line per check; the exit status is 0 only if all are ok.
set -u

. "$(dirname "$0")/../support/frame.sh"
man=$root/docs/man/tacit.1

# bad CODE TEXT WORD...: exits with CODE, says one sentence with TEXT, adds no file
bad() { check "refused ($1): $2" leaving_nothing refused "$@"; }

says() {
    grep -qF -- "$1" out
}

lines() {
    [ "$(wc -l < out)" -eq "$1" ]
}

: > out
: > err # from here on they are always there

# ---- help and version

good "--help" --help
check "--help lists the verbs and the exit codes" awk '/optimize/ { a = 1 } /  130  / { b = 1 } END { exit !(a && b) }' out
check "and what else a code means" grep -qF "also a token that the coordinator does not know, or that does not allow this" out
check "of four codes" test "$(grep -c '^       also ' out)" = 4
good "--version" --version
check "--version is one line" lines 1
for verb in optimize ask tell studies trials best import export plot simulate demo algorithms \
    objectives erase version completion; do
    good "$verb --help" "$verb" --help
    check "$verb --help shows its usage" says "Usage: tacit $verb"
    cp out help.txt
    good "help $verb" help "$verb"
    check "help $verb says the same" cmp -s out help.txt
done
rm help.txt

# explained VERB: every option in its --help is in the manual page
explained() {
    "$tacit" "$1" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' > names
    while read -r option; do
        grep -q -- "Fl -$option\( \|\$\)" "$man" || { echo "# the manual lacks --$option of $1"; return 1; }
    done < names
    [ -s names ] && grep -q "^\.Ss $1\$" "$man"
}
for verb in $("$tacit" --help | awk '/^Environment/ { exit } on && NF { print $1 } /^Verbs/ { on = 1 }'); do
    check "the manual explains $verb" explained "$verb"
done
rm names
good "version --format json" version --format json
check "version has the libraries" says '"sqlite":"3.'
check "version has the kernel of BLAS" says '"kernel":"'
for library in tacit compiler blas sqlite sodium nlopt jansson gnutls microhttpd curl libpq; do
    check "version has $library" grep -qE "\"$library\": ?\"([^\"]*[0-9]|not built|not installed)" out
done
good "algorithms" algorithms
check "algorithms lists gp-ei" says gp-ei
good "algorithms gp-ei" algorithms gp-ei
check "algorithms gp-ei lists its options" says kernel
good "algorithms --format csv" algorithms --format csv
check "CSV has a header" says name,parties,summary,source

# ---- bad command lines

check "refused (2): no verb" run 2
check "with all the help" awk '/^Verbs/ { a = 1 } /^  optimize / { b = 1 } /^Exit codes/ { c = 1 } END { exit !(a && b && c) }' err
check "and why, last" [ "$(tail -n 1 err)" = "tacit: a verb is needed" ]
check "and nothing for programs" [ ! -s out ]
bad 2 'there is no verb "optmize"; did you mean "optimize"?' optmize
bad 2 'there is no verb "zzzzzz"; tacit --help lists them' zzzzzz
bad 2 'there is no verb "bset"; did you mean "best"?' help bset
bad 2 "comes after a verb" --format
bad 2 "has no option --job; did you mean --jobs?" optimize s.json --job 2 -- true
bad 2 "has no option --zzzzzz" studies --zzzzzz
bad 2 "has no option -z" studies -z
bad 2 "--storage needs a value" studies --storage
bad 2 'format must be one of table, json, csv, jsonl, got "xml"' studies --format xml
bad 2 'jobs must be a whole number in [1, 1024], got "0"' optimize s.json --jobs 0 -- true
bad 2 'jobs must be a whole number in [1, 1024], got "two"' optimize s.json --jobs=two -- true
bad 2 "an argument is missing" best
bad 2 "one argument too many" best a b
bad 2 'there is no algorithm "gp-ee"; did you mean "gp-ei"?' algorithms gp-ee
bad 2 'is for a federation of agents' simulate --algorithm dp-fts-de

# ---- bad documents

document() { # NAME TEXT
    printf '%s\n' "$2" > "$1"
}
space='"space": {"x": {"type": "float", "low": 0, "high": 1}}'
document broken.json '{"name": "s", '
bad 2 "broken.json" optimize broken.json -- true
document twice.json "{\"name\": \"s\", \"name\": \"s\", \"direction\": \"minimize\", $space}"
bad 2 "twice.json" optimize twice.json -- true
document unknown.json "{\"name\": \"s\", \"direction\": \"minimize\", \"trails\": 3, $space}"
bad 2 "trails" optimize unknown.json -- true
document nodir.json "{\"name\": \"s\", $space}"
bad 2 "direction" ask nodir.json
document range.json '{"name": "s", "direction": "minimize", "space": {"x": {"type": "float", "low": 2, "high": 1}}}'
bad 2 "space.x" ask range.json
document noalgo.json "{\"name\": \"s\", \"direction\": \"minimize\", \"algorithm\": {\"name\": \"gp-ie\"}, $space}"
bad 2 "gp-ei" ask noalgo.json
document option.json "{\"name\": \"s\", \"direction\": \"minimize\", \"algorithm\": {\"name\": \"gp-ei\", \"kernl\": \"se\"}, $space}"
bad 2 "kernl" ask option.json
bad 3 "absent.json" ask absent.json
: > empty.json
bad 2 "empty.json" ask empty.json
for name in x.json -x .x; do
    document name.json "{\"name\": \"$name\", \"direction\": \"minimize\", $space}"
    bad 2 "name must not begin with a dash or a dot nor end in .json, got \"$name\"" ask name.json
done
for name in value state number worker reason; do
    document reserved.json "{\"name\": \"s\", \"direction\": \"minimize\", \"space\": {\"$name\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}"
    bad 2 "parameter name \"$name\" is reserved" ask reserved.json
done
document reserved.json '{"name": "s", "direction": "minimize", "space": {"params_x": {"type": "float", "low": 0, "high": 1}}}'
bad 2 'parameter name "params_x" must not begin with "params_"' ask reserved.json
mkfifo pipe.json
mkdir folder.json
bad 2 '"pipe.json" must be a regular file, got a pipe' ask pipe.json
bad 2 '"folder.json" must be a regular file, got a folder' optimize folder.json -- true
rmdir folder.json
rm -- *.json

# ---- optimize

cat > study.json <<'END'
{ "name": "square", "direction": "minimize", "trials": 12, "seed": 1,
  "space": { "x": {"type": "float", "low": -1, "high": 1},
             "n": {"type": "int", "low": 1, "high": 4},
             "kind": {"type": "choice", "choices": ["a", "b c"]} } }
END
cat > square.sh <<'END'
#!/bin/sh
echo "kind is $3"
awk -v x="$1" -v n="$2" 'BEGIN { printf "value=%.17g\n", (x - 0.5) ^ 2 + n }'
END
chmod +x square.sh

bad 2 "the command is empty" optimize study.json
bad 2 "{y} in" optimize study.json -- ./square.sh '{y}'
bad 2 "without its }" optimize study.json -- ./square.sh '{x'
bad 3 "there is no program" optimize study.json -- no-such-program '{x}'
bad 3 "cannot be run" optimize study.json -- ./absent.sh '{x}'
bad 3 "it is not executable" optimize study.json -- ./study.json '{x}'
bad 2 "storage" optimize study.json --storage nonsense -- ./square.sh
bad 3 "tacit.db" studies
bad 3 "tacit.db" best square

good "optimize" optimize study.json --format json -- ./square.sh '{x}' '{n}' '{kind}'
check "the best is on standard output" says '"state":"COMPLETE"'
check "it is one line" lines 1
check "nothing but progress on standard error" [ "$(grep -c tacit: err)" -eq 0 ]
cp out best.json
good "trials --format jsonl" trials square --format jsonl
check "there are 12 trials" lines 12
good "optimize again" optimize study.json --format json -- ./square.sh '{x}' '{n}' '{kind}'
check "a finished study runs nothing more" cmp -s out best.json
good "best" best square --format json
check "best says the same as optimize" cmp -s out best.json
good "best by document" best study.json --format json
check "a document stands for its study" cmp -s out best.json
good "more trials, by name, with two jobs" optimize square --trials 15 --jobs 2 --quiet -- ./square.sh '{x}' '{n}' '{kind}'
check "quiet is quiet" [ ! -s err ]
good "studies" studies --format json
check "studies counts them" says '"complete":15,"failed":0,"pruned":0,"running":0,"planned":12'
good "studies --format table" studies
check "a table has a header and a row" lines 2
check "no escape sequences in a pipe" awk '/\033/ { exit 1 }' out

sed 's/"high": 4/"high": 5/' study.json > other.json
bad 4 "space" optimize other.json -- ./square.sh '{x}'
rm other.json best.json

# Environment, storage URL, failing programs.
printf '#!/bin/sh\n[ "$TACIT_STUDY" = square ] && echo "$TACIT_TRIAL" || exit 9\n' > env.sh
printf '#!/bin/sh\necho 1; exit 3\n' > fails.sh
printf '#!/bin/sh\n[ $(($1 %% 2)) -eq 0 ] && echo 2 || echo nan\n' > half.sh
printf '#!/bin/sh\nexec sleep 60\n' > slow.sh
chmod +x ./*.sh
good "TACIT_STUDY and TACIT_TRIAL" optimize study.json --storage sqlite:///env.db --trials 3 -- ./env.sh
TACIT_STORAGE=sqlite:///env.db
export TACIT_STORAGE
good "TACIT_STORAGE" trials square --format csv
check "values are trial numbers" grep -q '^2,COMPLETE,2,' out
unset TACIT_STORAGE

check "a broken command gives up" run 4 optimize study.json --storage sqlite:///f.db --max-failures 3 -- ./fails.sh
check "and says why" grep -qF '3 trials failed in a row, the last with: exit status 3' err
good "failed trials are kept" trials square --storage sqlite:///f.db --state fail --format jsonl
check "all three" lines 3
# Without the option three that are all alike are enough, unless a trial of this run has succeeded.
check "a broken command does not eat the study" run 4 optimize study.json --storage sqlite:///e.db -- ./fails.sh
check "and says how to go on" grep -qxF 'tacit: the first 3 trials of this run failed alike (exit status 3): the command seems to be broken; mend the command and run it again, or go on anyway with --max-failures 0' err
good "three trials are used up" trials square --storage sqlite:///e.db --state fail --format jsonl
check "and no more" lines 3
check "go on anyway" run 4 optimize study.json --storage sqlite:///e.db --quiet --max-failures 0 -- ./fails.sh
good "all are used up" trials square --storage sqlite:///e.db --state fail --format jsonl
check "twelve" lines 12
good "the failed points once more" enqueue square --storage sqlite:///e.db --failed
check "twelve are queued" [ "$(sed -n 2p out | xargs)" = 12 ]
check "failed trials count" grep -qxF 'failed trials count towards the 12 that are planned: tacit optimize --trials 24 runs all that are queued' err
good "once" enqueue square --storage sqlite:///e.db --failed --format json
check "none is queued twice" says '{"queued":0}'
good "they are run" optimize square --storage sqlite:///e.db --trials 24 --quiet -- ./square.sh '{x}' '{n}' '{kind}'
good "at the same points" trials square --storage sqlite:///e.db --format csv
check "all twelve" [ "$(grep FAIL out | cut -d, -f4-6)" = "$(grep COMPLETE out | cut -d, -f4-6)" ]
check "delete wants to know which" run 2 delete square --storage sqlite:///e.db
check "and says so" grep -qxF 'tacit: give either TRIAL, the number of a failed trial, or --failed' err
bad 2 "give either TRIAL, the number of a failed trial, or --failed" delete square 3 --failed --storage sqlite:///e.db
bad 2 'TRIAL must be the number of a trial, got "-1"' delete square --storage sqlite:///e.db -- -1
bad 3 "there is no trial 99; this study has 24" delete square 99 --storage sqlite:///e.db
bad 4 "trial 12 is COMPLETE, and only a failed trial can be deleted: the trials after it were proposed with its value" \
    delete square 12 --storage sqlite:///e.db
good "a failed trial is deleted" delete square 3 --storage sqlite:///e.db
check "and shown" [ "$(sed -n 2p out | xargs)" = "3 DELETED" ]
good "the same again" delete square 3 --storage sqlite:///e.db --format json
check "as JSON" says '{"trial":3,"state":"DELETED"}'
good "it is in no list" trials square --storage sqlite:///e.db --format csv
check "of the others there are 23" [ "$(grep -c . out)" = 24 ]
check "and not its number" sh -c '! grep -q "^3," out'
good "nor in an export" export square --storage sqlite:///e.db --out e.csv --quiet
check "of 23" [ "$(grep -c . e.csv)" = 24 ]
good "but by its state" trials square --storage sqlite:///e.db --state deleted --format csv
check "with its reason" grep -q '^3,DELETED,.*exit status 3$' out
good "one trial more is run in its place" optimize square --storage sqlite:///e.db --trials 24 --quiet -- ./square.sh '{x}' '{n}' '{kind}'
good "under a number of its own" trials square --storage sqlite:///e.db --state complete --format csv
check "the next one" grep -q '^24,COMPLETE' out
good "all that failed" delete square --failed --storage sqlite:///e.db --format json
check "are eleven" says '{"deleted":11}'
good "none is left" delete square --failed --storage sqlite:///e.db
check "so none is deleted" [ "$(sed -n 2p out | xargs)" = 0 ]
check "and a study of a summary" sh -c '"$1" studies --storage sqlite:///e.db --format csv | grep -q "^square,.*,13,0,"' - "$tacit"
printf '#!/bin/sh\n[ "$1" -eq 0 ] && echo 2 || exit 3\n' > first.sh
printf '#!/bin/sh\nexit $((1 + $1 %% 2))\n' > turns.sh
printf '#!/bin/sh\necho "no room for $1" >&2; exit 1\n' > others.sh
printf '#!/bin/sh\necho "trial $1" >&2; echo "no module named x" >&2; exit 1\n' > module.sh
chmod +x first.sh turns.sh others.sh module.sh
check "after a success it takes ten" run 4 optimize study.json --storage sqlite:///g.db -- ./first.sh '{trial}'
check "in a row" grep -qF '10 trials failed in a row, the last with: exit status 3' err
check "and with two reasons, too" run 4 optimize study.json --storage sqlite:///h.db -- ./turns.sh '{trial}'
check "ten in a row" grep -qF '10 trials failed in a row, the last with: exit status 2' err
check "errors of one status that differ" run 4 optimize study.json --storage sqlite:///i.db -- ./others.sh '{trial}'
check "are not alike" grep -qF '10 trials failed in a row, the last with: exit status 1' err
check "all that a program says on standard error is passed on" [ "$(grep -c '^no room for [0-9]$' err)" = 10 ]
check "the last line decides" run 4 optimize study.json --storage sqlite:///j.db -- ./module.sh '{trial}'
check "and is shown" grep -qF 'failed alike (exit status 1: no module named x): the command seems to be broken' err
good "some failures" optimize study.json --storage sqlite:///half.db --trials 6 --quiet -- ./half.sh '{trial}'
good "failures are counted" trials square --storage sqlite:///half.db --state FAIL --format jsonl
check "three of six" lines 3
check "with their reason" says '"reason":"value is nan"'
check "a slow program times out" run 4 optimize study.json --storage sqlite:///slow.db --trials 1 --timeout-s 0.1 -- ./slow.sh
good "and fails" trials square --storage sqlite:///slow.db --format json
check "with its reason" says "timed out after 0.1 s"

# ---- points of one's own

good "a point creates the study" enqueue study.json --storage sqlite:///own.db --param x=0.5 --param n=2 --param kind=a
check "its trial waits" [ "$(sed -n 2p out | xargs)" = "0 WAITING" ]
good "another one" enqueue square --storage sqlite:///own.db --param x=1 --param n=3 --param "kind=b c" --format json
check "as JSON" says '{"trial":1,"state":"WAITING"}'
good "they are asked for first" ask square --storage sqlite:///own.db --format json
check "in order" says '"trial":0'
bad 2 "give either the point, --param NAME=VALUE for each parameter, or --failed" enqueue square --storage sqlite:///own.db
bad 2 "give either the point, --param NAME=VALUE for each parameter, or --failed" \
    enqueue square --storage sqlite:///own.db --failed --param x=1
bad 2 "the study has no parameter \"y\"" enqueue square --storage sqlite:///own.db --param y=1
bad 2 "the parameter n is missing" enqueue square --storage sqlite:///own.db --param x=1 --param kind=a
bad 2 "the parameter x is given twice" enqueue square --storage sqlite:///own.db --param x=1 --param n=2 --param x=0.5 --param kind=a
bad 3 "there is no file none.db" enqueue square --storage sqlite:///none.db --failed
bad 2 "the parameter n is missing" enqueue study.json --storage sqlite:///none.db --param x=1 --param kind=a

# ---- what a program prints

# prints TEXT VALUE REASON: the only trial of a program that prints TEXT (printf's escapes)
prints() {
    rm -f out.db out.db-wal out.db-shm
    printf '%b' "$1" > printed
    "$tacit" optimize study.json --storage sqlite:///out.db --trials 1 --quiet -- cat printed > out 2> err
    "$tacit" trials square --storage sqlite:///out.db --format json > out 2> err
    if says "\"value\":$2," && says "\"reason\":$3}"; then
        ok "a program prints $1"
    else
        not_ok "a program prints $1"
    fi
}
prints 'epoch 10\nloss: nan,\n' null '"value is nan"'
prints 'epoch 10\nNone\n' null '"value is None"'
prints 'epoch 10\naccuracy = 0.9375,\n' 0.9375 null
prints 'epoch 10\n[0.9375]\n\n' 0.9375 null
prints 'epoch 10\ntensor(0.93)\n' null '"\"tensor(0.93)\" on the last line is not a plain number"'
prints 'epoch 10\n93.1%\n' null '"\"93.1%\" on the last line is not a plain number"'
prints 'epoch 10\n1,234.5\n' null '"\"1,234.5\" on the last line is not a plain number"'
prints 'epoch 10\nall \0033done\n' null '"no number on the last line: \"all ?done\""'
prints '' null '"no number on standard output"'
prints '7\n{"value": 2.5, "epochs": 10}\n' 2.5 null
rm -f out.db printed

# ---- interruption

cat > wait.sh <<'END'
#!/bin/sh
[ "$4" -lt 3 ] || [ -e go ] || exec sleep 600
exec ./square.sh "$1" "$2" "$3"
END
chmod +x wait.sh
third_runs() {
    "$tacit" trials square --storage sqlite:///int.db --format csv 2> /dev/null | grep -q '^3,RUNNING'
}
running() {
    "$tacit" trials square --storage sqlite:///int.db --state running --format jsonl 2> /dev/null | grep -q .
}
"$tacit" optimize study.json --storage sqlite:///int.db -- ./wait.sh '{x}' '{n}' '{kind}' '{trial}' > out 2> err &
pid=$!
await third_runs
kill -TERM "$pid" # as Ctrl-C; but a script's background jobs ignore SIGINT
wait "$pid"
status=$?
check "an interruption ends with 130" [ "$status" -eq 130 ]
check "and says how to go on" grep -q 'interrupted with 3 of 12 trials finished' err
check "its trial stays RUNNING" running
: > go
good "the same command goes on" optimize study.json --storage sqlite:///int.db -- ./wait.sh '{x}' '{n}' '{kind}' '{trial}'
check "it says what it runs again" grep -q 'running trial 3 again, which an earlier run left unfinished$' err
"$tacit" export square --storage sqlite:///int.db 2> err | cut -d, -f1-6 > int.csv
"$tacit" export square 2> err | cut -d, -f1-6 | head -13 > calm.csv
check "as if nothing had happened" cmp int.csv calm.csv
rm -f go int.csv calm.csv

# ---- trials of other workers: the dead of this host are run again, others are left alone

here="$(uname -n):00000000-0000-0000-0000-000000000000:1:1/0"
good "a worker of an earlier boot" ask study.json --storage sqlite:///dead.db --worker "$here"
good "a worker elsewhere" ask study.json --storage sqlite:///dead.db --worker "elsewhere:0:1:1/0"
good "a worker of another kind" ask study.json --storage sqlite:///dead.db --worker gpu-1
good "optimize beside them" optimize study.json --trials 3 --storage sqlite:///dead.db -- ./square.sh '{x}' '{n}' '{kind}'
good "afterwards" trials square --storage sqlite:///dead.db --format csv
check "the dead one's trial was run" grep -q '^0,COMPLETE,' out
check "the foreign one's was not" grep -q '^1,RUNNING,.*elsewhere' out
check "nor the other's" grep -q '^2,RUNNING,.*gpu-1' out
check "two new ones were" grep -q '^4,COMPLETE,' out
good "its new worker" export square --storage sqlite:///dead.db --format csv
check "is the one that ran it" awk -F, '$1 == 0 && $9 ~ /00000000/ { bad = 1 } END { exit bad }' out

# ---- ask and tell

good "ask creates the study" ask study.json --storage sqlite:///at.db --worker w1 --format json
check "ask prints a trial" grep -q '^{"trial":0,"params":{"x":.*,"n":[1-4],"kind":"[ab c]*"}}$' out
cp out asked
good "the same worker asks again" ask square --storage sqlite:///at.db --worker w1 --format json
check "and gets its trial back" cmp -s out asked
good "another gets another" ask square --storage sqlite:///at.db --worker w2 --format json
check "number 1" says '{"trial":1,'
good "ask --count 2" ask square --storage sqlite:///at.db --count 2 --format csv
check "two rows and a header" lines 3
bad 2 "--worker must have 1 to 255 characters, got 0" ask square --worker "" --storage sqlite:///at.db
bad 2 "--worker must have 1 to 255 characters, got 256" ask square --worker "$(printf '%256s' w)" --storage sqlite:///at.db
bad 2 "--worker must be printable characters of ASCII, got byte 0x09 at 2" ask square --worker "$(printf 'a\tb')" --storage sqlite:///at.db
good "tell" tell square 0 -0.5 --storage sqlite:///at.db --format json
check "tell says what is known" says '{"trial":0,"state":"COMPLETE","value":-0.5,"reason":null}'
good "tell --fail" tell square 1 --fail "no power" --storage sqlite:///at.db
good "tell the point really run" tell square 2 0.25 --param x=0.125 --set n=3 --storage sqlite:///at.db
good "trials has it" trials square --storage sqlite:///at.db --format csv
check "as told" grep -q '^2,COMPLETE,0.25,0.125,3,' out
bad 4 "trial 0" tell square 0 1 --storage sqlite:///at.db
good "tell --skip-if-finished" tell square 0 1 --skip-if-finished --storage sqlite:///at.db --format json
check "nothing has changed" says '"value":-0.5'
bad 2 "VALUE must be a finite number" tell square 3 nan --storage sqlite:///at.db
bad 2 "VALUE must be a finite number" tell square 3 -inf --storage sqlite:///at.db
bad 2 "VALUE must be a finite number" tell square 3 1e999 --storage sqlite:///at.db
cat > bandit.json <<'END'
{"name": "bandit", "direction": "minimize", "trials": 1000, "seed": 1,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "blin", "low": -2, "high": 0}}
END
good "ask --pulls" ask bandit.json --storage sqlite:///bandit.db --pulls 1000 --format json
check "says how many" says '{"trial":0,"pulls":21,"params":{"x":0.25}}'
good "a column of pulls" ask bandit --storage sqlite:///bandit.db --pulls 10 --format csv
check "of the next cube, for who comes while the first is out" grep -q '^1,10,0.75' out
awk 'BEGIN { for (i = 0; i < 21; i++) print i % 2 ? 0.5 : 1.5 }' > values.txt
good "tell --values" tell bandit 0 --values values.txt --storage sqlite:///bandit.db --format json
check "the value is the mean" says '"state":"COMPLETE","value":1.02'
check "of so many pulls" says '"pulls":21}'
bad 4 "trial 0 was told already" tell bandit 0 --values values.txt --storage sqlite:///bandit.db
bad 2 "values.txt has more values than pulls were asked for, which are 10" tell bandit 1 --values values.txt --storage sqlite:///bandit.db
good "the rest of that cube" ask bandit --storage sqlite:///bandit.db --pulls 1000 --format json
check "has its own pulls" says '{"trial":2,"pulls":11,"params":{"x":0.75}}'
bad 2 "the sum of 4 rewards must be in 0..1073741824 units of 2^-28, got 1073741825" \
    tell bandit 2 --batch 4,1073741825,0 --storage sqlite:///bandit.db
bad 2 "the squares of 4 rewards with the sum 536870912 must come to 268435452..536870912 units of 2^-28, got 1" \
    tell bandit 2 --batch 4,536870912,1 --storage sqlite:///bandit.db
bad 2 "pulls must be in 1..11, as many as were asked for, got 22" tell bandit 2 --batch 22,0,0 --storage sqlite:///bandit.db
bad 2 '--batch must be PULLS,SUM,SQUARES in whole numbers, got "4,-1,2"' tell bandit 2 --batch 4,-1,2 --storage sqlite:///bandit.db
bad 2 '--batch must be PULLS,SUM,SQUARES in whole numbers, got "4,1"' tell bandit 2 --batch 4,1 --storage sqlite:///bandit.db
good "tell --batch" tell bandit 2 --batch 4,536870912,268435456 --storage sqlite:///bandit.db --format json
check "fewer pulls are welcome" says '{"trial":2,"state":"COMPLETE","value":1.0,"reason":null,"pulls":4}'
good "what is left of the cube" ask bandit --storage sqlite:///bandit.db --pulls 1000 --format json
check "is asked for" says '{"trial":3,"pulls":7,"params":{"x":0.75}}'
printf '0.5\nhalf\n' > bad.txt
bad 2 'bad.txt, line 2: a value must be a finite number, got "half"' tell bandit 3 --values bad.txt --storage sqlite:///bandit.db
: > none.txt
bad 2 "none.txt has no value" tell bandit 3 --values none.txt --storage sqlite:///bandit.db
bad 3 'cannot open "absent.txt"' tell bandit 3 --values absent.txt --storage sqlite:///bandit.db
bad 2 "not both" tell bandit 3 1 --values values.txt --storage sqlite:///bandit.db
check "values from a pipe" sh -c '{ head -6 values.txt; echo 2.5; } | "$1" tell bandit 3 --values - --storage sqlite:///bandit.db > out 2> err' - "$tacit"
check "what is outside the range is counted" grep -q '^tacit: warning: 1 of 7 values are outside 0 to 2, ' err
good "trials shows pulls" trials bandit --storage sqlite:///bandit.db --format csv
check "in the last column" grep -q '^trial,.*,reason,pulls$' out
check "of each" grep -q '^3,COMPLETE,.*,7$' out
good "ask --pulls of an algorithm without batches" ask square --storage sqlite:///at.db --pulls 50 --worker w3 --format json
check "is one pull" says '"pulls":1,'
echo 0.5 > one.txt
good "and one value is welcome" tell square 4 --values one.txt --storage sqlite:///at.db
bad 8 "gp-ei takes one value for a trial, not a batch of pulls" tell square 3 --batch 1,1,0 --storage sqlite:///at.db
rm bandit.json values.txt bad.txt none.txt one.txt
bad 2 "either VALUE or --fail" tell square 3 --storage sqlite:///at.db
bad 2 "not both" tell square 3 1 --fail no --storage sqlite:///at.db
bad 2 "TRIAL must be" tell square three 1 --storage sqlite:///at.db
bad 3 "there is no trial 99" tell square 99 1 --storage sqlite:///at.db
bad 2 'no parameter "y"' tell square 3 1 --param y=2 --storage sqlite:///at.db
bad 2 "n must be" tell square 3 1 --param n=9 --storage sqlite:///at.db
bad 2 "must be name=value" tell square 3 1 --param n --storage sqlite:///at.db
bad 3 'no study "cube"' ask cube --storage sqlite:///at.db
bad 2 "--state must be" trials square --state done --storage sqlite:///at.db
sed 's/"square"/"fresh"/' study.json > fresh.json
good "a study without results" ask fresh.json --storage sqlite:///at.db
bad 4 "no trial of fresh is complete" best fresh --storage sqlite:///at.db
rm asked fresh.json

# ---- export and import

good "export to a file" export square --out trials.csv
check "the file has Optuna's columns" grep -q '^trial,state,value,params_x,params_n,params_kind,datetime_start,datetime_complete,worker,reason$' trials.csv
good "export --format jsonl" export square --format jsonl
check "one object per line" [ "$(grep -c '^{"trial":.*}$' out)" -eq 15 ]
good "export --format json" export square --format json
check "an array" awk 'NR == 1 && !/^\[\{/ { bad = 1 } END { exit bad || !/\}\]$/ }' out
bad 3 "no/such" export square --out no/such/file.csv

good "the ending says JSON" export square --out trials.json
"$tacit" export square --format json > out
check "the same as --format json" cmp -s out trials.json
check "parameters are typed" grep -qE '"params":\{"x":-?[0-9]+\.[0-9e-]+,"n":[0-9]+,"kind":"[a-z]+"\},"datetime_start":"2' trials.json
good "the ending says lines of JSON" export square --out trials.jsonl
check "the same as --format jsonl" [ "$("$tacit" export square --format jsonl)" = "$(cat trials.jsonl)" ]
good "--format wins" export square --out trials.txt --format csv
check "and writes CSV" cmp -s trials.txt trials.csv
rm trials.txt
bad 2 '--out must end in .csv, .json or .jsonl, not "trials.txt", unless --format says what to write' export square --out trials.txt
bad 2 'not "json"' export square --out json
for kind in json jsonl; do
    good "import $kind" import study.json trials.$kind --storage sqlite:///im.$kind.db --format json
    check "all of $kind" says '{"imported":15,"skipped":0}'
    "$tacit" export square --storage sqlite:///im.$kind.db 2> err | cut -d, -f2-6 > b.csv
    "$tacit" export square 2> err | cut -d, -f2-6 > a.csv
    check "$kind bit for bit" cmp a.csv b.csv
done
refuses() { # SENTENCE TEXT: of a file with that text
    printf '%s\n' "$2" > bad.${3:-json}
    bad 2 "$1" import study.json bad.${3:-json} --storage sqlite:///new.db
}
whole='"params":{"x":0.5,"n":2,"kind":"a"}'
refuses 'bad.json must hold an array of trials, got an object' "{\"value\":1,$whole}"
refuses 'bad.json, entry 2: a trial must be an object, got a number' "[{\"value\":1,$whole},2]"
refuses 'bad.json, entry 1: value is missing' "[{$whole}]"
refuses 'bad.json, entry 1: params must be an object, got nothing' '[{"value":1}]'
refuses 'bad.json, entry 1: params.z is no parameter of the study' '[{"value":1,"params":{"z":1}}]'
refuses 'bad.json, entry 1: params.x must be a number or a text, got a boolean' '[{"value":1,"params":{"x":true}}]'
refuses 'bad.json, entry 1:' '[{"value":1,"params":{"x":0.5,"n":2}}]'
refuses 'bad.jsonl, line 3:' "{\"value\":1,$whole}

{\"value\":" jsonl
rm bad.json bad.jsonl
good "import what was exported" import study.json trials.csv --storage sqlite:///im.db --format json
check "all of it" says '{"imported":15,"skipped":0}'
"$tacit" export square 2> err | cut -d, -f2-6 > a.csv
"$tacit" export square --storage sqlite:///im.db 2> err | cut -d, -f2-6 > b.csv
check "bit for bit" cmp a.csv b.csv
good "rows that failed are skipped" export square --storage sqlite:///half.db --out half.csv
good "and counted" import study.json half.csv --storage sqlite:///im2.db --format json
check "three and three" says '{"imported":3,"skipped":3}'
printf 'kind,note,n,value,x\r\n"b c","a ""note"", quoted",2,1.5,0.25\r\n' > plain.csv
good "plain names, any order, quotes, CRLF" import square plain.csv --storage sqlite:///im.db
good "it is there" best square --storage sqlite:///im.db

table() { # NAME LINE...
    file=$1
    shift
    printf '%s\n' "$@" > "$file"
}
table bad.csv 'x,n,kind,value' '0.5,2,a,1' '0.5,2,a,oops'
bad 2 "row 3" import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,n,kind,value' '0.5,2,a,1' '0.5,7,a,1'
bad 2 "row 3" import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,n,kind,value' '0.5,2,c,1'
bad 2 "row 2" import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,n,kind,value' '0.5,2,a'
bad 2 "row 2" import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,n,value' '0.5,2,1'
bad 2 "no column for the parameter kind" import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,n,kind' '0.5,2,a'
bad 2 'no column "value"' import study.json bad.csv --storage sqlite:///new.db
table bad.csv 'x,params_x,n,kind,value' '0.5,0.5,2,a,1'
bad 2 "a second time" import study.json bad.csv --storage sqlite:///new.db
: > bad.csv
bad 2 "bad.csv" import study.json bad.csv --storage sqlite:///new.db
bad 3 "absent.csv" import study.json absent.csv --storage sqlite:///new.db
table bad.csv 'x,n,kind,value' '0.5,2,a,1' '0.5,2,a,nan'
bad 2 "row 3" import square bad.csv --storage sqlite:///im.db
good "a refused import changed nothing" studies --storage sqlite:///im.db --format json
check "sixteen trials" says '"complete":16'

# ---- storage that is not ours

echo "this is not a database, only a text that is long enough to be taken for one" > text.db
cp text.db text.copy
bad 10 "not a tacit store" studies --storage sqlite:///text.db
bad 10 "not a tacit store" ask study.json --storage sqlite:///text.db
check "a foreign file is left untouched" cmp text.db text.copy
bad 2 "unknown scheme" studies --storage mysql://host/db

# ---- a finite domain

printf 'x1,x2\n0,0\n0,1\n1,0\n1,1\n' > grid.csv
document grid.json '{"name": "grid", "direction": "maximize", "trials": 3, "seed": 1, "points": "grid.csv"}'
good "points from a file" optimize grid.json --storage sqlite:///grid.db --format csv -- sh -c 'echo $1$2' sh '{x1}' '{x2}'
check "coordinates in the export" says "trial,state,value,params_point,params_x1,params_x2,"
good "ask for a point" ask grid --storage sqlite:///grid.db --format json
check "with its coordinates" grep -q '"params":{"point":[0-3],"x1":[01.]*,"x2":[01.]*}' out
good "tell by coordinates" tell grid 3 5 --param x1=1 --param x2=1 --storage sqlite:///grid.db
good "trials of a grid" trials grid --storage sqlite:///grid.db --format csv
check "the candidate was found" grep -q '^3,COMPLETE,5,3,1,1,' out
bad 2 "candidate" tell grid 2 5 --param x1=0.5 --storage sqlite:///grid.db

# ---- plot

document edge.json '{"name": "edge", "direction": "minimize", "space": {"x": {"type": "float", "low": 0, "high": 1}}}'
printf 'x,value\n0,1e308\n0.5,-1e308\n1,0\n' > edge.csv
good "values at the edge of doubles" import edge.json edge.csv --storage sqlite:///edge.db
good "are drawn" plot edge --storage sqlite:///edge.db
labels() {
    sed -n 's/.*<text[^>]*>\([-0-9.e+]*\)<.*/\1/p' out | tr '\n' ' '
}
check "with their ticks, trials as whole numbers" [ "$(labels)" = "-1e+308 -5e+307 0 5e+307 1e+308 0 1 2 " ]
check "and all three dots" [ "$(grep -c '<circle' out)" -ge 3 ]

# ---- the server's limits

bad 2 '--rate must be a whole number in [0, 1000000], got "-1"' serve --rate -1
bad 2 '--rate needs a value, and --carry is an option' serve --rate --carry .
bad 2 '--rate must be a whole number in [0, 1000000], got "many"' serve --rate many

# ---- the README's tutorial, word for word (but fewer runs of a simulation)

mkdir tutorial bin
ln -s "$tacit" bin/tacit
# block KIND: the first block of that kind in the tutorial
block() {
    awk -v open="\`\`\`$1" '/^## / { on = $0 == "## Five minutes" } !on || done { next }
        /^```/ && within { done = 1 } within && !done { print } $0 == open { within = 1 }' "$root/README.md"
}
block json > tutorial/study.json
block sh > tutorial/bake
awk '/^## / { on = $0 == "## Five minutes" } on && sub(/^\$ /, "")' "$root/README.md" \
    | sed 's/--runs 40/--runs 2/' > tutorial.txt
check "the tutorial has commands" [ "$(grep -c '^tacit' tutorial.txt)" -ge 10 ]
while read -r line; do
    if (cd tutorial && PATH=$dir/bin:$PATH && eval "$line") > out 2> err < /dev/null; then
        ok "typed: $line"
    else
        not_ok "typed: $line"
    fi
done < tutorial.txt
good "the trial told by hand" trials oven --storage sqlite:///tutorial/tacit.db --format csv
check "is there" grep -q '^25,COMPLETE,7.4,' out

finish
