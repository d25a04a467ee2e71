/* help.c - what --help prints, all of it made from the tables of verbs and options. */
#include "frame/frame.h"

#include "base/text.h"

#include <tacit/tacit.h>

#include <string.h>

enum { WIDTH = 80, INDENT = 28 };

static void heading(FILE *out, const char *text)
{
    bool bold = tc_styled(out);
    fprintf(out, "\n%s%s%s\n", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

/* Words of `text` from column `at` on, continued below at column `indent`. */
static void wrap(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t start = at;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > indent && at > start && at + 1 + n > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = start = indent;
        } else if (at > start) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, n, out);
        at += n;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* "  --left" then the explanation in its own column. */
static void entry(FILE *out, const char *left, const char *right)
{
    int n = fprintf(out, "  %s", left);
    size_t at = n > 0 ? (size_t)n : 0;
    if (at + 2 > INDENT) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(INDENT - at), "");
    wrap(out, right, INDENT, INDENT);
}

static const char *value_name(const tc_option *o)
{
    if (o->value)
        return o->value;
    switch (o->type) {
    case TC_OPTION_FLOAT:
        return "X";
    case TC_OPTION_INT:
        return "N";
    case TC_OPTION_CHOICE:
        return "WORD";
    case TC_OPTION_STRING:
        return "TEXT";
    case TC_OPTION_BOOL:
        break;
    }
    return "";
}

static void option_entry(FILE *out, const tc_option *o, const char *def)
{
    tc_text left = {0}, right = {0};
    tc_text_addf(&left, "--%s %s", o->name, value_name(o));
    tc_text_add(&right, o->help ? o->help : "");
    if (o->type != TC_OPTION_BOOL && o->type != TC_OPTION_STRING) {
        tc_option shown = *o;
        if (def)
            shown.def = def;
        tc_text_add(&right, " (");
        tc_option_range(&shown, &right);
        tc_text_add(&right, ")");
    } else if (o->type == TC_OPTION_STRING && o->def) {
        tc_text_addf(&right, " (default %s)", o->def);
    }
    entry(out, tc_text_get(&left), tc_text_get(&right));
    tc_text_fini(&left);
    tc_text_fini(&right);
}

static void sets_entry(FILE *out, const tc_verb *verb)
{
    char left[96];
    snprintf(left, sizeof left, "--%s NAME=VALUE", verb->sets_flag ? verb->sets_flag : "set");
    entry(out, left, verb->sets_help ? verb->sets_help : "sets one option; may be repeated");
}

static const char *format_name(int format)
{
    static const char *const names[] = {"table", "json", "csv", "jsonl"};
    return names[format];
}

static void verb_list(FILE *out, const tc_verb *const *list, int width)
{
    heading(out, "Verbs");
    for (; *list; list++)
        fprintf(out, "  %-*s %s\n", width, (*list)->name, (*list)->summary);
}

void tc_help_verb(const tc_verb *verb, FILE *out)
{
    fprintf(out, "Usage: %s%s %s\n\n", tc_before_name(verb), verb->name, verb->usage);
    wrap(out, verb->summary, 0, 0);
    if (verb->details)
        fprintf(out, "\n%s\n", verb->details);
    if (verb->family)
        verb_list(out, verb->family, 18);
    if ((verb->options && verb->options->name) || verb->takes_sets)
        heading(out, "Options");
    for (const tc_option *o = verb->options; o && o->name; o++)
        option_entry(out, o, NULL);
    if (verb->takes_sets)
        sets_entry(out, verb);
    if (!verb->alone)
        heading(out, "Options of every verb");
    for (const tc_option *o = tc_common_options; o->name; o++)
        if (!verb->options || !tc_options_find(verb->options, o->name))
            option_entry(out, o,
                         strcmp(o->name, "format") == 0 ? format_name(verb->default_format) : NULL);
}

typedef struct exit_meaning {
    int code;
    const char *text;
} exit_meaning;

/* What else is among them, which one might look for under another code. */
static const exit_meaning also[] = {
    {2, "a token that the coordinator does not know, or that does not allow this"},
    {3, "no such program to run"},
    {4, "another key than the fingerprint says; a token file that is there already;"},
    {4, "a study that is closed; too few values for a model, no intermediate values,"},
    {4, "no trial that keeps to all constraints"},
    {8, "what is for one objective, of a study with several"}};

/* All that share a code, on its line. */
static void exit_code(FILE *out, const exit_meaning *list, size_t n, int code)
{
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        if (list[i].code != code)
            continue;
        if (first)
            fprintf(out, "  %3d  %s", code, list[i].text);
        else
            fprintf(out, ";\n       %s", list[i].text);
        first = false;
    }
    const char *before = ";\n       also ";
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (also[i].code == code) {
            fprintf(out, "%s%s", before, also[i].text);
            before = "\n       ";
        }
    if (!first)
        fputc('\n', out);
}

static void exit_codes(FILE *out)
{
    static const exit_meaning list[] = {
#define MEANING(name, number, exit_code, text) {exit_code, text},
        TACIT_STATUS_LIST(MEANING)
#undef MEANING
    };
    for (int code = 0; code < 256; code++)
        exit_code(out, list, sizeof list / sizeof *list, code);
    fprintf(out, "5 and 7 may pass by themselves: the same command may succeed later.\n");
}

void tc_help_all(const tc_verb *const *verbs, FILE *out)
{
    fprintf(out, "tacit %s: private, federated Bayesian optimization.\n\n", TACIT_VERSION);
    fprintf(out, "Usage: tacit VERB [arguments] [options]\n"
                 "       tacit help VERB | tacit VERB --help | tacit --version\n");
    verb_list(out, verbs, 11);
    heading(out, "Environment");
    fprintf(out, "  TACIT_STORAGE  where studies are kept, unless --storage says it;\n"
                 "                 without either, sqlite:///tacit.db in the working folder\n"
                 "  TACIT_MODULES  the folder of tacit-postgresql.so, if not as installed\n"
                 "  NO_COLOR       if set, no bold text on a terminal\n");
    heading(out, "Exit codes");
    exit_codes(out);
}
