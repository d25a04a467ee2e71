/* import_rows.h - earlier results from a file, all or nothing: CSV, or JSON by the file's ending. For import.c and
 * federation/agent.c.
 *
 * Of CSV a column is a parameter (x, or Optuna's params_x), "value" or "state", or one of several outcomes (latency, or
 * outcomes_latency as tacit export writes it); others are passed over. Rows whose state is not COMPLETE carry no result and are
 * counted, not read. */
#ifndef TC_PROGRAM_IMPORT_ROWS_H
#define TC_PROGRAM_IMPORT_ROWS_H

#include "frame/cli.h"

#include <stddef.h>
#include <tacit/document.h>

/* As tacit_study_import takes them. All-zero may be ended. */
typedef struct tc_import_rows {
    double *values, *y;
    size_t n, skipped;
} tc_import_rows;

/* Reads and checks the whole file for a study of this document; on failure *out may be ended, too. */
tacit_status tc_import_read(tc_import_rows *out, const tacit_document *doc, const char *file,
                            bool quiet, tacit_error *err);
void tc_import_fini(tc_import_rows *r);

#endif
