/* curate_release.c - `tacit curate release`: a copy of a data set that may be shown.
 *
 * Order of things, for whoever is killed in between: the ledger has the release and the secret file its order
 * (tacit_curator_release), then the file is written. The same command again writes the same file and spends nothing. */
#include "curate/curate_bounds.h"
#include "privacy/privacy_cli.h"
#include "study/storage.h"

#include "base/file.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

enum { RANK_DEFAULT = 10 };

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
     .help = "delta of Gaussian noise, and of paper mode; below 1/rows. 0: Laplace noise"},
    {"radius", TC_OPTION_FLOAT, offsetof(release_opts, radius), .min = 0, .max = 1e12,
     .min_open = true,
     .help = "distance by which a neighbour's row may move, in units (default: 1)"},
    {"noise", TC_OPTION_CHOICE, offsetof(release_opts, noise), "auto",
     .choices = "auto|laplace|gaussian", .help = "law of the noise; auto: the smaller one"},
    {"mode", TC_OPTION_CHOICE, offsetof(release_opts, mode), "sound", .choices = "sound|paper",
     .help = "noise in every row, or the projection of PO-GP-UCB as printed, NOT PRIVATE"},
    {"rank", TC_OPTION_INT, offsetof(release_opts, rank), .min = 1, .max = TACIT_ROW_RANK_MAX,
     .help = "paper mode: columns of the projection (default: 10)"},
    {"project", TC_OPTION_INT, offsetof(release_opts, project), "0", .min = 0,
     .max = TACIT_ROW_RANK_MAX,
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
    {"ledger", TC_OPTION_STRING, offsetof(release_opts, ledger), .value = "NAME",
     .help = "the ledger that is charged: one for each data set (default: the name of DATA)"},
    TC_STORAGE_OPTION(release_opts),
    TC_CURATE_SEED_OPTION(release_opts),
    {.name = NULL}};

/* ---- the command line */

typedef struct work {
    const tc_invocation *in;
    const release_opts *o;
    tc_data data;
    char *name, *secret, *ledger; /* the options, or their defaults */
    tacit_row_terms terms;
    tacit_curator *curator;
    const tacit_curator_report *report;
} work;

static tacit_status check_sound(const release_opts *o, tacit_error *err)
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

static tacit_status check_paper(const release_opts *o, tacit_error *err)
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

static tacit_status check_words(const release_opts *o, tacit_error *err)
{
    if (!o->out)
        return tc_fail(err, TACIT_E_ARG, "--out FILE is needed: where the release is written");
    if (o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--epsilon is needed: there is no default");
    if (o->output_bound > 0 && o->output_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--output-bound is for --output-epsilon");
    return o->mode == TACIT_ROW_SOUND ? check_sound(o, err) : check_paper(o, err);
}

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

/* Nothing that is written is something that is read or kept; and it can be written. */
static tacit_status check_files(const work *w, tacit_error *err)
{
    const tc_curate_file files[] = {{"DATA", w->in->args[0]},
                                    {"--out", w->o->out},
                                    {"the secret file", w->secret},
                                    {"--bounds-file", w->o->bounds_file}};
    TC_TRY(tc_curate_distinct(files, sizeof files / sizeof *files, w->o->storage, err));
    TC_TRY(tc_file_writable(w->o->out, err));
    return tc_curate_spare(w->o->out, err);
}

/* tacit_curator_release refuses a delta of 1/N and above. */
static void warn_delta(const work *w)
{
    double n = (double)w->terms.rows, delta = w->terms.delta;
    if (w->terms.mode == TACIT_ROW_SOUND && delta > 1 / (n * n) && delta < 1 / n)
        tc_note(w->in->quiet, "tacit: warning: delta %g is above 1/N^2 = %g for %zu rows", delta,
                1 / (n * n), w->terms.rows);
}

static tacit_status read_terms(work *w, tacit_error *err)
{
    const release_opts *o = w->o;
    tacit_row_column *columns = NULL;
    bool sound = o->mode == TACIT_ROW_SOUND;
    TC_TRY(tc_data_read(&w->data, w->in->args[0], o->columns, o->value_column, err));
    TC_TRY(
        tc_bounds_find(&w->data, w->in->n_sets, w->in->sets, o->bounds_file, sound, &columns, err));
    w->terms = (tacit_row_terms){.name = w->name,
                                 .mode = (tacit_row_mode)o->mode,
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
    warn_delta(w);
    return TACIT_OK;
}

static void note(void *user, const char *text)
{
    const work *w = user;
    tc_note(w->in->quiet, "tacit: %s", text);
}

static tacit_status release(work *w, tacit_error *err)
{
    tacit_curator_opts opts = TACIT_CURATOR_OPTS;
    opts.storage = tc_storage_url(w->o->storage);
    opts.secret = w->secret;
    opts.budget = w->o->budget;
    opts.test_seed = w->o->seed;
    opts.ledger = w->ledger;
    if (w->data.y) /* as tc_data_read finds it */
        opts.value_column = w->o->value_column ? w->o->value_column : "value";
    opts.lock = w->in->args[0];
    opts.note = note;
    opts.user = w;
    return tacit_curator_release(&w->curator, &opts, &w->terms, w->data.x, &w->report, err);
}

static tacit_status write_released(const work *w, tacit_error *err)
{
    char *text = NULL;
    TC_TRY(tacit_released_text(w->report->released, &text, err));
    return tc_curate_write(w->o->out, text, err);
}

/* ---- what the curator is told: about this release, and about the whole ledger */

static json_t *epsilon_json(bool is_private, double epsilon)
{
    return is_private ? tc_privacy_number(epsilon) : json_null();
}

static json_t *ledger_json(const work *w)
{
    const tacit_curator_report *r = w->report;
    return json_pack("{s:s, s:I, s:b, s:o, s:o, s:s}", "name", w->ledger, "entries",
                     (json_int_t)r->entries, "private", (int)r->is_private, "epsilon",
                     epsilon_json(r->is_private, r->epsilon), "delta",
                     epsilon_json(r->is_private, r->delta), "statement", r->statement);
}

static json_t *report_json(const work *w)
{
    const tacit_curator_report *r = w->report;
    const tacit_released *left = r->released;
    json_t *j = json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:s, s:s, s:I, s:I, s:f, s:f, s:b, s:I, s:s, s:s, s:o}", "name",
        left->name, "mode", left->mode, "private", (int)left->is_private, "epsilon",
        epsilon_json(left->is_private, left->epsilon), "delta",
        epsilon_json(left->is_private, left->delta), "statement", left->statement, "mechanism",
        r->mechanism, "rows", (json_int_t)left->rows, "columns", (json_int_t)left->cols, "input_sd",
        left->input_sd, "output_sd", left->output_sd, "again", (int)r->again, "entry",
        (json_int_t)left->head.seq, "out", w->o->out, "secret", w->secret, "ledger",
        ledger_json(w));
    if (j && w->terms.mode == TACIT_ROW_PAPER) {
        json_object_set_new(j, "sigma_min", json_real(r->sigma_min));
        json_object_set_new(j, "omega", json_real(r->omega));
        json_object_set_new(j, "branch", json_string(r->raised ? "raise" : "project"));
    }
    return j;
}

/* An epsilon without its statement is in no format. */
static void add_words(const work *w, tc_table *t)
{
    const tacit_curator_report *r = w->report;
    tc_table_text(t, 8, r->released->statement);
    if (r->is_private && isfinite(r->epsilon)) {
        tc_table_number(t, 9, r->epsilon);
        tc_table_number(t, 10, r->delta);
    }
    tc_table_text(t, 11, r->statement);
}

static tacit_status print_table(const work *w, tc_format format, tacit_error *err)
{
    static const char *const names[] = {
        "name",    "mode",     "private",   "epsilon",        "delta",        "rows",
        "columns", "input_sd", "statement", "ledger_epsilon", "ledger_delta", "ledger_statement"};
    const tacit_released *r = w->report->released;
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 8 : 12, names);
    tc_table_text(t, 0, r->name);
    tc_table_text(t, 1, r->mode);
    tc_table_text(t, 2, r->is_private ? "yes" : "NO");
    if (r->is_private) {
        tc_table_number(t, 3, r->epsilon);
        tc_table_number(t, 4, r->delta);
    }
    tc_table_integer(t, 5, (int64_t)r->rows);
    tc_table_integer(t, 6, (int64_t)r->cols);
    tc_table_number(t, 7, r->input_sd);
    if (!people)
        add_words(w, t);
    tc_table_end_row(t);
    return tc_table_print(t, format, stdout, err);
}

/* "This release: every row: epsilon 2.7, ..." */
static tacit_status print_words(const char *of, const char *name, const char *statement,
                                tacit_error *err)
{
    tc_text text = {0};
    tc_text_addf(&text, "%s%s: %s", of, name, statement);
    if (!text.failed) {
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&text));
    }
    tacit_status status = text.failed ? tc_fail_memory(err) : TACIT_OK;
    tc_text_fini(&text);
    return status;
}

static tacit_status print_report(const work *w, tacit_error *err)
{
    int format = w->in->format;
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return tc_privacy_print_json(report_json(w), false, err);
    TC_TRY(print_table(w, (tc_format)format, err));
    if (format == TC_FORMAT_TABLE) {
        TC_TRY(print_words("This release", "", w->report->released->statement, err));
        TC_TRY(print_words("The whole ledger ", w->ledger, w->report->statement, err));
    }
    tc_note(w->in->quiet, "tacit: %s may leave; %s must not%s", w->o->out, w->secret,
            w->report->again ? " (released before: nothing was spent)" : "");
    return TACIT_OK;
}

static tacit_status run_named(work *w, tacit_error *err)
{
    TC_TRY(check_files(w, err));
    TC_TRY(read_terms(w, err));
    TC_TRY(release(w, err));
    TC_TRY(write_released(w, err));
    return print_report(w, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    work w = {.in = in, .o = in->opts};
    TC_TRY(check_words(w.o, err));
    tacit_status status = name_things(&w, err);
    if (status == TACIT_OK)
        status = run_named(&w, err);
    tacit_curator_close(w.curator);
    tc_data_fini(&w.data);
    tc_free(w.name);
    tc_free(w.ledger);
    tc_free(w.secret);
    return status;
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
    .options_size = sizeof(release_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_flag = "bounds",
    .sets_help = "public bounds of a column: COLUMN=LOW:HIGH or COLUMN=LOW:HIGH:UNIT, where UNIT "
                 "counts as a distance of 1; may be repeated",
    .secrets = true,
    .run = run,
};
