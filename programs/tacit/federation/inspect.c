/* inspect.c - `tacit inspect`: exactly what left this machine.
 *
 * Reads an agent's own storage and nothing else; the coordinator is not asked. */
#include "agent/traffic.h"
#include "study/session.h"
#include "frame/verbs.h"

#include "base/clock.h"
#include "base/json.h"
#include "privacy/statement.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stddef.h>

enum { HEX = 2 * TC_LEDGER_HASH_BYTES + 1, HEX_SHOWN = 16, PER_LINE = 4 };

typedef struct options {
    char *storage;
    int64_t round;
} options;

static const tc_option table[] = {{.name = "storage",
                                   .type = TC_OPTION_STRING,
                                   .offset = offsetof(options, storage),
                                   .def = "sqlite:///tacit-agent.db",
                                   .value = "URL",
                                   .help = "the agent's, as `tacit agent` was given it"},
                                  {.name = "round",
                                   .type = TC_OPTION_INT,
                                   .offset = offsetof(options, round),
                                   .def = "-1",
                                   .min = -1,
                                   .max = 9007199254740991.0,
                                   .help = "show the message of this round itself; -1 lists all"},
                                  {.name = NULL}};

static const char *mechanism_name(const tacit_dp_event *e)
{
    static const char *const names[] = {"Gaussian", "Laplace", "Pure", "NonPrivate"};
    return names[e->mechanism];
}

static void hex(const tacit_hash *hash, char out[HEX])
{
    sodium_bin2hex(out, HEX, hash->bytes, sizeof hash->bytes);
}

/* "Gaussian 3.94", "Gaussian 1.2, q = 0.25": the price as people read it. */
static void event_text(const tacit_dp_event *e, char *out, size_t size)
{
    if (e->mechanism == TACIT_DP_NONPRIVATE)
        snprintf(out, size, "NOT PRIVATE");
    else if (e->sampling_rate < 1)
        snprintf(out, size, "%s %.4g, q = %.4g", mechanism_name(e), e->parameter, e->sampling_rate);
    else
        snprintf(out, size, "%s %.4g", mechanism_name(e), e->parameter);
}

/* "Gaussian 3.94, 2 times": a message that was paid for twice may have left twice. */
static void price_text(const tc_passage *p, char *out, size_t size)
{
    char once[64];
    event_text(&p->event, once, sizeof once);
    if (p->times > 1)
        snprintf(out, size, "%s, %" PRIu64 " times", once, p->times);
    else
        snprintf(out, size, "%s", once);
}

/* ---- all rounds, for people ---- */

static void heard_text(const tc_passage *p, char *out, size_t size)
{
    if (p->heard > 0)
        snprintf(out, size, "%zu bytes", p->heard_bytes);
    else
        snprintf(out, size, "%s", p->skipped ? p->skipped : "nothing yet");
}

static void people_price(tc_table *t, const tc_passage *p)
{
    char text[96];
    if (!p->paid) {
        tc_table_text(t, 5, "nothing");
        return;
    }
    price_text(p, text, sizeof text);
    tc_table_text(t, 5, text);
    if (!isnan(p->epsilon)) {
        tc_epsilon_text(text, p->epsilon);
        tc_table_text(t, 6, text);
    }
}

static void people_row(tc_table *t, const tc_passage *p, const char *about)
{
    char text[256];
    tc_table_integer(t, 0, (int64_t)p->round);
    tc_table_text(t, 1, tc_fate_name(tc_passage_fate(p)));
    if (p->published && !p->before) {
        tc_table_integer(t, 2, (int64_t)p->bytes);
        hex(&p->hash, text);
        text[HEX_SHOWN] = '\0';
        tc_table_text(t, 3, text);
        tc_clock_iso(text, p->published_ms);
        tc_table_text(t, 4, text);
    }
    people_price(t, p);
    heard_text(p, text, sizeof text);
    tc_table_text(t, 7, text);
    if (*about)
        tc_table_text(t, 8, about);
    tc_table_end_row(t);
}

/* Bytes that left, or may have. */
static void print_sum(const tc_traffic *t, const char *study)
{
    size_t left = 0, bytes = 0, kept = 0, before = 0;
    for (size_t i = 0; i < t->n; i++) {
        const tc_passage *p = &t->rounds[i];
        left += p->paid;
        before += p->before;
        bytes += p->paid && !p->before ? p->bytes : 0;
        kept += p->published && !p->paid;
    }
    printf("\n%zu message%s of study %s left this machine or may have: %zu bytes before their "
           "envelope.\n",
           left, left == 1 ? "" : "s", study, bytes);
    if (before > 0)
        printf("%zu of them left before this storage was restored: their bytes are not known.\n",
               before);
    printf("%zu did not leave. tacit inspect %s --round N shows one.\n", kept, study);
}

/* No epsilon without the words that it rests on. */
static void print_promise(const tc_study_plan *plan)
{
    char delta[32];
    const char *not_private = tc_study_plan_not_private(plan);
    if (*not_private)
        printf("NOT PRIVATE: %s.\n", not_private);
    if (!(plan->doc->delta > 0))
        return;
    tc_delta_text(delta, plan->doc->delta);
    printf(
        "epsilon is at delta %s, for each message by itself (pld, since one document fixed it). "
        "What a ledger\nhas spent in all, over several studies by a filter: tacit privacy status.\n"
        "%s.\n",
        delta, tc_statement_trust());
}

static tacit_status print_people(const tc_traffic *t, const char *study, const tc_study_plan *plan,
                                 tacit_error *err)
{
    static const char *const names[] = {"round", "message", "bytes", "hash", "journalled",
                                        "price", "epsilon", "heard", "about"};
    if (t->n == 0) {
        printf("nothing of study %s has left this machine: there was no round yet\n", study);
        return TACIT_OK;
    }
    tc_table *out = tc_table_new(*tc_study_plan_about(plan, 0) ? 9 : 8, names);
    for (size_t i = 0; i < t->n; i++)
        people_row(out, &t->rounds[i], tc_study_plan_about(plan, t->rounds[i].round));
    TC_TRY(tc_table_print(out, TC_FORMAT_TABLE, stdout, err));
    print_sum(t, study);
    print_promise(plan);
    return TACIT_OK;
}

/* ---- all rounds, for programs ---- */

static void exact_price(tc_table *t, const tc_passage *p)
{
    tc_table_text(t, 5, p->ledger);
    tc_table_integer(t, 6, (int64_t)p->entry);
    tc_table_text(t, 7, mechanism_name(&p->event));
    if (p->event.mechanism != TACIT_DP_NONPRIVATE)
        tc_table_number(t, 8, p->event.parameter);
    tc_table_number(t, 9, p->event.sampling_rate);
    tc_table_integer(t, 10, (int64_t)p->event.count);
    tc_table_number(t, 11, p->epsilon); /* nothing where it is not finite */
}

static void exact_row(tc_table *t, const tc_passage *p, const tc_study_plan *plan)
{
    const char *not_private = tc_study_plan_not_private(plan),
               *about = tc_study_plan_about(plan, p->round);
    const double delta = plan->doc->delta;
    char text[HEX];
    tc_table_integer(t, 0, (int64_t)p->round);
    tc_table_text(t, 1, tc_fate_name(tc_passage_fate(p)));
    if (p->published && !p->before) {
        tc_table_integer(t, 2, (int64_t)p->bytes);
        hex(&p->hash, text);
        tc_table_text(t, 3, text);
        tc_clock_iso(text, p->published_ms);
        tc_table_text(t, 4, text);
    }
    if (p->paid)
        exact_price(t, p);
    tc_table_integer(t, 12, (int64_t)p->heard);
    tc_table_integer(t, 13, (int64_t)p->heard_bytes);
    if (p->heard > 0) {
        hex(&p->heard_hash, text);
        tc_table_text(t, 14, text);
    }
    tc_table_text(t, 15, p->skipped);
    if (p->paid && delta > 0)
        tc_table_number(t, 16, delta);
    if (*not_private)
        tc_table_text(t, 17, not_private);
    if (*about)
        tc_table_text(t, 18, about);
    tc_table_end_row(t);
}

static tacit_status print_exact(const tc_traffic *t, const tc_study_plan *plan, tc_format format,
                                tacit_error *err)
{
    static const char *const names[] = {"round",      "message",       "bytes",      "hash",
                                        "journalled", "ledger",        "entry",      "event",
                                        "parameter",  "sampling_rate", "count",      "epsilon",
                                        "heard",      "heard_bytes",   "heard_hash", "skipped",
                                        "delta",      "not_private",   "about"};
    tc_table *out = tc_table_new(19, names);
    for (size_t i = 0; i < t->n; i++)
        exact_row(out, &t->rounds[i], plan);
    return tc_table_print(out, format, stdout, err);
}

/* ---- one message ---- */

/* A message with what can be read in it. */
typedef struct content {
    const tc_passage *p;
    const char *about;
    tc_text base64;
    double *v; /* NULL: not a vector */
    size_t n;
} content;

static void content_fini(content *c)
{
    tc_text_fini(&c->base64);
    tc_free(c->v);
}

static tacit_status content_read(content *c, const tc_traffic *t, uint64_t round, tacit_error *err)
{
    c->p = tc_traffic_get(t, round);
    if (!c->p || !c->p->published)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no message of round %" PRIu64 " here",
                       round);
    if (c->p->before)
        return tc_fail(err, TACIT_E_STATE,
                       "the message of round %" PRIu64
                       " left before this storage was restored from "
                       "a backup: its bytes are not known",
                       round);
    tc_base64_add(&c->base64, tc_text_get(&t->message), t->message.len);
    if (c->base64.failed)
        return tc_fail_memory(err);
    return tc_message_numbers(&t->message, &c->v, &c->n, err);
}

static void content_people(const content *c)
{
    char text[96], when[32];
    hex(&c->p->hash, text);
    tc_clock_iso(when, c->p->published_ms);
    printf("round       %" PRIu64 "\nmessage     %s\njournalled  %s\nbytes       %zu\n"
           "hash        %s\n",
           c->p->round, tc_fate_name(tc_passage_fate(c->p)), when, c->p->bytes, text);
    if (*c->about)
        printf("about       %s\n", c->about);
    if (c->p->paid) {
        price_text(c->p, text, sizeof text);
        printf("price       %s, entry %" PRIu64 " of ledger %s\n", text, c->p->entry, c->p->ledger);
    }
    if (c->p->skipped)
        printf("no answer   %s\n", c->p->skipped);
    printf("base64      %s\n", tc_text_get(&c->base64));
    for (size_t i = 0; i < c->n; i++)
        printf("%s%14.7g%s", i == 0 ? "numbers\n" : "", c->v[i],
               i % PER_LINE == PER_LINE - 1 || i + 1 == c->n ? "\n" : "");
}

static json_t *content_json(const content *c)
{
    char text[HEX], when[32];
    hex(&c->p->hash, text);
    tc_clock_iso(when, c->p->published_ms);
    json_t *numbers = c->v ? json_array() : json_null();
    for (size_t i = 0; c->v && i < c->n && numbers; i++)
        if (json_array_append_new(numbers, json_real(c->v[i])) != 0) {
            json_decref(numbers);
            return NULL;
        }
    return json_pack("{s:I, s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:s}", "round",
                     (json_int_t)c->p->round, "message", tc_fate_name(tc_passage_fate(c->p)),
                     "journalled", when, "bytes", (json_int_t)c->p->bytes, "hash", text, "event",
                     c->p->paid ? tc_dp_event_json(&c->p->event) : json_null(), "base64",
                     tc_text_get(&c->base64), "numbers", numbers, "about", c->about);
}

static tacit_status print_json(const content *c, tacit_error *err)
{
    json_t *j = content_json(c);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    printf("%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

static tacit_status print_csv(const content *c, tacit_error *err)
{
    static const char *const names[] = {"number", "value"};
    if (!c->v)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the message of round %" PRIu64
                       " is not a vector of numbers; --format json has its bytes",
                       c->p->round);
    tc_table *t = tc_table_new(2, names);
    for (size_t i = 0; i < c->n; i++) {
        tc_table_integer(t, 0, (int64_t)i);
        tc_table_number(t, 1, c->v[i]);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_CSV, stdout, err);
}

static tacit_status print_message(const tc_traffic *t, const tc_study_plan *plan, uint64_t round,
                                  int format, tacit_error *err)
{
    content c = {.about = tc_study_plan_about(plan, round)};
    tacit_status status = content_read(&c, t, round, err);
    if (status == TACIT_OK && format == TC_FORMAT_TABLE)
        content_people(&c);
    else if (status == TACIT_OK)
        status = format == TC_FORMAT_CSV ? print_csv(&c, err) : print_json(&c, err);
    content_fini(&c);
    return status;
}

/* ---- the verb ---- */

static tacit_status inspect(const tc_invocation *in, tc_session *s, tc_traffic *t, tacit_error *err)
{
    const options *o = in->opts;
    TC_TRY(tc_session_look(s, in->args[0], o->storage, err));
    const char *name = in->args[0]; /* the store's: `tacit agent --as` */
    if (!tc_study_get_plan(s->study))
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" is of one party: nothing of it is ever sent", name);
    TC_TRY(tc_traffic_read(t, s->store, name, s->study,
                           o->round < 0 ? TC_NO_MESSAGE : (uint64_t)o->round, err));
    if (o->round >= 0)
        return print_message(t, tc_study_get_plan(s->study), (uint64_t)o->round, in->format, err);
    if (in->format == TC_FORMAT_TABLE)
        return print_people(t, name, tc_study_get_plan(s->study), err);
    return print_exact(t, tc_study_get_plan(s->study), (tc_format)in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_session s = {0};
    tc_traffic t = {0};
    tacit_status status = inspect(in, &s, &t, err);
    tc_traffic_fini(&t);
    tc_session_close(&s);
    return status;
}

const tc_verb tc_verb_inspect = {
    .name = "inspect",
    .usage = "STUDY [options]",
    .summary = "what left this machine: an agent's messages, their price, what came back",
    .details =
        "Reads the storage of an agent and asks nobody. A message is journalled, then paid for in\n"
        "the agent's own ledger, then sent; so each is\n"
        "\n"
        "  sent      paid for, and its round was answered\n"
        "  leaving   paid for, not answered yet: it may have left\n"
        "  ready     not paid for yet: it has not left\n"
        "  withheld  the agent's own ledger refused the price: it does not leave\n"
        "  before    left before this storage was restored from a backup: its bytes are not known\n"
        "\n"
        "epsilon is what the message costs by itself, at the study's delta: both times, where it "
        "was\n"
        "paid for twice because its coordinator was restored from a backup. --round N shows the\n"
        "message as base64 and, where it is a vector, as numbers.\n"
        "\n"
        "  tacit inspect landmine\n"
        "  tacit inspect landmine --round 0\n"
        "  tacit inspect landmine --format csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
