/* study_api.c - the public interface of studies: a store and a study behind one handle.
 *
 * Thin: every rule is in study.c and the stores. See <tacit/study.h>. */
#include <tacit/study.h>

#include "algo/batch.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/study.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct tacit_study {
    tc_store *store;
    tc_study *study;
    pthread_mutex_t lock; /* guards err */
    tacit_error err;
};

/* ---- birth and end ---- */

static tacit_status open_store(tacit_study **out, const char *storage, bool create,
                               tacit_error *err)
{
    tc_store *store;
    TC_TRY(tc_store_open(&store, storage, create, err));
    tacit_study *s = tc_alloc(1, sizeof *s);
    if (!s) {
        tc_store_close(store);
        return tc_fail_memory(err);
    }
    s->store = store;
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return TACIT_OK;
}

void tacit_study_close(tacit_study *s)
{
    if (!s)
        return;
    tc_study_close(s->study);
    tc_store_close(s->store);
    pthread_mutex_destroy(&s->lock);
    tc_free(s);
}

static tacit_status publish(tacit_study **out, tacit_study *s, tacit_status st)
{
    if (st == TACIT_OK)
        *out = s;
    else
        tacit_study_close(s);
    return st;
}

/* The document is checked before the storage is touched. Owns doc. */
static tacit_status create(tacit_study **out, const char *storage, tc_study_doc *doc,
                           tacit_error *err)
{
    tacit_study *s = NULL;
    tacit_status st = open_store(&s, storage, true, err);
    if (st == TACIT_OK)
        st = publish(out, s, tc_study_create(&s->study, s->store, doc, NULL, err));
    tc_study_doc_free(doc);
    return st;
}

tacit_status tacit_study_create(tacit_study **out, const char *storage, const char *document,
                                tacit_error *err)
{
    json_t *json;
    tc_study_doc *doc;
    TC_TRY(tc_json_parse(document, strlen(document), "the study document", &json, err));
    tacit_status st = tc_study_doc_from_json(&doc, json, NULL, err);
    json_decref(json);
    TC_TRY(st);
    return create(out, storage, doc, err);
}

tacit_status tacit_study_create_file(tacit_study **out, const char *storage, const char *file,
                                     tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(tc_study_doc_read(&doc, file, err));
    return create(out, storage, doc, err);
}

tacit_status tacit_study_open(tacit_study **out, const char *storage, const char *name,
                              tacit_error *err)
{
    tacit_study *s = NULL;
    TC_TRY(open_store(&s, storage, false, err));
    return publish(out, s, tc_study_open(&s->study, s->store, name, NULL, err));
}

/* ---- messages ---- */

/* Keeps the message of a failed call; calls fill an error of their own, so that threads do
 * not write into each other's. */
static tacit_status keep(tacit_study *s, tacit_status st, const tacit_error *err)
{
    if (st != TACIT_OK) {
        pthread_mutex_lock(&s->lock);
        s->err = *err;
        pthread_mutex_unlock(&s->lock);
    }
    return st;
}

const char *tacit_study_errmsg(const tacit_study *s)
{
    return s->err.msg;
}

void tacit_study_error(tacit_study *s, tacit_error *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->err;
    pthread_mutex_unlock(&s->lock);
}

/* ---- the space ---- */

static const tc_space *space_of(const tacit_study *s)
{
    return tc_study_document(s->study)->space;
}

const char *tacit_study_name(const tacit_study *s)
{
    return tc_study_name(s->study);
}

size_t tacit_study_params(const tacit_study *s)
{
    return space_of(s)->n_params;
}

const char *tacit_study_param_name(const tacit_study *s, size_t i)
{
    return i < space_of(s)->n_params ? space_of(s)->params[i].name : NULL;
}

static tacit_status check_value(const tc_space *space, size_t i, double value, tacit_error *err)
{
    if (i >= space->n_params)
        return tc_fail(err, TACIT_E_ARG, "there is no parameter %zu; this space has %zu", i,
                       space->n_params);
    const tc_param *p = &space->params[i];
    if (!(value >= p->low && value <= p->high) && p->type != TC_PARAM_CHOICE)
        return tc_fail(err, TACIT_E_ARG, "%s must be in [%g, %g], got %g", p->name, p->low, p->high,
                       value);
    if (p->type == TC_PARAM_CHOICE && !(value >= 0 && value < (double)p->n_choices))
        return tc_fail(err, TACIT_E_ARG, "%s must be the index of one of %zu choices, got %g",
                       p->name, p->n_choices, value);
    return TACIT_OK;
}

tacit_status tacit_study_value_text(tacit_study *s, size_t i, double value, char *out, size_t size)
{
    tacit_error err;
    tacit_status st = check_value(space_of(s), i, value, &err);
    if (st == TACIT_OK)
        tc_space_value_text(&space_of(s)->params[i], value, out, size);
    return keep(s, st, &err);
}

/* ---- trials ---- */

tacit_status tacit_study_ask(tacit_study *s, uint64_t *trial, double *values)
{
    tacit_error err;
    return keep(s, tc_study_ask(s->study, NULL, 0, trial, values, &err), &err);
}

tacit_status tacit_study_tell(tacit_study *s, uint64_t trial, double value)
{
    return tacit_study_tell_at(s, trial, NULL, value);
}

tacit_status tacit_study_tell_at(tacit_study *s, uint64_t trial, const double *values, double value)
{
    tacit_error err;
    return keep(s, tc_study_tell(s->study, trial, values, value, &err), &err);
}

tacit_status tacit_study_fail(tacit_study *s, uint64_t trial, const char *reason)
{
    tacit_error err;
    return keep(s, tc_study_fail(s->study, trial, reason, &err), &err);
}

/* ---- batches ---- */

tacit_status tacit_study_ask_batch(tacit_study *s, uint64_t most, uint64_t *trial, double *values,
                                   uint64_t *pulls)
{
    tacit_error err;
    const tc_ask_request req = {.pulls = most};
    return keep(s, tc_study_ask_batch(s->study, &req, trial, values, pulls, &err), &err);
}

tacit_status tacit_study_add_pull(tacit_study *s, tacit_batch *batch, double value)
{
    tacit_error err;
    tc_batch sums = {batch->pulls, batch->sum, batch->squares};
    int64_t reward;
    tacit_status st = tc_study_reward(s->study, value, &reward, &err);
    if (st == TACIT_OK) {
        tc_batch_add(&sums, reward);
        *batch = (tacit_batch){sums.n, sums.sum, sums.squares};
    }
    return keep(s, st, &err);
}

tacit_status tacit_study_tell_batch(tacit_study *s, uint64_t trial, const tacit_batch *batch)
{
    tacit_error err;
    tc_batch sums = {batch->pulls, batch->sum, batch->squares};
    return keep(s, tc_study_tell_batch(s->study, trial, NULL, &sums, &err), &err);
}

/* ---- looking ---- */

static tacit_trial_state public_state(tc_trial_state state)
{
    static const tacit_trial_state states[] = {
        [TC_TRIAL_WAITING] = TACIT_TRIAL_WAITING,   [TC_TRIAL_RUNNING] = TACIT_TRIAL_RUNNING,
        [TC_TRIAL_COMPLETE] = TACIT_TRIAL_COMPLETE, [TC_TRIAL_FAIL] = TACIT_TRIAL_FAIL,
        [TC_TRIAL_STALE] = TACIT_TRIAL_STALE,
    };
    return states[state];
}

static void copy_point(const tacit_study *s, const tc_trial *t, double *values, double *value)
{
    if (values)
        memcpy(values, t->values, space_of(s)->n_params * sizeof *values);
    if (value)
        *value = t->state == TC_TRIAL_COMPLETE ? t->value : NAN;
}

static tacit_status read_best(tacit_study *s, uint64_t *trial, double *values, double *value,
                              tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s->study, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    if (best) {
        copy_point(s, best, values, value);
        if (trial)
            *trial = best->number;
    }
    tc_study_unlook(s->study);
    return best ? TACIT_OK
                : tc_fail(err, TACIT_E_STATE, "study \"%s\" has no complete trial yet",
                          tacit_study_name(s));
}

tacit_status tacit_study_best(tacit_study *s, uint64_t *trial, double *values, double *value)
{
    tacit_error err;
    return keep(s, read_best(s, trial, values, value, &err), &err);
}

tacit_status tacit_study_trials(tacit_study *s, uint64_t *count)
{
    tacit_error err;
    const tc_optimizer *o;
    tacit_status st = tc_study_look(s->study, &o, &err);
    if (st == TACIT_OK) {
        *count = tc_optimizer_trials(o);
        tc_study_unlook(s->study);
    }
    return keep(s, st, &err);
}

static tacit_status read_trial(tacit_study *s, uint64_t trial, tacit_trial_state *state,
                               double *values, double *value, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s->study, &o, err));
    const tc_trial *t = tc_optimizer_trial(o, trial);
    size_t n = tc_optimizer_trials(o);
    if (t) {
        copy_point(s, t, values, value);
        if (state)
            *state = public_state(t->state);
    }
    tc_study_unlook(s->study);
    return t ? TACIT_OK
             : tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %llu; this study has %zu",
                       (unsigned long long)trial, n);
}

tacit_status tacit_study_trial(tacit_study *s, uint64_t trial, tacit_trial_state *state,
                               double *values, double *value)
{
    tacit_error err;
    return keep(s, read_trial(s, trial, state, values, value, &err), &err);
}
