/* inspect.c - `tacit inspect`: exactly what left this machine.
 *
 * Reads an agent's own storage and nothing else; the coordinator is not asked. */
#include "frame/verbs.h"
#include "privacy/privacy_cli.h"
#include "study/storage.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"

#include <tacit/agent.h>
#include <tacit/plan.h>

#include <inttypes.h>
#include <math.h>
#include <sodium.h>

enum { HEX = 65, HEX_SHOWN = 16, PER_LINE = 4 };

typedef struct options {
    char *storage;
    int64_t round;
} options;

static const tc_option table[] = {
    TC_STRING_OPTION("storage", offsetof(options, storage), "sqlite:///tacit-agent.db",
                     "the agent's, as `tacit agent` was given it", .value = "URL"),
    TC_INT_OPTION("round", offsetof(options, round), "-1", -1, 9007199254740991.0,
                  "show the message of this round itself; -1 lists all"),
    {.name = NULL}};

static const char *mechanism_name(const tacit_dp_event *e)
{
    static const char *const names[] = {"Gaussian", "Laplace", "Pure", "NonPrivate", "Renyi"};
    return names[e->mechanism];
}

/* "Gaussian 3.94", "Gaussian 1.2, q = 0.25": the price as people read it. */
static void event_text(const tacit_dp_event *e, char *out, size_t size)
{
    if (e->mechanism == TACIT_DP_NONPRIVATE)
        snprintf(out, size, "NOT PRIVATE");
    else if (e->count == 0) /* computed from values that were private already */
        snprintf(out, size, "nothing more");
    else if (e->sampling_rate < 1)
        snprintf(out, size, "%s %.4g, q = %.4g", mechanism_name(e), e->parameter, e->sampling_rate);
    else
        snprintf(out, size, "%s %.4g", mechanism_name(e), e->parameter);
}

/* "Gaussian 3.94, 2 times": a message that was paid for twice may have left twice. */
static void price_text(const tacit_agent_round *r, char *out, size_t size)
{
    char once[64];
    event_text(&r->event, once, sizeof once);
    if (r->times > 1)
        snprintf(out, size, "%s, %" PRIu64 " times", once, r->times);
    else
        snprintf(out, size, "%s", once);
}

/* ---- all rounds, for people ---- */

static void heard_text(const tacit_agent_round *r, char *out, size_t size)
{
    if (r->heard > 0)
        snprintf(out, size, "%zu bytes", r->heard_bytes);
    else
        snprintf(out, size, "%s", r->skipped ? r->skipped : "nothing yet");
}

static void people_price(tc_table *t, const tacit_agent_round *r)
{
    char text[96];
    if (!r->ledger) {
        tc_table_text(t, 5, "nothing");
        return;
    }
    price_text(r, text, sizeof text);
    tc_table_text(t, 5, text);
    if (!isnan(r->epsilon)) {
        tacit_epsilon_text(text, r->epsilon);
        tc_table_text(t, 6, text);
    }
}

static void people_row(tc_table *t, const tacit_agent_round *r)
{
    char text[256];
    tc_table_integer(t, 0, (int64_t)r->round);
    tc_table_text(t, 1, tacit_message_state_name(r->state));
    if (r->message) {
        tc_table_integer(t, 2, (int64_t)r->message_size);
        tacit_hash_text(&r->hash, text);
        text[HEX_SHOWN] = '\0';
        tc_table_text(t, 3, text);
        tc_clock_iso(text, r->made_ms);
        tc_table_text(t, 4, text);
    }
    people_price(t, r);
    heard_text(r, text, sizeof text);
    tc_table_text(t, 7, text);
    if (*r->about)
        tc_table_text(t, 8, r->about);
    tc_table_end_row(t);
}

/* For whom they were, and who can read them. All rounds are of one study. */
static void print_shares(const tacit_agent_round *r, uint64_t bytes)
{
    if (r->trustees == 0)
        return;
    printf("They left as shares, one for each of trustees 0 to %" PRIu64 ", sealed for it, %" PRIu64
           " bytes in all: the coordinator\ncarries them and can read none. Nobody can read a "
           "message alone; %" PRIu64 " trustees together can.\n",
           r->trustees - 1, bytes, r->readers);
}

/* Bytes that left, or may have. */
static void print_sum(const tacit_traffic *t, const char *study)
{
    size_t left = 0, bytes = 0, kept = 0, before = 0;
    uint64_t shares = 0;
    for (size_t i = 0; i < tacit_traffic_count(t); i++) {
        const tacit_agent_round *r = tacit_traffic_get(t, i);
        left += r->ledger != NULL;
        before += r->state == TACIT_MESSAGE_BEFORE;
        bytes += r->ledger ? r->message_size : 0;
        shares += r->ledger ? r->share_bytes : 0;
        kept += r->message && !r->ledger;
    }
    printf("\n%zu message%s of study %s left this machine or may have: %zu bytes before their "
           "envelope.\n",
           left, left == 1 ? "" : "s", study, bytes);
    print_shares(tacit_traffic_get(t, 0), shares);
    if (before > 0)
        printf("%zu of them left before this storage was restored: their bytes are not known.\n",
               before);
    printf("%zu did not leave. tacit inspect %s --round N shows one.\n", kept, study);
}

/* Towards whom: a coordinator that adds up, or the trustees of the document. */
static tacit_status print_trust(const char *storage, const char *study, tacit_error *err)
{
    tacit_study *s;
    tacit_plan *p = NULL;
    TC_TRY(tacit_study_open(&s, storage, study, NULL, err));
    tacit_status status = tacit_plan_new(&p, tacit_study_document(s), err);
    const tacit_plan_summary *plan = tacit_plan_summarize(p);
    tc_text text = {0};
    if (status == TACIT_OK && plan->trustees && plan->trust) {
        tc_text_addf(&text, "%s.", plan->trust);
        tc_privacy_paragraph(tc_text_get(&text));
    } else if (status == TACIT_OK) {
        printf("%s.\n", tacit_statement_trust());
    }
    tc_text_fini(&text);
    tacit_plan_free(p);
    tacit_study_close(s);
    return status;
}

/* No epsilon without the words that it rests on. All rounds are of one study. */
static tacit_status print_promise(const tacit_agent_round *r, const char *storage,
                                  const char *study, tacit_error *err)
{
    char delta[32];
    if (*r->not_private)
        printf("NOT PRIVATE: %s.\n", r->not_private);
    if (!(r->delta > 0))
        return TACIT_OK;
    if (r->ledger && r->event.count == 0 && !*r->not_private) {
        printf("Messages cost nothing: they were computed from values that got noise for single "
               "records first.\nWhat those values cost: tacit privacy status %s.\n",
               r->ledger);
        return TACIT_OK;
    }
    tacit_delta_text(delta, r->delta);
    printf("epsilon is at delta %s, for each message by itself (pld, since one document fixed it). "
           "What a ledger\nhas spent in all, over several studies by a filter: tacit privacy "
           "status.\n",
           delta);
    return print_trust(storage, study, err);
}

/* What trials reported on their way is in no message by itself. */
static tacit_status print_kept(const char *storage, const char *study, tacit_error *err)
{
    tacit_study *s;
    tacit_trials *all;
    size_t n = 0;
    TC_TRY(tacit_study_open(&s, storage, study, NULL, err));
    tacit_status status = tacit_study_trials(s, NULL, &all, err);
    for (size_t i = 0; status == TACIT_OK && i < tacit_trials_count(all); i++)
        n += tacit_trials_get(all, i)->n_steps;
    if (status == TACIT_OK)
        tacit_trials_free(all);
    tacit_study_close(s);
    if (n > 0)
        printf("%zu intermediate value%s of its trials stayed in this storage, and cost nothing.\n",
               n, n == 1 ? "" : "s");
    return status;
}

static tacit_status print_people(const tacit_traffic *t, const char *storage, const char *study,
                                 tacit_error *err)
{
    static const char *const names[] = {"round", "message", "bytes", "hash", "journalled",
                                        "price", "epsilon", "heard", "about"};
    const tacit_agent_round *first = tacit_traffic_get(t, 0);
    if (!first) {
        printf("nothing of study %s has left this machine: there was no round yet\n", study);
        return print_kept(storage, study, err);
    }
    tc_table *out = tc_table_new(*first->about ? 9 : 8, names);
    for (size_t i = 0; i < tacit_traffic_count(t); i++)
        people_row(out, tacit_traffic_get(t, i));
    TC_TRY(tc_table_print(out, TC_FORMAT_TABLE, stdout, err));
    print_sum(t, study);
    TC_TRY(print_promise(first, storage, study, err));
    return print_kept(storage, study, err);
}

/* ---- all rounds, for programs ---- */

static void exact_price(tc_table *t, const tacit_agent_round *r)
{
    tc_table_text(t, 5, r->ledger);
    tc_table_integer(t, 6, (int64_t)r->entry);
    tc_table_text(t, 7, mechanism_name(&r->event));
    if (r->event.mechanism != TACIT_DP_NONPRIVATE)
        tc_table_number(t, 8, r->event.parameter);
    tc_table_number(t, 9, r->event.sampling_rate);
    tc_table_integer(t, 10, (int64_t)r->event.count);
    tc_table_number(t, 11, r->epsilon); /* nothing where it is not finite */
    if (r->delta > 0)
        tc_table_number(t, 16, r->delta);
}

static void exact_row(tc_table *t, const tacit_agent_round *r)
{
    char text[HEX];
    tc_table_integer(t, 0, (int64_t)r->round);
    tc_table_text(t, 1, tacit_message_state_name(r->state));
    if (r->message) {
        tc_table_integer(t, 2, (int64_t)r->message_size);
        tacit_hash_text(&r->hash, text);
        tc_table_text(t, 3, text);
        tc_clock_iso(text, r->made_ms);
        tc_table_text(t, 4, text);
    }
    if (r->ledger)
        exact_price(t, r);
    tc_table_integer(t, 12, (int64_t)r->heard);
    tc_table_integer(t, 13, (int64_t)r->heard_bytes);
    if (r->heard > 0) {
        tacit_hash_text(&r->heard_hash, text);
        tc_table_text(t, 14, text);
    }
    tc_table_text(t, 15, r->skipped);
    if (*r->not_private)
        tc_table_text(t, 17, r->not_private);
    if (*r->about)
        tc_table_text(t, 18, r->about);
    if (r->trustees > 0) {
        tc_table_integer(t, 19, (int64_t)r->trustees);
        tc_table_integer(t, 20, (int64_t)r->readers);
        tc_table_integer(t, 21, (int64_t)r->share_bytes);
    }
    tc_table_end_row(t);
}

static tacit_status print_exact(const tacit_traffic *t, tc_format format, tacit_error *err)
{
    static const char *const names[] = {
        "round", "message",     "bytes",      "hash",          "journalled", "ledger",
        "entry", "event",       "parameter",  "sampling_rate", "count",      "epsilon",
        "heard", "heard_bytes", "heard_hash", "skipped",       "delta",      "not_private",
        "about", "trustees",    "readers",    "share_bytes"};
    const tacit_agent_round *first = tacit_traffic_get(t, 0);
    tc_table *out = tc_table_new(first && first->trustees > 0 ? 22 : 19, names);
    for (size_t i = 0; i < tacit_traffic_count(t); i++)
        exact_row(out, tacit_traffic_get(t, i));
    return tc_table_print(out, format, stdout, err);
}

/* ---- one message ---- */

static tacit_status find_message(const tacit_traffic *t, uint64_t round,
                                 const tacit_agent_round **out, tacit_error *err)
{
    const tacit_agent_round *r = NULL;
    for (size_t i = 0; i < tacit_traffic_count(t) && !(r && r->round == round); i++)
        r = tacit_traffic_get(t, i);
    if (r && r->round == round && r->state == TACIT_MESSAGE_BEFORE)
        return tc_fail(err, TACIT_E_STATE,
                       "the message of round %" PRIu64
                       " left before this storage was restored from "
                       "a backup: its bytes are not known",
                       round);
    if (!r || r->round != round || !r->message)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no message of round %" PRIu64 " here",
                       round);
    *out = r;
    return TACIT_OK;
}

static void message_people(const tacit_agent_round *r, const char *base64)
{
    char text[96], when[32];
    tacit_hash_text(&r->hash, text);
    tc_clock_iso(when, r->made_ms);
    printf("round       %" PRIu64 "\nmessage     %s\njournalled  %s\nbytes       %zu\n"
           "hash        %s\n",
           r->round, tacit_message_state_name(r->state), when, r->message_size, text);
    if (*r->about)
        printf("about       %s\n", r->about);
    if (r->ledger) {
        price_text(r, text, sizeof text);
        printf("price       %s, entry %" PRIu64 " of ledger %s\n", text, r->entry, r->ledger);
    }
    if (r->trustees > 0)
        printf("left as     %" PRIu64 " bytes: a share for each of trustees 0 to %" PRIu64
               "\nreadable    by nobody alone; by %" PRIu64 " trustees together\n",
               r->share_bytes, r->trustees - 1, r->readers);
    if (r->skipped)
        printf("no answer   %s\n", r->skipped);
    printf("base64      %s\n", base64);
    for (size_t i = 0; i < r->n_numbers; i++)
        printf("%s%14.7g%s", i == 0 ? "numbers\n" : "", r->numbers[i],
               i % PER_LINE == PER_LINE - 1 || i + 1 == r->n_numbers ? "\n" : "");
}

static json_t *message_json(const tacit_agent_round *r, const char *base64)
{
    char text[HEX], when[32];
    tacit_hash_text(&r->hash, text);
    tc_clock_iso(when, r->made_ms);
    json_t *numbers = r->numbers ? json_array() : json_null();
    for (size_t i = 0; r->numbers && i < r->n_numbers; i++)
        if (json_array_append_new(numbers, json_real(r->numbers[i])) != 0) {
            json_decref(numbers);
            return NULL;
        }
    json_t *j = json_pack("{s:I, s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:s}", "round",
                          (json_int_t)r->round, "message", tacit_message_state_name(r->state),
                          "journalled", when, "bytes", (json_int_t)r->message_size, "hash", text,
                          "event", r->ledger ? tc_privacy_event_json(&r->event) : json_null(),
                          "base64", base64, "numbers", numbers, "about", r->about);
    if (r->trustees > 0 && j)
        json_object_update_new(j, json_pack("{s:I, s:I, s:I}", "trustees", (json_int_t)r->trustees,
                                            "readers", (json_int_t)r->readers, "share_bytes",
                                            (json_int_t)r->share_bytes));
    return j;
}

static tacit_status print_json(const tacit_agent_round *r, const char *base64, tacit_error *err)
{
    json_t *j = message_json(r, base64);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    printf("%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

static tacit_status print_csv(const tacit_agent_round *r, tacit_error *err)
{
    static const char *const names[] = {"number", "value"};
    if (!r->numbers)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the message of round %" PRIu64
                       " is not a vector of numbers; --format json has its bytes",
                       r->round);
    tc_table *t = tc_table_new(2, names);
    for (size_t i = 0; i < r->n_numbers; i++) {
        tc_table_integer(t, 0, (int64_t)i);
        tc_table_number(t, 1, r->numbers[i]);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_CSV, stdout, err);
}

static tacit_status print_message(const tacit_traffic *t, uint64_t round, int format,
                                  tacit_error *err)
{
    const tacit_agent_round *r;
    TC_TRY(find_message(t, round, &r, err));
    if (format == TC_FORMAT_CSV)
        return print_csv(r, err);
    size_t size = sodium_base64_encoded_len(r->message_size, sodium_base64_VARIANT_ORIGINAL);
    char *base64 = tc_alloc(size, 1);
    if (!base64)
        return tc_fail_memory(err);
    sodium_bin2base64(base64, size, r->message, r->message_size, sodium_base64_VARIANT_ORIGINAL);
    tacit_status status = TACIT_OK;
    if (format == TC_FORMAT_TABLE)
        message_people(r, base64);
    else
        status = print_json(r, base64, err);
    tc_free(base64);
    return status;
}

/* ---- the verb ---- */

/* study: the storage's name of it (`tacit agent --as`). */
static tacit_status inspect(const tc_invocation *in, const char *study, tacit_error *err)
{
    const options *o = in->opts;
    tacit_traffic *t;
    TC_TRY(tacit_agent_inspect(&t, tc_storage_url(o->storage), study, err));
    tacit_status status;
    if (o->round >= 0)
        status = print_message(t, (uint64_t)o->round, in->format, err);
    else if (in->format == TC_FORMAT_TABLE)
        status = print_people(t, tc_storage_url(o->storage), study, err);
    else
        status = print_exact(t, (tc_format)in->format, err);
    tacit_traffic_free(t);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tacit_document *given = NULL;
    if (tc_is_document(in->args[0]))
        TC_TRY(tacit_document_read(&given, in->args[0], err));
    tacit_status status = inspect(in, given ? tacit_document_name(given) : in->args[0], err);
    tacit_document_free(given);
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
        "message as base64 and, where it is a vector, as numbers. In a study with trustees a "
        "message\n"
        "leaves as shares: for whom, how many bytes, and who can read it, is said.\n"
        "\n"
        "  tacit inspect landmine\n"
        "  tacit inspect landmine --round 0\n"
        "  tacit inspect landmine --format csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
