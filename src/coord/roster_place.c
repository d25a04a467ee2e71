/* roster_place.c - which place on the roster is free, and how many are taken.
 *
 * A place that is taken stays taken, for revoked agents keep theirs. So a process remembers up to where the
 * roster has no hole, and reads only what came after that: the tail is short, however long the roster. Other
 * processes enrol, too: what is chosen here is a proposal until its record is inserted (roster.c).
 * Called by roster.c and studies.c. */
#include "coord/coord_int.h"
#include "coord/roster.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>

typedef struct tail {
    uint64_t filled; /* all below it are taken */
    uint64_t beyond; /* so many above it */
    uint64_t wish;
    bool wished; /* somebody has it */
} tail;

static tacit_status visit_place(void *user, const tc_record *r, tacit_error *err)
{
    tail *t = user;
    uint64_t place = tc_key_at(r->key, 0);
    (void)err;
    if (place == t->filled)
        t->filled++;
    else
        t->beyond++;
    t->wished |= place == t->wish;
    return TACIT_OK;
}

static tacit_status read_tail(tc_coord *c, tc_open_study *d, tail *t, tacit_error *err)
{
    pthread_mutex_lock(&d->quick);
    t->filled = d->filled;
    pthread_mutex_unlock(&d->quick);
    tc_record_range rest = {.study = d->id, .kind = TC_RECORD_AGENT};
    tc_key last = tc_roster_key(t->filled > 0 ? t->filled - 1 : 0);
    if (t->filled > 0) {
        rest.after = last.bytes;
        rest.after_size = last.n;
    }
    t->wished = t->wish < t->filled;
    TC_TRY(tc_store_record_scan(c->cfg.store, &rest, visit_place, t, err));
    pthread_mutex_lock(&d->quick);
    if (d->filled < t->filled)
        d->filled = t->filled;
    pthread_mutex_unlock(&d->quick);
    return TACIT_OK;
}

tacit_status tc_roster_count(tc_coord *c, tc_open_study *d, uint64_t *out, tacit_error *err)
{
    tail t = {.wish = UINT64_MAX};
    TC_TRY(read_tail(c, d, &t, err));
    *out = t.filled + t.beyond;
    return TACIT_OK;
}

/* What is remembered may outlive an enrolment: a crash of the database's server can take one back before its
 * agent was told of it. So nobody hears that the roster is full before all of it was read. */
static tacit_status read_all(tc_coord *c, tc_open_study *d, tail *t, tacit_error *err)
{
    pthread_mutex_lock(&d->quick);
    d->filled = 0;
    pthread_mutex_unlock(&d->quick);
    *t = (tail){.wish = t->wish};
    return read_tail(c, d, t, err);
}

tacit_status tc_roster_choose(tc_request_context *a, tc_open_study *d, uint64_t *agent,
                              tacit_error *err)
{
    uint64_t agents = d->plan->env.agents;
    int64_t wish;
    bool wishes = tc_json_whole(json_object_get(a->body, "agent"), &wish) && wish >= 0 &&
                  (uint64_t)wish < agents;
    tail t = {.wish = wishes ? (uint64_t)wish : UINT64_MAX};
    TC_TRY(read_tail(a->coord, d, &t, err));
    if (t.filled >= agents)
        TC_TRY(read_all(a->coord, d, &t, err));
    if (t.filled >= agents)
        return tc_refuse(a, 409, TACIT_E_STATE, err, "the roster of %" PRIu64 " agents is full",
                         agents);
    *agent = wishes && !t.wished ? t.wish : t.filled;
    return TACIT_OK;
}
