/* token_sweep.c - records of tokens that ended a day ago go, a page with each tick.
 *
 * A token that has ended is refused like one that never was, so nothing is lost with its record. For a day lists still show it. A storage may
 * have millions of tokens, those of agents: so a tick looks at one page, and after the last one the next pass
 * begins an hour later. Called by tick.c. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

enum { PAGE = 256, KEEP_MS = 24 * 3600 * 1000, EVERY_MS = 3600 * 1000 };

typedef struct page {
    int64_t before_ms;
    tc_key last, keys[PAGE];
    tc_change changes[PAGE];
    size_t n_seen, n;
} page;

static tacit_status look(void *user, const tc_record *r, tacit_error *err)
{
    page *p = user;
    int64_t expires_ms = 0;
    json_t *j;
    p->n_seen++;
    memcpy(p->last.bytes, r->key, r->key_size);
    p->last.n = r->key_size;
    TC_TRY(tc_json_parse(r->value, r->size, "token", &j, err));
    (void)tc_json_whole(json_object_get(j, "expires_ms"), &expires_ms);
    json_decref(j);
    if (expires_ms <= 0 || expires_ms >= p->before_ms)
        return TACIT_OK;
    p->keys[p->n] = p->last;
    tc_record which = tc_record_of(0, TC_RECORD_TOKEN, &p->keys[p->n]);
    which.version = r->version;
    p->changes[p->n++] = (tc_change){.what = TC_ERASE, .record = which};
    return TACIT_OK;
}

/* Where this process goes on; false: the next pass is not due. */
static bool begin(tc_coord *c, int64_t now, tc_key *after)
{
    pthread_mutex_lock(&c->lock);
    *after = c->tokens_swept;
    bool clock_was_set_back = now + EVERY_MS < c->next_tokens_ms;
    bool due = after->n > 0 || now >= c->next_tokens_ms || clock_was_set_back;
    pthread_mutex_unlock(&c->lock);
    return due;
}

static void note_place(tc_coord *c, int64_t now, const page *p)
{
    pthread_mutex_lock(&c->lock);
    if (p->n_seen == PAGE) {
        c->tokens_swept = p->last;
    } else {
        c->tokens_swept.n = 0;
        c->next_tokens_ms = now + EVERY_MS;
    }
    pthread_mutex_unlock(&c->lock);
}

tacit_status tc_tokens_sweep(tc_coord *c, tacit_error *err)
{
    tc_key after;
    tacit_error why = {0};
    int64_t now = tc_coord_now(c);
    if (!tc_coord_is_sure(c) || !begin(c, now, &after))
        return TACIT_OK;
    page *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    p->before_ms = now - KEEP_MS;
    const tc_record_range range = {
        .kind = TC_RECORD_TOKEN, .after = after.bytes, .after_size = after.n, .most = PAGE};
    tacit_status status = tc_store_record_scan(c->cfg.store, &range, look, p, &why);
    if (status == TACIT_OK && p->n > 0)
        status = tc_store_change(c->cfg.store, p->changes, p->n, NULL, &why);
    if (status == TACIT_OK || status == TACIT_E_CONFLICT) /* somebody else ends or sweeps one */
        note_place(c, now, p);
    tc_free(p);
    return status == TACIT_E_CONFLICT ? TACIT_OK : tc_pass_on(err, status, &why);
}
