#!/bin/sh
# libraries_test: the shared libraries as others get them. What leaves them, under which versions, what they load; then
# an installed tree alone: examples are built through pkg-config, with the library that each needs, and run.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$TACIT_BIN")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
bad=0
fail() { echo "FAILED: $*"; bad=1; }

"$source/tools/check-exports" "$build" || fail "what the libraries export"

# Whoever wants an accountant loads no linear algebra, no database and no network.
loaded=$(ldd "$build/libtacit-privacy.so" | awk '{ sub(/.*\//, "", $1); sub(/\.so.*/, "", $1); print $1 }' |
         grep -vE '^(linux-vdso|linux-gate|ld-linux.*)$' | LC_ALL=C sort | tr '\n' ' ')
[ "$loaded" = "libc libjansson libm libsodium " ] || fail "libtacit-privacy loads $loaded"

cmake --install "$build" --prefix "$root/usr" > "$root/install.log" || { fail "install:"; cat "$root/install.log"; }
libdir=$(dirname "$(find "$root/usr" -name libtacit.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

compile() { # EXAMPLE PACKAGE: into $root/EXAMPLE
    # shellcheck disable=SC2046
    cc -std=c17 -Wall -Wextra -Werror "$source/examples/$1.c" -o "$root/$1" $(pkg-config --cflags --libs "$2") -lm
}
needs() { # EXAMPLE: the libraries of ours that it is linked with
    readelf -d "$root/$1" | sed -n 's/.*NEEDED.*\[lib\(tacit[a-z-]*\)\..*/\1/p' | tr '\n' ' '
}
compile 04_privacy tacit-privacy || fail "04_privacy does not build with tacit-privacy"
[ "$(needs 04_privacy)" = "tacit-privacy " ] || fail "04_privacy is linked with $(needs 04_privacy)"
"$root/04_privacy" > "$root/privacy.txt" || fail "04_privacy does not run"
grep -q epsilon "$root/privacy.txt" || { fail "04_privacy says:"; cat "$root/privacy.txt"; }

# A handle that libtacit has opened, used and closed by libtacit-privacy; its errors, read by either.
compile 05_private_sum tacit || fail "05_private_sum does not build with tacit"
(cd "$root" && ./05_private_sum > sum.txt) || fail "05_private_sum does not run"
grep -q '^refused: the privacy budget of every agent' "$root/sum.txt" || { fail "05_private_sum says:"; cat "$root/sum.txt"; }
compile 01_ask_tell tacit || fail "01_ask_tell does not build with tacit"
"$root/01_ask_tell" > "$root/tell.txt" || fail "01_ask_tell does not run"

exit $bad
