/* privacy_sheet.h - the sentences of `tacit privacy sheet` for each kind of study. For privacy_sheet.c alone. */
#ifndef TC_PROGRAM_PRIVACY_SHEET_H
#define TC_PROGRAM_PRIVACY_SHEET_H

#include <stdbool.h>

typedef struct tc_sheet_line {
    const char *of, *text; /* NULL: the last */
} tc_sheet_line;

typedef struct tc_sheet_kind {
    bool counted;                 /* the document says how many agents there are: before `who` */
    const char *who;              /* takes part */
    const tc_sheet_line *flow;    /* from and to, and what */
    const tc_sheet_line *sees;    /* who, and what */
    const tc_sheet_line *kept;    /* where, and what and until when */
    const char *unsafe;           /* what is not protected besides what the statement says */
    const tc_sheet_line *assumes; /* who, and what is relied upon */
    const tc_sheet_line *words;   /* and what they mean; NULL: all of them are plain */
    const char *towards; /* whom the promise is not made to; NULL: it is made to everybody */
    const char *priced;  /* the heading of the table of prices */
    const char *each;    /* what one row of it is */
} tc_sheet_kind;

enum {
    TC_SHEET_SUM,
    TC_SHEET_SUM_BARE, /* without noise */
    TC_SHEET_SHARED,   /* by trustees, with or without noise */
    TC_SHEET_RELAY,
    TC_SHEET_RECORDS,
    TC_SHEET_RECORDS_FEDERATED,
    TC_SHEET_LDP,
    TC_SHEET_OUTSOURCED,
    TC_SHEET_PLAIN,
    TC_SHEET_KINDS
};

extern const tc_sheet_kind tc_sheet_kinds[TC_SHEET_KINDS];

#endif
