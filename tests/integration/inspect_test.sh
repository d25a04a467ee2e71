#!/bin/sh
# inspect_test: what `tacit inspect` says left a machine, against the bytes themselves.
#
# Two agents take part in a study of three rounds. The first one pays for all of them; the second allows
# itself the price of one, so that its other messages must not leave.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"

cat > "$dir/s.json" <<'J2'
{"name": "s", "direction": "maximize", "trials": 8, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 6, "initial": 3, "releases": "0,1,3"},
 "federation": {"agents": 2, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01}}
J2
printf '#!/bin/sh\nawk "BEGIN {print sin(9 * $1)}"\n' > "$dir/train"
chmod +x "$dir/train"

"$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/c.db" --format json \
    > "$dir/serve.json" 2> "$dir/serve.err" &
server=$!
await test -s "$dir/serve.json" || { cat "$dir/serve.err"; exit 1; }
url=$(field url "$dir/serve.json")
pin=$(field fingerprint "$dir/serve.json")
field operator_token "$dir/serve.json" > "$dir/op"
remote() { "$tacit" remote "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/op"; }
remote create "$dir/s.json" > "$dir/created"
remote token s --uses 2 > "$dir/token"
field token "$dir/token" > "$dir/join"

agent() { # NUMBER OPTIONS...: in the background
    n=$1
    shift
    "$tacit" agent "$url" --study s --token-file "$dir/join" --fingerprint "$pin" --quiet \
        --storage "sqlite:///$dir/a$n.db" "$@" -- "$dir/train" '{x}' > "$dir/a$n.out" 2> "$dir/a$n.err" &
}
agent 0 --epsilon 10 --delta 0.01
first=$!
agent 1 --epsilon 2.6 --delta 0.01
second=$!
wait $first || { fail "agent 0"; cat "$dir/a0.err"; }
got=0
wait $second || got=$?
[ $got = 9 ] || { fail "agent 1 withheld messages and ends with $got"; cat "$dir/a1.err"; }
remote privacy s > "$dir/ledger"

# ---- what the study has spent, as a picture: delta and limit are the document's
"$tacit" plot s --kind privacy --server "$url" --fingerprint "$pin" --token-file "$dir/op" --out "$dir/spent.svg" --quiet 2> "$dir/plot.err" ||
    { fail "plot of what was spent"; cat "$dir/plot.err"; }
for text in '>round<' '>spent, by agent<' '>limit 5<' '>3 entries, at δ = 0.01; ε = [0-5][.0-9]* for every agent<'; do
    grep -q "$text" "$dir/spent.svg" || { fail "the picture has no $text"; grep '<text' "$dir/spent.svg"; }
done

inspect() { # NUMBER OPTIONS...
    n=$1
    shift
    "$tacit" inspect s --storage "sqlite:///$dir/a$n.db" "$@"
}
column() { # NAME: of the CSV on standard input
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { print $c }'
}
same() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}

# ---- the list
inspect 0 --format csv > "$dir/list0"
inspect 1 --format csv > "$dir/list1"
same "rounds" "0 1 3" "$(column round < "$dir/list0" | xargs)"
same "all were sent" "sent sent sent" "$(column message < "$dir/list0" | xargs)"
same "entries" "1 2 3" "$(column entry < "$dir/list0" | xargs)"
same "one was sent" "sent withheld withheld" "$(column message < "$dir/list1" | xargs)"
same "and paid for" "1" "$(column entry < "$dir/list1" | xargs)"
same "sizes" "64 64 64" "$(column bytes < "$dir/list0" | xargs)"
same "one broadcast for all" "$(column heard_hash < "$dir/list0" | head -n 1)" \
    "$(column heard_hash < "$dir/list1" | head -n 1)"
for hash in $(column heard_hash < "$dir/list0"); do
    grep -q "\"release\": *\"$hash\"" "$dir/ledger" || fail "the coordinator's ledger lacks $hash"
done
z=$(sed 's/.*"noise_multiplier": *\([0-9.]*\).*/\1/' "$dir/ledger")
same "the price is that of the release" "$z" "$(column parameter < "$dir/list0" | head -n 1)"
inspect 0 > "$dir/people"
grep -q "^3 messages of study s left this machine or may have: 192 bytes" "$dir/people" || fail "the sum"
inspect 1 > "$dir/people"
grep -q "^1 message of study s left this machine or may have: 64 bytes" "$dir/people" || fail "the other sum"
grep -q "^2 did not leave" "$dir/people" || fail "what stayed"
grep -q "withheld.*budget" "$dir/people" || { fail "the refusal is not shown"; cat "$dir/people"; }

"$tacit" inspect "$dir/s.json" --storage "sqlite:///$dir/a0.db" --format csv > "$dir/by_document"
cmp "$dir/list0" "$dir/by_document" || fail "a document does not stand for its study"

# ---- a message, against its bytes
inspect 0 --round 3 --format json > "$dir/message"
field base64 "$dir/message" | base64 -d > "$dir/bytes"
same "hash" "$(b2sum -l 256 "$dir/bytes" | cut -d' ' -f1)" "$(field hash "$dir/message")"
same "hash in the list" "$(field hash "$dir/message")" "$(column hash < "$dir/list0" | tail -n 1)"
same "size" 64 "$(wc -c < "$dir/bytes" | xargs)"
same "magic" TDE1 "$(head -c 4 "$dir/bytes")"
grid=$(od -An -t d4 -j 4 -N 4 "$dir/bytes" | xargs)
od -An -v -w8 -t d8 -j 16 "$dir/bytes" | awk -v k="$grid" '{ printf "%.15g\n", $1 / 2 ^ k }' > "$dir/want"
inspect 0 --round 3 --format csv | column value | awk '{ printf "%.15g\n", $1 }' > "$dir/got"
cmp "$dir/want" "$dir/got" || fail "the numbers are not those of the bytes"
inspect 0 --round 3 > "$dir/people"
grep -q "^base64      $(field base64 "$dir/message")" "$dir/people" || fail "base64 for people"
same "numbers for people" 6 "$(sed '1,/^numbers/d' "$dir/people" | wc -w | xargs)"

# ---- what cannot be shown
refused() { # EXPECTED COMMAND...
    want=$1
    shift
    if "$@" > "$dir/out" 2> "$dir/err"; then fail "not refused: $*"; fi
    grep -q "$want" "$dir/err" || { fail "expected \"$want\":"; cat "$dir/err"; }
}
refused "there is no message of round 2 here" inspect 0 --round 2
refused "round must be a whole number" inspect 0 --round x
refused "is coordinated here" "$tacit" inspect s --storage "sqlite:///$dir/c.db"
refused "there is no study" "$tacit" inspect t --storage "sqlite:///$dir/a0.db"
refused "nowhere.db" "$tacit" inspect s --storage "sqlite:///$dir/nowhere.db"
cat > "$dir/alone.json" <<'J2'
{"name": "alone", "direction": "minimize", "space": {"x": {"type": "float", "low": 0, "high": 1}}}
J2
"$tacit" ask "$dir/alone.json" --storage "sqlite:///$dir/alone.db" > /dev/null
refused "is of one party: nothing of it is ever sent" "$tacit" inspect alone --storage "sqlite:///$dir/alone.db"

# ---- a study that hands messages on as they are says why it is not private, everywhere
sed 's/"name": "s"/"name": "relay"/; s/{"name": "dp-fts-de".*}/{"name": "fts", "initial": 2}/
    s/"privacy": {.*}/"privacy": "none"}/' "$dir/s.json" > "$dir/relay.json"
why="messages are handed on without noise"
remote create "$dir/relay.json" > "$dir/created"
grep -q "\"not_private\": *\"$why\"" "$dir/created" || { fail "create does not say why"; cat "$dir/created"; }
remote token relay --uses 2 --out "$dir/relay.join" > /dev/null
relay() { # NAME
    timeout 120 "$tacit" agent "$url" --study relay --token-file "$dir/relay.join" --fingerprint "$pin" --accept-not-private \
        --storage "sqlite:///$dir/$1.db" -- "$dir/train" '{x}' > /dev/null 2> "$dir/$1.err"
}
relay other &
other=$!
relay r || { fail "relay"; cat "$dir/r.err"; }
wait $other || { fail "the other of relay"; cat "$dir/other.err"; }
grep -q "NOT PRIVATE: $why" "$dir/r.err" || { fail "the agent does not say why"; cat "$dir/r.err"; }
"$tacit" inspect relay --storage "sqlite:///$dir/r.db" | grep -qx "NOT PRIVATE: $why." || fail "inspect does not say why"
"$tacit" inspect relay --storage "sqlite:///$dir/r.db" --format csv > "$dir/csv"
same "reasons in CSV" "$why" "$(column not_private < "$dir/csv" | sort -u)"
same "of a private study none" "" "$(inspect 0 --format csv | column not_private | sort -u)"

# ---- a delta that promises nothing
sed 's/"name": "s"/"name": "wide"/; s/"agents": 2/"agents": 200/; s/"delta": 0.01/"delta": 0.5/' "$dir/s.json" > "$dir/wide.json"
status=0
remote create "$dir/wide.json" > "$dir/created" 2> "$dir/err" || status=$?
same "exit status" 2 $status
grep -q "privacy.delta must be below 1/N = 0.005 for 200 agents, got 0.5" "$dir/err" || { fail "delta 0.5"; cat "$dir/err"; }
same "lines about it" 1 "$(wc -l < "$dir/err")"
sed -i 's/"delta": 0.5/"delta": 0.001/' "$dir/wide.json"
remote create "$dir/wide.json" > "$dir/created" 2> "$dir/err" || fail "delta 0.001"
grep -q "warning: delta 0.001 is above 1/N^2 = 2.5e-05 for 200 agents" "$dir/err" || { fail "no warning"; cat "$dir/err"; }

kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "inspect_test passed"
exit $failed
