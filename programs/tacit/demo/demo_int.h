/* demo_int.h - what the files of `tacit demo` share. Nobody else includes it.
 *
 *   demo.c          the verb: the federation, step by step
 *   demo_world.c    a coordinator and its agents, as processes in a temporary folder
 *   demo_process.c  one of those processes
 *   demo_journal.c  what a hospital's own storage says
 *   demo_curves.c   what it reached and would have reached alone, trial by trial: means, who gains, CSV
 *   demo_truth.c    the same where records are protected: what noise hides
 *   demo_chart.c    both as a chart, in the terminal and as SVG
 *   demo_report.c   both in words and tables, for people, programs and files
 *   demo_promise.c  what is protected, from whom, and what is not
 *   demo_screen.c   what is shown while it runs
 *   demo_model.c    the records of a hospital and the model that it tunes (demo_model.h)
 *   demo_train.c    one training, as its own verb
 *   demo_local.c    the demonstration of one party */
#ifndef TC_PROGRAM_DEMO_INT_H
#define TC_PROGRAM_DEMO_INT_H

#include "demo/demo_model.h"
#include "frame/cli.h"
#include "runner/launch.h"

#include "base/text.h"

#include <tacit/agent.h>
#include <tacit/coordinator.h>

/* What a demonstration is about. */
typedef struct tc_demo_plan {
    unsigned hospitals;
    size_t trials; /* of each hospital */
    double epsilon;
    uint64_t seed;     /* of all records */
    bool records;      /* epsilon is promised to each validation record; else to each hospital */
    unsigned trustees; /* 0: the coordinator adds up and draws the noise */
} tc_demo_plan;

enum { TC_DEMO_TRIALS_MOST = 100, TC_DEMO_TRUSTEES_MOST = 16 };

/* How hospital k judges a trial (demo_world.c). */
tc_check tc_demo_check(const tc_demo_plan *plan, unsigned k);

#define TC_DEMO_SEED_OPTION(opts)                                                                  \
    TC_INT_OPTION("seed", offsetof(opts, seed), "1", 0, 9007199254740991,                          \
                  "from which the records of all hospitals follow")

/* ---- demo_local.c, demo_train.c */

/* out: a folder for curves and charts, or NULL. */
tacit_status tc_demo_local(const tc_invocation *in, const char *out, tacit_error *err);
/* The folder of --out, unless it is there. */
tacit_status tc_demo_make_folder(const char *dir, tacit_error *err);
extern const tc_verb tc_verb_demo_train;

/* ---- demo_process.c */

enum { TC_DEMO_WORDS_MOST = 48 };

/* words end with NULL; words[0] is the program's path. */
tacit_status tc_demo_start(const char *const *words, tc_process *out, tacit_error *err);
/* Has it ended? Then *status is as waitpid's, and p is all zero. One that was never started has. */
bool tc_demo_ended(tc_process *p, int *status);
/* It may be killed at any instant. */
void tc_demo_kill(tc_process *p);

/* ---- demo_world.c */

#define TC_DEMO_STUDY  "ward"
#define TC_DEMO_LEDGER "agent" /* of each hospital */
/* Below 1/N^2 for TC_HOSPITALS_MOST, and below 1/n for the records of any of them. */
#define TC_DEMO_DELTA 1e-5

/* All-zero may be closed. */
typedef struct tc_demo_world {
    tc_demo_plan plan;
    char folder[256]; /* "": not made */
    char program[4096];
    tacit_coordinator *coordinator;
    tacit_server *server;
    tc_process agents[TC_HOSPITALS_MOST], trustees[TC_DEMO_TRUSTEES_MOST];
} tc_demo_world;

/* Starts the coordinator, makes the study and a token to join it. */
tacit_status tc_demo_found(tc_demo_world *w, const tc_demo_plan *plan, tacit_error *err);
/* Starts the agents and the trustees. */
tacit_status tc_demo_enrol(tc_demo_world *w, tacit_error *err);
/* The study of all hospitals; or, where records are protected, that of one that works alone. */
tacit_status tc_demo_document(const tc_demo_plan *plan, bool alone, tc_text *out, tacit_error *err);
/* The storage of hospital k, as a URL; k = 0: the coordinator's. */
void tc_demo_storage(const tc_demo_world *w, unsigned k, char out[320]);
/* Ends all processes, and erases the folder unless it is kept. */
void tc_demo_close(tc_demo_world *w, bool keep);

/* ---- demo_journal.c */

/* What a hospital's own storage says. It begins with its number and URL, and zeros. */
typedef struct tc_demo_journal {
    unsigned hospital;
    char url[320];
    bool records;                     /* its ledger is about validation records */
    tacit_study *study;               /* NULL: not there yet */
    uint64_t seen;                    /* events */
    bool told, sent;                  /* was there such news? */
    bool heard;                       /* anything of others? */
    size_t first;                     /* trials that began before that */
    uint64_t next;                    /* the first trial that has no value yet */
    size_t trials;                    /* that have one */
    double best[TC_DEMO_TRIALS_MOST]; /* the smallest value after each of them, as told */
    tc_settings at;                   /* where the smallest value was */
    uint64_t messages, broadcasts;
    size_t bytes;      /* of all messages */
    uint64_t charged;  /* messages that its own ledger has */
    double epsilon;    /* what its ledger comes to */
    bool exposed;      /* by which something was released that was not private */
    uint64_t trustees; /* that messages left for, as shares; 0: the coordinator got them */
    uint64_t readers;  /* so many of them can read one together */
    bool votes;        /* did the hospitals vote on the length-scale before they sent weights? */
} tc_demo_journal;

/* Reads on. What is not there yet is no failure. */
tacit_status tc_demo_journal_read(tc_demo_journal *j, tacit_error *err);
void tc_demo_journal_close(tc_demo_journal *j);
/* A point of the study's space as what a trial is run with. */
tc_settings tc_demo_settings(const tacit_space *space, const double *values);

/* ---- demo_curves.c */

/* The smallest log-loss of each hospital after each trial; where records are protected, the error, without noise, of
 * what has the smallest value with noise. Hospital i has `trials` numbers from i * trials on. */
typedef struct tc_demo_curves {
    size_t hospitals, trials;
    bool records;
    size_t start;                       /* the first so many trials are the same in both */
    double *together, *alone;           /* in the federation; without it */
    double noise_sd[TC_HOSPITALS_MOST]; /* of one value, where records are protected */
} tc_demo_curves;

/* After trial t (from 0 on), over all hospitals. A drop is how much smaller the log-loss or error is than at the start. */
typedef struct tc_demo_moment {
    double together, alone; /* means */
    size_t ahead, behind;   /* hospitals that are better off together; that would be alone */
    struct {
        double mean, low, high; /* the mean and the quartiles */
    } drop[2];                  /* together, alone */
} tc_demo_moment;

/* Room for them. End with fini, also after a failure. */
tacit_status tc_demo_curves_init(tc_demo_curves *c, const tc_demo_plan *plan, tacit_error *err);
void tc_demo_curves_fini(tc_demo_curves *c);
tc_demo_moment tc_demo_moment_at(const tc_demo_curves *c, size_t t);
/* What they are of: "log-loss" or "true error". */
const char *tc_demo_metric(const tc_demo_curves *c);
/* hospital,trial,together,alone */
void tc_demo_curves_csv(const tc_demo_curves *c, tc_text *out);

/* Fills the curves: together from the journals, which have been read to their ends, alone by running each
 * hospital's search again from the same start, without the broadcast. */
tacit_status tc_demo_compare(tc_demo_curves *c, const tc_demo_world *w, const tc_demo_journal *all,
                             tacit_error *err);

/* ---- demo_truth.c: of one hospital, where records are protected */

/* out[0..trials): the error, without noise, of the point that has the smallest value after each trial of a study. */
tacit_status tc_demo_truth(tacit_study *s, const tc_demo_plan *plan, unsigned k, double *out,
                           tacit_error *err);
/* A study of this hospital alone on the same records, with the same first points and as much noise, in the world's folder.
 * Then as above. *noise_sd: of one value. */
tacit_status tc_demo_truth_alone(const tc_demo_world *w, const tc_demo_journal *j, double *out,
                                 double *noise_sd, tacit_error *err);

/* ---- demo_chart.c: drops from the start on */

tacit_status tc_demo_chart_text(const tc_demo_curves *c, tc_text *out, tacit_error *err);
tacit_status tc_demo_chart_svg(const tc_demo_curves *c, double epsilon, tc_text *out,
                               tacit_error *err);

/* ---- demo_report.c */

/* A row for every hospital. */
tacit_status tc_demo_print_hospitals(const tc_demo_curves *c, const tc_demo_journal *all,
                                     tc_format format, tacit_error *err);
/* For people: means, the chart, what was paid and what was gained or lost. */
tacit_status tc_demo_print_comparison(const tc_demo_curves *c, const tc_demo_journal *all,
                                      tacit_error *err);
/* ward.csv and ward.svg in the folder, which is there. */
tacit_status tc_demo_write_files(const tc_demo_curves *c, const tc_demo_plan *plan, const char *dir,
                                 bool quiet, tacit_error *err);

/* ---- demo_promise.c */

/* What the ledger of the hospital that paid most comes to. */
double tc_demo_most_paid(const tc_demo_journal *all, size_t hospitals);
/* What is protected, from whom, and what is not, in plain words. */
tacit_status tc_demo_print_promise(const tc_demo_world *w, const tc_demo_journal *all,
                                   tacit_error *err);

/* ---- demo_screen.c */

typedef struct tc_demo_screen {
    bool quiet, terminal, drawn;
    uint64_t start_ns, last_ns; /* of the clock: the beginning, what was shown last */
    uint64_t broadcasts;        /* that everybody had, then */
    tc_demo_plan plan;
} tc_demo_screen;

tc_demo_screen tc_demo_screen_open(bool quiet, const tc_demo_plan *plan);
/* Where something is due; last: the end has come. */
void tc_demo_screen_show(tc_demo_screen *s, const tc_demo_journal *all, bool last);

#endif
