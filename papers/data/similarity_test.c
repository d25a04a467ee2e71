/* similarity_test.c - agents that are alike, opposite and unrelated, where the numbers are known. */
#include "papers/data/similarity.h"

#include "base/file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static tacit_status of_table(const char *text, size_t agents, tc_similarity *out, tacit_error *err)
{
    char path[] = "/tmp/tacit-similarity-XXXXXX", name[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(tc_file_write(path, text, strlen(text), err), TACIT_OK);
    snprintf(name, sizeof name, "table:%s", path);
    tacit_status status = tc_similarity_of(name, NULL, agents, out, err);
    (void)remove(path);
    return status;
}

static void alike(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_similarity s;
    assert_ok(of_table("x,value_1,value_2\n0,1,5\n1,2,6\n2,3,7\n", 2, &s, &err));
    assert_close(s.correlation, 1, 1e-12);
    assert_close(s.others, 0, 1e-12); /* the other's best is one's own */
    assert_close(s.random, 1, 1e-12);
}

static void opposite(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_similarity s;
    assert_ok(of_table("x,value_1,value_2\n0,1,3\n1,2,2\n2,3,1\n", 2, &s, &err));
    assert_close(s.correlation, -1, 1e-12);
    assert_close(s.others, 2, 1e-12);
}

static void three_agents(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_similarity s;
    assert_ok(of_table("x,value_1,value_2,value_3\n0,0,0,1\n1,1,1,0\n", 3, &s, &err));
    assert_close(s.correlation, -1.0 / 3, 1e-12);
    assert_close(s.others, 1, 1e-12); /* ties take the first, which is wrong for two */
}

static void bad_input(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_similarity s;
    assert_fails(tc_similarity_of("gp-family", NULL, 1, &s, &err), TACIT_E_ARG,
                 "similarity is about two agents or more");
    assert_fails(tc_similarity_of("branin", NULL, 2, &s, &err), TACIT_E_ARG,
                 "similarity needs a finite set of candidates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alike), cmocka_unit_test(opposite),
                                       cmocka_unit_test(three_agents), cmocka_unit_test(bad_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
