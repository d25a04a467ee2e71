/* fuzz_study_doc.c - any text as a stored study document.
 *
 * tc_study_doc_restore is everything that reading a document is, but for the
 * file of points: a fuzzer must not choose files to open. A zero byte parts
 * the document from its candidates. What is accepted must have a canonical text
 * that is its own canonical text, and describe the same study. Points of its
 * space must survive the unit cube. */
#include "fuzz.h"

#include "wire/study_doc.h"

#include <string.h>

/* encode(decode(u)) is what round says, and decodes to a point of the space. */
static void check_space(const tc_space *s, uint8_t where)
{
    double *u = tc_alloc(2 * s->dim, sizeof *u), *values = tc_alloc(s->n_params, sizeof *values);
    REQUIRE(u && values);
    for (size_t d = 0; d < s->dim; d++)
        u[d] = (double)((d + 1) * where % 256) / 255;
    tc_space_decode(s, u, values);
    REQUIRE(tc_space_check(s, values, NULL) == TACIT_OK);
    tc_space_encode(s, values, u + s->dim);
    tc_space_round(s, u);
    REQUIRE(memcmp(u, u + s->dim, s->dim * sizeof *u) == 0);
    for (size_t d = 0; d < s->dim; d++)
        REQUIRE(u[d] >= 0 && u[d] <= 1);
    tc_free(u);
    tc_free(values);
}

static void check_document(const tc_study_doc *d)
{
    tc_study_doc *again = NULL;
    char *csv = d->space->domain ? tc_domain_csv(d->space->domain) : NULL;
    char *text = tc_study_doc_text(d);
    REQUIRE(text && tc_study_doc_restore(&again, text, csv, NULL) == TACIT_OK);
    char *text_again = tc_study_doc_text(again);
    REQUIRE(text_again && strcmp(text, text_again) == 0);
    REQUIRE(tc_study_doc_same(d, again, NULL) == TACIT_OK);
    tc_free(text);
    tc_free(text_again);
    tc_free(csv);
    tc_study_doc_free(again);
}

FUZZ_TARGET(study_doc)
{
    char *text = tc_strndup((const char *)data, size);
    REQUIRE(text);
    size_t len = strlen(text);
    char *csv = len < size ? tc_strndup((const char *)data + len + 1, size - len - 1) : NULL;
    tc_study_doc *d = NULL;
    if (tc_study_doc_restore(&d, text, csv, NULL) == TACIT_OK) {
        check_document(d);
        check_space(d->space, data[size / 2]);
    }
    tc_study_doc_free(d);
    tc_free(text);
    tc_free(csv);
    return 0;
}
