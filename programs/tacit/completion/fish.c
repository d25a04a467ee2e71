/* fish.c - the script for fish: a line of `complete` for each verb, option and argument. See completion.h. */
#include "completion/completion.h"

#include <string.h>

static const char quote[] = "\\'";

static const char start[] =
    "# Completion of tacit for fish. Made by `tacit completion fish`.\n"
    "\n"
    "# Is the command line one of this verb (and member of a family), with the next word to come?\n"
    "function __tacit_verb\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt (count $argv); or return 1\n"
    "    for i in (seq (count $argv))\n"
    "        test $words[(math $i + 1)] = $argv[$i]; or return 1\n"
    "    end\n"
    "end\n"
    "# The same, with no word behind it.\n"
    "function __tacit_only\n"
    "    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __tacit_verb $argv\n"
    "end\n"
    "\n"
    "# What the line says of an option.\n"
    "function __tacit_said\n"
    "    set -l words (commandline -opc)\n"
    "    set -l said\n"
    "    for i in (seq 2 (count $words))\n"
    "        switch $words[$i]\n"
    "            case --\n"
    "                break\n"
    "            case $argv[1]'=*'\n"
    "                set said (string replace -r '^[^=]*=' '' -- $words[$i])\n"
    "            case $argv[1]\n"
    "                set said $words[(math $i + 1)]\n"
    "        end\n"
    "    end\n"
    "    printf '%s\\n' $said\n"
    "end\n"
    "\n"
    "# Names of studies.\n"
    "function __tacit_studies\n"
    "    set -l storage (__tacit_said --storage)\n"
    "    set -l option\n"
    "    if test -n \"$storage\"\n"
    "        set option --storage=$storage\n"
    "    else if test -n (__tacit_said --server | string collect)\n"
    "        return\n"
    "    else if test -n \"$TACIT_STORAGE\"\n"
    "        set storage $TACIT_STORAGE\n"
    "    else if test -n \"$TACIT_SERVER\"\n"
    "        return\n"
    "    end\n"
    "    test -z \"$storage\"; or string match -q 'sqlite:*' -- $storage; or return\n"
    "    " TC_COMPLETE_COMMAND("$option") "\n"
                                          "end\n"
                                          "\n"
                                          "complete -c tacit -f\n"
                                          "complete -c tacit -n 'test (count (commandline -opc)) "
                                          "-eq 1' -a help -d 'what a verb does'\n";

static void verb_line(tc_completion *c, const tc_verb *verb)
{
    const char *word = tc_completion_word(verb);
    if (word == verb->name)
        fprintf(c->out, "complete -c tacit -n 'test (count (commandline -opc)) -eq 1' -a %s -d ",
                word);
    else
        fprintf(c->out, "complete -c tacit -n '__tacit_only %.*s' -a %s -d ",
                (int)(word - verb->name - 1), verb->name, word);
    tc_completion_quoted(c, verb->summary, quote);
    fputc('\n', c->out);
}

static void option(tc_completion *c, const tc_verb *verb, const tc_option *o)
{
    const char *words;
    fprintf(c->out, "complete -c tacit -n '__tacit_verb %s' -l %s", verb->name, o->name);
    if (o->type != TC_OPTION_BOOL)
        switch (tc_completion_of(c, o, &words)) {
        case TC_COMPLETE_WORDS:
            fprintf(c->out, " -x -a '%s'", words);
            break;
        case TC_COMPLETE_FILES:
            fputs(" -r -F", c->out);
            break;
        case TC_COMPLETE_FOLDERS:
            fputs(" -x -a '(__fish_complete_directories)'", c->out);
            break;
        case TC_COMPLETE_STUDIES:
        case TC_COMPLETE_NOTHING:
            fputs(" -x", c->out);
            break;
        }
    fputs(" -d ", c->out);
    tc_completion_quoted(c, o->help ? o->help : "", quote);
    fputc('\n', c->out);
}

static void verb_options(tc_completion *c, const tc_verb *verb)
{
    const char *words;
    tc_completion_options(c, verb, option);
    switch (verb->family ? TC_COMPLETE_NOTHING : tc_completion_argument(c, verb, &words)) {
    case TC_COMPLETE_WORDS:
        fprintf(c->out, "complete -c tacit -n '__tacit_verb %s' -a '%s'\n", verb->name, words);
        break;
    case TC_COMPLETE_FILES:
    case TC_COMPLETE_FOLDERS:
        fprintf(c->out, "complete -c tacit -n '__tacit_verb %s' -F\n", verb->name);
        break;
    case TC_COMPLETE_STUDIES:
        fprintf(c->out, "complete -c tacit -n '__tacit_verb %s' -F -a '(__tacit_studies)'\n",
                verb->name);
        break;
    case TC_COMPLETE_NOTHING:
        break;
    }
}

void tc_completion_fish(tc_completion *c)
{
    fputs(start, c->out);
    fprintf(c->out, "complete -c tacit -n '__tacit_only help' -a '%s'\n", tc_text_get(&c->names));
    tc_completion_each(c, verb_line);
    tc_completion_each(c, verb_options);
}
