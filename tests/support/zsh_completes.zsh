# zsh_completes.zsh SCRIPT LINE...: what zsh offers at the end of each line, with the completion function of SCRIPT: "LINE:..."
# and the words below it. An interactive zsh on a terminal of its own, whose compadd says what it is given.
zmodload zsh/zpty
script=$1
shift
setup='
PROMPT= RPROMPT=
autoload -Uz compinit && compinit -D -u
zstyle ":completion:*" verbose no
compadd() {
    local -a hits
    if [[ "${@[1,(i)(-|--)]}" == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    builtin compadd -A hits "$@"
    [[ -n $hits ]] && print -rl -- "HIT:"${^hits}
    builtin compadd "$@"
}
zle -C offer complete-word offered
offered() { _main_complete; compstate[insert]= compstate[list]=; }
work() { zle offer; print -r -- END: ; BUFFER=; }
zle -N work
bindkey "^I" work
source '$script'
print READY
'
zpty z zsh -f -i
zpty -w z "source /dev/stdin <<'XX'
$setup
XX"
zpty -r z out '*READY*'
for line; do
    print -r -- "LINE:$line"
    zpty -w -n z "$line"$'\t'
    zpty -r z out $'*END:*'
    print -r -- "$out" | tr -d '\r' | sed -n 's/.*HIT://p' | sort -u
done
zpty -d z
