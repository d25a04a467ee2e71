/* bash.c - the script for bash: one function, whose cases are the tables. See completion.h. */
#include "completion/completion.h"

static const char start[] =
    "# Completion of tacit for bash. Made by `tacit completion bash`.\n"
    "\n"
    "# Words or names of files that begin as the present word does.\n"
    "_tacit_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_tacit_files() {\n"
    "    compopt -o filenames 2> /dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "# What the line says of an option, into $said. Bash makes several words of a URL.\n"
    "_tacit_said() {\n"
    "    local i\n"
    "    said=\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --) return ;;\n"
    "        \"$1\"=*) said=${COMP_WORDS[i]#*=} ;;\n"
    "        \"$1\")\n"
    "            [ \"${COMP_WORDS[i+1]}\" = = ] && ((i++))\n"
    "            said=${COMP_WORDS[i+1]}\n"
    "            while [ \"${COMP_WORDS[i+2]}\" = : ] && [ $((i + 3)) -lt \"$COMP_CWORD\" ]; do\n"
    "                said=$said:${COMP_WORDS[i+3]}\n"
    "                ((i += 2))\n"
    "            done ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "\n"
    "# Studies, and files.\n"
    "_tacit_studies() {\n"
    "    local names= said storage server\n"
    "    _tacit_said --storage\n"
    "    storage=${said//[\\\"\\\']/}\n"
    "    _tacit_said --server\n"
    "    server=$said\n"
    "    case ${storage:-${server:-${TACIT_STORAGE:-${TACIT_SERVER:-sqlite:}}}} in\n"
    "    sqlite:*) names=$(" TC_COMPLETE_COMMAND(
        "${storage:+\"--storage=$storage\"}") ") ;;\n"
                                              "    esac\n"
                                              "    compopt -o filenames 2> /dev/null\n"
                                              "    mapfile -t COMPREPLY < <(compgen -W \"$names\" "
                                              "-- \"$cur\"; compgen -f -- \"$cur\")\n"
                                              "}\n"
                                              "\n"
                                              "_tacit() {\n"
                                              "    local cur=${COMP_WORDS[COMP_CWORD]} "
                                              "prev=${COMP_WORDS[COMP_CWORD-1]} "
                                              "verb=${COMP_WORDS[1]} i\n"
                                              "    COMPREPLY=()\n"
                                              "    # --name=value comes as three words.\n"
                                              "    if [ \"$cur\" = = ]; then\n"
                                              "        cur=\n"
                                              "    elif [ \"$prev\" = = ] && [ \"$COMP_CWORD\" -gt "
                                              "2 ]; then\n"
                                              "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                                              "    fi\n"
                                              "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";

static const char after_double_dash[] =
    "    # What follows -- belongs to another program.\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        [ \"${COMP_WORDS[i]}\" = -- ] && { _tacit_files -f; return; }\n"
    "    done\n";

static void values(tc_completion *c, const tc_verb *verb, const tc_option *o)
{
    const char *words;
    if (o->type == TC_OPTION_BOOL)
        return;
    fprintf(c->out, "    \"%s --%s\") ", verb->name, o->name);
    switch (tc_completion_of(c, o, &words)) {
    case TC_COMPLETE_WORDS:
        fprintf(c->out, "_tacit_words \"%s\"; ", words);
        break;
    case TC_COMPLETE_FILES:
        fputs("_tacit_files -f; ", c->out);
        break;
    case TC_COMPLETE_FOLDERS:
        fputs("_tacit_files -d; ", c->out);
        break;
    case TC_COMPLETE_STUDIES:
    case TC_COMPLETE_NOTHING:
        break;
    }
    fputs("return ;;\n", c->out);
}

static void values_of(tc_completion *c, const tc_verb *verb)
{
    tc_completion_options(c, verb, values);
}

static void option_name(tc_completion *c, const tc_verb *verb, const tc_option *o)
{
    (void)verb;
    fprintf(c->out, " --%s", o->name);
}

static void names_of(tc_completion *c, const tc_verb *verb)
{
    fprintf(c->out, "        \"%s\") _tacit_words \"", verb->name);
    tc_completion_options(c, verb, option_name);
    fputs("\" ;;\n", c->out);
}

static void argument_of(tc_completion *c, const tc_verb *verb)
{
    const char *words;
    switch (tc_completion_argument(c, verb, &words)) {
    case TC_COMPLETE_WORDS:
        fprintf(c->out, "    \"%s\") _tacit_words \"%s\" ;;\n", verb->name, words);
        break;
    case TC_COMPLETE_FILES:
    case TC_COMPLETE_FOLDERS:
        fprintf(c->out, "    \"%s\") _tacit_files -f ;;\n", verb->name);
        break;
    case TC_COMPLETE_STUDIES:
        fprintf(c->out, "    \"%s\") _tacit_studies ;;\n", verb->name);
        break;
    case TC_COMPLETE_NOTHING:
        break;
    }
}

/* The second word of a family; once it is there, it belongs to the verb's name. An option in its place does not. */
static void family(tc_completion *c, const tc_verb *verb)
{
    fprintf(c->out,
            "    %s)\n        case ${COMP_WORDS[2]} in\n        -*) ;;\n        *)\n"
            "            if [ \"$COMP_CWORD\" -eq 2 ]; then\n                _tacit_words \"",
            verb->name);
    for (const tc_verb *const *m = verb->family; *m; m++)
        fprintf(c->out, "%s%s", m == verb->family ? "" : " ", tc_completion_word(*m));
    fputs("\"\n                return\n            fi\n"
          "            verb=\"$verb ${COMP_WORDS[2]}\" ;;\n        esac ;;\n",
          c->out);
}

void tc_completion_bash(tc_completion *c)
{
    FILE *out = c->out;
    fputs(start, out);
    fprintf(out, "        _tacit_words \"%s help --help --version\"\n        return\n    fi\n",
            tc_text_get(&c->names));
    fputs(after_double_dash, out);
    fputs("    case $verb in\n", out);
    for (const tc_verb *const *v = c->verbs; *v; v++)
        if ((*v)->family)
            family(c, *v);
    fputs("    esac\n    case \"$verb $prev\" in\n", out);
    tc_completion_each(c, values_of);
    fputs("    esac\n    if [ \"${cur:0:1}\" = - ]; then\n        case $verb in\n", out);
    tc_completion_each(c, names_of);
    fputs("        esac\n        return\n    fi\n    case $verb in\n", out);
    fprintf(out, "    help) [ \"$COMP_CWORD\" -eq 2 ] && _tacit_words \"%s\" ;;\n",
            tc_text_get(&c->names));
    tc_completion_each(c, argument_of);
    fputs("    esac\n}\ncomplete -F _tacit tacit\n", out);
}
