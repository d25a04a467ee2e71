#!/bin/sh
# headers_test: every public header compiles alone and twice, as C99, C11, C17 and C++17, without a warning, and
# the macro of each struct that has one gives it its size. Enumerations have numbers, and structs begin with their
# size unless they are in the list below or in an experimental header, which promises no ABI. tests/abi/caller.c calls every function of the headers kept there.
set -eu
source=${TACIT_SOURCE:?}
work=$(mktemp -d "${TMPDIR:-/tmp}/tacit-headers.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "FAILED: $*"; status=1; }
command -v cc >/dev/null || { echo "no C compiler cc"; exit 1; }
command -v c++ >/dev/null || { echo "no C++ compiler c++: tools/setup test installs one"; exit 1; }

# Structs that stay as they are, for ever: elements of arrays, members of other structs, values that functions
# return, and tacit_error, which callers do not begin.
fixed="tacit_error tacit_dp_event tacit_hash tacit_head tacit_batch"

# A program that includes the header twice and checks the size in each macro TACIT_X of a struct tacit_x.
write_user() { # HEADER FILE
    structs=$(sed -n 's/^} \(tacit_[a-z_]*\);.*/\1/p' "$source/include/tacit/$1")
    echo "#include <tacit/$1>"
    echo "#include <tacit/$1>"
    echo "int main(void)"
    echo "{"
    echo "    int wrong = 0;"
    for struct in $structs; do
        macro=$(echo "$struct" | tr '[:lower:]' '[:upper:]')
        grep -q "^#define $macro\b" "$source/include/tacit/$1" || continue
        echo "    $struct v_$struct = $macro;"
        case $1 in
        experimental/*) echo "    (void)v_$struct;" ;;
        *) echo "    wrong += v_$struct.size != sizeof v_$struct;" ;;
        esac
    done
    echo "    return wrong;"
    echo "}"
}

for header in $(cd "$source/include/tacit" && find . -name '*.h' | sed 's|^\./||' | sort); do
    write_user "$header" >"$work/user.c"
    cp "$work/user.c" "$work/user.cc"
    for how in "cc -std=c99 user.c" "cc -std=c11 user.c" "cc -std=c17 user.c" "c++ -std=c++17 user.cc"; do
        # shellcheck disable=SC2086  # words
        (cd "$work" && ${how% *} -Wall -Wextra -pedantic -Werror -I"$source/include" "${how##* }" -o user) >"$work/log" 2>&1 ||
            { fail "$header with ${how% *}"; head -n 5 "$work/log"; continue; }
        "$work/user" || fail "$header: a macro has another size than its struct (${how% *})"
    done
done

for header in $(find "$source/include/tacit" -name '*.h'); do
    cc -E -P -I"$source/include" "$header" | tr '\n' ' ' | grep -oE 'enum tacit_[a-z_]+ *\{[^}]*\}' |
        sed 's/.*{//; s/}//' | tr ',' '\n' | grep TACIT_ | grep -v = |
        sed "s|^|$(basename "$header"): no number: |" >"$work/numberless" || true
    [ ! -s "$work/numberless" ] || { cat "$work/numberless"; status=1; }
    case $header in */experimental/*) continue ;; esac
    awk -v fixed=" $fixed " -v file="$(basename "$header")" '
        /^typedef struct [a-z_]+ \{/ { name = $3; getline
            if ($0 !~ /^ *size_t size;/ && index(fixed, " " name " ") == 0) { print file ": " name " has no size"; bad = 1 } }
        END { exit bad }' "$header" || status=1
done

for name in $(cat "$source"/tests/abi/*/include/tacit/*.h | grep 'TACIT_API' | grep -oE 'tacit_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u); do
    grep -qE "\b$name\b" "$source/tests/abi/caller.c" || fail "tests/abi/caller.c does not call $name"
done

[ $status = 0 ] && echo "headers_test passed"
exit $status
