/* curator_test.c - a curator and a modeler through <tacit/experimental/curator.h>: what a program is given, refused and
 * promised. tests/integration/curate*_test.sh have the same of the verbs. */
#include <tacit/experimental/curator.h>

#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 6, DIMS = 2 };

static const double data[ROWS * DIMS] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};
static const tacit_row_column columns[DIMS] = {{"x", 0, 10, 1}, {"y", 0, 100, 10}};
static char folder[] = "/tmp/curator_test.XXXXXX";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    return chdir(folder);
}

static int stop(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

static tacit_row_terms terms_of(const char *name)
{
    tacit_row_terms t = TACIT_ROW_TERMS;
    t.name = name;
    t.rows = ROWS;
    t.dims = DIMS;
    t.columns = columns;
    t.epsilon = 2;
    return t;
}

/* Each test has a secret file and a ledger of its own. */
static tacit_curator_opts opts_of(const char *secret)
{
    tacit_curator_opts o = TACIT_CURATOR_OPTS;
    o.storage = "sqlite:///c.db";
    o.secret = secret;
    return o;
}

static double value_of(const tacit_curator *c, uint64_t row)
{
    return (double)tacit_curator_secret(c)->order[row] / 10;
}

/* ---- */

static void the_same_release_again(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("first");
    tacit_curator_opts o = opts_of("first.secret");
    tacit_curator *c = NULL, *again = NULL;
    const tacit_curator_report *r, *s;
    char *text = NULL, *twice = NULL;
    struct stat info;
    o.value_column = "profit";
    assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
    assert_false(r->again);
    assert_true(r->is_private && r->released->is_private);
    assert_int_equal(r->entries, 1);
    assert_close(r->epsilon, 2, 0);
    assert_string_equal(r->mechanism, "laplace-rows");
    assert_non_null(strstr(r->released->statement, "every row: epsilon 2"));
    assert_int_equal(stat("first.secret", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    o.test_seed = 8; /* whatever would be drawn now */
    assert_ok(tacit_curator_release(&again, &o, &t, data, &s, &err));
    assert_true(s->again);
    assert_ok(tacit_released_text(r->released, &text, &err));
    assert_ok(tacit_released_text(s->released, &twice, &err));
    assert_string_equal(text, twice);
    assert_string_equal(tacit_curator_secret(again)->value_column, "profit");
    assert_memory_equal(tacit_curator_secret(c)->order, tacit_curator_secret(again)->order,
                        ROWS * sizeof(size_t));
    tacit_text_free(text);
    tacit_text_free(twice);
    tacit_curator_close(c);
    tacit_curator_close(again);
}

static void noise_of_a_seed_is_not_private(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("seeded");
    tacit_curator_opts o = opts_of("seeded.secret");
    tacit_curator *c = NULL;
    const tacit_curator_report *r;
    o.test_seed = 7;
    assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
    assert_false(r->released->is_private || r->is_private);
    assert_non_null(strstr(r->released->statement, "NOT PRIVATE: "));
    assert_non_null(strstr(r->statement, "NOT PRIVATE: "));
    tacit_curator_close(c);
}

static void refusals_leave_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("refused");
    tacit_curator_opts o = opts_of("refused.secret");
    tacit_curator *c = NULL;
    o.storage = "sqlite:///refused.db";
    assert_fails(tacit_curator_open(&c, &o, &err), TACIT_E_NOT_FOUND, "refused.secret");
    o.budget = 1;
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_BUDGET,
                 "does not allow this release: spent 0, asked 2");
    o.budget = -1;
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_ARG,
                 "the budget must be in [0, inf), got -1");
    o.budget = 0;
    t.delta = 0.5;
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_ARG,
                 "delta must be below 1/N = 0.166667 for 6 rows, got 0.5");
    t.delta = 0;
    t.mode = (tacit_row_mode)2;
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_ARG, "mode");
    t.mode = TACIT_ROW_SOUND;
    assert_fails(tacit_curator_release(&c, &o, &t, NULL, NULL, &err), TACIT_E_ARG,
                 "x must not be NULL");
    assert_fails(tacit_curator_release(&c, NULL, &t, data, NULL, &err), TACIT_E_ARG,
                 "opts must not be NULL");
    o.secret = "/no/such/folder/s";
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_NOT_FOUND,
                 "/no/such/folder/s");
    o.secret = "refused.secret";
    o.storage = "memory:";
    assert_fails(tacit_curator_release(&c, &o, &t, data, NULL, &err), TACIT_E_ARG,
                 "storage \"memory:\" does not last");
    assert_null(c);
    assert_int_not_equal(access("refused.secret", F_OK), 0);
    assert_int_not_equal(access("refused.db", F_OK), 0);
}

static void orders_are_not_overwritten(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("kept"), other = terms_of("other");
    tacit_curator_opts o = opts_of("kept.secret");
    tacit_curator *c = NULL, *d = NULL;
    double changed[ROWS * DIMS];
    assert_ok(tacit_curator_release(&c, &o, &t, data, NULL, &err));
    assert_fails(tacit_curator_release(&d, &o, &other, data, NULL, &err), TACIT_E_STATE,
                 "keeps the order of another release (kept)");
    o.ledger = "elsewhere";
    assert_fails(tacit_curator_release(&d, &o, &t, data, NULL, &err), TACIT_E_STATE,
                 "keeps the order of this release through another ledger (kept)");
    o.ledger = NULL;
    memcpy(changed, data, sizeof data);
    changed[3] += 1;
    assert_fails(tacit_curator_release(&d, &o, &t, changed, NULL, &err), TACIT_E_STATE,
                 "the data set has changed since it was released");
    assert_ok(tacit_curator_check_data(c, ROWS, data, &err));
    assert_fails(tacit_curator_check_data(c, ROWS, changed, &err), TACIT_E_STATE,
                 "not what was released");
    assert_fails(tacit_curator_check_data(c, ROWS - 1, data, &err), TACIT_E_STATE,
                 "not what was released");
    tacit_curator_close(c);
}

/* ---- two at once: whoever has the lock gives it back when the other says that it waits */

static int holder = -1;

static void let_go(void *user, const char *text)
{
    assert_non_null(strstr(text, "another process has a lock on "));
    ++*(int *)user;
    close(holder);
}

static void one_releases_at_a_time(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("locked");
    tacit_curator_opts o = opts_of("locked.secret");
    tacit_curator *c = NULL;
    int notes = 0;
    o.note = let_go;
    o.user = &notes;
    holder = open(".", O_RDONLY | O_DIRECTORY); /* of the secret file */
    assert_int_equal(flock(holder, LOCK_EX), 0);
    assert_ok(tacit_curator_release(&c, &o, &t, data, NULL, &err));
    assert_int_equal(notes, 1);
    tacit_curator_close(c);
}

/* ---- answers */

static void answers_are_given_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("asked");
    tacit_curator_opts o = opts_of("asked.secret");
    tacit_curator *c = NULL;
    tacit_row_answer a, b;
    t.output_epsilon = 1;
    t.output_bound = 1;
    o.budget = 3; /* epsilon and output epsilon */
    assert_ok(tacit_curator_release(&c, &o, &t, data, NULL, &err));
    assert_fails(tacit_curator_recall(c, 2, &a, &err), TACIT_E_NOT_FOUND,
                 "row 2 has not been answered before");
    assert_ok(tacit_curator_answer(c, 2, 0.5, &a, &err));
    assert_true(a.is_private && !a.again && a.sd > 0);
    assert_string_equal(a.name, "asked");
    assert_int_equal(a.row, 2);
    tacit_curator_close(c);
    assert_ok(tacit_curator_open(&c, &o, &err));
    assert_ok(tacit_curator_answer(c, 2, -0.5, &b, &err));
    assert_true(b.again);
    assert_same_bits(a.value, b.value);
    assert_ok(tacit_curator_recall(c, 2, &b, &err));
    assert_same_bits(a.value, b.value);
    assert_ok(tacit_curator_answer(c, 3, NAN, &b, &err)); /* it has none, and nobody sees that */
    assert_true(isfinite(b.value) && b.is_private);
    assert_fails(tacit_curator_answer(c, ROWS, 1, &a, &err), TACIT_E_ARG,
                 "row 6 does not exist; the release has 0 to 5");
    tacit_curator_close(c);
    o.budget = 2.5;
    assert_ok(tacit_curator_open(&c, &o, &err));
    assert_fails(tacit_curator_answer(c, 4, 0.5, &a, &err), TACIT_E_BUDGET, "does not allow");
    tacit_curator_close(c);
}

/* The budget of a release is none of answers that leave as they are. */
static void answers_as_they_are(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("plain");
    tacit_curator_opts o = opts_of("plain.secret");
    tacit_curator *c = NULL, *d = NULL;
    tacit_row_answer a;
    o.budget = 2;
    assert_ok(tacit_curator_release(&c, &o, &t, data, NULL, &err));
    assert_ok(tacit_curator_answer(c, 1, 0.25, &a, &err));
    assert_false(a.is_private);
    assert_close(a.value, 0.25, 0);
    assert_ok(tacit_curator_answer(c, 0, NAN, &a, &err));
    assert_true(isnan(a.value));
    assert_fails(tacit_curator_open(&d, &o, &err), TACIT_E_ARG,
                 "a budget is for private answers, and those of this release leave as they are");
    o.budget = 0;
    o.storage = "sqlite:///other.db"; /* where nobody knows what was spent */
    assert_ok(tacit_curator_open(&d, &o, &err));
    assert_fails(tacit_curator_answer(d, 1, 1, &a, &err), TACIT_E_NOT_FOUND, "other.db");
    tacit_curator_close(c);
    tacit_curator_close(d);
}

/* ---- the modeler */

static void a_search_to_the_last_row(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("searched");
    tacit_curator_opts o = opts_of("searched.secret");
    tacit_curator *c = NULL;
    tacit_modeler *m = NULL;
    const tacit_curator_report *r;
    tacit_row_answer a;
    tacit_trial *best = NULL;
    uint64_t row = 0, same = 0;
    bool known;
    assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
    for (int i = 0; i < ROWS; i++) { /* killed after each question */
        assert_ok(tacit_modeler_open(&m, "sqlite:///m.db", r->released, NULL, &err));
        assert_ok(tacit_modeler_next(m, &row, &err));
        tacit_modeler_close(m);
        assert_ok(tacit_modeler_open(&m, "sqlite:///m.db", r->released, NULL, &err));
        assert_ok(tacit_modeler_next(m, &same, &err));
        assert_int_equal(row, same);
        assert_ok(tacit_curator_answer(c, row, i == 2 ? (double)NAN : value_of(c, row), &a, &err));
        assert_ok(tacit_modeler_tell(m, &a, &known, &err));
        assert_false(known);
        assert_ok(tacit_modeler_tell(m, &a, &known, &err));
        assert_true(known);
        if (i < ROWS - 1)
            tacit_modeler_close(m);
    }
    assert_fails(tacit_modeler_next(m, &row, &err), TACIT_E_BUDGET,
                 "all 6 rows are answered: the search is done");
    assert_ok(tacit_study_best(tacit_modeler_study(m), &best, &err));
    assert_true(best->value >= 0.4);
    tacit_trial_free(best);
    a.release.bytes[0] ^= 1;
    assert_fails(tacit_modeler_tell(m, &a, NULL, &err), TACIT_E_ARG,
                 "the answer is about another release (searched)");
    tacit_modeler_close(m);
    tacit_curator_close(c);
}

static void a_state_keeps_what_it_began_with(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("begun");
    tacit_curator_opts o = opts_of("begun.secret");
    tacit_curator *c = NULL;
    tacit_modeler *m = NULL;
    const tacit_curator_report *r;
    tacit_row_answer a = {.row = 1};
    const char *words[] = {"fit=false"}, *others[] = {"fit=true"}, *none[] = {"no-option"};
    tacit_modeler_opts p = TACIT_MODELER_OPTS;
    uint64_t row;
    assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
    p.trials = 1;
    p.n_options = 1;
    p.options = none;
    assert_fails(tacit_modeler_open(&m, "memory:", r->released, &p, &err), TACIT_E_ARG,
                 "an option of po-gp-ucb must be name=value, got \"no-option\"");
    p.options = words;
    assert_ok(tacit_modeler_open(&m, "sqlite:///begun.db", r->released, &p, &err));
    a.release = r->released->release;
    assert_fails(tacit_modeler_tell(m, &a, NULL, &err), TACIT_E_ARG,
                 "the answer is about row 1, which was never asked");
    assert_ok(tacit_modeler_next(m, &row, &err));
    a.row = row;
    assert_ok(tacit_modeler_tell(m, &a, NULL, &err));
    assert_fails(tacit_modeler_next(m, &row, &err), TACIT_E_BUDGET,
                 "all 1 questions that were planned are answered");
    tacit_modeler_close(m);
    p.options = others;
    assert_fails(tacit_modeler_open(&m, "sqlite:///begun.db", r->released, &p, &err), TACIT_E_STATE,
                 "the modeler's state is of another release or has other options: algorithm.fit");
    assert_ok(tacit_modeler_open(&m, "sqlite:///begun.db", r->released, NULL, &err));
    tacit_modeler_close(m);
    tacit_curator_close(c);
}

/* ---- a study in the modeler's place */

typedef struct service {
    tacit_curator *c;
    int asked, answered;
} service;

static tacit_status find_value(void *user, uint64_t row, double *value, tacit_error *err)
{
    service *s = user;
    (void)err;
    s->asked++;
    *value = value_of(s->c, row);
    return TACIT_OK;
}

static void count(void *user, const tacit_row_answer *a)
{
    ((service *)user)->answered++;
    assert_true(isfinite(a->value));
}

static bool after_two(void *user)
{
    return ((service *)user)->answered == 2;
}

static void serves_the_rows_of_its_release_alone(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_row_terms t = terms_of("served"), u = terms_of("foreign");
    tacit_curator_opts o = opts_of("served.secret"), p = opts_of("foreign.secret");
    tacit_curator *c = NULL, *d = NULL;
    tacit_modeler *m = NULL;
    const tacit_curator_report *r;
    tacit_storage *storage = NULL;
    tacit_published made;
    tacit_row_answer a;
    assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
    assert_ok(tacit_curator_release(&d, &p, &u, data, NULL, &err));
    tacit_modeler_opts plan = TACIT_MODELER_OPTS;
    plan.trials = 4;
    assert_ok(tacit_modeler_open(&m, "memory:", r->released, &plan, &err));
    service s = {.c = c};
    tacit_curator_service service_ = {find_value, count, after_two, &s};
    tacit_study *study = tacit_modeler_study(m);
    assert_fails(tacit_curator_serve(d, study, &service_, &err), TACIT_E_STATE,
                 "not over the rows of release foreign");
    assert_fails(tacit_curator_serve(c, study, &service_, &err), TACIT_E_CANCELLED, "interrupted");
    service_.stop = NULL;
    assert_ok(tacit_curator_answer(c, 5, 0.125, &a, &err)); /* which is then not asked for again */
    assert_ok(tacit_curator_serve(c, study, &service_, &err));
    assert_int_equal(s.answered, 2 + 4); /* as many as were planned, each time */
    assert_true(s.asked == s.answered || s.asked == s.answered - 1);
    assert_ok(
        tacit_storage_open(&storage, "memory:", &(tacit_storage_opts)TACIT_STORAGE_OPTS, &err));
    assert_fails(tacit_released_publish(r->released, storage, NULL, NULL, &made, &err),
                 TACIT_E_UNSUPPORTED, "tacit_modeler_open searches it");
    tacit_storage_close(storage);
    tacit_modeler_close(m);
    tacit_curator_close(c);
    tacit_curator_close(d);
}

/* Serves one question of a study over these rows. */
static tacit_status serve_once(tacit_curator *c, const tacit_released *rows, tacit_error *err)
{
    tacit_modeler *m = NULL;
    tacit_modeler_opts plan = TACIT_MODELER_OPTS;
    service s = {.c = c};
    const tacit_curator_service service_ = {find_value, NULL, NULL, &s};
    plan.trials = 1;
    assert_int_equal(tacit_modeler_open(&m, "memory:", rows, &plan, err), TACIT_OK);
    tacit_status status = tacit_curator_serve(c, tacit_modeler_study(m), &service_, err);
    tacit_modeler_close(m);
    return status;
}

/* One value that is off by a step, or two rows in another order. */
static void notices_other_rows(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int mode = TACIT_ROW_SOUND; mode <= TACIT_ROW_PAPER; mode++) {
        tacit_row_terms t = terms_of(mode == TACIT_ROW_SOUND ? "sound" : "paper");
        tacit_curator_opts o = opts_of(mode == TACIT_ROW_SOUND ? "sound.secret" : "paper.secret");
        tacit_curator *c = NULL;
        const tacit_curator_report *r;
        t.mode = (tacit_row_mode)mode;
        t.rank = mode == TACIT_ROW_SOUND ? 0 : DIMS;
        t.delta = mode == TACIT_ROW_SOUND ? 0 : 1e-5;
        assert_ok(tacit_curator_release(&c, &o, &t, data, &r, &err));
        assert_ok(serve_once(c, r->released, &err));
        tacit_released other = *r->released;
        double values[ROWS * DIMS], first = other.values[0];
        memcpy(values, other.values, sizeof values);
        other.values = values;
        values[3] += mode == TACIT_ROW_SOUND ? other.step : 1;
        assert_fails(serve_once(c, &other, &err), TACIT_E_STATE, "not over the rows of release");
        memcpy(values, r->released->values, sizeof values);
        values[0] = values[2];
        values[2] = first;
        assert_fails(serve_once(c, &other, &err), TACIT_E_STATE, "not over the rows of release");
        memset(values, 0, sizeof values); /* a multiple of any step */
        assert_fails(serve_once(c, &other, &err), TACIT_E_STATE, "not over the rows of release");
        other.values = r->released->values;
        other.rows--;
        assert_fails(serve_once(c, &other, &err), TACIT_E_STATE, "not over the rows of release");
        tacit_curator_close(c);
    }
}

/* ---- a program that has the values */

static void programs_have_values(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *names[] = {"id", "note"}, *fields[] = {"7", NULL};
    const tacit_row_record record = {2, names, fields};
    char *echo[] = {"echo", "{id}{trial}", NULL}, *note[] = {"echo", "{note}", NULL},
         *unknown[] = {"echo", "{age}", NULL}, *fails[] = {"false", NULL};
    char *reads[] = {"sh", "-c", "read -r line; test \"$line\" = '{{\"id\":\"7\"}}' && echo 5",
                     NULL};
    tacit_row_program p = {.command = echo};
    tacit_row_value v;
    assert_ok(tacit_row_evaluate(&p, 3, &record, &v, &err));
    assert_close(v.value, 73, 0);
    assert_true(v.exposed);
    p.command = note; /* this record has none */
    assert_ok(tacit_row_evaluate(&p, 3, &record, &v, &err));
    assert_true(isnan(v.value));
    assert_non_null(strstr(v.reason, "{note}"));
    p.command = fails;
    assert_ok(tacit_row_evaluate(&p, 3, &record, &v, &err));
    assert_true(isnan(v.value) && !v.exposed);
    p.command = unknown;
    assert_fails(tacit_row_evaluate(&p, 3, &record, &v, &err), TACIT_E_ARG, "{age}");
    p.command = reads;
    p.fields = TACIT_ROW_STDIN;
    assert_ok(tacit_row_evaluate(&p, 3, &record, &v, &err));
    assert_close(v.value, 5, 0);
    p.command = echo;
    assert_fails(tacit_row_evaluate(&p, 3, &record, &v, &err), TACIT_E_ARG,
                 "a record on standard input must stay off the command line");
}

/* ---- a reward of a user */

static void replies_are_given_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_perturb_opts o = TACIT_PERTURB_OPTS;
    tacit_perturbed p = {0};
    double first[2], again[2], seeded[40];
    o.name = "ann";
    o.study = "lights";
    o.epsilon = 0.5;
    o.low = -1;
    o.high = 1;
    o.answers = 2;
    o.storage = "sqlite:///replies.db";
    assert_ok(tacit_perturb(&o, 0.3, 7, 2, first, &p, &err));
    assert_true(p.is_private && p.again == 0);
    assert_close(p.epsilon, 1, 1e-12);
    assert_non_null(strstr(p.statement, "ann"));
    tacit_text_free(p.statement);
    assert_ok(tacit_perturb(&o, -0.3, 7, 2, again, &p, &err));
    assert_int_equal(p.again, 2);
    assert_memory_equal(first, again, sizeof first);
    tacit_text_free(p.statement);
    assert_fails(tacit_perturb(&o, 0.3, 8, 2, again, &p, &err), TACIT_E_BUDGET, "ann");
    o.epsilon = 0.4;
    assert_fails(tacit_perturb(&o, 0.3, 7, 1, again, &p, &err), TACIT_E_CONFLICT, "");
    o.test_seed = 3; /* beside any ledger, and without a cap */
    assert_ok(tacit_perturb(&o, 0.3, 0, 40, seeded, &p, &err));
    assert_true(!p.is_private && !p.statement);
    o.name = NULL;
    assert_fails(tacit_perturb(&o, 0.3, 0, 1, again, &p, &err), TACIT_E_ARG,
                 "opts->name must not be NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_release_again),
        cmocka_unit_test(noise_of_a_seed_is_not_private),
        cmocka_unit_test(refusals_leave_nothing),
        cmocka_unit_test(orders_are_not_overwritten),
        cmocka_unit_test(one_releases_at_a_time),
        cmocka_unit_test(answers_are_given_once),
        cmocka_unit_test(answers_as_they_are),
        cmocka_unit_test(a_search_to_the_last_row),
        cmocka_unit_test(a_state_keeps_what_it_began_with),
        cmocka_unit_test(serves_the_rows_of_its_release_alone),
        cmocka_unit_test(notices_other_rows),
        cmocka_unit_test(programs_have_values),
        cmocka_unit_test(replies_are_given_once),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
