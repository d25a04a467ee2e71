#!/bin/sh
# perturb_test.sh - tacit curate perturb from outside: one reply for one question on one set of terms, a cap
# that counts replies, and an epsilon that is never too small.
set -u

. "$(dirname "$0")/../support/curate.sh"

reply="curate perturb --bound 1 --epsilon 1 --storage sqlite:///user.db"

# ---- memory

good "a reply" $reply --value 0.3 --question 4
cp out first
check "nothing is said to be old" lacks "given before" err
good "the same question" $reply --value 0.9 --question 4
check "has the same reply" cmp -s out first
check "and that is said" grep -q "1 of 1 replies were given before" err
good "in JSON" $reply --value 0.9 --question 4 --format json
check "too" says '"again": 1'
for bound in 2 100 0.5; do
    bad 4 'question 4 to user "me" was answered on other terms: one-bit-reply, epsilon 1, other bounds' \
        $reply --value 0.3 --question 4 --bound $bound
done
bad 4 'was answered on other terms: one-bit-reply, epsilon 1' $reply --value 0.3 --question 4 --epsilon 2
bad 4 'was answered on other terms: one-bit-reply, epsilon 1' $reply --value 0.3 --question 4 --reply laplace
bad 2 "--question is needed" $reply --value 0.3

# ---- the cap counts replies

bad 9 'user "me" may give 1 answers in all, has given 1 (epsilon 1) and is asked for 1 more' $reply --value 0.3 --question 5
bad 9 'user "me" may give 1 answers in all, the cap of the first one, has given 1' $reply --value 0.3 --question 5 --answers 9
for question in 1 2 3 4 5 6 7 8 9; do
    run 0 $reply --value 0.3 --question $question --epsilon 0.1 --answers 9 --user cheap || break
done
check "nine cheap ones" [ $question -eq 9 ]
bad 9 'user "cheap" may give 2 answers in all, has given 9 (epsilon 0.9' $reply --value 0.3 --question 10 --answers 2 --user cheap
good "a dear one" $reply --value 0.3 --question 1 --epsilon 3 --answers 3 --user dear
good "is one of three" $reply --value 0.3 --question 2 --answers 3 --user dear
good "and another" $reply --value 0.3 --question 3 --answers 3 --user dear
bad 9 'may give 3 answers in all, has given 3 (epsilon 5)' $reply --value 0.3 --question 4 --answers 3 --user dear

# ---- several at once: all or nothing

bad 2 "--count 3 is more than the cap --answers 1" $reply --value 0.3 --question 0 --count 3
good "three, within the cap" $reply --value 0.3 --question 0 --count 3 --answers 5 --user anna
check "three lines" [ "$(wc -l < out)" -eq 3 ]
bad 9 'has given 3 (epsilon 3) and is asked for 3 more' $reply --value 0.3 --question 3 --count 3 --answers 5 --user anna
good "an old one" $reply --value 0.3 --question 0 --answers 5 --user anna --format json
check "says that nothing was spent by that" says '"epsilon": 3.0, .*"again": 1'
good "two old ones and two new ones" $reply --value 0.3 --question 1 --count 4 --answers 5 --user anna
check "are all there" [ "$(wc -l < out)" -eq 4 ]

# ---- what it cost

good "five" $reply --value 0.3 --question 0 --count 5 --answers 5 --user five --format json
check "cost five" says '"private": true, "epsilon": 5.0, "delta": 0.0, "epsilon_per_reply": 1.0'
check "with a statement" says '"statement": "user \\"five\\": epsilon 5, delta 0 (pure) over 5 releases. Neighbours: any two values'
check "of one kind of neighbours" lacks "and also" out
good "one of them again" $reply --value 0.3 --question 2 --answers 5 --user five --format json
check "the five stay spent" says '"epsilon": 5.0'

# ---- the reward

echo 0.25 > reward
check "from standard input" sh -c '"$0" "$@" --value - --question 0 --user piped < reward > out 2> err' "$tacit" $reply
check "a reply" [ "$(wc -l < out)" -eq 1 ]
check "of nothing" sh -c '! "$0" "$@" --value - --question 1 --user piped < /dev/null > out 2> err' "$tacit" $reply
check "is one sentence" grep -q -- '^tacit: --value is - and standard input has no line$' err
good "a failure is answered" $reply --value nan --question 0 --user failed
bad 2 "--value is needed" curate perturb --bound 1 --epsilon 1
bad 2 "--value must be a finite number or nan" $reply --question 0 --value x
bad 2 "--bound is needed" curate perturb --value 1 --epsilon 1
bad 2 "--epsilon is needed" curate perturb --value 1 --bound 1

# ---- test mode

# the mean of many is the value: four standard deviations
mean_of() { # REPLY SD
    run 0 curate perturb --value 0.3 --bound 1 --epsilon 1 --reply "$1" --count 20000 --seed 7 &&
        grep -q "NOT PRIVATE" err &&
        awk -v sd="$2" '{ s += $1 } END { d = s / NR - 0.3; exit !(NR == 20000 && d * d < 16 * sd * sd / NR) }' out
}
check "laplace" mean_of laplace 2.83
check "one bit" mean_of onebit 2.17
check "piecewise" mean_of piecewise 2.3
check "auto" mean_of auto 2.3
check "a seed writes no ledger" run 3 privacy status replies --delta 1e-9
good "in JSON" curate perturb --value 0.3 --bound 1 --epsilon 1 --seed 7 --format json
check "without an epsilon" says '"private": false, "epsilon": null, "delta": null, "epsilon_per_reply": null, "statement": "NOT PRIVATE'

finish
