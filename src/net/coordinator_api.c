/* coordinator_api.c - <tacit/coordinator.h>: a store, a coordinator and a server behind public handles.
 *
 * Thin: the coordinator is coord/, the server is server.c. */
#include <tacit/coordinator.h>

#include "base/api.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/address.h"
#include "net/coordinator_api.h"
#include "net/owner.h"
#include "net/server.h"
#include "wire/protocol.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define EXPIRES_MOST_S 1e9 /* of a token, as in the table of the protocol */

static TC_SIZED(sized_opts, tacit_coordinator_opts, test_seed, test_seed);
static TC_SIZED(sized_request, tacit_request, body_size, as_operator);
static TC_SIZED(sized_server_opts, tacit_server_opts, answers_most, key);

struct tacit_coordinator {
    tc_store *store;
    tc_coord *coord;
};

tc_coord *tc_coordinator_get(tacit_coordinator *c)
{
    return c->coord;
}

/* ---- opening ---- */

void tacit_coordinator_close(tacit_coordinator *c)
{
    if (!c)
        return;
    tc_coord_free(c->coord);
    tc_store_close(c->store);
    tc_free(c);
}

static tacit_status open_store(tacit_coordinator *c, const tacit_coordinator_opts *o,
                               tacit_error *err)
{
    tc_coord_config cfg = {.seeded = o->test_seed >= 0, .seed = (uint64_t)o->test_seed};
    TC_TRY(tc_store_open(&c->store, o->storage, true, err));
    TC_TRY(tc_owner_coordinator(c->store, err));
    cfg.store = c->store;
    return tc_coord_new(&c->coord, &cfg, err);
}

tacit_status tacit_coordinator_open(tacit_coordinator **out, const tacit_coordinator_opts *opts,
                                    tacit_error *err)
{
    tacit_coordinator_opts o;
    TC_GIVEN(out);
    TC_TRY(tc_sized_take(&sized_opts, &o, opts, "opts", err));
    if (!o.storage)
        return tc_fail(err, TACIT_E_ARG, "opts.storage is missing: the URL of a storage");
    tacit_coordinator *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    tacit_status status = open_store(c, &o, err);
    if (status == TACIT_OK)
        *out = c;
    else
        tacit_coordinator_close(c);
    return status;
}

/* ---- the operator's ---- */

tacit_status tacit_coordinator_create(tacit_coordinator *c, const char *document, tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(document);
    return tc_coord_create(c->coord, document, err);
}

/* Hands the text over, and leaves no copy of a secret. */
static tacit_status give(tacit_status status, tc_text *text, char **out, tacit_error *err)
{
    if (status == TACIT_OK)
        return tc_text_hand_out(text, out, err);
    if (text->data)
        sodium_memzero(text->data, text->len);
    tc_text_fini(text);
    return status;
}

static tacit_status invite(tacit_coordinator *c, const char *study, bool trustees, uint64_t uses,
                           double expires_s, char **token, tacit_error *err)
{
    tc_text text = {0};
    TC_GIVEN(c);
    TC_GIVEN(study);
    TC_GIVEN(token);
    if (!(expires_s >= 0 && expires_s <= EXPIRES_MOST_S))
        return tc_fail(err, TACIT_E_ARG, "expires_s must be in [0, %g], got %g", EXPIRES_MOST_S,
                       expires_s);
    return give(tc_coord_invite(c->coord, study, trustees, uses, expires_s, &text, err), &text,
                token, err);
}

tacit_status tacit_coordinator_invite(tacit_coordinator *c, const char *study, uint64_t uses,
                                      double expires_s, char **token, tacit_error *err)
{
    return invite(c, study, false, uses, expires_s, token, err);
}

tacit_status tacit_coordinator_invite_trustees(tacit_coordinator *c, const char *study,
                                               uint64_t uses, double expires_s, char **token,
                                               tacit_error *err)
{
    return invite(c, study, true, uses, expires_s, token, err);
}

tacit_status tacit_coordinator_operator_token(tacit_coordinator *c, bool another, char **token,
                                              tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(token);
    tc_text text = {0};
    bool made = true;
    tacit_status status = another ? tc_coord_new_operator_token(c->coord, &text, err)
                                  : tc_coord_operator_token(c->coord, &text, &made, err);
    if (status == TACIT_OK && !made) {
        tc_text_fini(&text);
        *token = NULL;
        return TACIT_OK;
    }
    return give(status, &text, token, err);
}

tacit_status tacit_coordinator_tick(tacit_coordinator *c, int64_t *next_ms, tacit_error *err)
{
    TC_GIVEN(c);
    int64_t next;
    tc_coord_keep_time(c->coord);
    TC_TRY(tc_coord_tick(c->coord, &next, err));
    if (next_ms)
        *next_ms = next;
    return TACIT_OK;
}

/* ---- requests ---- */

struct tacit_response {
    tc_response of;
    tc_protocols_text protocol;
};

static tc_request request_of(const tacit_request *q)
{
    return (tc_request){.method = q->method,
                        .path = q->path,
                        .query = q->query,
                        .protocol = q->protocol,
                        .bearer = q->bearer,
                        .signature = q->signature,
                        .idempotency = q->idempotency,
                        .body = q->body,
                        .n_body = q->body_size,
                        .is_operator = q->as_operator == 1};
}

tacit_status tacit_coordinator_handle(tacit_coordinator *c, const tacit_request *request,
                                      tacit_response **out, tacit_error *err)
{
    tacit_request given;
    TC_GIVEN(c);
    TC_GIVEN(out);
    TC_TRY(tc_sized_take(&sized_request, &given, request, "request", err));
    if (!given.method || !given.path)
        return tc_fail(err, TACIT_E_ARG, "a request needs its method and its path");
    if (given.body_size > 0 && !given.body)
        return tc_fail(err, TACIT_E_ARG, "request.body must not be NULL: request.body_size is %zu",
                       given.body_size);
    if (given.as_operator > 1)
        return tc_fail(err, TACIT_E_ARG, "request.as_operator must be 0 or 1, got %" PRIu64,
                       given.as_operator);
    if (given.as_operator == 1 && given.bearer)
        return tc_fail(err, TACIT_E_ARG,
                       "request.as_operator and request.bearer exclude each other: the operator "
                       "needs no token here");
    tacit_response *r = tc_alloc(1, sizeof *r);
    if (!r)
        return tc_fail_memory(err);
    const tc_protocols ours = tc_protocols_ours();
    r->protocol = tc_protocols_format(&ours);
    tc_request q = request_of(&given);
    tc_coord_handle(c->coord, &q, &r->of);
    if (r->of.listens) {
        tacit_response_free(r);
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s is a stream without an end: tacit_server_start serves it", given.path);
    }
    *out = r;
    return TACIT_OK;
}

int tacit_response_status(const tacit_response *r)
{
    return r ? r->of.status : 0;
}

const char *tacit_response_type(const tacit_response *r)
{
    return !r ? NULL : r->of.content_type ? r->of.content_type : "";
}

const char *tacit_response_protocol(const tacit_response *r)
{
    return r ? r->protocol.text : NULL;
}

const char *tacit_response_body(const tacit_response *r)
{
    return r ? tc_text_get(&r->of.body) : NULL;
}

size_t tacit_response_size(const tacit_response *r)
{
    return r ? r->of.body.len : 0;
}

int64_t tacit_response_retry_ms(const tacit_response *r)
{
    return r ? r->of.retry_after_ms : 0;
}

bool tacit_response_waits(const tacit_response *r)
{
    return r && r->of.wait;
}

void tacit_response_free(tacit_response *r)
{
    if (!r)
        return;
    tc_response_fini(&r->of);
    tc_free(r);
}

/* ---- a server ---- */

struct tacit_server {
    tc_server *server;
    tc_certificate tls;
    char url[128];
};

void tacit_server_stop(tacit_server *s)
{
    if (!s)
        return;
    tc_server_stop(s->server);
    tc_certificate_fini(&s->tls);
    tc_free(s);
}

const char *tacit_server_url(const tacit_server *s)
{
    return s ? s->url : NULL;
}

const char *tacit_server_fingerprint(const tacit_server *s)
{
    return s ? s->tls.fingerprint : NULL;
}

const char *tacit_server_next_fingerprint(const tacit_server *s)
{
    return s ? s->tls.next : NULL;
}

static tacit_status check_key(const tacit_server_opts *o, tacit_error *err)
{
    if (o->key > TACIT_KEY_CHANGE)
        return tc_fail(err, TACIT_E_ARG,
                       "opts.key must be 0, TACIT_KEY_ANNOUNCE or TACIT_KEY_CHANGE, got %" PRIu64,
                       o->key);
    return o->key != 0 && o->insecure
               ? tc_fail(err, TACIT_E_ARG, "plain HTTP has no key that could be changed")
               : TACIT_OK;
}

static tacit_status parse_address(const tacit_server_opts *o, tc_address *at, tacit_error *err)
{
    if (!o->listen)
        return tc_fail(err, TACIT_E_ARG, "opts.listen is missing: an address and a port");
    TC_TRY(tc_address_parse(at, o->listen, err));
    if (o->insecure && !at->loopback)
        return tc_fail(err, TACIT_E_ARG, "plain HTTP is for loopback addresses, not for %s",
                       at->host);
    return TACIT_OK;
}

tacit_status tacit_server_check(const tacit_server_opts *opts, tacit_error *err)
{
    tacit_server_opts o;
    tc_address at;
    TC_TRY(tc_sized_take(&sized_server_opts, &o, opts, "opts", err));
    TC_TRY(check_key(&o, err));
    TC_TRY(parse_address(&o, &at, err));
    return tc_address_try(&at, o.listen, err);
}

static tacit_status start(tacit_server *s, tacit_coordinator *c, const tacit_server_opts *o,
                          tacit_error *err)
{
    tc_address at;
    TC_TRY(check_key(o, err));
    TC_TRY(parse_address(o, &at, err));
    if (!o->insecure)
        TC_TRY(tc_certificate_step(c->store, o->host ? o->host : at.host, (tc_key_step)o->key,
                                   tc_coord_now(c->coord), &s->tls, err));
    tc_server_config cfg = {.coord = c->coord,
                            .listen = o->listen,
                            .tls = o->insecure ? NULL : &s->tls,
                            .threads = o->threads,
                            .connections = o->connections,
                            .per_address = o->per_address,
                            .rate = o->rate,
                            .handshakes = o->handshakes,
                            .answers_max = o->answers_most};
    TC_TRY(tc_server_start(&s->server, &cfg, err));
    int host = (int)(strrchr(o->listen, ':') - o->listen);
    snprintf(s->url, sizeof s->url, "%s://%.*s:%u", o->insecure ? "http" : "https", host, o->listen,
             tc_server_port(s->server));
    return TACIT_OK;
}

tacit_status tacit_server_start(tacit_server **out, tacit_coordinator *c,
                                const tacit_server_opts *opts, tacit_error *err)
{
    tacit_server_opts o;
    TC_GIVEN(out);
    TC_GIVEN(c);
    TC_TRY(tc_sized_take(&sized_server_opts, &o, opts, "opts", err));
    tacit_server *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    tacit_status status = start(s, c, &o, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tacit_server_stop(s);
    return status;
}
