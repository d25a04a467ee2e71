/* user_options.c - see user_options.h. */
#include "study/user_options.h"

#include "base/guard.h"

tacit_status tc_user_check(const tacit_document *doc, const char *user, const char *ledger_storage,
                           tacit_error *err)
{
    bool replies = tacit_document_takes_replies(doc);
    if (!user && ledger_storage && !tacit_document_protects_records(doc))
        return tc_fail(err, TACIT_E_ARG,
                       "--ledger-storage is for --user or --records, and neither is given");
    if (user && !replies)
        return tc_fail(err, TACIT_E_ARG,
                       "--user is for algorithms that are told private replies, and %s is told "
                       "values as they are",
                       tacit_document_algorithm(doc));
    if (!user && replies)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told private replies, never rewards: say with --user NAME who "
                       "answers, or go by tacit ask, tacit curate perturb and tacit tell --reply",
                       tacit_document_algorithm(doc));
    return TACIT_OK;
}

static void say(void *user, const char *text)
{
    (void)user;
    tc_note(false, "%s", text);
}

tacit_status tc_user_open(tacit_user **out, const tc_study_ref *r, const char *user,
                          const char *ledger_storage, bool quiet, tacit_error *err)
{
    tacit_user_opts opts = TACIT_USER_OPTS;
    opts.ledger_storage = ledger_storage;
    opts.agreed = r->given != NULL;
    opts.note = quiet ? NULL : say;
    tc_guard_process(); /* the values that replies hide pass through here */
    return tacit_user_open(out, r->study, user, &opts, err);
}
