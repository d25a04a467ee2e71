#!/bin/sh
# headers_test: every public header compiles alone and twice, as C99, C11, C17 and C++17, without a warning, and
# the macro of each struct that has one gives it its size. Enumerations have numbers, and structs begin with their
# size unless they are in the list below or in an experimental header, which promises no ABI.
# Headers of earlier versions are kept in tests/abi: the callers there use all of them, and numbers of enumerations and
# places of members are today what they were.
set -eu
export LC_ALL=C
source=${TACIT_SOURCE:?}
work=$(mktemp -d "${TMPDIR:-/tmp}/tacit-headers.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "FAILED: $*"; status=1; }
command -v cc >/dev/null || { echo "no C compiler cc"; exit 1; }
command -v c++ >/dev/null || { echo "no C++ compiler c++: tools/setup test installs one"; exit 1; }

# Structs that stay as they are, for ever: elements of arrays, members of other structs, values that functions
# return, and tacit_error, which callers do not begin.
fixed="tacit_error tacit_dp_event tacit_hash tacit_head tacit_batch tacit_step"

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

# ---- the headers that are kept

# Names of the kept headers, one a line: functions, and what a macro or an enumeration defines.
functions_of() { # FOLDER
    cat "$1"/*.h | grep TACIT_API | grep -oE 'tacit_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}
macros_of() { # FOLDER
    cat "$1"/*.h | sed -n 's/^#define \(TACIT_[A-Z0-9_]*\).*/\1/p' |
        grep -vE '_H$|^TACIT_(H|API|PRINTF|STATUS_ENUM)$' | sort -u
}
# All of them in one text without comments and line ends, in which a struct or an enumeration is one match.
flatten() { # FOLDER
    for header in "$1"/*.h; do echo "#include <tacit/${header##*/}>"; done >"$work/all.c"
    cc -E -P -I"${1%/tacit}" "$work/all.c" | tr '\n' ' ' >"$work/flat"
}
enumerated() { grep -oE 'enum tacit_[a-z_]+ *\{[^}]*\}' "$work/flat" | grep -oE 'TACIT_[A-Z0-9_]+' | sort -u; }
# "STRUCT MEMBER" for each member.
members() {
    grep -oE 'struct tacit_[a-z_]+ *\{[^}]*\}' "$work/flat" | awk '{
        name = $2; sub(/^[^{]*\{/, ""); sub(/\}$/, "")
        n = split($0, declared, ";")
        for (i = 1; i <= n; i++) {
            text = declared[i]
            if (match(text, /\(\*[a-z_0-9]+\)/)) { print name, substr(text, RSTART + 2, RLENGTH - 3); continue }
            gsub(/\[[^]]*\]/, "", text)
            k = split(text, declarators, ",")
            for (j = 1; j <= k; j++)
                if (match(declarators[j], /[a-z_0-9]+ *$/)) {
                    member = substr(declarators[j], RSTART); sub(/ *$/, "", member); print name, member
                }
        }
    }'
}
# A program that prints the numbers and places that other programs were compiled with. Structs with a size may have grown.
write_layout() { # FOLDER
    cat "$work/all.c"
    echo '#include <stddef.h>'
    echo '#include <stdio.h>'
    echo 'int main(void)'
    echo '{'
    { enumerated; cat "$1"/*.h | sed -nE 's/^#define (TACIT_[A-Z_]+) +([0-9][0-9.]*|UINT64_MAX)( .*)?$/\1/p'; } |
        grep -v TACIT_VERSION | awk '{ printf "    printf(\"%s is %%.17g\\n\", (double)%s);\n", $1, $1 }'
    members | awk '{ printf "    printf(\"%s.%s is at %%zu, %%zu bytes\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", $1, $2, $1, $2, $1, $2 }'
    for struct in $fixed; do printf '    printf("%s has %%zu bytes\\n", sizeof(%s));\n' "$struct" "$struct"; done
    echo '    return 0;'
    echo '}'
}

print_layout() { # INCLUDE OUT
    : >"$2"
    cc -std=c11 -Wall -Werror -I"$1" "$work/layout.c" -o "$work/layout" >"$work/log" 2>&1 ||
        { fail "what $kept has is not all in $1"; head -n 5 "$work/log"; return; }
    "$work/layout" >"$2"
}

: >"$work/kept"
for kept in "$source"/tests/abi/*/include/tacit; do
    flatten "$kept"
    functions_of "$kept" >>"$work/kept"
    { functions_of "$kept"; macros_of "$kept"; enumerated; members | cut -d' ' -f1; } | sort -u >"$work/names"
    cat "$source"/tests/abi/*.[ch] >"$work/callers"
    grep -oE '[A-Za-z_][A-Za-z0-9_]*' "$work/callers" | sort -u >"$work/used"
    for name in $(comm -23 "$work/names" "$work/used"); do fail "no caller of tests/abi uses $name"; done
    grep -oE '(\.|->)[a-z_0-9]+' "$work/callers" | sed 's/^\.//; s/^->//' | sort -u >"$work/used"
    members | sort -k2,2 | join -1 2 -2 1 -v 1 -o 1.1,1.2 - "$work/used" | sed 's/ /./' >"$work/unused"
    [ ! -s "$work/unused" ] || { sed 's/^/no caller of tests\/abi uses /' "$work/unused"; status=1; }
    write_layout "$kept" >"$work/layout.c"
    print_layout "${kept%/tacit}" "$work/earlier"
    print_layout "$source/include" "$work/today"
    for line in 'tacit_trial.value is at ' 'TACIT_E_ARG is 2' 'tacit_batch has '; do
        grep -q "^$line" "$work/earlier" || fail "the layout of $kept was not read: nothing says \"$line\""
    done
    diff "$work/earlier" "$work/today" >"$work/log" || { fail "a number or a member has moved since $kept:"; cat "$work/log"; }
done
sort -u "$work/kept" >"$work/names"
for name in $(functions_of "$source/include/tacit" | comm -23 - "$work/names"); do fail "$name is not in the headers kept in tests/abi (README.md there)"; done

[ $status = 0 ] && echo "headers_test passed"
exit $status
