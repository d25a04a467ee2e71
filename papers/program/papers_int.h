/* papers_int.h - what the files of the program tacit-papers share. */
#ifndef TC_PAPERS_PROGRAM_INT_H
#define TC_PAPERS_PROGRAM_INT_H

#include "frame/cli.h"
#include "papers/frame/report.h"

#include <pthread.h>

/* papers.c: all that the program does. */
extern const tc_verb tc_papers_verb;

/* A bar that cells of any thread move on. */
typedef struct tc_reproduce_watch {
    pthread_mutex_t lock;
    tc_progress *bar;
} tc_reproduce_watch;

/* papers_report.c. Writes OUT/NAME/{figure.svg,table.md,curves.csv,summary.json}. */
tacit_status tc_reproduce_files(const tc_reproduction *r, const char *out, tacit_error *err);
/* The table and the verdicts on standard output; as JSON the whole summary. */
tacit_status tc_reproduce_show(const tc_reproduction *r, tc_format format, tacit_error *err);
/* "40 s", "3 min", "2.5 h" */
void tc_duration(char *out, size_t size, double seconds);

/* papers_figure.c */
tacit_status tc_reproduce_figure(const tc_reproduction *r, tc_text *svg, tacit_error *err);

#endif
