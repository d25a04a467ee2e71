/* audited.c - the operator's log: entries with their author, and reading it (audited.h). */
#include "coord/audited.h"
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "study/audit.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 100, PAGE_MOST = 1000, LOOK_BACK = 64, AGAIN_MS = 3600 * 1000 };

tc_act tc_act_of(const char *action, const tc_open_study *d, const char *fmt, ...)
{
    tc_act act = {.action = action, .open = d};
    va_list args;
    va_start(args, fmt);
    vsnprintf(act.detail, sizeof act.detail, fmt, args);
    va_end(args);
    return act;
}

/* ---- entries ---- */

/* An entry, with what it points at. */
typedef struct written {
    tc_audit_entry entry;
    char token[TC_TOKEN_ID], of[TC_AUDIT_HEX];
} written;

static void write_entry(written *w, const tc_coord *c, const tc_caller *who, const tc_act *act,
                        const char *outcome)
{
    bool holds = !who || !who->record; /* a request of whoever holds the storage has no token */
    const char *name = holds ? NULL : json_string_value(json_object_get(who->record, "name"));
    *w = (written){.entry = {.at_ms = tc_coord_now(c),
                             .role = holds ? "storage" : tc_role_name(who->role),
                             .name = name ? name : "",
                             .action = act->action,
                             .outcome = outcome,
                             .study = act->open    ? act->open->name
                                      : act->study ? act->study
                                                   : "",
                             .detail = act->detail}};
    if (!holds)
        tc_token_id(&who->token, w->token);
    if (act->open)
        sodium_bin2hex(w->of, sizeof w->of, act->open->hash.bytes, sizeof act->open->hash.bytes);
    w->entry.token = w->token;
    w->entry.of = w->of;
}

tacit_status tc_changes_log(tc_coord *c, const tc_caller *who, tc_changes *changes,
                            tacit_status so_far, const tc_act *act, size_t *refused,
                            tacit_error *err)
{
    written w;
    tacit_status status = so_far;
    write_entry(&w, c, who, act, "done");
    if (status == TACIT_OK)
        status = changes->failed ? tc_fail_memory(err)
                                 : tc_audit_change(c->cfg.store, changes->list, changes->n,
                                                   &w.entry, refused, err);
    tc_changes_fini(changes);
    return status;
}

tacit_status tc_act_begin(tc_coord *c, const tc_caller *who, const tc_act *act, tacit_error *err)
{
    written w;
    write_entry(&w, c, who, act, "begun");
    return tc_audit_change(c->cfg.store, NULL, 0, &w.entry, NULL, err);
}

/* That it was begun is in the log, and what came of it is in the storage. */
void tc_act_end(tc_coord *c, const tc_caller *who, const tc_act *act, tacit_status status)
{
    written w;
    tacit_error why = {0};
    write_entry(&w, c, who, act, status == TACIT_OK ? "done" : "failed");
    if (tc_audit_change(c->cfg.store, NULL, 0, &w.entry, NULL, &why) != TACIT_OK)
        tc_log(TC_LOG_WARN, "what came of %s is not in the operator's log: %s", act->action,
               why.msg);
}

/* ---- downloads ---- */

typedef struct search {
    const tc_audit_entry *wanted;
    bool found;
} search;

static bool is_text(const json_t *e, const char *key, const char *text)
{
    const char *there = json_string_value(json_object_get(e, key));
    return there && strcmp(there, text) == 0;
}

static tacit_status look_at(void *user, const json_t *e, tacit_error *err)
{
    search *s = user;
    int64_t at_ms = 0;
    (void)err;
    (void)tc_json_whole(json_object_get(e, "at_ms"), &at_ms);
    int64_t ago = s->wanted->at_ms - at_ms;
    s->found |= is_text(e, "action", s->wanted->action) && is_text(e, "role", s->wanted->role) &&
                is_text(e, "token", s->wanted->token) && is_text(e, "of", s->wanted->of) &&
                ago >= 0 && ago < AGAIN_MS;
    return TACIT_OK;
}

/* A program that reads it every second must not fill the log: among the last entries there is one already. */
tacit_status tc_act_download(tc_request_context *a, const tc_act *act, tacit_error *err)
{
    written w;
    tc_audit_head head;
    search s = {.wanted = &w.entry};
    if (a->caller.role != TC_ROLE_OPERATOR && a->caller.role != TC_ROLE_VIEWER)
        return TACIT_OK;
    write_entry(&w, a->coord, &a->caller, act, "done");
    TC_TRY(tc_audit_head_get(a->coord->cfg.store, &head, err));
    uint64_t after = head.seq > LOOK_BACK ? head.seq - LOOK_BACK : 0;
    TC_TRY(tc_audit_scan(a->coord->cfg.store, after, LOOK_BACK, look_at, &s, err));
    return s.found ? TACIT_OK : tc_audit_change(a->coord->cfg.store, NULL, 0, &w.entry, NULL, err);
}

/* ---- reading it ---- */

typedef struct page {
    json_t *list;
    uint64_t most, last;
    bool more;
} page;

static tacit_status add_entry(void *user, const json_t *e, tacit_error *err)
{
    page *p = user;
    p->more = json_array_size(p->list) == p->most;
    if (p->more)
        return TACIT_OK;
    p->last = (uint64_t)json_integer_value(json_object_get(e, "seq"));
    return json_array_append(p->list, (json_t *)(uintptr_t)e) == 0 ? TACIT_OK : tc_fail_memory(err);
}

/* The head is read first: entries that come meanwhile are on a later page. */
tacit_status tc_audit_get(tc_request_context *a, tacit_error *err)
{
    const tc_act act = tc_act_of("audit.download", NULL, "%s", "");
    page p = {.most = PAGE};
    tc_audit_head head;
    uint64_t after = 0;
    TC_TRY(tc_query_number(a->q->query, "after", 0, INT64_MAX, &after, err));
    TC_TRY(tc_query_number(a->q->query, "limit", 1, PAGE_MOST, &p.most, err));
    TC_TRY(tc_act_download(a, &act, err));
    TC_TRY(tc_audit_head_get(a->coord->cfg.store, &head, err));
    p.list = json_array();
    if (!p.list)
        return tc_fail_memory(err);
    tacit_status status = tc_audit_scan(a->coord->cfg.store, after, p.most + 1, add_entry, &p, err);
    if (status != TACIT_OK) {
        json_decref(p.list);
        return status;
    }
    return tc_answer_json(a, 200,
                          json_pack("{s:o, s:{s:I, s:s}, s:o}", "entries", p.list, "head", "seq",
                                    (json_int_t)head.seq, "hash", head.hash, "next",
                                    p.more ? json_integer((json_int_t)p.last) : json_null()),
                          err);
}
