#!/bin/sh
# memory_live_test: when a round is closed, no contribution to it is left in the memory of a coordinator. Four agents of
# dp-fts-de send theirs; the last one waits until those of the others were found in memory, so that the search is
# known to find what is there. Then the round is closed, and of no message may a piece be found, in any form.
#
# Messages of 20 features fit into the smallest buffers, those of 1000 into none of them. Small ones may be overwritten before
# their round is closed, so nobody waits for them to be found.
#
# COORDINATOR_STORE=postgresql: two coordinators share the server TACIT_POSTGRES, and each has taken messages of the round.
# Another user's memory can be read by root alone, and a coordinator hides its own from its user, too: where
# the test is not run as root, readable.c undoes that. Where the memory still cannot be read, the test fails.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
search=$(realpath "${MEMORY_SEARCH:-./memory_search}")
readable=$(realpath "${READABLE:-./libreadable.so}")
agents=4
if grep -qa __tsan_init "$tacit"; then
    echo "# skipped: ThreadSanitizer keeps its own copies of memory"
    exit 77
fi
# What libraries free is overwritten by the C library (src/base/guard.c), under AddressSanitizer by this.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}max_free_fill_size=1073741824:verify_asan_link_order=0"

cat > "$dir/wait" << 'P'
#!/bin/sh
# wait COMMAND value AGENT X: the last agent waits for $GO before its trial
[ "$3" != "$LAST" ] || while [ ! -e "$GO" ]; do sleep 0.05; done
exec "$@"
P
chmod +x "$dir/wait"
through=$dir/wait
export GO LAST=$((agents - 1))

start() { # NAME: one coordinator more; $dir/coordinators has their processes
    [ "$(id -u)" -eq 0 ] || export LD_PRELOAD="$readable"
    serve "$1" 0 "$storage"
    unset LD_PRELOAD
    echo "$server" >> "$dir/coordinators"
    urls="$urls $url"
}
url_of() { # AGENT: they take turns
    # shellcheck disable=SC2086  # a list
    set -- "$1" $urls
    shift $(($1 % ($# - 1) + 1))
    echo "$1"
}

message() { # AGENT: what it sends in round 0, to $dir/message-AGENT; false: it has none yet
    "$tacit" inspect s --storage "sqlite:///$dir/$name-$1.db" --round 0 --format json > "$dir/inspected" 2>/dev/null &&
        field base64 "$dir/inspected" > "$dir/message-$1" && [ -s "$dir/message-$1" ]
}
look() { # AGENT...: $dir/found has a line for each coordinator and each of their messages, with the process first
    files=
    for i in "$@"; do files="$files $dir/message-$i"; done
    while read -r process; do
        # shellcheck disable=SC2086  # a list of files
        "$search" "$process" $files > "$dir/searched" ||
            { echo "FAILED: the memory of a coordinator must be readable, by root or through readable.c" >&2; exit 1; }
        sed "s/^/$process /" "$dir/searched"
    done < "$dir/coordinators" > "$dir/found"
}
# In how many coordinators there is a piece of any.
holders() { awk '$4 + $6 + $8 > 0 { print $1 }' "$dir/found" | sort -u | wc -l; }
arrived() { # each coordinator has had a message, and something of it is found
    # shellcheck disable=SC2086  # lists of numbers
    for i in $first; do message "$i" || return 1; done && look $first && [ "$(holders)" = "$(wc -l < "$dir/coordinators")" ]
}
forgotten() {
    # shellcheck disable=SC2086  # a list of numbers
    look $everybody && [ "$(holders)" = 0 ]
}
within() { # TURNS COMMAND...: as await, which would search for an hour
    turns=$1
    shift
    until "$@"; do
        turns=$((turns - 1))
        [ "$turns" -gt 0 ] || return 1
        sleep 0.2
    done
}
closed() { remote "$name" show s > "$dir/shown" 2>&1 && grep -q '"phase": *"closed"' "$dir/shown"; }

play() { # NAME FEATURES [seen]: what is in memory must be found first
    name=$1 urls='' GO=$dir/$1.go storage=''
    : > "$dir/coordinators"
    document $agents 4 0 3
    # With a length-scale there is no vote before the weights.
    sed -i "s/\"features\": 20/\"features\": $2, \"lengthscale\": 0.3/" "$dir/s.json"
    [ "${COORDINATOR_STORE:-sqlite}" = sqlite ] || storage=$TACIT_POSTGRES
    start "$name"
    found "$name" $agents
    [ -z "$storage" ] || start "$name-b"
    for i in $everybody; do
        url=$(url_of "$i")
        agent "$name" "$i"
        eval "pid_$i=$!"
    done
    [ "${3:-}" != seen ] || within 150 arrived || { fail "$2 features: the search does not find messages of an open round"; cat "$dir/found"; }
    : > "$GO"
    finish_all "$name" $agents
    await message $LAST || fail "$2 features: the last agent has no message"
    await closed || { fail "$2 features: the round is not closed"; cat "$dir/shown"; }
    # One coordinator has closed the round and forgets at once, the other one at its next tick. There is no long wait, since
    # what is left may be overwritten by chance.
    within 20 forgotten || { fail "$2 features: pieces of messages are left in memory"; cat "$dir/found"; }
    # shellcheck disable=SC2046  # a list of numbers
    kill $(cat "$dir/coordinators")
    while read -r process; do wait "$process" || fail "a coordinator ends with $?"; done < "$dir/coordinators"
}

everybody=$(seq 0 $LAST)
first=$(seq 0 $((LAST - 1))) # those who do not wait
play large 1000 seen
[ "${COORDINATOR_STORE:-sqlite}" = sqlite ] || psql -q "$TACIT_POSTGRES" -c 'SET client_min_messages = error; DROP SCHEMA tacit CASCADE'
play small 20
[ $failed = 0 ] && echo "memory_live_test passed"
exit $failed
