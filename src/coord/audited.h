/* audited.h - what goes into the operator's log (study/audit.h), and who it says did it (audited.c). For the files of
 * this folder. */
#ifndef TC_COORD_AUDITED_H
#define TC_COORD_AUDITED_H

#include "coord/request.h"

/* Something that somebody does. */
typedef struct tc_act {
    const char *action;        /* "study.pause"; README.md has all of them */
    const tc_open_study *open; /* or NULL */
    const char *study; /* its name, where it is not open; NULL: it is about none, or `open` */
    char detail[256];
} tc_act;
tc_act tc_act_of(const char *action, const tc_open_study *d, const char *fmt, ...)
    TACIT_PRINTF(3, 4);

/* As tc_changes_end, and the entry is of the same transaction. who NULL: whoever holds the storage. */
tacit_status tc_changes_log(tc_coord *c, const tc_caller *who, tc_changes *changes,
                            tacit_status so_far, const tc_act *act, size_t *refused,
                            tacit_error *err);

/* For what no set of changes can hold: before it, and what came of it. */
tacit_status tc_act_begin(tc_coord *c, const tc_caller *who, const tc_act *act, tacit_error *err);
void tc_act_end(tc_coord *c, const tc_caller *who, const tc_act *act, tacit_status status);

/* Somebody with a token of no study reads what is worth knowing of. The same again within an hour is no new entry. */
tacit_status tc_act_download(tc_request_context *a, const tc_act *act, tacit_error *err);

#endif
