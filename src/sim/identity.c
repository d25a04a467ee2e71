/* identity.c - everything that determines a run, as text: for checkpoints, snapshots and ledgers. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "sim/step_source.h"

#include <tacit/tacit.h>

#include <inttypes.h>

/* Takes j. */
static tacit_status add_json(tc_text *out, json_t *j, tacit_error *err)
{
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_text_addf(out, "%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

static tacit_status add_known(tc_text *out, const tc_simulation *sim, tacit_error *err)
{
    tc_family *family = NULL;
    if (sim->n_known == 0)
        return TACIT_OK;
    TC_TRY(tc_family_new(&family, sim->objective, &sim->family, 1,
                         tc_run_seeds_of(sim->seed, 0).objective, err));
    size_t width = tc_family_space(family)->n_params;
    tc_family_free(family);
    for (size_t i = 0; i < sim->n_known; i++) {
        tc_text_addf(out, "%" PRIu64 " %a", sim->known[i].agent, sim->known[i].value);
        for (size_t d = 0; d < width; d++)
            tc_text_addf(out, " %a", sim->known[i].values[d]);
        tc_text_add(out, "\n");
    }
    return TACIT_OK;
}

tacit_status tc_simulation_identity(const tc_simulation *sim, const tc_run_shape *shape,
                                    tc_text *out, tacit_error *err)
{
    json_t *options;
    tc_text_addf(out, "tacit %s\n%s\n%s\n", TACIT_VERSION,
                 sim->bandit ? sim->bandit->name : sim->algorithm->name, sim->objective);
    TC_TRY(tc_simulation_options(sim, &options, err));
    TC_TRY(add_json(out, options, err));
    TC_TRY(add_json(out, tc_options_json(tc_family_options, &sim->family), err));
    TC_TRY(tc_runs_add_table(out, sim->objective, err));
    tc_text_addf(out,
                 "\nkind %d agents %" PRIu64 " trials %" PRIu64 " initial %" PRIu64 " seed %" PRIu64
                 " by_agent %d drop %a past %" PRIu64 " acting %" PRIu64
                 " paired %d epsilon %a delta %a\n",
                 sim->bandit ? 2 : (int)(1 - shape->first), sim->agents, sim->trials,
                 shape->initial, sim->seed, sim->by_agent, sim->drop, sim->past, sim->acting,
                 sim->paired, sim->epsilon, sim->delta);
    if (sim->trustees.count > 0)
        tc_text_addf(out, "trustees %u %u %u %u\n", (unsigned)sim->trustees.count,
                     (unsigned)sim->trustees.degree, (unsigned)sim->trustees.colluding,
                     (unsigned)sim->trustees.dealers);
    if (sim->bandit)
        tc_text_addf(out, "points %zu low %a high %a noise %d scale %a anywhere %d\n", sim->points,
                     sim->low, sim->high, (int)sim->noise, sim->scale, sim->anywhere);
    if (sim->reply)
        tc_text_addf(out, "reply %d epsilon %a from %a to %a\n", (int)sim->reply->kind,
                     sim->reply->epsilon, sim->reply->low, sim->reply->high);
    if (sim->curated)
        TC_TRY(add_json(out, tc_row_terms_json(sim->curated), err));
    if (sim->records)
        tc_record_noise_identify(sim->records, out);
    tc_value_units_identify(&sim->units, out);
    TC_TRY(add_known(out, sim, err));
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}
