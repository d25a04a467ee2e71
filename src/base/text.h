/* text.h - growable text with a ceiling, and how tacit writes numbers. */
#ifndef TC_BASE_TEXT_H
#define TC_BASE_TEXT_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

/* A growing, always NUL-terminated buffer. `failed` is sticky. An all-zero
 * tc_text is empty and valid; max 0 stands for 1 GiB. */
typedef struct tc_text {
    char *data; /* NULL until the first addition; use tc_text_get */
    size_t len, cap, max;
    bool failed;
} tc_text;

void tc_text_add(tc_text *t, const char *s);
void tc_text_add_bytes(tc_text *t, const void *p, size_t n);
void tc_text_addf(tc_text *t, const char *fmt, ...) TACIT_PRINTF(2, 3);
void tc_text_add_double(tc_text *t, double v);       /* as tc_double_text */
void tc_text_add_csv(tc_text *t, const char *field); /* quoted where RFC 4180 asks */
const char *tc_text_get(const tc_text *t);           /* never NULL; borrowed */
char *tc_text_take(tc_text *t); /* caller ends it with tc_free; NULL if failed */
void tc_text_fini(tc_text *t);

/* The shortest text of printf's %g that reads back as the same double. */
void tc_double_text(char out[32], double v);

/* Strict: the whole of s must be one finite number. */
bool tc_parse_double(const char *s, double *out);
bool tc_parse_u64(const char *s, unsigned long long *out);

/* The name in `names` (NULL-terminated) closest to `word`, or NULL if none is near. */
const char *tc_closest(const char *word, const char *const *names);

#endif
