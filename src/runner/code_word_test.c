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
    expect_code("sh -c - CODE {x}", "13");
}

/* It does not matter what stands before the interpreter. */
static void wrappers(void **state)
{
    (void)state;
    expect_code("nice -n 5 sh -c CODE", "45");
    expect_code("timeout -k 1 5 sh -c CODE", "56");
    expect_code("stdbuf -oL setsid -w bash -c CODE sh {x}", "56");
    expect_code("nohup ionice -c 3 sh -c CODE", "56");
    expect_code("busybox sh -c CODE", "23");
    expect_code("busybox awk CODE", "2");
    expect_code("xargs -n 1 sh -c CODE", "45");
    expect_code("find . -exec sh -c CODE", "45");
    expect_code("find . -execdir awk CODE file", "4");
    expect_code("find . -name {x} -exec ./train {x}", "");
    expect_code("xargs -I % ./train {x}", "");
    expect_code("nice -n 5 ./train -c {c}", "");
    expect_code("nice -n 5 watch CODE", "4");
    expect_code("/usr/bin/timeout 5 make --eval=CODE", "3");
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
    expect_code("perl -e CODE -e CODE {x}", "1234");
    expect_code("perl -0777ne CODE", "12");
    expect_code("node -pe CODE {x}", "12");
    expect_code("python3 -c CODE -c {c}", "12");
    expect_code("octave --no-gui --eval CODE", "23");
}

static void languages_of_text_tools(void **state)
{
    (void)state;
    expect_code("awk CODE file {x}", "1");
    expect_code("gawk -F : -v a={x} CODE", "5");
    expect_code("awk -- CODE", "2");
    expect_code("awk -f prog {x}", "");
    expect_code("awk -fprog {x}", "");
    expect_code("gawk --file prog {x}", "");
    expect_code("gawk -e CODE {x}", "12");
    expect_code("gawk --source=CODE {x}", "1");
    expect_code("gawk --source CODE {x}", "12");
    expect_code("gawk -E prog {x} -e {x}", "");
    expect_code("sed CODE file", "1");
    expect_code("sed -n CODE file {x}", "2");
    expect_code("sed -n -e CODE -e CODE file {x}", "2345");
    expect_code("sed -i.bak -E CODE file", "3");
    expect_code("sed --expression=CODE file", "1");
    expect_code("sed --expr CODE file", "12");
    expect_code("sed --in CODE file", "2");
    expect_code("sed -f prog {x}", "");
    expect_code("sed -f prog {x} -e CODE", "45");
    expect_code("sed file -e CODE",
                "123"); /* a file in the place of a program: in doubt it is code */
}

static void what_hands_words_to_a_shell(void **state)
{
    (void)state;
    expect_code("script -q -c CODE log", "23");
    expect_code("/usr/bin/script log -c CODE", "23");
    expect_code("script --command=CODE log", "1");
    expect_code("watch -n 5 ./train {x} -c {c}", "3456");
    expect_code("watch -x ./train {x}", "");
    expect_code("watch --exec ./train {x}", "");
    expect_code("make --eval CODE train", "12");
    expect_code("make -C d --eval=CODE", "3");
    expect_code("make -E CODE -E CODE", "1234");
    expect_code("make -j 4 train OPT={opt}", "");
    expect_code("make -C {x} train", "");
    expect_code("env --split-string=CODE {x}", "12");
    expect_code("env -i -S CODE {x} -c {x}", "23456");
    expect_code("sbatch -p gpu --wrap CODE", "34");
    expect_code("sbatch train.sh {x}", "");
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
    expect_code("tools/watch {c}", "");
    expect_code("./make opt={opt}", "");
    expect_code("./train watch {opt}", ""); /* a word for it, not the program */
    expect_code("npm run script -c {c}", "");
    expect_code("./sed.py {opt}", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells),
        cmocka_unit_test(wrappers),
        cmocka_unit_test(languages_of_text_tools),
        cmocka_unit_test(what_hands_words_to_a_shell),
        cmocka_unit_test(other_interpreters),
        cmocka_unit_test(ordinary_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
