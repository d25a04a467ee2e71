/* user_reply.h - the user's side of a locally private study, in the verbs that tell values.
 *
 * An algorithm with a curator (algo/ldp/ldp.h) is told replies, never rewards. Here a reward is
 * perturbed on the terms in the study's document by the curator of algo/ldp/ldp_curator.h, through
 * the user's ledger, and only the reply goes on. The question is the trial: asked again, it gets the
 * same reply. For optimize.c, campaign.c and tell.c. */
#ifndef TC_PROGRAM_USER_REPLY_H
#define TC_PROGRAM_USER_REPLY_H

#include "study/user_ledger.h"

#include "algo/ldp/ldp_curator.h"
#include "wire/study_doc.h"

/* char *user, *ledger_storage */
#define TC_USER_OPTIONS(type)                                                                      \
    {"user", TC_OPTION_STRING, offsetof(type, user), .value = "NAME",                              \
     .help = "ldp-*: who answers; rewards are perturbed here and charged to this user's ledger"},  \
    {                                                                                              \
        "ledger-storage", TC_OPTION_STRING, offsetof(type, ledger_storage),                        \
            .value = "URL",                                                                        \
            .help = "where that ledger is, if not in the user's own folder "                       \
                    "(~/.local/state/tacit/replies.db), where no server can put back an old copy"  \
    }

/* Is the study told replies? */
bool tc_study_takes_replies(const tc_study_doc *doc);
/* E_ARG: a user is given where values are told, or none where replies are. */
tacit_status tc_user_check(const tc_study_doc *doc, const char *user, const char *ledger_storage,
                           tacit_error *err);
/* E_ARG: no reply on the terms of this study is this value. */
tacit_status tc_user_check_reply(const tc_study_doc *doc, double value, tacit_error *err);

/* May a user answer on terms that only a coordinator has told? E_ARG: they cost TC_CONSENT_EPSILON and more in
 * all; who agrees to that names the document itself, and no other study will do. */
#define TC_CONSENT_EPSILON 10.0
tacit_status tc_user_consent(const tc_study_doc *doc, tacit_error *err);

/* All-zero may be closed. */
typedef struct tc_user_reply {
    const char *user; /* borrowed */
    tacit_hash study;
    tc_curator_ledger ledger;
    tc_curator_noise noise;
    tc_ldp_curator curator;
    bool quiet, open;
} tc_user_reply;

/* at->name is TC_REPLIES_LEDGER, whatever it says. at->quiet: no notes on replies that were given before. */
tacit_status tc_user_reply_open(tc_user_reply *u, const tc_study_doc *doc,
                                const tc_user_ledger_place *at, tacit_error *err);
void tc_user_reply_close(tc_user_reply *u);
/* The same question as tc_user_consent, of what is left of the user's answers and of what the ledger has spent
 * already, in any study. */
tacit_status tc_user_consent_spent(tc_user_reply *u, const tc_study_doc *doc, tacit_error *err);

#define TC_NEW_TRIAL UINT64_MAX
/* May the user take this trial, with `running` others on their way? What was answered before may
 * always be answered. E_BUDGET says why not. */
tacit_status tc_user_reply_may(tc_user_reply *u, uint64_t trial, size_t running, tacit_error *err);
/* The reply that was given about this trial before. E_NOT_FOUND: none was, and none is drawn. */
tacit_status tc_user_reply_recall(tc_user_reply *u, uint64_t trial, double *reply,
                                  tacit_error *err);
/* What may be told in place of y; NaN: the evaluation failed. */
tacit_status tc_user_reply_give(tc_user_reply *u, uint64_t trial, double y, double *reply,
                                tacit_error *err);

/* A number on the command line, or with "-" the first line of standard input, which other users of
 * the machine cannot see. `name` is for the sentence; nan: the word is allowed. */
tacit_status tc_read_value(const char *name, const char *word, bool nan, double *out,
                           tacit_error *err);

#endif
