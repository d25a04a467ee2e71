/* foreign.c - see foreign.h. */
#include "runner/foreign.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* -0.5 and 1e-3, but neither hexadecimal numbers nor words such as inf. */
static bool is_number(const char *s)
{
    size_t n = *s == '-' || *s == '+', digits = strspn(s + n, "0123456789");
    n += digits;
    if (s[n] == '.') {
        size_t more = strspn(s + n + 1, "0123456789");
        digits += more;
        n += 1 + more;
    }
    if (digits == 0)
        return false;
    if (s[n] == 'e' || s[n] == 'E') {
        n += s[n + 1] == '-' || s[n + 1] == '+' ? 2 : 1;
        digits = strspn(s + n, "0123456789");
        n += digits;
    }
    return digits > 0 && s[n] == '\0';
}

bool tc_choice_is_harmless(const char *s)
{
    bool plain = strspn(s, FIRST) > 0 && s[strspn(s, FIRST "._+-/:=,@%")] == '\0';
    return is_number(s) || (plain && !strstr(s, ".."));
}

/* It goes to a terminal: nothing that a terminal would obey. */
static void show(const char *s, char *out, size_t size)
{
    size_t n = 0;
    for (; s[n] && n + 1 < size; n++)
        out[n] = s[n] >= ' ' && s[n] <= '~' ? s[n] : '?';
    out[n] = '\0';
}

tacit_status tc_choices_check(const tc_space *s, tacit_error *err)
{
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        for (size_t k = 0; p->type == TC_PARAM_CHOICE && k < p->n_choices; k++) {
            char shown[80];
            if (tc_choice_is_harmless(p->choices[k]))
                continue;
            show(p->choices[k], shown, sizeof shown);
            return tc_fail(
                err, TACIT_E_ARG,
                "space.%s.choices[%zu] of the coordinator's study is \"%s\": allowed are "
                "numbers, and letters, digits and ._+-/:=,@%% that begin with a letter, a "
                "digit or _ and have no \"..\"; --any-choices allows every text",
                p->name, k, shown);
        }
    }
    return TACIT_OK;
}
