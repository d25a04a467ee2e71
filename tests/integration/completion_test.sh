#!/bin/sh
# completion_test.sh - what shells complete is what the program has: every verb, option, choice and list, in a real
# bash, and in zsh and fish where they are installed (tools/setup test installs them).
#
# Needs TACIT_BIN (default: tacit in PATH) and bash.
set -u
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"

. "$(dirname "$0")/../support/frame.sh"
: > out
: > err

for shell in bash zsh fish; do
    good "completion $shell" completion $shell
    cp out script.$shell
done
bad 2 'SHELL must be bash, zsh or fish, got "csh"' completion csh
bad 2 'an argument is missing; usage: tacit completion bash|zsh|fish' completion

# The words that --help lists below a heading, sorted.
listed() { # HEADING WORD...
    heading=$1
    shift
    "$tacit" "$@" --help | awk -v heading="$heading" '/^[^ ]/ { on = $0 == heading } on && /^  [^ ]/ { print }'
}
verbs_of_help() { listed Verbs | awk '{ print $1 }' | sort; }
options_of_help() { { listed Options "$@"; listed "Options of every verb" "$@"; } | awk '{ print $1 }' | sort; }
members_of_help() { listed Verbs "$1" | awk '{ print $2 }' | sort; }
families="remote curate model privacy demo"
check "help lists verbs" [ "$(verbs_of_help | wc -l)" -gt 20 ]
check "help lists options" [ "$(options_of_help optimize | wc -l)" -gt 15 ]

# ---- bash

. ./script.bash
# completes WORD...: what bash offers for the last word, one a line, sorted
completes() {
    COMP_WORDS=(tacit "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _tacit
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort
}
# same NAME EXPECTED GOT: both are lists
same() {
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; printf '# wanted %s\n# got    %s\n' "$(echo $2)" "$(echo $3)"; fi
}

same "bash: the verbs" "$( (verbs_of_help; printf 'help\n--help\n--version\n') | sort)" "$(completes '')"
for verb in $(verbs_of_help) ; do
    same "bash: options of $verb" "$(options_of_help $verb)" "$(completes $verb --)"
done
for family in $families; do
    same "bash: members of $family" "$(members_of_help $family)" "$(completes $family '')"
    for member in $(members_of_help $family); do
        same "bash: options of $family $member" "$(options_of_help $family $member)" "$(completes $family $member --)"
    done
done
same "bash: the beginning of a verb" "$(printf 'optimize\n')" "$(completes opt)"
same "bash: formats" "$(printf 'csv\njson\njsonl\ntable\n')" "$(completes best --format '')"
same "bash: the beginning of a format" "$(printf 'json\njsonl\n')" "$(completes best --format j)"
same "bash: a value behind =" "$(printf 'json\njsonl\n')" "$(completes best --format = j)"
same "bash: nothing behind = yet" "$(printf 'csv\njson\njsonl\ntable\n')" "$(completes best --format =)"
same "bash: kinds of plots" "$(printf 'regret\n')" "$(completes plot --kind reg)"
same "bash: algorithms" "$("$tacit" algorithms --format csv | sed 1d | cut -d, -f1 | sort)" "$(completes simulate --algorithm '')"
same "bash: objectives" "$("$tacit" objectives --format csv | sed 1d | cut -d, -f1 | sort)" "$(completes simulate --objective '')"
same "bash: states" "$(printf 'COMPLETE\nDELETED\nFAIL\nPRUNED\nRUNNING\nSTALE\nWAITING\n')" "$(completes trials s --state '')"
same "bash: a number has no list" "" "$(completes optimize --jobs '')"
same "bash: an option that takes no value has an argument behind it" "$(printf 'script.zsh\n')" "$(completes optimize --quiet script.z)"
same "bash: verbs to explain" "$(printf 'simulate\n')" "$(completes help sim)"
same "bash: the shells" "$(printf 'bash\nfish\nzsh\n')" "$(completes completion '')"
mkdir folder
: > 'a study.json'
same "bash: files" "$(printf 'a study.json\n')" "$(completes optimize 'a st')"
same "bash: a file of an option" "$(printf 'script.bash\n')" "$(completes best s --token-file script.b)"
same "bash: folders" "$(printf 'folder\n')" "$(completes demo --out fol)"
same "bash: behind -- another program's words" "$(printf 'script.fish\n')" "$(completes optimize s -- ./train script.f)"

# The script runs the program by its name.
PATH="$(cd "$(dirname "$tacit")" && pwd):$PATH"
for name in oven-a oven-b; do
    echo "{\"name\": \"$name\", \"direction\": \"minimize\", \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}" > made.json
    good "a study" ask made.json --storage sqlite:///completed.db
done
sed 's/oven-b/boiler/' made.json > other.json
good "a study elsewhere" ask other.json --storage sqlite:///other.db
rm made.json other.json
: > oven.csv
TACIT_STORAGE=sqlite:///completed.db
export TACIT_STORAGE
same "bash: studies and files" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(completes best ov)"
same "bash: of plots" "$(printf 'oven-a\n')" "$(completes plot --quiet oven-a)"
same "bash: of a server none is asked for" "$(printf 'oven.csv\n')" "$(TACIT_STORAGE=https://127.0.0.1:1 completes best ov)"
same "bash: without a storage there are files" "$(printf 'oven.csv\n')" "$(TACIT_STORAGE=sqlite:///none.db completes best ov)"
check "nothing was made" [ ! -e none.db ]
elsewhere=sqlite:///none.db
same "bash: of the storage that was typed" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(TACIT_STORAGE=$elsewhere completes best --storage sqlite:///completed.db ov)"
same "bash: as bash splits it" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(TACIT_STORAGE=$elsewhere completes best --storage sqlite : ///completed.db ov)"
same "bash: behind =" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(TACIT_STORAGE=$elsewhere completes best --storage = sqlite : ///completed.db --quiet ov)"
same "bash: another one than usual" "$(printf 'oven.csv\n')" "$(completes best --storage sqlite:///none.db ov)"
same "bash: a server that was typed is not asked" "$(printf 'oven.csv\n')" "$(completes best --server https : //127.0.0.1 : 1 ov)"
same "bash: not behind --" "$(printf 'oven.csv\n')" "$(TACIT_STORAGE=$elsewhere completes optimize -- --storage sqlite:///completed.db ov)"

# ---- zsh: its own completion system, on a terminal of its own

# What comes back is one text: "LINE:..." and the words of that line.
zsh_words() { # LINE
    awk -v line="LINE:$1" '/^LINE:/ { on = $0 == line; next } on { sub(/=$/, ""); print }' zsh.out | sort
}
if command -v zsh > zsh.path; then
    check "zsh reads its script" zsh -n script.zsh
    for verb in $(verbs_of_help); do echo "tacit $verb --"; done > lines
    for family in $families; do for member in $(members_of_help $family); do echo "tacit $family $member --"; done; done >> lines
    printf 'tacit \ntacit best --format \ntacit best --format=j\ntacit privacy \ntacit completion \ntacit optimize a\\ st\ntacit best ov\n' >> lines
    printf 'tacit best --storage sqlite:///none.db ov\ntacit best --storage=sqlite:///none.db ov\ntacit best --server https://127.0.0.1:1 ov\n' >> lines
    printf 'tacit best --storage sqlite:///other.db bo\ntacit best --storage=sqlite:///other.db --quiet bo\n' >> lines
    mapfile -t wanted < lines
    timeout 300 zsh -f "$root/tests/support/zsh_completes.zsh" ./script.zsh "${wanted[@]}" > zsh.out 2> err || not_ok "zsh completes"
    same "zsh: the verbs" "$( (verbs_of_help; echo help) | sort)" "$(zsh_words 'tacit ')"
    for verb in $(verbs_of_help); do
        same "zsh: options of $verb" "$(options_of_help $verb)" "$(zsh_words "tacit $verb --")"
    done
    for family in $families; do
        for member in $(members_of_help $family); do
            same "zsh: options of $family $member" "$(options_of_help $family $member)" "$(zsh_words "tacit $family $member --")"
        done
    done
    same "zsh: formats" "$(printf 'csv\njson\njsonl\ntable\n')" "$(zsh_words 'tacit best --format ')"
    same "zsh: a value behind =" "$(printf 'json\njsonl\n')" "$(zsh_words 'tacit best --format=j')"
    same "zsh: members of privacy" "$(members_of_help privacy)" "$(zsh_words 'tacit privacy ')"
    same "zsh: the shells" "$(printf 'bash\nfish\nzsh\n')" "$(zsh_words 'tacit completion ')"
    same "zsh: studies and files" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(zsh_words 'tacit best ov')"
    for way in '--storage sqlite:///none.db' '--storage=sqlite:///none.db' '--server https://127.0.0.1:1'; do
        same "zsh: none by $way" "oven.csv" "$(zsh_words "tacit best $way ov")"
    done
    for way in '--storage sqlite:///other.db' '--storage=sqlite:///other.db --quiet'; do
        same "zsh: of the storage that was typed, $way" boiler "$(zsh_words "tacit best $way bo")"
    done
    same "zsh: files" "a\\ study.json" "$(zsh_words 'tacit optimize a\ st')"
else
    echo "# zsh is not installed: its script was not tried"
fi

# ---- fish, which says what it would offer

fish_words() { # LINE
    fish --no-config -c "source script.fish; complete -C '$1'" 2> err | cut -f1 | sort
}
if command -v fish > fish.path; then
    check "fish reads its script" fish --no-execute script.fish
    same "fish: the verbs" "$( (verbs_of_help; echo help) | sort)" "$(fish_words 'tacit ')"
    for verb in $(verbs_of_help); do
        same "fish: options of $verb" "$(options_of_help $verb)" "$(fish_words "tacit $verb --")"
    done
    same "fish: options of a member" "$(options_of_help privacy status)" \
        "$( (options_of_help privacy; options_of_help privacy status) | sort -u | comm -12 - <(fish_words 'tacit privacy status --'))"
    same "fish: formats" "$(printf 'csv\njson\njsonl\ntable\n')" "$(fish_words 'tacit best --format ')"
    same "fish: members of privacy" "$(members_of_help privacy)" "$(fish_words 'tacit privacy ')"
    same "fish: the shells" "$(printf 'bash\nfish\nzsh\n')" "$(fish_words 'tacit completion ')"
    same "fish: studies and files" "$(printf 'oven-a\noven-b\noven.csv\n')" "$(fish_words 'tacit best ov')"
    for way in '--storage sqlite:///none.db' '--storage=sqlite:///none.db' '--server https://127.0.0.1:1'; do
        same "fish: none by $way" "oven.csv" "$(fish_words "tacit best $way ov")"
    done
    for way in '--storage sqlite:///other.db' '--storage=sqlite:///other.db --quiet'; do
        same "fish: of the storage that was typed, $way" boiler "$(fish_words "tacit best $way bo")"
    done
    same "fish: files" "a study.json" "$(fish_words 'tacit optimize a\ st')"
else
    echo "# fish is not installed: its script was not tried"
fi
finish
