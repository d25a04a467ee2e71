#!/bin/sh
# nulls_test: no function of the public headers crashes on NULL; those with a status are E_ARG and name the pointer. The calls
# are in nulls.c, which the build makes a program of; each function that takes a pointer must be there.
# Needs the network.
set -eu
export LC_ALL=C
source=${TACIT_SOURCE:?}
program=$(realpath "${NULLS:-./nulls}")
work=$(mktemp -d "${TMPDIR:-/tmp}/tacit-nulls.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0

# Declarations, one a line; a function without "*", "[" and a callback takes no pointer but err.
for header in "$source"/include/tacit/*.h "$source"/include/tacit/experimental/*.h; do
    sed 's|/\*.*\*/||' "$header" | tr '\n' ' ' | grep -oE 'TACIT_API [^;]*;'
done | grep -E '\(.*(\*|\[|_visit )' | sed 's/tacit_error \*err//' | grep -E '\(.*(\*|\[|_visit )' |
    sed -E 's/^[^(]*[ *](tacit_[a-z_]+)\(.*/\1/' | sort -u >"$work/declared"
grep -q '^tacit_study_report$' "$work/declared" || { echo "the headers were not read"; exit 1; }
grep -E '^ +(REFUSED|EMPTY|HARMLESS)\(|^ +tacit_[a-z_]+\(.*, err\)\);$' "$source/tests/integration/nulls.c" |
    grep -oE 'tacit_[a-z_]+\(' | tr -d '(' | sort -u >"$work/called"
for name in $(comm -23 "$work/declared" "$work/called"); do
    echo "not ok - nulls.c does not call $name"
    status=1
done

sh "$source/tests/support/empty_folder" "$program" >"$work/log" || status=1
cat "$work/log"
[ $status = 0 ] && echo "nulls_test passed"
exit $status
