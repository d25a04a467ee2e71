/* tacit/experimental/search.h - random search by a private trainer, whose whole price is known before it starts.
 * In libtacit.
 *
 * EXPERIMENTAL: names, structs and results may change with every version, and no ABI is promised. A program that
 * uses this header is compiled anew for each version; the dynamic linker refuses it with any other.
 *
 * A search runs a private trainer K times, each time at a point that is drawn uniformly from the space of a study's
 * document, and keeps the best run. Where K is random and secret, the winner costs little more than one run
 * (Papernot and Steinke, ICLR 2022; tacit_account_best_of):
 *
 *   1. The price of the whole search enters the ledger. If the budget does not allow it, nothing runs.
 *   2. K is drawn, exactly from its distribution, from entropy of the operating system. It is not capped, not drawn
 *      again, not written anywhere and not told.
 *   3. K runs, each at a point of its own from fresh entropy. One that fails counts as the worst and is not run again.
 *   4. The winner, its point and its private score, enters the ledger; then it is handed out. Where no run has a score,
 *      with Poisson also where K is 0, the outcome is "nothing", and that is in the ledger, too.
 *
 * Nothing else is kept: there is no study, no journal and no list of runs. A search that was stopped or killed has been
 * paid for; to start again is to pay again. Who sees how long it takes, or sees processes, files and logs of the runs, learns
 * about K and about runs that lost, and is not protected against.
 *
 * Records are protected: one record is replaced by another. The releases of a run may be described for records that are
 * added or removed, as libraries for private training do: then they are charged as a group of two. */
#ifndef TACIT_EXPERIMENTAL_SEARCH_H
#define TACIT_EXPERIMENTAL_SEARCH_H

#include <tacit/document.h>
#include <tacit/ledger.h>
#include <tacit/privacy.h>
#include <tacit/status.h>
#include <tacit/worker.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All of it is public, and fixed before the data are looked at. Pointers are borrowed for the call. */
typedef struct tacit_search_opts {
    size_t size;
    /* One of these two, as in worker.h. `trial` is a random number, not which run it is. What the program writes to
     * standard error is thrown away. */
    tacit_evaluate evaluate;
    char *const *command;
    uint64_t jobs;         /* at the same time, up to 1024; 0 is 1 */
    int64_t timeout_ms;    /* of one run of a program, which has then failed; 0: none */
    tacit_repeats repeats; /* the distribution of K; mean in [1, 1e6] */
    /* What one run releases, up to 16 kinds: its training, and its score where score_noise is 0. */
    const tacit_dp_event *events;
    size_t n_events;
    bool replacing; /* they speak of records that are replaced; false: added or removed */
    /* Above 0: the score is not private yet. It is clamped to [low, high], where a failure counts as the worse end, and gets exact
     * discrete Gaussian noise of score_noise times `sensitivity`, by which one replaced record moves it at most. */
    double score_noise, low, high, sensitivity;
    tacit_ledger *ledger;  /* of the party whose records are read */
    double epsilon, delta; /* what a record may spend over the whole ledger */
    bool (*stop)(
        void *user); /* asked a few times a second; once true, the search ends without a winner */
    void *user;      /* handed to evaluate and stop */
} tacit_search_opts;
#define TACIT_SEARCH_OPTS                                                                          \
    {                                                                                              \
        sizeof(tacit_search_opts), NULL, NULL, 0, 0, TACIT_REPEATS, NULL, 0, false, 0, 0, 0, 0,    \
            NULL, 0, 0, NULL, NULL                                                                 \
    }

typedef struct tacit_search_winner {
    size_t size;
    uint64_t entry; /* of the ledger, in which it stands */
    double score;   /* as it was released */
    bool found;     /* false: nothing, and `values` and `score` are left alone */
} tacit_search_winner;
#define TACIT_SEARCH_WINNER                                                                        \
    {                                                                                              \
        sizeof(tacit_search_winner), 0, 0, false                                                   \
    }

/* What the search costs a record that is replaced, by itself, at opts->delta: by "rdp", over integer orders. Needs neither
 * evaluate, command, ledger nor epsilon. Errors as tacit_search_run. */
TACIT_API tacit_status tacit_search_cost(const tacit_document *document,
                                         const tacit_search_opts *opts, tacit_guarantee *out,
                                         tacit_error *err);
/* The same in sentences: what is protected, what must hold, what is not protected. End *text with tacit_text_free. */
TACIT_API tacit_status tacit_search_statement(const tacit_document *document,
                                              const tacit_search_opts *opts, char **text,
                                              tacit_error *err);

/* Pays, searches, and hands out the winner: values[0..) one for each parameter of the document's space. The document's
 * algorithm must be "random". E_ARG: a field is out of range, or the document is not for a search. E_UNSUPPORTED: no bound is
 * known for an event. E_BUDGET: not paid, nothing has run. E_CANCELLED: stopped, and paid for. After any
 * failure nothing may be told about the runs. */
TACIT_API tacit_status tacit_search_run(const tacit_document *document,
                                        const tacit_search_opts *opts, double *values,
                                        tacit_search_winner *out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
