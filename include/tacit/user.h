/* tacit/user.h - the user of a study of local privacy: rewards stay at home, private replies leave.
 *
 * A study of an ldp-* algorithm is told replies, never rewards. A user's reward is clamped to the public bounds of the
 * study's document and perturbed here, once; the reply is in the user's own ledger, on disk and paid for, before it
 * leaves. So whoever asks again about a trial, after a crash or on purpose, gets the same reply; m replies cost m times
 * epsilon, over all studies; and what goes beyond the cap of the first study's terms is refused.
 *
 *     tacit_user *ann;
 *     tacit_user_open(&ann, study, "ann", NULL, &err);
 *     tacit_study_ask(study, &trial, point, &err);
 *     tacit_user_tell(ann, trial, reward(point), &err);
 *     tacit_user_close(ann);
 *
 * tacit_worker_run (worker.h) does the whole of it, several trials at a time: with names of workers that say nothing
 * about the machine, and so that a reply that was paid for when the process was killed is told at the next start.
 *
 * The ledger is replies.db in $XDG_STATE_HOME/tacit or ~/.local/state/tacit, wherever the study is: a server that puts
 * back an old copy of its storage gets the replies that it had. A study is its name there.
 *
 * A handle serves one thread at a time. `err` may be NULL. */
#ifndef TACIT_USER_H
#define TACIT_USER_H

#include <tacit/status.h>
#include <tacit/study.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_user tacit_user; /* end with tacit_user_close */

typedef struct tacit_user_opts {
    size_t size;
    /* The storage of another ledger than the user's own, which then knows nothing of it; NULL: the user's own. */
    const char *ledger_storage;
    /* The user agrees to the document of the study as it is. A coordinator's study that takes TACIT_CONSENT_EPSILON and more
     * of a user, in all or together with what the ledger has spent, is E_ARG otherwise. */
    bool agreed;
    /* What a person may want to know, a sentence: that a reply was given before, or that a ledger was given by hand. NULL: nothing
     * is said. */
    void (*note)(void *user, const char *text);
    void *user;
} tacit_user_opts;
#define TACIT_USER_OPTS                                                                            \
    {                                                                                              \
        sizeof(tacit_user_opts), NULL, false, NULL, NULL                                           \
    }
#define TACIT_CONSENT_EPSILON 10.0

/* Opens the ledger, which is made if it is absent. `study` is borrowed until the end. `name` is whom replies are charged
 * to. opts NULL: all zero. E_ARG: the study takes values as they are; the user has not agreed; or nothing says where
 * the ledger is (neither XDG_STATE_HOME nor HOME). */
TACIT_API tacit_status tacit_user_open(tacit_user **out, tacit_study *study, const char *name,
                                       const tacit_user_opts *opts, tacit_error *err);
TACIT_API void tacit_user_close(tacit_user *u); /* NULL is allowed */

/* What may be told in place of the reward; NaN: the evaluation failed, which is a reply like any other. If the
 * trial was answered before it is that reply, whatever the reward is now. E_BUDGET: the user has given all answers. E_CONFLICT: it
 * was answered on other terms. After any other failure nothing may leave, and asking again is safe. */
TACIT_API tacit_status tacit_user_reply(tacit_user *u, uint64_t trial, double reward, double *reply,
                                        tacit_error *err);
/* The reply that was given before. E_NOT_FOUND: none was, and none is drawn. */
TACIT_API tacit_status tacit_user_recall(tacit_user *u, uint64_t trial, double *reply,
                                         tacit_error *err);
/* tacit_user_reply, and tells the study. */
TACIT_API tacit_status tacit_user_tell(tacit_user *u, uint64_t trial, double reward,
                                       tacit_error *err);

/* The storage of the user's own ledger, whose name there is TACIT_USER_LEDGER. End with tacit_text_free.
 * E_NOT_FOUND: nothing was ever charged to it. */
#define TACIT_USER_LEDGER "replies"
TACIT_API tacit_status tacit_user_ledger(char **storage, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
