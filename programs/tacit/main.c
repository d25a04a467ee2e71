/* main.c - the tacit program: the list of verbs, and from the first words to a verb.
 *
 * args.c reads the other words, help.c explains them, run.c runs the verb; one file per verb does the work. */
#include "base/json.h"
#include "frame/frame.h"
#include "frame/verbs.h"

#include <tacit/net.h>
#include <tacit/tacit.h>

#include <string.h>

/* One a line, so that a new one is one line. */
/* clang-format off */
const tc_verb *const tc_verbs[] = {
    &tc_verb_optimize,
    &tc_verb_ask,
    &tc_verb_tell,
    &tc_verb_enqueue,
    &tc_verb_delete,
    &tc_verb_studies,
    &tc_verb_trials,
    &tc_verb_best,
    &tc_verb_importances,
    &tc_verb_import,
    &tc_verb_export,
    &tc_verb_plot,
    &tc_verb_simulate,
    &tc_verb_serve,
    &tc_verb_agent,
    &tc_verb_trustee,
    &tc_verb_inspect,
    &tc_verb_remote,
    &tc_verb_backup,
    &tc_verb_erase,
    &tc_verb_restore,
    &tc_verb_curate,
    &tc_verb_model,
    &tc_verb_privacy,
    &tc_verb_demo,
    &tc_verb_algorithms,
    &tc_verb_objectives,
    &tc_verb_version,
    &tc_verb_completion,
    NULL};
/* clang-format on */

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

/* `tacit help [VERB]` */
static tacit_status help(int argc, char **argv, tacit_error *err)
{
    if (argc == 0) {
        tc_help_all(tc_verbs, stdout);
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
    if (argc < 2) { /* a script that has lost its words must notice, so it is no success */
        tc_help_all(tc_verbs, stderr);
        fputc('\n', stderr);
        return tc_fail(err, TACIT_E_ARG, "a verb is needed");
    }
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
    return verb ? tc_run_verb(verb, argc - 1 - used, argv + 1 + used, err) : err->code;
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    tc_json_start();
    tacit_net_register(); /* a coordinator is one more storage */
    return tc_exit_code("tacit", dispatch(argc, argv, &err), &err);
}
