/* user_api.c - see <tacit/user.h> and user.h. */
#include "user/user.h"

#include "base/api.h"
#include "base/memory.h"
#include "study/handle.h"
#include "wire/study_doc.h"

#include <inttypes.h>
#include <string.h>

static TC_SIZED(sized_opts, tacit_user_opts, user, user);

/* ---- whether the user answers at all ---- */

static tacit_status too_much(const tacit_document *doc, const tc_ldp_terms *t, const char *together,
                             tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_ARG,
        "the coordinator's study %s takes %" PRIu64
        " answers of epsilon %g from a user, %s %g or more: who agrees to that gives the "
        "study's document in place of its name",
        doc->name, t->answers, t->epsilon, together, TACIT_CONSENT_EPSILON);
}

static tacit_status check_terms(const tacit_document *doc, const tc_ldp_terms *t, tacit_error *err)
{
    if (t->epsilon * (double)t->answers < TACIT_CONSENT_EPSILON)
        return TACIT_OK;
    return too_much(doc, t, "together", err);
}

/* The same question, of what is left of the user's answers and of what the ledger has spent already, in any study. */
static tacit_status check_spent(tacit_user *u, const tacit_document *doc, const tc_ldp_terms *t,
                                tacit_error *err)
{
    tc_ldp_standing s;
    TC_TRY(tc_ldp_curator_look(&u->curator, u->name, &s, err));
    uint64_t left = s.cap > s.given ? s.cap - s.given : 0;
    if (left == 0 || s.spent + t->epsilon * (double)left < TACIT_CONSENT_EPSILON)
        return TACIT_OK;
    return too_much(doc, t, "with what the ledger has spent", err);
}

/* ---- opening ---- */

/* A study is its name: a server that puts back an old copy of its storage, or makes the study anew, asks the same
 * questions under the same name. Under another name they are other questions, and each is charged. */
static tacit_status open_user(tacit_user *u, const char *name, const tacit_user_opts *opts,
                              tacit_error *err)
{
    const tacit_document *doc = tacit_study_document(u->study);
    bool served = tc_study_is_served(u->study), asks = served && !opts->agreed;
    tc_ldp_terms terms;
    tc_user_ledger_place place = {.given = opts->ledger_storage,
                                  .storage =
                                      served || !u->study->storage ? NULL : u->study->storage->url,
                                  .study = tc_ledger_study_hash(doc->name),
                                  .name = TACIT_USER_LEDGER,
                                  .user = name,
                                  .note = {opts->note, opts->user}};
    if (!tacit_document_takes_replies(doc))
        return tc_fail(err, TACIT_E_ARG,
                       "study %s is told values as they are: only ldp-* algorithms have users",
                       doc->name);
    TC_TRY(tc_ldp_terms_read(&terms, doc->algorithm, doc->options, err));
    if (asks)
        TC_TRY(check_terms(doc, &terms, err));
    u->asks = place.study;
    u->note = place.note;
    u->name = tc_strdup(name);
    if (!u->name)
        return tc_fail_memory(err);
    TC_TRY(tc_user_ledger_open(&u->ledger, &place, err));
    TC_TRY(tc_ldp_curator_init(&u->curator, u->ledger.ledger, &terms, err));
    return asks ? check_spent(u, doc, &terms, err) : TACIT_OK;
}

tacit_status tacit_user_open(tacit_user **out, tacit_study *study, const char *name,
                             const tacit_user_opts *opts, tacit_error *err)
{
    tacit_user_opts full = TACIT_USER_OPTS;
    TC_GIVEN(out);
    TC_GIVEN(study);
    TC_GIVEN(name);
    if (opts)
        TC_TRY(tc_sized_take(&sized_opts, &full, opts, "opts", err));
    tacit_user *u = tc_alloc(1, sizeof *u);
    if (!u)
        return tc_fail_memory(err);
    u->study = study;
    tc_noise_init(&u->noise);
    u->entropy = tc_entropy_of(&u->noise);
    tacit_status status = open_user(u, name, &full, err);
    if (status == TACIT_OK)
        *out = u;
    else
        tacit_user_close(u);
    return status;
}

void tacit_user_close(tacit_user *u)
{
    if (!u)
        return;
    tc_noise_fini(&u->noise);
    tc_user_ledger_close(&u->ledger);
    tc_free(u->name);
    tc_free(u);
}

tacit_status tacit_user_ledger(char **storage, tacit_error *err)
{
    char url[PATH_MAX];
    TC_GIVEN(storage);
    if (!tc_user_ledger_exists(url))
        return tc_fail(err, TACIT_E_NOT_FOUND, "the user has no ledger: no reply was ever given");
    *storage = tc_strdup(url);
    return *storage ? TACIT_OK : tc_fail_memory(err);
}

/* ---- replies ---- */

static tc_ldp_question question(const tacit_user *u, uint64_t trial)
{
    return (tc_ldp_question){.study = u->asks, .user = u->name, .number = trial};
}

tacit_status tacit_user_recall(tacit_user *u, uint64_t trial, double *reply, tacit_error *err)
{
    TC_GIVEN(u);
    TC_GIVEN(reply);
    tc_ldp_question q = question(u, trial);
    tc_ldp_answer answer;
    TC_TRY(tc_ldp_curator_recall(&u->curator, &q, &answer, err));
    *reply = answer.value;
    return TACIT_OK;
}

/* Those on their way will be answers soon: with numbers that no trial has they are asked for together
 * with this one, unless this one is paid for. */
tacit_status tc_user_may(tacit_user *u, uint64_t trial, size_t running, tacit_error *err)
{
    double reply;
    tacit_error none;
    bool paid = trial != TC_NEW_TRIAL && tacit_user_recall(u, trial, &reply, &none) == TACIT_OK;
    uint64_t fresh = running + (paid ? 0 : 1);
    if (fresh == 0)
        return TACIT_OK;
    tc_ldp_question first = question(u, TC_LEDGER_MAX_ROUND - (fresh - 1));
    return tc_ldp_curator_allow(&u->curator, &first, fresh, err);
}

tacit_status tacit_user_reply(tacit_user *u, uint64_t trial, double reward, double *reply,
                              tacit_error *err)
{
    TC_GIVEN(u);
    TC_GIVEN(reply);
    tc_ldp_question q = question(u, trial);
    tc_ldp_answer answer;
    TC_TRY(tc_ldp_curator_answer(&u->curator, &q, reward, &u->entropy, &answer, err));
    if (answer.again)
        tc_user_notify(
            &u->note,
            "user \"%s\" has answered trial %" PRIu64
            " of a study of this name before; that reply is told again, whatever the value "
            "is now",
            u->name, trial);
    *reply = answer.value;
    return TACIT_OK;
}

tacit_status tacit_user_tell(tacit_user *u, uint64_t trial, double reward, tacit_error *err)
{
    tacit_report told = TACIT_REPORT;
    told.kind = TACIT_REPORT_REPLY;
    TC_GIVEN(u);
    TC_TRY(tacit_user_reply(u, trial, reward, &told.value, err));
    return tacit_study_report(u->study, trial, &told, err);
}
