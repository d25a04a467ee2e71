/* closest.c - "did you mean": the nearest known name to a mistyped word.
 *
 * Distance is the number of single-character insertions, deletions and
 * replacements and of swaps of neighbours (optimal string alignment), without
 * regard to case. */
#include "base/error.h"
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static bool swapped(const char *a, const char *b)
{
    return same(a[0], b[-1]) && same(a[-1], b[0]);
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t replace = d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            d[i][j] = least(replace, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && swapped(a + i - 1, b + j - 1))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *tc_closest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = LONGEST + 1, n = strlen(word);
    for (; n <= LONGEST && *names != NULL; names++) {
        size_t m = strlen(*names);
        if (m > LONGEST)
            continue;
        size_t longer = n > m ? n : m;
        /* A beginning of a name ("feat" of "features") is as near as one slip. */
        bool begins = n >= 2 && strncasecmp(word, *names, n) == 0;
        size_t d = begins ? least(1, m - n) : distance(word, n, *names, m);
        if (d < best_distance && d < longer && d <= 1 + longer / 4) {
            best = *names;
            best_distance = d;
        }
    }
    return best;
}

/* Cut names are no loss: the whole message has no room for them either. */
static void join(char *out, size_t size, const char *const *names)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; names[i] != NULL && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i == 0 ? "" : ", ", names[i]);
}

tacit_status tc_fail_unknown(tacit_error *err, tacit_status code, const char *word,
                             const char *const *names, const char *label, const char *fmt, ...)
{
    char sentence[sizeof err->msg], list[sizeof err->msg];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    join(list, sizeof list, names);
    const char *near = tc_closest(word, names);
    if (near == NULL)
        return tc_fail(err, code, "%s. %s: %s", sentence, label, list);
    return tc_fail(err, code, "%s; did you mean \"%s\"? %s: %s", sentence, near, label, list);
}
