#!/bin/sh
# agent_speaks_test: what `tacit agent` says, and what its user may ask of it: a line for each event, the best trial and where
# it is kept, a message that it withheld, a broken command, earlier results, several trials at once.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
cd "$dir"
unset TACIT_STORAGE TACIT_SERVER
cat > base.json <<'J'
{"name": "s", "direction": "maximize", "trials": 8, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1},
           "kind": {"type": "choice", "choices": ["a", "b"]}},
 "algorithm": {"name": "dp-fts-de", "features": 6, "initial": 3, "releases": "0,1,3"},
 "federation": {"agents": 2, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01}}
J
printf '#!/bin/sh\nawk "BEGIN {print sin(9 * $1)}"\n' > train
printf '#!/bin/sh\necho "no module" >&2\nexit 7\n' > broken
# Fails until the file is there; counts how many of it run at once.
cat > meets <<'J'
#!/bin/sh
: > "at.$TACIT_TRIAL"
i=0
while [ ! -e met ] && [ $i -lt 400 ]; do
    set -- "$1" at.*
    [ $# -gt 3 ] && : > met
    i=$((i + 1))
    sleep 0.05
done
[ -e met ] || exit 9
awk "BEGIN {print sin(9 * $1)}"
J
chmod +x train broken meets

part() { # FOLDER STUDY COMMAND OPTIONS...: in this process, with the usual storage of the folder
    folder=$1 study=$2 command=$3
    shift 3
    mkdir -p "$folder"
    got=0
    (cd "$folder" && timeout 120 "$tacit" agent "$url" --study "$study" --token-file "$dir/$study.join" \
        --fingerprint "$pin" "$@" -- "$dir/$command" '{x}' > out 2> err) || got=$?
    echo $got > "$folder/status"
}
ends() { # FOLDER STATUS
    [ "$(cat "$1/status")" = "$2" ] || { fail "$1 ends with $(cat "$1/status"), not with $2"; cat "$1/err"; }
}
says() { # FOLDER TEXT
    grep -qF -- "$2" "$1/err" || { fail "$1 does not say \"$2\":"; cat "$1/err"; }
}
silent() { # FOLDER TEXT
    if grep -qF -- "$2" "$1/err"; then fail "$1 says \"$2\""; fi
}
counts() { # FOLDER TIMES PATTERN
    [ "$(grep -c -- "$3" "$1/err")" = "$2" ] || { fail "$1: \"$3\" is not there $2 times"; cat "$1/err"; }
}
make_study() { # NAME [SED]: of base.json
    name=$1
    shift
    sed "s/\"name\": \"s\"/\"name\": \"$name\"/; ${1:-}" "$dir/base.json" > "$dir/$name.json"
    remote here create "$dir/$name.json" > /dev/null 2>&1
    remote here token "$name" --uses 9 --out "$dir/$name.join" > /dev/null
}

# As the helper does it, with real noise.
"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/here.db" --format json > here.serve 2>> here.log &
server=$!
servers="$servers $server"
await test -s here.serve || { cat here.log; exit 1; }
url=$(field url here.serve)
pin=$(field fingerprint here.serve)
field operator_token here.serve > here.op
make_study s

# ---- a line for each event; one of the two may not pay for more than one message
part good s train --epsilon 10 --delta 0.01 &
other=$!
part short s train --epsilon 2.6 --delta 0.01
wait $other
ends good 0
counts good 8 '^trial [0-7] ([1-8] of 8): -*[0-9.]*; best -*[0-9.]* (trial [0-7]: x=[0-9.e-]*, kind=[ab])$'
counts good 3 '^round [013]: message sent, epsilon 2.36151 at delta 0.01 by itself; epsilon [0-9.]* of 10 spent at delta 0.01$'
counts good 3 '^round [013]: the broadcast is absorbed$'
grep -q "^round 3: message sent.*; epsilon 5 of 10 spent at delta 0.01$" good/err || fail "all of the promise is spent"
silent good withheld
if grep -q "$(printf '\033')" good/err; then fail "no line is redrawn in a file"; fi
ends short 9
counts short 2 '^round [13]: message withheld: '
says short "round 1: message withheld: the privacy budget of this agent (epsilon 2.6, delta 0.01) does not allow"
says short "tacit: 2 of 3 messages of study s were withheld, and this agent searched without what the others found"

# ---- the end: the best trial with its parameters, and where it is kept
says good "the trials are kept in sqlite:///tacit-agent.db: tacit best s"
for folder in good short; do
    head -n 1 $folder/out | grep -q "^trial  state  *value  *x  kind$" || fail "the best trial has its parameters"
    (cd $folder && "$tacit" best s > best 2> found) || fail "best does not find the agent's storage"
    cmp $folder/out $folder/best || fail "best is what the agent has said"
    grep -qx "study s is that of the agent in sqlite:///tacit-agent.db" $folder/found || fail "which storage"
done
(cd good && "$tacit" trials s --format jsonl 2> /dev/null) | grep -c COMPLETE | grep -qx 8 || fail "trials"
(cd good && "$tacit" export s 2> /dev/null) | grep -c COMPLETE | grep -qx 8 || fail "export"
(cd good && "$tacit" plot s --out p.svg > /dev/null 2>&1 && [ -s p.svg ]) || fail "plot"
refused() { # STATUS WORDS COMMAND...
    want=$1 words=$2 got=0
    shift 2
    (cd good && "$@" > /dev/null 2> ../refusal) || got=$?
    [ $got = "$want" ] || fail "$*: ends with $got, not with $want"
    grep -qxF "tacit: $words" refusal || { fail "expected \"$words\":"; cat refusal; }
}
# What is named is where it is looked for, and a study of the usual storage comes first.
refused 3 "there is no file tacit.db" "$tacit" best s --storage sqlite:///tacit.db
refused 3 "there is no file other.db" env TACIT_STORAGE=sqlite:///other.db "$tacit" best s
refused 3 "there is no file tacit.db" "$tacit" best nothing
sed '/federation/d; s/"trials": 8/"trials": 1/; s/{"name": "dp-fts-de".*/{"name": "random"}}/' base.json > good/alone.json
(cd good && "$tacit" optimize alone.json --quiet -- "$dir/train" '{x}' > alone && "$tacit" best s > best) || fail "alone"
cmp good/alone good/best || fail "the usual storage comes first"

# ---- started once more it says the same at the end
part short s train --epsilon 2.6 --delta 0.01 --quiet
ends short 9
[ "$(wc -l < short/err)" = 1 ] || { fail "quiet"; cat short/err; }

# ---- a terminal gets one line that is redrawn
make_study tty 's/"agents": 2/"agents": 1/; s/"privacy": {.*}/"privacy": "none"}/'
mkdir tty
(cd tty && script -qec "'$tacit' agent '$url' --study tty --token-file '$dir/tty.join' --fingerprint '$pin' \
    --accept-not-private -- '$dir/train' {x}" seen > /dev/null 2>&1 < /dev/null) || fail "on a terminal"
grep -q "$(printf '\r')tty \[.*8/8  best [0-9.]*" tty/seen || { fail "no line is redrawn"; cat tty/seen; }
if grep -q '^trial 3 (4 of 8)' tty/seen; then fail "a terminal gets plain lines, too"; fi

# ---- a broken command
make_study b
part b b broken --epsilon 10 --delta 0.01
ends b 4
says b "trial 2 (3 of 8) failed: exit status 7"
says b "tacit: the first 3 trials of this run failed alike (exit status 7: no module): the command seems to be broken; mend \
the command and run it again, or go on anyway with --max-failures 0"
counts b 3 '^no module$'
part b b broken --epsilon 10 --delta 0.01 --max-failures 2
ends b 4
says b "tacit: 2 trials failed in a row, the last with: exit status 7"
make_study c 's/"agents": 2/"agents": 1/; s/"privacy": {.*}/"privacy": "none"}/'
part c c broken --max-failures 0 --accept-not-private
ends c 4
says c "tacit: no trial of c has succeeded"
counts c 8 '^no module$'

# ---- several trials at once: the program waits until two more are there; with one job it would give up
make_study j 's/"agents": 2/"agents": 1/; s/"privacy": {.*}/"privacy": "none"}/; s/"initial": 3/"initial": 4/'
part j j meets --jobs 3 --accept-not-private
ends j 0
(cd j && "$tacit" trials j --format csv 2> /dev/null) > j/trials
[ "$(grep -c COMPLETE j/trials)" = 8 ] || { fail "eight trials by three jobs"; cat j/trials j/err; }
[ "$(cut -d, -f4,5 j/trials | sort -u | wc -l)" = 9 ] || { fail "a point was tried twice"; cat j/trials; }

# ---- earlier results are the first trials, at no cost, once
printf 'x,kind,value\n0.1,a,0.25\n0.2,b,0.75\n0.3,b,-1\n' > old.csv
make_study i
part i i train --epsilon 10 --delta 0.01 --import "$dir/old.csv" &
other=$!
part k i train --epsilon 10 --delta 0.01
wait $other
ends i 0
says i "3 results of $dir/old.csv are the first trials"
counts i 5 '^trial [3-7] ('
grep -q "^round 3: message sent.*; epsilon 5 of 10 spent at delta 0.01$" i/err || fail "what was imported costs nothing"
(cd i && "$tacit" trials i --format csv 2> /dev/null) > i/trials
[ "$(sed -n 3p i/trials | cut -d, -f1-5)" = "1,COMPLETE,0.75,0.2,b" ] || { fail "what was imported"; cat i/trials; }
part i i train --epsilon 10 --delta 0.01 --import "$dir/old.csv"
ends i 0
says i "study i has trials here already: $dir/old.csv is not imported"
[ "$(cd i && "$tacit" trials i --format csv 2> /dev/null | wc -l)" = 9 ] || fail "they are imported once"

# ... and what cannot be imported leaves nothing behind, here and there.
enrolled_in() { remote here show "$1" | sed -n 's/.*"enrolled": *\([0-9]*\).*/\1/p'; }
make_study n
turned_down() { # STATUS WORDS STUDY OPTIONS...
    want=$1 words=$2 of=$3
    shift 3
    part n "$of" train "$@"
    ends n "$want"
    [ "$(cat n/err)" = "tacit: $words" ] || { fail "expected \"$words\":"; cat n/err; }
    [ ! -e n/tacit-agent.db ] || fail "something is left behind"
    [ "$(enrolled_in "$of")" = 0 ] || fail "a place was taken"
}
some="--epsilon 10 --delta 0.01"
# shellcheck disable=SC2086  # options are words
{
printf 'x,kind,value\n0.1,c,0.25\n' > bad.csv
turned_down 2 "$dir/bad.csv: row 2, column 2: kind is \"c\" but must be one of \"a\", \"b\"" n $some --import "$dir/bad.csv"
turned_down 3 "cannot read \"$dir/none.csv\": no such file or folder" n $some --import "$dir/none.csv"
{ echo x,kind,value; for k in 1 2 3 4 5 6 7 8; do echo "0.$k,a,$k"; done; } > full.csv
turned_down 2 "$dir/full.csv has 8 results, and study n plans 8 trials, which they count towards: give fewer of them" \
    n $some --import "$dir/full.csv"
make_study r 's/"privacy": {.*}/"privacy": {"unit": "record", "epsilon": 5, "delta": 1e-6, "range": [0, 1]}}/; s/"initial": 3, "releases": "0,1,3"/"initial": 6/'
turned_down 8 "study \"r\" protects validation records, and earlier results were made without its noise" \
    r --records 1000 --range 0:1 --import "$dir/old.csv"
turned_down 2 "--max-failures is not for studies that protect records: to stop would tell of failures, which noise hides" \
    r --records 1000 --range 0:1 --max-failures 3
}

# ---- points of the user's own, and failed ones once more
make_study q 's/"agents": 2/"agents": 1/; s/"privacy": {.*}/"privacy": "none"}/'
part q q broken --accept-not-private
ends q 4
(cd q && "$tacit" enqueue q --failed > out 2> err) || fail "failed points are queued"
[ "$(tail -n 1 q/out | xargs)" = 3 ] || { fail "three of them"; cat q/out; }
(cd q && "$tacit" enqueue q --param x=0.5 --param kind=b > out 2> err) || fail "a point is queued"
part q q train --accept-not-private
ends q 0
(cd q && "$tacit" trials q --format csv 2> /dev/null) > q/trials
[ "$(sed -n '5,7p' q/trials | cut -d, -f2,4,5)" = "$(sed -n '2,4p' q/trials | cut -d, -f2,4,5 | sed 's/FAIL/COMPLETE/')" ] ||
    { fail "the failed points"; cat q/trials; }
[ "$(sed -n 8p q/trials | cut -d, -f1,2,4,5)" = "6,COMPLETE,0.5,b" ] || { fail "the user's point"; cat q/trials; }

# ---- where a study protects records, failures do not end the work
mkdir -p r
part r r broken --records 1000 --range 0:1 &
agent=$!
noised() { (cd r && "$tacit" trials r --format csv 2> /dev/null) | grep -c COMPLETE | grep -qx '[4-8]'; }
await noised || { fail "records: the work was ended"; cat r/err; }
silent r "broken;"
kill $agent 2> /dev/null || true
kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "agent_speaks_test passed"
exit $failed
