/* simulate_single.c - `tacit simulate` for one party: an algorithm on an objective, many runs. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/curve_file.h"
#include "simulate/simulate.h"
#include "simulate/watch.h"

#include <string.h>

#define TRIALS_DEFAULT    60
#define OBJECTIVE_DEFAULT "branin"
#define LENGTH_DEFAULT    0.2

/* -- output -------------------------------------------------------------------------------- */

bool tc_simulate_milestone(uint64_t i, uint64_t last)
{
    uint64_t lead = i;
    while (lead > 0 && lead % 10 == 0)
        lead /= 10;
    return lead <= 2 || lead == 5 || i == last;
}

static tacit_status print_table(const tc_simulation *sim, const tc_curves *r, tacit_error *err)
{
    static const char *const names[] = {"trial", "simple regret", "cumulative regret"};
    tc_table *t = tc_table_new(3, names);
    char cell[64];
    for (size_t i = 0; t && i < r->points; i++) {
        if (!tc_simulate_milestone(i + 1, r->points))
            continue;
        tc_table_integer(t, 0, (int64_t)i + 1);
        tc_watch_moments(cell, sizeof cell, r->simple_mean[i], r->simple_se[i]);
        tc_table_text(t, 1, cell);
        tc_watch_moments(cell, sizeof cell, r->cumulative_mean[i], r->cumulative_se[i]);
        tc_table_text(t, 2, cell);
        tc_table_end_row(t);
    }
    printf("%s on %s: %llu run%s of %llu trials, seed %llu, %.2f s; mean ± standard error\n\n",
           sim->algorithm->name, sim->objective, (unsigned long long)r->runs,
           r->runs == 1 ? "" : "s", (unsigned long long)r->points, (unsigned long long)sim->seed,
           r->seconds);
    if (!t)
        return tc_fail_memory(err);
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    return tc_simulate_print_privacy(sim, err);
}

static tacit_status as_text(const tc_simulation *sim, const tc_curves *r, bool json, tc_text *out,
                            tacit_error *err)
{
    tc_text theorem = {0};
    json_t *j = NULL;
    tacit_status status = tc_simulate_theorem(sim, &theorem, err);
    const tc_curve_part part = {.sim = sim, .curves = r, .theorem = tc_text_get(&theorem)};
    if (status == TACIT_OK)
        status = json ? tc_curves_json(&part, 1, &j, err) : tc_curves_csv(&part, 1, out, err);
    if (status == TACIT_OK && json) {
        char *text = tc_json_text(j);
        if (text)
            tc_text_addf(out, "%s\n", text);
        status = text && !out->failed ? TACIT_OK : tc_fail_memory(err);
        tc_free(text);
    }
    json_decref(j);
    tc_text_fini(&theorem);
    return status;
}

bool tc_simulate_is_json(const char *file)
{
    size_t n = strlen(file);
    return n > 5 && strcmp(file + n - 5, ".json") == 0;
}

static tacit_status write_file(const tc_simulation *sim, const tc_curves *r, const char *file,
                               tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = as_text(sim, r, tc_simulate_is_json(file), &text, err);
    if (status == TACIT_OK)
        status = tc_file_write(file, tc_text_get(&text), text.len, err);
    tc_text_fini(&text);
    return status;
}

static tacit_status print_result(const tc_simulation *sim, const tc_curves *r, int format,
                                 tacit_error *err)
{
    if (format == TC_FORMAT_TABLE)
        return print_table(sim, r, err);
    tc_text text = {0};
    tacit_status status = as_text(sim, r, format != TC_FORMAT_CSV, &text, err);
    if (status == TACIT_OK)
        fwrite(tc_text_get(&text), 1, text.len, stdout);
    tc_text_fini(&text);
    return status;
}

/* -- plan and run -------------------------------------------------------------------------- */

/* The options are those of families; one objective alone has no law and length of its own. */
static tc_objective_opts objective_of(const tc_family_opts *family)
{
    tc_objective_opts o = family->objective;
    if (o.noise == TC_FAMILY_NOISE_OWN)
        o.noise = 0;
    if (o.lengthscale == 0)
        o.lengthscale = LENGTH_DEFAULT;
    return o;
}

static tacit_status simulate(tc_simulation *sim, const tc_simulate_plan *p, tacit_error *err)
{
    tc_curves r;
    char label[64];
    snprintf(label, sizeof label, "%s on %s", sim->algorithm->name, sim->objective);
    TC_TRY(tc_watch_simulation(sim, label, p->in->quiet, &r, err));
    tacit_status written = p->o->out ? write_file(sim, &r, p->o->out, err) : TACIT_OK;
    tacit_status printed =
        print_result(sim, &r, p->in->format, written == TACIT_OK ? err : NULL); /* in any case */
    tc_curves_fini(&r);
    return written == TACIT_OK ? printed : written;
}

/* What the algorithm runs with: given is owned by the caller. */
static tacit_status choose_options(const tc_simulate_plan *p, const tc_reply *reply, json_t *given,
                                   tacit_error *err)
{
    TC_TRY(tc_simulate_take(p->algorithm, given, p->in->n_sets, p->in->sets, err));
    return reply ? tc_simulate_reply_model(p->algorithm, reply, given, p->in->quiet, err)
                 : TACIT_OK;
}

static tacit_status simulate_seen(tc_simulation *sim, const tc_simulate_plan *p, tacit_error *err)
{
    tc_curator_terms curator = {0};
    tacit_status status = tc_simulate_curator(p, sim, &curator, err);
    sim->curated = curator.given ? &curator.terms : NULL;
    if (status == TACIT_OK)
        status = simulate(sim, p, err);
    sim->curated = NULL;
    tc_arena_fini(&curator.memory);
    return status;
}

/* What only a federation looks at, and does not make it one. */
static tacit_status check_words(const tc_simulate_plan *p, const char *objective, tacit_error *err)
{
    if (tc_given(p->in, "accountant"))
        return tc_fail(err, TACIT_E_ARG, "--accountant is for a federation, and this is one party");
    return tc_simulate_check_objective(p, objective, err);
}

tacit_status tc_simulate_single(const tc_simulate_plan *p, tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    const char *objective = o->objective ? o->objective : OBJECTIVE_DEFAULT;
    uint64_t planned = p->doc ? p->doc->trials : TRIALS_DEFAULT;
    json_t *given = NULL;
    tc_reply reply;
    bool replies;
    TC_TRY(check_words(p, objective, err));
    TC_TRY(tc_simulate_reply(p, &reply, &replies, err));
    TC_TRY(tc_simulate_given(p, &given, err));
    tc_simulation sim = {.algorithm = p->algorithm,
                         .options = given,
                         .objective = objective,
                         .family.objective = objective_of(&o->family),
                         .units = o->units,
                         .reply = replies ? &reply : NULL,
                         .trials = o->trials ? (uint64_t)o->trials : planned,
                         .runs = (uint64_t)o->runs,
                         .seed = p->seed,
                         .pool = p->pool};
    tacit_status status = choose_options(p, sim.reply, given, err);
    if (status == TACIT_OK)
        status = simulate_seen(&sim, p, err);
    json_decref(given);
    return status;
}
