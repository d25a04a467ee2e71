/* fuzz_saved.c - any numbers as the saved state of a bandit's client, as its messages and its
 * broadcasts.
 *
 * The first byte chooses the bandit, the next what is spoiled. A state that is loaded must save as the very
 * same numbers and ask for an arm that it has. (Registered algorithms as they are sent: fuzz_round.c.) */
#include "input.h"

#include "algo/tree/bandit.h"
#include "base/options.h"

enum { CLIENTS = 3, BUDGET = 2000, PULLS = 300 };

typedef struct play {
    const tc_bandit *b;
    tc_bandit_env env;
    void *opts;
} play;

static play play_of(unsigned which)
{
    size_t n = 0;
    while (tc_bandits()[n])
        n++;
    play p = {
        .b = tc_bandits()[which % n],
        .env = {.dim = 2, .clients = CLIENTS, .budget = BUDGET, .seed = tc_public_seed_from(5)}};
    p.opts = tc_alloc(1, p.b->options_size);
    REQUIRE(p.opts && tc_options_defaults(p.b->options, p.opts, NULL) == TACIT_OK);
    return p;
}

static void *client_of(const play *p)
{
    void *c = tc_alloc(1, p->b->client_size);
    REQUIRE(c && p->b->init(c, &p->env, p->opts, NULL) == TACIT_OK);
    return c;
}

static void end_client(const play *p, void *c)
{
    p->b->fini(c);
    tc_free(c);
}

/* Until it waits, or for some pulls. */
static void pull(const play *p, void *c)
{
    for (uint64_t t = 0; t < PULLS;) {
        tc_pulls ask = {0};
        p->b->ask(c, &ask);
        if (ask.n == 0)
            return;
        tc_pulled told = {.arm = ask.arm, .n = ask.n < 20 ? ask.n : 20};
        told.sum = (int64_t)told.n * ((int64_t)(ask.arm % 7) << 25);
        told.squares = told.sum / 8;
        REQUIRE(p->b->tell(c, &told, NULL) == TACIT_OK);
        t += told.n;
    }
}

static tc_numbers spoiled(fuzz_input *in, const tc_numbers *genuine)
{
    tc_numbers out = {0};
    fuzz_piece m = fuzz_spoil(in, genuine->v, genuine->n * sizeof *genuine->v);
    for (size_t i = 0; i + 8 <= m.n; i += 8) {
        int64_t v;
        memcpy(&v, m.bytes + i, 8);
        REQUIRE(tc_numbers_add(&out, v, NULL) == TACIT_OK);
    }
    free(m.bytes);
    return out;
}

static void check_load(fuzz_input *in, const play *p)
{
    void *c = client_of(p), *copy = client_of(p);
    tc_numbers saved = {0}, again = {0};
    pull(p, c);
    REQUIRE(p->b->save(c, &saved, NULL) == TACIT_OK);
    tc_numbers m = spoiled(in, &saved);
    if (p->b->load(copy, &m, NULL, NULL) == TACIT_OK) {
        tc_pulls ask = {0};
        double u[2] = {-1, -1};
        REQUIRE(p->b->save(copy, &again, NULL) == TACIT_OK && again.n == m.n);
        REQUIRE(m.n == 0 || memcmp(again.v, m.v, m.n * sizeof *m.v) == 0);
        p->b->ask(copy, &ask);
        if (ask.n > 0)
            p->b->point(copy, ask.arm, u);
        REQUIRE(ask.n == 0 || (u[0] >= 0 && u[0] <= 1 && u[1] >= 0 && u[1] <= 1));
    }
    end_client(p, c);
    end_client(p, copy);
    tc_numbers_fini(&saved);
    tc_numbers_fini(&again);
    tc_numbers_fini(&m);
}

/* A spoiled message beside a genuine one; then the client absorbs the broadcast, spoiled or not. */
static void check_round(fuzz_input *in, const play *p)
{
    void *c = client_of(p), *server = tc_alloc(1, p->b->server_size);
    tc_numbers message = {0}, broadcast = {0};
    REQUIRE(server && p->b->server_init(server, &p->env, p->opts, 0, NULL) == TACIT_OK);
    pull(p, c);
    REQUIRE(p->b->publish(c, &message, NULL) == TACIT_OK);
    tc_numbers bad = spoiled(in, &message);
    (void)p->b->fold(server, &bad, NULL);
    (void)p->b->fold(server, &message, NULL);
    tc_numbers heard = {0};
    if (p->b->close(server, &broadcast, NULL) == TACIT_OK) {
        heard = spoiled(in, &broadcast);
        if (p->b->absorb(c, &heard, NULL) == TACIT_OK)
            pull(p, c);
    }
    p->b->server_fini(server);
    tc_free(server);
    end_client(p, c);
    tc_numbers_fini(&message);
    tc_numbers_fini(&broadcast);
    tc_numbers_fini(&bad);
    tc_numbers_fini(&heard);
}

FUZZ_TARGET(saved)
{
    fuzz_input in = {data, size};
    play p = play_of(fuzz_byte(&in));
    if (fuzz_byte(&in) % 2 && p.b->save)
        check_load(&in, &p);
    else if (p.b->publish)
        check_round(&in, &p);
    tc_options_fini(p.b->options, p.opts);
    tc_free(p.opts);
    return 0;
}
