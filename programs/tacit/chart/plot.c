/* plot.c - `tacit plot`: a study or results of simulations as an SVG or PNG chart. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "chart/plot.h"
#include "privacy/privacy_cli.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILES  32
#define MAX_CURVES 64

typedef enum plot_kind {
    KIND_AUTO,
    KIND_HISTORY,
    KIND_REGRET,
    KIND_SLICE,
    KIND_IMPORTANCES,
    KIND_PRIVACY,
    KIND_STEPS
} plot_kind;
static const char *const kind_names[] = {"auto",        "history", "regret", "slice",
                                         "importances", "privacy", "steps"};

typedef struct plot_opts {
    tc_where where;
    int kind, direction;
    bool cumulative, log, pareto;
    char *out, *title, *contour, *of;
    double delta, limit;
    int64_t agents, at;
} plot_opts;

static const tc_option options[] = {
    {.name = "kind",
     .type = TC_OPTION_CHOICE,
     .offset = offsetof(plot_opts, kind),
     .def = "auto",
     .choices = "auto|history|regret|slice|importances|privacy|steps",
     .help = "what to draw; auto: regret for results of simulate, history for a study"},
    {.name = "contour",
     .type = TC_OPTION_STRING,
     .offset = offsetof(plot_opts, contour),
     .help = "draw the mean of a model over these two parameters, with the trials",
     .value = "A,B"},
    TC_INT_OPTION(
        "at", offsetof(plot_opts, at), "-1", -1, (double)(1ll << 53),
        "contour: take the other parameters from this trial; -1: from the best one, which a "
        "study with several objectives does not have"),
    {.name = "pareto",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(plot_opts, pareto),
     .help = "draw two objectives against each other, and their front"},
    {.name = "of",
     .type = TC_OPTION_STRING,
     .offset = offsetof(plot_opts, of),
     .help = "history, slice, importances, contour: this outcome (default: the first objective)",
     .value = "NAME"},
    {.name = "direction",
     .type = TC_OPTION_CHOICE,
     .offset = offsetof(plot_opts, direction),
     .def = "unknown",
     .choices = "unknown|minimize|maximize",
     .help = "of an exported file: which values are good; unknown draws no best ones"},
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
    TC_FLOAT_OPTION(
        "limit", offsetof(plot_opts, limit), NULL, 0, 1e6,
        "privacy: the epsilon that may be spent, as a line (default: that of the study's "
        "document, if it is at a coordinator)",
        .min_open = true),
    TC_DELTA_OPTION(plot_opts),
    TC_AGENTS_OPTION(plot_opts),
    TC_WHERE_OPTIONS(plot_opts),
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

/* -- trials -------------------------------------------------------------------------------- */

static tacit_status draw_trials(tc_plot_trials *p, plot_kind kind, const plot_opts *o, tc_text *svg,
                                tacit_error *err)
{
    return kind == KIND_SLICE ? tc_plot_slice(p, o->title, o->log, svg, err)
                              : tc_plot_history(p, o->title, o->log, svg, err);
}

static tacit_status draw_open_study(tacit_study *s, plot_kind kind, const plot_opts *o,
                                    tc_text *svg, tacit_error *err)
{
    if (o->contour)
        return tc_plot_contour(s, o->contour, o->of, o->at, o->title, svg, err);
    if (kind == KIND_IMPORTANCES)
        return tc_plot_importances(s, o->of, o->title, svg, err);
    if (kind == KIND_STEPS)
        return tc_plot_steps(s, o->title, o->log, svg, err);
    if (o->pareto)
        return tc_plot_pareto(s, o->title, svg, err);
    tc_plot_trials p = {0};
    tacit_status status = tc_plot_trials_of_study(&p, s, o->of, err);
    if (status == TACIT_OK)
        status = draw_trials(&p, kind, o, svg, err);
    tc_plot_trials_fini(&p);
    return status;
}

static tacit_status draw_study(const tc_invocation *in, plot_kind kind, tc_text *svg,
                               tacit_error *err)
{
    const plot_opts *o = in->opts;
    tc_study_ref ref = {0};
    tacit_status status = tc_study_ref_look(&ref, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = draw_open_study(ref.study, kind, o, svg, err);
    tc_study_ref_close(&ref);
    return status;
}

static tacit_status draw_export(const tc_invocation *in, plot_kind kind, tc_text *svg,
                                tacit_error *err)
{
    const plot_opts *o = in->opts;
    tc_plot_trials p = {0};
    tacit_status status = tc_plot_trials_of_file(&p, in->args[0], o->direction, err);
    if (status == TACIT_OK)
        status = draw_trials(&p, kind, o, svg, err);
    tc_plot_trials_fini(&p);
    return status;
}

/* -- privacy ------------------------------------------------------------------------------- */

/* A document's delta was checked when the study was made. */
static tacit_status draw_ledger(const tc_invocation *in, const tc_plot_budget *b, tacit_ledger *l,
                                tc_text *svg, tacit_error *err)
{
    const plot_opts *o = in->opts;
    double delta = b->delta;
    if (o->delta > 0 || delta == 0)
        TC_TRY(tc_privacy_delta(o->delta, o->agents, in->quiet, &delta, err));
    return tc_plot_spending(l, delta, b->limit, o->title, svg, err);
}

static tacit_status draw_privacy(const tc_invocation *in, tc_text *svg, tacit_error *err)
{
    const plot_opts *o = in->opts;
    tacit_ledger *l;
    tc_plot_budget b = {.delta = o->delta, .limit = o->limit};
    if (in->n_args != 1)
        return tc_fail(err, TACIT_E_ARG, "one ledger is drawn at a time, %zu were given",
                       in->n_args);
    TC_TRY(tc_plot_ledger(&o->where, in->args[0], in->quiet, &b, &l, err));
    tacit_status status = draw_ledger(in, &b, l, svg, err);
    tacit_ledger_close(l);
    return status;
}

/* What only this chart has. */
static tacit_status check_no_budget(const tc_invocation *in, tacit_error *err)
{
    static const char *const names[] = {"limit", "delta", "agents"};
    for (size_t i = 0; i < 3; i++)
        if (tc_given(in, names[i]))
            return tc_fail(err, TACIT_E_ARG, "--%s is for --kind privacy", names[i]);
    return TACIT_OK;
}

/* -- the verb ------------------------------------------------------------------------------ */

/* What an argument is: the name of a study or its document, curves that simulate wrote, or trials that export wrote. */
typedef enum plot_source { FROM_STUDY, FROM_CURVES, FROM_EXPORT } plot_source;

static tacit_status find_source(const char *arg, plot_source *out, tacit_error *err)
{
    *out = FROM_STUDY;
    if (tc_ends_in(arg, ".csv"))
        *out = tc_plot_is_export(arg) ? FROM_EXPORT : FROM_CURVES;
    if (tc_ends_in(arg, ".jsonl"))
        *out = FROM_EXPORT;
    if (!tc_ends_in(arg, ".json"))
        return TACIT_OK;
    json_t *j;
    TC_TRY(tc_json_read_file(arg, &j, err));
    if (json_is_array(j))
        *out = FROM_EXPORT;
    else if (json_object_get(j, "cumulative_regret") || json_object_get(j, "results"))
        *out = FROM_CURVES;
    json_decref(j);
    return TACIT_OK;
}

/* A model needs the space, which a file of trials does not have. */
static tacit_status check_export(const plot_opts *o, plot_kind kind, const char *arg,
                                 tacit_error *err)
{
    if (o->pareto || o->of)
        return tc_fail(err, TACIT_E_ARG, "%s is for a study: name it, not the file \"%s\"",
                       o->pareto ? "--pareto" : "--of", arg);
    if (o->contour || kind == KIND_IMPORTANCES)
        return tc_fail(err, TACIT_E_ARG,
                       "%s needs the study's space, which the exported file \"%s\" does not have: "
                       "name the study",
                       o->contour ? "--contour" : "--kind importances", arg);
    return TACIT_OK;
}

/* The last values of pruned trials are all that CSV has of them. */
static tacit_status refuse_steps(const char *arg, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "--kind steps draws a study, not the exported file \"%s\": name the study", arg);
}

static tacit_status check_kind(const tc_invocation *in, plot_source source, plot_kind kind,
                               tacit_error *err)
{
    const plot_opts *o = in->opts;
    const char *arg = in->args[0];
    if (kind == KIND_REGRET && source != FROM_CURVES)
        return tc_fail(err, TACIT_E_ARG,
                       "--kind regret draws files written by tacit simulate, not the study \"%s\", "
                       "whose optimum is unknown",
                       arg);
    if (source == FROM_CURVES && (kind != KIND_REGRET || o->contour || o->pareto || o->of))
        return tc_fail(err, TACIT_E_ARG,
                       "\"%s\" is a result of tacit simulate: it can be drawn with --kind regret "
                       "only",
                       arg);
    if (source != FROM_CURVES && in->n_args != 1)
        return tc_fail(err, TACIT_E_ARG, "one study is drawn at a time, %zu were given",
                       in->n_args);
    if (source != FROM_EXPORT && o->direction != TC_PLOT_NOT_DIRECTED)
        return tc_fail(err, TACIT_E_ARG,
                       "--direction is for an exported file: a study has its own");
    if (source == FROM_EXPORT && kind == KIND_STEPS)
        return refuse_steps(arg, err);
    return source == FROM_EXPORT ? check_export(o, kind, arg, err) : TACIT_OK;
}

static tacit_status draw(const tc_invocation *in, tc_text *svg, tacit_error *err)
{
    const plot_opts *o = in->opts;
    plot_source source;
    plot_kind kind = (plot_kind)o->kind;
    if (o->contour && kind != KIND_AUTO)
        return tc_fail(err, TACIT_E_ARG, "--contour and --kind %s are two charts: ask for one",
                       kind_names[kind]);
    if (o->pareto && (o->contour || kind != KIND_AUTO))
        return tc_fail(err, TACIT_E_ARG, "--pareto and %s%s are two charts: ask for one",
                       o->contour ? "--contour" : "--kind ", o->contour ? "" : kind_names[kind]);
    if (o->of && (o->pareto || kind == KIND_PRIVACY || kind == KIND_STEPS))
        return tc_fail(err, TACIT_E_ARG,
                       "--of is for --contour and for --kind history, slice and importances");
    if (tc_given(in, "at") && !o->contour)
        return tc_fail(err, TACIT_E_ARG, "--at is for --contour");
    if (kind == KIND_PRIVACY)
        return draw_privacy(in, svg, err);
    TC_TRY(check_no_budget(in, err));
    TC_TRY(find_source(in->args[0], &source, err));
    if (kind == KIND_AUTO)
        kind = source == FROM_CURVES ? KIND_REGRET : KIND_HISTORY;
    TC_TRY(check_kind(in, source, kind, err));
    return source == FROM_CURVES   ? draw_regret(in, svg, err)
           : source == FROM_EXPORT ? draw_export(in, kind, svg, err)
                                   : draw_study(in, kind, svg, err);
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
    tc_text svg = {0};
    if (o->out && !tc_ends_in(o->out, ".svg") && !tc_ends_in(o->out, ".png"))
        return tc_fail(err, TACIT_E_ARG, "--out must end in .svg or .png, not \"%s\"", o->out);
    tacit_status status = draw(in, &svg, err);
    if (status == TACIT_OK)
        status = write_chart(o->out, &svg, err);
    if (status == TACIT_OK && o->out)
        tc_note(in->quiet, "wrote %s", o->out);
    tc_text_fini(&svg);
    return status;
}

const tc_verb tc_verb_plot = {
    .name = "plot",
    .usage = "STUDY|LEDGER|FILE ... [options]",
    .summary = "draw a study, a ledger, or the regret of simulations, as SVG or PNG",
    .details =
        "history: the value of every completed trial, the best so far, and of trials that were\n"
        "pruned the last value, by a sign of their own. slice: the\n"
        "value against each parameter, early trials light, late ones dark. importances:\n"
        "what tacit importances prints. steps: intermediate values, a line for each trial, a dot\n"
        "where one was pruned, the best one above all. --contour: the mean of the same model over "
        "two\n"
        "parameters, the others as in the best trial or as in --at, with the trials as dots;\n"
        "blank where a parameter would be active that this trial does not have. These take a\n"
        "study, in a storage or at a coordinator. --pareto: two objectives, the front and what it\n"
        "dominates, and infeasible trials by a sign of their own; history then draws the first\n"
        "objective, or the outcome --of, with its best feasible value, or the bounds of a\n"
        "constraint. history and slice also take a file that tacit export wrote. privacy: what a\n"
        "ledger (its name, or a file of tacit privacy status --export) had spent after each "
        "entry,\n"
        "or round, with the limit; with --server, the ledger of a federated study. regret: curves\n"
        "of files that tacit simulate wrote, with a band of one standard error; of a file of\n"
        "--by-agent, a thin line for every agent and their mean.\n"
        "\n"
        "PNG is made by rsvg-convert (Debian package librsvg2-bin); SVG needs nothing.\n"
        "\n"
        "  tacit plot mystudy --kind slice --out slice.svg\n"
        "  tacit plot mystudy --contour lr,width --out contour.png\n"
        "  tacit plot trade --contour lr,width --of latency --at 17 --out contour.png\n"
        "  tacit plot landmine --kind privacy --agents 29 --limit 4 --out spent.svg\n"
        "  tacit plot mystudy --server https://tacit.example:8443 --out history.svg\n"
        "  tacit plot trials.csv --direction minimize --out history.svg\n"
        "  tacit simulate --algorithm random --out random.csv\n"
        "  tacit simulate --algorithm gp-ei --out gp-ei.csv\n"
        "  tacit plot random.csv gp-ei.csv --out regret.png",
    .options = options,
    .options_size = sizeof(plot_opts),
    .min_args = 1,
    .max_args = MAX_FILES,
    .run = run,
};
