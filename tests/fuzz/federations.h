/* federations.h - small federated studies, one of each algorithm, brought to their first round: their
 * plans, the messages of their agents, and what a coordinator makes of those. */
#ifndef TACIT_TESTS_FUZZ_FEDERATIONS_H
#define TACIT_TESTS_FUZZ_FEDERATIONS_H

#include "input.h"

#include "algo/optimizer.h"
#include "privacy/mechanism.h"
#include "study/study_plan.h"

enum { FED_AGENTS = 3, FED_TRIALS = 400 };

/* Algorithm and options, then privacy. */
static const struct fed_kind {
    const char *algorithm, *privacy;
} fed_kinds[] = {
    {"\"dp-fts-de\", \"features\": 6, \"initial\": 2, \"releases\": \"all\"",
     "{\"noise_multiplier\": 2, \"delta\": 0.01}"},
    {"\"dp-fts-de\", \"features\": 6, \"initial\": 2, \"releases\": \"all\", \"regions\": 1,"
     " \"mode\": \"paper\", \"sampling\": \"fixed\", \"sampling_rate\": 0.7",
     "{\"noise_multiplier\": 2, \"delta\": 0.01}"},
    {"\"fts\", \"features\": 6, \"initial\": 3", "\"none\""},
    {"\"fts\", \"own\": \"features\", \"features\": 6, \"initial\": 2, \"mode\": \"general\","
     " \"schedule\": \"constant\", \"follow\": 0.9, \"choose\": \"learned\"",
     "\"none\""},
    {"\"rgpe\", \"features\": 6, \"initial\": 2, \"samples\": 5", "\"none\""},
    {"\"taf\", \"features\": 6, \"initial\": 2", "\"none\""},
    {"\"fed-hct\"", "\"none\""},
    {"\"pf-pne\"", "\"none\""},
    {"\"fed-pne\"", "\"none\""},
    {"\"dp-pf-pne\"", "{\"noise_multiplier\": 2, \"delta\": 0.01}"},
    {"\"dp-pf-pne\", \"protect\": \"record\"", "{\"noise_multiplier\": 2, \"delta\": 0.01}"},
};
enum { FED_KINDS = sizeof fed_kinds / sizeof *fed_kinds };

typedef struct fed_study {
    tc_study_plan *plan;
    uint64_t round;              /* the first */
    tc_text message[FED_AGENTS]; /* of each agent for it */
    fuzz_piece broadcast;        /* what comes of these; of a relay nothing */
} fed_study;

/* ---- an agent ---- */

static inline tc_optimizer *fed_agent(const tc_study_plan *p, uint64_t number)
{
    tc_optimizer *o;
    tc_optimizer_config cfg = {.algorithm = p->doc->algorithm,
                               .options = p->options,
                               .space = p->doc->space,
                               .maximize = true,
                               .public_seed = p->env.public_seed,
                               .party_seed = tc_party_seed_from(number),
                               .party = number,
                               .agents = FED_AGENTS,
                               .budget = FED_TRIALS};
    REQUIRE(tc_optimizer_new(&o, &cfg, NULL) == TACIT_OK);
    return o;
}

static inline void fed_apply(tc_optimizer *o, tacit_status status, const tc_event *e)
{
    REQUIRE(status == TACIT_OK && tc_optimizer_apply(o, e, NULL) == TACIT_OK);
}

static inline void fed_trial(tc_optimizer *o, uint64_t number)
{
    tc_event e;
    do
        fed_apply(o, tc_optimizer_next(o, &(tc_ask_request){.now_ms = 0}, &e, NULL), &e);
    while (e.kind != TC_EVENT_ASK);
    double x = tc_optimizer_trial(o, e.trial)->values[0];
    double y = 0.8 - 0.5 * (x - 0.1 * (double)number) * (x - 0.1 * (double)number);
    fed_apply(o, tc_optimizer_tell(o, e.trial, NULL, y, 0, &e, NULL), &e);
}

/* Until it has to publish; *message, where given, gets what. False: it never does. */
static inline bool fed_publish(tc_optimizer *o, uint64_t number, uint64_t *round, tc_text *message)
{
    tc_need need;
    tc_event e;
    for (int t = 0; t < FED_TRIALS; t++) {
        REQUIRE(tc_optimizer_need(o, &need, NULL) == TACIT_OK);
        if (need.may & TC_NEED_PUBLISH)
            break;
        if (!(need.may & TC_NEED_TRIAL))
            return false;
        fed_trial(o, number);
    }
    if (!(need.may & TC_NEED_PUBLISH))
        return false;
    REQUIRE(tc_optimizer_publish(o, 0, &e, NULL) == TACIT_OK);
    *round = e.round;
    if (message)
        tc_text_add_bytes(message, e.bytes, e.n_bytes);
    REQUIRE(tc_optimizer_apply(o, &e, NULL) == TACIT_OK);
    return true;
}

/* ---- a round ---- */

typedef struct fed_message {
    uint64_t agent;
    fuzz_piece piece;
} fed_message;

static inline fuzz_piece fed_encode(tc_release *r)
{
    fuzz_piece out = {malloc(tc_release_size(r) + 1), tc_release_size(r)};
    REQUIRE(out.bytes);
    tc_release_encode(r, out.bytes);
    tc_release_free(r);
    return out;
}

/* Folds in the order of the list. *left_out: how many did not fit. *out: what came of it; NULL bytes:
 * a sum cannot be made. */
static inline void fed_fold(const fed_study *f, const fed_message *const *list, size_t n,
                            size_t *left_out, fuzz_piece *out)
{
    const tc_aggregator_ops *ops = f->plan->doc->algorithm->aggregator;
    tc_test_noise noise;
    tc_test_noise_init(&noise, 7, f->round);
    tc_entropy e = tc_entropy_of_test(&noise);
    void *state = tc_alloc(1, ops->state_size);
    tc_release *r = NULL;
    REQUIRE(state);
    *left_out = 0;
    *out = (fuzz_piece){0};
    REQUIRE(ops->open(state, &f->plan->env, f->plan->opts, f->round, &e, NULL) == TACIT_OK);
    for (size_t i = 0; i < n; i++) {
        tacit_status status =
            ops->fold(state, list[i]->agent, list[i]->piece.bytes, list[i]->piece.n, NULL);
        REQUIRE(status == TACIT_OK || status == TACIT_E_ARG || status == TACIT_E_STATE);
        *left_out += status != TACIT_OK;
    }
    tacit_status status = ops->close(state, &r, NULL);
    REQUIRE(status == TACIT_OK || status == TACIT_E_STATE);
    if (status == TACIT_OK)
        *out = fed_encode(r);
    ops->fini(state);
    tc_free(state);
}

/* ---- made once, kept until the process ends ---- */

static inline tc_study_plan *fed_plan(const struct fed_kind *k)
{
    char text[1024];
    tc_study_plan *p;
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": %d, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": %s}, \"federation\": {\"agents\": %d}, \"privacy\": %s}",
             FED_TRIALS, k->algorithm, FED_AGENTS, k->privacy);
    tc_study_row row = {.document = text, .public_seed = tc_public_seed_from(7), .created_ms = 1};
    tacit_error err = {0};
    if (tc_study_plan_new(&p, &row, &err) != TACIT_OK)
        fprintf(stderr, "%s: %s\n", k->algorithm, err.msg);
    REQUIRE(err.code == TACIT_OK);
    return p;
}

static inline void fed_make(fed_study *f, const struct fed_kind *k)
{
    fed_message all[FED_AGENTS];
    const fed_message *list[FED_AGENTS];
    size_t left_out;
    f->plan = fed_plan(k);
    for (uint64_t i = 0; i < FED_AGENTS; i++) {
        tc_optimizer *o = fed_agent(f->plan, i);
        REQUIRE(fed_publish(o, i, &f->round, &f->message[i]));
        tc_optimizer_free(o);
        all[i] = (fed_message){i, fuzz_copy(tc_text_get(&f->message[i]), f->message[i].len)};
        list[i] = &all[i];
    }
    if (f->plan->doc->algorithm->aggregator)
        fed_fold(f, list, FED_AGENTS, &left_out, &f->broadcast);
    for (size_t i = 0; i < FED_AGENTS; i++)
        free(all[i].piece.bytes);
}

static inline const fed_study *fed_study_of(unsigned kind)
{
    static fed_study made[FED_KINDS];
    fed_study *f = &made[kind % FED_KINDS];
    if (!f->plan)
        fed_make(f, &fed_kinds[kind % FED_KINDS]);
    return f;
}

#endif
