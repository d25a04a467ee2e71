#!/bin/sh
# carry_test: agents without a network, whose requests are carried as files: the same bits as over TLS, with agents and the
# coordinator killed on the way, files carried twice, late and half; and no message twice.
#
# Needs TACIT_BIN, and simulated_run in the working folder, which the build makes.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/coordinator.sh"

document 3 6 all
reference "$dir/reference"
mkdir "$dir/in" "$dir/kept" # the coordinator's folder; what was carried there
serve_options="--carry $dir/in"
serve c 0
found c 3

# without_network NUMBER: an agent whose folder is the site's own
without_network() {
    mkdir -p "$dir/site-$1"
    "$tacit" agent --outbox "$dir/site-$1" --study s --token-file "$dir/c.join" --storage "sqlite:///$dir/c-$1.db" \
        --epsilon 6 --delta 0.01 --test-seed 7 --test-key "$1" --accept-not-private --format json \
        -- "$simulated" value "$1" '{x}' > "$dir/c-$1.out" 2>> "$dir/c-$1.err" &
    eval "pid_$1=$!"
}
# walk NUMBER: carries what is there, once in each direction; what was carried before is carried again
walks=0
walk() { walk_of "$dir/site-$1"; }
walk_of() { # FOLDER
    for file in "$1"/*.request.json; do
        [ -e "$file" ] || continue
        name=$(basename "$file" .request.json)
        if [ ! -e "$dir/in/$name.answer.json" ] && [ ! -e "$dir/in/$name.request.json" ]; then
            head -c 40 "$file" > "$dir/in/.half-$name" # a copy that was broken off
            cp "$file" "$dir/kept/$name.request.json"
            cp "$dir/kept/$name.request.json" "$dir/in/$name.request.json"
            walks=$((walks + 1))
        fi
        [ ! -e "$dir/in/$name.answer.json" ] || cp "$dir/in/$name.answer.json" "$1/"
    done
}
enrolled_now() { # N
    for k in 0 1 2; do [ -d "$dir/site-$k" ] && walk "$k"; done
    [ "$(enrolled c)" -ge "$1" ]
}
for k in 0 1 2; do
    without_network $k
    await enrolled_now $((k + 1)) || fail "agent $k is not enrolled"
done

# ---- all three go on; agent 1 is killed twice, the coordinator once
released() { remote c privacy s 2> "$dir/err" | grep -o '"mechanism"' | wc -l; }
moved() { # N
    for k in 0 1 2; do walk "$k"; done
    [ "$(released)" -ge "$1" ]
}
kill_agent() { # NUMBER
    eval "kill -9 \$pid_$1; wait \$pid_$1" 2> "$dir/err"
    without_network "$1"
}
await moved 1 || fail "no round is closed"
kill_agent 1
sleep 0.3
kill_agent 1
await moved 2 || fail "no second round after agent 1 was killed"
kill -9 "$server"
wait "$server" 2> "$dir/err"
serve c "$port"
over() {
    for k in 0 1 2; do walk "$k"; done
    for k in 0 1 2; do [ -s "$dir/c-$k.out" ] || return 1; done
}
await over || fail "the agents do not come to their end"
finish_all c 3
deployed c 3 "$dir/carried"
cmp -s "$dir/reference" "$dir/carried" || { fail "not the bits of one process"; diff "$dir/reference" "$dir/carried" | head -5; }
n=$(released)
[ "$n" -ge 2 ] || fail "only $n releases"
echo "$walks files were carried for $n rounds of 3 agents"
[ "$walks" -le $((3 * (8 + 3 * n + 8))) ] || fail "$walks files were carried for $n rounds"

# ---- of a request that was answered nothing is left: it has a message
for file in "$dir/in"/*.answer.json; do
    name=$(basename "$file" .answer.json)
    [ ! -e "$dir/in/$name.request.json" ] || fail "$name was answered, and is there still"
done

# ---- what was carried before is carried again: nothing is sent twice
head=$(field head "$dir/ledger" 2> /dev/null)
remote c privacy s > "$dir/ledger"
head=$(field head "$dir/ledger")
remote c show s > "$dir/shown"
rm -f "$dir/in"/*.answer.json
cp "$dir/kept"/*.request.json "$dir/in/"
answered() { [ "$(ls "$dir/in" | grep -c '\.answer\.json$')" -ge "$1" ]; }
await answered 3 || fail "carried again, nothing is answered"
remote c privacy s > "$dir/ledger"
[ "$(field head "$dir/ledger")" = "$head" ] || fail "carried again, something was released again"
"$tacit" remote show s --server "$url" --fingerprint "$pin" --token-file "$dir/c.op" > "$dir/again"
cmp -s "$dir/shown" "$dir/again" || fail "carried again, the study is another one"

# ---- another key: carried twice, the answer is the first one, and the access that it gave holds
mkdir "$dir/key"
"$tacit" agent --outbox "$dir/key" --study s --storage "sqlite:///$dir/c-0.db" --test-seed 7 --new-key > "$dir/key.out" 2> "$dir/key.err" &
pid=$!
key_changed() {
    walk_of "$dir/key"
    [ -s "$dir/key.out" ]
}
await key_changed || { fail "no other key"; cat "$dir/key.err"; }
wait $pid || fail "another key: $?"
name=$(basename "$dir/in"/$(sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' "$dir/key/tacit-carry.json")-1.answer.json .answer.json)
mv "$dir/in/$name.answer.json" "$dir/first"
cp "$dir/kept/$name.request.json" "$dir/in/"
await test -s "$dir/in/$name.answer.json" || fail "another key, carried again, is not answered"
cmp -s "$dir/first" "$dir/in/$name.answer.json" || fail "another key, carried again, has another answer"
"$tacit" agent "$url" --study s --fingerprint "$pin" --quiet --storage "sqlite:///$dir/c-0.db" --epsilon 6 --delta 0.01 \
    --test-seed 7 --accept-not-private -- true > "$dir/out" 2> "$dir/err" || { fail "the access of another key is lost"; cat "$dir/err"; }

# ---- files are for their owner's eyes; what is no bundle is said once and left alone
for file in "$dir/site-0"/* "$dir/in"/*.answer.json; do
    [ "$(stat -c %a "$file")" = 600 ] || fail "others can read $file"
done
echo '{}' > "$dir/in/odd-1.request.json"
await grep -q 'odd-1: .*odd-1.request.json: format must be "tacit carried 1"' "$dir/c.log" || fail "a file that is no bundle is not said"
[ ! -e "$dir/in/odd-1.answer.json" ] || fail "a file that is no bundle is answered"

{
    printf '{"format": "tacit carried 1", "word": "w", "requests": ['
    for i in $(seq 16); do printf '{}, '; done
    printf '{}]}'
} > "$dir/in/flood-1.request.json"
await grep -q 'flood-1: .*flood-1.request.json: a bundle has at most 16 requests' "$dir/c.log" || fail "a bundle of many requests is taken"

# ---- an interruption, and bad options
without_network 0
rm -rf "$dir/fresh"
mkdir "$dir/fresh"
"$tacit" agent --outbox "$dir/fresh" --study s --token-file "$dir/c.join" --storage "sqlite:///$dir/fresh.db" -- true \
    > "$dir/fresh.out" 2> "$dir/fresh.err" &
pid=$!
await grep -q "^carry $dir/fresh/.*-1.request.json to the coordinator, and its answer .*-1.answer.json into $dir/fresh$" "$dir/fresh.err" ||
    fail "what to carry is not said"
"$tacit" agent --outbox "$dir/fresh" --study s --token-file "$dir/c.join" --storage "sqlite:///$dir/second.db" -- true \
    > "$dir/out" 2> "$dir/err"
[ $? = 5 ] && grep -qF "another agent is at work with the outbox $dir/fresh: each has one of its own" "$dir/err" ||
    fail "two agents share an outbox"
kill -TERM $pid
wait $pid
[ $? = 130 ] || fail "an interrupted agent has another exit status"
refused() { # CODE TEXT WORD...
    code=$1 text=$2
    shift 2
    "$@" > "$dir/out" 2> "$dir/err"
    got=$?
    { [ $got = "$code" ] && grep -qF -- "$text" "$dir/err"; } || { fail "exit $got: $*"; cat "$dir/err"; }
}
refused 2 "which coordinator? Say its URL, or --outbox DIR where there is no network" "$tacit" agent --study s -- true
refused 2 "--outbox is for an agent without a network: leave out \"$url\"" "$tacit" agent "$url" --study s --outbox "$dir" -- true
refused 2 "--inbox is for an agent without a network: leave out \"$url\"" "$tacit" agent "$url" --study s --inbox "$dir" -- true
refused 2 "--ca is for a URL, and --outbox is instead of one" "$tacit" agent --study s --outbox "$dir" --ca x -- true
refused 2 "--outbox must be a folder that is there, got \"$dir/none\"" "$tacit" agent --study s --outbox "$dir/none" -- true
refused 2 "--inbox must be a folder that is there, got \"$dir/none\"" "$tacit" agent --study s --outbox "$dir" --inbox "$dir/none" -- true
refused 2 "--carry must be a folder that is there, got \"$dir/none\"" "$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/n.db" --carry "$dir/none"
[ ! -e "$dir/n.db" ] || fail "something was made before the folder was looked at"
[ $failed = 0 ] && echo "carry_test passed"
