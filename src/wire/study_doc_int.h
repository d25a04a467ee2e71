/* study_doc_int.h - what the files of the study document share. */
#ifndef TC_WIRE_STUDY_DOC_INT_H
#define TC_WIRE_STUDY_DOC_INT_H

#include "wire/study_doc.h"

/* study_options.c */
/* Takes "version" out of the options as they were read. E_UNSUPPORTED: this program does not have that version. */
tacit_status tc_study_doc_take_version(tc_study_doc *d, tacit_error *err);
/* The options of a document that is compared with a stored one of the same algorithm. */
tacit_status tc_study_doc_options_like(const tc_study_doc *given, const tc_study_doc *stored,
                                       json_t **out, tacit_error *err);
/* All options of the algorithm, defaults included, in the order of its table;
 * the caller decrefs. E_ARG: one is unknown or out of range. */
tacit_status tc_study_doc_options(const tc_study_doc *d, json_t **out, tacit_error *err);

/* study_federation.c, study_privacy.c: "federation" and "privacy" of the document j. Adding them is false where memory
 * lacks. */
tacit_status tc_study_doc_read_federation(tc_study_doc *d, const json_t *j, tacit_error *err);
tacit_status tc_study_doc_read_privacy(tc_study_doc *d, const json_t *j, tacit_error *err);
bool tc_study_doc_add_federation(const tc_study_doc *d, json_t *j);
bool tc_study_doc_add_privacy(const tc_study_doc *d, json_t *j);

/* study_doc.c: "minimize" or "maximize". `path` and `name` are the field. */
tacit_status tc_study_doc_direction(const char *path, const char *name, const char *word, bool *out,
                                    tacit_error *err);
tacit_status tc_study_doc_read_direction(tc_study_doc *d, const json_t *j, tacit_error *err);

/* study_outcomes.c: "direction" or "objectives", and "constraints". */
tacit_status tc_study_doc_read_outcomes(tc_study_doc *d, const json_t *j, tacit_error *err);
/* Do they go with the rest of the document, which is read by now? */
tacit_status tc_study_doc_check_outcomes(const tc_study_doc *d, tacit_error *err);
bool tc_study_doc_add_outcomes(const tc_study_doc *d, json_t *j);

/* The document with these options; the caller decrefs. NULL: no memory. */
json_t *tc_study_doc_json(const tc_study_doc *d, const json_t *options);

#endif
