/* name.c - which names a parameter, a column of candidates or an outcome may have. */
#include "space/name.h"

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

/* "point" numbers the candidates of a finite space, "trial" the trials of a study: both stand
 * beside parameters in JSON and in placeholders. The others are columns of exported trials, and
 * "params_x" is there the column of parameter x: import could not tell them apart. */
static const char *const reserved[] = {"number", "point", "reason", "state",
                                       "trial",  "value", "worker"};
static const char prefix[] = "params_";

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

tacit_status tc_name_check_of(const char *what, const char *name, tacit_error *err)
{
    size_t len = strlen(name);
    if (len == 0)
        return tc_fail(err, TACIT_E_ARG, "%s %s name must not be empty",
                       strchr("aeiou", *what) ? "an" : "a", what);
    if (len > TC_NAME_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "%s name \"%.64s...\" must have at most %d characters, got %zu", what, name,
                       TC_NAME_MAX, len);
    if (strspn(name, LETTERS) == 0 || strspn(name, LETTERS "0123456789.-") != len)
        return tc_fail(err, TACIT_E_ARG,
                       "%s name \"%s\" must begin with a letter or _ and go on with "
                       "letters, digits, _ . -",
                       what, name);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return tc_fail(err, TACIT_E_ARG,
                           "%s name \"%s\" is reserved: tables of trials have a column or "
                           "key of that name",
                           what, name);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%s name \"%s\" must not begin with \"%s\", which marks parameters "
                       "in exported tables",
                       what, name, prefix);
    return TACIT_OK;
}

tacit_status tc_name_check(const char *name, tacit_error *err)
{
    return tc_name_check_of("parameter", name, err);
}
