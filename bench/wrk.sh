#!/bin/sh
# wrk.sh [TACIT] [SECONDS]: requests a second that `tacit serve` answers on /healthz, beside nginx.
#
# Both over TLS 1.3 with the same cipher and a key of the same kind (ECDSA, P-256), both with one thread for
# each processor, both answer "ok" of three bytes over connections that are kept alive, both in the same run
# and in turn, three times. wrk runs on the same machine and takes its share of it. Nothing is written outside
# a temporary folder; no port below 1024 is used.
set -eu
tacit=${1:-$(dirname "$0")/../build/tacit} seconds=${2:-5}
export PATH="$PATH:/usr/sbin"
for need in nginx wrk openssl curl; do
    command -v $need >/dev/null || { echo "wrk.sh: not run, there is no $need"; exit 0; }
done
[ -x "$tacit" ] || { echo "wrk.sh: not run, $tacit is not a program"; exit 0; }

folder=$(mktemp -d)
processors=$(nproc) connections=64 port=18443
server= peer=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    [ -z "$peer" ] || kill "$peer" 2>/dev/null || :
    wait
    rm -rf "$folder"
}
trap finish EXIT

# ---- nginx
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
    -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
while openssl s_client -connect "127.0.0.1:$port" </dev/null >/dev/null 2>&1; do port=$((port + 1)); done
cat >"$folder/nginx.conf" <<EOF
worker_processes $processors;
daemon off;
pid $folder/nginx.pid;
error_log $folder/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path $folder/body;
    proxy_temp_path $folder/proxy;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
    keepalive_requests 100000000;
    server {
        listen 127.0.0.1:$port ssl;
        ssl_certificate $folder/cert.pem;
        ssl_certificate_key $folder/key.pem;
        ssl_protocols TLSv1.3;
        default_type text/plain;
        location /healthz { return 200 "ok\n"; }
    }
}
EOF
nginx -e "$folder/error.log" -p "$folder" -c "$folder/nginx.conf" &
peer=$!

# ---- tacit
"$tacit" serve --storage "sqlite:///$folder/bench.db" --listen 127.0.0.1:0 --threads "$processors" \
    --rate 0 --quiet --format json >"$folder/site.json" &
server=$!
url=
for _ in $(seq 100); do
    url=$(sed -n 's/.*"url": *"\([^"]*\)".*/\1/p' "$folder/site.json")
    [ -z "$url" ] || break
    sleep 0.1
done
[ -n "$url" ] || { echo "wrk.sh: tacit serve did not start"; exit 1; }
peer_url=https://127.0.0.1:$port

# ---- both answer, and alike
for at in "$url" "$peer_url"; do
    [ "$(curl -sk --retry 20 --retry-connrefused "$at/healthz")" = ok ] || { echo "wrk.sh: $at is silent"; exit 1; }
    printf '# %s: ' "$at"
    openssl s_client -connect "${at#https://}" </dev/null 2>/dev/null |
        sed -n 's/^New, \(.*\)$/\1/p'
done

measure() { # URL: requests a second; answers other than 200 are not counted
    wrk -t 2 -c "$connections" -d "${seconds}s" "$1/healthz" | awk '
        /requests in/ { all = $1 }
        /Non-2xx/ { bad = $NF }
        /Requests\/sec/ { if (all) print $2 * (all - bad) / all; else print 0 }'
}
for _ in 1 2 3; do
    ours=$(measure "$url")
    theirs=$(measure "$peer_url")
    echo "$ours $theirs"
done | awk '
    { printf "tacit %.0f requests a second, nginx %.0f: %.2f of it\n", $1, $2, $1 / $2; sum += $1 / $2 }
    END { printf "mean %.2f of nginx; goal 0.40\n", sum / NR }'
