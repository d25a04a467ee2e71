/* model.c - `tacit model next`: the side that sees released rows only.
 *
 * The modeler's state is a study over the released rows, in a storage of its own: its journal survives
 * a kill at any moment. A row that was asked and not answered yet is asked again. */
#include "privacy/privacy_cli.h"
#include "simulate/simulate.h"
#include "study/session.h"
#include "frame/verbs.h"

#include "base/json.h"
#include "base/memory.h"
#include "wire/released_json.h"
#include "wire/released_study.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct next_opts {
    char *state, *answer;
    int64_t trials, seed, threads;
} next_opts;

static const tc_option options[] = {
    {"state", TC_OPTION_STRING, offsetof(next_opts, state), .value = "FILE",
     .help = "the modeler's state, a file that is made if it is not there; required"},
    {"answer", TC_OPTION_STRING, offsetof(next_opts, answer), .value = "FILE",
     .help = "the curator's answer to an earlier question, taken in first"},
    {"trials", TC_OPTION_INT, offsetof(next_opts, trials), "0", .min = 0, .max = 1e9,
     .help = "questions planned, after which there is none; 0: as before, or 100 for a new state"},
    {"seed", TC_OPTION_INT, offsetof(next_opts, seed), "0", .min = 0, .max = 0x1p53,
     .help = "of the first rows, for a new state"},
    TC_THREADS_OPTION(next_opts),
    {.name = NULL}};

typedef struct work {
    const tc_invocation *in;
    const next_opts *o;
    tc_released *released;
    tc_session session;
} work;

/* ---- the study */

/* stored: the options of the study that is there; NULL: they are those of --set. */
static tacit_status fill_plan(const work *w, const json_t *stored, json_t *given,
                              tc_released_plan *p, tacit_error *err)
{
    *p = (tc_released_plan){.trials = (uint64_t)w->o->trials,
                            .seed = (uint64_t)w->o->seed,
                            .options = stored ? stored : given};
    return stored ? TACIT_OK
                  : tc_simulate_take(tc_algorithm_find(TC_RELEASED_ALGORITHM), given, w->in->n_sets,
                                     w->in->sets, err);
}

static tacit_status make_document(const work *w, const tc_study_doc *stored, tc_study_doc **out,
                                  tacit_error *err)
{
    tc_released_plan p;
    tc_study_doc *d = NULL;
    json_t *given = json_object();
    if (!given)
        return tc_fail_memory(err);
    tacit_status st =
        fill_plan(w, stored && w->in->n_sets == 0 ? stored->options : NULL, given, &p, err);
    if (stored)
        p.seed = stored->seed;
    if (st == TACIT_OK)
        st = tc_released_study(&d, w->released, &p, err);
    json_decref(given);
    if (st == TACIT_OK && stored)
        st = tc_study_doc_same(stored, d, err);
    if (st == TACIT_OK)
        *out = d;
    else
        tc_study_doc_free(d);
    return st;
}

/* A path, or a storage URL as it is. */
static tacit_status open_store(work *w, tacit_error *err)
{
    tc_text url = {0};
    bool is_url = strchr(w->o->state, ':') != NULL;
    tc_text_addf(&url, "%s%s", is_url ? "" : "sqlite:///", w->o->state);
    tacit_status st = url.failed ? tc_fail_memory(err)
                                 : tc_store_open(&w->session.store, tc_text_get(&url), true, err);
    tc_text_fini(&url);
    if (st == TACIT_OK && w->o->threads != 1)
        st = tc_pool_new(&w->session.pool, (size_t)w->o->threads, err);
    return st;
}

static tacit_status open_study(work *w, tacit_error *err)
{
    tc_session *s = &w->session;
    tc_study_doc *same = NULL;
    tacit_status st = tc_study_open(&s->study, s->store, w->released->name, s->pool, err);
    if (st == TACIT_E_NOT_FOUND) {
        TC_TRY(make_document(w, NULL, &s->given, err));
        return tc_study_create(&s->study, s->store, s->given, s->pool, err);
    }
    TC_TRY(st);
    st = make_document(w, tc_study_document(s->study), &same, err);
    tc_study_doc_free(same);
    if (st != TACIT_OK)
        tc_fail_in(err, "%.100s is of another release or has other options", w->o->state);
    return st;
}

/* ---- answers and questions */

typedef struct question {
    bool open, told; /* found, waiting for its answer; or answered before */
    uint64_t trial;
} question;

/* The trial of this row, an open one before others. row NULL: any that is open. */
static tacit_status find_question(tc_study *study, const uint64_t *row, question *out,
                                  uint64_t *found, tacit_error *err)
{
    const tc_optimizer *o;
    *out = (question){0};
    TC_TRY(tc_study_look(study, &o, err));
    for (size_t i = 0; i < tc_optimizer_trials(o) && !out->open; i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        uint64_t at = (uint64_t)t->values[0];
        if (row && at != *row)
            continue;
        out->told = out->told || t->state == TC_TRIAL_COMPLETE || t->state == TC_TRIAL_FAIL;
        if (t->state == TC_TRIAL_RUNNING) {
            *out = (question){.open = true, .trial = t->number};
            *found = at;
        }
    }
    tc_study_unlook(study);
    return TACIT_OK;
}

/* A trial that failed keeps its row closed. */
static const char NO_VALUE[] = "the curator has no value for this row";

static tacit_status take_answer(work *w, tacit_error *err)
{
    tc_answer a;
    question q;
    uint64_t row;
    TC_TRY(tc_answer_read(&a, w->o->answer, err));
    if (!tc_ledger_hash_same(&a.release, &w->released->release))
        return tc_fail(err, TACIT_E_ARG, "%.200s answers a question about another release (%.64s)",
                       w->o->answer, a.name);
    TC_TRY(find_question(w->session.study, &a.row, &q, &row, err));
    if (q.open && isnan(a.value))
        return tc_study_fail(w->session.study, q.trial, NO_VALUE, err);
    if (q.open)
        return tc_study_tell(w->session.study, q.trial, NULL, a.value, err);
    if (!q.told)
        return tc_fail(err, TACIT_E_ARG, "%.200s is about row %" PRIu64 ", which was never asked",
                       w->o->answer, a.row);
    tc_note(w->in->quiet, "tacit: the answer about row %" PRIu64 " is known already", a.row);
    return TACIT_OK;
}

/* ---- the end */

typedef struct progress {
    uint64_t answered; /* questions */
    size_t rows;       /* that they were about */
    uint64_t planned;
    bool repeat; /* may a row be asked twice? */
} progress;

static void count_rows(const tc_optimizer *o, unsigned char *seen, progress *out)
{
    for (size_t i = 0; i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (t->state != TC_TRIAL_COMPLETE && t->state != TC_TRIAL_FAIL)
            continue;
        out->answered++;
        out->rows += !seen[(size_t)t->values[0]];
        seen[(size_t)t->values[0]] = 1;
    }
}

static tacit_status look_back(work *w, progress *out, tacit_error *err)
{
    const tc_study_doc *d = tc_study_document(w->session.study);
    const tc_optimizer *o;
    unsigned char *seen = tc_alloc(w->released->rows, 1);
    *out = (progress){.planned = w->o->trials > 0 ? (uint64_t)w->o->trials : d->trials,
                      .repeat = json_is_true(json_object_get(d->options, "repeat"))};
    tacit_status st = seen ? tc_study_look(w->session.study, &o, err) : tc_fail_memory(err);
    if (st == TACIT_OK) {
        count_rows(o, seen, out);
        tc_study_unlook(w->session.study);
    }
    tc_free(seen);
    return st;
}

/* E_BUDGET: there is nothing left to ask. */
static tacit_status check_end(const work *w, const progress *p, tacit_error *err)
{
    if (p->rows >= w->released->rows && !p->repeat)
        return tc_fail(err, TACIT_E_BUDGET, "all %zu rows are answered: the search is done",
                       w->released->rows);
    if (p->answered >= p->planned)
        return tc_fail(err, TACIT_E_BUDGET,
                       "all %" PRIu64 " questions that were planned are answered: the search is "
                       "done; a larger --trials plans more",
                       p->planned);
    return TACIT_OK;
}

static tacit_status next_row(work *w, uint64_t *row, tacit_error *err)
{
    question q;
    progress p;
    double value;
    uint64_t trial;
    TC_TRY(find_question(w->session.study, NULL, &q, row, err));
    if (q.open)
        return TACIT_OK;
    TC_TRY(look_back(w, &p, err));
    TC_TRY(check_end(w, &p, err));
    TC_TRY(tc_study_ask(w->session.study, NULL, 0, &trial, &value, err));
    *row = (uint64_t)value;
    return TACIT_OK;
}

/* ---- output */

/* row NULL: there is none left, which for people is said on standard error. */
static tacit_status print(work *w, const uint64_t *row, tacit_error *err)
{
    static const char *const names[] = {"row", "answered", "best_row", "best_value"};
    const tc_optimizer *o;
    if (w->in->format == TC_FORMAT_TABLE) {
        if (row)
            printf("%" PRIu64 "\n", *row);
        return TACIT_OK;
    }
    TC_TRY(tc_study_look(w->session.study, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    tc_table *t = tc_table_new(4, names);
    if (row)
        tc_table_integer(t, 0, (int64_t)*row);
    tc_table_integer(t, 1, (int64_t)tc_optimizer_count(o, TC_TRIAL_COMPLETE));
    if (best) {
        tc_table_integer(t, 2, (int64_t)best->values[0]);
        tc_table_number(t, 3, best->value);
    }
    tc_table_end_row(t);
    tc_study_unlook(w->session.study);
    tc_format format = (tc_format)w->in->format;
    return tc_table_print(t, format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format, stdout, err);
}

static tacit_status work_on(work *w, tacit_error *err)
{
    uint64_t row = 0;
    TC_TRY(tc_released_read(&w->released, w->in->args[0], err));
    TC_TRY(open_store(w, err));
    TC_TRY(open_study(w, err));
    if (w->o->answer)
        TC_TRY(take_answer(w, err));
    tacit_status st = next_row(w, &row, err);
    if (st == TACIT_E_BUDGET)
        TC_TRY(print(w, NULL, err));
    return st == TACIT_OK ? print(w, &row, err) : st;
}

static tacit_status run_next(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    if (!w.o->state)
        return tc_fail(err, TACIT_E_ARG,
                       "--state FILE is needed: where the modeler keeps its state");
    tacit_status st = work_on(&w, err);
    tc_session_close(&w.session);
    tc_released_free(w.released);
    return st;
}

static const tc_verb next = {
    .name = "model next",
    .usage = "RELEASED.json --state FILE [options]",
    .summary = "which released row to ask the curator about next",
    .details =
        "Prints the number of a row. Give it to the curator (tacit curate answer), and the answer\n"
        "back by --answer. A row that has not been answered is printed again, so a step that was\n"
        "interrupted is just repeated. A row without a value is not asked about again. Where\n"
        "nothing is left to ask, because all rows are answered or as many as --trials planned, it\n"
        "says so and exits with 9.\n"
        "\n"
        "The algorithm is po-gp-ucb; --set has its options on the first call (tacit algorithms\n"
        "po-gp-ucb lists them). With --set fit=false the hyper-parameters are public ones;\n"
        "otherwise they are learned from what was released.\n"
        "\n"
        "  tacit model next released.json --state s.db\n"
        "  tacit model next released.json --state s.db --answer answer.json --format json",
    .options = options,
    .options_size = sizeof(next_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of po-gp-ucb; may be repeated",
    .run = run_next,
};

static const tc_verb *const family[] = {&next, NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG, "tacit model needs a second word: next");
}

const tc_verb tc_verb_model = {
    .name = "model",
    .usage = "VERB [options]",
    .summary = "the side that sees released rows only: which one to ask about next",
    .details =
        "The other side is tacit curate. Nothing but files passes between the two; a coordinator\n"
        "can take this side (tacit curate publish).",
    .family = family,
    .run = run,
};
