/* zsh.c - the script for zsh: a function for _arguments and _describe. See completion.h. */
#include "completion/completion.h"

#include <string.h>

static const char quote[] = "'\\''";

/* s inside of single quotes, with a backslash before each character of `special`. */
static void part(tc_completion *c, const char *s, const char *special)
{
    for (; *s; s++) {
        if (*s == '\'') {
            fputs(quote, c->out);
            continue;
        }
        if (strchr(special, *s))
            fputc('\\', c->out);
        fputc(*s, c->out);
    }
}

static void action(tc_completion *c, tc_completion_kind kind, const char *words)
{
    if (kind == TC_COMPLETE_WORDS)
        fprintf(c->out, "(%s)", words);
    else
        fputs(kind == TC_COMPLETE_FILES     ? "_files"
              : kind == TC_COMPLETE_FOLDERS ? "_files -/"
              : kind == TC_COMPLETE_STUDIES ? "_tacit_studies"
                                            : " ",
              c->out);
}

static void option(tc_completion *c, const tc_verb *verb, const tc_option *o)
{
    const char *words;
    (void)verb;
    fprintf(c->out, " \\\n            '%s--%s%s[",
            strcmp(o->value ? o->value : "", "NAME=VALUE") == 0 ? "*" : "", o->name,
            o->type == TC_OPTION_BOOL ? "" : "=");
    part(c, o->help ? o->help : "", "[]\\");
    fputs("]", c->out);
    if (o->type != TC_OPTION_BOOL) {
        fputs(":", c->out);
        part(c, o->value ? o->value : "value", ":\\");
        fputs(":", c->out);
        tc_completion_kind kind = tc_completion_of(c, o, &words);
        action(c, kind, words);
    }
    fputs("'", c->out);
}

static void arguments_of(tc_completion *c, const tc_verb *verb)
{
    const char *words;
    fprintf(c->out, "    '%s')\n        _arguments -S", verb->name);
    tc_completion_options(c, verb, option);
    tc_completion_kind kind = tc_completion_argument(c, verb, &words);
    if (kind != TC_COMPLETE_NOTHING) {
        fputs(" \\\n            '*:argument:", c->out);
        action(c, kind, words);
        fputs("'", c->out);
    }
    fputs(" ;;\n", c->out);
}

static void described(tc_completion *c, const tc_verb *verb)
{
    fputs("            '", c->out);
    part(c, tc_completion_word(verb), ":\\");
    fputs(":", c->out);
    part(c, verb->summary, "\\");
    fputs("'\n", c->out);
}

/* The second word belongs to the verb's name, unless it is an option. */
static void family(tc_completion *c, const tc_verb *verb)
{
    fprintf(c->out, "    %s)\n        list=(\n", verb->name);
    for (const tc_verb *const *m = verb->family; *m; m++)
        described(c, *m);
    fputs("        )\n        if [[ $words[2] != -* ]]; then\n"
          "            if (( CURRENT == 2 )); then\n                _describe verb list\n"
          "                return\n            fi\n            verb=\"$verb $words[2]\"\n"
          "            shift words\n            (( CURRENT-- ))\n        fi ;;\n",
          c->out);
}

void tc_completion_zsh(tc_completion *c)
{
    FILE *out = c->out;
    fputs("#compdef tacit\n# Completion of tacit for zsh. Made by `tacit completion zsh`.\n\n"
          "# What the line says of an option, into $said.\n"
          "_tacit_said() {\n"
          "    local -i i\n"
          "    said=\n"
          "    for (( i = 1; i < CURRENT; i++ )); do\n"
          "        case $words[i] in\n"
          "        --) return ;;\n"
          "        $1=*) said=${(Q)words[i]#*=} ;;\n"
          "        $1) (( i + 1 < CURRENT )) && said=${(Q)words[i+1]} ;;\n"
          "        esac\n"
          "    done\n"
          "}\n\n"
          "# Studies, and files.\n"
          "_tacit_studies() {\n"
          "    local -a names\n"
          "    local said storage server\n"
          "    _tacit_said --storage\n"
          "    storage=$said\n"
          "    _tacit_said --server\n"
          "    server=$said\n"
          "    case ${storage:-${server:-${TACIT_STORAGE:-${TACIT_SERVER:-sqlite:}}}} in\n"
          "    sqlite:*) names=(${(f)\"$(" TC_COMPLETE_COMMAND(
              "${storage:+\"--storage=$storage\"}") ")\"}) ;;\n"
                                                    "    esac\n"
                                                    "    _alternative 'studies:study:compadd -a "
                                                    "names' 'files:file:_files'\n"
                                                    "}\n\n"
                                                    "_tacit() {\n    local -a list\n    local "
                                                    "verb=$words[2]\n    if (( CURRENT == 2 )); "
                                                    "then\n"
                                                    "        list=(\n",
          out);
    for (const tc_verb *const *v = c->verbs; *v; v++)
        described(c, *v);
    fputs("            'help:what a verb does'\n        )\n        _describe verb list\n"
          "        return\n    fi\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n",
          out);
    for (const tc_verb *const *v = c->verbs; *v; v++)
        if ((*v)->family)
            family(c, *v);
    fprintf(out, "    esac\n    case $verb in\n    help) _arguments '1:verb:(%s)' ;;\n",
            tc_text_get(&c->names));
    tc_completion_each(c, arguments_of);
    fputs("    esac\n}\n\n# Run by the completion system, or sourced.\n"
          "if [ \"$funcstack[1]\" = _tacit ]; then\n    _tacit \"$@\"\nelse\n"
          "    compdef _tacit tacit\nfi\n",
          out);
}
