#!/bin/sh
# fixtures_test.sh - what released versions wrote is read, and goes on as they would have gone on.
#
# Each folder of tests/fixtures is of one version (README.md there). FIXTURES_STORE=postgresql: studies of one party
# are read from the dump of PostgreSQL, on the server TACIT_POSTGRES, and nothing else is done.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT
export OPENBLAS_NUM_THREADS=1
server=
url=
agents=
# shellcheck disable=SC2086  # lists of numbers
trap 'kill -9 $server $agents 2> /dev/null; rm -rf "$dir"' EXIT

field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }
unpack() { # NAME [AS]
    rm -f "${2:-$1}"*
    gzip -dc "$from/$1.gz" > "${2:-$1}" && chmod 600 "${2:-$1}"
}
# The trials of the PostgreSQL dump are those of the SQLite file, run at another time.
# Version 0.1 called the number of a trial "number" in exports.
comparable() { # FILE
    sed 's/^number,state,/trial,state,/; s/{"number":/{"trial":/' "$1" |
        if [ "${FIXTURES_STORE:-sqlite}" = sqlite ]; then cat; else sed 's/[0-9-]*T[0-9:.]*Z/TIME/g'; fi
}
same_as() { # FILE FIXTURE
    comparable "$1" > got
    comparable "$from/$2" > expected
    cmp -s got expected || { diff got expected | head -n 6 | sed 's/^/# /'; return 1; }
}

# near FILE1 FILE2 TOLERANCE: the same but for last digits of numbers
near() {
    tr ':,{}[]"' '       ' < "$2" | tr -s ' ' '\n' > expected
    tr ':,{}[]"' '       ' < "$1" | tr -s ' ' '\n' | paste - expected |
        awk -F '\t' -v most="$3" 'function number(s) { return s ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
            $1 == $2 { next }
            number($1) && number($2) { d = $1 - $2; if (d <= most && d >= -most) next }
            { print "# " $1 " is not " $2; bad = 1 } END { exit bad }'
}

# ---- studies of one party

# The whole of a storage: what export writes, in every format, to the last byte.
holds_all() { # STORAGE
    for study in plain even fit finite pulls; do
        run 0 export $study --storage "$1" --out export.csv && same_as export.csv $study.csv || return 1
    done
    run 0 export plain --storage "$1" --format jsonl --out export.jsonl && same_as export.jsonl plain.jsonl &&
        run 0 export plain --storage "$1" --format json --out export.json && same_as export.json plain.export.json
}
lists_all() { # STORAGE
    run 0 studies --storage "$1" --format csv &&
        [ "$(cut -d, -f1 out | sed 1d | sort | tr '\n' ' ')" = "even finite fit plain pulls " ]
}
best_is() { # STORAGE STUDY TRIAL
    run 0 best "$2" --storage "$1" --format json && grep -q "\"\\(number\\|trial\\)\": *$3[,}]" out
}
# Draws are the same on every CPU. What gp-ei finds from them may differ in last digits.
next_of() { # STORAGE
    for study in plain even fit finite pulls; do
        batch=
        [ $study != pulls ] || batch="--pulls 50"
        # shellcheck disable=SC2086  # no words, or two
        run 0 ask $study --storage "$1" --worker w1 $batch --format json || return 1
        sed "s/^/$study /" out
    done > next
}
exact() { grep -v '^fit ' "$1"; }
next_is_theirs() { # STORAGE
    next_of "$1" || return 1
    exact next > exact.next
    exact "$from/store.next" > exact.theirs
    cmp exact.next exact.theirs && near next "$from/store.next" 1e-6
}
goes_on() { # STORAGE
    run 0 tell plain 7 0.25 --storage "$1" && run 0 tell plain 6 0.5 --storage "$1" &&
        run 0 tell fit 12 0.75 --storage "$1" && run 0 ask "$from/fit.json" --storage "$1" --format json &&
        grep -q '"trial": *13' out && run 0 ask "$from/finite.json" --storage "$1" &&
        run 0 tell pulls 1 --batch 2,200000000,100000000 --storage "$1" && run 0 export plain --storage "$1" --out more.csv &&
        [ "$(grep -c COMPLETE more.csv)" -eq 7 ]
}
is_read() { # WHAT STORAGE
    check "$version $1: all studies" lists_all "$2"
    check "$version $1: all trials" holds_all "$2"
    check "$version $1: the best one" best_is "$2" plain 0
    check "$version $1: the next trial is theirs" next_is_theirs "$2"
    check "$version $1: it goes on" goes_on "$2"
}
takes_export() { # an export as the beginning of another study
    run 0 import "$from/plain.json" "$from/plain.csv" --storage sqlite:///imported.db &&
        run 0 trials plain --storage sqlite:///imported.db --format csv && [ "$(grep -c COMPLETE out)" -eq 5 ]
}

# ---- ledgers

# One like theirs: the same entries and the same head, so that no entry was read otherwise.
spent_as() { # LEDGER DELTA STORAGE FILE
    run 0 privacy status "$1" --delta "$2" ${3:+--storage "$3"} --format json || return 1
    for key in ledger head unit bound statement; do
        [ "$(field $key out)" = "$(field $key "$from/$4")" ] || { echo "# $key differs"; return 1; }
    done
    near out "$from/$4" 1e-6
}
replies_go_on() {
    run 0 export doses --storage sqlite:///doses.db --out export.csv && same_as export.csv doses.csv &&
        run 0 ask "$from/doses.json" --storage sqlite:///doses.db --format json && grep -q '"trial": *2' out &&
        run 0 tell doses 2 0.5 --user ann --storage sqlite:///doses.db
}
is_spent() { # the answers that ann may give are given
    run 0 ask doses --storage sqlite:///doses.db && run 9 tell doses 3 0.5 --user ann --storage sqlite:///doses.db &&
        grep -q 'user "ann" may give 3 answers in all, has given 3' err
}

# ---- a curator and a modeler

same_release() {
    run 0 curate release loans.csv --columns income,rate --bounds income=0:100000:5000 --bounds rate=0:10 \
        --value-column profit --output-epsilon 0.5 --output-bound 1 --epsilon 2.7 --storage sqlite:///curator.db \
        --out again.json --format json && grep -q '"again": true' out && same_as again.json released.json
}
same_answer() {
    run 0 curate answer loans.csv "$(cat "$from/modeler.next")" --value-column profit --storage sqlite:///curator.db \
        --out again.json && same_as again.json answer.json
}
modeler_goes_on() {
    run 0 model next "$from/released.json" --state modeler.db && same_as out modeler.next &&
        run 0 model next "$from/released.json" --state modeler.db --answer "$from/answer.json" && grep -qE '^[0-9]+$' out &&
        ! cmp -s out "$from/modeler.next"
}

# ---- a coordinator and its agents

cat > train << 'J'
#!/bin/sh
awk "BEGIN { x = $1; printf \"%.17g\n\", sin(9 * x) + 0.01 * $2 * x }"
J
chmod +x train
serve() { # STORAGE: sets url
    rm -f serve.json
    "$tacit" serve --listen 127.0.0.1:0 --storage "$1" --format json > serve.json 2> err &
    server=$!
    await test -s serve.json && url=$(field url serve.json) && [ "$(field fingerprint serve.json)" = "$(cat "$from/fingerprint")" ]
}
stop() { kill "$server" && wait "$server"; }
at_server() { # CODE WORD...
    code=$1
    shift
    run "$code" "$@" --server "$url" --fingerprint "$(cat "$from/fingerprint")" --token-file "$from/operator.token"
}
start() { # STUDY NUMBER WORD...
    study=$1
    number=$2
    shift 2
    "$tacit" agent "$url" --study "$study" --token-file "$from/operator.token" --fingerprint "$(cat "$from/fingerprint")" --quiet \
        --storage "sqlite:///$study$number.db" "$@" -- "$dir/train" '{x}' "$number" > /dev/null 2> "$study$number.err" &
    agents="$agents $!"
}
ended() { ! kill -0 "$1" 2> /dev/null; }
agents_end() {
    bad=0
    for pid in $agents; do await ended "$pid" && wait "$pid" || bad=1; done
    agents=
    [ $bad = 0 ] || { cat ./*.err > err; return 1; }
}
agents_resume() {
    for i in 0 1 2; do start fed $i --epsilon 8 --delta 0.01; done
    for i in 0 1; do start relay $i --accept-not-private; done
    agents_end
}
# Trials 5 to 7 depend on nothing that was drawn since.
agent_went_on() { # NUMBER
    run 0 trials fed --storage "sqlite:///fed$1.db" --format csv && [ "$(grep -c ',COMPLETE,' out)" -eq 9 ] &&
        awk -F, '$1 ~ /^[567]$/ { print $1 "," $3 "," $4 }' out > later && near later "$from/fed$1.next" 1e-4
}
kept() { # STUDY NUMBER: its journal as it was
    run 0 export "$1" --storage "sqlite:///$1$2.db" --out export.csv && same_as export.csv "$1$2.csv"
}
inspected() { run 0 inspect fed --storage sqlite:///fed0.db --format csv && same_as out fed0.inspect; }
paid() { # N: the coordinator's ledger has as many entries
    at_server 0 remote privacy fed && [ "$(grep -o '"mechanism"' out | wc -l)" -eq "$1" ]
}
served_goes_on() {
    at_server 0 ask served --worker w1 --format json && same_as out served.next && at_server 0 tell served 3 0.5 &&
        at_server 0 trials served --format csv && [ "$(grep -c COMPLETE out)" -eq 4 ]
}
restores() { # BACKUP STORAGE
    run 0 restore "$1" --storage "$2" --assume-released 0
}

test_folder() {
    for name in store backup doses user curator modeler coordinator coordinator-backup fed0 fed1 fed2 relay0 relay1; do
        unpack $name.db
    done
    is_read "SQLite" sqlite:///store.db
    check "$version: a backup is restored" restores backup.db sqlite:///restored.db
    is_read "backup" sqlite:///restored.db
    check "$version: an export is imported" takes_export

    mkdir -p .state/tacit && mv user.db .state/tacit/replies.db
    check "$version: what a user has spent" spent_as replies 1e-9 "" user.status
    check "$version: private replies go on" replies_go_on
    check "$version: and end with the user's answers" is_spent

    cp "$from/loans.csv" "$from/loans.csv.secret" . && chmod 600 loans.csv.secret
    check "$version: what rows have spent" spent_as loans 1e-9 sqlite:///curator.db curator.status
    check "$version: a curator's release again" same_release
    check "$version: an answer again" same_answer
    check "$version: a modeler goes on" modeler_goes_on

    check "$version: what agents have spent" spent_as fed 0.01 sqlite:///coordinator.db coordinator.status
    check "$version: what an agent has spent" spent_as agent 0.01 sqlite:///fed0.db agent.status
    check "$version: an exported ledger" spent_as "$from/ledger.json" 0.01 "" coordinator.status
    check "$version: what has left" inspected
    for name in fed0 fed1 fed2 relay0 relay1; do
        check "$version: the trials of $name" kept "${name%[0-9]}" "${name#"${name%[0-9]}"}"
    done
    check "$version: the coordinator starts with its key" serve sqlite:///coordinator.db
    check "$version: two rounds were paid" paid 2
    check "$version: a served study goes on" served_goes_on
    check "$version: agents resume and end" agents_resume
    for i in 0 1 2; do check "$version: agent $i went on as it would have" agent_went_on $i; done
    check "$version: the last round was paid, too" paid 3
    check "$version: the coordinator ends" stop
    check "$version: the coordinator's backup is restored" restores coordinator-backup.db sqlite:///second.db
    check "$version: and starts with its key" serve sqlite:///second.db
    check "$version: what was paid is in it, and a note" paid 3
    check "$version: it ends, too" stop
}

test_postgres() {
    base=${TACIT_POSTGRES%%\?*}
    psql -q "$TACIT_POSTGRES" -c "SET client_min_messages = error" -c "DROP DATABASE IF EXISTS fixture" \
        -c "CREATE DATABASE fixture" > out 2> err || return 1
    url="${base%/*}/fixture?${TACIT_POSTGRES#*\?}"
    psql -q -v ON_ERROR_STOP=1 "$url" -f "$from/postgres.sql" > out 2> err
}

folders=0
for from in "$root"/tests/fixtures/[0-9]*; do
    version=${from##*/}
    folders=$((folders + 1))
    mkdir "$dir/$version" && cd "$dir/$version" || exit 1
    XDG_STATE_HOME=$dir/$version/.state
    if [ "${FIXTURES_STORE:-sqlite}" = sqlite ]; then
        test_folder
    else
        check "$version: a dump of PostgreSQL" test_postgres
        is_read "PostgreSQL" "$url"
    fi
done
check "there are fixtures" [ $folders -gt 0 ]
finish
