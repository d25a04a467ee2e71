/* release.c - tacit_curator_release: a copy of a data set that may be shown.
 *
 * Order of things, for whoever is killed in between: the secret order is on disk, then the ledger has
 * the entry and the exact bytes, then the caller gets the release. The same call again gives the same release and
 * spends nothing. */
#include "curator/curator_int.h"

#include "base/api.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_name.h"
#include "privacy/public.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 30000, LOCK_TICK_MS = 100 };

typedef struct releasing {
    tacit_curator *c;
    const tc_row_terms *terms;
    const double *x;
    const char *ledger; /* its name */
    tc_row_cost cost;
} releasing;

/* ---- before anything is touched */

static tacit_status check_given(const tc_row_terms *t, tacit_error *err)
{
    TC_GIVEN(t->name);
    TC_GIVEN(t->columns);
    for (size_t d = 0; d < t->dims; d++)
        TC_GIVEN(t->columns[d].name);
    TC_TRY(tc_check_choice("mode", (int)t->mode, TACIT_ROW_PAPER, err));
    return tc_check_choice("noise", (int)t->noise, TACIT_ROWS_GAUSSIAN, err);
}

/* At 1/N publishing one record would be allowed (docs/privacy.md). */
static tacit_status check_delta(const tc_row_terms *t, tacit_error *err)
{
    double n = (double)t->rows;
    if (t->mode == TACIT_ROW_PAPER || t->delta == 0 || t->delta < 1 / n)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "delta must be below 1/N = %g for %zu rows, got %g: such a delta allows to "
                   "publish all of one row",
                   1 / n, t->rows, t->delta);
}

/* ---- one curator of a data set at a time: of two that draw at once, one would overwrite the order that the other has
 * released */

static int open_folder(const char *file)
{
    char folder[PATH_MAX];
    return tc_file_folder(file, folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static void say_locked(const tacit_curator_opts *o, const char *file)
{
    tc_text text = {0};
    tc_text_addf(&text, "another process has a lock on %s; waiting", file);
    if (o->note && !text.failed)
        o->note(o->user, tc_text_get(&text));
    tc_text_fini(&text);
}

static tacit_status lock(const tacit_curator_opts *o, int *fd, tacit_error *err)
{
    const struct timespec tick = {.tv_nsec = LOCK_TICK_MS * 1000000L};
    const char *file = o->lock ? o->lock : o->secret;
    *fd = o->lock ? open(file, O_RDONLY | O_CLOEXEC) : open_folder(file);
    for (int waited = 0; *fd >= 0; waited += LOCK_TICK_MS) {
        if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
            return TACIT_OK;
        if (errno != EWOULDBLOCK)
            break;
        if (waited >= LOCK_WAIT_MS)
            return tc_fail(err, TACIT_E_BUSY,
                           "another process has had a lock on \"%.200s\" for %d seconds, perhaps "
                           "another curator at work",
                           file, LOCK_WAIT_MS / 1000);
        if (waited == 0)
            say_locked(o, file);
        nanosleep(&tick, NULL);
    }
    return tc_fail(err, errno == ENOENT ? TACIT_E_NOT_FOUND : TACIT_E_IO,
                   "\"%.200s\" could not be opened: %s", file, strerror(errno));
}

/* ---- the secret order */

static tacit_status same_terms(const tc_row_terms *a, const tc_row_terms *b, bool *same,
                               tacit_error *err)
{
    tacit_hash x, y;
    TC_TRY(tc_row_terms_hash(a, &x, err));
    TC_TRY(tc_row_terms_hash(b, &y, err));
    *same = tc_ledger_hash_same(&x, &y);
    return TACIT_OK;
}

/* The secret file of another release must not be overwritten. One with the same terms for the same ledger was
 * drawn by a process that was killed before the ledger had it; one for another ledger may be in use. */
static tacit_status check_free(const releasing *w, tacit_error *err)
{
    const tacit_curator_opts *o = &w->c->opts;
    tc_row_secret old;
    bool same = false;
    tacit_status status = tc_row_secret_read(&old, o->secret, &w->c->memory, err);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    TC_TRY(status);
    tacit_hash here = tc_user_storage_hash(o->storage);
    TC_TRY(same_terms(&old.terms, w->terms, &same, err));
    if (same && strcmp(old.ledger, w->ledger) == 0 && tc_ledger_hash_same(&old.storage, &here))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "%.200s keeps the order of %s (%.64s), which could not be answered any more; "
                   "give another secret file",
                   o->secret, same ? "this release through another ledger" : "another release",
                   old.terms.name);
}

static tacit_status keep_order(void *user, const size_t *order, size_t rows,
                               const tacit_hash *release, tacit_error *err)
{
    const releasing *w = user;
    const tacit_curator_opts *o = &w->c->opts;
    tc_text line = {0};
    TC_TRY(check_free(w, err));
    tc_row_secret s = {.ledger = w->ledger,
                       .storage = tc_user_storage_hash(o->storage),
                       .value_column = o->value_column,
                       .terms = *w->terms,
                       .release = *release,
                       .data = tc_curator_data_hash(w->x, rows, w->terms->dims),
                       .order = order};
    char *text = tc_row_secret_encode(&s);
    tc_text_addf(&line, "%s\n", text ? text : "");
    tacit_status status = !text || line.failed
                              ? tc_fail_memory(err)
                              : tc_file_write_secret(o->secret, line.data, line.len, err);
    tc_text_fini(&line);
    tc_free(text);
    return status;
}

/* A release that was made before: is its order still there, and is this still its data? */
static tacit_status read_order(releasing *w, tacit_error *err)
{
    tacit_curator *c = w->c;
    tc_row_secret *s = &c->secret;
    TC_TRY(tc_row_secret_read(s, c->opts.secret, &c->memory, err));
    tacit_hash data = tc_curator_data_hash(w->x, w->terms->rows, w->terms->dims);
    if (!tc_ledger_hash_same(&s->release, &c->release.hash))
        return tc_fail(err, TACIT_E_STATE, "%.200s does not keep the order of this release",
                       c->opts.secret);
    if (!tc_ledger_hash_same(&s->data, &data))
        return tc_fail(err, TACIT_E_STATE,
                       "%.200s has changed since it was released; a new release needs another name "
                       "and spends again",
                       c->opts.lock ? c->opts.lock : "the data set");
    return TACIT_OK;
}

/* ---- the ledger */

/* Would an empty ledger let it pass? */
static tacit_status afford_first(const releasing *w, tacit_error *err)
{
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_user_ledger l = {0};
    tc_ledger_io io;
    TC_TRY(tc_curator_budget(&limit, w->c->opts.budget, w->terms, NULL, &budget, err));
    if (!budget)
        return TACIT_OK;
    tacit_status status = tc_store_open(&l.store, "memory:", true, err);
    if (status == TACIT_OK)
        status = tc_store_ledger(l.store, w->ledger, true, &io, err);
    if (status == TACIT_OK)
        status = tc_ledger_open(&l.ledger, w->ledger, &io, err);
    if (status == TACIT_OK)
        status = tc_ledger_would(l.ledger, budget, TACIT_UNIT_ROW, NULL, &w->cost.event,
                                 w->cost.distance, err);
    tc_user_ledger_close(&l);
    return status;
}

/* A release that will be refused must not leave a new storage or ledger behind. */
static tacit_status open_ledger(const releasing *w, tacit_error *err)
{
    tacit_curator *c = w->c;
    tacit_status status = tc_user_ledger_open_in(&c->rows, c->opts.storage, w->ledger, false, err);
    /* E_CORRUPT: perhaps only empty, from somebody who was killed while he made it. */
    if (status != TACIT_E_NOT_FOUND && status != TACIT_E_CORRUPT)
        return status;
    TC_TRY(check_free(w, err));
    TC_TRY(afford_first(w, err));
    return tc_user_ledger_open_in(&c->rows, c->opts.storage, w->ledger, true, err);
}

static tacit_status commit(releasing *w, tacit_error *err)
{
    tacit_curator *c = w->c;
    tc_curator_noise noise;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_row_keeper keeper = {keep_order, w};
    TC_TRY(tc_curator_budget(&limit, c->opts.budget, w->terms, c->rows.ledger, &budget, err));
    tc_curator_noise_init(&noise, c->opts.test_seed, 0);
    tacit_status status = tc_row_curator_release(c->rows.ledger, budget, w->terms, w->x,
                                                 &noise.entropy, &keeper, &c->release, err);
    tc_curator_noise_fini(&noise);
    return status == TACIT_E_BUDGET
               ? tc_curator_over_budget(budget, c->rows.ledger, w->terms->epsilon, err)
               : status;
}

/* ---- what is said about it
 *
 * Two promises, each with its own numbers and statement. The released document speaks of this release, and must be the
 * same whenever it is made; how much the ledger has spent by now is for the curator. */

/* An earlier release without privacy leaves nothing for this one to promise. NULL: there is none. */
static const char *why_not(const tacit_curator *c)
{
    if (!c->release.is_private)
        return c->release.not_private;
    for (uint64_t seq = 1; seq <= c->release.head.seq; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(c->rows.ledger, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && !e->is_private)
            return e->not_private;
    }
    return NULL;
}

/* Epsilons add up where no noise has a delta; elsewhere at that of the release, or the usual one. */
static tacit_status claim_of(const releasing *w, tc_ledger_claim *out, tacit_error *err)
{
    const tc_ledger *l = w->c->rows.ledger;
    double n = (double)w->terms->rows;
    double delta = w->terms->delta > 0 ? w->terms->delta : fmin(1e-5, 1 / (n * n));
    if (tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, delta, &tc_accountant_pure, out, NULL) ==
        TACIT_OK)
        return TACIT_OK;
    return tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, delta, NULL, out, err);
}

static void not_private(tc_text *out, const char *why)
{
    tc_text_addf(out, "NOT PRIVATE: %s. There is no guarantee.", why);
}

/* Nobody could check the hash of values that a double does not hold exactly: they get no step. */
static tacit_status check_steps(tc_released *doc, tacit_error *err)
{
    tacit_hash unused;
    tacit_status status = tc_released_hash(doc, &unused, err);
    if (status == TACIT_E_ARG)
        doc->step = NAN;
    return status == TACIT_E_ARG ? TACIT_OK : status;
}

static tacit_status state_release(const releasing *w, tacit_error *err)
{
    tacit_curator *c = w->c;
    const tc_row_terms *t = &c->secret.terms; /* which last as long as the handle */
    const tc_row_release *r = &c->release;
    const char *why = why_not(c);
    why =
        why ? tc_arena_strdup(&c->memory, why) : NULL; /* an entry may move when the ledger grows */
    if (c->memory.failed)
        return tc_fail_memory(err);
    if (why)
        not_private(&c->statement, why);
    else
        tc_row_cost_statement(&w->cost, t, r->adjacency, &c->statement);
    c->released = (tc_released){.name = t->name,
                                .mode = tc_row_mode_name(t->mode),
                                .maximize = t->maximize,
                                .is_private = !why,
                                .not_private = why,
                                .epsilon = t->epsilon,
                                .delta = w->cost.delta,
                                .statement = tc_text_get(&c->statement),
                                .input_sd = r->input_sd,
                                .output_sd = w->cost.output_sd,
                                .release = r->hash,
                                .ledger = c->secret.ledger,
                                .head = r->head,
                                .n_source = t->mode == TACIT_ROW_SOUND ? t->dims : 0,
                                .source = t->columns,
                                .radius = t->radius,
                                .rows = r->rows,
                                .cols = r->cols,
                                .columns = tc_row_terms_released(t, r->cols, &c->memory),
                                .step = r->step,
                                .values = r->values};
    if (c->statement.failed || !c->released.columns)
        return tc_fail_memory(err);
    return check_steps(&c->released, err);
}

static tacit_status state_ledger(const releasing *w, tacit_error *err)
{
    tacit_curator *c = w->c;
    tc_ledger_claim claim;
    TC_TRY(claim_of(w, &claim, err));
    if (claim.is_private)
        tc_ledger_statement(c->rows.ledger, &claim, &c->ledger_statement);
    else
        not_private(&c->ledger_statement, claim.not_private);
    c->report = (tacit_curator_report){.released = &c->released,
                                       .mechanism = c->release.mechanism,
                                       .again = c->release.again,
                                       .entries = claim.entries,
                                       .is_private = claim.is_private,
                                       .epsilon = claim.bound.epsilon,
                                       .delta = claim.bound.delta,
                                       .statement = tc_text_get(&c->ledger_statement),
                                       .sigma_min = c->release.transform.sigma_min,
                                       .omega = c->release.transform.omega,
                                       .raised = c->release.transform.raise};
    return c->ledger_statement.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- the whole */

static tacit_status release_locked(releasing *w, tacit_error *err)
{
    TC_TRY(open_ledger(w, err));
    TC_TRY(commit(w, err));
    TC_TRY(read_order(w, err));
    TC_TRY(state_release(w, err));
    return state_ledger(w, err);
}

static tacit_status release(releasing *w, tacit_error *err)
{
    int fd = -1;
    TC_TRY(check_delta(w->terms, err));
    TC_TRY(tc_row_cost_of(w->terms, &w->cost, err));
    TC_TRY(tc_file_writable(w->c->opts.secret, err));
    tacit_status status = lock(&w->c->opts, &fd, err);
    if (status == TACIT_OK)
        status = release_locked(w, err);
    if (fd >= 0)
        close(fd);
    return status;
}

tacit_status tacit_curator_release(tacit_curator **out, const tacit_curator_opts *opts,
                                   const tacit_row_terms *terms, const double *x,
                                   const tacit_curator_report **report, tacit_error *err)
{
    TC_GIVEN(out);
    TC_GIVEN(opts);
    TC_GIVEN(terms);
    TC_GIVEN(x);
    TC_TRY(check_given(terms, err));
    tacit_curator *c = NULL;
    TC_TRY(tc_curator_new(&c, opts, err));
    releasing w = {
        .c = c, .terms = terms, .x = x, .ledger = opts->ledger ? opts->ledger : terms->name};
    tacit_status status = release(&w, err);
    if (status != TACIT_OK) {
        tacit_curator_close(c);
        return status;
    }
    *out = c;
    if (report)
        *report = &c->report;
    return TACIT_OK;
}
