/* completion.c - `tacit completion`: scripts by which a shell completes verbs, options, their values and files.
 *
 * A script is written from the tables of the program that writes it, so it knows what that program knows. */
#include "completion/completion.h"

#include "frame/frame.h"
#include "frame/verbs.h"

#include <tacit/algorithms.h>
#include <tacit/study.h>

#include <string.h>

/* ---- what may stand where ---- */

static tc_completion_kind words_of(const tc_text *list, const char **words)
{
    *words = tc_text_get(list);
    return TC_COMPLETE_WORDS;
}

static tc_completion_kind choices_of(tc_completion *c, const char *choices, const char **words)
{
    c->scratch.len = 0;
    for (; *choices; choices++)
        tc_text_add_bytes(&c->scratch, *choices == '|' ? " " : choices, 1);
    return words_of(&c->scratch, words);
}

tc_completion_kind tc_completion_of(tc_completion *c, const tc_option *o, const char **words)
{
    const char *value = o->value ? o->value : "";
    *words = "";
    if (o->type == TC_OPTION_CHOICE)
        return choices_of(c, o->choices, words);
    if (o->type != TC_OPTION_STRING)
        return TC_COMPLETE_NOTHING;
    if (strcmp(o->name, "algorithm") == 0)
        return words_of(&c->algorithms, words);
    if (strcmp(o->name, "objective") == 0)
        return words_of(&c->objectives, words);
    if (strcmp(value, "STATE") == 0)
        return words_of(&c->states, words);
    return strcmp(value, "FILE") == 0  ? TC_COMPLETE_FILES
           : strcmp(value, "DIR") == 0 ? TC_COMPLETE_FOLDERS
                                       : TC_COMPLETE_NOTHING;
}

tc_completion_kind tc_completion_argument(tc_completion *c, const tc_verb *verb, const char **words)
{
    *words = "";
    if (verb == &tc_verb_algorithms)
        return words_of(&c->algorithms, words);
    if (verb == &tc_verb_objectives)
        return words_of(&c->objectives, words);
    if (verb == &tc_verb_completion)
        return choices_of(c, verb->usage, words);
    if (strncmp(verb->usage, "STUDY ", 6) == 0 || strncmp(verb->usage, "STUDY|", 6) == 0)
        return strchr(verb->name, ' ') ? TC_COMPLETE_NOTHING /* at a coordinator */
                                       : TC_COMPLETE_STUDIES;
    return verb->max_args > 0 || verb->takes_command ? TC_COMPLETE_FILES : TC_COMPLETE_NOTHING;
}

/* ---- walking the tables ---- */

const char *tc_completion_word(const tc_verb *verb)
{
    const char *space = strrchr(verb->name, ' ');
    return space ? space + 1 : verb->name;
}

void tc_completion_each(tc_completion *c, tc_completion_visit *visit)
{
    for (const tc_verb *const *v = c->verbs; *v; v++) {
        visit(c, *v);
        for (const tc_verb *const *member = (*v)->family; member && *member; member++)
            visit(c, *member);
    }
}

void tc_completion_options(tc_completion *c, const tc_verb *verb, tc_completion_option *visit)
{
    const tc_option set = {.name = verb->sets_flag ? verb->sets_flag : "set",
                           .type = TC_OPTION_STRING,
                           .help = verb->sets_help ? verb->sets_help
                                                   : "sets one option; may be repeated",
                           .value = "NAME=VALUE"};
    for (const tc_option *o = verb->options; o && o->name; o++)
        visit(c, verb, o);
    if (verb->takes_sets)
        visit(c, verb, &set);
    for (const tc_option *o = tc_common_options; o->name; o++)
        if (!verb->options || !tc_options_find(verb->options, o->name))
            visit(c, verb, o);
}

void tc_completion_quoted(tc_completion *c, const char *s, const char *quote)
{
    fputc('\'', c->out);
    for (; *s; s++)
        if (*s == '\'')
            fputs(quote, c->out);
        else
            fputc(*s, c->out);
    fputc('\'', c->out);
}

/* ---- the verb ---- */

static void add_word(tc_text *list, const char *word)
{
    tc_text_addf(list, "%s%s", list->len > 0 ? " " : "", word);
}

static tacit_status collect(tc_completion *c, tacit_error *err)
{
    tacit_algorithms *all;
    const tacit_algorithm *a;
    const char *name;
    TC_TRY(tacit_algorithms_new(&all, NULL, err));
    for (size_t i = 0; (a = tacit_algorithms_get(all, i)); i++)
        add_word(&c->algorithms, a->name);
    tacit_algorithms_free(all);
    for (size_t i = 0; (name = tc_objective_name(i)); i++)
        add_word(&c->objectives, name);
    for (int s = TACIT_TRIAL_WAITING; (name = tacit_trial_state_name((tacit_trial_state)s)); s++)
        add_word(&c->states, name);
    for (const tc_verb *const *v = c->verbs; *v; v++)
        add_word(&c->names, (*v)->name);
    bool failed =
        c->algorithms.failed || c->objectives.failed || c->states.failed || c->names.failed;
    return failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status write_script(tc_completion *c, const char *shell, tacit_error *err)
{
    TC_TRY(collect(c, err));
    if (strcmp(shell, "bash") == 0)
        tc_completion_bash(c);
    else if (strcmp(shell, "zsh") == 0)
        tc_completion_zsh(c);
    else if (strcmp(shell, "fish") == 0)
        tc_completion_fish(c);
    else
        return tc_fail(err, TACIT_E_ARG, "SHELL must be bash, zsh or fish, got \"%.40s\"", shell);
    return c->scratch.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_completion c = {.verbs = tc_verbs, .out = stdout};
    tacit_status status = write_script(&c, in->args[0], err);
    tc_text_fini(&c.names);
    tc_text_fini(&c.algorithms);
    tc_text_fini(&c.objectives);
    tc_text_fini(&c.states);
    tc_text_fini(&c.scratch);
    return status;
}

const tc_verb tc_verb_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "a script by which a shell completes command lines",
    .details =
        "`make install` puts the scripts where the shells look for them; these lines are for a\n"
        "program that was not installed so. A script completes verbs, options, words that an\n"
        "option can take, files, and studies of a file of SQLite (--storage where it is typed\n"
        "before, else TACIT_STORAGE, else tacit.db).\n"
        "It knows what the program knows that wrote it.\n"
        "\n"
        "  tacit completion bash > ~/.local/share/bash-completion/completions/tacit\n"
        "  tacit completion zsh > ~/.zfunc/_tacit    # with ~/.zfunc in fpath, before compinit\n"
        "  tacit completion fish > ~/.config/fish/completions/tacit.fish",
    .min_args = 1,
    .max_args = 1,
    .run = run};
