/* demo_int.h - what the files of `tacit demo` share. Nobody else includes it.
 *
 *   demo.c          the verb: the federation, step by step
 *   demo_world.c    a coordinator and its agents, as processes in a temporary folder
 *   demo_process.c  one of those processes
 *   demo_journal.c  what a hospital's own storage says
 *   demo_screen.c   what is shown of it
 *   demo_model.c    the records of a hospital and the model that it tunes (demo_model.h)
 *   demo_train.c    one training, as its own verb
 *   demo_local.c    the demonstration of one party */
#ifndef TC_PROGRAM_DEMO_INT_H
#define TC_PROGRAM_DEMO_INT_H

#include "cli.h"
#include "demo_model.h"
#include "net/client.h"
#include "runner/launch.h"
#include "study/study.h"

/* ---- demo_local.c, demo_train.c */

/* out: a folder for curves and charts, or NULL. */
tacit_status tc_demo_local(const tc_invocation *in, const char *out, tacit_error *err);
extern const tc_verb tc_verb_demo_train;

/* ---- demo_process.c */

/* words end with NULL; words[0] is the program's path. */
tacit_status tc_demo_start(const char *const *words, tc_process *out, tacit_error *err);
/* Its first line of output, which is waited for. E_IO: it ended without one. E_CANCELLED. */
tacit_status tc_demo_first_line(const tc_process *p, tc_text *line, tacit_error *err);
/* Has it ended? Then *status is as waitpid's, and p is all zero. One that was never started has. */
bool tc_demo_ended(tc_process *p, int *status);
/* Sends it the signal, gives it some seconds, then kills it. */
void tc_demo_stop(tc_process *p, int number);

/* ---- demo_world.c */

#define TC_DEMO_STUDY "hospitals"
#define TC_DEMO_DELTA 0.01 /* below 1/8^2 */

/* All-zero may be closed. */
typedef struct tc_demo_world {
    char folder[256]; /* "": not made */
    char program[4096];
    char *url, *pin, *token; /* of the coordinator, and its operator's */
    tc_process coordinator, agents[TC_HOSPITALS];
    tc_client *client;
} tc_demo_world;

/* Starts the coordinator, makes the study and a token to join it. */
tacit_status tc_demo_found(tc_demo_world *w, int64_t trials, double epsilon, tacit_error *err);
/* Starts the agents. */
tacit_status tc_demo_enrol(tc_demo_world *w, double epsilon, tacit_error *err);
/* The storage of hospital k, as a URL; k = 0: the coordinator's. */
void tc_demo_storage(const tc_demo_world *w, unsigned k, char out[320]);
/* The coordinator's ledger, as it gives it to anybody who may read; end with json_decref. */
tacit_status tc_demo_ledger(tc_demo_world *w, json_t **out, tacit_error *err);
/* Ends all processes, and erases the folder unless it is kept. */
void tc_demo_close(tc_demo_world *w, bool keep);

/* ---- demo_journal.c */

/* What a hospital's own storage says. It begins with its number and URL, and zeros. */
typedef struct tc_demo_journal {
    unsigned hospital;
    char url[320];
    tc_store *store;   /* NULL: not there yet */
    tc_study_doc *doc; /* NULL: the study is not there yet */
    int64_t study;
    uint64_t seen; /* events */
    uint64_t trials, messages, broadcasts;
    size_t bytes;                 /* of all messages */
    bool any;                     /* a value is known */
    double best, at[2], asked[2]; /* the smallest value, its lr and l2; those tried last */
    double early;                 /* the smallest before the first broadcast */
    uint64_t charged;             /* entries of its own ledger */
    double epsilon;               /* what they come to */
} tc_demo_journal;

/* Reads on. What is not there yet is no failure. */
tacit_status tc_demo_journal_read(tc_demo_journal *j, tacit_error *err);
void tc_demo_journal_close(tc_demo_journal *j);

/* ---- demo_screen.c */

typedef struct tc_demo_screen {
    bool quiet, terminal, drawn;
    uint64_t start_ns, last_ns; /* of the clock: the beginning, what was shown last */
    uint64_t broadcasts;        /* that everybody had, then */
    int64_t trials;             /* planned for each */
    double epsilon;             /* promised */
} tc_demo_screen;

tc_demo_screen tc_demo_screen_open(bool quiet, int64_t trials, double epsilon);
/* Where something is due; last: the end has come. */
void tc_demo_screen_show(tc_demo_screen *s, const tc_demo_journal *all, bool last);
/* The table on standard output. */
tacit_status tc_demo_results(const tc_demo_journal *all, int format, tacit_error *err);

#endif
