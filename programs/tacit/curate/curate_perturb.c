/* curate_perturb.c - `tacit curate perturb`: what a user may report in place of a reward (tacit_perturb). */
#include "curate/curate.h"
#include "privacy/privacy_cli.h"
#include "study/pull_values.h"

#include "base/json.h"

#include <tacit/user.h>

typedef struct perturb_opts {
    char *storage, *ledger, *user, *study, *value;
    double bound, epsilon;
    int reply;
    int64_t count, answers, question, seed;
} perturb_opts;

static const tc_option options[] = {
    {"value", TC_OPTION_STRING, offsetof(perturb_opts, value), .value = "Y",
     .help = "the reward; nan where the evaluation failed; - reads it from standard input, which "
             "other users of the machine cannot see; required"},
    {"bound", TC_OPTION_FLOAT, offsetof(perturb_opts, bound), .min = 0, .max = 1e12,
     .min_open = true, .help = "public bound C: rewards are clamped to [-C, C]; required"},
    {"epsilon", TC_OPTION_FLOAT, offsetof(perturb_opts, epsilon), .min = 0, .max = 64,
     .min_open = true, .help = "epsilon of one reply; required"},
    {"reply", TC_OPTION_CHOICE, offsetof(perturb_opts, reply), "auto",
     .choices = "auto|onebit|piecewise|laplace",
     .help = "law of a reply; auto: the least variance"},
    {"count", TC_OPTION_INT, offsetof(perturb_opts, count), "1", .min = 1, .max = 1e7,
     .help = "replies wanted, each a question of its own; within --answers, or with a --seed"},
    {"user", TC_OPTION_STRING, offsetof(perturb_opts, user), "me", .value = "NAME",
     .help = "who answers: the unit that is charged"},
    {"answers", TC_OPTION_INT, offsetof(perturb_opts, answers), "1", .min = 1, .max = 1e9,
     .help = "cap: replies that this user may give in all, over all studies of the ledger; the "
             "first reply sets it, later ones can only lower it"},
    {"study", TC_OPTION_STRING, offsetof(perturb_opts, study), "study", .value = "NAME",
     .help = "which study asks"},
    {"question", TC_OPTION_INT, offsetof(perturb_opts, question), "-1", .min = -1, .max = 0x1p53,
     .help = "number of the question: the trial; the same one gets the same reply; required but "
             "with a --seed"},
    {"ledger", TC_OPTION_STRING, offsetof(perturb_opts, ledger), TACIT_USER_LEDGER, .value = "NAME",
     .help = "the user's ledger"},
    {"storage", TC_OPTION_STRING, offsetof(perturb_opts, storage), .value = "URL",
     .help = "where that ledger is, if not in the user's own folder "
             "(~/.local/state/tacit/replies.db), where it is found from everywhere"},
    TC_CURATE_SEED_OPTION(perturb_opts),
    {.name = NULL}};

static tacit_status read_words(const perturb_opts *o, double *y, tacit_error *err)
{
    if (!o->value)
        return tc_fail(err, TACIT_E_ARG, "--value is needed: the reward to perturb");
    if (o->bound == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--bound is needed: a public bound on the size of rewards");
    if (o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--epsilon is needed: there is no default");
    if (o->question < 0 && o->seed < 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--question is needed: the number of the trial; the same one gets the same "
                       "reply");
    return tc_read_value("--value", o->value, true, y, err);
}

static void say(void *user, const char *text)
{
    (void)user;
    tc_note(false, "%s", text);
}

static tacit_status perturb(const tc_invocation *in, double y, double *replies,
                            tacit_perturbed *out, tacit_error *err)
{
    const perturb_opts *o = in->opts;
    if (o->seed < 0 && o->count > o->answers)
        return tc_fail(err, TACIT_E_ARG,
                       "--count %lld is more than the cap --answers %lld; without limit only in "
                       "test mode (--seed)",
                       (long long)o->count, (long long)o->answers);
    const tacit_perturb_opts opts = {.name = o->user,
                                     .study = o->study,
                                     .reply = (tacit_reply_kind)o->reply,
                                     .epsilon = o->epsilon,
                                     .low = -o->bound,
                                     .high = o->bound,
                                     .answers = (uint64_t)o->answers,
                                     .ledger = o->ledger,
                                     .storage = o->storage,
                                     .test_seed = o->seed,
                                     .note = in->quiet ? NULL : say};
    return tacit_perturb(&opts, y, (uint64_t)o->question, (size_t)o->count, replies, out, err);
}

/* ---- output */

static json_t *replies_json(const double *replies, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n && list; i++)
        if (json_array_append_new(list, json_real(replies[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* What is not private has no epsilon. */
static json_t *report(const tacit_perturbed *b, const double *replies, const perturb_opts *o)
{
    bool p = b->is_private;
    return json_pack("{s:b, s:o, s:o, s:o, s:s, s:I, s:s, s:o}", "private", (int)p, "epsilon",
                     p ? json_real(b->epsilon) : json_null(), "delta",
                     p ? json_real(0) : json_null(), "epsilon_per_reply",
                     p ? json_real(o->epsilon) : json_null(), "statement",
                     p ? b->statement : "NOT PRIVATE: replies were drawn from a seed", "again",
                     (json_int_t)b->again, "mechanism", b->mechanism, "replies",
                     replies_json(replies, (size_t)o->count));
}

static tacit_status print(const tacit_perturbed *b, const double *replies, const tc_invocation *in,
                          tacit_error *err)
{
    const perturb_opts *o = in->opts;
    if (in->format == TC_FORMAT_JSON)
        return tc_privacy_print_json(report(b, replies, o), false, err);
    if (in->format == TC_FORMAT_CSV)
        puts("reply");
    for (int64_t i = 0; i < o->count; i++) {
        char text[32];
        tc_double_text(text, replies[i]);
        puts(text);
    }
    return TACIT_OK;
}

static void note(const tacit_perturbed *b, const tc_invocation *in)
{
    const perturb_opts *o = in->opts;
    if (!b->is_private)
        tc_note(in->quiet, "tacit: NOT PRIVATE: replies were drawn from a seed");
    if (b->again > 0)
        tc_note(in->quiet,
                "%llu of %lld replies were given before: the same question has the same reply, "
                "whatever the value is now, and nothing was spent for it",
                (unsigned long long)b->again, (long long)o->count);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const perturb_opts *o = in->opts;
    tacit_perturbed b = {0};
    double y;
    TC_TRY(read_words(o, &y, err));
    double *replies = tc_alloc((size_t)o->count, sizeof *replies);
    tacit_status status = replies ? perturb(in, y, replies, &b, err) : tc_fail_memory(err);
    if (status == TACIT_OK) {
        note(&b, in);
        status = print(&b, replies, in, err);
    }
    tacit_text_free(b.statement);
    tc_free(replies);
    return status;
}

const tc_verb tc_verb_curate_perturb = {
    .name = "curate perturb",
    .usage = "--value Y --bound C --epsilon E --question N [options]",
    .summary = "perturb a reward on the user's side (local privacy)",
    .details =
        "Prints replies, one a line. A reply is epsilon-locally private: it says hardly more "
        "about\n"
        "one reward than about any other within the bounds. Replies are remembered by the user's\n"
        "ledger: the same --study, --user and --question get the same reply and spend nothing, "
        "and\n"
        "on another --bound, --epsilon or --reply they are refused (exit 4). Others spend epsilon\n"
        "each. The cap --answers counts them; what goes beyond it is refused (exit 9), all of "
        "--count\n"
        "or nothing. With --format json, epsilon is what the user has spent over the whole "
        "ledger.\n"
        "\n"
        "The ledger is the one that tacit optimize and tacit tell --user charge, of this user and\n"
        "machine: ~/.local/state/tacit/replies.db (or below XDG_STATE_HOME), in whatever folder "
        "you\n"
        "are. --storage names another one, which knows nothing of it, and is warned of once.\n"
        "\n"
        "  ./try | tacit curate perturb --value - --bound 1 --epsilon 1 --user anna --question 7\n"
        "  tacit curate perturb --value 0.3 --bound 1 --epsilon 1 --reply onebit --count 1000 "
        "--seed 1",
    .options = options,
    .options_size = sizeof(perturb_opts),
    .min_args = 0,
    .max_args = 0,
    .secrets = true,
    .run = run,
};
