/* plot.c - `tacit plot`: a study or results of simulations as an SVG or PNG chart. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "chart/plot.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <string.h>

#define MAX_FILES  32
#define MAX_CURVES 64

typedef enum plot_kind { KIND_AUTO, KIND_HISTORY, KIND_REGRET, KIND_SLICE } plot_kind;

typedef struct plot_opts {
    int kind;
    bool cumulative, log;
    char *storage, *out, *title;
} plot_opts;

static const tc_option options[] = {
    {.name = "kind",
     .type = TC_OPTION_CHOICE,
     .offset = offsetof(plot_opts, kind),
     .def = "auto",
     .choices = "auto|history|regret|slice",
     .help = "what to draw; auto: regret for results of simulate, history for a study"},
    {.name = "out",
     .type = TC_OPTION_STRING,
     .offset = offsetof(plot_opts, out),
     .help = "file to write, .svg or .png (default: SVG to standard output)",
     .value = "FILE"},
    {.name = "title",
     .type = TC_OPTION_STRING,
     .offset = offsetof(plot_opts, title),
     .help = "title of the chart"},
    {.name = "cumulative",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(plot_opts, cumulative),
     .help = "regret: the cumulative regret in place of the simple one"},
    {.name = "log",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(plot_opts, log),
     .help = "history, slice: a logarithmic scale of values"},
    TC_STORAGE_OPTION(plot_opts),
    {.name = NULL},
};

/* -- regret -------------------------------------------------------------------------------- */

typedef struct loaded {
    tacit_curve_set curves;
    const char *names[MAX_CURVES]; /* the file of each */
} loaded;

/* A file of --by-agent stands alone. */
static tacit_status load(loaded *l, const char *file, bool alone, tacit_error *err)
{
    size_t before = l->curves.n;
    TC_TRY(tacit_curves_read(&l->curves, file, err));
    bool by_agent = l->curves.items[before].agent_simple != NULL;
    if (by_agent && !alone)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is a file of --by-agent, which is drawn alone; curves to compare are in "
                       "the file of --out",
                       file);
    if (l->curves.n > MAX_CURVES && !by_agent)
        return tc_fail(err, TACIT_E_ARG, "%zu curves are too many for one chart, which has %d",
                       l->curves.n, MAX_CURVES);
    for (size_t k = before; k < l->curves.n && k < MAX_CURVES; k++)
        l->names[k] = file;
    return TACIT_OK;
}

static tacit_status draw_regret(const tc_invocation *in, tc_text *svg, tacit_error *err)
{
    const plot_opts *o = in->opts;
    loaded l = {0};
    const tacit_curve_set *c = &l.curves;
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < in->n_args && status == TACIT_OK; i++)
        status = load(&l, in->args[i], in->n_args == 1, err);
    if (status == TACIT_OK && c->n > 0) /* each file has curves */
        status = c->items[0].agent_simple
                     ? tc_plot_agents(c->items, c->n, o->title, o->cumulative, svg, err)
                     : tc_plot_regret(c->items, c->n, l.names, o->title, o->cumulative, svg, err);
    tacit_curve_set_fini(&l.curves);
    return status;
}

/* -- a study ------------------------------------------------------------------------------- */

static tacit_status draw_study(const tc_invocation *in, plot_kind kind, tc_text *svg,
                               tacit_error *err)
{
    const plot_opts *o = in->opts;
    tc_study_ref ref = {0};
    const tc_where where = {.storage = (char *)tc_storage_url(o->storage)};
    if (in->n_args != 1)
        return tc_fail(err, TACIT_E_ARG, "one study is drawn at a time, %zu were given",
                       in->n_args);
    tacit_status status = tc_study_ref_look(&ref, in->args[0], &where, in->quiet, err);
    if (status == TACIT_OK)
        status = kind == KIND_SLICE ? tc_plot_slice(ref.study, o->title, o->log, svg, err)
                                    : tc_plot_history(ref.study, o->title, o->log, svg, err);
    tc_study_ref_close(&ref);
    return status;
}

/* -- the verb ------------------------------------------------------------------------------ */

/* Is this what simulate wrote, rather than a study or its document? */
static tacit_status is_result(const char *arg, bool *out, tacit_error *err)
{
    *out = tc_ends_in(arg, ".csv");
    if (!tc_ends_in(arg, ".json"))
        return TACIT_OK;
    json_t *j;
    TC_TRY(tc_json_read_file(arg, &j, err));
    *out = json_object_get(j, "cumulative_regret") || json_object_get(j, "results");
    json_decref(j);
    return TACIT_OK;
}

static tacit_status choose_kind(const tc_invocation *in, plot_kind *kind, tacit_error *err)
{
    const plot_opts *o = in->opts;
    bool result;
    TC_TRY(is_result(in->args[0], &result, err));
    *kind = (plot_kind)o->kind;
    if (*kind == KIND_AUTO)
        *kind = result ? KIND_REGRET : KIND_HISTORY;
    if (*kind == KIND_REGRET && !result)
        return tc_fail(err, TACIT_E_ARG,
                       "--kind regret draws files written by tacit simulate, not the study \"%s\", "
                       "whose optimum is unknown",
                       in->args[0]);
    if (*kind != KIND_REGRET && result)
        return tc_fail(err, TACIT_E_ARG,
                       "\"%s\" is a result of tacit simulate: it can be drawn with --kind regret "
                       "only",
                       in->args[0]);
    return TACIT_OK;
}

static tacit_status write_chart(const char *file, const tc_text *svg, tacit_error *err)
{
    if (!file) {
        fwrite(tc_text_get(svg), 1, svg->len, stdout);
        return TACIT_OK;
    }
    return tc_ends_in(file, ".png") ? tc_png_write(file, svg, err)
                                    : tc_file_write(file, tc_text_get(svg), svg->len, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const plot_opts *o = in->opts;
    plot_kind kind;
    tc_text svg = {0};
    if (o->out && !tc_ends_in(o->out, ".svg") && !tc_ends_in(o->out, ".png"))
        return tc_fail(err, TACIT_E_ARG, "--out must end in .svg or .png, not \"%s\"", o->out);
    TC_TRY(choose_kind(in, &kind, err));
    tacit_status status =
        kind == KIND_REGRET ? draw_regret(in, &svg, err) : draw_study(in, kind, &svg, err);
    if (status == TACIT_OK)
        status = write_chart(o->out, &svg, err);
    if (status == TACIT_OK && o->out)
        tc_note(in->quiet, "wrote %s", o->out);
    tc_text_fini(&svg);
    return status;
}

const tc_verb tc_verb_plot = {
    .name = "plot",
    .usage = "STUDY|FILE.csv|FILE.json ... [options]",
    .summary = "draw a study, or the regret of simulations, as SVG or PNG",
    .details = "history: the value of every completed trial, and the best so far. slice: the\n"
               "value against each parameter, early trials light, late ones dark. regret:\n"
               "curves of files that tacit simulate wrote, with a band of one standard error;\n"
               "of a file of --by-agent, a thin line for every agent and their mean.\n"
               "\n"
               "PNG is made by rsvg-convert (Debian package librsvg2-bin); SVG needs nothing.\n"
               "\n"
               "  tacit plot mystudy --kind slice --out slice.svg\n"
               "  tacit simulate --algorithm random --out random.csv\n"
               "  tacit simulate --algorithm gp-ei --out gp-ei.csv\n"
               "  tacit plot random.csv gp-ei.csv --out regret.png",
    .options = options,
    .options_size = sizeof(plot_opts),
    .min_args = 1,
    .max_args = MAX_FILES,
    .run = run,
};
