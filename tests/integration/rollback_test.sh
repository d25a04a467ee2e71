#!/bin/sh
# rollback_test.sh - a server that attacks the users of a locally private study: it puts back old copies of its
# storage, makes the study anew, or asks under another name. A question has one reply, ever; every other reply
# is charged, within the user's cap. And users who are careless: many folders, many processes at once, ledgers of
# an earlier version.
set -u

. "$(dirname "$0")/../support/curate.sh"

cat > study.json << 'END'
{ "name": "doses", "direction": "maximize", "trials": 8,
  "space": { "x": { "type": "float", "low": 0, "high": 1 } },
  "algorithm": { "name": "ldp-tgp", "epsilon": 1, "reply": "laplace", "bound": 1, "noise_bound": 1, "answers": 2 } }
END
mkdir server d1 d2 d3
storage=sqlite:///$dir/server/studies.db

copy() { # FROM TO: a storage with what lies beside it
    rm -f "$2" "$2-wal" "$2-shm"
    for end in "" -wal -shm; do [ ! -e "$1$end" ] || cp "$1$end" "$2$end"; done
}
keep() { copy server/studies.db "$1"; }
restore() { copy "$1" server/studies.db; }
value() { # STUDY TRIAL: what the server was told
    "$tacit" trials "$1" --storage "$storage" --format csv |
        awk -F, -v t="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $1 == t { print $at["value"] }'
}
spent() { # USER: replies that are charged to the user's own ledger, each of epsilon 1
    "$tacit" privacy status replies --delta 1e-9 --export ledger.json > /dev/null 2>&1
    sed 's/{"seq"/\n&/g; s/"composed".*//' ledger.json | grep "\"subject\":\"$1\"" | grep -c '"mechanism":"[a-z-]*-reply"'
}
different() { sort -u "$1" | wc -l; } # lines of a file

# ---- the server puts back its storage, and asks the same question again

good "the server makes a study" ask study.json --storage "$storage"
keep asked
tell_six() { # USER WORD...: told, put back, told again, from several folders
    user=$1
    shift
    : > told
    for folder in d1 d2 d3 d1 d2 d3; do
        restore asked
        (cd $folder && run 0 tell doses 0 0.5 --user "$user" --storage "$storage" "$@") || return 1
        value doses 0 >> told
    done
}
check "ann tells trial 0 six times, after as many rollbacks" tell_six ann
check "with one reply" [ "$(different told)" -eq 1 ]
check "that is charged once" [ "$(spent ann)" -eq 1 ]
check "the server's storage has no ledger of hers" lacks '"*ann"*' server/studies.db
check "and no folder has one" test ! -e d1/tacit.db -a ! -e d2/tacit.db -a ! -e d3/tacit.db
TACIT_STORAGE=$storage
export TACIT_STORAGE
check "the same where TACIT_STORAGE is the server's" tell_six eve
check "with one reply" [ "$(different told)" -eq 1 ]
check "charged once" [ "$(spent eve)" -eq 1 ]
unset TACIT_STORAGE

sed 's/"answers": 2/"answers": 3/' study.json > more.json
optimize_six() {
    : > told
    for folder in d1 d2 d3 d1 d2 d3; do
        rm -f server/studies.db*
        (cd $folder && run 0 optimize ../more.json --trials 2 --user bob --storage "$storage" --quiet -- echo 0.5) || return 1
        value doses 0 >> told
        value doses 1 >> told
    done
}
check "bob's program runs in six studies that begin anew" optimize_six
check "two questions have two replies" [ "$(different told)" -eq 2 ]
check "that are charged" [ "$(spent bob)" -eq 2 ]

# ---- the study is another one of the same name, or the same under another name

bob=$(value doses 0)
sed 's/"high": 1 /"high": 9 /' study.json > wider.json
rm -f server/studies.db*
good "another study of that name" ask wider.json --storage "$storage"
good "has no fresh reply" tell doses 0 -0.5 --user bob --storage "$storage"
check "for free" [ "$(value doses 0)" = "$bob" ]
sed 's/"bound": 1/"bound": 2/' study.json > bounds.json
rm -f server/studies.db*
good "other terms under that name" ask bounds.json --storage "$storage"
bad 4 'question 0 to user "bob" was answered on other terms' tell doses 0 0.5 --user bob --storage "$storage"
for name in second third; do
    sed "s/doses/$name/" study.json > $name.json
    good "another name" ask $name.json --storage "$storage"
done
bad 9 'user "bob" may give 2 answers in all, has given 2' \
    tell second 0 0.5 --user bob --storage "$storage"
good "ann has one left" tell second 0 0.5 --user ann --storage "$storage"
check "which is charged" [ "$(spent ann)" -eq 2 ]
bad 9 'user "ann" may give 2 answers in all, has given 2' tell third 0 0.5 --user ann --storage "$storage"

# ---- one ledger for every folder and every verb

reply="curate perturb --bound 2 --epsilon 1 --reply laplace --value 0.5"
three() {
    : > told
    for folder in d1 d2 d3; do
        (cd $folder && run 0 $reply --study doses --question 5 --user cy && cat out >> ../told) || return 1
    done
}
check "a question in three folders" three
check "has one reply" [ "$(different told)" -eq 1 ]
check "charged once" [ "$(spent cy)" -eq 1 ]
good "and what bob told by another verb" $reply --study doses --question 0 --user bob --answers 3
check "is told here" [ "$(cat out)" = "$bob" ]

# ---- a storage by hand is warned of once

good "a ledger elsewhere" $reply --question 0 --user dan --storage sqlite:///dan.db
check "is warned of" grep -q "warning: the ledger of replies is in a storage that was given by hand" err
good "once" $reply --question 0 --user dan --storage "sqlite:///$dir/dan.db"
check "only" lacks "warning" err
rm -f server/studies.db*
good "a trial" ask study.json --storage "$storage"
good "for another verb" tell doses 0 0.5 --user dan --storage "$storage" --ledger-storage sqlite:///dan2.db
check "it is" grep -q "warning: the ledger of replies" err
good "one's own, by name" $reply --question 0 --user dan --storage "sqlite:///$XDG_STATE_HOME/tacit/replies.db"
check "is no reason to warn" lacks "warning" err

# ---- ledgers of an earlier version lie in the study's storage, in TACIT_STORAGE or in the folder

earlier() { # STORAGE USER STUDY QUESTION: as an earlier version would have charged it
    run 0 $reply --storage "$1" --user "$2" --study "$3" --question "$4" --answers 2 --quiet
}
rm -f server/studies.db*
good "a trial" ask study.json --storage "$storage"
check "fay's reply is charged to the server's storage" earlier "$storage" fay doses 0
was=$(cat out)
keep before
good "told with the own ledger" tell doses 0 0.5 --user fay --storage "$storage"
check "she hears of it" grep -q '1 reply that user "fay" has given through a ledger of an earlier version now counts' err
check "it is the reply that she gave" [ "$(value doses 0)" = "$was" ]
check "and is counted" [ "$(spent fay)" -eq 1 ]
restore before
good "once more" tell doses 0 0.5 --user fay --storage "$storage"
check "without a word" lacks "earlier version" err
check "and no charge" [ "$(spent fay)" -eq 1 ]

# the server now adds replies that fay never gave, to use up her cap
check "a planted reply" earlier "$storage" fay doses 5
check "and one in the folder that she works in" earlier sqlite:///tacit.db fay doses 6
good "a second trial" ask doses --storage "$storage"
good "is told" tell doses 1 0.5 --user fay --storage "$storage"
check "without a word" lacks "earlier version" err
check "and is all that is counted" [ "$(spent fay)" -eq 2 ]
sed "s/doses/planted/" study.json > planted.json
good "under another name" ask planted.json --storage "$storage"
bad 9 'user "fay" may give 2 answers in all, has given 2' tell planted 0 0.5 --user fay --storage "$storage"
rm -f tacit.db*
check "a reply in a folder" earlier sqlite:///tacit.db hal doses 7
was=$(cat out)
good "is found there" $reply --study doses --question 7 --user hal --answers 2
check "and stays as it is" [ "$(cat out)" = "$was" ]
check "and is counted" [ "$(spent hal)" -eq 1 ]
rm -f tacit.db*
check "a ledger in TACIT_STORAGE" earlier sqlite:///variable.db gus doses 0
was=$(cat out)
TACIT_STORAGE=sqlite:///variable.db
export TACIT_STORAGE
good "is found" $reply --study doses --question 0 --user gus
check "too" [ "$(cat out)" = "$was" ]
unset TACIT_STORAGE
echo "no storage" > d3/tacit.db
cd d3 || exit 1
good "gus has no older ledger to look for" $reply --study doses --question 0 --user gus
bad 10 'what user "ida" has replied before cannot be read' $reply --study doses --question 0 --user ida
cd ..

# ---- sixteen at once

rounds=${TACIT_DEEP:+20}
parallel() { # ROUND: one question, sixteen processes, a cap of one
    rm -f reply.*
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        ("$tacit" $reply --study doses --question "$1" --user "many$1" --quiet > "reply.$i" 2> "error.$i" ||
            echo "exit $? $(cat "error.$i")" >> "reply.$i") &
    done
    wait
    cat reply.* > told
    [ "$(wc -l < told)" -eq 16 ] && [ "$(different told)" -eq 1 ] && ! grep exit told
}
round=0
while [ $round -lt ${rounds:-5} ]; do
    rm -rf "$XDG_STATE_HOME" tacit.db*
    if ! parallel $round; then
        sed 's/^/# /' told
        not_ok "sixteen at once, round $round"
    fi
    round=$((round + 1))
done
check "sixteen processes have one reply" [ "$(different told)" -eq 1 ]
check "which is charged once" [ "$(spent many$((round - 1)))" -eq 1 ]

finish
