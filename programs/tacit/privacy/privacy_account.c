/* privacy_account.c - `tacit privacy account`: the epsilon of a list of releases. */
#include "privacy/privacy_cli.h"

#include "base/json.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MECHANISMS  "gaussian|laplace|pure"
#define ACCOUNTANTS "pld|rdp|moments|gaussian|pure|all"

enum { PURE = 4, ALL = 5, MOST_ACCOUNTANTS = 8 };

typedef struct account_opts {
    int mechanism, sampling, accountant, unit, relation;
    double noise_multiplier, epsilon, sampling_rate, delta;
    int64_t rounds, agents;
} account_opts;

static const tc_option options[] = {
    {"noise-multiplier", TC_OPTION_FLOAT, offsetof(account_opts, noise_multiplier), .min = 0,
     .max = TC_PRIVACY_MAX_Z, .min_open = true,
     .help = "Gaussian noise: its standard deviation over the sensitivity"},
    {"sampling-rate", TC_OPTION_FLOAT, offsetof(account_opts, sampling_rate), "1", .min = 0,
     .max = 1, .min_open = true, .help = "probability that a member takes part in a release"},
    {"rounds", TC_OPTION_INT, offsetof(account_opts, rounds), "1", .min = 0,
     .max = TC_PRIVACY_MAX_T, .help = "releases"},
    TC_DELTA_OPTION(account_opts),
    TC_AGENTS_OPTION(account_opts),
    {"accountant", TC_OPTION_CHOICE, offsetof(account_opts, accountant), "pld",
     .choices = ACCOUNTANTS, .help = "by which bound; all: every one that applies"},
    {"mechanism", TC_OPTION_CHOICE, offsetof(account_opts, mechanism), "gaussian",
     .choices = MECHANISMS, .help = "what each release adds; pure: any with a pure epsilon"},
    {"epsilon", TC_OPTION_FLOAT, offsetof(account_opts, epsilon), .min = 0, .max = TC_PRIVACY_MAX_Z,
     .min_open = true, .help = "Laplace and pure mechanisms: epsilon of one release"},
    TC_SAMPLING_OPTION(account_opts),
    TC_UNIT_OPTION(account_opts),
    TC_RELATION_OPTION(account_opts),
    {.name = NULL}};

/* What was asked, and the answers. */
typedef struct answer {
    const char *accountant;
    tacit_guarantee bound;
} answer;

typedef struct question {
    const account_opts *o;
    tacit_dp_event event;
    double delta;
    size_t n;
    answer answers[MOST_ACCOUNTANTS];
} question;

static tacit_status make_event(const account_opts *o, tacit_dp_event *out, tacit_error *err)
{
    static const tacit_dp_mechanism mechanisms[] = {TACIT_DP_GAUSSIAN, TACIT_DP_LAPLACE,
                                                    TACIT_DP_PURE};
    bool gaussian = o->mechanism == 0;
    double parameter = gaussian ? o->noise_multiplier : o->epsilon;
    if (parameter == 0)
        return tc_fail(err, TACIT_E_ARG, "--%s is needed: a %s release is described by it",
                       gaussian ? "noise-multiplier" : "epsilon",
                       gaussian ? "Gaussian" : "Laplace or pure");
    if (gaussian ? o->epsilon > 0 : o->noise_multiplier > 0)
        return tc_fail(err, TACIT_E_ARG, "--%s does not describe a %s release",
                       gaussian ? "epsilon" : "noise-multiplier",
                       gaussian ? "Gaussian" : "Laplace or pure");
    tacit_dp_sampling sampling = TACIT_DP_ALL;
    TC_TRY(
        tc_privacy_sampling(o->sampling_rate, o->sampling, o->unit, o->relation, &sampling, err));
    *out = (tacit_dp_event){mechanisms[o->mechanism], parameter, sampling, o->sampling_rate,
                            (uint64_t)o->rounds};
    bool replaced = tc_privacy_relation(o->relation) == TACIT_RELATION_REPLACE_ONE;
    return replaced ? tacit_dp_event_replaced(out, out, err) : TACIT_OK;
}

static tacit_status ask(question *q, const char *accountant, tacit_error *err)
{
    answer *to = &q->answers[q->n];
    to->bound = (tacit_guarantee)TACIT_GUARANTEE;
    TC_TRY(tacit_account(accountant, &q->event, 1, q->delta, &to->bound, err));
    to->accountant = accountant;
    q->n++;
    return TACIT_OK;
}

/* One accountant, whose refusal counts, or all that have a formula. */
static tacit_status ask_all(question *q, tacit_error *err)
{
    const char *const *names = tacit_accountants(); /* in the order of the option's choices */
    if (q->o->accountant != ALL)
        return ask(q, names[q->o->accountant], err);
    for (const char *const *a = names; *a; a++) {
        tacit_status status = ask(q, *a, err);
        if (status != TACIT_OK && status != TACIT_E_UNSUPPORTED)
            return status;
    }
    return TACIT_OK;
}

/* ---- output */

static json_t *answer_json(const question *q, const answer *a)
{
    json_t *j = json_object();
    if (tc_privacy_guarantee_json(j, a->accountant, &a->bound, q->event.count,
                                  (tacit_unit)q->o->unit, q->o->relation, q->event.sampling) &&
        json_object_set_new(j, "event", tc_privacy_event_json(&q->event)) == 0)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *all_json(const question *q)
{
    if (q->o->accountant != ALL)
        return answer_json(q, &q->answers[0]);
    json_t *list = json_array();
    for (size_t i = 0; i < q->n && list; i++)
        if (json_array_append_new(list, answer_json(q, &q->answers[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static void row(tc_table *t, const answer *a, bool people)
{
    tc_table_text(t, 0, a->accountant);
    tc_privacy_cell(t, 1, a->bound.epsilon, tacit_epsilon_text, people);
    if (!people || a->bound.lower > 0)
        tc_privacy_cell(t, 2, a->bound.lower, tacit_lower_text, people);
    tc_privacy_cell(t, 3, a->bound.delta, tacit_delta_text, people);
    if (a->bound.order > 0)
        tc_table_number(t, 4, a->bound.order);
    tc_table_text(t, 5, a->bound.accountant);
}

static tacit_status state(const question *q, const answer *a, char **text, tacit_error *err)
{
    return tc_privacy_statement(&a->bound, q->event.count, (tacit_unit)q->o->unit, q->o->relation,
                                q->event.sampling, text, err);
}

static tacit_status print_csv(const question *q, tacit_error *err)
{
    static const char *const names[] = {"accountant", "epsilon", "epsilon_lower", "delta",
                                        "order",      "bound",   "statement"};
    tc_table *t = tc_table_new(7, names);
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < q->n && status == TACIT_OK; i++) {
        char *statement = NULL;
        status = state(q, &q->answers[i], &statement, err);
        row(t, &q->answers[i], false);
        tc_table_text(t, 6, statement);
        tc_table_end_row(t);
        tacit_text_free(statement);
    }
    if (status == TACIT_OK)
        return tc_table_print(t, TC_FORMAT_CSV, stdout, err);
    tc_table_free(t);
    return status;
}

/* The first answer is the best one: its statement stands for the table. */
static tacit_status print_people(const question *q, tacit_error *err)
{
    static const char *const names[] = {"accountant", "epsilon", "at least",
                                        "delta",      "order",   "bound by"};
    tc_table *t = tc_table_new(6, names);
    for (size_t i = 0; i < q->n; i++) {
        row(t, &q->answers[i], true);
        tc_table_end_row(t);
    }
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    char *statement;
    TC_TRY(state(q, &q->answers[0], &statement, err));
    putchar('\n');
    tc_privacy_paragraph(statement);
    tacit_text_free(statement);
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    question q = {.o = in->opts, .delta = 0.5}; /* "pure" needs none */
    TC_TRY(make_event(q.o, &q.event, err));
    if (q.o->accountant != PURE || q.o->delta > 0)
        TC_TRY(tc_privacy_delta(q.o->delta, q.o->agents, in->quiet, &q.delta, err));
    TC_TRY(ask_all(&q, err));
    if (in->format == TC_FORMAT_TABLE)
        return print_people(&q, err);
    if (in->format == TC_FORMAT_CSV)
        return print_csv(&q, err);
    return tc_privacy_print_json(all_json(&q), in->format == TC_FORMAT_JSONL, err);
}

const tc_verb tc_verb_privacy_account = {
    .name = "privacy account",
    .usage = "--noise-multiplier Z [options]",
    .summary = "the epsilon of a number of releases",
    .details =
        "Says what --rounds releases cost together, each with noise of --noise-multiplier\n"
        "times the sensitivity and with members that take part at --sampling-rate.\n"
        "\n"
        "Accountants: pld is nearly tight and also gives a lower bound (\"at least\"); where\n"
        "another bound is better or exact it reports that one and says which. rdp adds Renyi\n"
        "divergences. moments is the accountant of Abadi et al. 2016, for comparison with\n"
        "published numbers. gaussian is the closed form without sampling. pure adds epsilons\n"
        "of Laplace and pure mechanisms, at delta 0. One that has no formula for what is asked\n"
        "(gaussian and pure: rates below 1) says so, with exit code 8.\n"
        "\n"
        "A rate below 1 needs --unit agent: of a row or a user, that it is sampled rarely\n"
        "does not hide what it contributes when it is.\n"
        "\n"
        "Private trainers (Opacus, TensorFlow Privacy) state their noise for adding or removing\n"
        "a record, each of them sampled at the rate: --relation add-remove is the epsilon that\n"
        "they print. --relation replace-one charges the same training for a record whose place\n"
        "another takes, as a group of two: it composes with evaluations on records.\n"
        "\n"
        "  tacit privacy account --noise-multiplier 1 --sampling-rate 0.25 --rounds 40 \\\n"
        "      --delta 0.00294352 --accountant all\n"
        "  tacit privacy account --mechanism laplace --epsilon 0.1 --rounds 100 --agents 1000\n"
        "  tacit privacy account --noise-multiplier 8 --rounds 40 --agents 200 --format json\n"
        "  tacit privacy account --noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000 \\\n"
        "      --unit record --relation replace-one --delta 1e-5",
    .options = options,
    .options_size = sizeof(account_opts),
    .run = run,
};
