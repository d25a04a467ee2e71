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

uint64_t tc_served_planned(const tc_optimizer *o, const tc_study_doc *doc)
{
    const tc_domain *rows = doc->space->domain;
    return rows && asks_once(o) && rows->n < doc->trials ? rows->n : doc->trials;
}

void tc_served_say(tc_coord *c, const tc_open_study *d, const tc_study_doc *doc, uint64_t trial,
                   tc_trial_state state, const double *value)
{
    if (tc_algorithm_takes_replies(doc->algorithm))
        return;
    tc_coord_say(c, d->name, &d->hash,
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
    *out = tc_ask_text(a, "worker");
    return check_worker("worker", *out, err);
}

/* Whoever lets short leases run out, and asks again, writes to the journal each time. */
static int64_t read_lease(const tc_request_context *a)
{
    int64_t ms = (int64_t)(tc_ask_real(a, "lease_s") * 1000 + 0.5);
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

static tacit_status add(asking *s, uint64_t number, const double *values, uint64_t pulls,
                        tacit_error *err)
{
    json_t *j = json_pack("{s:I, s:o, s:I}", "trial", (json_int_t)number, "params",
                          tc_space_values_json(s->doc->space, values), "pulls", (json_int_t)pulls);
    s->bytes += j ? tc_served_size(j) : 0;
    return json_array_append_new(s->trials, j) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* Fewer than it asked for, where so many would be too long an answer: it asks again. */
static bool is_full(const asking *s)
{
    return json_array_size(s->trials) >= s->count || s->bytes >= TC_ANSWER_MOST;
}

static bool is_mine(const asking *s, const tc_trial *t)
{
    return t && t->state == TC_TRIAL_RUNNING && t->worker && strcmp(t->worker, s->req.worker) == 0;
}

/* The first trial from *number on that this worker runs; *found false: there is none. */
static tacit_status find_mine(asking *s, uint64_t *number, bool *found, tacit_error *err)
{
    const tc_optimizer *o;
    *found = false;
    TC_TRY(tc_study_look_on(s->study, &s->reading, &o, err));
    bool any = tc_optimizer_count(o, TC_TRIAL_RUNNING) > 0;
    for (; any && !*found && *number < tc_optimizer_trials(o); ++*number)
        *found = is_mine(s, tc_optimizer_trial(o, *number));
    if (*found)
        --*number;
    tc_study_unlook(s->study);
    return TACIT_OK;
}

static tacit_status add_mine(asking *s, uint64_t number, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look_on(s->study, &s->reading, &o, err));
    const tc_trial *t = tc_optimizer_trial(o, number);
    tacit_status status = is_mine(s, t) ? add(s, number, t->values, t->pulls, err) : TACIT_OK;
    tc_study_unlook(s->study);
    return status;
}

/* A worker that comes back, after a crash or because an answer was lost, gets what it had, and its time
 * begins anew. What it loses meanwhile is not given back. */
static tacit_status give_back(asking *s, tacit_error *err)
{
    uint64_t number = 0;
    bool found = true;
    while (!is_full(s)) {
        int64_t until;
        TC_TRY(find_mine(s, &number, &found, err));
        if (!found)
            return TACIT_OK;
        tacit_status status =
            tc_study_extend(s->study, number, s->req.worker, s->req.lease_ms, &until, err);
        if (status == TACIT_OK)
            status = add_mine(s, number, err);
        if (status != TACIT_OK && status != TACIT_E_STATE)
            return status;
        number++;
    }
    return TACIT_OK;
}

static tacit_status ask_one(asking *s, double *values, tacit_error *err)
{
    uint64_t number, pulls;
    TC_TRY(tc_study_ask_batch(s->study, &s->req, &s->reading, &number, values, &pulls, err));
    tc_served_say(s->ask->coord, s->open, s->doc, number, TC_TRIAL_RUNNING, NULL);
    return add(s, number, values, pulls > 1 ? pulls : 1, err);
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
    const char *from = tc_ask_text(s->ask, "from");
    if (!from != !json_object_get(s->ask->body, "trial"))
        return tc_fail(err, TACIT_E_ARG,
                       "from and trial come together: whose trial, and which one");
    s->from = from;
    s->wanted = (uint64_t)tc_ask_whole(s->ask, "trial");
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

/* What a worker that is gone had, now under the name of this one. Asked again: its own by then. */
static tacit_status take_over(asking *s, tacit_error *err)
{
    uint64_t number = s->wanted;
    bool mine;
    TC_TRY(find_mine(s, &number, &mine, err));
    mine = mine && number == s->wanted;
    if (!mine)
        TC_TRY(count_claim(s, err));
    tc_claim claim = {.from = s->from, .to = s->req.worker, .lease_ms = s->req.lease_ms};
    int64_t until;
    TC_TRY(mine ? tc_study_extend(s->study, s->wanted, claim.to, claim.lease_ms, &until, err)
                : tc_study_reclaim(s->study, s->wanted, &claim, err));
    return add_mine(s, s->wanted, err);
}

static tacit_status read_asking(asking *s, tacit_error *err)
{
    const tc_request_context *a = s->ask;
    const tc_optimizer *o;
    TC_TRY(read_worker(a, &s->req.worker, err));
    TC_TRY(read_from(s, err));
    TC_TRY(tc_open_study_served(a->coord, s->open, &s->study, err));
    s->doc = tc_study_document(s->study);
    s->count = (size_t)tc_ask_whole(a, "count");
    s->req.lease_ms = read_lease(a);
    s->req.pulls = (uint64_t)tc_ask_whole(a, "pulls");
    TC_TRY(tc_study_look_on(s->study, &s->reading, &o, err));
    s->req.planned = tc_served_planned(o, s->doc);
    tc_study_unlook(s->study);
    return TACIT_OK;
}

tacit_status tc_served_suggest(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_ask_served(a, &d, err));
    asking s = {.ask = a, .open = d, .trials = json_array()};
    uint64_t version;
    tacit_status status = s.trials ? read_asking(&s, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_state_running(a->coord, d->id, &version, err);
    if (status == TACIT_OK)
        status = s.from ? take_over(&s, err) : give_back(&s, err);
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
    TC_TRY(tc_ask_served(a, &d, err));
    tc_study *study;
    const char *worker;
    uint64_t trial;
    int64_t until;
    TC_TRY(tc_ask_number(a, 1, "trial", &trial, err));
    TC_TRY(read_worker(a, &worker, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(tc_study_extend(study, trial, worker, read_lease(a), &until, err));
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:o}", "trial", (json_int_t)trial, "lease_until_ms",
                                    until > 0 ? json_integer((json_int_t)until) : json_null()),
                          err);
}

/* ---- taken back ---- */

tacit_status tc_served_requeue(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_ask_served(a, &d, err));
    tc_study *study;
    uint64_t trial;
    TC_TRY(tc_ask_number(a, 1, "trial", &trial, err));
    TC_TRY(tc_state_open(a->coord, d->id, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    const tc_act act = tc_act_of("trial.release", d, "trial %" PRIu64, trial);
    TC_TRY(tc_act_begin(a->coord, &a->caller, &act, err));
    tacit_status status = tc_study_requeue(study, trial, err);
    tc_act_end(a->coord, &a->caller, &act, status);
    TC_TRY(status);
    a->already = true; /* it may have been stale before */
    tc_served_say(a->coord, d, tc_study_document(study), trial, TC_TRIAL_STALE, NULL);
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:s}", "trial", (json_int_t)trial, "state",
                                    tc_trial_state_name(TC_TRIAL_STALE)),
                          err);
}

/* ---- points of one's own ---- */

/* Others may enqueue at the same time: then there are a few trials more than were planned. */
static tacit_status check_room(tc_study *study, tacit_error *err)
{
    const tc_optimizer *o;
    uint64_t pulls = 0;
    TC_TRY(tc_study_look(study, &o, err));
    uint64_t planned = tc_served_planned(o, tc_study_document(study));
    for (int state = TC_TRIAL_WAITING; state <= TC_TRIAL_STALE; state++)
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
    TC_TRY(tc_ask_served(a, &d, err));
    tc_study *study;
    uint64_t trial, version;
    TC_TRY(tc_state_running(a->coord, d->id, &version, err));
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    TC_TRY(put_point(a, study, &trial, err));
    tc_served_say(a->coord, d, tc_study_document(study), trial, TC_TRIAL_WAITING, NULL);
    return tc_answer_json(a, 201,
                          json_pack("{s:I, s:s}", "trial", (json_int_t)trial, "state",
                                    tc_trial_state_name(TC_TRIAL_WAITING)),
                          err);
}
