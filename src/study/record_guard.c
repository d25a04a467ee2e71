/* record_guard.c - see record_guard.h. */
#include "study/record_guard.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/record_ledger.h"
#include "privacy/statement.h"
#include "study/record_terms.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct tc_record_guard {
    tc_record_guard_config cfg;
    tacit_hash place; /* of its evaluations in the ledger, beside the study's rounds */
    tc_value_plan plan;
    tc_value_scale scale;
    tc_trainer_plan all;   /* what the document plans */
    tacit_guarantee total; /* of it, at the document's delta; with a trainer */
    tc_ledger_document document;
    tc_ledger_budget limit;
    pthread_mutex_t lock; /* of the ledger */
};

/* ---- life ---- */

tacit_hash tc_record_guard_place(const tacit_hash *study)
{
    static const char what[] = "evaluations";
    uint8_t both[TC_LEDGER_HASH_BYTES + sizeof what];
    memcpy(both, study->bytes, TC_LEDGER_HASH_BYTES);
    memcpy(both + TC_LEDGER_HASH_BYTES, what, sizeof what);
    return tc_ledger_release_hash(both, sizeof both);
}

/* One document has planned all evaluations before the first, so the tightest accountant counts; in a ledger of several
 * studies, the filter does (ledger_filter.c). */
static tacit_status set_limit(tc_record_guard *g, tacit_error *err)
{
    const tc_study_doc *d = g->cfg.doc;
    g->document = (tc_ledger_document){
        .study = g->place, .events = g->all.events, .n = g->all.n, .distance = g->all.distance};
    bool own = g->cfg.epsilon > 0;
    g->limit = (tc_ledger_budget){.epsilon = own ? g->cfg.epsilon : d->epsilon,
                                  .delta = own ? g->cfg.delta : d->delta,
                                  .accountant = &tc_accountant_pld,
                                  .document = &g->document};
    if (g->cfg.trainer.n == 0)
        return TACIT_OK;
    tacit_guarantee total; /* of many sampled steps: found once, and not for every charge */
    TC_TRY(tc_ledger_cost(g->limit.accountant, g->all.events, g->all.n, g->all.distance,
                          g->limit.delta, &total, err));
    g->document.epsilon = total.epsilon;
    return TACIT_OK;
}

/* Without a limit over several studies there is one study: the promise of two cannot be kept by each alone. */
static tacit_status check_alone(const tc_record_guard *g, tacit_error *err)
{
    const tc_record_guard_config *cfg = &g->cfg;
    for (uint64_t i = tc_ledger_get_head(cfg->ledger).seq; cfg->epsilon == 0 && i > 0; i--) {
        const tc_ledger_entry *e = tc_ledger_get(cfg->ledger, i, NULL);
        if (e->event.count > 0 && !tc_ledger_hash_same(&e->study, &g->place))
            return tc_fail(err, TACIT_E_BUDGET,
                           "ledger \"%s\" has paid for another study already: if it used the same "
                           "records, give a limit over both (epsilon and delta); if not, another "
                           "ledger",
                           tc_ledger_name(cfg->ledger));
    }
    return TACIT_OK;
}

/* A ledger that was restored from a backup does not know what it has paid for since. */
static tacit_status check_counted(const tc_record_guard *g, tacit_error *err)
{
    tacit_dp_event nothing = g->scale.event;
    nothing.count = 0;
    return tc_ledger_would(g->cfg.ledger, &g->limit, TACIT_UNIT_RECORD, NULL, &nothing, 0, err);
}

static void add_number(tc_text *text, const char *label, double v)
{
    tc_text_add(text, label);
    tc_text_add_double(text, v);
}

static void add_cap(tc_text *text, const tc_trainer *t)
{
    for (size_t i = 0; i < t->n; i++) {
        tc_text_addf(text, "%s %d", i > 0 ? "," : ", trainer", (int)t->cap[i].mechanism);
        add_number(text, " ", t->cap[i].parameter);
        add_number(text, " ", t->cap[i].sampling_rate);
        tc_text_addf(text, " %d %" PRIu64, (int)t->cap[i].sampling, t->cap[i].count);
    }
}

/* Everything that the promise and its noise follow from. */
static tacit_status keep_terms(const tc_record_guard *g, tacit_error *err)
{
    const tc_study_doc *d = g->cfg.doc;
    tc_text text = {0};
    add_number(&text, "epsilon ", d->epsilon);
    add_number(&text, ", delta ", d->delta);
    tc_text_addf(&text, ", %" PRIu64 " evaluations", tc_study_doc_evaluations(d));
    add_number(&text, ", sensitivity ", g->plan.sensitivity);
    add_number(&text, ", range ", g->plan.low);
    add_number(&text, " to ", g->plan.high);
    add_number(&text, ", noise multiplier ", g->plan.z);
    tc_text_addf(&text, ", %" PRIu64 " per person, ledger %s",
                 g->plan.per_person > 0 ? g->plan.per_person : 1, tc_ledger_name(g->cfg.ledger));
    if (g->cfg.ledger_at)
        tc_text_addf(&text, " in %s", g->cfg.ledger_at);
    add_cap(&text, &g->cfg.trainer);
    tacit_status status = text.failed ? tc_fail_memory(err)
                                      : tc_record_terms_keep(g->cfg.terms_store, &g->place, d->name,
                                                             tc_text_get(&text), err);
    tc_text_fini(&text);
    return status;
}

/* Values and trainings of all trials, and what they come to. */
static tacit_status make_plan(tc_record_guard *g, tacit_error *err)
{
    const tc_record_guard_config *cfg = &g->cfg;
    TC_TRY(tc_record_plan_of(cfg->doc, &cfg->terms, &g->plan, err));
    TC_TRY(tc_value_plan_scale(&g->plan, &g->scale, err));
    uint64_t trained[TC_RECORD_EVENTS]; /* once a trial, however many values it has */
    for (size_t i = 0; i < TC_RECORD_EVENTS; i++)
        trained[i] = cfg->doc->trials;
    TC_TRY(tc_trainer_plan_of(&cfg->trainer, &g->plan, tc_study_doc_evaluations(cfg->doc), trained,
                              &g->all, err));
    TC_TRY(tc_trainer_check_limit(&cfg->trainer, cfg->doc, &g->all, cfg->epsilon, cfg->delta, err));
    if (cfg->trainer.n == 0)
        return TACIT_OK;
    return tc_ledger_cost(&tc_accountant_pld, g->all.events, g->all.n, g->all.distance,
                          cfg->doc->delta, &g->total, err);
}

tacit_status tc_record_guard_new(tc_record_guard **out, const tc_record_guard_config *cfg,
                                 tacit_error *err)
{
    tc_record_guard *g = tc_alloc(1, sizeof *g);
    if (!g)
        return tc_fail_memory(err);
    g->cfg = *cfg;
    g->place = tc_record_guard_place(&cfg->study);
    tacit_status status = make_plan(g, err);
    if (status == TACIT_OK)
        status = check_alone(g, err);
    if (status == TACIT_OK)
        status = set_limit(g, err);
    if (status == TACIT_OK)
        status = check_counted(g, err);
    if (status == TACIT_OK)
        status = keep_terms(g, err);
    if (status == TACIT_OK)
        status = tc_ledger_keep_plan(cfg->ledger, &g->limit, TACIT_UNIT_RECORD, err);
    if (status != TACIT_OK) {
        tc_free(g);
        return status;
    }
    pthread_mutex_init(&g->lock, NULL);
    *out = g;
    return TACIT_OK;
}

void tc_record_guard_free(tc_record_guard *g)
{
    if (!g)
        return;
    if (!g->cfg.lent) {
        tc_ledger_close(g->cfg.ledger);
        if (g->cfg.end)
            g->cfg.end(g->cfg.below);
    }
    pthread_mutex_destroy(&g->lock);
    tc_free(g);
}

double tc_record_guard_sd(const tc_record_guard *g)
{
    return g->scale.noise_sd;
}

/* ---- one evaluation ---- */

static tacit_status may(const tc_record_guard *g, tacit_error *err)
{
    const tc_trainer *t = &g->cfg.trainer;
    TC_TRY(tc_ledger_catch_up(g->cfg.ledger, err));
    for (size_t i = 0; i < t->n; i++) {
        tacit_dp_event training = tc_dp_event_replaced(&t->cap[i]);
        TC_TRY(
            tc_ledger_would(g->cfg.ledger, &g->limit, TACIT_UNIT_RECORD, NULL, &training, 0, err));
    }
    return tc_ledger_would(g->cfg.ledger, &g->limit, TACIT_UNIT_RECORD, NULL, &g->scale.event,
                           g->scale.distance, err);
}

tacit_status tc_record_guard_may(tc_record_guard *g, tacit_error *err)
{
    pthread_mutex_lock(&g->lock);
    tacit_status status = may(g, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

tacit_status tc_record_guard_has(tc_record_guard *g, uint64_t trial, bool *out, tacit_error *err)
{
    pthread_mutex_lock(&g->lock);
    tacit_status status = tc_record_is_reserved(g->cfg.ledger, &g->place, trial, out, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

tacit_status tc_record_guard_reserve(tc_record_guard *g, uint64_t trial, tacit_error *err)
{
    const tc_study_doc *d = g->cfg.doc;
    if (trial >= d->trials)
        return tc_fail(err, TACIT_E_BUDGET,
                       "study \"%s\" promises epsilon %g over %" PRIu64
                       " evaluations, so trial %" PRIu64 " must not be evaluated",
                       d->name, d->epsilon, d->trials, trial);
    pthread_mutex_lock(&g->lock);
    tacit_status status = tc_record_reserve_training(g->cfg.ledger, &g->limit, &g->place, trial,
                                                     g->cfg.trainer.cap, g->cfg.trainer.n, err);
    if (status == TACIT_OK)
        status = tc_record_reserve(g->cfg.ledger, &g->limit, &g->place, trial, &g->plan, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

/* Fresh entropy for each evaluation; in tests from (seed, trial), which stamps the release. */
static tacit_status release(tc_record_guard *g, uint64_t trial, double y, double *value,
                            tacit_error *err)
{
    tc_noise secret;
    tc_test_noise seeded;
    tc_entropy e;
    bool test = g->cfg.test_seed >= 0;
    if (test) {
        tc_test_noise_init(&seeded, (uint64_t)g->cfg.test_seed, g->cfg.party << 32 | trial);
        e = tc_entropy_of_test(&seeded);
    } else {
        tc_noise_init(&secret);
        e = tc_entropy_of(&secret);
    }
    tacit_status status =
        tc_record_release(g->cfg.ledger, &g->place, trial, &g->plan, y, &e, value, err);
    if (!test)
        tc_noise_fini(&secret);
    return status;
}

tacit_status tc_record_guard_release(tc_record_guard *g, uint64_t trial, double y, double *value,
                                     tacit_error *err)
{
    pthread_mutex_lock(&g->lock);
    tacit_status status = release(g, trial, y, value, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

/* Evaluations that are numbered from the number of trials on are intermediate values, a share of them for each trial. So one
 * has its place in the ledger before anybody asks for it: no two workers can take the same, and a trial that is run again is
 * told what was released at its first run. */
static tacit_status release_step(tc_record_guard *g, uint64_t trial, uint64_t index, double y,
                                 double *value, tacit_error *err)
{
    const tc_study_doc *d = g->cfg.doc;
    const uint64_t number = d->trials + trial * tc_study_doc_share(d) + index;
    bool reserved;
    TC_TRY(tc_record_is_reserved(g->cfg.ledger, &g->place, trial, &reserved, err));
    if (!reserved)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was not reserved: its values must not be released",
                       trial);
    TC_TRY(tc_record_reserve(g->cfg.ledger, &g->limit, &g->place, number, &g->plan, err));
    return release(g, number, y, value, err);
}

tacit_status tc_record_guard_release_step(tc_record_guard *g, uint64_t trial, uint64_t index,
                                          double y, double *value, tacit_error *err)
{
    const tc_study_doc *d = g->cfg.doc;
    if (trial >= d->trials || index >= tc_study_doc_share(d))
        return tc_fail(err, TACIT_E_BUDGET,
                       "study \"%s\" plans %" PRIu64 " evaluations for %" PRIu64
                       " trials, which pay for %" PRIu64 " intermediate value%s of a trial",
                       d->name, tc_study_doc_evaluations(d), d->trials, tc_study_doc_share(d),
                       tc_study_doc_share(d) == 1 ? "" : "s");
    pthread_mutex_lock(&g->lock);
    tacit_status status = release_step(g, trial, index, y, value, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

tacit_status tc_record_guard_recall(tc_record_guard *g, uint64_t trial, double *value,
                                    tacit_error *err)
{
    pthread_mutex_lock(&g->lock);
    tacit_status status = tc_record_find(g->cfg.ledger, &g->place, trial, value, err);
    pthread_mutex_unlock(&g->lock);
    return status;
}

/* ---- what a program reports ---- */

/* Where a sensitivity was declared in place of a number, there is nothing to compare with. */
static bool accepts_n(const tc_record_guard *g, const json_t *said, char *reason, size_t size)
{
    uint64_t declared = g->cfg.terms.records;
    const json_t *n = said ? json_object_get(said, "n") : NULL;
    if (!n || declared == 0)
        return true;
    if (!json_is_number(n))
        snprintf(reason, size, "\"n\" on the last line is not a number");
    else if (json_number_value(n) != (double)declared)
        snprintf(reason, size,
                 "\"n\" on the last line is %.17g, and %" PRIu64 " records were declared",
                 json_number_value(n), declared);
    else
        return true;
    return false;
}

bool tc_record_guard_accepts(const tc_record_guard *g, const json_t *said, char *reason,
                             size_t size)
{
    return accepts_n(g, said, reason, size) &&
           tc_trainer_accepts(&g->cfg.trainer, said, reason, size);
}

/* ---- what is said ---- */

/* Values and trainings together: a record in both is covered by the sum. */
static void say_training(const tc_record_guard *g, tc_text *out)
{
    const tc_study_doc *d = g->cfg.doc;
    char epsilon[32], delta[32];
    if (g->cfg.trainer.n == 0) {
        tc_text_add(out, "Not protected: training records, unless the trainer is private; that "
                         "this party takes part; running times. ");
        return;
    }
    tacit_epsilon_text(epsilon, g->total.epsilon);
    tacit_delta_text(delta, d->delta);
    tc_text_addf(out,
                 "Training records are protected as well: the %" PRIu64 " trainings, each charged "
                 "at the cap that was declared, and the %" PRIu64 " values together cost every "
                 "record epsilon %s, delta %s where one is replaced by another, also a record that "
                 "is used for both. That the trainer keeps to what it reports, tacit cannot check. "
                 "Not protected: that this party takes part; running times. ",
                 d->trials, tc_study_doc_evaluations(d), epsilon, delta);
}

/* Of a study that plans more than one evaluation a trial. */
static void say_steps(const tc_study_doc *d, tc_text *out)
{
    if (tc_study_doc_share(d) > 0)
        tc_text_addf(out,
                     "They are the last values of %" PRIu64 " trials and up to %" PRIu64
                     " intermediate values of each; that a trial reported a step at all is not "
                     "hidden. ",
                     d->trials, tc_study_doc_share(d));
}

void tc_record_guard_statement(const tc_record_guard *g, tc_text *out)
{
    const tc_study_doc *d = g->cfg.doc;
    char epsilon[32], delta[32], adjacency[TC_VALUE_ADJACENCY];
    tacit_epsilon_text(epsilon, d->epsilon);
    tacit_delta_text(delta, d->delta);
    tc_value_adjacency(&g->plan, adjacency);
    tc_text_addf(out,
                 "Validation records are protected with epsilon %s, delta %s over the %" PRIu64
                 " evaluations of study \"%s\". Neighbours: %s. Every value gets Gaussian noise "
                 "with a standard deviation of %.3g before anything else sees it; what follows "
                 "(points, messages, results) costs nothing more. ",
                 epsilon, delta, tc_study_doc_evaluations(d), d->name, adjacency,
                 g->scale.noise_sd);
    say_steps(d, out);
    say_training(g, out);
    if (g->cfg.terms.sensitivity > 0)
        tc_text_add(out, "The sensitivity was declared, and tacit cannot check it. ");
    else if (d->metric->rule == TC_METRIC_AUC)
        tc_text_add(out,
                    "That either class has so many records, whatever record is replaced, and that "
                    "no single record makes the program fail, tacit cannot check. ");
    else
        tc_text_add(
            out,
            "The program must clip each record's loss to the range before it takes "
            "the mean, and must not fail because of a single record; tacit can check neither. ");
    tc_text_add(out, "Whoever acts on raw values (stops by hand, changes the space, picks a "
                     "winner) voids the promise.");
    if (g->cfg.test_seed >= 0)
        tc_text_add(out, " NOT PRIVATE: the noise comes from a seed.");
}
