/* main.c - the tacit program: the list of verbs, and from a verb to an exit code.
 *
 * args.c reads the words, help.c explains them, one file per verb does the work. */
#include "base/json.h"
#include "base/log.h"
#include "frame.h"
#include "verbs.h"

#include <tacit/tacit.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

const tc_verb *const tc_verbs[] = {&tc_verb_optimize,   &tc_verb_ask,     &tc_verb_tell,
                                   &tc_verb_studies,    &tc_verb_trials,  &tc_verb_best,
                                   &tc_verb_import,     &tc_verb_export,  &tc_verb_plot,
                                   &tc_verb_simulate,   &tc_verb_demo,    &tc_verb_algorithms,
                                   &tc_verb_objectives, &tc_verb_version, NULL};

const tc_verb *tc_verb_find(const char *name)
{
    for (size_t i = 0; tc_verbs[i]; i++)
        if (strcmp(tc_verbs[i]->name, name) == 0)
            return tc_verbs[i];
    return NULL;
}

static tacit_status unknown_verb(const char *word, tacit_error *err)
{
    const char *names[sizeof tc_verbs / sizeof *tc_verbs + 1];
    size_t n = 0;
    for (; tc_verbs[n]; n++)
        names[n] = tc_verbs[n]->name;
    names[n++] = "help";
    names[n] = NULL;
    const char *near = tc_closest(word, names);
    if (near)
        return tc_fail(err, TACIT_E_ARG, "there is no verb \"%s\"; did you mean \"%s\"?", word,
                       near);
    return tc_fail(err, TACIT_E_ARG, "there is no verb \"%s\"; tacit --help lists them", word);
}

static void log_line(tc_log_level level, const char *line, void *user)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%stacit: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", line);
}

static void start_log(const tc_invocation *in)
{
    tc_log_level upto = in->quiet ? TC_LOG_ERROR : TC_LOG_WARN;
    tc_log_set(log_line, NULL, in->verbose ? TC_LOG_DEBUG : upto);
}

/* A full disk shows only when the buffer is written out. */
static tacit_status flush_output(tacit_error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return tc_fail(err, TACIT_E_IO, "standard output could not be written: %s",
                       strerror(errno));
    return TACIT_OK;
}

static tacit_status run_verb(const tc_verb *verb, int argc, char **argv, tacit_error *err)
{
    tc_args args = {0};
    tacit_status st = tc_args_read(verb, argc, argv, &args, err);
    if (st == TACIT_OK && args.common.help) {
        tc_help_verb(verb, stdout);
    } else if (st == TACIT_OK) {
        start_log(&args.in);
        st = verb->run(&args.in, err);
    }
    tc_args_fini(verb, &args);
    return st;
}

/* `tacit help [VERB]` */
static tacit_status help(int argc, char **argv, tacit_error *err)
{
    if (argc == 0) {
        tc_help_all(stdout);
        return TACIT_OK;
    }
    const tc_verb *verb = tc_verb_find(argv[0]);
    if (!verb)
        return unknown_verb(argv[0], err);
    tc_help_verb(verb, stdout);
    return TACIT_OK;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static tacit_status dispatch(int argc, char **argv, tacit_error *err)
{
    if (argc < 2)
        return tc_fail(err, TACIT_E_ARG, "a verb is needed; tacit --help lists them");
    const char *word = argv[1];
    if (is_one_of(word, "--help", "-h"))
        return help(0, NULL, err);
    if (strcmp(word, "help") == 0)
        return help(argc - 2, argv + 2, err);
    if (is_one_of(word, "--version", "-V")) {
        printf("tacit %s\n", TACIT_VERSION);
        return TACIT_OK;
    }
    if (word[0] == '-')
        return tc_fail(err, TACIT_E_ARG, "%s comes after a verb, as in: tacit studies %s", word,
                       word);
    const tc_verb *verb = tc_verb_find(word);
    return verb ? run_verb(verb, argc - 2, argv + 2, err) : unknown_verb(word, err);
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    tc_json_start();
    tacit_status st = dispatch(argc, argv, &err);
    if (st == TACIT_OK)
        st = flush_output(&err);
    if (st != TACIT_OK)
        fprintf(stderr, "tacit: %s\n", err.msg[0] ? err.msg : tacit_status_text(st));
    return tacit_status_exit(st);
}
