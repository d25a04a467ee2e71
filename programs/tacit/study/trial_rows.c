/* trial_rows.c - see trial_rows.h. */
#include "study/trial_rows.h"

#include "study/outcome_words.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The rows to print: a list, or a single one. */
typedef struct rows {
    tc_outcome_words outcomes;
    const tacit_trials *list; /* or NULL */
    const tacit_trial *single;
    size_t n;
    const tacit_recommendation *found; /* how the single one was recommended; or NULL */
} rows;

/* Is there a mean of the model to print? */
static bool by_model(const rows *all)
{
    return all->found && all->found->by == TACIT_BY_MODEL;
}

/* Are there outcomes beside one value? */
static bool has_outcomes(const rows *all)
{
    return all->outcomes.n > 1;
}

/* ... and bounds that they may miss? */
static bool has_bounds(const rows *all)
{
    return all->outcomes.n > all->outcomes.objectives;
}

static const tacit_trial *row(const rows *all, size_t i)
{
    return all->list ? tacit_trials_get(all->list, i) : all->single;
}

/* ---- columns, for people and for CSV */

/* `inactive`: what stands for the value of an inactive parameter; NULL: nothing. */
static void put_params(const tacit_space *s, const double *values, const char *inactive,
                       tc_table *t, size_t column)
{
    for (size_t i = 0; i < tacit_space_columns(s); i++) {
        double value = tacit_space_column_value(s, values, i);
        tacit_column_type type = tacit_space_column_type(s, i);
        if (isnan(value))
            tc_table_text(t, column + i, inactive);
        else if (type == TACIT_COLUMN_CHOICE)
            tc_table_text(t, column + i, tacit_space_choice(s, i, (size_t)value));
        else if (type == TACIT_COLUMN_FLOAT)
            tc_table_number(t, column + i, value);
        else
            tc_table_integer(t, column + i, (int64_t)value);
    }
}

void tc_params_text(const tacit_space *s, const double *values, char *out, size_t size)
{
    tc_text t = {0};
    for (size_t i = 0; i < tacit_space_columns(s); i++) {
        double value = tacit_space_column_value(s, values, i);
        tacit_column_type type = tacit_space_column_type(s, i);
        tc_text_addf(&t, "%s%s=", i > 0 ? ", " : "", tacit_space_column_name(s, i));
        if (type == TACIT_COLUMN_CHOICE)
            tc_text_add(&t, tacit_space_choice(s, i, (size_t)value));
        else
            tc_text_addf(&t, type == TACIT_COLUMN_FLOAT ? "%.6g" : "%.0f", value);
    }
    snprintf(out, size, "%s", tc_text_get(&t));
    tc_text_fini(&t);
}

static void put_time(tc_table *t, size_t column, int64_t ms)
{
    char text[32];
    if (ms == 0)
        return;
    tc_clock_iso(text, ms);
    tc_table_text(t, column, text);
}

/* Names: `before`, then the parameters with a prefix, then `after`. NULL-terminated lists. */
static tc_table *new_table(const tacit_space *s, const char *const *before, const char *prefix,
                           const char *const *after)
{
    tc_arena a = {0};
    tc_table *t = NULL;
    size_t n = 0, params = tacit_space_columns(s);
    const char **names = TC_TAKE(&a, params + TC_OUTCOME_PLACES + 16, const char *);
    for (; names && *before; before++)
        names[n++] = *before;
    for (size_t i = 0; names && i < params; i++) {
        tc_text name = {0};
        tc_text_addf(&name, "%s%s", prefix, tacit_space_column_name(s, i));
        names[n++] = tc_arena_strdup(&a, tc_text_get(&name));
        a.failed |= name.failed;
        tc_text_fini(&name);
    }
    for (; names && *after; after++)
        names[n++] = *after;
    if (!a.failed)
        t = tc_table_new(n, names);
    tc_arena_fini(&a);
    return t;
}

/* Of a complete trial, from outcome `first` on, and whether it is feasible. */
static void put_outcomes(tc_table *t, size_t column, const rows *all, const tacit_trial *trial,
                         size_t first)
{
    if (trial->state != TACIT_TRIAL_COMPLETE)
        return;
    for (size_t i = first; i < all->outcomes.n; i++)
        tc_table_number(t, column++, trial->outcomes[i]);
    if (has_bounds(all))
        tc_table_text(t, column, trial->feasible ? "yes" : "no");
}

static void put_result(tc_table *t, const tacit_trial *trial)
{
    tc_table_integer(t, 0, (int64_t)trial->number);
    tc_table_text(t, 1, tacit_trial_state_name(trial->state));
    if (trial->state == TACIT_TRIAL_COMPLETE)
        tc_table_number(t, 2, trial->value);
}

static bool any_batch(const rows *all)
{
    bool any = false;
    for (size_t i = 0; i < all->n; i++)
        any |= row(all, i)->pulls > 1;
    return any;
}

enum { COLUMNS = TC_OUTCOME_PLACES + 8 };

/* Names of the columns before the parameters, NULL-terminated; how many there are. *model: where the mean stands. */
static size_t people_columns(const rows *all, const char *names[COLUMNS], size_t *model)
{
    size_t n = 0;
    names[n++] = "trial";
    names[n++] = "state";
    for (size_t i = 0; i < all->outcomes.n; i++)
        names[n++] = all->outcomes.of[i].name;
    if (has_bounds(all))
        names[n++] = "feasible";
    *model = n;
    if (by_model(all)) {
        names[n++] = "mean";
        names[n++] = "sd";
    }
    if (any_batch(all))
        names[n++] = "pulls";
    names[n] = NULL;
    return n;
}

static void put_model(tc_table *t, size_t column, const rows *all)
{
    tc_table_number(t, column, all->found->mean);
    tc_table_number(t, column + 1, all->found->sd);
}

static bool has_reason(const tacit_trial *t)
{
    return t->state == TACIT_TRIAL_FAIL || t->state == TACIT_TRIAL_PRUNED ||
           t->state == TACIT_TRIAL_DELETED;
}

static tacit_status print_people(const tacit_space *s, const rows *all, FILE *out, tacit_error *err)
{
    static const char *const reason[] = {"reason", NULL};
    const char *before[COLUMNS];
    bool any = false;
    size_t model;
    const size_t at = people_columns(all, before, &model);
    for (size_t i = 0; i < all->n; i++)
        any |= has_reason(row(all, i));
    tc_table *t = new_table(s, before, "", any ? reason : reason + 1);
    for (size_t i = 0; i < all->n; i++) {
        put_result(t, row(all, i));
        if (has_outcomes(all))
            put_outcomes(t, 3, all, row(all, i), 1);
        if (by_model(all))
            put_model(t, model, all);
        if (any_batch(all))
            tc_table_integer(t, at - 1, (int64_t)row(all, i)->pulls);
        put_params(s, row(all, i)->values, "-", t, at);
        if (has_reason(row(all, i)))
            tc_table_text(t, at + tacit_space_columns(s), row(all, i)->reason);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_TABLE, out, err);
}

/* "outcomes_NAME" of each outcome that is not the column "value". */
typedef struct outcome_columns {
    char name[TC_OUTCOME_PLACES][80];
    size_t first; /* the first outcome of them */
} outcome_columns;

/* Adds their names, and "feasible" where there are bounds. */
static size_t add_outcome_columns(const rows *all, outcome_columns *c, const char **names, size_t n)
{
    c->first = all->outcomes.objectives == 1;
    for (size_t i = c->first; i < all->outcomes.n; i++) {
        snprintf(c->name[i], sizeof c->name[i], TC_OUTCOME_COLUMN "%s", all->outcomes.of[i].name);
        names[n++] = c->name[i];
    }
    if (has_bounds(all))
        names[n++] = "feasible";
    return n;
}

static tacit_status print_csv(const tacit_space *s, const rows *all, FILE *out, tacit_error *err)
{
    static const char *const before[] = {"trial", "state", "value", NULL};
    const char *after[COLUMNS] = {"datetime_start", "datetime_complete", "worker", "reason"};
    const size_t last = 3 + tacit_space_columns(s);
    outcome_columns outcomes;
    size_t n = 4, model = last + 4;
    if (any_batch(all)) {
        after[n++] = "pulls";
        model++;
    }
    if (by_model(all)) {
        after[n++] = "mean";
        after[n++] = "sd";
    }
    const size_t beside = last + n;
    if (has_outcomes(all))
        (void)add_outcome_columns(all, &outcomes, after, n);
    tc_table *t = new_table(s, before, "params_", after);
    for (size_t i = 0; i < all->n; i++) {
        put_result(t, row(all, i));
        put_params(s, row(all, i)->values, NULL, t, 3);
        put_time(t, last, row(all, i)->asked_ms);
        put_time(t, last + 1, row(all, i)->told_ms);
        tc_table_text(t, last + 2, row(all, i)->worker);
        tc_table_text(t, last + 3, row(all, i)->reason);
        if (any_batch(all))
            tc_table_integer(t, last + 4, (int64_t)row(all, i)->pulls);
        if (by_model(all))
            put_model(t, model, all);
        if (has_outcomes(all))
            put_outcomes(t, beside, all, row(all, i), outcomes.first);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_CSV, out, err);
}

/* ---- JSON */

static json_t *text_json(const char *s)
{
    return s ? json_string(s) : json_null();
}

static json_t *time_json(int64_t ms)
{
    char text[32];
    if (ms == 0)
        return json_null();
    tc_clock_iso(text, ms);
    return json_string(text);
}

static json_t *choice_json(const tacit_space *s, size_t i, size_t choice)
{
    double number = tacit_space_choice_number(s, i, choice);
    switch (tacit_space_choice_kind(s, i)) {
    case TACIT_CHOICE_BOOL:
        return json_boolean(choice == 1);
    case TACIT_CHOICE_NUMBER:
        return number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t)number)
                                                              : json_real(number);
    case TACIT_CHOICE_TEXT:
        break;
    }
    return json_string(tacit_space_choice(s, i, choice));
}

static json_t *value_json(const tacit_space *s, const double *values, size_t i)
{
    double value = tacit_space_column_value(s, values, i);
    switch (tacit_space_column_type(s, i)) {
    case TACIT_COLUMN_CHOICE:
        return choice_json(s, i, (size_t)value);
    case TACIT_COLUMN_INT:
        return json_integer((json_int_t)value);
    case TACIT_COLUMN_FLOAT:
        break;
    }
    return json_real(value);
}

static json_t *params_json(const tacit_space *s, const double *values)
{
    int bad = 0;
    json_t *o = json_object();
    for (size_t i = 0; i < tacit_space_columns(s); i++)
        if (!isnan(tacit_space_column_value(s, values, i)))
            bad |= json_object_set_new(o, tacit_space_column_name(s, i), value_json(s, values, i));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *steps_json(const tacit_trial *t)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < t->n_steps; i++)
        if (json_array_append_new(list,
                                  json_pack("{s:I, s:f}", "step", (json_int_t)t->steps[i].step,
                                            "value", t->steps[i].value)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *outcomes_json(const tc_outcome_words *names, const tacit_trial *t)
{
    int bad = 0;
    json_t *o = json_object();
    for (size_t i = 0; i < names->n; i++)
        bad |= json_object_set_new(o, names->of[i].name, json_real(t->outcomes[i]));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *trial_json(const tacit_space *s, const rows *all, const tacit_trial *t)
{
    json_t *o = json_object();
    json_t *value = t->state == TACIT_TRIAL_COMPLETE ? json_real(t->value) : json_null();
    int bad = json_object_set_new(o, "trial", json_integer((json_int_t)t->number));
    bad |= json_object_set_new(o, "state", json_string(tacit_trial_state_name(t->state)));
    bad |= json_object_set_new(o, "value", value);
    bad |= json_object_set_new(o, "params", params_json(s, t->values));
    bad |= json_object_set_new(o, "datetime_start", time_json(t->asked_ms));
    bad |= json_object_set_new(o, "datetime_complete", time_json(t->told_ms));
    bad |= json_object_set_new(o, "worker", text_json(t->worker));
    bad |= json_object_set_new(o, "reason", text_json(t->reason));
    if (t->pulls > 1)
        bad |= json_object_set_new(o, "pulls", json_integer((json_int_t)t->pulls));
    if (t->n_steps > 0)
        bad |= json_object_set_new(o, "steps", steps_json(t));
    if (has_outcomes(all) && t->state == TACIT_TRIAL_COMPLETE)
        bad |= json_object_set_new(o, "outcomes", outcomes_json(&all->outcomes, t)) |
               json_object_set_new(o, "feasible", json_boolean(t->feasible));
    if (has_bounds(all) && t->state == TACIT_TRIAL_COMPLETE)
        bad |= json_object_set_new(o, "violation", json_real(t->violation));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

/* Adds how it was recommended. */
static json_t *add_found(json_t *o, const tacit_recommendation *r)
{
    int bad = o ? 0 : 1;
    if (!bad && r->by == TACIT_BY_MODEL) {
        bad |= json_object_set_new(o, "mean", json_real(r->mean));
        bad |= json_object_set_new(o, "sd", json_real(r->sd));
    }
    if (!bad)
        bad |= json_object_set_new(o, "by", json_string(tacit_recommend_by_name(r->by))) |
               json_object_set_new(o, "because", json_string(r->because));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

/* The object is given up in any case. */
static void add_object(tc_text *out, json_t *o)
{
    tc_json_add(out, o);
    json_decref(o);
}

static tacit_status print_text(tc_text *t, FILE *out, tacit_error *err)
{
    return tc_text_print(t, out) ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status print_object(json_t *o, FILE *out, tacit_error *err)
{
    tc_text t = {0};
    add_object(&t, o);
    tc_text_add(&t, "\n");
    return print_text(&t, out, err);
}

static void add_trials(tc_text *out, const tacit_space *s, const rows *all)
{
    tc_text_add(out, "[");
    for (size_t i = 0; i < all->n; i++) {
        tc_text_add(out, i > 0 ? ",\n " : "");
        add_object(out, trial_json(s, all, row(all, i)));
    }
    tc_text_add(out, "]\n");
}

static tacit_status print_json(const tacit_space *s, const rows *all, FILE *out, tacit_error *err)
{
    tc_text t = {.max = SIZE_MAX}; /* as long as memory lasts */
    add_trials(&t, s, all);
    return print_text(&t, out, err);
}

static tacit_status print_lines(const tacit_space *s, const rows *all, FILE *out, tacit_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        json_t *o = trial_json(s, all, row(all, i));
        o = all->found ? add_found(o, all->found) : o;
        TC_TRY(print_object(o, out, err));
    }
    return TACIT_OK;
}

static tacit_status print_rows(const tacit_space *space, const rows *all, int format, FILE *out,
                               tacit_error *err)
{
    tc_json_start();
    switch ((tc_format)format) {
    case TC_FORMAT_TABLE:
        return print_people(space, all, out, err);
    case TC_FORMAT_CSV:
        return print_csv(space, all, out, err);
    case TC_FORMAT_JSON:
        return print_json(space, all, out, err);
    case TC_FORMAT_JSONL:
        break;
    }
    return print_lines(space, all, out, err);
}

tacit_status tc_trials_print(const tacit_document *doc, const tacit_trials *trials, int format,
                             FILE *out, tacit_error *err)
{
    rows all = {.list = trials, .n = tacit_trials_count(trials)};
    tc_outcome_words_of(&all.outcomes, doc);
    return print_rows(tacit_document_space(doc), &all, format, out, err);
}

tacit_status tc_trial_print(const tacit_document *doc, const tacit_trial *trial, int format,
                            FILE *out, tacit_error *err)
{
    rows one = {.single = trial, .n = 1};
    tc_outcome_words_of(&one.outcomes, doc);
    return print_rows(tacit_document_space(doc), &one,
                      format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format, out, err);
}

tacit_status tc_recommendation_print(const tacit_document *doc, const tacit_recommendation *r,
                                     int format, bool quiet, FILE *out, tacit_error *err)
{
    rows one = {.single = r->trial, .n = 1, .found = r};
    tc_outcome_words_of(&one.outcomes, doc);
    tc_note(quiet, "%s, because %s", r->by == TACIT_BY_MODEL ? "by the model" : "by what was seen",
            r->because);
    return print_rows(tacit_document_space(doc), &one,
                      format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format, out, err);
}

/* ---- trials just asked for */

static json_t *asked_json(const tacit_space *s, const tacit_trial *a, bool pulls)
{
    json_t *o = json_object();
    int bad = json_object_set_new(o, "trial", json_integer((json_int_t)a->number));
    if (pulls)
        bad |= json_object_set_new(o, "pulls", json_integer((json_int_t)a->pulls));
    bad |= json_object_set_new(o, "params", params_json(s, a->values));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

static tacit_status asked_rows(const tacit_space *s, const tacit_trials *asked, bool pulls,
                               int format, FILE *out, tacit_error *err)
{
    static const char *const single[] = {"trial", NULL}, *const batch[] = {"trial", "pulls", NULL};
    static const char *const none[] = {NULL};
    tc_table *t = new_table(s, pulls ? batch : single, "", none);
    for (size_t i = 0; i < tacit_trials_count(asked); i++) {
        const tacit_trial *a = tacit_trials_get(asked, i);
        tc_table_integer(t, 0, (int64_t)a->number);
        if (pulls)
            tc_table_integer(t, 1, (int64_t)a->pulls);
        put_params(s, a->values, format == TC_FORMAT_TABLE ? "-" : NULL, t, pulls ? 2 : 1);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, out, err);
}

tacit_status tc_asked_print(const tacit_space *space, const tacit_trials *asked, bool pulls,
                            int format, FILE *out, tacit_error *err)
{
    size_t n = tacit_trials_count(asked);
    bool array = format == TC_FORMAT_JSON && n > 1;
    tc_text t = {0};
    if (format == TC_FORMAT_TABLE || format == TC_FORMAT_CSV)
        return asked_rows(space, asked, pulls, format, out, err);
    tc_json_start();
    tc_text_add(&t, array ? "[" : "");
    for (size_t i = 0; i < n; i++) {
        tc_text_add(&t, array && i > 0 ? ",\n " : "");
        add_object(&t, asked_json(space, tacit_trials_get(asked, i), pulls));
        tc_text_add(&t, array ? "" : "\n");
    }
    tc_text_add(&t, array ? "]\n" : "");
    return print_text(&t, out, err);
}

/* ---- the winner of a search ---- */

static tacit_status winner_json(const tacit_space *s, const double *values, double value, json_t *o,
                                FILE *out, tacit_error *err)
{
    int bad = json_object_set_new(o, "value", values ? json_real(value) : json_null());
    bad |= json_object_set_new(o, "params", values ? params_json(s, values) : json_null());
    if (bad) {
        json_decref(o);
        return tc_fail_memory(err);
    }
    return print_object(o, out, err);
}

tacit_status tc_winner_print(const tacit_space *space, const double *values, double value,
                             json_t *more, int format, FILE *out, tacit_error *err)
{
    static const char *const before[] = {"value", NULL}, *const after[] = {NULL};
    bool people = format == TC_FORMAT_TABLE;
    if (!more)
        return tc_fail_memory(err);
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return winner_json(space, values, value, more, out, err);
    json_decref(more);
    if (people && !values) {
        fputs("nothing\n", out);
        return TACIT_OK;
    }
    tc_table *t = new_table(space, before, people ? "" : "params_", after);
    if (values) {
        tc_table_number(t, 0, value);
        put_params(space, values, people ? "-" : NULL, t, 1);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, out, err);
}

/* ---- the best, and the front ---- */

static tacit_status front_json(const tacit_document *doc, const tacit_trials *front,
                               const double *volume, FILE *out, tacit_error *err)
{
    rows all = {.list = front, .n = tacit_trials_count(front)};
    tc_text t = {.max = SIZE_MAX};
    tc_json_start();
    tc_outcome_words_of(&all.outcomes, doc);
    tc_text_add(&t, "{\"front\":");
    add_trials(&t, tacit_document_space(doc), &all);
    if (volume) {
        tc_text_add(&t, ",\"hypervolume\":");
        add_object(&t, json_real(*volume));
    }
    tc_text_add(&t, "}\n");
    return print_text(&t, out, err);
}

tacit_status tc_front_print(tacit_study *s, const double *reference, const tc_invocation *in,
                            tacit_error *err)
{
    const tacit_document *doc = tacit_study_document(s);
    tacit_trials *front;
    double volume = 0;
    if (reference)
        TC_TRY(tacit_study_hypervolume(s, reference, &volume, err));
    TC_TRY(tacit_study_front(s, &front, err));
    const size_t n = tacit_trials_count(front);
    tacit_status status = in->format == TC_FORMAT_JSON
                              ? front_json(doc, front, reference ? &volume : NULL, stdout, err)
                              : tc_trials_print(doc, front, in->format, stdout, err);
    tacit_trials_free(front);
    TC_TRY(status);
    if (n == 0)
        return tc_fail(
            err, TACIT_E_STATE, "no trial of %s is complete%s yet", tacit_study_name(s),
            tacit_document_outcomes(doc) > tacit_document_objectives(doc) ? " and feasible" : "");
    char point[400];
    tc_outcome_words names;
    tc_outcome_words_of(&names, doc);
    if (reference) {
        tc_outcome_words_text(&names, names.objectives, reference, point, sizeof point);
        tc_note(in->quiet, "hypervolume %.10g, from the front to %s", volume, point);
    }
    return TACIT_OK;
}

/* The model may hold a trial for feasible whose outcomes, with their noise, were not. */
static void note_misses(const tacit_trial *t, bool quiet)
{
    tc_note(quiet,
            "as it was told, trial %" PRIu64
            " misses its bounds (violation %.6g); by the model it is more likely within them than "
            "not; --by seen keeps to what was told",
            t->number, t->violation);
}

tacit_status tc_best_found_print(tacit_study *s, const tacit_recommendation *r,
                                 const tc_invocation *in, tacit_error *err)
{
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    TC_TRY(tacit_study_summarize(s, &now, err));
    const bool none = !r->trial->feasible && now.feasible == 0; /* said below */
    TC_TRY(tc_recommendation_print(tacit_study_document(s), r, in->format, in->quiet || none,
                                   stdout, err));
    if (!r->trial->feasible && !none)
        note_misses(r->trial, in->quiet);
    return !none ? TACIT_OK
                 : tc_fail(err, TACIT_E_STATE,
                           "no trial of %s is feasible yet; trial %" PRIu64
                           " is shown, which misses its bounds by least (violation %.6g)",
                           tacit_study_name(s), r->trial->number, r->trial->violation);
}

tacit_status tc_best_print(tacit_study *s, const tc_invocation *in, tacit_error *err)
{
    tacit_recommendation *best;
    tacit_error why = {0};
    if (tacit_document_objectives(tacit_study_document(s)) > 1)
        return tc_front_print(s, NULL, in, err);
    tacit_status status = tacit_study_recommend(s, TACIT_BY_AUTO, &best, &why);
    if (status == TACIT_E_STATE)
        return tc_fail(err, status, "no trial of %s has succeeded", tacit_study_name(s));
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = tc_best_found_print(s, best, in, err);
    tacit_recommendation_free(best);
    return status;
}
