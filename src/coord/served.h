/* served.h - what the handlers of served studies share (served*.c). For the files of this folder. */
#ifndef TC_COORD_SERVED_H
#define TC_COORD_SERVED_H

#include "coord/open_study.h"

/* An answer that has this many bytes is long enough: a page or a suggestion ends there. */
#define TC_ANSWER_MOST ((size_t)8 << 20)
/* Bytes of it as text, about. */
size_t tc_served_size(const json_t *j);
/* Says what became of a trial, unless the study is told private replies. value NULL: it has none. */
void tc_emit_trial(tc_coord *c, const tc_open_study *d, const tc_study_doc *doc, uint64_t trial,
                   tc_trial_state state, const double *value);

#endif
