/* batch_journal_test.c - bandits as algorithms by batches, journalled in SQLite and killed on the way,
 * against the same bandits by pulls and by single trials: the same clients, bit for bit.
 *
 * What is kept of an agent is its journal alone, in the stored form; the coordinator is the algorithm's
 * aggregator over the messages that the journals hold. */
#include "support/test.h"

#include "algo/batch.h"
#include "algo/optimizer.h"
#include "algo/tree/tree_agent.h"
#include "algo/tree/tree_algorithms.h"
#include "base/memory.h"
#include "sim/bandit_simulation.h"
#include "study/store.h"
#include "wire/event_json.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGENTS = 3, PULLS = 2000 };

/* ---- the world: values that noise of +-0.1 does not lead out of [0,1] ---- */

static uint64_t
    evaluations; /* of the driver by pulls: one for each ask where arms have no number */

static double hill(const void *of, uint64_t m, const double *u)
{
    (void)of;
    evaluations++;
    return 0.85 - 0.4 * fabs(u[0] - (0.3 + 0.1 * (double)m)) - 0.3 * fabs(u[1] - 0.62);
}

static double top(const void *of, uint64_t m)
{
    (void)of;
    (void)m;
    return 0.85;
}

static const tc_rewards rewards = {.dim = 2, .value = hill, .best = top, .scale = 0.1};

static tc_space *square(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(s, "y", 0, 1, 0, false, &err));
    return s;
}

/* ---- agents whose bandit can be seen ---- */

static const void *born; /* the state that was initialised last */
static tacit_status (*init)(void *st, const tc_env *env, const void *opts, tacit_error *err);

static tacit_status init_seen(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    born = st;
    return init(st, env, opts, err);
}

typedef struct agent {
    int64_t id; /* of its journal */
    tc_optimizer *o;
    const tc_tree_trials *trials; /* the beginning of its state */
    tc_reward_source source;
    double regret;
    size_t asks;
    uint64_t published; /* rounds */
    tc_text message;    /* of the last of them */
} agent;

typedef struct world {
    tc_algorithm algorithm;
    tc_optimizer_ops ops;
    tc_space *space;
    tc_store *store;
    agent agents[AGENTS];
    uint64_t most; /* pulls in one trial */
    long left;     /* events until the process is killed; < 0: never */
} world;

static char folder[] = "/tmp/tacit-batch-XXXXXX";
static char url[160];

static void remove_files(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/j.db%s", folder, ends[i]);
        unlink(path);
    }
}

/* ---- journals ---- */

static void note(world *w, agent *a, const tc_event *e)
{
    uint64_t m = (uint64_t)(a - w->agents);
    if (e->kind == TC_EVENT_ASK)
        a->asks++;
    if (e->kind == TC_EVENT_TELL) {
        const tc_trial *t = tc_optimizer_trial(a->o, e->trial);
        a->regret += (double)t->pulls * fmax(0.85 - hill(NULL, m, t->values), 0);
    }
    if (e->kind == TC_EVENT_PUBLISH) {
        a->published = e->round + 1;
        a->message.len = 0;
        tc_text_add_bytes(&a->message, e->bytes, e->n_bytes);
    }
}

typedef struct reader {
    world *w;
    agent *a;
} reader;

static tacit_status apply_row(void *user, const tc_event_row *row, tacit_error *err)
{
    const reader *r = user;
    tc_arena scratch = {0};
    tc_event e = {.seq = row->seq, .kind = row->kind, .trial = row->trial, .time_ms = row->time_ms};
    tacit_status status = tc_event_decode(r->w->space, row->body, &scratch, &e, err);
    if (status == TACIT_OK)
        status = tc_optimizer_apply(r->a->o, &e, err);
    if (status == TACIT_OK)
        note(r->w, r->a, &e);
    tc_arena_fini(&scratch);
    return status;
}

/* Stores an event, and only then lets the optimizer know its stored form. */
static void append(world *w, agent *a, const tc_event *e)
{
    tacit_error err = {0};
    char *body = tc_event_encode(w->space, e);
    tc_event_row row = {.kind = e->kind, .trial = e->trial, .time_ms = e->time_ms, .body = body};
    assert_non_null(body);
    assert_ok(tc_store_append(
        w->store,
        &(tc_append){.study = a->id, .head = tc_optimizer_seq(a->o), .events = &row, .n = 1},
        &row.seq, &err));
    if (w->left-- == 0)
        kill(getpid(), SIGKILL);
    assert_ok(apply_row(&(reader){w, a}, &row, &err));
    tc_free(body);
}

static int64_t journal_of(tc_store *store, uint64_t m)
{
    tacit_error err = {0};
    char name[16], document[] = "{}";
    snprintf(name, sizeof name, "agent %d", (int)m);
    tc_study_row row = {.name = name, .document = document}, found;
    if (tc_store_study_get(store, name, &found, &err) == TACIT_OK) {
        row.id = found.id;
        tc_study_row_fini(&found);
    } else {
        assert_ok(tc_store_study_put(store, &row, &row.id, &err));
    }
    return row.id;
}

static void open_agent(world *w, uint64_t m)
{
    tacit_error err = {0};
    agent *a = &w->agents[m];
    bool federated = tc_algorithm_federated(&w->algorithm);
    tc_optimizer_config cfg = {.algorithm = &w->algorithm,
                               .space = w->space,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(5),
                               .party_seed = tc_party_seed_from(5),
                               .party = m,
                               .agents = federated ? AGENTS : 0,
                               .budget = PULLS};
    *a = (agent){.id = journal_of(w->store, m)};
    assert_ok(tc_optimizer_new(&a->o, &cfg, &err));
    a->trials = born;
    assert_ok(tc_store_scan(w->store, a->id, 0, apply_row, &(reader){w, a}, &err));
    tc_reward_source_init(&a->source, &rewards, 5, m);
    tc_reward_source_seek(&a->source, tc_optimizer_pulls(a->o, TC_TRIAL_COMPLETE));
}

static void open_world(world *w, const tc_algorithm *a, const char *storage, uint64_t most,
                       long left)
{
    tacit_error err = {0};
    *w = (world){.algorithm = *a, .ops = *a->optimizer, .most = most, .left = left};
    init = a->optimizer->init;
    w->ops.init = init_seen;
    w->algorithm.optimizer = &w->ops;
    w->space = square();
    assert_ok(tc_store_open(&w->store, storage, true, &err));
    for (uint64_t m = 0; m < AGENTS; m++)
        open_agent(w, m);
}

static void close_world(world *w)
{
    for (uint64_t m = 0; m < AGENTS; m++) {
        tc_optimizer_free(w->agents[m].o);
        tc_text_fini(&w->agents[m].message);
    }
    tc_store_close(w->store);
    tc_space_free(w->space);
}

/* ---- what agents and the coordinator do ---- */

static void run_trial(world *w, agent *a, const tc_trial *t)
{
    tacit_error err = {0};
    tc_event e;
    tc_pulled p;
    double value = hill(NULL, (uint64_t)(a - w->agents), t->values);
    tc_reward_draw(&a->source, value, t->pulls, &p);
    tc_batch b = {p.n, p.sum, p.squares};
    if (w->most > 1)
        assert_ok(tc_optimizer_tell_batch(a->o, t->number, NULL, &b, 0, &e, &err));
    else
        assert_ok(tc_optimizer_tell(a->o, t->number, NULL, tc_batch_mean(&b), 0, &e, &err));
    append(w, a, &e);
}

static tc_need need_of(const agent *a)
{
    tc_need need = {.may = TC_NEED_TRIAL};
    (void)tc_optimizer_need(a->o, &need, NULL);
    return need;
}

/* Until it waits for a broadcast or has had its pulls. A trial that a killed process left is run first. */
static void work(world *w, agent *a)
{
    const tc_ask_request req = {.pulls = w->most};
    while (tc_optimizer_pulls(a->o, TC_TRIAL_COMPLETE) < PULLS && !need_of(a).must) {
        tacit_error err = {0};
        tc_event e;
        size_t n = tc_optimizer_trials(a->o);
        const tc_trial *last = n ? tc_optimizer_trial(a->o, n - 1) : NULL;
        if (last && last->state == TC_TRIAL_RUNNING) {
            run_trial(w, a, last);
        } else if (need_of(a).may & TC_NEED_PUBLISH) {
            assert_ok(tc_optimizer_publish(a->o, 0, &e, &err));
            append(w, a, &e);
        } else {
            assert_ok(tc_optimizer_next(a->o, &req, &e, &err));
            append(w, a, &e);
        }
    }
}

static uint8_t *aggregate(world *w, uint64_t round, size_t *size)
{
    tacit_error err = {0};
    const tc_aggregator_ops *g = w->algorithm.aggregator;
    const void *opts = tc_optimizer_options(w->agents[0].o);
    tc_env env = {.space = w->space,
                  .public_seed = tc_public_seed_from(5),
                  .agents = AGENTS,
                  .budget = PULLS};
    tc_release *r = NULL;
    void *state = tc_alloc(1, g->state_size);
    assert_non_null(state);
    assert_ok(g->open(state, &env, opts, round, NULL, &err));
    for (uint64_t m = 0; m < AGENTS; m++) {
        const tc_text *t = &w->agents[m].message;
        assert_ok(g->fold(state, m, tc_text_get(t), t->len, &err));
    }
    assert_ok(g->close(state, &r, &err));
    *size = tc_release_size(r);
    uint8_t *bytes = tc_alloc(*size, 1);
    assert_non_null(bytes);
    tc_release_encode(r, bytes);
    tc_release_free(r);
    g->fini(state);
    tc_free(state);
    return bytes;
}

/* Those that a killed process has given the broadcast do not get it again. */
static bool hold_round(world *w)
{
    uint64_t round = 0, waiting = 0;
    size_t size;
    for (uint64_t m = 0; m < AGENTS; m++)
        if (need_of(&w->agents[m]).must) {
            round = need_of(&w->agents[m]).round;
            waiting++;
        }
    for (uint64_t m = 0; m < AGENTS; m++)
        if (waiting == 0 || w->agents[m].published != round + 1)
            return false;
    uint8_t *bytes = aggregate(w, round, &size);
    for (uint64_t m = 0; m < AGENTS; m++)
        if (need_of(&w->agents[m]).must) {
            tacit_error err = {0};
            tc_event e;
            assert_ok(tc_optimizer_absorb(w->agents[m].o, round, bytes, size, 0, &e, &err));
            append(w, &w->agents[m], &e);
        }
    tc_free(bytes);
    return true;
}

static void run_world(world *w)
{
    do {
        (void)hold_round(w);
        for (uint64_t m = 0; m < AGENTS; m++)
            work(w, &w->agents[m]);
    } while (hold_round(w));
}

/* ---- comparing ---- */

typedef struct saved {
    const tc_bandit *bandit;
    tc_numbers client[AGENTS];
} saved;

static void save_client(void *user, uint64_t m, const void *state)
{
    saved *s = user;
    tacit_error err = {0};
    if (s->bandit->save) /* else its regret has to do */
        assert_ok(s->bandit->save(state, &s->client[m], &err));
}

static tc_bandit_result by_pulls(const tc_bandit *b, saved *s)
{
    tacit_error err = {0};
    void *opts = tc_alloc(1, b->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(b->options, opts, &err));
    tc_bandit_simulation study = {.bandit = b,
                                  .opts = opts,
                                  .rewards = &rewards,
                                  .clients = AGENTS,
                                  .budget = PULLS,
                                  .seed = 5,
                                  .points = 1,
                                  .watch = save_client,
                                  .user = s};
    tc_bandit_result r = {0};
    s->bandit = b;
    evaluations = 0;
    assert_ok(tc_bandit_simulate(&study, &r, &err));
    tc_free(opts);
    return r;
}

static void assert_same_clients(const world *w, const saved *s)
{
    for (uint64_t m = 0; m < AGENTS; m++) {
        tacit_error err = {0};
        tc_numbers now = {0};
        if (s->bandit->save)
            assert_ok(s->bandit->save(w->agents[m].trials->client, &now, &err));
        assert_int_equal(now.n, s->client[m].n);
        for (size_t i = 0; i < now.n; i++)
            assert_true(now.v[i] == s->client[m].v[i]);
        assert_int_equal(tc_optimizer_pulls(w->agents[m].o, TC_TRIAL_COMPLETE), PULLS);
        tc_numbers_fini(&now);
    }
}

static void run_killed(const tc_algorithm *a, long events)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        world w;
        open_world(&w, a, url, PULLS, events);
        run_world(&w);
        _exit(1); /* nobody killed it */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static size_t all_asks(const world *w)
{
    size_t n = 0;
    for (uint64_t m = 0; m < AGENTS; m++)
        n += w->agents[m].asks;
    return n;
}

/* kills: after how many events a process dies, one after the other; ends with -1. NULL: nobody does. */
static void check(const tc_algorithm *a, const tc_bandit *b, uint64_t most, const long *kills)
{
    world w;
    saved s = {0};
    tc_bandit_result r = by_pulls(b, &s);
    uint64_t asks = evaluations;
    remove_files();
    for (size_t i = 0; kills && kills[i] >= 0; i++)
        run_killed(a, kills[i]);
    open_world(&w, a, kills ? url : "memory:", most, -1);
    run_world(&w);
    assert_same_clients(&w, &s);
    for (uint64_t m = 0; m < AGENTS; m++) {
        if (most > 1)
            assert_same_bits(w.agents[m].regret, r.regret[m]);
        else
            assert_close(w.agents[m].regret, r.regret[m], 1e-9);
    }
    if (most > 1 && !b->arms) /* one record for each cell and phase */
        assert_int_equal(all_asks(&w), asks);
    else
        assert_int_equal(all_asks(&w), AGENTS * PULLS);
    close_world(&w);
    for (uint64_t m = 0; m < AGENTS; m++)
        tc_numbers_fini(&s.client[m]);
    tc_bandit_result_fini(&r);
}

static void test_batches_in_a_journal(void **state)
{
    (void)state;
    static const long kills[] = {0, 1, 12, 13, 14, 26, 31, 90, -1}, few[] = {0, 12, 13, 40, -1};
    check(&tc_algorithm_pf_pne, &tc_bandit_pf_pne, PULLS, kills);
    check(&tc_algorithm_fed_pne, &tc_bandit_fed_pne, PULLS, kills);
    check(&tc_algorithm_blin, &tc_bandit_blin, PULLS, few);
}

/* They choose anew after every pull: a batch of theirs is one pull. */
static void test_bandits_that_ask_for_one_pull(void **state)
{
    (void)state;
    static const long kills[] = {2001, 4000, -1};
    check(&tc_algorithm_hct, &tc_bandit_hct, PULLS, kills);
    check(&tc_algorithm_fed_hct, &tc_bandit_fed_hct, PULLS, NULL);
}

static void test_single_pulls_end_where_batches_do(void **state)
{
    (void)state;
    check(&tc_algorithm_pf_pne, &tc_bandit_pf_pne, 1, NULL);
    check(&tc_algorithm_blin, &tc_bandit_blin, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_in_a_journal),
        cmocka_unit_test(test_bandits_that_ask_for_one_pull),
        cmocka_unit_test(test_single_pulls_end_where_batches_do),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(url, sizeof url, "sqlite:///%s/j.db", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_files();
    rmdir(folder);
    return failed;
}
