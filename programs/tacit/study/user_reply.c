/* user_reply.c - see user_reply.h. */
#include "study/user_reply.h"

#include "base/guard.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool tc_study_takes_replies(const tc_study_doc *doc)
{
    return tc_algorithm_takes_replies(doc->algorithm);
}

tacit_status tc_user_check(const tc_study_doc *doc, const char *user, const char *ledger_storage,
                           tacit_error *err)
{
    bool replies = tc_study_takes_replies(doc);
    if (!user && ledger_storage)
        return tc_fail(err, TACIT_E_ARG, "--ledger-storage is for --user, which is not given");
    if (user && !replies)
        return tc_fail(err, TACIT_E_ARG,
                       "--user is for algorithms that are told private replies, and %s is told "
                       "values as they are",
                       doc->algorithm->name);
    if (!user && replies)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told private replies, never rewards: say with --user NAME who "
                       "answers, or go by tacit ask, tacit curate perturb and tacit tell --reply",
                       doc->algorithm->name);
    return TACIT_OK;
}

tacit_status tc_user_check_reply(const tc_study_doc *doc, double value, tacit_error *err)
{
    return tc_ldp_check_reply(doc->algorithm, doc->options, doc->name, value, err);
}

static tacit_status too_much(const tc_study_doc *doc, const tc_ldp_terms *t, const char *together,
                             tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_ARG,
        "the coordinator's study %s takes %" PRIu64
        " answers of epsilon %g from a user, %s %g or more: who agrees to that gives the "
        "study's document in place of its name",
        doc->name, t->answers, t->epsilon, together, TC_CONSENT_EPSILON);
}

tacit_status tc_user_consent(const tc_study_doc *doc, tacit_error *err)
{
    tc_ldp_terms t;
    TC_TRY(tc_ldp_terms_read(&t, doc->algorithm, doc->options, err));
    if (t.epsilon * (double)t.answers < TC_CONSENT_EPSILON)
        return TACIT_OK;
    return too_much(doc, &t, "together", err);
}

tacit_status tc_user_consent_spent(tc_user_reply *u, const tc_study_doc *doc, tacit_error *err)
{
    tc_ldp_terms t;
    tc_ldp_standing s;
    TC_TRY(tc_ldp_terms_read(&t, doc->algorithm, doc->options, err));
    TC_TRY(tc_ldp_curator_look(&u->curator, u->user, &s, err));
    uint64_t left = s.cap > s.given ? s.cap - s.given : 0;
    if (left == 0 || s.spent + t.epsilon * (double)left < TC_CONSENT_EPSILON)
        return TACIT_OK;
    return too_much(doc, &t, "with what the ledger has spent", err);
}

/* ---- replies */

/* A study is its name: a server that puts back an old copy of its storage, or makes the study anew, asks the same
 * questions under the same name. Under another name they are other questions, and each is charged. */
tacit_status tc_user_reply_open(tc_user_reply *u, const tc_study_doc *doc,
                                const tc_user_ledger_place *at, tacit_error *err)
{
    tc_ldp_terms terms;
    tc_user_ledger_place place = *at;
    tc_guard_process(); /* the values that replies hide pass through here */
    TC_TRY(tc_ldp_terms_read(&terms, doc->algorithm, doc->options, err));
    place.name = TC_REPLIES_LEDGER;
    u->user = at->user;
    u->quiet = at->quiet;
    u->study = place.study = tc_ledger_study_hash(doc->name);
    TC_TRY(tc_user_ledger_open(&u->ledger, &place, err));
    TC_TRY(tc_ldp_curator_init(&u->curator, u->ledger.ledger, &terms, err));
    tc_curator_noise_init(&u->noise, -1, 0);
    u->open = true;
    return TACIT_OK;
}

void tc_user_reply_close(tc_user_reply *u)
{
    if (u->open)
        tc_curator_noise_fini(&u->noise);
    tc_curator_ledger_close(&u->ledger);
    u->open = false;
}

static tc_ldp_question question(const tc_user_reply *u, uint64_t trial)
{
    return (tc_ldp_question){.study = u->study, .user = u->user, .number = trial};
}

tacit_status tc_user_reply_recall(tc_user_reply *u, uint64_t trial, double *reply, tacit_error *err)
{
    tc_ldp_question q = question(u, trial);
    tc_ldp_answer answer;
    TC_TRY(tc_ldp_curator_recall(&u->curator, &q, &answer, err));
    *reply = answer.value;
    return TACIT_OK;
}

/* Those on their way will be answers soon: with numbers that no trial has they are asked for together
 * with this one, unless this one is paid for. */
tacit_status tc_user_reply_may(tc_user_reply *u, uint64_t trial, size_t running, tacit_error *err)
{
    double reply;
    tacit_error none;
    bool paid = trial != TC_NEW_TRIAL && tc_user_reply_recall(u, trial, &reply, &none) == TACIT_OK;
    uint64_t fresh = running + (paid ? 0 : 1);
    if (fresh == 0)
        return TACIT_OK;
    tc_ldp_question first = question(u, TC_LEDGER_MAX_ROUND - (fresh - 1));
    return tc_ldp_curator_allow(&u->curator, &first, fresh, err);
}

tacit_status tc_user_reply_give(tc_user_reply *u, uint64_t trial, double y, double *reply,
                                tacit_error *err)
{
    tc_ldp_question q = question(u, trial);
    tc_ldp_answer answer;
    TC_TRY(tc_ldp_curator_answer(&u->curator, &q, y, &u->noise.entropy, &answer, err));
    if (answer.again)
        tc_note(u->quiet,
                "user \"%s\" has answered trial %" PRIu64 " of a study of this name before; that "
                "reply is told again, whatever the value is now",
                u->user, trial);
    *reply = answer.value;
    return TACIT_OK;
}

/* ---- values */

enum { LINE_BYTES = 256 };

tacit_status tc_read_value(const char *name, const char *word, bool nan, double *out,
                           tacit_error *err)
{
    char line[LINE_BYTES];
    bool piped = strcmp(word, "-") == 0;
    if (piped && !fgets(line, sizeof line, stdin))
        return tc_fail(err, TACIT_E_ARG, "%s is - and standard input has no line", name);
    if (piped) {
        line[strcspn(line, "\r\n")] = '\0';
        word = line;
    }
    if (nan && strcmp(word, "nan") == 0)
        *out = (double)NAN;
    else if (!tc_parse_double(word, out))
        return tc_fail(err, TACIT_E_ARG, "%s must be a finite number%s, got \"%.40s\"", name,
                       nan ? " or nan" : "", word);
    return TACIT_OK;
}
