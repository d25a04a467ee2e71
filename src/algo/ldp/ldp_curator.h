/* ldp_curator.h - what a user answers in place of a reward: the curator CTL(epsilon), and its
 * memory.
 *
 * It sits with the user, never with the study. A reward is clamped to public bounds and perturbed
 * once (privacy/mechanism.h); the answer is epsilon-locally-private, whatever the reward was. An
 * evaluation that failed is answered as the middle of the bounds: a client that reports failures,
 * or how often it clamped, tells something about its rewards.
 *
 * Answers go through the user's ledger. So the same question gets the stored answer, byte for byte
 * and at no cost; m answers are charged m times epsilon, over all studies; and what goes beyond the
 * cap is refused and not spent. The cap counts answers, whatever each of them cost. It is written
 * into the ledger before the first answer; terms that come later can lower it and never lift it. A
 * question is (study, user, number): the number is that of the trial. */
#ifndef TC_ALGO_LDP_LDP_CURATOR_H
#define TC_ALGO_LDP_LDP_CURATOR_H

#include "algo/algorithm.h"
#include "privacy/ledger.h"
#include "privacy/mechanism.h"

/* Public: the study's document has them, and its hash covers them. */
typedef struct tc_ldp_terms {
    tacit_reply_kind reply;
    double epsilon;   /* of one answer */
    double low, high; /* bounds of a reward */
    uint64_t answers; /* that one user may give in all; >= 1 */
} tc_ldp_terms;

/* Those of a study: `opts` as the table of a private algorithm (ldp.h) fills it. */
tc_ldp_terms tc_ldp_terms_of(const void *opts);

/* The same from the options of its document; `a` is a private algorithm. E_ARG: they are none of its. */
tacit_status tc_ldp_terms_read(tc_ldp_terms *out, const tc_algorithm *a, const json_t *options,
                               tacit_error *err);
/* E_ARG: no reply to study `name`, on the terms of these options, is this value. */
tacit_status tc_ldp_check_reply(const tc_algorithm *a, const json_t *options, const char *name,
                                double value, tacit_error *err);

/* Plain data; needs no end. */
typedef struct tc_ldp_curator {
    tc_ledger *ledger; /* borrowed */
    tc_reply reply;
    uint64_t answers; /* of the terms */
} tc_ldp_curator;

typedef struct tc_ldp_question {
    tacit_hash study;
    const char *user; /* a public name, not empty */
    uint64_t number;  /* <= TC_LEDGER_MAX_ROUND */
} tc_ldp_question;

typedef struct tc_ldp_answer {
    double value;
    bool again;      /* it was given before */
    bool is_private; /* false: drawn from a seed */
    tacit_head head;
} tc_ldp_answer;

/* How many answers a user has given over all studies of the ledger, and may give in all. */
typedef struct tc_ldp_standing {
    uint64_t given;
    uint64_t cap; /* the smaller one of the stored cap and that of the terms */
    double spent; /* epsilon of all that was given */
} tc_ldp_standing;

/* E_ARG: as tc_reply_init, or no answers are allowed. */
tacit_status tc_ldp_curator_init(tc_ldp_curator *c, tc_ledger *ledger, const tc_ldp_terms *terms,
                                 tacit_error *err);
/* Takes in what others have appended first. */
tacit_status tc_ldp_curator_look(tc_ldp_curator *c, const char *user, tc_ldp_standing *out,
                                 tacit_error *err);
/* May the user answer `first` and the n - 1 questions that follow it? Those that were answered
 * before cost nothing. Changes nothing. E_BUDGET: not all of them. E_ARG: the user has no name. */
tacit_status tc_ldp_curator_allow(tc_ldp_curator *c, const tc_ldp_question *first, uint64_t n,
                                  tacit_error *err);
/* y: the reward; NaN where there is none. E_BUDGET: the user has given all answers. E_CONFLICT: the
 * question was answered with another mechanism, epsilon or bounds. After any other failure nothing
 * may leave; asking again is safe. */
tacit_status tc_ldp_curator_answer(tc_ldp_curator *c, const tc_ldp_question *q, double y,
                                   tc_entropy *e, tc_ldp_answer *out, tacit_error *err);
/* The answer that was given before. E_NOT_FOUND: none was, and none is drawn. E_CONFLICT as above. */
tacit_status tc_ldp_curator_recall(tc_ldp_curator *c, const tc_ldp_question *q, tc_ldp_answer *out,
                                   tacit_error *err);

/* Could this value be an answer on these terms? Catches most rewards that somebody tells in place of
 * one: all where answers have two values, few where they are piecewise. */
bool tc_ldp_curator_could_answer(const tc_ldp_curator *c, double value);

#endif
