/* curate_release.c - `tacit curate release`: a copy of a data set that may be shown.
 *
 * Order of things, for whoever is killed in between: the secret order is on disk, then the ledger has
 * the entry and the exact bytes, then the file is written. The same command again writes the same
 * file and spends nothing. */
#include "curate_bounds.h"
#include "curate_int.h"
#include "privacy_int.h"
#include "storage.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/file.h"
#include "wire/released_json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct release_opts {
    char *storage, *out, *secret, *ledger, *name, *columns, *value_column, *bounds_file;
    int mode, noise, direction;
    double epsilon, delta, radius, output_epsilon, output_bound, budget;
    int64_t rank, project, projection_seed, seed;
} release_opts;

static const tc_option options[] = {
    {"out", TC_OPTION_STRING, offsetof(release_opts, out), .value = "FILE",
     .help = "where the release is written, for the modeler"},
    {"secret", TC_OPTION_STRING, offsetof(release_opts, secret), .value = "FILE",
     .help = "where the secret order of the rows is kept (default: DATA.secret)"},
    {"epsilon", TC_OPTION_FLOAT, offsetof(release_opts, epsilon), .min = 0, .max = 1024,
     .min_open = true, .help = "epsilon of the release, for rows that move by --radius; required"},
    {"delta", TC_OPTION_FLOAT, offsetof(release_opts, delta), "0", .min = 0, .max = 0.999999,
     .help = "delta of Gaussian noise, and of paper mode; 0: Laplace noise"},
    {"radius", TC_OPTION_FLOAT, offsetof(release_opts, radius), "1", .min = 0, .max = 1e12,
     .min_open = true, .help = "distance by which a neighbour's row may move, in units"},
    {"noise", TC_OPTION_CHOICE, offsetof(release_opts, noise), "auto",
     .choices = "auto|laplace|gaussian", .help = "law of the noise; auto: the smaller one"},
    {"mode", TC_OPTION_CHOICE, offsetof(release_opts, mode), "sound", .choices = "sound|paper",
     .help = "noise in every row, or the projection of PO-GP-UCB as printed, NOT PRIVATE"},
    {"rank", TC_OPTION_INT, offsetof(release_opts, rank), "10", .min = 1,
     .max = TC_TRANSFORM_RANK_MAX, .help = "paper mode: columns of the projection"},
    {"project", TC_OPTION_INT, offsetof(release_opts, project), "0", .min = 0,
     .max = TC_TRANSFORM_RANK_MAX,
     .help = "sound mode: project rows to so many public directions first; 0: none"},
    {"projection-seed", TC_OPTION_INT, offsetof(release_opts, projection_seed), "0", .min = 0,
     .max = 0x1p53, .help = "public seed of these directions"},
    {"columns", TC_OPTION_STRING, offsetof(release_opts, columns), .value = "A,B,...",
     .help = "which columns to release (default: all but the value column)"},
    {"value-column", TC_OPTION_STRING, offsetof(release_opts, value_column), .value = "NAME",
     .help = "column of the values, not released (default: value, if there is one)"},
    {"bounds-file", TC_OPTION_STRING, offsetof(release_opts, bounds_file), .value = "FILE",
     .help = "bounds from a CSV file with the header column,low,high[,unit]"},
    {"direction", TC_OPTION_CHOICE, offsetof(release_opts, direction), "maximize",
     .choices = "maximize|minimize", .help = "which values the modeler is to look for"},
    {"output-epsilon", TC_OPTION_FLOAT, offsetof(release_opts, output_epsilon), "0", .min = 0,
     .max = 1024, .help = "epsilon of every answer, beside the release; 0: answers as they are"},
    {"output-bound", TC_OPTION_FLOAT, offsetof(release_opts, output_bound), "0", .min = 0,
     .max = 1e12, .help = "public bound C: private answers are clamped to [-C, C]"},
    TC_CURATE_BUDGET_OPTION(release_opts),
    {"name", TC_OPTION_STRING, offsetof(release_opts, name), .value = "NAME",
     .help = "name of the release (default: that of DATA); another name is another release"},
    {"ledger", TC_OPTION_STRING, offsetof(release_opts, ledger), "rows", .value = "NAME",
     .help = "the ledger that is charged: one for each data set"},
    TC_STORAGE_OPTION(release_opts),
    TC_CURATE_SEED_OPTION(release_opts),
    {.name = NULL}};

typedef struct work {
    const tc_invocation *in;
    const release_opts *o;
    tc_data data;
    char *name, *secret;
    tc_row_terms terms;
    tc_row_release release;
    double output_sd;
    /* Of all that the ledger has released about these rows, this release included. */
    bool is_private;
    const char *not_private;
    tc_text statement;
} work;

/* ---- terms */

/* "loans" of "data/loans.csv" */
static char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    return tc_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static tacit_status read_terms(work *w, tacit_error *err)
{
    const release_opts *o = w->o;
    tc_row_column *columns = NULL;
    bool sound = o->mode == TC_ROW_SOUND;
    TC_TRY(tc_data_read(&w->data, w->in->args[0], o->columns, o->value_column, err));
    TC_TRY(
        tc_bounds_find(&w->data, w->in->n_sets, w->in->sets, o->bounds_file, sound, &columns, err));
    w->name = o->name ? tc_strdup(o->name) : base_name(w->in->args[0]);
    w->secret = tc_secret_path(o->secret, w->in->args[0]);
    if (!w->name || !w->secret)
        return tc_fail_memory(err);
    w->terms = (tc_row_terms){.name = w->name,
                              .mode = (tc_row_mode)o->mode,
                              .rows = w->data.n,
                              .dims = w->data.dims,
                              .columns = columns,
                              .epsilon = o->epsilon,
                              .delta = o->delta,
                              .radius = o->radius,
                              .noise = (tc_rows_noise)o->noise,
                              .rank = (size_t)(sound ? o->project : o->rank),
                              .projection_seed = (uint64_t)o->projection_seed,
                              .maximize = o->direction == 0,
                              .output_epsilon = o->output_epsilon,
                              .output_bound = o->output_bound};
    TC_TRY(tc_row_terms_check(&w->terms, err));
    return tc_row_output_sd(&w->terms, &w->output_sd, err);
}

static tacit_status check_words(const release_opts *o, const char *data, tacit_error *err)
{
    if (!o->out)
        return tc_fail(err, TACIT_E_ARG, "--out FILE is needed: where the release is written");
    if (strcmp(o->out, data) == 0 || (o->secret && strcmp(o->secret, data) == 0) ||
        (o->secret && strcmp(o->secret, o->out) == 0))
        return tc_fail(err, TACIT_E_ARG, "DATA, --out and --secret must be three files");
    if (o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--epsilon is needed: there is no default");
    if (o->mode == TC_ROW_PAPER && o->delta == 0)
        return tc_fail(err, TACIT_E_ARG, "paper mode needs --delta");
    if (o->noise == TC_ROWS_GAUSSIAN && o->delta == 0)
        return tc_fail(err, TACIT_E_ARG, "Gaussian noise needs --delta");
    return TACIT_OK;
}

/* ---- the secret order */

static tacit_status same_terms(const tc_row_terms *a, const tc_row_terms *b, bool *same,
                               tacit_error *err)
{
    tc_ledger_hash x, y;
    TC_TRY(tc_row_terms_hash(a, &x, err));
    TC_TRY(tc_row_terms_hash(b, &y, err));
    *same = tc_ledger_hash_same(&x, &y);
    return TACIT_OK;
}

/* What another release needs must not be overwritten. One of the same terms was drawn by somebody
 * who was killed before the ledger had it. */
static tacit_status check_free(const work *w, tacit_error *err)
{
    tc_row_secret old = {0};
    bool same = false;
    tacit_status st = tc_row_secret_read(&old, w->secret, err);
    if (st == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    TC_TRY(st);
    st = same_terms(&old.terms, &w->terms, &same, err);
    if (st == TACIT_OK && !same)
        st = tc_fail(err, TACIT_E_STATE,
                     "%.200s keeps the order of another release (%.64s), which could not be "
                     "answered any more; give another --secret",
                     w->secret, old.terms.name);
    tc_row_secret_fini(&old);
    return st;
}

static tacit_status keep_order(void *user, const size_t *order, size_t rows,
                               const tc_ledger_hash *release, tacit_error *err)
{
    work *w = user;
    (void)rows;
    TC_TRY(check_free(w, err));
    tc_row_secret s = {.ledger = w->o->ledger,
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
    tc_ledger_hash data = tc_data_hash(&w->data);
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

/* ---- the statement */

static tacit_status claim_of(const tc_ledger *l, double delta, tc_ledger_claim *c, tacit_error *err)
{
    tacit_status st = TACIT_E_UNSUPPORTED;
    if (delta == 0)
        st = tc_ledger_guarantee(l, TC_UNIT_ROW, NULL, 1e-9, &tc_accountant_pure, c, NULL);
    if (st == TACIT_OK)
        return st;
    return tc_ledger_guarantee(l, TC_UNIT_ROW, NULL, delta > 0 ? delta : 1e-9, &tc_accountant_pld,
                               c, err);
}

static void add_outputs(work *w)
{
    char number[32];
    if (w->terms.output_epsilon > 0) {
        tc_epsilon_text(number, w->terms.output_epsilon);
        tc_text_addf(&w->statement,
                     " A row whose value is asked for spends epsilon %s more, once. Which rows are "
                     "asked for is NOT protected.",
                     number);
    } else {
        tc_text_add(&w->statement,
                    " The values of rows that are asked for, and which rows are, are "
                    "NOT protected.");
    }
}

/* An earlier release without privacy leaves nothing for this one to promise. */
static tacit_status make_statement(work *w, const tc_ledger *l, tacit_error *err)
{
    tc_ledger_claim claim;
    TC_TRY(claim_of(l, w->terms.delta, &claim, err));
    w->is_private = w->release.is_private && claim.is_private;
    w->not_private = w->release.is_private ? claim.not_private : w->release.not_private;
    if (w->is_private) {
        tc_ledger_statement(l, &claim, &w->statement);
        if (w->terms.rank > 0)
            tc_text_addf(
                &w->statement,
                " Rows are those after a public projection to %zu directions, which brings "
                "no two of them farther apart but for rounding, which is counted.",
                w->terms.rank);
        add_outputs(w);
    } else {
        tc_text_addf(&w->statement, "NOT PRIVATE: %s. There is no guarantee.", w->not_private);
    }
    return w->statement.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- what leaves */

static double delta_of(const work *w)
{
    return strcmp(w->release.mechanism, "gaussian-rows") == 0 ? w->terms.delta : 0;
}

/* Names of released columns: those of the data, or z1, z2, ... of a projection. */
static char **released_names(work *w)
{
    if (w->terms.rank == 0)
        return w->data.names;
    char **names = TC_TAKE(&w->data.memory, w->release.cols, char *);
    for (size_t k = 0; names && k < w->release.cols; k++) {
        char name[32];
        snprintf(name, sizeof name, "z%zu", k + 1);
        names[k] = tc_arena_strdup(&w->data.memory, name);
    }
    return w->data.memory.failed ? NULL : names;
}

static tacit_status write_release(work *w, tacit_error *err)
{
    tc_row_release *r = &w->release;
    tc_released doc = {.name = w->name,
                       .mode = (char *)(uintptr_t)tc_row_mode_name(w->terms.mode),
                       .maximize = w->terms.maximize,
                       .is_private = w->is_private,
                       .not_private = (char *)(uintptr_t)w->not_private,
                       .epsilon = w->terms.epsilon,
                       .delta = delta_of(w),
                       .statement = (char *)(uintptr_t)tc_text_get(&w->statement),
                       .input_sd = r->input_sd,
                       .output_sd = w->output_sd,
                       .release = r->hash,
                       .ledger = w->o->ledger,
                       .head = r->head,
                       .rows = r->rows,
                       .cols = r->cols,
                       .columns = released_names(w),
                       .values = r->values};
    if (!doc.columns)
        return tc_fail_memory(err);
    return tc_curate_write(w->o->out, tc_released_encode(&doc), err);
}

/* ---- what the curator is told */

static json_t *report_json(const work *w)
{
    const tc_row_release *r = &w->release;
    json_t *j = json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:s, s:s, s:I, s:I, s:f, s:f, s:b, s:s, s:I, s:s, s:s}", "name",
        w->name, "mode", tc_row_mode_name(w->terms.mode), "private", (int)w->is_private, "epsilon",
        w->is_private ? json_real(w->terms.epsilon) : json_null(), "delta",
        w->is_private ? json_real(delta_of(w)) : json_null(), "statement",
        tc_text_get(&w->statement), "mechanism", r->mechanism, "rows", (json_int_t)r->rows,
        "columns", (json_int_t)r->cols, "input_sd", r->input_sd, "output_sd", w->output_sd, "again",
        (int)r->again, "ledger", w->o->ledger, "entry", (json_int_t)r->head.seq, "out", w->o->out,
        "secret", w->secret);
    if (j && w->terms.mode == TC_ROW_PAPER) {
        json_object_set_new(j, "sigma_min", json_real(r->transform.sigma_min));
        json_object_set_new(j, "omega", json_real(r->transform.omega));
        json_object_set_new(j, "branch", json_string(r->transform.raise ? "raise" : "project"));
    }
    return j;
}

static tacit_status print_table(const work *w, tc_format format, tacit_error *err)
{
    static const char *const names[] = {"name",  "mode", "private", "epsilon",
                                        "delta", "rows", "columns", "input_sd"};
    const tc_row_release *r = &w->release;
    tc_table *t = tc_table_new(8, names);
    tc_table_text(t, 0, w->name);
    tc_table_text(t, 1, tc_row_mode_name(w->terms.mode));
    tc_table_text(t, 2, w->is_private ? "yes" : "NO");
    if (w->is_private) {
        tc_table_number(t, 3, w->terms.epsilon);
        tc_table_number(t, 4, delta_of(w));
    }
    tc_table_integer(t, 5, (int64_t)r->rows);
    tc_table_integer(t, 6, (int64_t)r->cols);
    tc_table_number(t, 7, r->input_sd);
    tc_table_end_row(t);
    return tc_table_print(t, format, stdout, err);
}

static tacit_status report(const work *w, tacit_error *err)
{
    int format = w->in->format;
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return tc_privacy_print_json(report_json(w), false, err);
    TC_TRY(print_table(w, (tc_format)format, err));
    if (format == TC_FORMAT_TABLE) {
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&w->statement));
    }
    tc_note(w->in->quiet, "tacit: %s may leave; %s must not%s", w->o->out, w->secret,
            w->release.again ? " (released before: nothing was spent)" : "");
    return TACIT_OK;
}

/* ---- the whole */

static tacit_status release(work *w, tc_ledger *l, tacit_error *err)
{
    tc_curator_noise noise;
    tc_ledger_budget limit;
    const tc_ledger_budget *budget = tc_curate_budget(&limit, w->o->budget, &w->terms);
    tc_row_keeper keeper = {keep_order, w};
    tc_curator_noise_init(&noise, w->o->seed, 0);
    tacit_status st = tc_row_curator_release(l, budget, &w->terms, w->data.x, &noise.entropy,
                                             &keeper, &w->release, err);
    tc_curator_noise_fini(&noise);
    TC_TRY(st);
    TC_TRY(check_secret(w, err));
    TC_TRY(make_statement(w, l, err));
    TC_TRY(write_release(w, err));
    return report(w, err);
}

/* One curator of a data set at a time: of two that draw at once, one would overwrite the order that
 * the other has released. */
static tacit_status lock_data(const char *file, int *fd, tacit_error *err)
{
    *fd = open(file, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || flock(*fd, LOCK_EX) != 0)
        return tc_fail(err, errno == ENOENT ? TACIT_E_NOT_FOUND : TACIT_E_IO,
                       "\"%.200s\" could not be opened: %s", file, strerror(errno));
    return TACIT_OK;
}

static tacit_status run_locked(work *w, tacit_error *err)
{
    tc_curator_ledger l = {0};
    TC_TRY(read_terms(w, err));
    tacit_status st = tc_curator_ledger_open(&l, w->o->storage, w->o->ledger, true, err);
    if (st == TACIT_OK)
        st = release(w, l.ledger, err);
    tc_curator_ledger_close(&l);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    int fd = -1;
    TC_TRY(check_words(w.o, in->args[0], err));
    tacit_status st = lock_data(in->args[0], &fd, err);
    if (st == TACIT_OK)
        st = run_locked(&w, err);
    if (fd >= 0)
        close(fd);
    tc_row_release_fini(&w.release);
    tc_text_fini(&w.statement);
    tc_data_fini(&w.data);
    tc_free(w.name);
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
        "cost. What tacit curate answer needs is in the secret file, which must not leave.\n"
        "\n"
        "--mode paper is Algorithm 1 of PO-GP-UCB as printed. It protects nothing (tacit privacy\n"
        "audit shows how), is stamped NOT PRIVATE and prints no epsilon; --format json has the\n"
        "smallest singular value, the threshold and the branch taken.\n"
        "\n"
        "  tacit curate release loans.csv --out released.json --epsilon 2.7 \\\n"
        "      --bounds income=0:200000:10000 --bounds rate=0:30:1 --value-column profit\n"
        "  tacit curate release grid.csv --out z.json --mode paper --epsilon 3 --delta 1e-5",
    .options = options,
    .options_size = sizeof(release_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_flag = "bounds",
    .sets_help = "public bounds of a column: COLUMN=LOW:HIGH or COLUMN=LOW:HIGH:UNIT, where UNIT "
                 "counts as a distance of 1; may be repeated",
    .run = run,
};
