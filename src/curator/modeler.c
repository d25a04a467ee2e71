/* modeler.c - the side that sees released rows only (<tacit/experimental/curator.h>).
 *
 * The modeler's state is a study over the released rows, in a storage of its own: its journal survives
 * a kill at any moment. A row that was asked and not answered yet is asked again. */
#include <tacit/experimental/curator.h>

#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "curator/curator_int.h"
#include "wire/released_study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const tacit_modeler_opts DEFAULTS = TACIT_MODELER_OPTS;

struct tacit_modeler {
    tacit_hash release;
    size_t rows;
    uint64_t planned;
    bool repeat; /* may a row be asked twice? */
    tacit_study *study;
};

/* ---- the study */

tacit_status tc_modeler_options(const tacit_modeler_opts *o, json_t **out, tacit_error *err)
{
    const tc_algorithm *a = tc_algorithm_find(TC_RELEASED_ALGORITHM);
    tc_json_start();
    json_t *given = json_object();
    if (!given)
        return tc_fail_memory(err);
    tacit_status status = tc_options_take_words(a->options, a->options_size, a->name, o->n_options,
                                                o->options, given, err);
    if (status == TACIT_OK)
        *out = given;
    else
        json_decref(given);
    return status;
}

/* stored: the study that is there; its seed stays, and so do its options where none are given. */
static tacit_status make_document(const tacit_released *r, const tacit_modeler_opts *o,
                                  const tc_study_doc *stored, tc_study_doc **out, tacit_error *err)
{
    json_t *given = NULL;
    TC_TRY(tc_modeler_options(o, &given, err));
    tc_released_plan p = {.trials = o->trials,
                          .seed = stored ? stored->seed : o->seed,
                          .options = stored && o->n_options == 0 ? stored->options : given};
    tacit_status status = tc_released_study(out, r, &p, err);
    json_decref(given);
    return status;
}

static tacit_status create(tacit_modeler *m, tacit_storage *storage, const tacit_released *r,
                           const tacit_modeler_opts *o, tacit_error *err)
{
    tc_study_doc *doc = NULL;
    TC_TRY(make_document(r, o, NULL, &doc, err));
    tacit_status status = tacit_study_create_in(&m->study, storage, doc, err);
    tc_study_doc_free(doc);
    return status;
}

static tacit_status check_same(const tacit_modeler *m, const tacit_released *r,
                               const tacit_modeler_opts *o, tacit_error *err)
{
    const tc_study_doc *stored = tacit_study_document(m->study);
    tc_study_doc *given = NULL;
    tacit_status status = make_document(r, o, stored, &given, err);
    if (status == TACIT_OK)
        status = tc_study_doc_same(stored, given, err);
    tc_study_doc_free(given);
    if (status != TACIT_OK)
        tc_fail_in(err, "the modeler's state is of another release or has other options");
    return status;
}

static tacit_status open_study(tacit_modeler *m, const char *storage, const tacit_released *r,
                               const tacit_modeler_opts *o, tacit_error *err)
{
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    tacit_storage *in = NULL;
    opts.create = true;
    opts.threads = o->threads;
    TC_TRY(tacit_storage_open(&in, storage, &opts, err));
    tacit_status status = tacit_study_open_in(&m->study, in, r->name, err);
    if (status == TACIT_E_NOT_FOUND)
        status = create(m, in, r, o, err);
    else if (status == TACIT_OK)
        status = check_same(m, r, o, err);
    tacit_storage_close(in);
    return status;
}

tacit_status tacit_modeler_open(tacit_modeler **out, const char *storage,
                                const tacit_released *released, const tacit_modeler_opts *opts,
                                tacit_error *err)
{
    const tacit_modeler_opts *o = opts ? opts : &DEFAULTS;
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(released);
    tacit_modeler *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    tacit_status status = open_study(m, storage, released, o, err);
    if (status != TACIT_OK) {
        tacit_modeler_close(m);
        return status;
    }
    const tc_study_doc *doc = tacit_study_document(m->study);
    m->release = released->release;
    m->rows = released->rows;
    m->planned = o->trials > 0 ? o->trials : doc->trials;
    m->repeat = json_is_true(json_object_get(doc->options, "repeat"));
    *out = m;
    return TACIT_OK;
}

void tacit_modeler_close(tacit_modeler *m)
{
    if (m)
        tacit_study_close(m->study);
    tc_free(m);
}

tacit_study *tacit_modeler_study(tacit_modeler *m)
{
    return m ? m->study : NULL;
}

/* ---- answers and questions */

static uint64_t row_of(const tacit_trial *t)
{
    return (uint64_t)t->values[0];
}

static bool is_told(const tacit_trial *t)
{
    return t->state == TACIT_TRIAL_COMPLETE || t->state == TACIT_TRIAL_FAIL ||
           t->state == TACIT_TRIAL_PRUNED;
}

/* The first open trial, about this row; row NULL: about any. NULL: there is none. */
static const tacit_trial *find_open(const tacit_trials *all, const uint64_t *row)
{
    for (size_t i = 0; i < tacit_trials_count(all); i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        if (t->state == TACIT_TRIAL_RUNNING && (!row || row_of(t) == *row))
            return t;
    }
    return NULL;
}

static bool was_told(const tacit_trials *all, uint64_t row)
{
    for (size_t i = 0; i < tacit_trials_count(all); i++)
        if (is_told(tacit_trials_get(all, i)) && row_of(tacit_trials_get(all, i)) == row)
            return true;
    return false;
}

tacit_status tacit_modeler_tell(tacit_modeler *m, const tacit_row_answer *a, bool *known,
                                tacit_error *err)
{
    TC_GIVEN(m);
    TC_GIVEN(a);
    tacit_trials *all = NULL;
    if (!tc_ledger_hash_same(&a->release, &m->release))
        return tc_fail(err, TACIT_E_ARG, "the answer is about another release (%.64s)", a->name);
    TC_TRY(tacit_study_trials(m->study, NULL, &all, err));
    const tacit_trial *open = find_open(all, &a->row);
    bool told = !open && was_told(all, a->row);
    tacit_status status = TACIT_OK;
    if (open && isnan(a->value)) /* a trial that failed keeps its row closed */
        status = tacit_study_fail(m->study, open->number, TC_ROW_WITHOUT_VALUE, err);
    else if (open)
        status = tacit_study_tell(m->study, open->number, a->value, err);
    else if (!told)
        status = tc_fail(err, TACIT_E_ARG,
                         "the answer is about row %" PRIu64 ", which was never asked", a->row);
    tacit_trials_free(all);
    if (status == TACIT_OK && known)
        *known = told;
    return status;
}

/* E_BUDGET: there is nothing left to ask. */
static tacit_status check_end(const tacit_modeler *m, const tacit_trials *all, tacit_error *err)
{
    uint64_t answered = 0;
    size_t rows = 0;
    unsigned char *seen = tc_alloc(m->rows, 1);
    if (!seen)
        return tc_fail_memory(err);
    for (size_t i = 0; i < tacit_trials_count(all); i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        if (!is_told(t))
            continue;
        answered++;
        rows += !seen[row_of(t)];
        seen[row_of(t)] = 1;
    }
    tc_free(seen);
    if (rows >= m->rows && !m->repeat)
        return tc_fail(err, TACIT_E_BUDGET, "all %zu rows are answered: the search is done",
                       m->rows);
    if (answered >= m->planned)
        return tc_fail(err, TACIT_E_BUDGET,
                       "all %" PRIu64 " questions that were planned are answered: the search is "
                       "done; a larger number of trials plans more",
                       m->planned);
    return TACIT_OK;
}

tacit_status tacit_modeler_next(tacit_modeler *m, uint64_t *row, tacit_error *err)
{
    TC_GIVEN(m);
    TC_GIVEN(row);
    tacit_trials *all = NULL;
    uint64_t trial;
    double value;
    TC_TRY(tacit_study_trials(m->study, NULL, &all, err));
    const tacit_trial *open = find_open(all, NULL);
    tacit_status status = TACIT_OK;
    if (open)
        value = (double)row_of(open);
    else
        status = check_end(m, all, err);
    if (status == TACIT_OK && !open)
        status = tacit_study_ask(m->study, &trial, &value, err);
    tacit_trials_free(all);
    if (status == TACIT_OK)
        *row = (uint64_t)value;
    return status;
}
