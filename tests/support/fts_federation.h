/* fts_federation.h - a small federation with a relay, for the tests of src/algo/fts.
 *
 * Members are real optimizers; every event is kept, so that a journal can be played again. To be
 * included after support/test.h. */
#ifndef TC_SUPPORT_FTS_FEDERATION_H
#define TC_SUPPORT_FTS_FEDERATION_H

#include "algo/fts/fts.h"
#include "algo/optimizer.h"
#include "base/json.h"

enum { POINTS = 120, MOST_EVENTS = 400, MOST_MEMBERS = 64 };

typedef struct member {
    tc_optimizer *o;
    tc_event events[MOST_EVENTS];
    double values[MOST_EVENTS][2];
    uint8_t *bytes[MOST_EVENTS]; /* of a message, or the text of a fit */
    size_t n;
    uint8_t *sent; /* its last message, as the relay keeps it */
    size_t n_sent;
    uint64_t sent_round;
    bool silent; /* the relay never gets anything of it */
} member;

typedef struct federation {
    const tc_algorithm *algorithm;
    const char *options;
    tc_space *space;
    void *opts; /* of the relay */
    tc_env env;
    size_t agents;
    member *member[MOST_MEMBERS];
    /* What member `who` observes at u. */
    double (*objective)(size_t who, const double *u, size_t dim);
    bool minimize;
} federation;

static inline tc_space *line(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static inline tc_space *square(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(s, "y", 0, 1, 0, false, &err));
    return s;
}

static inline double waves(size_t who, const double *u, size_t dim)
{
    double y = 0;
    for (size_t d = 0; d < dim; d++)
        y += sin(9 * u[d] + 1 + 0.05 * (double)who);
    return y;
}

static inline json_t *parse(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "options", &j, &err));
    return j;
}

static inline tacit_status make(tc_optimizer **out, const federation *f, size_t who,
                                const tc_optimizer *sibling, tacit_error *err)
{
    json_t *j = parse(f->options);
    tc_optimizer_config cfg = {.algorithm = f->algorithm,
                               .options = j,
                               .space = f->space,
                               .maximize = !f->minimize,
                               .public_seed = tc_public_seed_from(3),
                               .party_seed = tc_party_seed_from(4),
                               .party = who,
                               .agents = f->agents,
                               .sibling = sibling};
    tacit_status status = tc_optimizer_new(out, &cfg, err);
    json_decref(j);
    return status;
}

/* The space is the federation's from now on. */
static inline federation *assemble(const tc_algorithm *a, tc_space *space, size_t agents,
                                   const char *options)
{
    tacit_error err = {0};
    federation *f = tc_alloc(1, sizeof *f);
    assert_non_null(f);
    *f = (federation){.algorithm = a,
                      .options = options,
                      .space = space,
                      .agents = agents,
                      .env = {.space = space, .agents = agents},
                      .objective = waves};
    f->opts = tc_alloc(1, a->options_size);
    assert_non_null(f->opts);
    json_t *j = parse(options);
    assert_ok(tc_options_defaults(a->options, f->opts, &err));
    assert_ok(tc_options_set_json(a->options, f->opts, "x", j, NULL, &err));
    json_decref(j);
    for (size_t i = 0; i < agents; i++) {
        f->member[i] = tc_alloc(1, sizeof(member));
        assert_non_null(f->member[i]);
        assert_ok(make(&f->member[i]->o, f, i, i > 0 ? f->member[0]->o : NULL, &err));
    }
    return f;
}

static inline void disband(federation *f)
{
    for (size_t i = 0; i < f->agents; i++) {
        member *m = f->member[i];
        for (size_t k = 0; k < m->n; k++)
            tc_free(m->bytes[k]);
        tc_free(m->sent);
        tc_optimizer_free(m->o);
        tc_free(m);
    }
    tc_options_fini(f->algorithm->options, f->opts);
    tc_free(f->opts);
    tc_space_free(f->space);
    tc_free(f);
}

static inline uint8_t *copy_bytes(const void *bytes, size_t n)
{
    uint8_t *made = tc_alloc(n + 1, 1);
    assert_non_null(made);
    memcpy(made, bytes, n);
    return made;
}

static inline void record(member *m, const tc_event *e)
{
    tacit_error err = {0};
    size_t i = m->n++;
    assert_true(i < MOST_EVENTS);
    m->events[i] = *e;
    m->events[i].seq = i + 1;
    if (e->values) {
        memcpy(m->values[i], e->values, tc_optimizer_space(m->o)->n_params * sizeof(double));
        m->events[i].values = m->values[i];
    }
    if (e->bytes) {
        m->bytes[i] = copy_bytes(e->bytes, e->n_bytes);
        m->events[i].bytes = m->bytes[i];
    }
    if (e->kind == TC_EVENT_FIT) {
        m->bytes[i] = copy_bytes(e->body, strlen(e->body));
        m->events[i].body = (const char *)m->bytes[i];
    }
    assert_ok(tc_optimizer_apply(m->o, &m->events[i], &err));
}

static inline void publish(federation *f, size_t who)
{
    tacit_error err = {0};
    member *m = f->member[who];
    tc_event e;
    assert_ok(tc_optimizer_publish(m->o, 0, &e, &err));
    assert_ok(f->algorithm->relay->check(&f->env, f->opts, e.round, who, e.bytes, e.n_bytes, &err));
    tc_free(m->sent);
    m->sent = copy_bytes(e.bytes, e.n_bytes);
    m->n_sent = e.n_bytes;
    m->sent_round = e.round;
    record(m, &e);
}

/* What the relay hands on of agent `party` in `round`; NULL: it has nothing. End with tc_free. */
static inline uint8_t *relayed(federation *f, uint64_t round, uint64_t party, size_t *n)
{
    tacit_error err = {0};
    const member *from = f->member[party];
    tc_release *r = NULL;
    if (from->silent || !from->sent || from->sent_round != round)
        return NULL;
    assert_ok(f->algorithm->relay->release(&f->env, f->opts, round, party, from->sent, from->n_sent,
                                           &r, &err));
    assert_false(tc_release_get(r)->is_private);
    *n = tc_release_size(r);
    uint8_t *bytes = tc_alloc(*n, 1);
    assert_non_null(bytes);
    tc_release_encode(r, bytes);
    tc_release_free(r);
    return bytes;
}

static inline tc_need need_of(const federation *f, size_t who)
{
    tacit_error err = {0};
    tc_need need;
    assert_ok(tc_optimizer_need(f->member[who]->o, &need, &err));
    return need;
}

static inline void fetch(federation *f, size_t who)
{
    tacit_error err = {0};
    tc_need need = need_of(f, who);
    tc_event e;
    size_t n = 0;
    assert_int_equal(need.must, TC_NEED_FETCH);
    assert_int_not_equal(need.party, who);
    uint8_t *bytes = relayed(f, need.round, need.party, &n);
    if (bytes)
        assert_ok(
            tc_optimizer_fetch(f->member[who]->o, need.round, need.party, bytes, n, 0, &e, &err));
    else
        assert_ok(
            tc_optimizer_miss(f->member[who]->o, need.round, need.party, "none came", 0, &e, &err));
    record(f->member[who], &e);
    tc_free(bytes);
}

/* Everything before the next trial of a member. */
static inline void settle(federation *f, size_t who)
{
    for (;;) {
        tc_need need = need_of(f, who);
        if (need.may & TC_NEED_PUBLISH)
            publish(f, who);
        else if (need.must & TC_NEED_FETCH)
            fetch(f, who);
        else
            break;
    }
    assert_int_equal(need_of(f, who).may, TC_NEED_TRIAL);
}

static inline uint64_t ask(member *m)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(m->o, &req, &e, &err));
        record(m, &e);
    } while (e.kind == TC_EVENT_FIT);
    return e.trial;
}

static inline void tell(federation *f, size_t who, uint64_t trial)
{
    tacit_error err = {0};
    member *m = f->member[who];
    double u[2];
    tc_event e;
    tc_space_encode(f->space, tc_optimizer_trial(m->o, trial)->values, u);
    assert_ok(
        tc_optimizer_tell(m->o, trial, NULL, f->objective(who, u, f->space->dim), 0, &e, &err));
    record(m, &e);
}

static inline const double *run_trial(federation *f, size_t who)
{
    uint64_t trial = ask(f->member[who]);
    tell(f, who, trial);
    return tc_optimizer_trial(f->member[who]->o, trial)->values;
}

/* One iteration of all: first everybody publishes, then everybody reads and asks. */
static inline void iterate(federation *f)
{
    for (size_t i = 0; i < f->agents; i++)
        if (need_of(f, i).may & TC_NEED_PUBLISH)
            publish(f, i);
    for (size_t i = 0; i < f->agents; i++) {
        settle(f, i);
        run_trial(f, i);
    }
}

static inline void run(federation *f, size_t iterations)
{
    for (size_t t = 0; t < iterations; t++)
        iterate(f);
}

static inline size_t count_events(const member *m, tc_event_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += m->events[i].kind == kind;
    return n;
}

/* A second optimizer that is given the same journal asks for the same point. */
static inline void check_replay(federation *f, size_t who)
{
    tacit_error err = {0};
    member *m = f->member[who];
    tc_optimizer *again = NULL;
    tc_ask_request req = {0};
    tc_event a, b;
    settle(f, who);
    for (;;) { /* its fits, if any are due */
        assert_ok(tc_optimizer_next(m->o, &req, &a, &err));
        if (a.kind != TC_EVENT_FIT)
            break;
        record(m, &a);
    }
    assert_ok(make(&again, f, who, NULL, &err));
    for (size_t i = 0; i < m->n; i++)
        assert_ok(tc_optimizer_apply(again, &m->events[i], &err));
    assert_ok(tc_optimizer_next(again, &req, &b, &err));
    for (size_t d = 0; d < f->space->n_params; d++)
        assert_same_bits(a.values[d], b.values[d]);
    tc_optimizer_free(again);
}

#endif
