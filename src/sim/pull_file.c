/* pull_file.c - results of simulations by pulls as CSV and JSON. See pull_file.h. */
#include "sim/pull_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/regret_int.h"

#include <math.h>

/* -- ratios -------------------------------------------------------------------------------- */

static tacit_status compare(const tc_pull_runs_result *a, const tc_pull_runs_result *b,
                            size_t point, double *room, tc_federated_ratio *out, tacit_error *err)
{
    size_t n = (size_t)a->runs;
    for (size_t r = 0; r < n; r++) {
        room[r] = a->regret[r * a->points + point];
        room[n + r] = b->regret[r * b->points + point];
    }
    return tc_paired_compare(room, room + n, n, out, err);
}

static tacit_status fill_rows(const tc_pull_part *parts, size_t n, double *room,
                              tc_pull_contrast *rows, tacit_error *err)
{
    size_t points = parts[0].result->points;
    const size_t at[TC_PULL_CONTRASTS] = {points < 10 ? 0 : points / 10 - 1,
                                          points < 2 ? 0 : points / 2 - 1, points - 1};
    for (size_t k = 0; k < (n - 1) * TC_PULL_CONTRASTS; k++) {
        rows[k].of = 1 + k / TC_PULL_CONTRASTS;
        rows[k].point = at[k % TC_PULL_CONTRASTS];
        TC_TRY(compare(parts[rows[k].of].result, parts[0].result, rows[k].point, room,
                       &rows[k].ratio, err));
    }
    return TACIT_OK;
}

tacit_status tc_pull_contrasts(const tc_pull_part *parts, size_t n, tc_pull_contrast **rows,
                               size_t *n_rows, tacit_error *err)
{
    bool any = parts[0].result->runs > 1 && n > 1;
    tc_pull_contrast *made = tc_alloc(n * TC_PULL_CONTRASTS, sizeof *made);
    double *room = tc_alloc((size_t)parts[0].result->runs, 2 * sizeof *room);
    tacit_status status = made && room ? TACIT_OK : tc_fail_memory(err);
    if (status == TACIT_OK && any)
        status = fill_rows(parts, n, room, made, err);
    tc_free(room);
    if (status != TACIT_OK) {
        tc_free(made);
        return status;
    }
    *rows = made;
    *n_rows = any ? (n - 1) * TC_PULL_CONTRASTS : 0;
    return TACIT_OK;
}

/* -- what was sent ------------------------------------------------------------------------- */

static double mean_of(const uint64_t *v, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (double)v[i];
    return sum / (double)n;
}

tc_pull_talk tc_pull_talk_of(const tc_pull_runs_result *r)
{
    return (tc_pull_talk){mean_of(r->rounds, r->runs), mean_of(r->last_round_at, r->runs),
                          mean_of(r->numbers_up, r->runs), mean_of(r->numbers_down, r->runs)};
}

/* -- CSV ----------------------------------------------------------------------------------- */

static void add_point(tc_text *out, const tc_pull_part *part, size_t i)
{
    const tc_pull_runs *p = part->p;
    tc_text_add_csv(out, part->label);
    tc_text_addf(out, ",%s,", p->bandit->name);
    tc_text_add_csv(out, p->objective);
    tc_text_addf(out, ",%llu,%llu,%llu,%llu,", (unsigned long long)p->clients,
                 (unsigned long long)p->runs, (unsigned long long)p->seed,
                 (unsigned long long)part->result->at[i]);
    tc_text_add_double(out, part->result->mean[i]);
    tc_text_add(out, ",");
    tc_text_add_double(out, part->result->se[i]);
    tc_text_add(out, "\n");
}

void tc_pull_csv(const tc_pull_part *parts, size_t n, tc_text *out)
{
    tc_text_add(out, "label,algorithm,objective,agents,runs,seed,pulls,cumulative_regret_mean,"
                     "cumulative_regret_se\n");
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < parts[k].result->points; i++)
            add_point(out, &parts[k], i);
}

/* -- JSON ---------------------------------------------------------------------------------- */

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *kept(json_t *j, bool good)
{
    if (good)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *rewards_json(const tc_pull_runs *p)
{
    const char *noise = p->noise == TC_REWARD_BERNOULLI ? "bernoulli" : "uniform";
    json_t *j = json_object();
    return kept(j, j && tc_regret_set(j, "low", json_real(p->low)) &&
                       tc_regret_set(j, "high", json_real(p->high)) &&
                       tc_regret_set(j, "noise", json_string(noise)) &&
                       tc_regret_set(j, "scale", json_real(p->scale)));
}

static json_t *talk_json(const tc_pull_runs_result *r)
{
    tc_pull_talk t = tc_pull_talk_of(r);
    json_t *j = json_object();
    return kept(j, j && tc_regret_set(j, "rounds", json_real(t.rounds)) &&
                       tc_regret_set(j, "last_round_at", json_real(t.last_round_at)) &&
                       tc_regret_set(j, "numbers_up", json_real(t.numbers_up)) &&
                       tc_regret_set(j, "numbers_down", json_real(t.numbers_down)));
}

static json_t *pulls_json(const tc_pull_runs_result *r)
{
    json_t *a = json_array();
    bool good = a != NULL;
    for (size_t i = 0; good && i < r->points; i++)
        good = json_array_append_new(a, count(r->at[i])) == 0;
    return kept(a, good);
}

static json_t *by_run_json(const tc_pull_runs_result *r)
{
    json_t *a = json_array(), *j = json_object();
    bool good = a != NULL;
    for (size_t k = 0; good && k < r->runs; k++)
        good = json_array_append_new(a, json_real(r->regret[(k + 1) * r->points - 1])) == 0;
    if (!good || !j) {
        json_decref(a);
        json_decref(j);
        return NULL;
    }
    return kept(j, tc_regret_set(j, "cumulative_regret", a));
}

static bool fill_plan(json_t *j, const tc_pull_part *part)
{
    const tc_pull_runs *p = part->p;
    return tc_regret_set(j, "label", json_string(part->label)) &&
           tc_regret_set(j, "algorithm", json_string(p->bandit->name)) &&
           tc_regret_set(j, "objective", json_string(p->objective)) &&
           tc_regret_set(j, "agents", count(p->clients)) &&
           tc_regret_set(j, "runs", count(p->runs)) &&
           tc_regret_set(j, "budget", count(p->budget)) &&
           tc_regret_set(j, "seed", count(p->seed)) &&
           tc_regret_set(j, "options", json_deep_copy(p->options)) &&
           tc_regret_set(j, "objective_options", tc_options_json(tc_family_options, &p->family)) &&
           tc_regret_set(j, "rewards", rewards_json(p));
}

static json_t *part_json(const tc_pull_part *part)
{
    const tc_pull_runs_result *r = part->result;
    double speed = r->pulls ? (double)r->pulls / r->seconds : NAN;
    json_t *j = json_object();
    return kept(j, j && fill_plan(j, part) && tc_regret_set(j, "pulls", pulls_json(r)) &&
                       tc_regret_set(j, "cumulative_regret",
                                     tc_regret_moments(r->points, r->mean, r->se)) &&
                       tc_regret_set(j, "by_run", by_run_json(r)) &&
                       tc_regret_set(j, "communication", talk_json(r)) &&
                       tc_regret_set(j, "seconds", json_real(r->seconds)) &&
                       tc_regret_set(j, "pulls_per_second", number(speed)));
}

static json_t *row_json(const tc_pull_part *parts, const tc_pull_contrast *row)
{
    const tc_federated_ratio *q = &row->ratio;
    json_t *j = json_object();
    return kept(j, j && tc_regret_set(j, "label", json_string(parts[row->of].label)) &&
                       tc_regret_set(j, "over", json_string(parts[0].label)) &&
                       tc_regret_set(j, "pulls", count(parts[0].result->at[row->point])) &&
                       tc_regret_set(j, "ratio", number(q->ratio)) &&
                       tc_regret_set(j, "low", number(q->low)) &&
                       tc_regret_set(j, "high", number(q->high)) &&
                       tc_regret_set(j, "p", number(q->p)));
}

static json_t *comparison_json(const tc_pull_part *parts, size_t n, const tc_pull_contrast *rows,
                               size_t n_rows)
{
    json_t *results = json_array(), *ratios = json_array(), *j = json_object();
    bool good = results && ratios && j && json_object_set(j, "results", results) == 0 &&
                json_object_set(j, "ratios", ratios) == 0;
    for (size_t i = 0; good && i < n; i++)
        good = json_array_append_new(results, part_json(&parts[i])) == 0;
    for (size_t i = 0; good && i < n_rows; i++)
        good = json_array_append_new(ratios, row_json(parts, &rows[i])) == 0;
    json_decref(results);
    json_decref(ratios);
    return kept(j, good);
}

tacit_status tc_pull_json(const tc_pull_part *parts, size_t n, json_t **out, tacit_error *err)
{
    tc_pull_contrast *rows;
    size_t n_rows;
    TC_TRY(tc_pull_contrasts(parts, n, &rows, &n_rows, err));
    json_t *j = n > 1 ? comparison_json(parts, n, rows, n_rows) : part_json(&parts[0]);
    tc_free(rows);
    if (!j)
        return tc_fail_memory(err);
    *out = j;
    return TACIT_OK;
}
