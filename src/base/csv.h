/* csv.h - a strict reader of RFC 4180 text: comma-separated, quoted with "".
 *
 * One pass, a record at a time:
 *
 *     tc_csv c;
 *     tc_csv_init(&c, text, len, "points.csv");
 *     while ((status = tc_csv_next(&c, err)) == TACIT_OK && c.n > 0)
 *         use c.field[0 .. c.n-1]
 *     tc_csv_fini(&c);
 *
 * Lines end with CR LF or LF; the last may lack it. A byte order mark before
 * the first field is skipped. Every record has as many fields as the first.
 * Errors name the source, the row (the header is row 1) and the column. */
#ifndef TC_BASE_CSV_H
#define TC_BASE_CSV_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_csv {
    const char *what;   /* names the source in errors; borrowed */
    size_t row;         /* of the present record, from 1 */
    size_t n;           /* its fields; 0 at the end */
    const char **field; /* n texts, valid until the next call */
    size_t width;       /* fields of the first record */
    const char *at, *end;
    char *bytes; /* the fields' texts, one after another, each with its NUL */
    size_t bytes_len, bytes_cap;
    size_t *start; /* where each field begins in bytes */
    size_t start_cap, field_cap;
} tc_csv;

/* `text` is borrowed until fini. */
void tc_csv_init(tc_csv *c, const char *text, size_t len, const char *what);
void tc_csv_fini(tc_csv *c);

/* Reads the next record; c->n is 0 when there is none. */
tacit_status tc_csv_next(tc_csv *c, tacit_error *err);

/* E_ARG with the source, row and column (from 1; 0: the whole row) before the sentence. */
tacit_status tc_csv_fail(const tc_csv *c, size_t column, tacit_error *err, const char *fmt, ...)
    TACIT_PRINTF(4, 5);

#endif
