/* algorithms_api_test.c - the public list of algorithms says what the registry has. */
#include <tacit/algorithms.h>

#include "algo/algorithm.h"

#include "support/test.h"

#include <string.h>

static void the_list_is_the_registry(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_algorithms *all;
    const tacit_algorithm *a;
    assert_ok(tacit_algorithms_new(&all, NULL, &err));
    size_t i = 0;
    for (; (a = tacit_algorithms_get(all, i)); i++) {
        const tc_algorithm *mine = tc_algorithms()[i];
        const tacit_option *o;
        size_t k = 0;
        assert_non_null(mine);
        assert_string_equal(a->name, mine->name);
        assert_true(a->federated == tc_algorithm_federated(mine));
        for (; (o = tacit_algorithms_option(all, i, k)); k++) {
            assert_string_equal(o->name, mine->options[k].name);
            assert_true(o->size == sizeof *o && *o->range && *o->summary);
            assert_true((o->type == TACIT_OPTION_CHOICE) == (o->choices != NULL));
        }
        assert_true(!mine->options || !mine->options[k].name);
    }
    assert_null(tc_algorithms()[i]);
    assert_null(tacit_algorithms_option(all, i, 0));
    tacit_algorithms_free(all);
}

static const tacit_option *find(const tacit_algorithms *l, const char *name)
{
    const tacit_option *o;
    for (size_t k = 0; (o = tacit_algorithms_option(l, 0, k)); k++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static void an_option_says_what_it_takes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_algorithms *one = NULL;
    assert_fails(tacit_algorithms_new(&one, "gp-ie", &err), TACIT_E_ARG,
                 "there is no algorithm \"gp-ie\"");
    assert_int_equal(tacit_algorithms_new(NULL, NULL, NULL), TACIT_E_ARG);
    assert_null(one);
    assert_ok(tacit_algorithms_new(&one, "dp-fts-de", &err));
    assert_true(tacit_algorithms_get(one, 0)->federated);
    assert_null(tacit_algorithms_get(one, 1));
    const tacit_option *o = find(one, "sampling_rate");
    assert_int_equal(o->type, TACIT_OPTION_FLOAT);
    assert_string_equal(o->range, "number in (0, 1]");
    assert_true(o->limited && o->low == 0 && o->high == 1);
    o = find(one, "kernel");
    assert_int_equal(o->type, TACIT_OPTION_CHOICE);
    assert_non_null(strstr(o->choices, "|"));
    tacit_algorithms_free(one);
    tacit_algorithms_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_the_registry),
        cmocka_unit_test(an_option_says_what_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
