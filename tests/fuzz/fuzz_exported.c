/* fuzz_exported.c - any bytes as a file that tacit export wrote: as results to import, and as a chart's trials.
 *
 * The first byte says how the file's name ends. What is accepted must be points of the space with finite values, and a
 * study must take them. */
#include "input.h"

#include "chart/plot_trials.h"
#include "study/import_rows.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char document[] =
    "{\"name\": \"f\", \"direction\": \"minimize\", \"seed\": 1, \"algorithm\": \"random\","
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
    " \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
    " \"k\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\"]},"
    " \"g\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 1, \"log\": true, \"when\": {\"k\": "
    "\"b\"}},"
    " \"z\": {\"type\": \"bool\"}}}";

static const char several[] = "{\"name\": \"f\", \"objectives\": {\"error\": \"minimize\", "
                              "\"gain\": \"maximize\"}, \"constraints\": "
                              "{\"m\": {\"max\": 1}}, \"seed\": 1, \"algorithm\": \"random\", "
                              "\"space\": {\"x\": {\"type\": \"float\", "
                              "\"low\": 0, \"high\": 1}}}";

static void import(const tacit_document *doc, const char *file)
{
    tc_import_rows rows = {0};
    tacit_study *s = NULL;
    if (tc_import_read(&rows, doc, file, true, NULL) == TACIT_OK) {
        for (size_t i = 0; i < rows.n * tacit_document_outcomes(doc); i++)
            REQUIRE(isfinite(rows.y[i]));
        REQUIRE(tacit_study_create_from(&s, "memory:", doc, NULL, NULL) == TACIT_OK);
        REQUIRE(tacit_study_import_outcomes(s, rows.n, rows.values, rows.y, NULL) == TACIT_OK);
    }
    tacit_study_close(s);
    tc_import_fini(&rows);
}

static void draw(const char *file)
{
    tc_plot_trials p = {0};
    if (tc_plot_trials_of_file(&p, file, TC_PLOT_MINIMIZE, NULL) == TACIT_OK) {
        REQUIRE(p.n > 0 && p.top < p.n);
        for (size_t k = 0; k < p.n_columns; k++)
            for (size_t i = 0; i < p.n; i++)
                REQUIRE(!p.columns[k].axis.names || isnan(p.columns[k].x[i]) ||
                        p.columns[k].x[i] < (double)p.columns[k].axis.n_names);
    }
    tc_plot_trials_fini(&p);
}

FUZZ_TARGET(exported)
{
    static const char *const ends[] = {".csv", ".json", ".jsonl"};
    fuzz_input in = {data, size};
    char file[300];
    tacit_document *doc = NULL, *more = NULL;
    REQUIRE(tacit_document_parse(&doc, document, NULL) == TACIT_OK);
    REQUIRE(tacit_document_parse(&more, several, NULL) == TACIT_OK);
    const char *end = ends[fuzz_byte(&in) % 3];
    fuzz_temporary(file, sizeof file - 8, "exported");
    memcpy(file + strlen(file), end, strlen(end) + 1);
    int fd = mkstemps(file, (int)strlen(end));
    REQUIRE(fd >= 0 && write(fd, in.p, in.left) == (ssize_t)in.left && close(fd) == 0);
    import(doc, file);
    import(more, file);
    draw(file);
    unlink(file);
    tacit_document_free(doc);
    tacit_document_free(more);
    return 0;
}
