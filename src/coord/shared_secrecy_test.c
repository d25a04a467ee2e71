/* shared_secrecy_test.c - does anything that a coordinator holds tell two very different contributions of an agent apart?
 *
 * A game: a coin chooses between two vectors of the whole clip norm, one the opposite of the other; the agent contributes it to a
 * round; an attacker with all that the coordinator has guesses the coin. Its advantage is 2 P(right) - 1. Every agent of every
 * round is a game with a coin of its own; that the attacker does not know the other coins can help against its use of the sum alone. All
 * secrets are real: with seeded ones there would be nothing to measure.
 *
 * The attacker looks twice: during the round, when the coordinator has everything that it will ever have of it (uploads, noise, the
 * set, all answers, so the sums too, which it opens), and after it. It has every record of the store, the journal, the log, the answers that it gave
 * and its processor time. It searches them for the numbers of both vectors in every form that they may have; where that finds
 * nothing, it guesses by a linear score (audit_learn.c) of lengths, bits, words, sums and time, learned from games that
 * are not counted.
 *
 * The release. It is differentially private, not secret: at the noise of a real study it does tell the worlds apart, as much
 * as epsilon allows (shared_sum_audit_test.c measures that). To leave it out would be wrong, for it follows from what
 * the coordinator holds, the answers, and the line between the two would be ours to draw. So nothing is left out, and the noise is so large
 * (Z clip norms) that the best use of a release, by who knows all other vectors, has an advantage of 2 Phi(1 / Z) - 1, 2e-4: whatever is
 * above that is not the release.
 *
 * The control is the same study without trustees: there the same attacker must win during the round. After it, it does
 * not, because messages are erased: so a look afterwards proves little, and the one during the round is what counts.
 * Not looked at: the memory of the process, which is one with the agents here (shared_memory_test.c searches that of a process of its
 * own), and what is outside of the coordinator: when packets come.
 *
 * TACIT_DEEP=1 plays enough games for a bound of 0.01 with 95 % confidence. */
#define TRUST_AGENTS 32
#include "support/shared_world.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "coord/record_json.h"
#include "coord/roster.h"
#include "privacy/audit_learn.h"
#include "privacy/clopper_pearson.h"

#include <stdlib.h>

enum { WIDTH = 8, ROUNDS = 60, PATTERNS = 8, PATTERN = 96 };
#define Z "4096"

static const tc_trustees three = {3, 2, 1, 3};

/* ---- two vectors, and how they may be written ---- */

typedef struct pattern {
    uint8_t bytes[PATTERN];
    size_t n;
} pattern;

typedef struct vectors {
    int64_t of[2][WIDTH];
    pattern patterns[2][PATTERNS];
} vectors;

static void add_words(pattern *p, const int64_t *v, size_t n, uint64_t (*form)(int64_t))
{
    for (size_t i = 0; i < n; i++, p->n += 8)
        tc_put_le(p->bytes + p->n, form(v[i]), 8);
}

static uint64_t as_whole(int64_t x)
{
    return (uint64_t)x;
}

static uint64_t as_swapped(int64_t x)
{
    return __builtin_bswap64((uint64_t)x);
}

static uint64_t as_residue(int64_t x)
{
    return x < 0 ? TC_FIELD_P - (uint64_t)-x : (uint64_t)x;
}

static uint64_t as_double(int64_t x)
{
    const double d = (double)x;
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

/* Base64 of the words from the i-th byte on: of three, one is how they are within a longer text. */
static void add_text(pattern *p, const pattern *words, size_t i)
{
    tc_text t = {0};
    tc_base64_add(&t, words->bytes + i, 30);
    memcpy(p->bytes, tc_text_get(&t), t.len);
    p->n = t.len;
    tc_text_fini(&t);
}

static void make_vectors(vectors *s, int64_t each)
{
    *s = (vectors){.of = {{0}}};
    for (size_t world = 0; world < 2; world++) {
        pattern *p = s->patterns[world];
        for (size_t j = 0; j < WIDTH; j++)
            s->of[world][j] = j % 2 == world ? each : -each;
        add_words(&p[0], s->of[world], WIDTH, as_whole);
        for (size_t i = 0; i < 3; i++)
            add_text(&p[1 + i], &p[0], i);
        add_words(&p[4], s->of[world], 2, as_swapped); /* the beginning is enough */
        add_words(&p[5], s->of[world], 2, as_residue);
        add_words(&p[6], s->of[world], 2, as_double);
        add_words(&p[7], s->of[world], 2, as_whole);
    }
}

/* How often this world's vector is there. */
static int hits(const vectors *s, size_t world, const void *bytes, size_t n)
{
    int all = 0;
    for (size_t i = 0; n > 0 && i < PATTERNS; i++) {
        const pattern *p = &s->patterns[world][i];
        const uint8_t *at = bytes, *end = at + n;
        while ((at = memmem(at, (size_t)(end - at), p->bytes, p->n))) {
            all++;
            at++;
        }
    }
    return all;
}

/* ---- the attacker ---- */

enum {
    UPLOAD,                /* bytes of it */
    BITS = UPLOAD + 1,     /* the share of ones, the mean byte, changes from byte to byte */
    WORDS = BITS + 3,      /* its last words */
    BOXES = WORDS + WIDTH, /* what each of the others than the last box ends with */
    ANSWERS = BOXES + 2,   /* the agent's group in each answer, along the vector */
    OPENED = ANSWERS + 3,  /* the same of the sums that they open to */
    RECORDS = OPENED + 1,  /* bytes of what else is kept of the agent, and of all */
    HEARD = RECORDS + 3,   /* bytes of answers and of the log */
    TIME = HEARD + 2,      /* ms that its message took */
    FEATURES = TIME + 1
};

typedef struct look {
    int found; /* > 0: for world 1 */
    double x[FEATURES];
} look;

typedef struct attacker {
    tc_audit_learner learner;
    double middle;
    uint64_t games, right;
    uint64_t found;  /* so often a vector was found as it is */
    uint64_t scored; /* so often the score alone is right */
} attacker;

static void learn(attacker *a, int world, const look *l)
{
    a->learner.features = FEATURES;
    tc_audit_learn_add(&a->learner, world, l->x);
}

static void learned(attacker *a)
{
    tc_audit_learn_end(&a->learner);
    a->middle = (tc_audit_learn_score(&a->learner, a->learner.mean[0]) +
                 tc_audit_learn_score(&a->learner, a->learner.mean[1])) /
                2;
}

static void play(attacker *a, int world, const look *l)
{
    const bool score = tc_audit_learn_score(&a->learner, l->x) > a->middle;
    const bool guess = l->found != 0 ? l->found > 0 : score;
    a->games++;
    a->right += guess == (world == 1);
    a->scored += score == (world == 1);
    a->found += l->found != 0;
}

/* ---- a study ---- */

typedef struct game {
    trust_world t;
    bool trustees;
    vectors v;
    int world[TRUST_AGENTS];
    uint8_t head[16]; /* of a message that is not dealt */
    double ms[TRUST_AGENTS];
    size_t heard[TRUST_AGENTS], logged[TRUST_AGENTS];
    tc_text answers, log, dump;
    int seen[2]; /* hits anywhere, during rounds and after them */
} game;

static void note_line(tc_log_level level, const char *line, void *user)
{
    (void)level;
    tc_text_addf(&((game *)user)->log, "%s\n", line);
}

static void write_document(bool trustees, char out[1024])
{
    snprintf(out, 1024,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": %d, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": %d, \"regions\": 1,"
             " \"initial\": 2, \"releases\": \"all\", \"clip\": 1},"
             " \"federation\": {\"agents\": %d%s}, \"privacy\": {\"noise_multiplier\": " Z "}}",
             ROUNDS + 2, WIDTH, TRUST_AGENTS,
             trustees ? ", \"trustees\": {\"count\": 3, \"degree\": 2, \"colluding\": 1,"
                        " \"dealers\": 3}"
                      : "");
}

/* The clip norm is 1, that is 2^grid steps. */
static void begin_central(game *g, const char *document)
{
    world_create(&g->t.w, "s", document);
    world_enrol_all(&g->t.w, TRUST_AGENTS);
    tc_text message = study_message(&g->t.w, 0, 0);
    memcpy(g->head, tc_text_get(&message), sizeof g->head);
    tc_text_fini(&message);
    make_vectors(&g->v, (int64_t)(ldexp(1, (int)tc_get_le(g->head + 4, 4)) / sqrt(WIDTH)));
}

static void begin(game *g, bool trustees)
{
    char document[1024];
    *g = (game){.trustees = trustees, .t = {.w = {.now_ms = TRUST_START_MS, .secret = true}}};
    g->t.page = TRUST_AGENTS + 3;
    write_document(trustees, document);
    world_open(&g->t.w, trust_memory(), TRUST_SEED);
    if (!trustees) {
        begin_central(g, document);
    } else {
        trust_create_from(&g->t, "s", three, document);
        trust_enrol_all(&g->t);
        make_vectors(&g->v, (int64_t)((double)trust_plan(&g->t, 0).clip / sqrt(WIDTH)));
    }
    g->t.w.answers = &g->answers;
    tc_log_set(note_line, g, TC_LOG_DEBUG);
}

static void end(game *g)
{
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    if (g->t.plan)
        trust_end(&g->t);
    else
        world_close(&g->t.w);
    tc_text_fini(&g->answers);
    tc_text_fini(&g->log);
    tc_text_fini(&g->dump);
}

static int post_plain(game *g, uint64_t agent, uint64_t round)
{
    uint8_t message[16 + 8 * WIDTH];
    memcpy(message, g->head, 16);
    tc_put_le(message + 8, round, 8);
    for (size_t j = 0; j < WIDTH; j++)
        tc_put_le(message + 16 + 8 * j, (uint64_t)g->v.of[g->world[agent]][j], 8);
    return world_post_bytes(&g->t.w, &g->t.w.agents[agent], round, round + 1, message,
                            sizeof message, NULL);
}

static int post_dealing(game *g, uint64_t agent, uint64_t round, double *ms)
{
    size_t n;
    int64_t *v = trust_numbers(WIDTH);
    memcpy(v, g->v.of[g->world[agent]], WIDTH * sizeof *v);
    uint8_t *upload = trust_deal(&g->t, round, TC_DEALER_AGENT, agent, v, &n);
    const uint64_t since = tc_clock_thread_ns();
    int status =
        world_post_bytes(&g->t.w, &g->t.w.agents[agent], round, round + 1, upload, n, NULL);
    *ms = (double)(tc_clock_thread_ns() - since) * 1e-6;
    tc_free(upload);
    return status;
}

static void post(game *g, uint64_t agent, uint64_t round)
{
    const size_t answers = g->answers.len, log = g->log.len;
    g->world[agent] = (int)randombytes_uniform(2);
    g->ms[agent] = 0;
    assert_int_equal(g->trustees ? post_dealing(g, agent, round, &g->ms[agent])
                                 : post_plain(g, agent, round),
                     202);
    g->heard[agent] = g->answers.len - answers;
    g->logged[agent] = g->log.len - log;
}

/* ---- what the coordinator has ---- */

static tacit_status add_record(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    tc_text_add_bytes(user, r->key, r->key_size);
    tc_text_add_bytes(user, r->value, r->size);
    return TACIT_OK;
}

static tacit_status add_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    tc_text_add(user, e->body);
    return TACIT_OK;
}

/* Everything: records of the server and of the study, the journal, the log, the answers. */
static void dump(game *g)
{
    tacit_error err = {0};
    tc_store *s = g->t.w.store;
    g->dump.len = 0;
    for (int64_t study = 0; study < 2; study++)
        for (int kind = TC_RECORD_FIRST; kind <= TC_RECORD_LAST; kind++) {
            const tc_record_range all = {.study = study, .kind = (tc_record_kind)kind};
            assert_ok(tc_store_record_scan(s, &all, add_record, &g->dump, &err));
        }
    assert_ok(tc_store_scan(s, 1, 0, add_event, &g->dump, &err));
    tc_text_add_bytes(&g->dump, tc_text_get(&g->log), g->log.len);
    tc_text_add_bytes(&g->dump, tc_text_get(&g->answers), g->answers.len);
}

/* Its size; 0 and *bytes NULL: there is none. For tc_free. */
static size_t record(const game *g, tc_record_kind kind, const tc_key *key, uint8_t **bytes)
{
    tacit_error err = {0};
    tc_record which = tc_record_of(1, kind, key), got;
    assert_ok(tc_store_record_find(g->t.w.store, &which, &got, &err));
    *bytes = (uint8_t *)got.value;
    return got.size;
}

static void search(const game *g, const uint8_t *bytes, size_t n, look *l)
{
    l->found += hits(&g->v, 1, bytes, n) - hits(&g->v, 0, bytes, n);
}

/* ---- looking ---- */

static void look_at_bits(const uint8_t *b, size_t n, double x[3])
{
    for (size_t i = 0; i < n; i++) {
        x[0] += (double)__builtin_popcount(b[i]) / (double)n;
        x[1] += (double)b[i] / (double)n;
        x[2] += i > 0 ? (double)__builtin_popcount(b[i] ^ b[i - 1]) / (double)n : 0;
    }
}

static void look_at_words(const uint8_t *b, size_t n, double x[WIDTH])
{
    for (size_t j = 0; j < WIDTH && n >= 8 * WIDTH; j++)
        x[j] = (double)(int64_t)tc_get_le(b + n - 8 * WIDTH + 8 * j, 8);
}

static void look_at_upload(const game *g, const uint8_t *b, size_t n, look *l)
{
    l->x[UPLOAD] = (double)n;
    look_at_bits(b, n, l->x + BITS);
    look_at_words(b, n, l->x + WORDS);
    for (uint32_t k = 0; g->trustees && n > 0 && k < 2; k++)
        l->x[BOXES + k] = (double)(int64_t)tc_get_le(tc_dealing_box(&three, b, k + 1) - 8, 8);
    search(g, b, n, l);
}

/* What trustees have added up, as far as it is there. */
static void look_at_answers(const game *g, uint64_t round, double x[4])
{
    const uint64_t *of[3] = {NULL, NULL, NULL};
    uint64_t words[3][WIDTH];
    int64_t sums[WIDTH];
    for (uint32_t k = 0; k < 3; k++) {
        tc_key key = tc_key_numbers(round, k);
        uint8_t *b;
        const size_t n = record(g, TC_RECORD_SHARE_SUM, &key, &b);
        for (size_t j = 0; j < WIDTH && n == tc_trust_answer_size(WIDTH); j++) {
            words[k][j] = tc_get_le(b + TC_ANSWER_HEAD + 8 * j, 8);
            of[k] = words[k];
            x[k] += (double)words[k][j] * (j % 2 ? -1 : 1);
        }
        tc_free(b);
    }
    if (of[0] && of[1] && of[2]) {
        assert_int_equal(tc_share_open(&three, of, WIDTH, sums).finding, TC_SHARE_CONSISTENT);
        for (size_t j = 0; j < WIDTH; j++)
            x[3] += (double)sums[j] * (j % 2 ? -1 : 1);
    }
}

static double look_at_record(const game *g, tc_record_kind kind, const tc_key *key, look *l)
{
    uint8_t *b;
    const size_t n = record(g, kind, key, &b);
    search(g, b, n, l);
    tc_free(b);
    return (double)n;
}

/* Of one agent; `answers` is the same for all of them. */
static look look_at(const game *g, uint64_t agent, uint64_t round, const double answers[4])
{
    look l = {.found = 0};
    uint8_t *upload;
    tc_key place = tc_key_numbers(round, agent), who = tc_roster_key(agent);
    const size_t n = record(g, TC_RECORD_MESSAGE, &place, &upload);
    look_at_upload(g, upload, n, &l);
    tc_free(upload);
    memcpy(l.x + ANSWERS, answers, 4 * sizeof *answers);
    l.x[RECORDS] = look_at_record(g, TC_RECORD_RECEIPT, &place, &l);
    l.x[RECORDS + 1] = look_at_record(g, TC_RECORD_AGENT, &who, &l);
    l.x[RECORDS + 2] = (double)g->dump.len;
    l.x[HEARD] = (double)g->heard[agent];
    l.x[HEARD + 1] = (double)g->logged[agent];
    l.x[TIME] = g->ms[agent];
    return l;
}

typedef struct attack {
    attacker during, after;
    bool knows; /* it has learned, and plays */
    int seen[2];
} attack;

static void look_at_all(attack *a, attacker *who, game *g, uint64_t round, int *seen)
{
    double answers[4] = {0};
    dump(g);
    *seen += hits(&g->v, 0, tc_text_get(&g->dump), g->dump.len) +
             hits(&g->v, 1, tc_text_get(&g->dump), g->dump.len);
    if (g->trustees)
        look_at_answers(g, round, answers);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++) {
        const look l = look_at(g, i, round, answers);
        (a->knows ? play : learn)(who, g->world[i], &l);
    }
}

/* ---- a round ---- */

static void run_round(game *g, attack *a, uint64_t round)
{
    g->answers.len = g->log.len = 0;
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        post(g, i, round);
    for (uint32_t k = 0; g->trustees && k < 3; k++)
        assert_int_equal(trust_deal_noise(&g->t, k, round, NULL), 202);
    if (g->trustees)
        trust_tick(&g->t);
    for (uint32_t k = 0; g->trustees && k < 3; k++)
        assert_int_equal(trust_do_answer(&g->t, k, round, NULL), 202);
    look_at_all(a, &a->during, g, round, &a->seen[0]);
    trust_tick(&g->t);
    assert_int_equal(world_broadcast(&g->t.w, g->t.w.agents[0].access, round, NULL, NULL), 200);
    look_at_all(a, &a->after, g, round, &a->seen[1]);
}

static void run_study(bool trustees, uint64_t rounds, attack *a)
{
    static game g;
    begin(&g, trustees);
    for (uint64_t round = 0; round < rounds; round++)
        run_round(&g, a, round);
    end(&g);
}

typedef struct length {
    uint64_t studies, rounds; /* of each */
} length;

static void run(bool trustees, length to_learn, length to_count, attack *a)
{
    *a = (attack){.knows = false};
    for (uint64_t i = 0; i < to_learn.studies; i++)
        run_study(trustees, to_learn.rounds, a);
    learned(&a->during);
    learned(&a->after);
    a->knows = true;
    for (uint64_t i = 0; i < to_count.studies; i++)
        run_study(trustees, to_count.rounds, a);
}

/* ---- verdicts ---- */

/* Of the advantage of this attacker, or of one who says the opposite. */
typedef struct bounds {
    double upper;  /* with 95 % confidence */
    double proved; /* it has at least this, but for one time in a million */
} bounds;

static bounds judge(const char *what, const attacker *a)
{
    const uint64_t most = a->right > a->games - a->right ? a->right : a->games - a->right;
    const bounds b = {2 * tc_clopper_pearson_upper(most, a->games, 0.05 / 2) - 1,
                      2 * tc_clopper_pearson_lower(most, a->games, 1e-6 / 2) - 1};
    print_message("%s: %" PRIu64 " of %" PRIu64 " right, %" PRIu64 " found by search, %" PRIu64
                  " right by score: advantage at most %.4f (95 %%), at least %.4f\n",
                  what, a->right, a->games, a->found, a->scored, b.upper,
                  b.proved > 0 ? b.proved : 0);
    return b;
}

/* With so many games the bound of the deep run fails by bad luck once in ten thousand, and what is asserted of the proof once in a
 * million. */
static void with_trustees_it_learns_nothing(void **state)
{
    const bool deep = getenv("TACIT_DEEP") != NULL;
    attack a;
    (void)state;
    run(true, deep ? (length){30, ROUNDS} : (length){1, ROUNDS / 2},
        (length){deep ? 200 : 1, ROUNDS}, &a);
    const bounds during = judge("with trustees, during the round", &a.during),
                 after = judge("with trustees, after it", &a.after);
    assert_int_equal(a.seen[0], 0);
    assert_int_equal(a.seen[1], 0);
    assert_true(during.proved <= 0 && after.proved <= 0);
    if (deep)
        assert_true(during.upper <= 0.01 && after.upper <= 0.01);
}

/* The control: search and score win, each by itself. */
static void without_them_it_knows_during_the_round_and_not_afterwards(void **state)
{
    attack a;
    (void)state;
    run(false, (length){1, ROUNDS / 2}, (length){1, ROUNDS}, &a);
    const bounds during = judge("without, during the round", &a.during),
                 after = judge("without, after it", &a.after);
    assert_int_equal(a.during.right, a.during.games);
    assert_int_equal(a.during.found, a.during.games);
    assert_int_equal(a.during.scored, a.during.games);
    assert_true(during.proved > 0.95);
    assert_true(a.seen[0] > 0);
    assert_int_equal(a.seen[1], 0);
    assert_true(after.proved <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_trustees_it_learns_nothing),
        cmocka_unit_test(without_them_it_knows_during_the_round_and_not_afterwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
