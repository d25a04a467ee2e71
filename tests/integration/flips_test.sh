#!/bin/sh
# flips_test.sh - one byte of a store has changed: every flip is harmless or refused with a sentence,
# and no answer is another than before.
#
# A study is run and its process is killed, so that a log stays. Then 40 bytes are changed, each in a copy of its
# own: 20 in the log, 10 in the file beside it, 10 in a file that was closed. Also: the log is removed; a
# repair gives back what was told. FLIPS=n tries n times as many bytes, TACIT_DEEP=1 five times. Needs TACIT_BIN and grep -abo.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/await.sh"

tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
times=${FLIPS:-${TACIT_DEEP:+5}}
times=${times:-1}
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-flips.XXXXXX") || exit 1
server=
trap 'kill -9 $server 2> /dev/null; touch "$dir/over"; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
unset TACIT_STORAGE

fail() {
    echo "not ok - $*"
    [ ! -s work/err ] || sed 's/^/# /' work/err
    exit 1
}

cat > study.json <<'END'
{ "name": "flip", "direction": "minimize", "trials": 60, "seed": 7,
  "space": { "x": {"type": "float", "low": -5, "high": 10},
             "kind": {"type": "choice", "choices": ["plain", "shifted"]} },
  "algorithm": { "name": "random" } }
END
cat > objective.sh <<'END'
#!/bin/sh
# Its first argument; the 41st trial waits for the end of the test.
[ "$2" -lt 40 ] || { touch waits; until [ -e over ]; do sleep 0.1; done; exit 1; }
echo "value=$1"
END
chmod +x objective.sh

# ---- a store whose process was killed, and the same closed

"$tacit" optimize study.json --quiet -- ./objective.sh '{x}' '{trial}' > out 2>&1 &
pid=$!
await test -e waits || { cat out; fail "the 41st trial did not begin"; }
kill -9 "$pid"
wait "$pid" 2> /dev/null
[ -s tacit.db-wal ] || fail "there is no log"
mkdir killed closed
cp tacit.db tacit.db-wal tacit.db-mark killed || fail "the store has no mark"
cp killed/* closed
(cd closed && "$tacit" studies > /dev/null) || fail "the killed store does not open"
[ "$(ls closed)" = tacit.db ] || fail "a closed store has files beside it: $(ls closed)"

# ask: what a reader and the next worker are told, in `work`; 0: as before, 10: refused
ask() {
    cd work || return 1
    refused=0
    for words in "trials flip --format csv" "best flip --format csv" "ask flip --worker w --format json"; do
        # shellcheck disable=SC2086
        "$tacit" $words > "got-${words%% *}" 2> err
        code=$?
        case $code in
        0) [ ! -e "../told-${words%% *}" ] || cmp -s "got-${words%% *}" "../told-${words%% *}" ||
            { echo "# another answer: $words"; cd ..; return 1; } ;;
        10) grep -q '^tacit: .' err || { echo "# no sentence: $words"; cd ..; return 1; }
           refused=10 ;;
        *) echo "# exit $code: $words"; cd ..; return 1 ;;
        esac
    done
    cd ..
    return $refused
}

copy() { rm -rf work && cp -r "$1" work; }

copy killed
ask || fail "the killed store"
for what in trials best ask; do mv "work/got-$what" "told-$what"; done
[ "$(grep -c COMPLETE told-trials)" -eq 40 ] || fail "not 40 trials were told"
copy closed
ask || fail "the closed store answers otherwise"
echo "ok - a killed store and a closed one answer alike"

# ---- flips

flip() { # FILE POSITION
    old=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $(((old + 129) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

flips() { # FOLDER FILE N LEAST: N bytes, spread; of these at least LEAST are noticed
    size=$(wc -c < "$1/$2")
    i=0 noticed=0
    while [ $i -lt $(($3 * times)) ]; do
        at=$((size * i / ($3 * times) + i * 7919 % 97))
        [ $at -lt "$size" ] || at=$((size - 1))
        copy "$1"
        flip "work/$2" $at
        ask
        case $? in
        0) ;;
        10) noticed=$((noticed + 1)) ;;
        *) fail "byte $at of $1/$2" ;;
        esac
        i=$((i + 1))
    done
    [ $noticed -ge "$4" ] || fail "only $noticed of $i flips in $1/$2 were noticed"
    echo "ok - $i flips in $2 of the $1 store: $noticed refused, the others harmless"
}

flips killed tacit.db-wal 20 20
flips killed tacit.db 10 1
flips closed tacit.db 10 1

# ---- a log that is gone

copy killed
rm work/tacit.db-wal
ask
[ $? -eq 10 ] || fail "a removed log was not noticed"
grep -q 'has lost what was written last' work/err || fail "a removed log: another sentence"
copy killed
rm work/tacit.db
(cd work && "$tacit" ask ../study.json > out 2> err)
[ $? -eq 10 ] || fail "a log without its file was not noticed"
grep -q 'tacit.db is gone or empty, and its log tacit.db-wal is there' work/err || fail "another sentence"
echo "ok - a removed log, and a log without its file, are refused"

# ---- a coordinator does not become another one

serve() { # starts it in `coordinator`; sets server
    rm -f coordinator/serve.json
    (cd coordinator && exec "$tacit" serve --listen 127.0.0.1:0 --format json > serve.json 2> err) &
    server=$!
    await test -s coordinator/serve.json || fail "the coordinator did not start: $(cat coordinator/err)"
}
stop() {
    kill -9 "$server"
    wait "$server" 2> /dev/null
}
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' coordinator/serve.json; }
mkdir coordinator
serve
stop
cp coordinator/serve.json first.json
grep -q '"operator_token"' first.json || fail "a new coordinator has no operator token"
[ -s coordinator/tacit.db-wal ] || fail "the coordinator left no log"
# What it is lies in the file itself: without all that is beside it, it is still the same.
rm -f coordinator/tacit.db-*
serve
stop
grep -q '"operator_token"' coordinator/serve.json && fail "without its log it is a new coordinator"
[ "$(grep -o '"fingerprint": *"[^"]*"' coordinator/serve.json)" = "$(grep -o '"fingerprint": *"[^"]*"' first.json)" ] ||
    fail "without its log it has another fingerprint"
echo "ok - a coordinator that lost its log is the same one"

# ---- a coordinator says that its own storage is damaged, and does not blame who asks

rm -rf coordinator && cp -r closed coordinator
serve
field operator_token > token
stop
(cd coordinator && "$tacit" studies > /dev/null) || fail "the coordinator's store"
cp -r coordinator whole
at=$(grep -abo '"value":[0-9-]*\.[0-9]*' coordinator/tacit.db | head -n 1 | cut -d: -f1)
flip coordinator/tacit.db $((at + 12))
serve
"$tacit" best flip --server "$(field url)" --fingerprint "$(field fingerprint)" --token-file token > out 2>&1 &&
    fail "a damaged journal was served"
grep -q ': 500 study "flip" is damaged: event' coordinator/err || fail "a damaged journal: $(cat out coordinator/err)"
stop
rm -rf coordinator && mv whole coordinator
at=$(grep -abo '"direction":' coordinator/tacit.db | head -n 1 | cut -d: -f1)
flip coordinator/tacit.db $((at + 3))
(cd coordinator && "$tacit" serve --listen 127.0.0.1:0 > out 2> err)
[ $? -eq 10 ] || fail "a damaged document was served: $(cat coordinator/err)"
grep -q 'study "flip" is damaged: its document' coordinator/err || fail "a damaged document: $(cat coordinator/err)"
echo "ok - damage is the coordinator's failure: 500, or it does not start"

# ---- repair

copy killed
flip work/tacit.db-wal $(($(wc -c < killed/tacit.db-wal) / 2))
(cd work && "$tacit" studies --repair flip > said 2> err) || fail "the log was not mended"
grep -q '^kept: the damaged store as it was, tacit.db-damaged-1$' work/said || fail "$(cat work/said)"
cmp -s work/tacit.db-damaged-1 killed/tacit.db || fail "the damaged store was not kept"
rm -f work/got-*
ask || fail "the mended log answers otherwise"
echo "ok - a log with a damaged page is mended: nothing was lost"

copy closed
at=$(grep -abo '"value":[0-9-]*\.[0-9]*' work/tacit.db | head -n 1 | cut -d: -f1)
flip work/tacit.db $((at + 12))
ask
[ $? -eq 10 ] || fail "a changed value was not noticed"
grep -q 'study "flip" is damaged: event [0-9]* (tell, trial [0-9]*) does not match its checksum; `tacit studies --repair flip`' \
    work/err || fail "a changed value: another sentence"
(cd work && "$tacit" studies --repair flip > said 2> err) || fail "the journal was not mended"
grep -q '^left out: event [0-9]* (tell, trial [0-9]*) does not match its checksum; it reads ' work/said ||
    fail "$(cat work/said)"
grep -q '^study flip is mended: [0-9]* events kept, 1 lost$' work/said || fail "$(cat work/said)"
[ "$(grep -c '"whole":false' work/flip-damaged.jsonl)" -eq 1 ] || fail "the journal was not kept"
(cd work && "$tacit" trials flip --format csv > got 2> err) || fail "the mended journal"
[ "$(grep -c COMPLETE work/got)" -eq 39 ] || fail "39 trials are left of 40"
grep COMPLETE work/got | grep -vxFf told-trials && fail "a value has changed"
(cd work && "$tacit" studies --repair flip > said 2> err) || fail "a second repair"
grep -qx 'study flip is whole: there is nothing to repair' work/said || fail "$(cat work/said)"
echo "ok - a changed value is left out and said, all others are kept"

(cd work && "$tacit" studies --keep x 2> err) && fail "--keep by itself"
grep -q -- '--keep goes with --repair STUDY' work/err || fail "--keep by itself: another sentence"
(cd work && "$tacit" studies --repair flip --server https://localhost:1 2> err) && fail "--repair of a server"
grep -q -- '--repair mends a storage' work/err || fail "--repair of a server: another sentence"
(cd work && "$tacit" studies --repair nobody 2> err)
[ $? -eq 3 ] || fail "--repair of no study"
echo "ok - wrong uses are refused"
