/* serve.c - `tacit serve`: the coordinator of federated studies, over HTTPS. */
#include "federation/carry.h"
#include "federation/server_options.h"
#include "study/storage.h"
#include "frame/verbs.h"

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <tacit/coordinator.h>

#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct options {
    char *storage, *listen, *host, *token_out, *carry;
    bool insecure, new_operator_token, announce_key, change_key;
    int64_t threads, connections, per_address, rate, handshakes, answers_mib, stop_s, test_seed;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    TC_STRING_OPTION("listen", offsetof(options, listen), "127.0.0.1:8443",
                     "address and port to listen at; port 0 takes a free one", .value = "ADDRESS"),
    TC_STRING_OPTION(
        "host", offsetof(options, host), NULL,
        "name or address that goes into the certificate when it is made (default: that of "
        "--listen)",
        .value = "NAME"),
    TC_BOOL_OPTION("insecure", offsetof(options, insecure), NULL,
                   "plain HTTP instead of TLS; on loopback only"),
    TC_INT_OPTION("threads", offsetof(options, threads), "32", 1, 1024,
                  "threads that answer requests"),
    TC_INT_OPTION("connections", offsetof(options, connections), "0", 0, 100000,
                  "connections at once; 0 is as many as the limit on open files allows"),
    TC_INT_OPTION("per-address", offsetof(options, per_address), "0", 0, 100000,
                  "connections of one address (IPv6: of its first 64 bits) at once; 0 is no limit "
                  "of its own"),
    TC_INT_OPTION("rate", offsetof(options, rate), "0", 0, 1000000,
                  "requests a second of one address, the rest gets 429; 0 is no limit"),
    TC_INT_OPTION(
        "handshakes", offsetof(options, handshakes), "100", 0, 1000000,
        "TLS handshakes a second of one address, ten seconds' worth at once; 0 is no limit, "
        "as behind a balancer"),
    TC_INT_OPTION(
        "answers-mib", offsetof(options, answers_mib), "128", 1, 1048576,
        "MiB of all answers that were not taken yet, an eighth of it for one token; the rest "
        "gets 503"),
    TC_INT_OPTION(
        "stop-s", offsetof(options, stop_s), "120", 1, 86400,
        "seconds after Ctrl-C or SIGTERM for requests that have begun; then it ends without "
        "their answers"),
    TC_BOOL_OPTION("new-operator-token", offsetof(options, new_operator_token), NULL,
                   "make and show another operator token, where the first was lost"),
    TC_BOOL_OPTION("announce-key", offsetof(options, announce_key), NULL,
                   "make the next TLS key, unless there is one, and announce it: agents keep its "
                   "fingerprint and will follow"),
    TC_BOOL_OPTION("change-key", offsetof(options, change_key), NULL,
                   "put the TLS key that was announced in the place of the one of now"),
    TC_STRING_OPTION("token-out", offsetof(options, token_out), NULL,
                     "write the operator's token there when it is made, for its owner's eyes, and "
                     "not to standard output",
                     .value = "FILE"),
    TC_STRING_OPTION("carry", offsetof(options, carry), NULL,
                     "also answer the requests that agents without a network have put into this "
                     "folder as files",
                     .value = "DIR"),
    TC_INT_OPTION("test-seed", offsetof(options, test_seed), "-1", -1, 9007199254740991.0,
                  "noise and tokens from this seed: repeatable, NOT PRIVATE; -1 is real noise"),
    {.name = NULL}};

typedef struct site {
    tacit_coordinator *coordinator;
    tacit_server *server;
    char *token;   /* the operator's, if it was made now */
    bool put_away; /* it is in its file */
    tc_carrier *carrier;
} site;

static void site_close(site *s)
{
    tacit_server_stop(s->server);
    tc_carrier_close(s->carrier);
    tacit_coordinator_close(s->coordinator);
    if (s->token)
        explicit_bzero(s->token, strlen(s->token));
    tacit_text_free(s->token);
}

/* Into its file. Where that is there already, the token is shown: it is made but once. Standard output may be a log, so
 * one that cannot be written is not shown: another one can be made. */
static tacit_status put_away(site *s, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tacit_error why = {0};
    tacit_status status = TACIT_OK;
    if (!s->token || !o->token_out)
        return TACIT_OK;
    if (access(o->token_out, F_OK) == 0)
        tc_note(in->quiet, "tacit: %s is there already and was left alone: the token is shown",
                o->token_out);
    else if ((status = tc_secret_write(o->token_out, s->token, &why)) != TACIT_OK)
        return tc_fail(err, status,
                       "%s: the operator's token is lost; start with --new-operator-token",
                       why.msg);
    else
        s->put_away = true;
    return TACIT_OK;
}

/* Whether it can listen is found out before anything is made. The operator's token is shown once, so it is made when
 * nothing stands in the way of showing it. */
static tacit_status open_site(site *s, const options *o, tacit_error *err)
{
    tacit_coordinator_opts store = TACIT_COORDINATOR_OPTS;
    tacit_server_opts opts = TACIT_SERVER_OPTS;
    opts.listen = o->listen;
    opts.host = o->host;
    opts.insecure = o->insecure;
    opts.threads = (unsigned)o->threads;
    opts.connections = (unsigned)o->connections;
    opts.per_address = (unsigned)o->per_address;
    opts.rate = (unsigned)o->rate;
    opts.handshakes = (unsigned)o->handshakes;
    opts.answers_most = (size_t)o->answers_mib << 20;
    opts.key = o->announce_key ? TACIT_KEY_ANNOUNCE : o->change_key ? TACIT_KEY_CHANGE : 0;
    TC_TRY(tacit_server_check(&opts, err));
    store.storage = tc_storage_url(o->storage);
    store.test_seed = o->test_seed;
    TC_TRY(tacit_coordinator_open(&s->coordinator, &store, err));
    TC_TRY(tacit_server_start(&s->server, s->coordinator, &opts, err));
    return tacit_coordinator_operator_token(s->coordinator, o->new_operator_token, &s->token, err);
}

/* ---- what is said ---- */

static tacit_status say_json(const site *s, const options *o, tacit_error *err)
{
    json_t *j = json_pack("{s:s}", "url", tacit_server_url(s->server));
    bool ok = j != NULL;
    if (ok && !o->insecure)
        ok = json_object_set_new(j, "fingerprint",
                                 json_string(tacit_server_fingerprint(s->server))) == 0;
    if (ok && *tacit_server_next_fingerprint(s->server))
        ok = json_object_set_new(j, "next_fingerprint",
                                 json_string(tacit_server_next_fingerprint(s->server))) == 0;
    if (ok && s->put_away)
        ok = json_object_set_new(j, "operator_token_file", json_string(o->token_out)) == 0;
    else if (ok && s->token)
        ok = json_object_set_new(j, "operator_token", json_string(s->token)) == 0;
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

static void say_people(const site *s, const options *o)
{
    printf("listening at   %s\n", tacit_server_url(s->server));
    if (!o->insecure)
        printf("fingerprint    %s\n", tacit_server_fingerprint(s->server));
    if (*tacit_server_next_fingerprint(s->server))
        printf("next key       %s\n"
               "               (announced: agents follow by themselves, others are given both)\n",
               tacit_server_next_fingerprint(s->server));
    if (s->put_away)
        printf("operator token in %s\n", o->token_out);
    else if (s->token)
        printf("operator token %s\n"
               "               (shown once: keep it in a file that only you can read)\n",
               s->token);
    if (o->test_seed >= 0)
        printf("NOT PRIVATE: noise comes from a seed\n");
    fflush(stdout);
}

static void wait_for_the_end(const site *s)
{
    while (!tc_interrupted()) {
        if (s->carrier)
            tc_carrier_work(s->carrier, s->coordinator);
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
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
    if (o->token_out && o->new_operator_token && access(o->token_out, F_OK) == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "%s is there already: say another file for the new token, or withdraw the "
                       "one in it and remove the file",
                       o->token_out);
    if (o->announce_key && o->change_key)
        return tc_fail(err, TACIT_E_ARG,
                       "--announce-key and --change-key are two steps: agents need time to hear of "
                       "the next key");
    if (o->insecure && (o->announce_key || o->change_key))
        return tc_fail(err, TACIT_E_ARG, "--%s is for TLS, and --insecure is without it",
                       o->announce_key ? "announce-key" : "change-key");
    if (o->token_out && access(o->token_out, F_OK) != 0)
        TC_TRY(tc_file_writable(o->token_out, err)); /* before anything is made */
    if (o->carry)
        TC_TRY(tc_carrier_open(&s->carrier, o->carry, err));
    TC_TRY(open_site(s, o, err));
    TC_TRY(put_away(s, in, err));
    if (in->format == TC_FORMAT_JSON)
        TC_TRY(say_json(s, o, err));
    else
        say_people(s, o);
    wait_for_the_end(s);
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
    .network = true,
    .usage = "[options]",
    .summary = "coordinate federated studies over HTTPS",
    .details = "At the first start a key, a certificate and the operator's token are made and kept "
               "in the\n"
               "storage. Agents know the coordinator by its fingerprint. Ctrl-C or SIGTERM ends "
               "it; started\n"
               "again, it goes on where it was: everything acknowledged is in the storage.\n"
               "\n"
               "  tacit serve --token-out operator.txt\n"
               "  tacit serve --storage sqlite:////srv/tacit.db --listen 0.0.0.0:8443 --host "
               "tacit.example",
    .options = table,
    .options_size = sizeof(options),
    .secrets = true,
    .run = run};
