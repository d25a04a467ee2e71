/* curate_release.c - `tacit curate release`: a copy of a data set that may be shown.
 *
 * Order of things, for whoever is killed in between: the secret order is on disk, then the ledger has
 * the entry and the exact bytes, then the file is written. The same command again writes the same
 * file and spends nothing. */
#include "curate/curate_bounds.h"
#include "curate/curate_release.h"
#include "study/storage.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RANK_DEFAULT = 10, LOCK_WAIT_MS = 30000, LOCK_TICK_MS = 100 };

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(tc_curate_release_opts, out), .value = "FILE",
     .help = "where the release is written, for the modeler"},
    {"secret", TC_OPTION_STRING, offsetof(tc_curate_release_opts, secret), .value = "FILE",
     .help = "where the secret order of the rows is kept (default: DATA.secret)"},
    {"epsilon", TC_OPTION_FLOAT, offsetof(tc_curate_release_opts, epsilon), .min = 0, .max = 1024,
     .min_open = true, .help = "epsilon of the release, for rows that move by --radius; required"},
    {"delta", TC_OPTION_FLOAT, offsetof(tc_curate_release_opts, delta), "0", .min = 0,
     .max = 0.999999,
     .help = "delta of Gaussian noise, and of paper mode; below 1/rows. 0: Laplace noise"},
    {"radius", TC_OPTION_FLOAT, offsetof(tc_curate_release_opts, radius), .min = 0, .max = 1e12,
     .min_open = true,
     .help = "distance by which a neighbour's row may move, in units (default: 1)"},
    {"noise", TC_OPTION_CHOICE, offsetof(tc_curate_release_opts, noise), "auto",
     .choices = "auto|laplace|gaussian", .help = "law of the noise; auto: the smaller one"},
    {"mode", TC_OPTION_CHOICE, offsetof(tc_curate_release_opts, mode), "sound",
     .choices = "sound|paper",
     .help = "noise in every row, or the projection of PO-GP-UCB as printed, NOT PRIVATE"},
    {"rank", TC_OPTION_INT, offsetof(tc_curate_release_opts, rank), .min = 1,
     .max = TC_TRANSFORM_RANK_MAX, .help = "paper mode: columns of the projection (default: 10)"},
    {"project", TC_OPTION_INT, offsetof(tc_curate_release_opts, project), "0", .min = 0,
     .max = TC_TRANSFORM_RANK_MAX,
     .help = "sound mode: project rows to so many public directions first; 0: none"},
    {"projection-seed", TC_OPTION_INT, offsetof(tc_curate_release_opts, projection_seed), "0",
     .min = 0, .max = 0x1p53, .help = "public seed of these directions"},
    {"columns", TC_OPTION_STRING, offsetof(tc_curate_release_opts, columns), .value = "A,B,...",
     .help = "which columns to release (default: all but the value column)"},
    {"value-column", TC_OPTION_STRING, offsetof(tc_curate_release_opts, value_column),
     .value = "NAME",
     .help = "column of the values, not released (default: value, if there is one)"},
    {"bounds-file", TC_OPTION_STRING, offsetof(tc_curate_release_opts, bounds_file),
     .value = "FILE", .help = "bounds from a CSV file with the header column,low,high[,unit]"},
    {"direction", TC_OPTION_CHOICE, offsetof(tc_curate_release_opts, direction), "maximize",
     .choices = "maximize|minimize", .help = "which values the modeler is to look for"},
    {"output-epsilon", TC_OPTION_FLOAT, offsetof(tc_curate_release_opts, output_epsilon), "0",
     .min = 0, .max = 1024,
     .help = "epsilon of every answer, beside the release; 0: answers as they are"},
    {"output-bound", TC_OPTION_FLOAT, offsetof(tc_curate_release_opts, output_bound), "0", .min = 0,
     .max = 1e12, .help = "public bound C: private answers are clamped to [-C, C]"},
    TC_CURATE_BUDGET_OPTION(tc_curate_release_opts),
    {"name", TC_OPTION_STRING, offsetof(tc_curate_release_opts, name), .value = "NAME",
     .help = "name of the release (default: that of DATA); another name is another release"},
    {"ledger", TC_OPTION_STRING, offsetof(tc_curate_release_opts, ledger), .value = "NAME",
     .help = "the ledger that is charged: one for each data set (default: the name of DATA)"},
    TC_STORAGE_OPTION(tc_curate_release_opts),
    TC_CURATE_SEED_OPTION(tc_curate_release_opts),
    {.name = NULL}};

typedef tc_curate_release work;

/* ---- words */

static tacit_status check_sound(const tc_curate_release_opts *o, tacit_error *err)
{
    if (o->rank > 0)
        return tc_fail(err, TACIT_E_ARG, "--rank is for --mode paper; --project is the sound one");
    if (o->projection_seed > 0 && o->project == 0)
        return tc_fail(err, TACIT_E_ARG, "--projection-seed is for --project");
    if (o->noise == TACIT_ROWS_GAUSSIAN && o->delta == 0)
        return tc_fail(err, TACIT_E_ARG, "Gaussian noise needs --delta");
    if (o->noise == TACIT_ROWS_LAPLACE && o->delta > 0)
        return tc_fail(err, TACIT_E_ARG, "--delta is for Gaussian noise; Laplace noise has none");
    return TACIT_OK;
}

static tacit_status check_paper(const tc_curate_release_opts *o, tacit_error *err)
{
    const struct {
        bool given;
        const char *name;
    } sound[] = {{o->radius > 0, "radius"},
                 {o->noise != TACIT_ROWS_AUTO, "noise"},
                 {o->project > 0, "project"},
                 {o->projection_seed > 0, "projection-seed"},
                 {o->budget > 0, "budget"}};
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        if (sound[i].given)
            return tc_fail(err, TACIT_E_ARG,
                           "--%s is for --mode sound: paper mode promises nothing", sound[i].name);
    return o->delta > 0 ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "paper mode needs --delta");
}

static tacit_status check_words(const tc_curate_release_opts *o, tacit_error *err)
{
    if (!o->out)
        return tc_fail(err, TACIT_E_ARG, "--out FILE is needed: where the release is written");
    if (o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--epsilon is needed: there is no default");
    if (o->output_bound > 0 && o->output_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--output-bound is for --output-epsilon");
    return o->mode == TC_ROW_SOUND ? check_sound(o, err) : check_paper(o, err);
}

/* Nothing that is written is something that is read or kept; and it can be written. */
static tacit_status check_files(const work *w, tacit_error *err)
{
    char storage[TC_STORAGE_FILES][PATH_MAX];
    size_t n = tc_storage_files(w->o->storage, storage);
    tc_curate_file files[4 + TC_STORAGE_FILES] = {{"DATA", w->in->args[0]},
                                                  {"--out", w->o->out},
                                                  {"the secret file", w->secret},
                                                  {"--bounds-file", w->o->bounds_file}};
    for (size_t i = 0; i < n; i++)
        files[4 + i] = (tc_curate_file){"the storage", storage[i]};
    TC_TRY(tc_curate_distinct(files, 4 + n, err));
    TC_TRY(tc_file_writable(w->o->out, err));
    TC_TRY(tc_curate_spare(w->o->out, err));
    return tc_file_writable(w->secret, err);
}

/* ---- terms */

/* "loans" of "data/loans.csv" */
static char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    return tc_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* A ledger is of one data set: releases of another one would make each other's promises worse. */
static tacit_status name_things(work *w, tacit_error *err)
{
    const char *data = w->in->args[0];
    w->name = w->o->name ? tc_strdup(w->o->name) : base_name(data);
    w->ledger = w->o->ledger ? tc_strdup(w->o->ledger) : base_name(data);
    w->secret = tc_secret_path(w->o->secret, data);
    return w->name && w->ledger && w->secret ? TACIT_OK : tc_fail_memory(err);
}

/* At 1/N publishing one record would be allowed (docs/privacy.md). */
static tacit_status check_delta(const work *w, tacit_error *err)
{
    double n = (double)w->terms.rows, delta = w->terms.delta;
    if (w->terms.mode == TC_ROW_PAPER || delta == 0)
        return TACIT_OK;
    if (delta >= 1 / n)
        return tc_fail(err, TACIT_E_ARG,
                       "delta must be below 1/N = %g for %zu rows, got %g: such a delta allows to "
                       "publish all of one row",
                       1 / n, w->terms.rows, delta);
    if (delta > 1 / (n * n))
        tc_note(w->in->quiet, "tacit: warning: delta %g is above 1/N^2 = %g for %zu rows", delta,
                1 / (n * n), w->terms.rows);
    return TACIT_OK;
}

static tacit_status read_terms(work *w, tacit_error *err)
{
    const tc_curate_release_opts *o = w->o;
    tc_row_column *columns = NULL;
    bool sound = o->mode == TC_ROW_SOUND;
    TC_TRY(tc_data_read(&w->data, w->in->args[0], o->columns, o->value_column, err));
    TC_TRY(
        tc_bounds_find(&w->data, w->in->n_sets, w->in->sets, o->bounds_file, sound, &columns, err));
    w->terms = (tc_row_terms){.name = w->name,
                              .mode = (tc_row_mode)o->mode,
                              .rows = w->data.n,
                              .dims = w->data.dims,
                              .columns = columns,
                              .epsilon = o->epsilon,
                              .delta = o->delta,
                              .radius = o->radius > 0 ? o->radius : 1,
                              .noise = (tacit_rows_noise)o->noise,
                              .rank = (size_t)(sound         ? o->project
                                               : o->rank > 0 ? o->rank
                                                             : RANK_DEFAULT),
                              .projection_seed = (uint64_t)o->projection_seed,
                              .maximize = o->direction == 0,
                              .output_epsilon = o->output_epsilon,
                              .output_bound = o->output_bound};
    TC_TRY(check_delta(w, err));
    return tc_row_cost_of(&w->terms, &w->cost, err);
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

/* What another release needs must not be overwritten. One of the same terms for the same ledger was
 * drawn by somebody who was killed before the ledger had it; of another ledger it may have left. */
static tacit_status check_free(const work *w, tacit_error *err)
{
    tc_row_secret old = {0};
    bool same = false;
    tacit_status st = tc_row_secret_read(&old, w->secret, err);
    if (st == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    TC_TRY(st);
    tacit_hash here = tc_storage_hash(w->o->storage);
    st = same_terms(&old.terms, &w->terms, &same, err);
    bool ours = strcmp(old.ledger, w->ledger) == 0 && tc_ledger_hash_same(&old.storage, &here);
    if (st == TACIT_OK && !(same && ours))
        st = tc_fail(err, TACIT_E_STATE,
                     "%.200s keeps the order of %s (%.64s), which could not be answered any more; "
                     "give another --secret",
                     w->secret, same ? "this release through another ledger" : "another release",
                     old.terms.name);
    tc_row_secret_fini(&old);
    return st;
}

/* As tc_data_read finds it. */
static char *value_column(const work *w)
{
    static char usual[] = "value";
    return !w->data.y ? NULL : w->o->value_column ? w->o->value_column : usual;
}

static tacit_status keep_order(void *user, const size_t *order, size_t rows,
                               const tacit_hash *release, tacit_error *err)
{
    work *w = user;
    (void)rows;
    TC_TRY(check_free(w, err));
    tc_row_secret s = {.ledger = w->ledger,
                       .storage = tc_storage_hash(w->o->storage),
                       .value_column = value_column(w),
                       .terms = w->terms,
                       .release = *release,
                       .data = tc_data_hash(&w->data),
                       .order = (size_t *)(uintptr_t)order};
    char *text = tc_row_secret_encode(&s);
    mode_t others = umask(077);
    tacit_status st = tc_curate_write(w->secret, text, err);
    umask(others);
    return st;
}

/* A release that was made before: is its order still there, and is this still its data? */
static tacit_status check_secret(const work *w, tacit_error *err)
{
    tc_row_secret s = {0};
    TC_TRY(tc_row_secret_read(&s, w->secret, err));
    tacit_hash data = tc_data_hash(&w->data);
    tacit_status st = TACIT_OK;
    if (!tc_ledger_hash_same(&s.release, &w->release.hash))
        st = tc_fail(err, TACIT_E_STATE, "%.200s does not keep the order of this release",
                     w->secret);
    else if (!tc_ledger_hash_same(&s.data, &data))
        st = tc_fail(err, TACIT_E_STATE,
                     "%.200s has changed since it was released; a new release needs another --name "
                     "and spends again",
                     w->in->args[0]);
    tc_row_secret_fini(&s);
    return st;
}

/* ---- the ledger */

/* Would an empty ledger let it pass? */
static tacit_status afford_first(const work *w, tacit_error *err)
{
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_curator_ledger l = {0};
    tc_ledger_io io;
    TC_TRY(tc_curate_budget(&limit, w->o->budget, &w->terms, NULL, &budget, err));
    if (!budget)
        return TACIT_OK;
    tacit_status st = tc_store_open(&l.store, "memory:", true, err);
    if (st == TACIT_OK)
        st = tc_store_ledger(l.store, w->ledger, true, &io, err);
    if (st == TACIT_OK)
        st = tc_ledger_open(&l.ledger, w->ledger, &io, err);
    if (st == TACIT_OK)
        st = tc_ledger_would(l.ledger, budget, TACIT_UNIT_ROW, NULL, &w->cost.event,
                             w->cost.distance, err);
    tc_curator_ledger_close(&l);
    return st;
}

/* What will be refused must not leave a new storage or ledger behind. */
static tacit_status open_ledger(const work *w, tc_curator_ledger *l, tacit_error *err)
{
    tacit_status st = tc_curator_ledger_open(l, w->o->storage, w->ledger, false, err);
    /* E_CORRUPT: perhaps only empty, from somebody who was killed while he made it. */
    if (st != TACIT_E_NOT_FOUND && st != TACIT_E_CORRUPT)
        return st;
    TC_TRY(check_free(w, err));
    TC_TRY(afford_first(w, err));
    return tc_curator_ledger_open(l, w->o->storage, w->ledger, true, err);
}

/* ---- the whole */

static tacit_status release(work *w, tc_ledger *l, tacit_error *err)
{
    tc_curator_noise noise;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget;
    tc_row_keeper keeper = {keep_order, w};
    TC_TRY(tc_curate_budget(&limit, w->o->budget, &w->terms, l, &budget, err));
    tc_curator_noise_init(&noise, w->o->seed, 0);
    tacit_status st = tc_row_curator_release(l, budget, &w->terms, w->data.x, &noise.entropy,
                                             &keeper, &w->release, err);
    tc_curator_noise_fini(&noise);
    if (st == TACIT_E_BUDGET)
        return tc_curate_over_budget(budget, l, w->terms.epsilon, err);
    TC_TRY(st);
    TC_TRY(check_secret(w, err));
    TC_TRY(tc_curate_claims(w, l, err));
    TC_TRY(tc_curate_release_file(w, err));
    return tc_curate_report(w, err);
}

/* One curator of a data set at a time: of two that draw at once, one would overwrite the order that
 * the other has released. */
static tacit_status lock_data(const work *w, int *fd, tacit_error *err)
{
    const struct timespec tick = {.tv_nsec = LOCK_TICK_MS * 1000000L};
    const char *file = w->in->args[0];
    *fd = open(file, O_RDONLY | O_CLOEXEC);
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
            tc_note(w->in->quiet, "tacit: another process has a lock on %s; waiting", file);
        nanosleep(&tick, NULL);
    }
    return tc_fail(err, errno == ENOENT ? TACIT_E_NOT_FOUND : TACIT_E_IO,
                   "\"%.200s\" could not be opened: %s", file, strerror(errno));
}

static tacit_status run_locked(work *w, tacit_error *err)
{
    tc_curator_ledger l = {0};
    TC_TRY(read_terms(w, err));
    tacit_status st = open_ledger(w, &l, err);
    if (st == TACIT_OK)
        st = release(w, l.ledger, err);
    tc_curator_ledger_close(&l);
    return st;
}

static tacit_status run_named(work *w, tacit_error *err)
{
    int fd = -1;
    TC_TRY(check_files(w, err));
    tacit_status st = lock_data(w, &fd, err);
    if (st == TACIT_OK)
        st = run_locked(w, err);
    if (fd >= 0)
        close(fd);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    TC_TRY(check_words(w.o, err));
    tacit_status st = name_things(&w, err);
    if (st == TACIT_OK)
        st = run_named(&w, err);
    tc_row_release_fini(&w.release);
    tc_text_fini(&w.statement);
    tc_text_fini(&w.ledger_statement);
    tc_data_fini(&w.data);
    tc_free(w.name);
    tc_free(w.ledger);
    tc_free(w.secret);
    return st;
}

const tc_verb tc_verb_curate_release = {
    .name = "curate release",
    .usage = "DATA.csv --out FILE --epsilon E [options]",
    .summary = "release a copy of a data set that a modeler may see",
    .details =
        "Every row is clamped to public bounds, gets noise in every coordinate, and all rows come\n"
        "in a new, secret order. Epsilon is per distance: --radius says how far a row may move "
        "and\n"
        "still be hard to tell apart, in units of the columns. Bounds and units are public: they\n"
        "come from you, never from the data, and a column without bounds is refused. The release "
        "is\n"
        "in the ledger before FILE is written; the same command again writes the same file at no\n"
        "cost, whatever was released since: FILE speaks of this release, standard output of the\n"
        "whole ledger, too. What tacit curate answer needs is in the secret file, which must not\n"
        "leave.\n"
        "\n"
        "--mode paper is Algorithm 1 of PO-GP-UCB as printed. It protects nothing (tacit privacy\n"
        "audit shows how), is stamped NOT PRIVATE and prints no epsilon; --format json has the\n"
        "smallest singular value, the threshold and the branch taken.\n"
        "\n"
        "  tacit curate release loans.csv --out released.json --epsilon 2.7 \\\n"
        "      --bounds income=0:200000:10000 --bounds rate=0:30:1 --value-column profit\n"
        "  tacit curate release grid.csv --out z.json --mode paper --epsilon 3 --delta 1e-5",
    .options = options,
    .options_size = sizeof(tc_curate_release_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_flag = "bounds",
    .sets_help = "public bounds of a column: COLUMN=LOW:HIGH or COLUMN=LOW:HIGH:UNIT, where UNIT "
                 "counts as a distance of 1; may be repeated",
    .secrets = true,
    .run = run,
};
