/* caller.h - how the callers of this folder check. Each is one program, which includes it once. */
#ifndef TACIT_TESTS_ABI_CALLER_H
#define TACIT_TESTS_ABI_CALLER_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static tacit_error err;

static void check(bool good, const char *what, int line)
{
    if (good)
        return;
    printf("line %d: %s\n", line, what);
    failures++;
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define GOOD(call)                                                                                 \
    do {                                                                                           \
        if ((call) != TACIT_OK) { /* nothing after it would have what it needs */                  \
            printf("line %d: %s: %s\n", __LINE__, #call, err.msg);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS(call, status) CHECK((call) == (status) && err.code == (status) && *err.msg)
/* A text that is there, and says this. */
#define SAYS(text, part)  CHECK((text) != NULL && strstr(text, part) != NULL)
#define SAME(text, other) CHECK((text) != NULL && strcmp(text, other) == 0)
/* A constant of the headers has its number for ever. */
#define NUMBER(constant, number) CHECK((int)(constant) == (number))
/* A struct that the library makes: it may have grown since. */
#define MADE(pointer) CHECK((pointer)->size >= sizeof *(pointer))

/* For a function that the library calls. */
static inline tacit_status refuse(const char *why, tacit_status status, tacit_error *error)
{
    snprintf(error->msg, sizeof error->msg, "%s", why);
    return error->code = status;
}

static int report(const char *caller)
{
    printf("%s: %d failures\n", caller, failures);
    return failures != 0;
}
#endif
