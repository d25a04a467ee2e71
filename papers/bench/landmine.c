/* landmine.c - landmine detection as a table: the AUC of an SVM on each of 29 fields, over a grid.
 *
 *     bench_landmine [points of an axis, 20] < landmine.csv > table.csv
 *
 * Field n is agent n of the objective table:table.csv [Xue et al. 2007; tuned as in Dai et al. 2020 and in
 * the pf-pne experiments]; the parameters of the table are log10 of gamma and of C. See
 * papers/data/landmine.h. Needs libsvm; papers/bench/landmine_table finds the data. */
#include "base/error.h"
#include "papers/data/landmine.h"

#include <stdio.h>
#include <stdlib.h>

static tacit_status tabulate(const tc_text *text, size_t points, tc_text *out, tacit_error *err)
{
    tc_landmine *l;
    TC_TRY(tc_landmine_new(&l, tc_text_get(text), text->len, err));
    tc_landmine_grid grid = {.points = points, .log = true};
    tacit_status status = tc_landmine_table(l, &grid, out, err);
    tc_landmine_free(l);
    return status;
}

int main(int argc, char **argv)
{
    long points = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    tacit_error err = {0};
    tc_text text = {0}, table = {0};
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, stdin)) > 0;)
        tc_text_add_bytes(&text, buffer, n);
    tacit_status status = text.failed
                              ? tc_fail_memory(&err)
                              : tabulate(&text, points > 0 ? (size_t)points : 0, &table, &err);
    if (status == TACIT_OK)
        fputs(tc_text_get(&table), stdout);
    else
        fprintf(stderr, "bench_landmine: %s\n", err.msg);
    tc_text_fini(&text);
    tc_text_fini(&table);
    return tacit_status_exit(status);
}
