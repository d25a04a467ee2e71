#!/bin/sh
# libraries_test: the shared libraries as others get them. What leaves them, under which versions, what they load; then
# an installed tree alone: examples are built through pkg-config, with the library that each needs, and run. And the
# module of a store: found from the program and from the library, or TACIT_MODULES; missing, of another version.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$TACIT_BIN")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
unset TACIT_MODULES
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

if [ -e "$build/libtacit-net.so" ]; then # else -DTACIT_NETWORK=OFF
    for example in 07_three_agents 08_coordinator 09_served_worker; do
        compile $example tacit-net || fail "$example does not build with tacit-net"
        (cd "$root" && ./$example > net.txt 2>&1) || { fail "$example does not run:"; cat "$root/net.txt"; }
    done
    case " $(needs 08_coordinator)" in *" tacit-net "*) ;; *) fail "08_coordinator is linked with $(needs 08_coordinator)" ;; esac
else
    [ ! -e "$libdir/pkgconfig/tacit-net.pc" ] || fail "there is a tacit-net.pc without the library"
    left=$(find "$root/usr" -name agent.h -o -name coordinator.h -o -name net.h -o -name trustee.h -o -name '*.service')
    [ -z "$left" ] || fail "without the network there are $left"
fi

# ---- what shells complete

tacit=$root/usr/bin/tacit
for script in bash:bash-completion/completions/tacit zsh:zsh/site-functions/_tacit fish:fish/vendor_completions.d/tacit.fish; do
    "$tacit" completion "${script%%:*}" | cmp - "$root/usr/share/${script#*:}" || fail "completion for ${script%%:*} is not installed"
done

# ---- modules of stores

server="postgresql:///nothing?host=$root&connect_timeout=5" # no server listens there
for file in "$TACIT_BIN" "$tacit" "$build/libtacit.so"; do
    ! readelf -d "$file" | grep -q 'NEEDED.*libpq' || fail "$file is linked with libpq"
done
refuses() { # CODE SENTENCE COMMAND...: TACIT_MODULES as it is
    code=$1 sentence=$2
    shift 2
    status=0
    "$@" > "$root/out" 2>&1 || status=$?
    [ $status -eq "$code" ] || fail "$*: exit code $status, not $code"
    grep -qF -- "$sentence" "$root/out" || { fail "$* does not say \"$sentence\":"; cat "$root/out"; }
}

cat > "$root/client.c" <<'END'
#include <tacit/tacit.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    tacit_ledger *l = NULL;
    tacit_error err = {0};
    tacit_status status = argc > 1 ? tacit_ledger_open(&l, argv[1], "x", &err) : TACIT_E_ARG;
    puts(err.msg);
    return tacit_status_exit(status);
}
END
# shellcheck disable=SC2046
cc "$root/client.c" -o "$root/client" $(pkg-config --cflags --libs tacit) || fail "client.c does not build"

if [ -e "$build/tacit-postgresql.so" ]; then
    modules=$libdir/tacit
    # From the program, called through PATH; from the library, in a program that lies elsewhere; by the variable.
    refuses 5 "$root" env PATH="$root/usr/bin:$PATH" tacit studies --storage "$server"
    refuses 5 "$root" "$root/client" "$server"
    mkdir "$root/elsewhere" "$root/empty"
    mv "$modules/tacit-postgresql.so" "$root/elsewhere/"
    refuses 5 "$root" env TACIT_MODULES="$root/elsewhere" "$tacit" studies --storage "$server"
    refuses 8 "which is not installed with $root/usr/bin" "$tacit" studies --storage "$server"
    refuses 8 "which is not installed with $libdir" "$root/client" "$server"
    refuses 8 "TACIT_MODULES names a folder that has none: \"$root/empty\"" \
        env TACIT_MODULES="$root/empty" "$tacit" studies --storage "$server"
    "$tacit" version | grep -q '^libpq *not installed' || fail "version without the module"

    # Files that are not the module of this build: another interface, another version, no module, no library.
    impostor() { echo "$1" | cc -shared -fPIC -x c - -o "$modules/tacit-postgresql.so" || fail "cc: $1"; }
    impostor 'const struct { unsigned abi, size; const char *version; } tacit_store_module = {4711, 0, "9.9.9"};'
    refuses 8 "has the module interface 4711, and this tacit" "$tacit" studies --storage "$server"
    abi=$(sed -n 's/^#define TC_STORE_MODULE_ABI \([0-9]*\).*/\1/p' "$source/src/study/store_module.h")
    impostor "const struct { unsigned abi, size; const char *version; } tacit_store_module = {$abi, 0, \"9.9.9\"};"
    refuses 8 "is of tacit 9.9.9 and another build than this one" "$tacit" studies --storage "$server"
    impostor 'int nothing;'
    refuses 8 "is not a module of tacit" "$tacit" studies --storage "$server"
    echo text > "$modules/tacit-postgresql.so"
    refuses 8 "the module could not be loaded" "$tacit" studies --storage "$server"
else # -DTACIT_POSTGRES=OFF
    refuses 8 "needs the module tacit-postgresql.so" "$tacit" studies --storage "$server"
fi

# ---- a build without the network

version_of() { "$tacit" version | awk -v name="$1" '$1 == name { print $2, $3 }'; }
if readelf -d "$tacit" | grep -q 'NEEDED.*libmicrohttpd'; then
    for library in gnutls microhttpd curl; do
        case $(version_of $library) in [0-9]*) ;; *) fail "version: $library $(version_of $library)" ;; esac
    done
else # -DTACIT_NETWORK=OFF
    without="needs the network, and this tacit was built without it (TACIT_NETWORK=OFF)"
    refuses 8 "tacit serve $without" "$tacit" serve
    refuses 8 "tacit agent $without" "$tacit" agent https://127.0.0.1:1 --study x -- true
    refuses 8 "tacit remote studies $without" "$tacit" remote studies --server https://127.0.0.1:1
    refuses 8 "tacit demo $without" "$tacit" demo
    echo token > "$root/token"
    refuses 8 "built without the network (TACIT_NETWORK=OFF) and cannot reach https://127.0.0.1:1" \
        "$tacit" studies --server https://127.0.0.1:1 --fingerprint sha256//x --token-file "$root/token"
    refuses 0 "serve" "$tacit" serve --help
    for library in gnutls microhttpd curl; do
        [ "$(version_of $library)" = "not built" ] || fail "version: $library $(version_of $library)"
    done
    ! readelf -d "$tacit" | grep -qE 'NEEDED.*(gnutls|curl)' || fail "the program is linked with gnutls or curl"
fi

exit $bad
