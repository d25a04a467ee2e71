/* recommend_get.c - the point to take: of a served study one of its trials (served_list.c), of a federated one the
 * common configuration that its releases support.
 *
 * The latter is a function of the study's document and of what was released, which every agent has heard: it costs no
 * privacy, and anybody with the broadcasts could compute it. It takes seconds and much memory where there are many features, so
 * one is computed at a time, and kept until there is another release. */
#include "coord/round.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct releases {
    tc_broadcast *list;
    size_t n;
    tc_arena memory;
} releases;

static tacit_status add(releases *all, uint64_t round, const tc_ledger_receipt *r, tacit_error *err)
{
    uint8_t *bytes = TC_TAKE(&all->memory, r->size > 0 ? r->size : 1, uint8_t);
    if (!bytes)
        return tc_fail_memory(err);
    memcpy(bytes, r->bytes, r->size);
    all->list[all->n++] = (tc_broadcast){.round = round, .bytes = bytes, .size = r->size};
    return TACIT_OK;
}

/* Of this study; the ledger has them in the order of rounds. Under d->lock. */
static tacit_status collect(tc_open_study *d, uint64_t last, releases *all, tacit_error *err)
{
    all->list = TC_TAKE(&all->memory, last + 1, tc_broadcast);
    if (!all->list)
        return tc_fail_memory(err);
    for (uint64_t seq = 1; seq <= last; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(d->ledger, seq, NULL);
        tc_ledger_receipt r;
        if (memcmp(&e->study, &d->hash, sizeof d->hash) != 0)
            continue;
        const uint64_t round = e->round;
        tacit_status status = tc_ledger_find(d->ledger, &d->hash, round, &r, err);
        if (status == TACIT_E_NOT_FOUND) /* it says what was spent, and released nothing */
            continue;
        TC_TRY(status);
        status = add(all, round, &r, err);
        tc_ledger_receipt_fini(&r);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* Unless what is kept is of the ledger as it is now. */
static tacit_status collect_news(tc_request_context *a, tc_open_study *d, releases *all,
                                 uint64_t *last, tacit_error *err)
{
    pthread_mutex_lock(&d->lock);
    tacit_status status = tc_refresh_ledger(a, d, err);
    *last = status == TACIT_OK ? tc_ledger_get_head(d->ledger).seq : 0;
    if (status == TACIT_OK && !(d->advised && d->advised_seq == *last))
        status = collect(d, *last, all, err);
    pthread_mutex_unlock(&d->lock);
    return status;
}

static tacit_status answer(tc_request_context *a, const tc_space *space, const tc_common *c,
                           tacit_error *err)
{
    /* The largest of a function that is noise alone is about 3 standard deviations of it. */
    const char *doubt =
        c->noise_sd == 0
            ? "; the releases have no noise of their own, and how much of the mean is noise in the "
              "agents' values is not known"
        : c->mean < 3 * c->noise_sd
            ? "; but noise alone could be as large, so the point may be no better than any"
            : "";
    char because[320];
    snprintf(because, sizeof because,
             "the mean of %llu release%s is largest there; it is computed from what was released, "
             "which costs no privacy%s",
             (unsigned long long)c->releases, c->releases == 1 ? "" : "s", doubt);
    return tc_answer_json(a, 200,
                          json_pack("{s:s, s:o, s:f, s:f, s:I, s:s}", "by", "released", "params",
                                    tc_space_values_json(space, c->values), "mean", c->mean, "sd",
                                    c->noise_sd, "releases", (json_int_t)c->releases, "because",
                                    because),
                          err);
}

/* As a copy that all who ask are sent. */
static tacit_status keep(tc_request_context *a, tc_open_study *d, uint64_t last, tacit_error *err)
{
    tc_shared_text *mine = tc_shared_text_of(tc_text_take(&a->out->body));
    tacit_status status = tc_answer_shared(a, "application/json", mine, err);
    if (status == TACIT_OK) {
        tc_shared_text_end(d->advised);
        d->advised = tc_shared_text_use(mine);
        d->advised_seq = last;
    }
    tc_shared_text_end(mine);
    return status;
}

/* Under d->advice. */
static tacit_status recommend(tc_request_context *a, tc_open_study *d, releases *all,
                              tacit_error *err)
{
    const tc_study_plan *p = d->plan;
    uint64_t last;
    tc_common c = {.values = TC_TAKE(&all->memory, p->env.space->n_params, double)};
    if (!c.values)
        return tc_fail_memory(err);
    TC_TRY(collect_news(a, d, all, &last, err));
    if (d->advised && d->advised_seq == last)
        return tc_answer_shared(a, "application/json", d->advised, err);
    TC_TRY(p->doc->algorithm->aggregator->recommend(&p->env, p->opts, all->list, all->n, &c, err));
    TC_TRY(answer(a, p->env.space, &c, err));
    return keep(a, d, last, err);
}

static tacit_status recommend_common(tc_request_context *a, tc_open_study *d, tacit_error *err)
{
    const tc_algorithm *algorithm = d->plan->doc->algorithm;
    releases all = {0};
    char by[16] = "";
    TC_TRY(tc_query_text(a->q->query, "by", by, sizeof by, err));
    if (*by)
        return tc_fail(err, TACIT_E_ARG,
                       "by is for served studies, and study \"%s\" is one of a federation",
                       d->name);
    if (!algorithm->aggregator || !algorithm->aggregator->recommend)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s releases no function of the space, so nothing it released supports one "
                       "configuration for all agents; each agent has its own best (tacit best)",
                       algorithm->name);
    pthread_mutex_lock(&d->advice);
    tacit_status status = recommend(a, d, &all, err);
    pthread_mutex_unlock(&d->advice);
    tc_arena_fini(&all.memory);
    return status;
}

tacit_status tc_recommendation_get(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_study(a, &d, err));
    return d->plan ? recommend_common(a, d, err) : tc_served_recommend(a, err);
}
