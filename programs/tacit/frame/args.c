/* args.c - reads the words after a verb into its option struct.
 *
 * "--name value", "--name=value", "--name" for a yes/no option; "--" ends the
 * options. A word like -0.5 is an argument, not an option. Which options exist
 * is in the verb's table and in tc_common_options, nowhere else. */
#include "frame/frame.h"

#include "base/memory.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

const tc_option tc_common_options[] = {
    {"format", TC_OPTION_CHOICE, offsetof(tc_common, format), "table", .choices = TC_FORMAT_CHOICES,
     .help = "how results are written to standard output"},
    {"quiet", TC_OPTION_BOOL, offsetof(tc_common, quiet), "false",
     .help = "no progress and no notes on standard error"},
    {"verbose", TC_OPTION_BOOL, offsetof(tc_common, verbose), "false",
     .help = "say on standard error what is being done"},
    {"help", TC_OPTION_BOOL, offsetof(tc_common, help), "false", .help = "this text"},
    {.name = NULL}};

/* -h -q -v -f stand for the long names. */
static const char *long_name(char letter)
{
    for (const tc_option *o = tc_common_options; o->name; o++)
        if (o->name[0] == letter)
            return o->name;
    return NULL;
}

typedef struct reader {
    const tc_verb *verb;
    int argc;
    char **argv;
    int at;         /* next word */
    size_t n_given; /* options so far */
    tc_args *out;
    tacit_error *err;
} reader;

static bool looks_like_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    return !isdigit((unsigned char)word[1]) && word[1] != '.' && strcmp(word, "-inf") != 0 &&
           strcmp(word, "-nan") != 0;
}

static bool is_sets_flag(const tc_verb *verb, const char *name)
{
    if (!verb->takes_sets)
        return false;
    return strcmp(name, "set") == 0 || (verb->sets_flag && strcmp(name, verb->sets_flag) == 0);
}

static size_t add_names(const tc_option *table, const char **names, size_t n, size_t max)
{
    for (const tc_option *o = table; o && o->name && n < max; o++)
        names[n++] = o->name;
    return n;
}

const char *tc_before_name(const tc_verb *verb)
{
    return verb->alone ? "" : "tacit ";
}

static tacit_status unknown_option(const reader *r, const char *name)
{
    const char *names[64];
    size_t n = add_names(r->verb->options, names, 0, 56);
    n = add_names(tc_common_options, names, n, 60);
    if (r->verb->takes_sets)
        names[n++] = "set";
    if (r->verb->takes_sets && r->verb->sets_flag)
        names[n++] = r->verb->sets_flag;
    names[n] = NULL;
    const char *near = tc_closest(name, names), *before = tc_before_name(r->verb);
    if (near)
        return tc_fail(r->err, TACIT_E_ARG, "%s%s has no option --%s; did you mean --%s?", before,
                       r->verb->name, name, near);
    return tc_fail(r->err, TACIT_E_ARG, "%s%s has no option --%s; %s%s --help lists them", before,
                   r->verb->name, name, before, r->verb->name);
}

/* The option that a word is, without a value. NULL: it is none of this verb. */
static const tc_option *option_of(const reader *r, const char *word)
{
    const tc_option *o = NULL;
    if (strncmp(word, "--", 2) == 0 && r->verb->options)
        o = tc_options_find(r->verb->options, word + 2);
    if (strncmp(word, "--", 2) == 0 && !o)
        o = tc_options_find(tc_common_options, word + 2);
    return o;
}

static tacit_status next_value(reader *r, const char *name, const char **value)
{
    if (r->at >= r->argc || strcmp(r->argv[r->at], "--") == 0)
        return tc_fail(r->err, TACIT_E_ARG, "--%s needs a value", name);
    if (option_of(r, r->argv[r->at]))
        return tc_fail(r->err, TACIT_E_ARG, "--%s needs a value, and %s is an option", name,
                       r->argv[r->at]);
    *value = r->argv[r->at++];
    return TACIT_OK;
}

static tacit_status add_set(reader *r, const char *name, const char *value)
{
    if (!value)
        TC_TRY(next_value(r, name, &value));
    if (!strchr(value, '='))
        return tc_fail(r->err, TACIT_E_ARG, "--%s must be name=value, got \"%s\"", name, value);
    r->out->in.sets[r->out->in.n_sets++] = (char *)value;
    return TACIT_OK;
}

/* value: what stood after '=', or NULL. */
static tacit_status set_option(reader *r, const char *name, const char *value)
{
    if (is_sets_flag(r->verb, name))
        return add_set(r, name, value);
    const tc_option *table = r->verb->options;
    void *opts = r->out->in.opts;
    const tc_option *o = table ? tc_options_find(table, name) : NULL;
    if (!o) {
        table = tc_common_options;
        opts = &r->out->common;
        o = tc_options_find(table, name);
    }
    if (!o)
        return unknown_option(r, name);
    if (!value && o->type == TC_OPTION_BOOL)
        value = "true";
    if (!value)
        TC_TRY(next_value(r, name, &value));
    r->out->in.given[r->n_given++] = o->name;
    return tc_options_set(table, opts, NULL, name, value, r->err);
}

static tacit_status read_long(reader *r, const char *word)
{
    char name[64];
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    if (len >= sizeof name)
        return tc_fail(r->err, TACIT_E_ARG, "%s%s has no option --%.40s...",
                       tc_before_name(r->verb), r->verb->name, word);
    memcpy(name, word, len);
    name[len] = '\0';
    return set_option(r, name, equals ? equals + 1 : NULL);
}

static tacit_status read_option(reader *r, const char *word)
{
    if (word[1] == '-')
        return read_long(r, word + 2);
    const char *name = word[2] == '\0' ? long_name(word[1]) : NULL;
    if (!name)
        return tc_fail(r->err, TACIT_E_ARG, "%s%s has no option %s; %s%s --help lists them",
                       tc_before_name(r->verb), r->verb->name, word, tc_before_name(r->verb),
                       r->verb->name);
    return set_option(r, name, NULL);
}

static void read_rest(reader *r)
{
    tc_invocation *in = &r->out->in;
    if (r->verb->takes_command) {
        in->command = r->argv + r->at;
        in->n_command = (size_t)(r->argc - r->at);
        return;
    }
    while (r->at < r->argc)
        in->args[in->n_args++] = r->argv[r->at++];
}

static tacit_status read_words(reader *r)
{
    tc_invocation *in = &r->out->in;
    while (r->at < r->argc) {
        char *word = r->argv[r->at++];
        if (strcmp(word, "--") == 0) {
            read_rest(r);
            break;
        }
        if (looks_like_option(word))
            TC_TRY(read_option(r, word));
        else
            in->args[in->n_args++] = word;
    }
    return TACIT_OK;
}

/* Asking for help must work however wrong the rest of the line is. */
static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static tacit_status check_count(const reader *r)
{
    const tc_invocation *in = &r->out->in;
    if (in->n_args > r->verb->max_args)
        return tc_fail(r->err, TACIT_E_ARG, "\"%s\" is one argument too many; usage: %s%s %s",
                       in->args[r->verb->max_args], tc_before_name(r->verb), r->verb->name,
                       r->verb->usage);
    if (in->n_args < r->verb->min_args)
        return tc_fail(r->err, TACIT_E_ARG, "an argument is missing; usage: %s%s %s",
                       tc_before_name(r->verb), r->verb->name, r->verb->usage);
    return TACIT_OK;
}

static tacit_status prepare(const tc_verb *verb, int argc, tc_args *out, tacit_error *err)
{
    static char *no_command[] = {NULL};
    out->in.command = no_command;
    out->in.args = tc_alloc((size_t)argc + 1, sizeof(char *));
    out->in.sets = tc_alloc((size_t)argc + 1, sizeof(char *));
    out->in.given = tc_alloc((size_t)argc + 1, sizeof(char *));
    out->in.opts = tc_alloc(1, verb->options_size ? verb->options_size : 1);
    if (!out->in.args || !out->in.sets || !out->in.given || !out->in.opts)
        return tc_fail_memory(err);
    TC_TRY(tc_options_defaults(tc_common_options, &out->common, err));
    out->common.format = verb->default_format;
    return verb->options ? tc_options_defaults(verb->options, out->in.opts, err) : TACIT_OK;
}

tacit_status tc_args_read(const tc_verb *verb, int argc, char **argv, tc_args *out,
                          tacit_error *err)
{
    *out = (tc_args){0};
    TC_TRY(prepare(verb, argc, out, err));
    if (wants_help(argc, argv)) {
        out->common.help = true;
        return TACIT_OK;
    }
    reader r = {.verb = verb, .argc = argc, .argv = argv, .out = out, .err = err};
    TC_TRY(read_words(&r));
    TC_TRY(check_count(&r));
    out->in.format = out->common.format;
    out->in.quiet = out->common.quiet;
    out->in.verbose = out->common.verbose;
    return TACIT_OK;
}

void tc_args_fini(const tc_verb *verb, tc_args *args)
{
    if (verb->options && args->in.opts)
        tc_options_fini(verb->options, args->in.opts);
    tc_free(args->in.opts);
    tc_free(args->in.args);
    tc_free(args->in.sets);
    tc_free(args->in.given);
    *args = (tc_args){0};
}

bool tc_given(const tc_invocation *in, const char *name)
{
    for (size_t i = 0; in->given && in->given[i]; i++)
        if (strcmp(in->given[i], name) == 0)
            return true;
    return false;
}

bool tc_ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}
