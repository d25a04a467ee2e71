#!/bin/sh
# simulate_files_test.sh - the files that tacit simulate is given: two options that name one file are refused
# before anything is touched, whatever the names look like, and so is a file that cannot be written; a
# checkpoint is a regular file.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, mkfifo and timeout. Prints one "ok" or "not ok"
# line per check; the exit status is 0 only if all are ok.
set -u

. "$(dirname "$0")/../support/simulate.sh"

: > out
: > err
: > before
: > after
small="--algorithm fts --agents 3 --rounds 2 --runs 2 --seed 1 --set features=8 --set initial=2 --grid 20 --quiet"
pulls="--algorithm hct --objective garland --pulls 200 --runs 2 --seed 1 --quiet"

# Every file but those of the frame, and what is in it.
contents() {
    find . -type f ! -name out ! -name err ! -name before ! -name after -exec cksum {} + | sort
    find . ! -type f | sort
}

untouched() {
    contents > before
    "$@" && contents > after && cmp -s before after
}

# bad CODE TEXT WORD...: exits with CODE, says one sentence with TEXT, changes no file
bad() { check "refused ($1): $2" untouched refused "$@"; }

# same A B WORD...: A and B are said to be one file
same() {
    what="$1 and $2 are the same file; each needs its own"
    shift 2
    bad 2 "$what" "$@"
}

all_there() {
    for file; do
        [ -s "$file" ] || return 1
    done
}

# quick WORD...: as run, and ended if it hangs
quick() {
    timeout 20 "$tacit" simulate "$@" > out 2> err
}

# ---- new files

same "--checkpoint (k)" "--out (k)" $small --checkpoint k --out k
same "--checkpoint (k)" "--by-agent (k)" $small --checkpoint k --by-agent k
same "--out (f)" "--by-agent (f)" $small --out f --by-agent f
same "--out (./f)" "--by-agent (f)" $small --out ./f --by-agent f
same "--out ($PWD/f)" "--by-agent (.//f)" $small --out "$PWD/f" --by-agent .//f
same "--checkpoint with --versus (k.2)" "--out (k.2)" $small --checkpoint k --versus ts --out k.2
same "--checkpoint with --versus (k.3)" "--by-agent (k.3)" $small --checkpoint k --versus "ts; random" --by-agent k.3
same "--checkpoint (k.run-0)" "--out (k.run-0)" $pulls --checkpoint k --out k.run-0
same "--checkpoint (./k.run-9)" "--out (k.run-9)" $pulls --checkpoint ./k --out k.run-9
same "--checkpoint with --versus (k.2.run-1)" "--out (k.2.run-1)" $pulls --checkpoint k --versus hoo --out k.2.run-1
mkdir d
ln -s d e
ln -s d/late later
same "--out (d/f)" "--by-agent (e/f)" $small --out d/f --by-agent e/f
same "--checkpoint (later)" "--out (e/late)" $small --checkpoint later --out e/late

# ---- files that are there

good "two files" $small --checkpoint k --out f
check "are both written" all_there k f
same "--checkpoint (k)" "--out (k)" $small --checkpoint k --out k
ln -s k soft
ln k hard
same "--checkpoint (k)" "--out (soft)" $small --checkpoint k --out soft
same "--checkpoint (hard)" "--out (k)" $small --checkpoint hard --out k
ln -s k twice.2
same "--checkpoint (k)" "--by-agent (twice.2)" $small --checkpoint k --by-agent twice.2
ln -s twice.2 twice
same "--checkpoint (twice)" "--checkpoint with --versus (twice.2)" $small --checkpoint twice --versus ts
good "a checkpoint that was refused goes on" $small --checkpoint k --out g
check "to the same result" cmp f g

# ---- what is read

cat > study.json << 'END'
{"name": "s", "algorithm": {"name": "gp-ei"}, "trials": 3,
 "space": [{"name": "x", "type": "float", "low": 0, "high": 1}]}
END
printf 'agent,x,value\n0,0.5,1\n1,0.5,1\n2,0.5,1\n' > warm.csv
printf 'x,value\n0,1\n0.5,2\n1,0\n' > table.csv
same "--out (study.json)" "STUDY.json (./study.json)" ./study.json --out study.json
same "--checkpoint (study.json)" "STUDY.json (study.json)" study.json $small --checkpoint study.json
same "--by-agent (warm.csv)" "--warm (warm.csv)" $small --warm warm.csv --by-agent warm.csv
same "--out (table.csv)" "--objective (table.csv)" --objective table:table.csv --trials 3 --runs 2 --quiet --out table.csv
same "--out (b.csv)" "--bounds-file (b.csv)" --algorithm po-gp-ucb --epsilon 1 --bounds-file b.csv --out b.csv
same "--checkpoint (t.run-0)" "--objective (t.run-0)" $pulls --objective table:t.run-0 --checkpoint t
same "--out (warm.csv)" "--warm (/dev/fd/3)" $small --warm /dev/fd/3 --out warm.csv 3< warm.csv

# ---- what is allowed

good "names that only look alike" $small --checkpoint c --versus ts --out c.3 --by-agent d/c
check "are all written" all_there c c.2 c.3 d/c
good "FILE.2 without --versus" $small --checkpoint k --out k.2
good "FILE.run-1 without --pulls" $small --checkpoint k --out k.run-1
good "FILE.run-X of no run" $pulls --checkpoint p --out p.run-x
good "/dev/null twice" $small --out /dev/null --by-agent /dev/null
check "which stays a device" [ -c /dev/null ]
mkfifo given
printf 'agent,x1,value\n0,0.5,1\n1,0.5,1\n2,0.5,1\n' > given &
check "trials from a pipe" quick --algorithm ts --agents 3 --rounds 2 --runs 2 --objective garland --quiet --warm given
wait

# ---- results that cannot be written

# Long enough that nobody waits for it: refused before it starts.
endless="--algorithm ts --agents 50 --rounds 1000000 --runs 1000 --quiet"
for option in --out --by-agent; do
    bad 5 "$option: cannot write \"d\": Is a directory" $endless $option d
    bad 3 "$option f/x: there is no such folder" $endless $option f/x
done
bad 5 '--out: cannot write "d": Is a directory' --trials 10000000 --runs 1000 --out d
bad 5 '--out: cannot write "d": Is a directory' --algorithm hct --objective garland --pulls 10000000000 --out d
mkdir locked
echo old > locked/there
chmod a-w locked
ln -s locked/there to-locked
if [ ! -w locked ]; then # the superuser may write everywhere
    bad 5 'Permission denied' $endless --out locked/new
    bad 5 'Permission denied' $endless --out locked/there
    bad 5 'Permission denied' $endless --out to-locked
    bad 5 'Permission denied' $endless --checkpoint new --by-agent locked/new
fi
chmod u+w locked
ln -s ../g locked/away
chmod a-w locked
good "a link leads out of a folder that is locked" $small --out locked/away
chmod u+w locked
check "to the file behind it" cmp f g

# full TEXT WORD...: there was no room for a file, which the exit code says, and TEXT is printed all the same
full() {
    text=$1
    shift
    run 5 "$@" && [ "$(cat err)" = 'tacit: cannot write "/dev/full": No space left on device' ] && grep -q "$text" out
}
if [ -c /dev/full ]; then
    check "a full disk: the table is printed" full 'fts on gp-family' $small --out /dev/full --by-agent whole
    check "and the other file written" [ "$(wc -l < whole)" -eq 19 ]
    check "a full disk for the agents" full '^iteration  evaluations  simple regret' $small --out table.out --by-agent /dev/full
    check "the other file is written" cmp f table.out
    check "a full disk for one party" full 'gp-ei on branin' --trials 3 --runs 2 --quiet --out /dev/full
    check "and JSON on standard output" full '^{"label":' $small --format json --out /dev/full
fi

# ---- what is no regular file

# special FILE KIND WORD...: refused as one, and at once
special() {
    what="\"$1\" must be a regular file, got $2"
    shift 2
    quick "$@"
    [ $? -eq 2 ] && one_sentence && grep -qF -- "$what" err
}

for words in "$small" "$pulls"; do
    check "a pipe is no checkpoint" untouched special given 'a pipe' $words --checkpoint given
    check "a folder is none" untouched special d 'a folder' $words --checkpoint d
    check "a device is none" untouched special /dev/null 'a device' $words --checkpoint /dev/null
done
mkfifo s.run-1
check "nor is a pipe a snapshot" special s.run-1 'a pipe' $pulls --checkpoint s
check "and stays" [ -p s.run-1 ]

finish
