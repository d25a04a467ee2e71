#!/bin/sh
# ways_test: the ways to a coordinator in a hospital's network: through a proxy, by option or by the environment, with the pinned
# key checked end to end; and a front with a certificate of a private authority, whose name is checked.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and python3.
#
# Needs the network.
set -u
. "$(dirname "$0")/../support/frame.sh"
unset TACIT_SERVER TACIT_TOKEN_FILE TACIT_FINGERPRINT TACIT_CA https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
children=
# shellcheck disable=SC2086  # a list of numbers
trap 'kill -9 $children 2>/dev/null; rm -rf "$dir"' EXIT
tls=$root/tests/fixtures/tls
field() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' "$2" | head -n 1; }
says() { grep -qF -- "$1" out; }

# between KIND PORT FILE: starts what stands between; sets between
between() {
    rm -f port
    python3 "$root/tests/support/ways.py" "$@" > port 2> between.err &
    children="$children $!"
    await test -s port
    between=$(cat port)
}
# serve NAME [OPTION...]: sets url and pin
serve() {
    name=$1
    shift
    "$tacit" serve --listen 127.0.0.1:0 --storage "sqlite:///$dir/$name.db" --token-out "$name.op" --format json "$@" > "$name.json" 2> "$name.err" &
    children="$children $!"
    await test -s "$name.json"
    url=$(field url "$name.json")
    pin=$(field fingerprint "$name.json")
}
cat > oven.json << 'J'
{"name": "oven", "direction": "minimize", "trials": 3, "algorithm": "random", "space": {"x": {"type": "float", "low": 0, "high": 1}}}
J
cat > ward.json << 'J'
{"name": "ward", "direction": "minimize", "trials": 6, "space": {"x": {"type": "float", "low": 0, "high": 1}},
 "algorithm": {"name": "dp-fts-de", "features": 8, "initial": 3}, "federation": {"agents": 1}, "privacy": {"noise_multiplier": 8, "delta": 1e-5}}
J

# all NAME OPTION...: an operator, a worker and an agent take this way
all() {
    who=$1
    shift
    good "$who: an operator makes a study" remote create oven.json --token-file op "$@"
    good "$who: and a federated one" remote create ward.json --token-file op --quiet "$@"
    good "$who: a client's token" remote token oven --token-file op --out client "$@"
    good "$who: a worker works" optimize oven --token-file client "$@" -- echo '{x}'
    good "$who: its trials are there" trials oven --token-file client --format csv "$@"
    check "$who: all of them" test "$(grep -c COMPLETE out)" = 3
    good "$who: a join token" remote token ward --token-file op --out join "$@"
    good "$who: an agent takes part" agent "$TACIT_SERVER" --study ward --token-file join --storage "sqlite:///$who.db" "$@" -- echo '{x}'
    good "$who: an operator sees it" remote show ward --token-file op "$@"
    check "$who: on the roster" says '"enrolled":1'
    for study in oven ward; do good "$who: $study is erased" remote delete $study --token-file op "$@"; done
    rm -f client join
}

# ---- a proxy, with the key pinned

serve c
cp c.op op
wrong=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
between connect "${url##*:}" "$dir/seen"
proxy=http://127.0.0.1:$between
TACIT_SERVER=https://coordinator.test:8443
export TACIT_SERVER
all proxied --fingerprint "$pin" --proxy "$proxy"
check "the proxy was asked for a tunnel" grep -qa '^CONNECT coordinator.test:8443 HTTP/1.1' seen
check "and for nothing else" test "$(grep -caE '^(GET|POST|PUT|DELETE) ' seen)" = 0
check "and has not seen the token" sh -c '! grep -qaF "$(cat op)" seen && ! grep -qai authorization seen'
other_key="its operator has the new one. It was asked through a proxy: one that opens TLS and signs anew has another key, and must let this host pass unopened"
bad 4 "https://coordinator.test:8443 is not the coordinator with that fingerprint; if its key was changed, $other_key" \
    remote studies --token-file op --fingerprint $wrong --proxy "$proxy"
bad 5 "https://refused.test:8443 does not answer through the proxy " \
    remote close x --token-file op --fingerprint "$pin" --proxy "$proxy" --server https://refused.test:8443
check "with the proxy's status" grep -q 403 err

# ---- by the environment

https_proxy=$proxy
export https_proxy
good "https_proxy is used" remote studies --token-file op --fingerprint "$pin"
bad 4 "$other_key" remote studies --token-file op --fingerprint $wrong
bad 4 "its operator has the new one" remote studies --token-file op --fingerprint $wrong --server "$url"
check "where no proxy is asked, none is spoken of" sh -c '! grep -q proxy err'
no_proxy=coordinator.test
export no_proxy
bad 5 "https://coordinator.test:8443 does not answer: " remote close x --token-file op --fingerprint "$pin"
good "--proxy is stronger than no_proxy" remote studies --token-file op --fingerprint "$pin" --proxy "$proxy"
unset no_proxy
bad 5 "https://coordinator.test:8443 does not answer: " remote close x --token-file op --fingerprint "$pin" --proxy none
https_proxy=http://me:secret@127.0.0.1:1
bad 5 "https://coordinator.test:8443 does not answer: " remote close x --token-file op --fingerprint "$pin"
check "libcurl says which proxy" grep -q "127.0.0.1 port 1 " err
check "and its password is nobody's" sh -c '! grep -q secret err'
bad 5 "https://coordinator.test:8443 does not answer through the proxy 127.0.0.1:1: " \
    remote close x --token-file op --fingerprint "$pin" --proxy http://me:secret@127.0.0.1:1
check "and here" sh -c '! grep -q secret err'
https_proxy=http://127.0.0.1:1
good "this machine itself is asked without one" remote studies --token-file op --fingerprint "$pin" --server "$url"
unset https_proxy
for odd in socks5://127.0.0.1:1 127.0.0.1:3128 http://; do
    bad 2 "the proxy must be like http://host:3128 or https://host:3128, or none, got \"$odd\"" \
        remote studies --token-file op --fingerprint "$pin" --proxy $odd
done
bad 2 "or none, got \"127.0.0.1:1\"" remote studies --token-file op --fingerprint "$pin" --proxy socks5://me:secret@127.0.0.1:1
bad 2 "--proxy is for a coordinator: say --server URL" trials oven --storage "sqlite:///$dir/x.db" --proxy "$proxy"

# ---- a front with a certificate of an authority

serve d --insecure
cp d.op op
port=${url##*:}
bad 2 "a proxy is for https: $url is asked without one" remote studies --token-file op --server "$url" --proxy "$proxy"
between front "$port" "$tls/here.pem"
front=$between
TACIT_SERVER=https://127.0.0.1:$front
all front --ca "$tls/authority.pem"
TACIT_CA=$tls/authority.pem
export TACIT_CA
good "TACIT_CA is used" remote studies --token-file op
bad 4 "$TACIT_SERVER has no certificate for this name from an authority in $tls/stranger.pem that is valid on " \
    remote studies --token-file op --ca "$tls/stranger.pem"
bad 4 "$TACIT_SERVER is not the coordinator with that fingerprint" remote studies --token-file op --fingerprint $wrong
unset TACIT_CA
between front "$port" "$tls/elsewhere.pem"
bad 4 "https://127.0.0.1:$between has no certificate for this name from an authority in $tls/authority.pem that is valid on " \
    remote studies --token-file op --ca "$tls/authority.pem" --server "https://127.0.0.1:$between"
bad 2 "$TACIT_SERVER needs the coordinator's fingerprint: sha256// and 44 characters, as \`tacit serve\` prints it; or the file of the authority that knows it" \
    remote studies --token-file op
bad 3 "cannot read \"nothing.pem\": no such file or folder" remote studies --token-file op --ca nothing.pem
bad 2 "oven.json has no certificate of an authority: PEM is wanted, with a line -----BEGIN CERTIFICATE-----" \
    remote studies --token-file op --ca oven.json
between connect "$front" "$dir/seen"
good "a front behind a proxy" remote studies --token-file op --ca "$tls/authority.pem" --proxy "http://127.0.0.1:$between" \
    --server https://coordinator.test:8443
bad 4 "https://elsewhere.test:8443 has no certificate for this name" \
    remote studies --token-file op --ca "$tls/authority.pem" --proxy "http://127.0.0.1:$between" --server https://elsewhere.test:8443
finish
