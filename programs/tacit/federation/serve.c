/* serve.c - `tacit serve`: the coordinator of federated studies, over HTTPS. */
#include "net/address.h"
#include "net/server.h"
#include "study/storage.h"
#include "frame/verbs.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct options {
    char *storage, *listen, *host;
    bool insecure, new_operator_token;
    int64_t threads, connections, per_address, rate, handshakes, answers_mib, stop_s, test_seed;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {.name = "listen",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, listen),
     .def = "127.0.0.1:8443",
     .value = "ADDRESS",
     .help = "address and port to listen at; port 0 takes a free one"},
    {.name = "host",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, host),
     .value = "NAME",
     .help = "name or address that goes into the certificate when it is made (default: that of "
             "--listen)"},
    {.name = "insecure",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, insecure),
     .help = "plain HTTP instead of TLS; on loopback only"},
    {.name = "threads",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, threads),
     .def = "32",
     .min = 1,
     .max = 1024,
     .help = "threads that answer requests"},
    {.name = "connections",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, connections),
     .def = "0",
     .min = 0,
     .max = 100000,
     .help = "connections at once; 0 is as many as the limit on open files allows"},
    {.name = "per-address",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, per_address),
     .def = "0",
     .min = 0,
     .max = 100000,
     .help = "connections of one address (IPv6: of its first 64 bits) at once; 0 is no limit "
             "of its own"},
    {.name = "rate",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, rate),
     .def = "0",
     .min = 0,
     .max = 1000000,
     .help = "requests a second of one address, the rest gets 429; 0 is no limit"},
    {.name = "handshakes",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, handshakes),
     .def = "100",
     .min = 0,
     .max = 1000000,
     .help = "TLS handshakes a second of one address, ten seconds' worth at once; 0 is no limit, "
             "as behind a balancer"},
    {.name = "answers-mib",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, answers_mib),
     .def = "128",
     .min = 1,
     .max = 1048576,
     .help = "MiB of all answers that were not taken yet, an eighth of it for one token; the rest "
             "gets 503"},
    {.name = "stop-s",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, stop_s),
     .def = "120",
     .min = 1,
     .max = 86400,
     .help = "seconds after Ctrl-C or SIGTERM for requests that have begun; then it ends without "
             "their answers"},
    {.name = "new-operator-token",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, new_operator_token),
     .help = "make and show another operator token, where the first was lost"},
    {.name = "test-seed",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, test_seed),
     .def = "-1",
     .min = -1,
     .max = 9007199254740991.0,
     .help = "noise and tokens from this seed: repeatable, NOT PRIVATE; -1 is real noise"},
    {.name = NULL}};

typedef struct site {
    tc_store *store;
    tc_coord *coord;
    tc_certificate tls;
    tc_server *server;
    tc_text token; /* the operator's, if it was made now */
} site;

static void site_close(site *s)
{
    tc_server_stop(s->server);
    tc_coord_free(s->coord);
    tc_certificate_fini(&s->tls);
    tc_store_close(s->store);
    if (s->token.data)
        explicit_bzero(s->token.data, s->token.len);
    tc_text_fini(&s->token);
}

/* An agent's journal looks like a study, and whoever coordinates could delete it. The agent's key for it
 * tells the two apart. */
static tacit_status check_study(void *user, const tc_study_row *study, tacit_error *err)
{
    tc_record key = {.kind = TC_RECORD_KEY, .key = study->name, .key_size = strlen(study->name)},
              got;
    TC_TRY(tc_store_record_find(user, &key, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    explicit_bzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    return tc_fail(err, TACIT_E_STATE,
                   "the storage is an agent's, with its journal of study \"%s\": a coordinator "
                   "needs one of its own",
                   study->name);
}

static tacit_status open_coordinator(site *s, const options *o, tacit_error *err)
{
    tc_coord_config cfg = {.seeded = o->test_seed >= 0, .seed = (uint64_t)o->test_seed};
    TC_TRY(tc_store_open(&s->store, tc_storage_url(o->storage), true, err));
    TC_TRY(tc_store_study_list(s->store, check_study, s->store, err));
    cfg.store = s->store;
    return tc_coord_new(&s->coord, &cfg, err);
}

/* It is shown once, so it is made when nothing stands in the way of showing it. */
static tacit_status make_token(site *s, const options *o, tacit_error *err)
{
    bool made;
    return o->new_operator_token ? tc_coord_new_operator_token(s->coord, &s->token, err)
                                 : tc_coord_operator_token(s->coord, &s->token, &made, err);
}

static tacit_status open_site(site *s, const options *o, tacit_error *err)
{
    tc_address at;
    TC_TRY(tc_address_parse(&at, o->listen, err)); /* before anything is made */
    if (o->insecure && !at.loopback)
        return tc_fail(err, TACIT_E_ARG, "--insecure is for loopback addresses, not for %s",
                       at.host);
    TC_TRY(tc_address_try(&at, o->listen, err));
    TC_TRY(open_coordinator(s, o, err));
    if (!o->insecure)
        TC_TRY(tc_certificate_get(s->store, o->host ? o->host : at.host, &s->tls, err));
    tc_server_config cfg = {.coord = s->coord,
                            .listen = o->listen,
                            .tls = o->insecure ? NULL : &s->tls,
                            .threads = (unsigned)o->threads,
                            .connections = (unsigned)o->connections,
                            .per_address = (unsigned)o->per_address,
                            .rate = (unsigned)o->rate,
                            .handshakes = (unsigned)o->handshakes,
                            .answers_max = (size_t)o->answers_mib << 20};
    TC_TRY(tc_server_start(&s->server, &cfg, err));
    return make_token(s, o, err);
}

/* ---- what is said ---- */

static void make_url(const site *s, const options *o, char out[128])
{
    int host = (int)(strrchr(o->listen, ':') - o->listen);
    snprintf(out, 128, "%s://%.*s:%u", o->insecure ? "http" : "https", host, o->listen,
             tc_server_port(s->server));
}

static tacit_status say_json(const site *s, const options *o, const char *url, tacit_error *err)
{
    json_t *j = json_pack("{s:s}", "url", url);
    bool ok = j != NULL;
    if (ok && !o->insecure)
        ok = json_object_set_new(j, "fingerprint", json_string(s->tls.fingerprint)) == 0;
    if (ok && s->token.len > 0)
        ok = json_object_set_new(j, "operator_token", json_string(tc_text_get(&s->token))) == 0;
    if (ok && o->test_seed >= 0)
        ok = json_object_set_new(j, "not_private", json_string("noise comes from a seed")) == 0;
    char *text = ok ? tc_json_text(j) : NULL;
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    printf("%s\n", text);
    fflush(stdout);
    tc_free(text);
    return TACIT_OK;
}

static void say_people(const site *s, const options *o, const char *url)
{
    printf("listening at   %s\n", url);
    if (!o->insecure)
        printf("fingerprint    %s\n", s->tls.fingerprint);
    if (s->token.len > 0)
        printf("operator token %s\n"
               "               (shown once: keep it in a file that only you can read)\n",
               tc_text_get(&s->token));
    if (o->test_seed >= 0)
        printf("NOT PRIVATE: noise comes from a seed\n");
    fflush(stdout);
}

static void wait_for_the_end(void)
{
    while (!tc_interrupted())
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

/* A request or a tick that waits for a database that hangs would keep the process for ever. What they have stored by then is
 * stored, as after a kill. */
static void *end_late(void *user)
{
    time_t seconds = *(int64_t *)user;
    struct timespec end;
    tc_free(user);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
        ;
    tc_log(TC_LOG_ERROR, "ended after %lld s (--stop-s): a request or the storage hangs",
           (long long)seconds);
    _exit(tacit_status_exit(TACIT_E_IO));
}

/* Without memory for it there is no limit. */
static void limit_the_end(int64_t seconds)
{
    int64_t *copy = tc_alloc(1, sizeof *copy);
    pthread_t thread;
    if (!copy)
        return;
    *copy = seconds;
    if (pthread_create(&thread, NULL, end_late, copy) == 0)
        pthread_detach(thread);
    else
        tc_free(copy);
}

static tacit_status serve(site *s, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    char url[128];
    TC_TRY(open_site(s, o, err));
    make_url(s, o, url);
    if (in->format == TC_FORMAT_JSON)
        TC_TRY(say_json(s, o, url, err));
    else
        say_people(s, o, url);
    wait_for_the_end();
    tc_note(in->quiet, "stopping: requests that have begun are answered");
    limit_the_end(o->stop_s);
    return TACIT_OK;
}

/* glibc would keep an arena for each thread, and raise its limit for large bodies: what one hour of abuse
 * took would stay taken. */
static void give_memory_back(void)
{
    enum { ARENAS = 4, LARGE = 256 << 10 };
    (void)mallopt(M_ARENA_MAX, ARENAS);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    site s = {0};
    give_memory_back();
    tc_catch_interrupts();
    tacit_status status = serve(&s, in, err);
    site_close(&s);
    return status;
}

const tc_verb tc_verb_serve = {
    .name = "serve",
    .usage = "[options]",
    .summary = "coordinate federated studies over HTTPS",
    .details = "At the first start a key, a certificate and the operator's token are made and kept "
               "in the\n"
               "storage. Agents know the coordinator by its fingerprint. Ctrl-C or SIGTERM ends "
               "it; started\n"
               "again, it goes on where it was: everything acknowledged is in the storage.\n"
               "\n"
               "  tacit serve\n"
               "  tacit serve --storage sqlite:////srv/tacit.db --listen 0.0.0.0:8443 --host "
               "tacit.example",
    .options = table,
    .options_size = sizeof(options),
    .secrets = true,
    .run = run};
