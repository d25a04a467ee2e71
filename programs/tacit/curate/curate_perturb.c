/* curate_perturb.c - `tacit curate perturb`: what a user may report in place of a reward.
 *
 * The curator of local privacy (src/algo/ldp/ldp_curator.h): replies go through the user's ledger, the
 * same question gets the same reply, and nothing goes beyond the cap. With a seed replies are drawn
 * beside any ledger, as many as wanted, and say NOT PRIVATE. */
#include "curate/curate.h"
#include "privacy/privacy_cli.h"
#include "study/pull_values.h"

#include "algo/ldp/ldp_curator.h"
#include "base/json.h"
#include "base/memory.h"
#include "user/user_ledger.h"

#include <tacit/user.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

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

typedef struct batch {
    size_t n;
    double *replies;
    bool is_private;
    size_t again; /* replies that were given before */
    const char *mechanism;
    double epsilon;    /* that the user has spent, with these: over all studies of the ledger */
    tc_text statement; /* what that means */
} batch;

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

/* Test mode. */
static tacit_status draw_seeded(const perturb_opts *o, double y, batch *b, tacit_error *err)
{
    tc_curator_noise noise;
    tc_reply reply;
    TC_TRY(tc_reply_init(&reply, (tacit_reply_kind)o->reply, o->epsilon, -o->bound, o->bound, err));
    tc_curator_noise_init(&noise, o->seed, 0);
    tacit_status st = TACIT_OK;
    for (; b->n < (size_t)o->count && st == TACIT_OK; b->n++) {
        tc_release *r = NULL;
        st = tc_reply_release(&r, &reply, y, &noise.entropy, err);
        if (st == TACIT_OK)
            b->replies[b->n] = tc_release_value(r, 0);
        tc_release_free(r);
    }
    tc_curator_noise_fini(&noise);
    b->mechanism = tc_reply_mechanism(&reply);
    return st;
}

/* All or nothing: what is refused is refused before the first reply is drawn. */
static tacit_status ask_curator(const perturb_opts *o, double y, tc_ldp_curator *c, batch *b,
                                tacit_error *err)
{
    tc_ldp_question q = {
        .study = tc_ledger_study_hash(o->study), .user = o->user, .number = (uint64_t)o->question};
    tc_curator_noise noise;
    TC_TRY(tc_ldp_curator_allow(c, &q, (uint64_t)o->count, err));
    tc_curator_noise_init(&noise, -1, 0);
    tacit_status st = TACIT_OK;
    b->is_private = true;
    for (; b->n < (size_t)o->count && st == TACIT_OK; b->n++, q.number++) {
        tc_ldp_answer a = {0};
        st = tc_ldp_curator_answer(c, &q, y, &noise.entropy, &a, err);
        b->replies[b->n] = a.value;
        b->is_private = b->is_private && a.is_private;
        b->again += a.again;
    }
    tc_curator_noise_fini(&noise);
    b->mechanism = tc_reply_mechanism(&c->reply);
    return st;
}

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

/* Nobody should see an epsilon without what it is about: all that the user has ever answered. */
static tacit_status state(const perturb_opts *o, const tc_ledger *l, batch *b, tacit_error *err)
{
    tc_ledger_claim claim;
    if (tc_ledger_guarantee(l, TACIT_UNIT_USER, o->user, ANY_DELTA, &tc_accountant_pure, &claim,
                            NULL) !=
        TACIT_OK) /* there are releases with a delta about agents, of whom the user may be a part */
        TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_USER, o->user, ANY_DELTA, NULL, &claim, err));
    tc_ledger_statement(l, &claim, &b->statement);
    b->epsilon = claim.bound.epsilon;
    b->is_private = b->is_private && claim.is_private;
    return b->statement.failed ? tc_fail_memory(err) : TACIT_OK;
}

static void say(void *user, const char *text)
{
    (void)user;
    tc_note(false, "%s", text);
}

static tacit_status through_ledger(const perturb_opts *o, double y, bool quiet, batch *b,
                                   tacit_error *err)
{
    tc_ldp_terms terms = {.reply = (tacit_reply_kind)o->reply,
                          .epsilon = o->epsilon,
                          .low = -o->bound,
                          .high = o->bound,
                          .answers = (uint64_t)o->answers};
    tc_user_ledger_place at = {.given = o->storage,
                               .study = tc_ledger_study_hash(o->study),
                               .name = o->ledger,
                               .user = o->user,
                               .note = {quiet ? NULL : say, NULL}};
    tc_user_ledger l = {0};
    tc_ldp_curator c;
    if (o->count > o->answers)
        return tc_fail(err, TACIT_E_ARG,
                       "--count %lld is more than the cap --answers %lld; without limit only in "
                       "test mode (--seed)",
                       (long long)o->count, (long long)o->answers);
    tacit_status st = tc_user_ledger_open(&l, &at, err);
    if (st == TACIT_OK)
        st = tc_ldp_curator_init(&c, l.ledger, &terms, err);
    if (st == TACIT_OK)
        st = ask_curator(o, y, &c, b, err);
    if (st == TACIT_OK)
        st = state(o, l.ledger, b, err);
    tc_user_ledger_close(&l);
    return st;
}

/* ---- output */

static json_t *replies_json(const batch *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < b->n && list; i++)
        if (json_array_append_new(list, json_real(b->replies[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* What is not private has no epsilon. */
static json_t *report(const batch *b, const perturb_opts *o)
{
    bool p = b->is_private;
    return json_pack(
        "{s:b, s:o, s:o, s:o, s:s, s:I, s:s, s:o}", "private", (int)p, "epsilon",
        p ? json_real(b->epsilon) : json_null(), "delta", p ? json_real(0) : json_null(),
        "epsilon_per_reply", p ? json_real(o->epsilon) : json_null(), "statement",
        p ? tc_text_get(&b->statement) : "NOT PRIVATE: replies were drawn from a seed", "again",
        (json_int_t)b->again, "mechanism", b->mechanism, "replies", replies_json(b));
}

static tacit_status print(const batch *b, const perturb_opts *o, int format, tacit_error *err)
{
    if (format == TC_FORMAT_JSON)
        return tc_privacy_print_json(report(b, o), false, err);
    if (format == TC_FORMAT_CSV)
        puts("reply");
    for (size_t i = 0; i < b->n; i++) {
        char text[32];
        tc_double_text(text, b->replies[i]);
        puts(text);
    }
    return TACIT_OK;
}

static void note(const batch *b, bool quiet)
{
    if (!b->is_private)
        tc_note(quiet, "tacit: NOT PRIVATE: replies were drawn from a seed");
    if (b->again > 0)
        tc_note(quiet,
                "%zu of %zu replies were given before: the same question has the same reply, "
                "whatever the value is now, and nothing was spent for it",
                b->again, b->n);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const perturb_opts *o = in->opts;
    double y;
    TC_TRY(read_words(o, &y, err));
    batch b = {.replies = tc_alloc((size_t)o->count, sizeof(double))};
    if (!b.replies)
        return tc_fail_memory(err);
    tacit_status st =
        o->seed >= 0 ? draw_seeded(o, y, &b, err) : through_ledger(o, y, in->quiet, &b, err);
    if (st == TACIT_OK) {
        note(&b, in->quiet);
        st = print(&b, o, in->format, err);
    }
    tc_text_fini(&b.statement);
    tc_free(b.replies);
    return st;
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
