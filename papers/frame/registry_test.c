/* registry_test.c - every experiment is well formed: what its row names exists. */
#include "algo/algorithm.h"
#include "papers/baselines/baselines.h"
#include "privacy/accountant.h"
#include "papers/frame/drive.h"
#include "papers/frame/experiment.h"

#include "base/memory.h"
#include "support/test.h"

#include <string.h>

static bool has_line(const tc_experiment *e, const char *line)
{
    for (size_t a = 0; a < e->n_arms; a++)
        if (strcmp(e->arms[a].line, line) == 0)
            return true;
    return false;
}

static void each(void (*check)(const tc_experiment *e))
{
    for (const tc_experiment *const *e = tc_experiments(); *e; e++)
        check(*e);
}

static void check_facts(const tc_experiment *e)
{
    assert_true(e->name && e->paper && e->figure && e->claim && e->setting && e->y_label);
    assert_true(e->x.label && e->x.n > 0 && e->run && e->version > 0);
    assert_true(e->runs > 0 && e->quick_runs > 0 && e->seconds > 0 && e->quick_seconds > 0);
    assert_true(!e->data == !e->files && !e->prepare == !e->finish);
    assert_true(e->claim[0] != 0 && strspn(e->claim + strlen(e->claim) - 1, ".") == 0);
    for (size_t i = 0; i < e->n_shown; i++)
        assert_true(e->shown[i] < e->x.n);
    for (size_t i = 1; i < e->x.n; i++)
        assert_true(tc_points_at(&e->x, true, i) > tc_points_at(&e->x, true, i - 1));
}

static void rows_are_complete(void **state)
{
    (void)state;
    each(check_facts);
}

static void check_names(const tc_experiment *e)
{
    const tc_experiment *found;
    tacit_error err = {0};
    assert_ok(tc_experiment_get(&found, e->name, &err));
    assert_ptr_equal(found, e);
    for (size_t a = 0; a < e->n_arms; a++)
        assert_ptr_equal(tc_arm_find(e, e->arms[a].name), &e->arms[a]);
}

static void names_are_unique(void **state)
{
    (void)state;
    each(check_names);
}

/* A line is one paper arm and one default arm at most. */
static void check_modes(const tc_experiment *e)
{
    for (size_t a = 0; a < e->n_arms; a++)
        for (size_t b = a + 1; b < e->n_arms; b++)
            if (strcmp(e->arms[a].line, e->arms[b].line) == 0)
                assert_true(e->arms[a].mode == TC_ARM_PAPER && e->arms[b].mode == TC_ARM_DEFAULT);
}

static void lines_have_two_modes_at_most(void **state)
{
    (void)state;
    each(check_modes);
}

static void check_references(const tc_experiment *e)
{
    for (const tc_printed *p = e->printed; p && p->line; p++)
        assert_true(has_line(e, p->line) && p->at < e->x.n);
    for (const tc_statement *s = e->statements; s && s->text; s++) {
        assert_non_null(tc_arm_find(e, s->a.arm));
        assert_non_null(tc_arm_find(e, s->b.arm));
        assert_true(s->a.at < e->x.n && s->b.at < e->x.n);
    }
}

static void statements_are_about_arms(void **state)
{
    (void)state;
    each(check_references);
}

/* The table of an arm's algorithm; NULL: an accountant, which has none. */
static const tc_option *table_of(const char *name, size_t *size)
{
    const tc_algorithm *a = tc_algorithm_find(name);
    const tc_bandit *b = NULL;
    const tc_accountant *accountant;
    if (a) {
        *size = a->options_size;
        return a->options;
    }
    if (tc_paper_bandit_get(&b, name, NULL) == TACIT_OK) {
        *size = b->options_size;
        return b->options;
    }
    assert_int_equal(tc_accountant_get(&accountant, name, NULL), TACIT_OK);
    return NULL;
}

static void check_options(const tc_experiment *e)
{
    tacit_error err = {0};
    for (size_t i = 0; i < e->n_arms; i++) {
        const tc_arm *arm = &e->arms[i];
        size_t size = 0;
        const tc_option *table = arm->algorithm ? table_of(arm->algorithm, &size) : NULL;
        if (!table)
            continue;
        void *opts = tc_alloc(1, size + 1);
        assert_non_null(opts);
        assert_ok(tc_words_read(table, opts, arm->algorithm, arm->options, &err));
        tc_options_fini(table, opts);
        tc_free(opts);
    }
}

static void options_of_arms_exist(void **state)
{
    (void)state;
    each(check_options);
}

static void an_unknown_name_is_told_the_nearest(void **state)
{
    (void)state;
    const tc_experiment *e = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_experiment_get(&e, "fts-fig1", &err), TACIT_E_ARG);
    assert_non_null(
        strstr(err.msg, "there is no experiment \"fts-fig1\"; did you mean \"fts-fig1"));
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(lines_have_two_modes_at_most),
        cmocka_unit_test(statements_are_about_arms),
        cmocka_unit_test(options_of_arms_exist),
        cmocka_unit_test(an_unknown_name_is_told_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
