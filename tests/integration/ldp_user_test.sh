#!/bin/sh
# ldp_user_test.sh - a real locally private study: optimize and tell with --user write replies, never rewards,
# and charge the user's ledger; without a user nothing is written at all.
set -u

. "$(dirname "$0")/../support/curate.sh"

cat > study.json << 'END'
{ "name": "doses", "direction": "maximize", "trials": 8,
  "space": { "x": { "type": "float", "low": 0, "high": 1 } },
  "algorithm": { "name": "ldp-tgp", "epsilon": 1, "reply": "onebit", "bound": 1, "noise_bound": 1, "answers": 3 } }
END
sed 's/doses/plain/; s/"algorithm".*/"algorithm": { "name": "gp-ei" } }/' study.json > plain.json

# Replies of one bit at epsilon 1 and bound 2 are one of two numbers.
replies() { # N: so many trials, all with replies
    run 0 trials doses --format csv &&
        awk -F, -v n="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { seen++; y = $at["value"]; if (y < 0) y = -y; if ($at["state"] != "COMPLETE" || y < 4.3279 || y > 4.328) bad = 1 }
            END { exit bad || seen != n }' out
}
# Asks an old question once more, which costs nothing.
spent() { # USER EPSILON STUDY TRIAL [WORD...]
    user=$1 epsilon=$2 study=$3 trial=$4
    shift 4
    run 0 curate perturb --value 0 --study "$study" --question "$trial" --user "$user" --bound 2 --epsilon 1 --reply onebit \
        --format json "$@" && grep -q "\"epsilon\": $epsilon.0, .*\"again\": 1" out
}

# ---- optimize

bad 2 'ldp-tgp is told private replies, never rewards: say with --user NAME who answers' \
    optimize study.json -- sh -c 'echo 0.5'
check "and makes no storage" [ ! -e tacit.db ]
good "a user" optimize study.json --user ann -- sh -c 'echo 0.5'
check "is told when all answers are given" grep -q 'user "ann" may give 3 answers in all, has given 3 (epsilon 3)' err
check "three, which are replies" replies 3
check "three are charged" spent ann 3 doses 0
bad 9 'user "ann" may give 3 answers in all' optimize doses --user ann --quiet -- sh -c 'echo 0.5'
check "which takes no trial" replies 3
good "another, whose program fails" optimize doses --user bob --max-failures 1 --trials 5 --jobs 2 -- sh -c 'exit 3'
check "is told so" grep -q 'trial 3 failed (exit status 3); it is answered as the middle of the bounds' err
check "and answers as well" replies 5
check "it costs as much" spent bob 2 doses 3
bad 2 '--user is for algorithms that are told private replies, and gp-ei is told values as they are' \
    optimize plain.json --user ann -- sh -c 'echo 0.5'
bad 2 '--ledger-storage is for --user' optimize plain.json --ledger-storage sqlite:///x.db -- sh -c 'echo 0.5'
bad 2 'storage "memory:" does not last' optimize study.json --user ann --ledger-storage memory: -- sh -c 'echo 0.5'

# ---- ask and tell

good "a trial" ask doses
bad 2 'ldp-tgp is told private replies, never rewards' tell doses 5 0.5
bad 2 'ldp-tgp is told private replies, never rewards' tell doses 5 --fail broken
bad 2 '0.5 is no reply of study doses (one-bit-reply, epsilon 1, bound 2)' tell doses 5 0.5 --reply
bad 2 'also where the evaluation failed: perturb the value nan' tell doses 5 --fail broken --reply
bad 2 'give either --user or --reply' tell doses 5 0.5 --reply --user cy
bad 2 'never --values or --batch' tell doses 5 --values - --user cy
check "nothing is told by that" sh -c '"$0" trials doses --state running | grep -q "^ *5 "' "$tacit"
good "a reward is perturbed" tell doses 5 0.5 --user cy --ledger-storage sqlite:///cy.db
check "to a reply" replies 6
check "in a ledger of the user's own" spent cy 1 doses 5 --storage sqlite:///cy.db
bad 4 'trial 5 was told already' tell doses 5 0.5 --user dan
check "and nothing is spent by a trial that was told" lacks '"dan"' tacit.db
good "another trial" ask doses
good "a failure" tell doses 6 --fail broken --user cy --ledger-storage sqlite:///cy.db
check "is a reply" replies 7
good "a third" ask doses
check "perturbed by hand" sh -c 'echo 0.5 | "$0" curate perturb --value - --study doses --question 7 --user eve --bound 2 \
    --epsilon 1 --reply onebit --storage sqlite:///eve.db > reply' "$tacit"
good "and told" tell doses 7 "$(cat reply)" --reply
check "is what is written" replies 8
check "in these bits" says ",$(cat reply),"
good "a value elsewhere" optimize plain.json --trials 1 --quiet -- sh -c 'echo 0.5'
good "is told as before" ask plain
good "and so by hand" tell plain 1 0.25
bad 2 '--reply is for algorithms that are told private replies, and gp-ei' tell plain 1 0.25 --reply
bad 2 '--user is for algorithms that are told private replies, and gp-ei' tell plain 1 0.25 --user ann

# ---- import

sed 's/doses/earlier/' study.json > earlier.json
printf 'x,value\n0.5,%s\n0.25,0.5\n' "$(cat reply)" > rewards.csv
bad 2 '0.5 is no reply of study earlier' import earlier.json rewards.csv
sed '$d' rewards.csv > replies.csv
good "replies" import earlier.json replies.csv
check "are taken for what they are" grep -q 'the values are taken for replies, not for rewards' err

# ---- a crash between the ledger and the study: the same trial has the same reply

sed 's/doses/once/; s/"answers": 3/"answers": 1/' study.json > once.json
run 137 optimize once.json --user fay --quiet -- sh -c 'kill -9 $PPID; sleep 9'
good "a trial is left" trials once --state running
good "whose reply is in the ledger" curate perturb --value 0.5 --study once --question 0 --user fay --bound 2 --epsilon 1 --reply onebit
cp out reply
good "the same command" optimize once.json --user fay -- sh -c 'touch ran; echo -0.5'
check "tells it" grep -q 'told the reply about trial 0 that an earlier run had made' err
check "and runs nothing" [ ! -e ran ]
good "it has told" trials once --format csv
check "that reply" says "^0,COMPLETE,$(cat reply),"
check "once" spent fay 1 once 0

# ---- nobody learns on which machine, and in which process, a user's trials run

boot=$(cat /proc/sys/kernel/random/boot_id)
sed 's/doses/where/; s/"answers": 3/"answers": 4/' study.json > where.json
seen() { cat where.db where.db-wal 2> /dev/null | grep -qaF "$1"; }
good "three jobs" optimize where.json --user gil --trials 3 --jobs 3 --quiet --storage sqlite:///where.db -- sh -c 'echo 0.5'
run 137 optimize where --user gil --quiet --storage sqlite:///where.db -- sh -c 'kill -9 $PPID; sleep 9'
check "no boot" sh -c '! grep -qaF "$0" where.db*' "$boot"
check "no host" sh -c '! grep -qaF "$0:" where.db*' "$(uname -n)"
check "no process" sh -c '! grep -qaE ":[0-9]+:[0-9]+/[0-9]+" where.db*'
sed 's/doses/there/; s/"algorithm".*/"algorithm": { "name": "gp-ei" } }/' study.json > there.json
good "where values are told" optimize there.json --trials 1 --quiet --storage sqlite:///where.db -- sh -c 'echo 0.5'
check "it is said, and the search finds it" seen "$boot"

# A trial of a user who was killed comes back to him, and to others when its lease is over.
good "who was killed has left a trial" trials where --state running --storage sqlite:///where.db --format csv
check "of his" says '^3,RUNNING'
good "he gets it back" optimize where --user gil --storage sqlite:///where.db --trials 4 -- sh -c 'echo $TACIT_TRIAL >> again; echo 0.5'
check "and no other" [ "$(cat again)" = 3 ]
sed 's/doses/lease/; s/"trials": 8/"trials": 1/' study.json > lease.json
run 137 optimize lease.json --user hal --quiet --lease-s 3600 --storage sqlite:///lease.db -- sh -c 'kill -9 $PPID; sleep 9'
run 4 optimize lease --user ida --quiet --storage sqlite:///lease.db -- sh -c 'echo $TACIT_TRIAL >> taken; echo 0.5'
check "while the lease lasts nobody else runs it" [ ! -e taken ]
sed 's/doses/short/; s/"trials": 8/"trials": 1/' study.json > short.json
run 137 optimize short.json --user hal --quiet --lease-s 1 --storage sqlite:///lease.db -- sh -c 'kill -9 $PPID; sleep 9'
takes() {
    "$tacit" optimize short --user ida --quiet --storage sqlite:///lease.db -- \
        sh -c 'echo $TACIT_TRIAL >> taken; echo 0.5' > out 2> err
}
check "then somebody else does" await takes
check "once" [ "$(cat taken)" = 0 ]

# While a program runs, signs of life extend its lease: the storage grows, and nothing else writes to it.
sed 's/doses/long/; s/"trials": 8/"trials": 1/' study.json > long.json
written() { cat long.db long.db-wal 2> /dev/null | cksum; }
moved() { [ "$(written)" != "$1" ]; }
touch hold
"$tacit" optimize long.json --user jon --quiet --lease-s 3 --storage sqlite:///long.db -- \
    sh -c 'touch started; while [ -e hold ]; do sleep 0.1; done; echo 0.5' > long.out 2> long.err &
client=$!
check "a long program" await test -e started
check "has more time" await moved "$(written)"
rm hold
check "and ends" wait $client

finish
