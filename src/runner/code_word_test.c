/* code_word_test.c - which words of a command are code. */
#include "runner/code_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WORDS = 16 };

/* Exactly the words in `code` (numbers from 0, of one digit) are code. */
static void expect_code(const char *command, const char *code)
{
    char copy[256], found[MOST_WORDS] = "", *argv[MOST_WORDS] = {NULL};
    size_t n = 0, k = 0;
    snprintf(copy, sizeof copy, "%s", command);
    for (char *at = copy; *at && n + 1 < MOST_WORDS; n++) {
        argv[n] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    for (size_t i = 0; i < n; i++)
        if (tc_code_word(argv, i))
            found[k++] = (char)('0' + i);
    if (strcmp(found, code) != 0)
        fail_msg("\"%s\": code is word %s, not %s", command, found, code);
}

static void shells(void **state)
{
    (void)state;
    expect_code("sh -c CODE sh {x}", "12");
    expect_code("/bin/bash -ec CODE", "12");
    expect_code("bash -o pipefail -c CODE {x}", "34");
    expect_code("bash --norc --rcfile f -c CODE", "45");
    expect_code("sh -c -e CODE {x}", "123");
    expect_code("sh -c -- CODE {x}", "13");
    expect_code("zsh -fc CODE", "12");
    expect_code("env A=1 nice -n 5 dash -c CODE sh {x}", "67");
    expect_code("busybox ash -c CODE", "23");
    expect_code("env -S CODE", "12");
    expect_code("timeout 5 fish --command=CODE", "3");
    expect_code("su user -c CODE", "23");
    expect_code("flock gpu.lock -c CODE", "23");
}

static void other_interpreters(void **state)
{
    (void)state;
    expect_code("python3 -c CODE {x}", "12");
    expect_code("/usr/bin/python3.11 -W ignore -cCODE", "3");
    expect_code("perl -MList::Util -ne CODE", "23");
    expect_code("ruby -e CODE", "12");
    expect_code("node --eval CODE", "12");
    expect_code("Rscript -e CODE", "12");
    expect_code("php -r CODE", "12");
}

/* The -c of a program of the user's is not a shell's. */
static void ordinary_programs(void **state)
{
    (void)state;
    expect_code("./train -c {c} --opt {opt}", "");
    expect_code("sh train.sh -c {c}", "");
    expect_code("bash -e train.sh -c {c}", "");
    expect_code("python3 train.py -c {c} -e {e}", "");
    expect_code("python3 -m package.train -c {c}", "");
    expect_code("python3 -mpackage.train {opt}", "");
    expect_code("python3 -u train.py {opt}", "");
    expect_code("perl train.pl -e {e}", "");
    expect_code("env OPT={opt} ./train -S {s}", "");
    expect_code("sh", "");
    expect_code("sh -c", "1");
    expect_code("push -c {x}", "");
    expect_code("sh.py -c {x}", "");
    expect_code("./script -c {c}", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells),
        cmocka_unit_test(other_interpreters),
        cmocka_unit_test(ordinary_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
