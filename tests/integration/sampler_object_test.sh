#!/bin/sh
# sampler_object_test: the exact samplers hold no floating-point instruction and call nobody
# who could. Looks at every sampler.c.o of the build; first at an object that must be found guilty.
set -eu

command -v objdump >/dev/null || { echo "skipped: objdump is not installed"; exit 0; }
build=$(dirname "${TACIT_BIN:?}")

case $(uname -m) in
x86_64) float='%[xyz]mm[0-9]|%mm[0-7]|%st\b|[[:space:]]f(ld|st|add|mul|sub|div|ild|istp)' ;;
aarch64) float='[[:space:],{][bhsdqv][0-9]+\b|[[:space:]]f(add|mul|sub|div|mov|cvt)' ;;
*) echo "skipped: no pattern for $(uname -m)"; exit 0 ;;
esac

floating() { objdump -d --no-show-raw-insn "$1" | cut -f2- | grep -E "$float"; }

# Long division of integers, and what sanitizers and hardening insert.
strangers() {
    nm -u "$1" | awk '{print $2}' |
        grep -vE '^(__u(div|mod|divmod)ti[34]|__stack_chk_.*|__(a|ub|t)san_.*|_GLOBAL_OFFSET_TABLE_|__sanitizer_.*|__gcov_.*)$'
}

control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
if command -v cc >/dev/null; then
    echo 'double exp(double); double f(double x) { return exp(x) * x; }' >"$control/guilty.c"
    cc -O2 -c "$control/guilty.c" -o "$control/guilty.o"
    floating "$control/guilty.o" >/dev/null || { echo "the check finds no floating point at all"; exit 1; }
    strangers "$control/guilty.o" >/dev/null || { echo "the check finds no call at all"; exit 1; }
fi

objects=$(find "$build" -name 'sampler.c.o' -path '*privacy*')
[ -n "$objects" ] || { echo "no sampler.c.o below $build"; exit 1; }
status=0
for object in $objects; do
    if floating "$object"; then
        echo "floating point in $object"
        status=1
    fi
    if strangers "$object"; then
        echo "calls that are not allowed in $object"
        status=1
    fi
done
exit $status
