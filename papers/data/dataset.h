/* dataset.h - data sets from the user's folder, and grids of expensive objectives that are kept.
 *
 * A data set is a folder with files; "x.csv" may also be there as x.csv.gz. Nothing is fetched, and no
 * path is known but the one given. For the files of experiments/ and for reproduce.c. */
#ifndef TC_PAPERS_DATASET_H
#define TC_PAPERS_DATASET_H

#include "base/text.h"
#include "papers/frame/experiment.h"

/* Is everything there that e needs? E_NOT_FOUND says in one sentence what is missing. */
tacit_status tc_dataset_check(const tc_experiment *e, const char *data, tacit_error *err);

/* A file of a data set, unpacked. Caller: tc_free. */
tacit_status tc_dataset_read(const char *data, const char *folder, const char *file, char **text,
                             size_t *len, tacit_error *err);

/* Adds the hash of all files of e: what its results depend on. */
tacit_status tc_dataset_identity(const tc_experiment *e, const char *data, tc_text *out,
                                 tacit_error *err);

/* Makes the text of a cached file. */
typedef tacit_status (*tc_cache_make)(void *user, tc_text *out, tacit_error *err);

/* The path of a file made from `key` alone: everything that determines it (bytes of data, split rule,
 * grid, version). Made and written unless it is there. Caller: tc_free. */
tacit_status tc_cache_get(const tc_setup *s, const char *name, const char *key, tc_cache_make make,
                          void *user, char **path, tacit_error *err);

/* The same as an objective, table:FILE. Caller: tc_free. Ends the key. */
tacit_status tc_cache_table(const tc_setup *s, const char *name, tc_text *key, tc_cache_make make,
                            void *user, char **objective, tacit_error *err);

/* Hexadecimal digits of the hash of a text. */
enum { TC_DIGEST = 64 };
void tc_digest(const void *text, size_t len, char out[TC_DIGEST + 1]);

#endif
