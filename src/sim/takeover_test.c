/* takeover_test.c - two coordinators on one store, of which one dies or stands still at any write of a
 * closing round. The other ends the round, with the very release that there would have been, and the study goes
 * on; and whoever comes back later changes nothing.
 *
 * On a store in memory, or on the server TACIT_POSTGRES where that is set. */
#include "support/coord_world.h"
#include "support/crash_store.h"

#include <stdlib.h>

enum { AGENTS = 3, ROUNDS = 2, FEATURES = 4 };

typedef struct pair {
    coord_world first, second;
    crash_store store; /* the first one's */
} pair;

/* ---- the world ---- */

static tc_store *open_disk(void)
{
    tacit_error err = {0};
    const char *server = getenv("TACIT_POSTGRES");
    tc_store *s;
    assert_ok(tc_store_open(&s, server ? server : "memory:", true, &err));
    return s;
}

/* A name of its own for each: a server keeps the studies of all runs. */
static void name_study(char out[64])
{
    static int n;
    snprintf(out, 64, "takeover-%d", ++n);
}

static void begin(pair *p)
{
    char name[64], text[1024];
    *p = (pair){.first = {.now_ms = 1000}, .second = {.now_ms = 1000}};
    crash_init(&p->store, open_disk());
    world_open(&p->first, &p->store.base, 7);
    if (!*p->first.operator_token) { /* another run has made the first one */
        tacit_error err = {0};
        tc_text token = {0};
        assert_ok(tc_coord_new_operator_token(p->first.coord, &token, &err));
        snprintf(p->first.operator_token, 64, "%s", tc_text_get(&token));
        tc_text_fini(&token);
    }
    name_study(name);
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": %d, \"initial\": 2,"
             " \"releases\": \"all\"}, \"federation\": {\"agents\": %d},"
             " \"privacy\": {\"noise_multiplier\": 3, \"delta\": 0.01}}",
             name, FEATURES, AGENTS);
    world_create(&p->first, name, text);
    world_enrol_all(&p->first, AGENTS);
    p->second = p->first;
    world_open(&p->second, p->store.disk, 7);
}

static void end(pair *p)
{
    tc_coord_free(p->first.coord);
    tc_coord_free(p->second.coord);
    crash_fini(&p->store);
}

/* ---- messages ---- */

/* Of the form that the study asks for (dp_fts_de/message.c): found by trying the grids that there are. */
static void post(coord_world *w, citizen *c, uint64_t round)
{
    static int8_t grid = 0;
    uint8_t m[16 + 8 * FEATURES] = "TDE1";
    int status = 400;
    m[8] = (uint8_t)round;
    for (int i = 0; i < FEATURES; i++)
        m[16 + 8 * i] = (uint8_t)(10 * c->number + (uint64_t)i);
    c->sequence++;
    for (int tries = 0; tries < 128 && status == 400; tries++) {
        memset(m + 4, grid < 0 ? 0xff : 0, 4);
        m[4] = (uint8_t)grid;
        status = world_post_bytes(w, c, round, c->sequence, m, sizeof m, NULL);
        if (status == 400)
            grid++;
    }
    assert_int_equal(status, 202);
}

static void post_all(coord_world *w, uint64_t round)
{
    for (size_t i = 0; i < AGENTS; i++)
        post(w, &w->agents[i], round);
}

/* ---- what must be ---- */

typedef struct release {
    uint8_t *bytes;
    size_t n;
} release;

static release release_of(coord_world *w, uint64_t round)
{
    release r = {0};
    assert_int_equal(world_broadcast(w, w->agents[0].access, round, &r.bytes, &r.n), 200);
    return r;
}

static void assert_released(coord_world *w, uint64_t round, const release *expected)
{
    release r = release_of(w, round);
    assert_int_equal(r.n, expected->n);
    assert_memory_equal(r.bytes, expected->bytes, r.n);
    tc_free(r.bytes);
}

static void assert_one_entry_a_round(pair *p, uint64_t rounds)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tacit_head head;
    assert_ok(tc_store_ledger(p->store.disk, p->first.study, false, &io, &err));
    assert_ok(io.head(&io, &head, &err));
    assert_int_equal(head.seq, rounds);
}

static void assert_erased(pair *p)
{
    tacit_error err = {0};
    tc_study_row row;
    uint64_t n;
    assert_ok(tc_store_study_get(p->store.disk, p->first.study, &row, &err));
    tc_record_range all = {.study = row.id, .kind = TC_RECORD_MESSAGE};
    tc_study_row_fini(&row);
    assert_ok(tc_store_record_count(p->store.disk, &all, &n, &err));
    assert_int_equal(n, 0);
}

/* ---- a calm run ---- */

typedef struct calm {
    release releases[ROUNDS];
    uint64_t writes; /* of the first closing */
} calm;

static int run_calm(void **state)
{
    static calm c;
    pair p;
    begin(&p);
    for (uint64_t r = 0; r < ROUNDS; r++) {
        post_all(&p.first, r);
        uint64_t before = p.store.writes;
        world_tick(&p.first);
        if (r == 0)
            c.writes = p.store.writes - before;
        c.releases[r] = release_of(&p.second, r);
    }
    assert_one_entry_a_round(&p, ROUNDS);
    end(&p);
    *state = &c;
    return 0;
}

static int free_calm(void **state)
{
    calm *c = *state;
    for (uint64_t r = 0; r < ROUNDS; r++)
        tc_free(c->releases[r].bytes);
    return 0;
}

/* The second coordinator runs the rest of the study. */
static void go_on(pair *p, const calm *c)
{
    assert_released(&p->second, 0, &c->releases[0]);
    for (uint64_t r = 1; r < ROUNDS; r++) {
        memcpy(p->second.agents, p->first.agents, sizeof p->second.agents);
        post_all(&p->second, r);
        world_tick(&p->second);
        assert_released(&p->second, r, &c->releases[r]);
    }
    assert_one_entry_a_round(p, ROUNDS);
    assert_erased(p);
}

/* ---- the tests ---- */

static void one_dies(const calm *c, uint64_t at, bool after)
{
    pair p;
    tacit_error err = {0};
    int64_t next;
    begin(&p);
    post_all(&p.first, 0);
    p.store.at = p.store.writes + at;
    p.store.after = after;
    assert_fails(tc_coord_tick(p.first.coord, &next, &err), TACIT_E_IO, "dead");
    world_tick(&p.second);
    go_on(&p, c);
    end(&p);
}

static void the_other_ends_the_round_of_one_that_died(void **state)
{
    const calm *c = *state;
    assert_true(c->writes >= 4); /* closing, the ledger, closed, erased */
    for (uint64_t at = 1; at <= c->writes; at++)
        for (int after = 0; after < 2; after++)
            one_dies(c, at, after);
}

static void tick_second(void *user)
{
    pair *p = user;
    p->store.at = 0;
    world_tick(&p->second);
    world_tick(&p->second);
}

static void two_close_at_once(void **state)
{
    const calm *c = *state;
    for (uint64_t at = 1; at <= c->writes; at++) {
        pair p;
        begin(&p);
        post_all(&p.first, 0);
        p.store.at = p.store.writes + at;
        p.store.meanwhile = tick_second;
        p.store.user = &p;
        world_tick(&p.first);            /* comes back into a round that is over */
        assert_int_equal(p.store.at, 0); /* it did stand still */
        assert_released(&p.first, 0, &c->releases[0]);
        go_on(&p, c);
        world_tick(&p.first);
        end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_ends_the_round_of_one_that_died),
        cmocka_unit_test(two_close_at_once),
    };
    return cmocka_run_group_tests(tests, run_calm, free_calm);
}
