/* client.c - libcurl around one connection (client.h). */
#include "net/client.h"
#include "net/pins.h"
#include "net/url.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "wire/protocol.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

struct tc_client {
    CURL *curl;
    char *url;
    char *given; /* the fingerprints that the handle was made with, or NULL */
    char *pin;   /* those that are believed now, or NULL */
    char *next;  /* the one that was announced, or NULL */
    tc_pins_keep keep;
    void *keeper;
    char *ca;    /* or NULL */
    char *proxy; /* "": none; NULL: what the environment says */
    bool tls;
    bool (*stop)(void *user);
    void *stop_user;
    double patience_s; /* 0: as long as the call says */
    uint64_t due_ns;
    long retry_after_s;
    uint64_t protocol; /* of the next request: as far as is known, the newest that both speak */
};

/* One call: what comes back, and why it ends early. */
typedef struct receipt {
    tc_text *body;
    bool too_large;
    bool (*stop)(void *user); /* NULL: nobody ends it */
    void *stop_user;
} receipt;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* libcurl would take other words for proxies that see what passes, or send it elsewhere. */
static tacit_status check_proxy(const tc_url *u, const char *url, const char *proxy,
                                tacit_error *err)
{
    if (!proxy || strcmp(proxy, "none") == 0)
        return TACIT_OK;
    if (!u->tls)
        return tc_fail(err, TACIT_E_ARG, "a proxy is for https: %s is asked without one", url);
    const char *host = begins(proxy, "http://")    ? proxy + 7
                       : begins(proxy, "https://") ? proxy + 8
                                                   : "";
    const char *at = strrchr(proxy, '@'); /* what is before it may be a password */
    return *host ? TACIT_OK
                 : tc_fail(err, TACIT_E_ARG,
                           "the proxy must be like http://host:3128 or https://host:3128, or "
                           "none, got \"%s\"",
                           at ? at + 1 : proxy);
}

/* libcurl says of a file that is not there that the certificate is wrong. */
static tacit_status check_ca(const char *ca, tacit_error *err)
{
    enum { MOST = 16 << 20 };
    char *text;
    size_t n;
    if (!ca)
        return TACIT_OK;
    TC_TRY(tc_file_read(ca, MOST, &text, &n, err));
    bool pem = strstr(text, "-----BEGIN CERTIFICATE-----") != NULL;
    tc_free(text);
    return pem ? TACIT_OK
               : tc_fail(err, TACIT_E_ARG,
                         "%s has no certificate of an authority: PEM is wanted, with a line "
                         "-----BEGIN CERTIFICATE-----",
                         ca);
}

/* Plain HTTP must not leave the machine. */
static tacit_status check(const tc_url *u, const char *url, const tc_client_opts *o,
                          tacit_error *err)
{
    TC_TRY(check_proxy(u, url, o->proxy, err));
    if (!u->tls)
        return u->loopback
                   ? TACIT_OK
                   : tc_fail(err, TACIT_E_ARG,
                             "without TLS only a loopback address may be used, not %s", url);
    if (o->fingerprint && begins(o->fingerprint, TC_PIN))
        TC_TRY(tc_pins_check(o->fingerprint, err));
    if (o->fingerprint ? begins(o->fingerprint, TC_PIN) : o->ca != NULL)
        return check_ca(o->ca, err);
    return tc_fail(err, TACIT_E_ARG,
                   "%s needs the coordinator's fingerprint: sha256// and 44 characters, as "
                   "`tacit serve` prints it; or the file of the authority that knows it",
                   url);
}

/* What the environment names is not between this machine and itself. */
static const char *proxy_of(const tc_url *u, const tc_client_opts *o)
{
    if (o->proxy)
        return strcmp(o->proxy, "none") == 0 ? "" : o->proxy;
    return u->loopback || !u->tls ? "" : NULL;
}

static bool copy(char **to, const char *from)
{
    *to = from ? tc_strdup(from) : NULL;
    return *to || !from;
}

tacit_status tc_client_new(tc_client **out, const char *url, const tc_client_opts *opts,
                           tacit_error *err)
{
    tc_url u;
    TC_TRY(tc_url_parse(&u, url, err));
    TC_TRY(check(&u, url, opts, err));
    pthread_once(&once, start_curl);
    tc_client *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->tls = u.tls;
    c->url = tc_strndup(url, u.n_bytes);
    bool copied = copy(&c->given, u.tls ? opts->fingerprint : NULL) && copy(&c->pin, c->given) &&
                  copy(&c->ca, u.tls ? opts->ca : NULL) && copy(&c->proxy, proxy_of(&u, opts));
    c->curl = curl_easy_init();
    c->protocol = TC_PROTOCOL;
    if (!c->url || !c->curl || !copied) {
        tc_client_free(c);
        return tc_fail_memory(err);
    }
    *out = c;
    return TACIT_OK;
}

void tc_client_free(tc_client *c)
{
    if (!c)
        return;
    if (c->curl)
        curl_easy_cleanup(c->curl);
    tc_free(c->url);
    tc_free(c->given);
    tc_free(c->pin);
    tc_free(c->next);
    tc_free(c->ca);
    if (c->proxy) /* it may have a password */
        explicit_bzero(c->proxy, strlen(c->proxy));
    tc_free(c->proxy);
    tc_free(c);
}

void tc_client_stop_at(tc_client *c, bool (*stop)(void *user), void *user)
{
    c->stop = stop;
    c->stop_user = user;
}

void tc_client_set_patience(tc_client *c, double s)
{
    c->patience_s = s > 1 ? s : 1;
}

uint64_t tc_client_due_ns(const tc_client *c)
{
    return c->due_ns;
}

long tc_client_retry_after_s(const tc_client *c)
{
    return c->retry_after_s;
}

/* ---- keys that change ---- */

tacit_status tc_client_believe(tc_client *c, const tc_pins *pins, tc_pins_keep keep, void *user,
                               tacit_error *err)
{
    char *now = NULL, *next = NULL;
    c->keep = keep;
    c->keeper = user;
    if (!pins || !c->pin)
        return TACIT_OK;
    if (!copy(&now, pins->now) || !copy(&next, pins->next)) {
        tc_free(now);
        return tc_fail_memory(err);
    }
    tc_free(c->pin);
    tc_free(c->next);
    c->pin = now;
    c->next = next;
    return TACIT_OK;
}

tc_pins tc_client_pins(const tc_client *c)
{
    return (tc_pins){c->pin, c->next};
}

/* First where it lasts, then here. */
static tacit_status believe(tc_client *c, const tc_pins *pins, tacit_error *err)
{
    if (c->keep)
        TC_TRY(c->keep(c->keeper, pins, err));
    return tc_client_believe(c, pins, c->keep, c->keeper, err);
}

/* What the coordinator says of its next key. An answer of a proxy is not among these headers. */
static tacit_status hear_next(tc_client *c, tacit_error *err)
{
    struct curl_header *said;
    if (!c->pin ||
        curl_easy_header(c->curl, TC_NEXT_KEY_HEADER, 0, CURLH_HEADER, -1, &said) != CURLHE_OK)
        return TACIT_OK;
    bool known = tc_pins_have(c->pin, said->value) || (c->next && !strcmp(c->next, said->value));
    if (known || !tc_pin_is_one(said->value))
        return TACIT_OK;
    char next[TC_FINGERPRINT];
    snprintf(next, sizeof next, "%s", said->value);
    return believe(c, &(tc_pins){c->pin, next}, err);
}

/* ---- a call ---- */

static size_t receive(char *data, size_t one, size_t n, void *user)
{
    receipt *r = user;
    (void)one;
    r->too_large = r->body->len + n > TC_ANSWER_MOST;
    if (r->too_large)
        return 0;
    tc_text_add_bytes(r->body, data, n);
    return r->body->failed ? 0 : n;
}

/* libcurl's own sockets are handed on to programs that we start. */
static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *to)
{
    (void)user, (void)purpose;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* libcurl asks about once a second. */
static int may_go_on(void *user, curl_off_t down, curl_off_t got, curl_off_t up, curl_off_t sent)
{
    const receipt *r = user;
    (void)down, (void)got, (void)up, (void)sent;
    return r->stop && r->stop(r->stop_user);
}

static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
    tc_text line = {0};
    if (!value)
        return true;
    tc_text_addf(&line, "%s: %s", name, value);
    struct curl_slist *more = line.failed ? NULL : curl_slist_append(*list, tc_text_get(&line));
    if (line.data)
        explicit_bzero(line.data, line.len);
    tc_text_fini(&line);
    if (more)
        *list = more;
    return more != NULL;
}

static bool make_headers(const tc_call *call, uint64_t protocol, struct curl_slist **out)
{
    tc_text bearer = {0};
    char version[24];
    snprintf(version, sizeof version, "%" PRIu64, protocol);
    bool ok = add_header(out, "Expect", "") && add_header(out, "Accept", "application/json") &&
              add_header(out, TC_PROTOCOL_HEADER, version) &&
              (!call->body || add_header(out, "Content-Type", "application/json")) &&
              add_header(out, "Tacit-Signature", call->signature) &&
              add_header(out, "Idempotency-Key", call->idempotency);
    if (ok && call->bearer) {
        tc_text_addf(&bearer, "Bearer %s", call->bearer);
        ok = !bearer.failed && add_header(out, "Authorization", tc_text_get(&bearer));
    }
    if (bearer.data)
        explicit_bzero(bearer.data, bearer.len);
    tc_text_fini(&bearer);
    return ok;
}

/* The token is among them. */
static void free_headers(struct curl_slist *headers)
{
    for (const struct curl_slist *h = headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data));
    curl_slist_free_all(headers);
}

/* Whose word on the coordinator's key is taken. A certificate that signs itself is no authority's: then the pinned key is what
 * is checked, and it is checked always, so it is set before the checks that it replaces are switched off. */
static CURLcode secure_tls(const tc_client *c, const char *pin)
{
    CURL *h = c->curl;
    CURLcode rc = pin ? curl_easy_setopt(h, CURLOPT_PINNEDPUBLICKEY, pin) : CURLE_OK;
    if (rc == CURLE_OK && c->ca)
        rc = curl_easy_setopt(h, CURLOPT_CAINFO, c->ca);
    if (rc == CURLE_OK && c->ca)
        rc = curl_easy_setopt(h, CURLOPT_CAPATH, NULL);
    if (rc == CURLE_OK)
        rc = curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, c->ca ? 1L : 0L);
    if (rc == CURLE_OK)
        rc = curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, c->ca ? 2L : 0L);
    return rc;
}

/* The token is for the coordinator, not for the proxy. What the environment says is left to libcurl, which knows no_proxy. */
static CURLcode secure_way(const tc_client *c)
{
    CURL *h = c->curl;
    CURLcode rc = curl_easy_setopt(h, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    if (rc == CURLE_OK && c->proxy)
        rc = curl_easy_setopt(h, CURLOPT_PROXY, c->proxy);
    if (rc == CURLE_OK && c->proxy)
        rc = curl_easy_setopt(h, CURLOPT_NOPROXY, *c->proxy ? "" : "*");
    return rc;
}

/* What a call must not go without. */
static CURLcode secure(const tc_client *c, const char *pin)
{
    CURL *h = c->curl;
    CURLcode rc = curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, c->tls ? "https" : "http");
    if (rc == CURLE_OK)
        rc = secure_way(c);
    if (rc == CURLE_OK)
        rc = curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
    return rc == CURLE_OK && c->tls ? secure_tls(c, pin) : rc;
}

/* For the whole call: a byte now and then wins nothing. */
static long most_ms(const tc_client *c, const tc_call *call)
{
    double s = (double)(call->timeout_s > 0 ? call->timeout_s : TC_CALL_S);
    if (c->patience_s > 0 && c->patience_s < s)
        s = c->patience_s;
    return 1000 * call->wait_s + (long)(s * 1000);
}

static void set_up(tc_client *c, const tc_call *call, const char *url, struct curl_slist *headers,
                   receipt *r, char *why)
{
    CURL *h = c->curl;
    curl_easy_reset(h); /* keeps the connection */
    curl_easy_setopt(h, CURLOPT_URL, url);
    curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, may_go_on);
    curl_easy_setopt(h, CURLOPT_XFERINFODATA, r);
    curl_easy_setopt(h, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, most_ms(c, call));
    if (call->body) {
        curl_easy_setopt(h, CURLOPT_POSTFIELDS, call->body);
        curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->n_body);
    }
}

/* A date is not from us. */
static long read_retry_after(CURL *h)
{
    enum { MOST_S = 3600 };
    curl_off_t s = 0;
    bool said = curl_easy_getinfo(h, CURLINFO_RETRY_AFTER, &s) == CURLE_OK && s > 0;
    return said ? (long)(s < MOST_S ? s : MOST_S) : 0;
}

/* libcurl does not say which of these it is. A clock that is wrong is known by its day. */
static tacit_status not_certified(const tc_client *c, const char *why, tacit_error *err)
{
    char day[16] = "";
    time_t now = time(NULL);
    struct tm at;
    if (gmtime_r(&now, &at))
        strftime(day, sizeof day, "%Y-%m-%d", &at);
    return tc_fail(err, TACIT_E_STATE,
                   "%s has no certificate for this name from an authority in %s that is valid on "
                   "%s, the day of this machine's clock: %s",
                   c->url, c->ca, day, why);
}

/* Also of a proxy that the environment names: whether it was asked for a tunnel. */
static bool was_tunnelled(const tc_client *c)
{
    long code = 0;
    return curl_easy_getinfo(c->curl, CURLINFO_HTTP_CONNECTCODE, &code) == CURLE_OK && code != 0;
}

static tacit_status another_key(const tc_client *c, tacit_error *err)
{
    const char *way = was_tunnelled(c) ? ". It was asked through a proxy: one that opens TLS and "
                                         "signs anew has another key, and must let this host pass "
                                         "unopened"
                                       : "";
    if (c->given && strcmp(c->given, c->pin) == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "%s is not the coordinator with that fingerprint; if its key was changed, "
                       "its operator has the new one%s",
                       c->url, way);
    return tc_fail(err, TACIT_E_STATE,
                   "%s is not the coordinator with that fingerprint: it had changed its key to %s; "
                   "if it was restored from a backup of before, ask its operator, and give both "
                   "fingerprints with ; between them%s",
                   c->url, c->pin, way);
}

/* Which proxy could not be reached, or did not let us through; without the password that may stand before its name. Of one that the
 * environment names libcurl alone knows whether it was asked, and says its address. */
static void add_way(tc_text *out, const tc_client *c, CURLcode rc)
{
    bool early = rc == CURLE_COULDNT_RESOLVE_PROXY || rc == CURLE_COULDNT_CONNECT ||
                 rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_RECV_ERROR || rc == CURLE_PROXY;
    if (!early || !c->proxy || !*c->proxy)
        return;
    const char *at = strrchr(c->proxy, '@');
    tc_text_addf(out, " through the proxy %s", at ? at + 1 : c->proxy);
}

/* Why nothing came back. */
static tacit_status no_answer(const tc_client *c, CURLcode rc, const receipt *r, const char *why,
                              tacit_error *err)
{
    if (rc == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
        return another_key(c, err);
    if (rc == CURLE_PEER_FAILED_VERIFICATION && c->ca)
        return not_certified(c, *why ? why : curl_easy_strerror(rc), err);
    if (r->too_large)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "the answer of %s is larger than %d MiB", c->url,
                       TC_ANSWER_MOST >> 20);
    if (r->body->failed)
        return tc_fail_memory(err);
    if (rc == CURLE_ABORTED_BY_CALLBACK)
        return tc_fail(err, TACIT_E_IO, "interrupted while %s was asked", c->url);
    if (rc == CURLE_GOT_NOTHING && strncmp(c->url, "http://", 7) == 0)
        return tc_fail(err, TACIT_E_IO, "%s does not answer: its URL may be https://%.200s", c->url,
                       c->url + 7);
    tc_text way = {0};
    add_way(&way, c, rc);
    tacit_status status = tc_fail(err, TACIT_E_IO, "%s does not answer%s: %s", c->url,
                                  tc_text_get(&way), *why ? why : curl_easy_strerror(rc));
    tc_text_fini(&way);
    return status;
}

/* By the keys that are believed now; if another one answers, by the one that was announced. Nothing is sent before a key has
 * been checked, so the second time is no repetition. Each is tried alone: so it is known which one answered. */
static CURLcode go(tc_client *c, bool *safe, bool *changed)
{
    CURLcode rc = secure(c, c->pin);
    *changed = false;
    *safe = rc == CURLE_OK;
    if (*safe)
        rc = curl_easy_perform(c->curl);
    if (rc != CURLE_SSL_PINNEDPUBKEYNOTMATCH || !c->next)
        return rc;
    rc = secure(c, c->next);
    *safe = rc == CURLE_OK;
    if (*safe)
        rc = curl_easy_perform(c->curl);
    *changed = rc == CURLE_OK;
    return rc;
}

static tacit_status perform(tc_client *c, const receipt *r, const char *why, int *status,
                            tacit_error *err)
{
    long http = 0;
    bool safe, changed;
    c->retry_after_s = 0;
    CURLcode rc = go(c, &safe, &changed);
    if (!safe)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s cannot be asked safely: %s", c->url,
                       curl_easy_strerror(rc));
    if (rc != CURLE_OK)
        return no_answer(c, rc, r, why, err);
    if (changed)
        TC_TRY(believe(c, &(tc_pins){c->next, NULL}, err));
    TC_TRY(hear_next(c, err));
    curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &http);
    *status = (int)http;
    c->retry_after_s = read_retry_after(c->curl);
    return TACIT_OK;
}

/* NULL: the coordinator is of a version that has no such header. */
static const char *protocols_of_answer(CURL *h)
{
    struct curl_header *said;
    CURLHcode rc = curl_easy_header(h, TC_PROTOCOL_HEADER, 0, CURLH_HEADER, -1, &said);
    return rc == CURLHE_OK ? said->value : NULL;
}

/* The version of the next request. *again: this one was refused for its version, so nothing came of it. A failure
 * without the header may come from a proxy, or from a library below the coordinator: it tells nothing of versions. */
static tacit_status agree(tc_client *c, int http, bool *again, tacit_error *err)
{
    const tc_protocols ours = tc_protocols_ours();
    uint64_t asked = c->protocol;
    const char *said = protocols_of_answer(c->curl);
    if (!said && http >= 400)
        return TACIT_OK;
    TC_TRY(tc_protocol_agree(&ours, said, c->url, &c->protocol, err));
    *again = http == 400 && c->protocol != asked;
    return TACIT_OK;
}

static tacit_status try_call(tc_client *c, const tc_call *call, int *status, tc_text *body,
                             bool *again, tacit_error *err)
{
    char why[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;
    tc_text url = {0};
    tc_text_addf(&url, "%s%s", c->url, call->path);
    bool over = c->stop && c->stop(c->stop_user);
    receipt r = {.body = body, .stop = over ? NULL : c->stop, .stop_user = c->stop_user};
    tacit_status result;
    if (url.failed || !make_headers(call, c->protocol, &headers)) {
        result = tc_fail_memory(err);
    } else {
        set_up(c, call, tc_text_get(&url), headers, &r, why);
        c->due_ns = tc_clock_ns() + (uint64_t)call->wait_s * UINT64_C(1000000000);
        result = perform(c, &r, why, status, err);
    }
    if (result == TACIT_OK)
        result = agree(c, *status, again, err);
    free_headers(headers);
    tc_text_fini(&url);
    return result;
}

tacit_status tc_client_call(tc_client *c, const tc_call *call, int *status, tc_text *body,
                            tacit_error *err)
{
    bool again = false;
    size_t before = body->len;
    TC_TRY(try_call(c, call, status, body, &again, err));
    if (!again)
        return TACIT_OK;
    if (body->data) { /* without the refusal */
        body->len = before;
        body->data[before] = 0;
    }
    return try_call(c, call, status, body, &again, err);
}

static tacit_status call_client(void *user, const tc_call *call, int *status, tc_text *body,
                                tacit_error *err)
{
    return tc_client_call(user, call, status, body, err);
}

tc_transport tc_client_transport(tc_client *c)
{
    return (tc_transport){.call = call_client, .user = c};
}
