#!/bin/sh
# units_test: the units of systemd against the exit codes of the program. What may pass by itself is started
# again for ever, what does not is not, and every code that --help lists is one of the two. Then some ends of
# an agent and of a coordinator, as processes.
#
# Needs the network.
set -eu
. "$(dirname "$0")/../support/coordinator.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)
cd "$dir"

passing="1 5 7" # a defect may also be one of a moment
final="2 3 4 6 8 9 10"
has() { case " $1 " in *" $2 "*) true ;; *) false ;; esac; }
setting() { sed -n "s/^$2=//p" "$source/contrib/$1"; }

"$tacit" --help | awk '/^Exit codes/ { on = 1; next } on && $1 ~ /^[0-9]+$/ && /^  / { print $1 }' > codes
[ "$(wc -l < codes)" -ge 12 ] || { fail "exit codes of --help:"; cat codes; }
while read -r code; do
    has "0 130 $passing $final" "$code" || fail "exit code $code is neither passing nor final: decide, here and in the units"
    grep -qx "\.It $code" "$source/docs/man/tacit.1" || fail "the manual lacks exit code $code"
done < codes
for code in $passing $final; do grep -qx "$code" codes || fail "--help has no exit code $code"; done

restarts() { # UNIT CODE: as systemd decides with Restart=on-failure
    [ "$2" != 0 ] && ! has "$(setting "$1" SuccessExitStatus)" "$2" && ! has "$(setting "$1" RestartPreventExitStatus)" "$2"
}
for unit in tacit.service tacit-agent@.service; do
    [ "$(setting $unit Restart)" = on-failure ] || fail "$unit: Restart"
    [ "$(setting $unit StartLimitIntervalSec)" = 0 ] || fail "$unit: after some starts it stays down"
    [ "$(setting $unit RestartSec)" -ge 1 ] || fail "$unit: RestartSec"
    [ -n "$(setting $unit MemoryMax)" ] || fail "$unit: no MemoryMax"
    for code in $passing; do restarts $unit "$code" || fail "$unit stays down after $code"; done
    for code in 0 130 $final; do ! restarts $unit "$code" || fail "$unit is started again after $code"; done
done
# The Unit section has the limit of starts: elsewhere systemd ignores it.
for unit in tacit.service tacit-agent@.service; do
    sed '/^\[Service\]/,$d' "$source/contrib/$unit" | grep -q '^StartLimitIntervalSec=0$' || fail "$unit: StartLimitIntervalSec"
done
if command -v systemd-analyze > /dev/null 2>&1; then
    for unit in tacit.service tacit-agent@site.service; do # as installed, with the program where it is
        sed "s|^ExecStart=tacit |ExecStart=$tacit |" "$source/contrib/$(echo $unit | sed 's/@site/@/')" > "$unit"
        # it may complain of what the machine lacks, never of the unit itself
        systemd-analyze verify --man=no --recursive-errors=no "./$unit" > verify 2>&1 || true
        ! grep "$unit:" verify || fail "systemd-analyze has something to say of $unit"
    done
fi

# ---- ends of processes
ends() { # UNIT CODE WORDS COMMAND...
    unit=$1 want=$2 words=$3 got=0
    shift 3
    timeout 60 "$@" > out 2> err || got=$?
    [ $got = "$want" ] || { fail "$*: ends with $got, not with $want"; cat err; }
    grep -qF -- "$words" err || { fail "expected \"$words\":"; cat err; }
    if has "$passing" "$want"; then restarts "$unit" $got || fail "$unit stays down after: $words"; fi
    if has "$final" "$want"; then ! restarts "$unit" $got || fail "$unit comes back after: $words"; fi
}
document 2 6 "0,1"
serve one 0
found one 3
agent="$tacit agent $url --study s --fingerprint $pin --token-file one.join --accept-not-private --patience-s 0.2"
unit=tacit-agent@.service
# shellcheck disable=SC2086  # words
{
    ends $unit 5 "gave up after 0.2 s" "$tacit" agent https://127.0.0.1:1 --study s --fingerprint "$pin" \
        --token-file one.join --patience-s 0.2 -- echo '{x}'
    ends $unit 3 "no-such-program" $agent --storage sqlite:///a.db -- no-such-program '{x}'
    ends $unit 2 "{y}" $agent --storage sqlite:///a.db -- echo '{y}'
    ends $unit 4 "is not the coordinator with that fingerprint" "$tacit" agent "$url" --study s \
        --fingerprint "sha256//$(printf '%044d' 0 | sed 's/0$/=/')" --token-file one.join -- echo '{x}'
    echo "this is not a database, only a text that is long enough to be taken for one" > text.db
    ends $unit 10 "not a tacit store" "$tacit" studies --storage sqlite:///text.db
    ends tacit.service 10 "not a tacit store" "$tacit" serve --listen 127.0.0.1:0 --storage sqlite:///text.db
    ends tacit.service 2 "unknown scheme" "$tacit" serve --listen 127.0.0.1:0 --storage mysql://x/y
    ends tacit.service 5 "cannot be reached" "$tacit" serve --listen 127.0.0.1:0 --storage postgresql://127.0.0.1:1/x
    # A disk without space: no file grows beyond a few kB.
    ends $unit 5 "full.db" sh -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' sh \
        $agent --storage sqlite:///full.db -- echo '{x}'
    remote one close s > /dev/null
    ends $unit 4 "the coordinator refuses" $agent --storage sqlite:///b.db -- echo '{x}'
}
[ $failed = 0 ] && echo "units_test passed"
exit $failed
