/* records_api.c - <tacit/records.h>: a party's ledger of evaluations, and the guard that charges it (study/record_guard.h).
 *
 * A study in a storage of the party's own has the ledger beside it. A coordinator's storage is not the party's: there the ledger is
 * at home, as that of replies is (user_ledger.h). */
#include "base/api.h"
#include "base/error.h"
#include "base/memory.h"
#include "study/handle.h"
#include "user/records.h"
#include "user/user_ledger.h"

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

static tacit_status open_ledger(tacit_study *s, const tacit_records_opts *o,
                                tc_record_guard_config *cfg, tacit_error *err)
{
    char home[PATH_MAX];
    const char *name = o->ledger ? o->ledger : "records", *url = o->ledger_storage;
    tc_store *store;
    tc_ledger_io io;
    s->ops->identify(s, &cfg->study, &store);
    if (!url && !store) {
        TC_TRY(home_url(home, err));
        url = home;
    }
    if (!url) {
        TC_TRY(tc_store_ledger(store, name, true, &io, err));
        return tc_ledger_open(&cfg->ledger, name, &io, err);
    }
    tc_user_ledger own = {0};
    TC_TRY(tc_user_ledger_open_in(&own, url, name, true, err));
    cfg->ledger = own.ledger;
    cfg->below = own.store;
    cfg->end = end_ledger_store;
    return TACIT_OK;
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
    tc_metric_terms terms = tc_records_terms(&o);
    TC_TRY(tc_record_plan_of(document, &terms, &plan, err));
    return check_trainer(document, &o, &plan, err);
}

/* ---- a study ---- */

static tacit_status check_study(const tacit_study *s, const tacit_records_opts *o, tacit_error *err)
{
    bool forgets = !o->ledger_storage && s->storage && strncmp(s->storage->url, "memory:", 7) == 0;
    if (s->guard)
        return tc_fail(err, TACIT_E_STATE, "the records of study \"%s\" were declared already",
                       s->doc->name);
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
    TC_TRY(open_ledger(s, &o, &cfg, err));
    tacit_status status = tc_record_guard_new(&guard, &cfg, err);
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
