#!/bin/sh
# flips_postgres_test.sh - a stored byte of a study in PostgreSQL has changed, or a row is gone: each is refused
# with a sentence that says where; with the row back, the answer is the one from before. Then a repair.
# Needs TACIT_BIN. Skipped where PostgreSQL is not installed.
#
# Needs the network.
set -u

here=$(cd "$(dirname "$0")" && pwd)
[ -n "${TACIT_POSTGRES:-}" ] || exec sh "$here/../support/postgres" sh "$0" "$@"

tacit=$(command -v "${TACIT_BIN:-tacit}") || { echo "Bail out! no program ${TACIT_BIN:-tacit}"; exit 1; }
case $tacit in /*) ;; *) tacit=$PWD/$tacit ;; esac
dir=$(mktemp -d "${TMPDIR:-/tmp}/tacit-flips.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir" || exit 1
export TACIT_STORAGE="$TACIT_POSTGRES"

fail() {
    echo "not ok - $*"
    [ ! -s err ] || sed 's/^/# /' err
    exit 1
}

sql() { psql -qAt -v ON_ERROR_STOP=1 "$TACIT_POSTGRES" -c "$1" || fail "psql: $1"; }

cat > study.json <<'END'
{ "name": "flip", "direction": "minimize", "trials": 30, "seed": 7,
  "space": { "x": {"type": "float", "low": -5, "high": 10} }, "algorithm": { "name": "random" } }
END
"$tacit" optimize study.json --quiet --trials 20 -- sh -c 'echo value=$1' - '{x}' > out 2> err || fail "optimize"
"$tacit" trials flip --format csv > told || fail "trials"
n=$(sql "SELECT count(*) FROM tacit.events")
sql "CREATE SCHEMA kept; CREATE TABLE kept.events AS SELECT * FROM tacit.events;
     CREATE TABLE kept.journals AS SELECT * FROM tacit.journals; CREATE TABLE kept.studies AS SELECT * FROM tacit.studies"

put_back() {
    sql "DELETE FROM tacit.events; INSERT INTO tacit.events SELECT * FROM kept.events;
         UPDATE tacit.journals SET (head, sum, origin, plain) =
             (SELECT head, sum, origin, plain FROM kept.journals);
         UPDATE tacit.studies SET (name, document, public_seed, party_seed, created_ms) =
             (SELECT name, document, public_seed, party_seed, created_ms FROM kept.studies)"
}

refused() { # SENTENCE SQL
    [ -z "$2" ] || sql "$2"
    "$tacit" ask flip > out 2> err
    [ $? -eq 10 ] || fail "ask after $2"
    grep -q "$1" err || fail "ask after $2: another sentence"
    put_back
    "$tacit" trials flip --format csv > out 2> err || fail "put back after $2"
    cmp -s out told || fail "another answer after $2 was undone"
}

tried=0
for seq in 2 $((n / 2)) "$n"; do
    for change in "body = overlay(body placing chr(ascii(substr(body, length(body) / 2, 1)) # 1) from length(body) / 2)" \
        "trial = trial # 1" "time_ms = time_ms # 1024" "kind = kind # 4" \
        "sum = set_byte(sum, 5, get_byte(sum, 5) # 16)"; do
        # A changed trial may be one that is told already: then the index refuses, and there is nothing to see.
        psql -qAt "$TACIT_POSTGRES" -c "UPDATE tacit.events SET $change WHERE seq = $seq" > /dev/null 2>&1 || continue
        refused 'study "flip" is damaged: event [0-9]* ' ""
        tried=$((tried + 1))
    done
done
[ $tried -ge 10 ] || fail "only $tried changes were tried"
refused 'event 5 is missing' "DELETE FROM tacit.events WHERE seq = 5"
refused "event $n is missing" "DELETE FROM tacit.events WHERE seq = $n"
refused 'is not the one that the journal ended with' "UPDATE tacit.journals SET sum = set_byte(sum, 0, get_byte(sum, 0) # 1)"
refused "comes after the journal's end\|is not the one" "UPDATE tacit.journals SET head = head - 1"
refused 'document, points or seeds do not match' "UPDATE tacit.studies SET document = replace(document, '10', '11')"
refused 'document, points or seeds do not match' "UPDATE tacit.studies SET party_seed = set_byte(party_seed, 9, get_byte(party_seed, 9) # 1)"
echo "ok - $((tried + 6)) changes of stored bytes were refused, and the answer came back with the bytes"

# ---- repair

sql "UPDATE tacit.events SET body = replace(body, '\"value\":', '\"value\":1') WHERE seq = (SELECT max(seq) FROM tacit.events WHERE kind = 3 AND trial = 4)"
"$tacit" backup copy.db > out 2> err && fail "a backup has taken the damage"
grep -q 'study "flip": event [0-9]* (tell, trial 4) does not match its checksum' err || fail "backup: another sentence"
[ ! -e copy.db ] || fail "a backup was left behind"
"$tacit" studies --repair flip --keep kept.jsonl > out 2> err || fail "repair"
grep -q '^left out: event [0-9]* (tell, trial 4) does not match its checksum; it reads ' out || fail "$(cat out)"
"$tacit" trials flip --format csv > out 2> err || fail "the mended journal"
[ "$(grep -c COMPLETE out)" -eq 19 ] || fail "19 trials are left of 20"
grep COMPLETE out | grep -vxFf told && fail "a value has changed"
[ "$(grep -c . kept.jsonl)" -eq "$n" ] || fail "the damaged journal was not kept"
"$tacit" backup copy.db > out 2> err || fail "a backup of the mended store"

# An ask was lost, as after a crash of the server, and its trial was told.
put_back
sql "DELETE FROM tacit.events WHERE kind = 2 AND trial = 6"
"$tacit" studies --repair flip > out 2> err || fail "repair of a lost ask"
grep -q '^left out: event [0-9]* (tell, trial 6) does not fit what is left before it; it reads {"state":"COMPLETE","value":' out ||
    fail "$(cat out)"
grep -q '^put in: trial 6, whose ask is lost, as one that failed$' out || fail "$(cat out)"
"$tacit" trials flip --format csv > out 2> err || fail "the mended journal"
[ "$(grep -c COMPLETE out)" -eq 19 ] || fail "19 trials are left of 20"
echo "ok - a mended journal has every value whose point is known"
