/* main.c - the tacit program: the list of verbs, and from a verb to an exit code.
 *
 * args.c reads the words, help.c explains them, one file per verb does the work. */
#include "base/guard.h"
#include "base/json.h"
#include "base/log.h"
#include "frame/blas_kernel.h"
#include "frame/frame.h"
#include "num/la.h"
#include "frame/verbs.h"

#include <tacit/tacit.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

const tc_verb *const tc_verbs[] = {&tc_verb_optimize,
                                   &tc_verb_ask,
                                   &tc_verb_tell,
                                   &tc_verb_studies,
                                   &tc_verb_trials,
                                   &tc_verb_best,
                                   &tc_verb_import,
                                   &tc_verb_export,
                                   &tc_verb_plot,
                                   &tc_verb_simulate,
                                   &tc_verb_reproduce,
                                   &tc_verb_serve,
                                   &tc_verb_agent,
                                   &tc_verb_inspect,
                                   &tc_verb_remote,
                                   &tc_verb_backup,
                                   &tc_verb_restore,
                                   &tc_verb_curate,
                                   &tc_verb_model,
                                   &tc_verb_privacy,
                                   &tc_verb_demo,
                                   &tc_verb_algorithms,
                                   &tc_verb_objectives,
                                   &tc_verb_version,
                                   NULL};

enum { MOST_VERBS = 32 };
_Static_assert(sizeof tc_verbs / sizeof *tc_verbs < MOST_VERBS, "room for a list of their names");

/* What tells a verb apart in its list: the last word of its name. */
static const char *word_of(const tc_verb *verb)
{
    const char *space = strrchr(verb->name, ' ');
    return space ? space + 1 : verb->name;
}

static const tc_verb *find(const tc_verb *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(word_of(*list), word) == 0)
            return *list;
    return NULL;
}

/* family: "privacy " before a second word, else "". */
static void unknown_verb(const tc_verb *const *list, const char *family, const char *word,
                         tacit_error *err)
{
    const char *names[MOST_VERBS + 1];
    size_t n = 0;
    for (; list[n] && n + 1 < MOST_VERBS; n++)
        names[n] = word_of(list[n]);
    if (list == tc_verbs)
        names[n++] = "help";
    names[n] = NULL;
    const char *near = tc_closest(word, names);
    if (near)
        tc_fail(err, TACIT_E_ARG, "there is no verb \"%s%s\"; did you mean \"%s%s\"?", family, word,
                family, near);
    else
        tc_fail(err, TACIT_E_ARG, "there is no verb \"%s%s\"; tacit %s--help lists them", family,
                word, family);
}

/* The verb that the first word names, or the first two; *used says how many. argc >= 1. NULL:
 * none, and err says so. */
static const tc_verb *find_verb(int argc, char **argv, int *used, tacit_error *err)
{
    const tc_verb *verb = find(tc_verbs, argv[0]);
    *used = 1;
    if (!verb) {
        unknown_verb(tc_verbs, "", argv[0], err);
    } else if (verb->family && argc > 1 && argv[1][0] != '-') {
        char family[32];
        snprintf(family, sizeof family, "%s ", verb->name);
        const tc_verb *member = find(verb->family, argv[1]);
        *used = 2;
        if (!member)
            unknown_verb(verb->family, family, argv[1], err);
        verb = member;
    }
    return verb;
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

static void choose_kernel(void)
{
    const char *better = tc_choose_blas_kernel();
    if (better)
        tc_log(TC_LOG_WARN,
               "OpenBLAS does not know this CPU and runs its kernel %s: it is faster with "
               "OPENBLAS_CORETYPE=%s in the environment",
               tc_la_kernel(), better);
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
        if (verb->secrets)
            tc_guard_process();
        choose_kernel();
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
    int used;
    const tc_verb *verb = find_verb(argc, argv, &used, err);
    if (!verb)
        return err->code;
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
    int used;
    const tc_verb *verb = find_verb(argc - 1, argv + 1, &used, err);
    return verb ? run_verb(verb, argc - 1 - used, argv + 1 + used, err) : err->code;
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
