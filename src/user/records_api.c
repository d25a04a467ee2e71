/* records_api.c - <tacit/records.h>: a party's ledger of evaluations, and the guard that charges it (study/record_guard.h).
 *
 * A study in a storage of the party's own has the ledger beside it. A coordinator's storage is not the party's: there the ledger is
 * at home, as that of replies is (user_ledger.h). */
#include "base/api.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/handle.h"
#include "study/record_plan.h"
#include "user/records.h"
#include "user/user_ledger.h"
#include "wire/hash_json.h"

#include <tacit/user.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static TC_SIZED(sized_opts, tacit_records_opts, test_seed, trainer);

static tacit_status home_url(char out[PATH_MAX], tacit_error *err)
{
    char folder[PATH_MAX];
    if (tc_user_folder("", folder) &&
        snprintf(out, PATH_MAX, "sqlite:///%s/records.db", folder) < PATH_MAX)
        return TACIT_OK;
    return tc_fail(err, errno == 0 ? TACIT_E_ARG : TACIT_E_IO,
                   "there is no folder for the ledger of the records: %s",
                   errno == 0 ? "set HOME or XDG_STATE_HOME to an absolute path" : strerror(errno));
}

/* A ledger with a store of its own. */
static void end_ledger_store(void *store)
{
    tc_store_close(store);
}

/* Opens the ledger, and says where it is if it is not beside what is declared. */
static tacit_status open_other(const char *url, const char *name, tc_record_guard_config *cfg,
                               tacit_error *err)
{
    tc_user_ledger own = {0};
    tacit_status status = tc_user_ledger_open_in(&own, url, name, true, err);
    if (status != TACIT_OK) {
        tc_user_ledger_close(&own);
        return status;
    }
    cfg->ledger = own.ledger;
    cfg->below = own.store;
    cfg->end = end_ledger_store;
    return TACIT_OK;
}

static tacit_status open_here(tc_store *store, const char *name, tc_record_guard_config *cfg,
                              tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(store, name, true, &io, err));
    return tc_ledger_open(&cfg->ledger, name, &io, err);
}

/* What is declared is kept with the study, or at home: *home is then to be closed, after the guard was made. */
static tacit_status open_ledger(tacit_study *s, const tacit_records_opts *o,
                                tc_record_guard_config *cfg, tc_store **home, char at[TC_HASH_TEXT],
                                tacit_error *err)
{
    const char *name = o->ledger ? o->ledger : "records";
    char url[PATH_MAX];
    s->ops->identify(s, &cfg->study, &cfg->terms_store);
    if (!cfg->terms_store) {
        TC_TRY(home_url(url, err));
        TC_TRY(tc_store_open(home, url, true, err));
        cfg->terms_store = *home;
    }
    if (o->ledger_storage) { /* by its hash: a URL may have a password */
        tacit_hash hash = tc_user_storage_hash(o->ledger_storage);
        tc_hash_text(at, &hash);
        cfg->ledger_at = at;
        return open_other(o->ledger_storage, name, cfg, err);
    }
    return *home ? open_other(url, name, cfg, err) : open_here(cfg->terms_store, name, cfg, err);
}

/* ---- what is declared ---- */

static tacit_status check_limit(const tacit_records_opts *o, tacit_error *err)
{
    if ((o->epsilon > 0) != (o->delta > 0))
        return tc_fail(err, TACIT_E_ARG, "epsilon and delta of a ledger's limit go together");
    if (o->epsilon >= 0 && o->delta >= 0 && o->delta < 1)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "epsilon must be > 0 and delta in (0, 1), got epsilon %g and delta %g",
                   o->epsilon, o->delta);
}

/* A limit that has no room for the study is said before anything is evaluated. */
static tacit_status check_promise(const tacit_document *d, const tacit_records_opts *o,
                                  tacit_error *err)
{
    tacit_guarantee g;
    double z;
    if (o->epsilon == 0)
        return TACIT_OK;
    TC_TRY(tc_record_plan_noise(d, &z, err));
    TC_TRY(tc_value_cost(z, d->trials, o->delta, &g, err));
    if (g.epsilon <= o->epsilon)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_BUDGET,
                   "the limit of the ledger (epsilon %g, delta %g) has no room for study \"%s\", "
                   "whose evaluations cost epsilon %g at that delta",
                   o->epsilon, o->delta, d->name, g.epsilon);
}

tc_metric_terms tc_records_terms(const tacit_records_opts *o)
{
    return (tc_metric_terms){.low = o->low,
                             .high = o->high,
                             .records = o->records,
                             .class_floor = o->class_floor,
                             .per_person = o->per_person,
                             .sensitivity = o->sensitivity};
}

tacit_status tc_records_take(tacit_records_opts *to, const tacit_records_opts *from,
                             tacit_error *err)
{
    return tc_sized_take(&sized_opts, to, from, "opts", err);
}

/* What needs no ledger. */
static tacit_status check_trainer(const tacit_document *doc, const tacit_records_opts *o,
                                  const tc_value_plan *v, tacit_error *err)
{
    tc_trainer trainer;
    tc_trainer_plan all;
    TC_TRY(tc_trainer_parse(&trainer, o->trainer, err));
    TC_TRY(tc_trainer_plan_of(&trainer, v, doc->trials, NULL, &all, err));
    return tc_trainer_check_limit(&trainer, doc, &all, o->epsilon, o->delta, err);
}

tacit_status tacit_records_check(const tacit_document *document, const tacit_records_opts *opts,
                                 tacit_error *err)
{
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    tc_value_plan plan;
    TC_GIVEN(document);
    TC_TRY(tc_records_take(&o, opts, err));
    if (!tacit_document_protects_records(document))
        return tc_fail(err, TACIT_E_ARG,
                       "study \"%s\" protects no records: \"privacy\" of its document has no "
                       "\"unit\": \"record\"",
                       document->name);
    TC_TRY(check_limit(&o, err));
    TC_TRY(check_promise(document, &o, err));
    tc_metric_terms terms = tc_records_terms(&o);
    TC_TRY(tc_record_plan_of(document, &terms, &plan, err));
    return check_trainer(document, &o, &plan, err);
}

/* ---- a study ---- */

/* Somebody else wrote the document: its range is not what this party's program clips to, and its epsilon not what this
 * party agrees to. */
static tacit_status check_foreign(const tacit_document *d, const tacit_records_opts *o,
                                  tacit_error *err)
{
    tc_metric_terms terms = tc_records_terms(o);
    TC_TRY(tc_record_plan_own_range(d, &terms, err));
    if (o->epsilon > 0 || d->epsilon <= TACIT_CONSENT_EPSILON)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "study \"%s\" may spend epsilon %g at delta %g of every record: whoever agrees to "
        "more than %g says so by a limit of its own (epsilon, delta)",
        d->name, d->epsilon, d->delta, TACIT_CONSENT_EPSILON);
}

static tacit_status check_study(const tacit_study *s, const tacit_records_opts *o, tacit_error *err)
{
    bool forgets = !o->ledger_storage && s->storage && strncmp(s->storage->url, "memory:", 7) == 0;
    if (s->guard)
        return tc_fail(err, TACIT_E_STATE, "the records of study \"%s\" were declared already",
                       s->doc->name);
    if (tc_study_is_served(s))
        TC_TRY(check_foreign(s->doc, o, err));
    if (!forgets || o->test_seed >= 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "storage \"memory:\" does not last, so nobody would know what was spent: give a "
                   "storage for the ledger");
}

/* Everything is checked before a ledger is made. */
tacit_status tacit_study_protect(tacit_study *s, const tacit_records_opts *opts, tacit_error *err)
{
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    tc_record_guard *guard;
    TC_GIVEN(s);
    TC_TRY(tacit_records_check(s->doc, opts, err));
    TC_TRY(tc_records_take(&o, opts, err));
    TC_TRY(check_study(s, &o, err));
    tc_record_guard_config cfg = {.doc = s->doc,
                                  .terms = tc_records_terms(&o),
                                  .epsilon = o.epsilon,
                                  .delta = o.delta,
                                  .test_seed = o.test_seed};
    TC_TRY(tc_trainer_parse(&cfg.trainer, o.trainer, err));
    tc_store *home = NULL;
    char at[TC_HASH_TEXT];
    tacit_status status = open_ledger(s, &o, &cfg, &home, at, err);
    if (status == TACIT_OK)
        status = tc_record_guard_new(&guard, &cfg, err);
    tc_store_close(home);
    if (status == TACIT_OK) {
        tc_study_set_guard(s, guard);
        return TACIT_OK;
    }
    tc_ledger_close(cfg.ledger);
    if (cfg.end)
        cfg.end(cfg.below);
    return status;
}

tacit_status tacit_study_protection(tacit_study *s, char **text, tacit_error *err)
{
    tc_text said = {0};
    TC_GIVEN(s);
    TC_GIVEN(text);
    if (!s->guard)
        return tc_fail(err, TACIT_E_STATE, "no records of study \"%s\" were declared",
                       s->doc->name);
    tc_record_guard_statement(s->guard, &said);
    return tc_text_hand_out(&said, text, err);
}

double tacit_study_noise_sd(const tacit_study *s)
{
    return s && s->guard ? tc_record_guard_sd(s->guard) : 0;
}
