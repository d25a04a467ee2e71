#!/bin/sh
# operator_test: what an operator does about trials and tokens of served studies, with real processes: takes
# back a trial that nobody will finish, whatever its lease; repeats a publication without piling up
# tokens. And the command line takes the leases that a coordinator takes (served_range_test), no others.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
cat > "$dir/s.json" <<'J'
{"name": "s", "direction": "maximize", "trials": 9, "seed": 7,
 "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": {"name": "random"}}
J
serve here 0
found here 0
at() { "$tacit" "$@" --server "$url" --fingerprint "$pin" --token-file "$dir/here.join"; }
bad() { # STATUS SENTENCE COMMAND...
    want=$1
    words=$2
    shift 2
    status=0
    "$@" > "$dir/out" 2> "$dir/err" || status=$?
    [ $status = "$want" ] || fail "$*: status $status, not $want"
    grep -qF -- "$words" "$dir/err" || { fail "$*: expected \"$words\""; cat "$dir/err"; }
}

# ---- a lease of 30 days, and no longer
days=2592000
at ask s --worker gone --lease-s $days --format json > "$dir/asked" || fail "a lease of 30 days"
for more in 2592001 1e9; do
    bad 2 "lease-s must be a number in [0, 2592000], got" at ask s --worker b --lease-s $more
    bad 2 "lease-s must be a number in [1, 2592000], got" \
        "$tacit" optimize s --server "$url" --lease-s $more -- true
    bad 2 "lease-s must be a number in [0, 2592000], got" \
        "$tacit" ask "$dir/s.json" --storage "sqlite:///$dir/none.db" --lease-s $more
done
bad 2 "--lease-s must be 0 or at least 1 second, got 0.5" at ask s --lease-s 0.5

# ---- its worker is gone: an operator takes it back
grep -q '"trial":0' "$dir/asked" || fail "trial 0 was asked for"
at ask s --worker next --format json > "$dir/next"
grep -q '"trial":1' "$dir/next" || fail "trial 0 is not free yet"
remote here release s 0 --format json > "$dir/released" || fail "a trial is not taken back"
[ "$(cat "$dir/released")" = '{"trial":0,"state":"STALE"}' ] || fail "$(cat "$dir/released")"
remote here release s 0 --format json > "$dir/again" || fail "the same again is nothing"
cmp -s "$dir/released" "$dir/again" || fail "the same again is something else"
at ask s --worker third --format json > "$dir/third"
[ "$(sed 's/.*params//' "$dir/asked")" = "$(sed 's/.*params//' "$dir/third")" ] ||
    fail "the next who asks gets another point"
grep -q '"trial":0' "$dir/third" || fail "the next who asks gets it"
at tell s 0 0.5 > "$dir/told" || fail "its value"
bad 4 "trial 0 is not running" remote here release s 0
bad 3 "there is no trial 77" remote here release s 77
bad 2 "TRIAL must be the number of a trial, got \"x\"" remote here release s x
bad 2 "name must be" remote here release ../s 0
cp "$dir/here.op" "$dir/kept.op"
cp "$dir/here.join" "$dir/here.op"
bad 2 "does not allow this" remote here release s 1
cp "$dir/kept.op" "$dir/here.op"
"$tacit" remote release --help | grep -q "remote release branin 17" || fail "help"

# ---- the same release again and again
printf 'income,profit\n1,2\n2,3\n3,5\n4,4\n' > "$dir/d.csv"
"$tacit" curate release "$dir/d.csv" --out "$dir/r.json" --epsilon 2 --bounds income=0:5 --radius 1 \
    --value-column profit --storage "sqlite:///$dir/rows.db" --quiet > "$dir/curated" || fail "a release"
publish() { # FILE
    "$tacit" curate publish "$dir/r.json" --out-token "$dir/$1" --trials 4 --server "$url" \
        --fingerprint "$pin" --token-file "$dir/here.op" --format json > "$dir/published" || fail "publishing"
}
for k in 1 2 3; do publish client.$k; done
name=$(field study "$dir/published")
for k in 1 2; do
    cp "$dir/client.$k" "$dir/here.join"
    bad 2 "the token is not valid" at ask "$name" --worker c
done
cp "$dir/client.3" "$dir/here.join"
at ask "$name" --worker c > "$dir/out" || fail "the last token is valid"

kill $server
wait $server || fail "the coordinator ends with $?"
[ $failed = 0 ] && echo "operator_test passed"
exit $failed
