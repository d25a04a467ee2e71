/* fuzz_answers.c - any answers of a coordinator, as an agent hears them: the offer, its place, ledgers,
 * acknowledgements, broadcasts.
 *
 * A small study is run once with a genuine coordinator, and what it answered to one agent is kept. Then that
 * agent lives again, from an empty store, and the input spoils one answer after another: their status, their
 * bytes. Where nothing is spoiled the agent must come to its end; else it may stop with a failure, and must
 * not do anything worse. */
#include "input.h"

#include "agent/agent.h"
#include "base/error.h"
#include "support/coord_world.h"

enum { AGENTS = 2, ANSWERS_MOST = 64, STEPS_MOST = 60 };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 4, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"%s\", \"features\": 4, \"initial\": 2%s},"
    " \"federation\": {\"agents\": 2}, \"privacy\": %s}";

typedef struct answer {
    char method[8], path[128];
    int status;
    tc_text body;
} answer;

typedef struct transcript {
    coord_world w;
    char token[64];
    answer list[ANSWERS_MOST];
    size_t n;
} transcript;

/* ---- an agent ---- */

typedef struct party {
    tc_store *store;
    tc_agent *agent;
    tc_agent_config cfg;
} party;

static void open_party(party *p, uint64_t i, const char *token, tc_transport t)
{
    *p = (party){.cfg = {.transport = t,
                         .study = "s",
                         .join_token = token,
                         .ledger = "mine",
                         .accepts_not_private = true,
                         .seeded = true,
                         .seed = 7,
                         .key_salt = i}};
    REQUIRE(tc_store_open(&p->store, "memory:", true, NULL) == TACIT_OK);
    p->cfg.store = p->store;
}

static void close_party(party *p)
{
    tc_agent_close(p->agent);
    tc_store_close(p->store);
}

static void one_trial(party *p)
{
    tc_study *s = tc_agent_study(p->agent);
    uint64_t trial;
    double x;
    REQUIRE(tc_study_ask(s, NULL, 0, &trial, &x, NULL) == TACIT_OK);
    REQUIRE(x >= 0 && x <= 1);
    REQUIRE(tc_study_tell(s, trial, NULL, x * (1 - x), NULL) == TACIT_OK);
}

static tacit_status step(party *p, tc_agent_next *next)
{
    tacit_status status = tc_agent_step(p->agent, 0, next, NULL);
    if (status == TACIT_OK && *next == TC_AGENT_TRIAL)
        one_trial(p);
    return status;
}

/* ---- the genuine coordinator ---- */

static tacit_status carry(void *user, const tc_call *call, int *status, tc_text *body,
                          tacit_error *err)
{
    transcript *t = user;
    bool closes;
    (void)err;
    world_carry(&t->w, call, status, body, &closes);
    if (closes)
        world_tick(&t->w);
    return TACIT_OK;
}

static tacit_status record(void *user, const tc_call *call, int *status, tc_text *body,
                           tacit_error *err)
{
    transcript *t = user;
    answer *a = &t->list[t->n++];
    REQUIRE(t->n < ANSWERS_MOST);
    (void)carry(user, call, status, body, err);
    snprintf(a->method, sizeof a->method, "%s", call->method);
    snprintf(a->path, sizeof a->path, "%s", call->path);
    a->status = *status;
    tc_text_add_bytes(&a->body, tc_text_get(body), body->len);
    return TACIT_OK;
}

static void run_genuine(transcript *t)
{
    party parties[AGENTS];
    tc_agent_outlook o;
    tc_agent_next next[AGENTS] = {TC_AGENT_AGAIN, TC_AGENT_AGAIN};
    for (uint64_t i = 0; i < AGENTS; i++)
        open_party(&parties[i], i, t->token, (tc_transport){i ? carry : record, t});
    REQUIRE(tc_agent_preview(&parties[0].cfg, &o, NULL) == TACIT_OK);
    tc_study_doc_free(o.document);
    for (uint64_t i = 0; i < AGENTS; i++)
        REQUIRE(tc_agent_open(&parties[i].agent, &parties[i].cfg, NULL) == TACIT_OK);
    /* the other one goes first, so that the one that is recorded does not wait */
    for (int k = 0; next[0] != TC_AGENT_DONE; k++)
        for (uint64_t i = AGENTS; i-- > 0;)
            REQUIRE(k < STEPS_MOST && step(&parties[i], &next[i]) == TACIT_OK);
    for (uint64_t i = 0; i < AGENTS; i++)
        close_party(&parties[i]);
}

static void make_transcript(transcript *t, const char *algorithm, const char *more,
                            const char *privacy)
{
    char text[1024];
    tc_store *store;
    t->w.now_ms = 1000;
    REQUIRE(tc_store_open(&store, "memory:", true, NULL) == TACIT_OK);
    world_open(&t->w, store, 7);
    snprintf(text, sizeof text, document, algorithm, more, privacy);
    world_create(&t->w, "s", text);
    world_join_token(&t->w, AGENTS, t->token);
    run_genuine(t);
    world_close(&t->w);
}

/* Made once, kept until the process ends. */
static transcript *transcript_of(unsigned which)
{
    static transcript sums, relay;
    if (which % 2) {
        if (relay.n == 0)
            make_transcript(
                &relay, "fts",
                ", \"own\": \"features\", \"mode\": \"general\", \"schedule\": \"constant\","
                " \"follow\": 0.9",
                "\"none\"");
        return &relay;
    }
    if (sums.n == 0)
        make_transcript(&sums, "dp-fts-de", ", \"releases\": \"all\"",
                        "{\"noise_multiplier\": 2, \"delta\": 0.01}");
    return &sums;
}

/* ---- the spoiled one ---- */

typedef struct liar {
    const transcript *t;
    fuzz_input in;
    bool used[ANSWERS_MOST];
    size_t calls, spoiled;
} liar;

/* The first answer to such a request that was not given yet, or the last that was. */
static const answer *find_answer(liar *l, const tc_call *call)
{
    const answer *found = NULL;
    for (size_t i = 0; i < l->t->n; i++) {
        const answer *a = &l->t->list[i];
        if (strcmp(a->path, call->path) != 0 || strcmp(a->method, call->method) != 0)
            continue;
        found = a;
        if (!l->used[i]) {
            l->used[i] = true;
            break;
        }
    }
    return found;
}

static tacit_status lie(void *user, const tc_call *call, int *status, tc_text *body,
                        tacit_error *err)
{
    liar *l = user;
    const answer *a = find_answer(l, call);
    unsigned how = fuzz_byte(&l->in);
    if (!a || ++l->calls > 2 * ANSWERS_MOST)
        return tc_fail(err, TACIT_E_IO, "no answer");
    *status = a->status;
    l->spoiled += how != 0;
    if (how & 1)
        *status = 100 + (int)(fuzz_u16(&l->in) % 500);
    fuzz_piece m = how & 2 ? fuzz_spoil(&l->in, tc_text_get(&a->body), a->body.len)
                           : fuzz_copy(tc_text_get(&a->body), a->body.len);
    tc_text_add_bytes(body, m.bytes, m.n);
    free(m.bytes);
    return TACIT_OK;
}

static void live(liar *l, party *p)
{
    tc_agent_outlook o;
    tc_agent_next next = TC_AGENT_AGAIN;
    tacit_status status = tc_agent_preview(&p->cfg, &o, NULL);
    if (status == TACIT_OK) {
        tc_study_doc_free(o.document);
        status = tc_agent_open(&p->agent, &p->cfg, NULL);
    }
    for (int k = 0; status == TACIT_OK && next != TC_AGENT_DONE && k < STEPS_MOST; k++)
        status = step(p, &next);
    REQUIRE(l->spoiled > 0 || next == TC_AGENT_DONE);
}

FUZZ_TARGET(answers)
{
    liar l = {.in = {data, size}};
    party p;
    transcript *t = transcript_of(fuzz_byte(&l.in));
    l.t = t;
    open_party(&p, 0, t->token, (tc_transport){lie, &l});
    live(&l, &p);
    close_party(&p);
    return 0;
}
