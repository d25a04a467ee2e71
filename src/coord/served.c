/* served.c - workers of a served study ask for trials, and say that they are still at it.
 *
 * Everything about trials is in study/study.h: no two workers share one, in however many processes they
 * ask. Here are requests: who asks, for how many, for how long. README.md, "Served studies". */
#include "coord/audited.h"
#include "coord/served.h"
#include "coord/events.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { CLAIMS = 100, CLAIM_MS = 1000, LEASE_LEAST_MS = 10000 };

/* ---- for all of them ---- */

/* Some algorithms never ask a candidate twice, and say so. */
static bool asks_once(const tc_optimizer *o)
{
    const tc_option *repeat = tc_options_find(tc_optimizer_algorithm(o)->options, "repeat");
    const char *opts = tc_optimizer_options(o);
    return repeat && repeat->type == TC_OPTION_BOOL && !*(const bool *)(opts + repeat->offset);
}

/* Pulls that a study has planned; where no candidate is asked twice, no more than there are. */
static uint64_t planned_pulls(const tc_optimizer *o, const tc_study_doc *doc)
{
    const tc_domain *rows = doc->space->domain;
    return rows && asks_once(o) && rows->n < doc->trials ? rows->n : doc->trials;
}

void tc_emit_trial(tc_coord *c, const tc_open_study *d, const tc_study_doc *doc, uint64_t trial,
                   tc_trial_state state, const double *value)
{
    if (tc_algorithm_takes_replies(doc->algorithm))
        return;
    tc_emit_event(c, d->name, &d->hash,
                  json_pack("{s:s, s:I, s:s, s:o}", "event", "trial", "trial", (json_int_t)trial,
                            "state", tc_trial_state_name(state), "value",
                            value ? json_real(*value) : json_null()));
}

static tacit_status check_worker(const char *field, const char *worker, tacit_error *err)
{
    for (size_t i = 0; worker[i]; i++)
        if (worker[i] < ' ' || worker[i] > '~')
            return tc_fail(err, TACIT_E_ARG,
                           "%s must be printable characters of ASCII, got byte 0x%02x at %zu",
                           field, (unsigned)(unsigned char)worker[i], i + 1);
    return TACIT_OK;
}

static tacit_status read_worker(const tc_request_context *a, const char **out, tacit_error *err)
{
    *out = tc_request_text(a, "worker");
    return check_worker("worker", *out, err);
}

/* A worker that lets short leases run out, and asks again, writes to the journal each time. */
static int64_t read_lease(const tc_request_context *a)
{
    int64_t ms = (int64_t)(tc_request_real(a, "lease_s") * 1000 + 0.5);
    return ms < LEASE_LEAST_MS ? LEASE_LEAST_MS : ms;
}

/* ---- asking ---- */

typedef struct asking {
    tc_request_context *ask;
    tc_open_study *open;
    tc_study *study;
    const tc_study_doc *doc;
    tc_ask_request req;
    tc_reading reading; /* of the journal, for all steps until a trial is given out */
    size_t count;
    const char *from; /* whose trial it wants; NULL: any */
    uint64_t wanted;  /* which one, then */
    json_t *trials;   /* so far ... */
    size_t bytes;     /* ... and as text */
} asking;

static tacit_status add(asking *s, const tc_handed *t, const double *values, tacit_error *err)
{
    json_t *j =
        json_pack("{s:I, s:o, s:I, s:I}", "trial", (json_int_t)t->trial, "params",
                  tc_space_values_json(s->doc->space, values), "pulls",
                  (json_int_t)(t->pulls > 1 ? t->pulls : 1), "attempt", (json_int_t)t->attempt);
    s->bytes += j ? tc_served_size(j) : 0;
    return json_array_append_new(s->trials, j) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* Fewer than it asked for, where so many would be too long an answer: it asks again. */
static bool is_full(const asking *s)
{
    return json_array_size(s->trials) >= s->count || s->bytes >= TC_ANSWER_MOST;
}

static tacit_status give(void *user, const tc_trial *t, bool *more, tacit_error *err)
{
    asking *s = user;
    const tc_handed again = {.trial = t->number, .pulls = t->pulls, .attempt = t->attempt};
    TC_TRY(add(s, &again, t->values, err));
    *more = !is_full(s);
    return TACIT_OK;
}

static tacit_status ask_one(asking *s, double *values, tacit_error *err)
{
    tc_handed t;
    TC_TRY(tc_study_ask_batch(s->study, &s->req, &s->reading, &t, values, err));
    tc_emit_trial(s->ask->coord, s->open, s->doc, t.trial, TC_TRIAL_RUNNING, NULL);
    return add(s, &t, values, err);
}

/* Fewer than were asked for, where fewer are left. */
static tacit_status ask_more(asking *s, tacit_error *err)
{
    double *values = tc_alloc(s->doc->space->n_params, sizeof *values);
    tacit_status status = values ? TACIT_OK : tc_fail_memory(err);
    while (status == TACIT_OK && !is_full(s))
        status = ask_one(s, values, err);
    tc_free(values);
    return status == TACIT_E_BUDGET && json_array_size(s->trials) > 0 ? TACIT_OK : status;
}

/* ---- taking over ---- */

static tacit_status read_from(asking *s, tacit_error *err)
{
    const char *from = tc_request_text(s->ask, "from");
    if (!from != !json_object_get(s->ask->body, "trial"))
        return tc_fail(err, TACIT_E_ARG,
                       "from and trial come together: whose trial, and which one");
    s->from = from;
    s->wanted = (uint64_t)tc_request_whole(s->ask, "trial");
    return from ? check_worker("from", from, err) : TACIT_OK;
}

/* Take-overs write to the journal and need no new trial: so many at once, and then one a second. */
static tacit_status count_claim(asking *s, tacit_error *err)
{
    tc_open_study *d = s->open;
    int64_t now = tc_coord_now(s->ask->coord);
    pthread_mutex_lock(&d->quick);
    if (d->claims_ms < now - CLAIMS * CLAIM_MS)
        d->claims_ms = now - CLAIMS * CLAIM_MS;
    if (d->claims_ms > now) /* the clock was set back: one now, and one a second */
        d->claims_ms = now - CLAIM_MS;
    bool room = d->claims_ms + CLAIM_MS <= now;
    if (room)
        d->claims_ms += CLAIM_MS;
    pthread_mutex_unlock(&d->quick);
    return room ? TACIT_OK
                : tc_refuse(s->ask, 503, TACIT_E_BUSY, err,
                            "too many trials of study \"%s\" were taken over just now; ask again "
                            "in a second",
                            d->name);
}

/* Gives the trial of a worker that is gone to this one. If the request is repeated, the trial is its own by then. */
static tacit_status take_over(asking *s, tacit_error *err)
{
    const tc_claim claim = {.from = s->from, .to = s->req.worker, .lease_ms = s->req.lease_ms};
    bool more;
    tacit_error why = {0};
    tacit_status status = tc_study_resume(s->study, s->wanted, claim.to, claim.lease_ms, &why);
    if (status == TACIT_E_STATE) {
        TC_TRY(count_claim(s, err));
        TC_TRY(tc_study_reclaim(s->study, s->wanted, &claim, err));
    } else {
        TC_TRY(tc_pass_on(err, status, &why));
    }
    return tc_study_take(s->study, claim.to, s->wanted, give, s, &more, err);
}

static tacit_status read_asking(asking *s, tacit_error *err)
{
    const tc_request_context *a = s->ask;
    const tc_optimizer *o;
    TC_TRY(read_worker(a, &s->req.worker, err));
    TC_TRY(read_from(s, err));
    TC_TRY(tc_open_study_served(a->coord, s->open, &s->study, err));
    s->doc = tc_study_document(s->study);
    s->count = (size_t)tc_request_whole(a, "count");
    s->req.lease_ms = read_lease(a);
    s->req.pulls = (uint64_t)tc_request_whole(a, "pulls");
    TC_TRY(tc_study_look_on(s->study, &s->reading, &o, err));
    s->req.planned = planned_pulls(o, s->doc);
    tc_study_unlook(s->study);
    return TACIT_OK;
}

tacit_status tc_served_suggest(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    asking s = {.ask = a, .open = d, .trials = json_array()};
    uint64_t version;
    tacit_status status = s.trials ? read_asking(&s, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_state_running(a->coord, d->id, &version, err);
    if (status == TACIT_OK && s.from)
        status = take_over(&s, err);
    /* A worker that comes back, after a crash or because an answer was lost, gets what it had, and its time begins
     * anew. Then it gets new trials, up to as many as it asked for. */
    if (status == TACIT_OK && !s.from)
        status = tc_study_give_back(s.study, &s.req, &s.reading, give, &s, err);
    if (status == TACIT_OK && !s.from)
        status = ask_more(&s, err);
    a->already = true; /* a worker outlives this machine: what it works on must be on disk */
    if (status == TACIT_OK)
        return tc_answer_json(a, 200, json_pack("{s:o}", "trials", s.trials), err);
    json_decref(s.trials);
    return status;
}

/* ---- still at it ---- */

tacit_status tc_served_heartbeat(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    const char *worker;
    uint64_t trial;
    int64_t until;
    TC_TRY(tc_request_number(a, 1, "trial", &trial, err));
    TC_TRY(read_worker(a, &worker, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(tc_study_extend(study, trial, worker, read_lease(a), &until, err));
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:o}", "trial", (json_int_t)trial, "lease_until_ms",
                                    until > 0 ? json_integer((json_int_t)until) : json_null()),
                          err);
}

/* ---- taken back, or out ---- */

typedef tacit_status (*order)(tc_study *s, uint64_t trial, tacit_error *err);

/* What an operator does with one trial, once or twice: it may have been in that state before. */
static tacit_status bring_to(tc_request_context *a, const char *name, order what,
                             tc_trial_state state, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    uint64_t trial;
    TC_TRY(tc_request_number(a, 1, "trial", &trial, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    const tc_act act = tc_act_of(name, d, "trial %" PRIu64, trial);
    TC_TRY(tc_act_begin(a->coord, &a->caller, &act, err));
    tacit_status status = what(study, trial, err);
    tc_act_end(a->coord, &a->caller, &act, status);
    TC_TRY(status);
    a->already = true;
    tc_emit_trial(a->coord, d, tc_study_document(study), trial, state, NULL);
    return tc_answer_json(
        a, 200,
        json_pack("{s:I, s:s}", "trial", (json_int_t)trial, "state", tc_trial_state_name(state)),
        err);
}

tacit_status tc_served_requeue(tc_request_context *a, tacit_error *err)
{
    return bring_to(a, "trial.release", tc_study_requeue, TC_TRIAL_STALE, err);
}

tacit_status tc_served_delete_trial(tc_request_context *a, tacit_error *err)
{
    return bring_to(a, "trial.delete", tc_study_delete_trial, TC_TRIAL_DELETED, err);
}

/* ---- points of one's own ---- */

/* Others may enqueue at the same time: then there are a few trials more than were planned. */
static tacit_status check_room(tc_study *study, tacit_error *err)
{
    const tc_optimizer *o;
    uint64_t pulls = 0;
    TC_TRY(tc_study_look(study, &o, err));
    uint64_t planned = planned_pulls(o, tc_study_document(study));
    for (int state = TC_TRIAL_WAITING; state <= TC_TRIAL_PRUNED; state++)
        pulls += tc_optimizer_pulls(o, (tc_trial_state)state);
    tc_study_unlook(study);
    return pulls < planned ? TACIT_OK
                           : tc_fail(err, TACIT_E_BUDGET,
                                     "all %" PRIu64 " trials that were planned are there", planned);
}

static tacit_status put_point(tc_request_context *a, tc_study *study, uint64_t *trial,
                              tacit_error *err)
{
    const tc_space *space = tc_study_document(study)->space;
    double *values = tc_alloc(space->n_params, sizeof *values);
    if (!values)
        return tc_fail_memory(err);
    tacit_status status =
        tc_space_values_from_json(space, json_object_get(a->body, "params"), values, err);
    if (status == TACIT_OK)
        status = check_room(study, err);
    if (status == TACIT_OK)
        status = tc_study_enqueue(study, values, trial, err);
    tc_free(values);
    return status;
}

tacit_status tc_served_enqueue(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    uint64_t trial, version;
    TC_TRY(tc_state_running(a->coord, d->id, &version, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(put_point(a, study, &trial, err));
    tc_emit_trial(a->coord, d, tc_study_document(study), trial, TC_TRIAL_WAITING, NULL);
    return tc_answer_json(a, 201,
                          json_pack("{s:I, s:s}", "trial", (json_int_t)trial, "state",
                                    tc_trial_state_name(TC_TRIAL_WAITING)),
                          err);
}
