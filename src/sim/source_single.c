/* source_single.c - trials of one party, the steps of a run. See simulation.h.
 *
 * A run is a study like any other: ask, observe, tell through study/, over a memory store of its own;
 * between the last two a private user may perturb what was observed, or the party itself, for the sake of its
 * records. Where there is a curator the study
 * is the modeler's: its space are the released rows, and its questions pass through the curator. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/answers.h"
#include "sim/curated.h"
#include "sim/step_source.h"
#include "study/study.h"

typedef struct single {
    tc_answers answers;
    tc_objective *objective;
    tc_curated *curated; /* or NULL */
    tc_store *store;
    tc_study *study;
    json_t *options;
    double *values;
} single;

static tacit_status take_options(single *s, const tc_simulation *sim, tacit_error *err)
{
    if (sim->curated)
        return tc_curated_options(sim->curated, sim->options, &s->options, err);
    s->options = sim->options ? json_deep_copy(sim->options) : json_object();
    return s->options ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status open_study(single *s, const tc_run *r, tacit_error *err)
{
    const tc_simulation *sim = r->sim;
    char name[] = "simulation";
    TC_TRY(take_options(s, sim, err));
    const tc_space *seen =
        s->curated ? tc_curated_space(s->curated) : tc_objective_space(s->objective);
    tc_study_doc doc = {
        .name = name,
        .maximize = tc_value_units_maximize(&sim->units, tc_objective_maximize(s->objective)),
        .trials = sim->trials,
        .has_seed = true,
        .seed = r->seeds.study,
        .space = (tc_space *)seen, /* copied, never written */
        .algorithm = sim->algorithm,
        .options = s->options,
    };
    TC_TRY(tc_store_open(&s->store, "memory:", true, err));
    tacit_status status = tc_study_doc_choose(&doc, err);
    if (status == TACIT_OK)
        status = tc_study_create(&s->study, s->store, &doc, r->inner, err);
    json_decref(doc.chosen);
    return status;
}

static tacit_status open_single(void *state, tc_run *r, tacit_error *err)
{
    single *s = state;
    const tc_simulation *sim = r->sim;
    TC_TRY(tc_answers_init(&s->answers, sim->algorithm, sim->options, sim->reply, err));
    TC_TRY(tc_objective_new(&s->objective, sim->objective, &sim->family.objective,
                            r->seeds.objective, err));
    s->values = tc_alloc(tc_objective_space(s->objective)->n_params, sizeof(double));
    if (!s->values)
        return tc_fail_memory(err);
    if (sim->curated)
        TC_TRY(tc_curated_new(&s->curated, sim->curated, s->objective, r->seeds.study, err));
    return open_study(s, r, err);
}

static void close_single(void *state)
{
    single *s = state;
    tc_study_close(s->study);
    tc_store_close(s->store);
    tc_curated_free(s->curated);
    tc_objective_free(s->objective);
    tc_answers_fini(&s->answers);
    json_decref(s->options);
    tc_free(s->values);
}

/* The observation at s->values, in the units of what is told. */
static double observed(const single *s, const tc_run *r, uint64_t trial)
{
    tc_stream noise;
    tc_stream_public(&noise, &r->seeds.objective, TC_FOR_OBSERVATION, trial);
    return tc_value_units_told(&r->sim->units,
                               tc_objective_observe(s->objective, s->values, &noise));
}

/* The curator puts the record in place of the row asked for, and its answer in place of the value. */
static tacit_status observe(single *s, const tc_run *r, uint64_t trial, double *y, tacit_error *err)
{
    if (!s->curated) {
        *y = observed(s, r, trial);
        if (r->sim->records)
            return tc_record_noise_add(r->sim->records, r->seeds.study, 0, trial, y, err);
        return tc_answers_tell(&s->answers, r->seeds.study, trial, y, err);
    }
    size_t row = (size_t)s->values[0];
    s->values[0] = (double)tc_curated_record(s->curated, row);
    *y = observed(s, r, trial);
    return tc_curated_answer(s->curated, row, y, err);
}

static tacit_status step_single(void *state, tc_run *r, uint64_t t, double *regret,
                                tacit_error *err)
{
    single *s = state;
    uint64_t trial;
    const tc_record_noise *records = r->sim->records;
    double y, noise_sd = records ? tc_record_noise_sd(records, 0) : 0;
    (void)t;
    TC_TRY(tc_study_ask(s->study, NULL, 0, &trial, s->values, err));
    TC_TRY(observe(s, r, trial, &y, err));
    TC_TRY(tc_study_tell_noisy(s->study, trial, NULL, y, noise_sd, err));
    *regret = tc_objective_regret(s->objective, s->values);
    return TACIT_OK;
}

static tacit_status shape_single(const tc_simulation *sim, tc_run_shape *out, tacit_error *err)
{
    if (sim->trials < 1 || sim->trials > 10000000)
        return tc_fail(err, TACIT_E_ARG, "trials is %llu; allowed are 1 to 10000000",
                       (unsigned long long)sim->trials);
    if (sim->runs < 1 || sim->runs > 1000000)
        return tc_fail(err, TACIT_E_ARG, "runs is %llu; allowed are 1 to 1000000",
                       (unsigned long long)sim->runs);
    TC_TRY(tc_value_units_check(&sim->units, err));
    if (sim->curated && !tc_is_modeler(sim->algorithm))
        return tc_fail(err, TACIT_E_ARG,
                       "%s is not the algorithm of a modeler: it cannot be told the noise in "
                       "released rows",
                       sim->algorithm->name);
    if (sim->curated && sim->reply)
        return tc_fail(err, TACIT_E_ARG, "where there is a curator, it answers; no reply is given");
    json_t *options;
    TC_TRY(tc_simulation_options(sim, &options, err)); /* once, before every run fails by them */
    json_decref(options);
    tc_answers answers;
    TC_TRY(tc_answers_init(&answers, sim->algorithm, sim->options, sim->reply, err));
    tc_answers_fini(&answers);
    *out = (tc_run_shape){
        .agents = 1, .first = 1, .steps = sim->trials, .points = (size_t)sim->trials};
    return TACIT_OK;
}

const tc_step_source tc_source_single = {.shape = shape_single,
                                         .size = sizeof(single),
                                         .open = open_single,
                                         .step = step_single,
                                         .close = close_single};
