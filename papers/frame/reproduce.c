/* reproduce.c - the cells of an experiment on the thread pool. See reproduce.h. */
#include "papers/frame/reproduce.h"

#include "base/clock.h"
#include "base/error.h"
#include "papers/data/dataset.h"
#include "papers/frame/journal.h"
#include "sim/runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <tacit/tacit.h>

typedef struct work {
    const tc_experiment *e;
    const tc_reproduce *r;
    tc_reproduction *out;
    tc_journal *journal;
    void *prepared;
    bool *done;          /* arms x runs */
    size_t *todo;        /* cells that are not, run by run */
    tacit_error *errors; /* of these */
    size_t n_todo;
    uint64_t finished; /* cells that were done before */
    atomic_uint_fast64_t count;
    atomic_bool stop; /* one has failed, or the user has enough */
} work;

uint64_t tc_reproduce_runs(const tc_experiment *e, const tc_reproduce *r)
{
    if (r->runs > 0)
        return r->runs;
    return r->quick ? e->quick_runs : e->runs;
}

double tc_reproduce_estimate(const tc_experiment *e, const tc_reproduce *r)
{
    double one = r->quick ? e->quick_seconds : e->seconds;
    double cells = (double)tc_reproduce_runs(e, r) * (double)e->n_arms;
    double threads = fmin((double)tc_pool_threads(r->pool), cells);
    double prepare = e->prepare_seconds / (double)tc_pool_threads(r->pool);
    return one * (double)tc_reproduce_runs(e, r) / threads + (r->quick ? 0 : prepare);
}

const double *tc_reproduction_arm(const tc_reproduction *r, size_t arm)
{
    return r->values + arm * r->runs * r->n;
}

static double *cell_values(const work *w, size_t arm, uint64_t run)
{
    return w->out->values + (arm * w->out->runs + run) * w->out->n;
}

/* ---- one cell */

static bool proceed(void *user)
{
    work *w = user;
    const tc_reproduce *r = w->r;
    if (!atomic_load(&w->stop) && r->progress &&
        !r->progress(r->user, w->finished + atomic_load(&w->count)))
        atomic_store(&w->stop, true);
    return !atomic_load(&w->stop);
}

static tacit_status run_cell(work *w, size_t arm, uint64_t run, tacit_error *err)
{
    uint64_t begun = tc_clock_ns();
    tc_reproduction *o = w->out;
    double *y = cell_values(w, arm, run);
    tc_arm_run c = {.arm = &w->e->arms[arm],
                    .run = run,
                    .seed = tc_run_seeds_of(o->seed, run).study,
                    .quick = o->quick,
                    .prepared = w->prepared,
                    .n = o->n,
                    .x = o->x,
                    .y = y,
                    .proceed = proceed,
                    .user = w};
    if (!proceed(w))
        return tc_fail(err, TACIT_E_CANCELLED, "interrupted");
    TC_TRY(w->e->run(&c, err));
    for (size_t i = 0; i < o->n; i++) /* what the file keeps of them */
        if (!isfinite(y[i]))
            y[i] = NAN;
    TC_TRY(tc_journal_add(w->journal, arm, run, y, (double)(tc_clock_ns() - begun) * 1e-9, err));
    atomic_fetch_add(&w->count, 1);
    (void)proceed(w);
    return TACIT_OK;
}

static void body(void *ctx, size_t i)
{
    work *w = ctx;
    size_t arms = w->e->n_arms, cell = w->todo[i];
    tacit_error *err = &w->errors[i];
    if (run_cell(w, cell % arms, cell / arms, err) != TACIT_OK)
        atomic_store(&w->stop, true);
}

/* ---- what is done */

static tacit_status restore(void *user, size_t arm, uint64_t run, const double *values,
                            double seconds, tacit_error *err)
{
    work *w = user;
    (void)seconds;
    (void)err;
    if (run >= w->out->runs) /* of a longer series */
        return TACIT_OK;
    memcpy(cell_values(w, arm, run), values, w->out->n * sizeof *values);
    w->done[arm * w->out->runs + run] = true;
    return TACIT_OK;
}

/* Everything that determines a cell but its arm and run. */
static tacit_status add_identity(const tc_experiment *e, const tc_reproduce *r, tc_text *out,
                                 tacit_error *err)
{
    tc_text_addf(out, "tacit %s %s version %u seed %" PRIu64 " quick %d points %zu",
                 tacit_version(), e->name, e->version, r->seed, r->quick, e->x.n);
    return tc_dataset_identity(e, r->data, out, err);
}

static void list_todo(work *w)
{
    size_t arms = w->e->n_arms;
    for (size_t cell = 0; cell < arms * w->out->runs; cell++)
        if (!w->done[cell % arms * w->out->runs + cell / arms])
            w->todo[w->n_todo++] = cell;
    w->finished = w->out->restored = arms * w->out->runs - w->n_todo;
}

/* ---- folders */

static tacit_status make_folder(const char *path, tacit_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_IO, "cannot make the folder \"%s\": %s", path, strerror(errno));
}

static tacit_status open_journal(work *w, tacit_error *err)
{
    tc_text folder = {0}, file = {0}, identity = {0};
    tc_text_addf(&folder, "%s/%s", w->r->out, w->e->name);
    tc_text_addf(&file, "%s/runs.jsonl", tc_text_get(&folder));
    tacit_status status = add_identity(w->e, w->r, &identity, err);
    if (status == TACIT_OK && (folder.failed || file.failed))
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = make_folder(w->r->out, err);
    if (status == TACIT_OK)
        status = make_folder(tc_text_get(&folder), err);
    if (status == TACIT_OK)
        status = tc_journal_open(&w->journal, tc_text_get(&file), w->e, tc_text_get(&identity),
                                 restore, w, &w->out->anew, err);
    tc_text_fini(&folder);
    tc_text_fini(&file);
    tc_text_fini(&identity);
    return status;
}

/* ---- the whole */

static tacit_status take_memory(work *w, tacit_error *err)
{
    tc_reproduction *o = w->out;
    size_t arms = w->e->n_arms, cells = arms * o->runs;
    o->x = TC_TAKE(&o->memory, o->n, double);
    o->values = TC_TAKE(&o->memory, cells * o->n, double);
    o->mean = TC_TAKE(&o->memory, arms * o->n, double);
    o->se = TC_TAKE(&o->memory, arms * o->n, double);
    w->done = TC_TAKE(&o->memory, cells, bool);
    w->todo = TC_TAKE(&o->memory, cells, size_t);
    w->errors = TC_TAKE(&o->memory, cells, tacit_error);
    if (o->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < o->n; i++)
        o->x[i] = tc_points_at(&w->e->x, o->quick, i);
    return TACIT_OK;
}

static tacit_status prepare(work *w, tacit_error *err)
{
    tc_setup s = {.out = w->r->out,
                  .data = w->r->data,
                  .quick = w->r->quick,
                  .pool = w->r->pool,
                  .proceed = proceed,
                  .user = w};
    return w->e->prepare ? w->e->prepare(&s, &w->prepared, err) : TACIT_OK;
}

static void take_moments(tc_reproduction *o)
{
    for (size_t a = 0; a < o->experiment->n_arms; a++)
        for (size_t i = 0; i < o->n; i++)
            tc_runs_moments(tc_reproduction_arm(o, a), o->runs, o->n, i, &o->mean[a * o->n + i],
                            &o->se[a * o->n + i]);
}

static tacit_status run_all(work *w, tacit_error *err)
{
    TC_TRY(tc_dataset_check(w->e, w->r->data, err));
    TC_TRY(take_memory(w, err));
    TC_TRY(open_journal(w, err));
    list_todo(w);
    if (w->n_todo > 0) {
        TC_TRY(prepare(w, err));
        tc_pool_for(w->r->pool, w->n_todo, body, w);
        TC_TRY(tc_runs_failure(w->errors, w->n_todo, err));
    }
    take_moments(w->out);
    return TACIT_OK;
}

tacit_status tc_reproduce_run(const tc_experiment *e, const tc_reproduce *r, tc_reproduction *out,
                              tacit_error *err)
{
    tc_reproduction o = {.experiment = e,
                         .runs = tc_reproduce_runs(e, r),
                         .seed = r->seed,
                         .quick = r->quick,
                         .n = e->x.n};
    work w = {.e = e, .r = r, .out = &o};
    tacit_status status = run_all(&w, err);
    if (w.prepared)
        e->finish(w.prepared);
    tc_journal_close(w.journal);
    if (status != TACIT_OK) {
        tc_reproduction_fini(&o);
        return status;
    }
    *out = o;
    return TACIT_OK;
}

void tc_reproduction_fini(tc_reproduction *r)
{
    tc_arena_fini(&r->memory);
    *r = (tc_reproduction){0};
}
