/* study_ref.c - see study_ref.h. */
#include "study/study_ref.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- where ---- */

/* A storage may also be a coordinator. */
static bool is_coordinator(const char *url)
{
    return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
}

tacit_status tc_where_server(const tc_where *w, const char **url, tacit_error *err)
{
    if (w->server && w->storage)
        return tc_fail(err, TACIT_E_ARG,
                       "give either --server or --storage: a study is at a coordinator or in a "
                       "storage");
    const char *set = getenv("TACIT_STORAGE");
    bool storage = w->storage || (!w->server && set && *set);
    const char *named = storage ? tc_storage_url(w->storage) : tc_server_url(w->server);
    *url = !storage || is_coordinator(named) ? named : NULL;
    return TACIT_OK;
}

static bool wait_a_while(void *user, int64_t ms, const char *why)
{
    const tc_way *way = user;
    return tc_server_wait(way->quiet, ms, why);
}

static void say(void *user, const char *text)
{
    const tc_way *way = user;
    tc_note(way->quiet, "%s", text);
}

static bool stop(void *user)
{
    return tc_stop_at_interrupt(user);
}

/* The token comes from a file: arguments can be seen by others. */
static tacit_status find_server(tc_way *way, const tc_where *where, const tc_study_terms *terms,
                                tacit_error *err)
{
    TC_TRY(tc_server_token(where->token_file, true, &way->token, err));
    way->served = true;
    way->opts.token = way->token;
    way->opts.fingerprint = tc_server_fingerprint(where->fingerprint);
    way->opts.ca = tc_server_ca(where->ca);
    way->opts.proxy = where->proxy;
    way->opts.patience_s = terms->patience_s > 0 ? terms->patience_s : TC_PATIENCE_S;
    way->opts.wait = wait_a_while;
    way->opts.stop = stop;
    way->opts.note = say;
    way->opts.user = way;
    return TACIT_OK;
}

tacit_status tc_way_find(tc_way *way, const tc_where *where, const tc_study_terms *terms,
                         tacit_error *err)
{
    *way = (tc_way){.opts = TACIT_STORAGE_OPTS, .quiet = terms->quiet};
    TC_TRY(tc_where_server(where, &way->url, err));
    if (way->url)
        return find_server(way, where, terms, err);
    const char *odd = where->fingerprint  ? "fingerprint"
                      : where->token_file ? "token-file"
                      : where->ca         ? "ca"
                      : where->proxy      ? "proxy"
                                          : NULL;
    if (odd)
        return tc_fail(err, TACIT_E_ARG, "--%s is for a coordinator: say --server URL", odd);
    way->url = tc_storage_url(where->storage);
    way->opts.threads = terms->threads == 0 ? -1 : (int32_t)terms->threads;
    return TACIT_OK;
}

void tc_way_close(tc_way *way)
{
    if (way->token)
        explicit_bzero(way->token, strlen(way->token));
    tc_free(way->token);
    *way = (tc_way){0};
}

/* ---- which ---- */

tacit_status tc_study_ref_name(tc_study_ref *r, const char *study, tacit_error *err)
{
    return tc_is_document(study) ? tacit_document_read(&r->given, study, err) : TACIT_OK;
}

/* Whoever names a document agrees to that one, and to no other that the coordinator may have. */
static tacit_status check_given(const tc_study_ref *r, tacit_error *err)
{
    if (!r->given || !r->way.served)
        return TACIT_OK;
    if (tacit_document_same(tacit_study_document(r->study), r->given, err) == TACIT_OK)
        return TACIT_OK;
    return tc_fail_in(err, "the coordinator's study %s is another one",
                      tacit_document_name(r->given));
}

tacit_status tc_study_ref_open(tc_study_ref *r, const char *study, const tc_where *where,
                               const tc_study_terms *terms, tacit_error *err)
{
    TC_TRY(tc_way_find(&r->way, where, terms, err));
    if (r->given && terms->create)
        return tacit_study_create_from(&r->study, r->way.url, r->given, &r->way.opts, err);
    TC_TRY(tacit_study_open(&r->study, r->way.url, r->given ? tacit_document_name(r->given) : study,
                            &r->way.opts, err));
    return check_given(r, err);
}

/* Nobody said where: neither on the command line nor in the environment. */
static bool is_default(const tc_study_ref *r, const tc_where *where)
{
    return !where->storage && !r->way.served && strcmp(r->way.url, TC_STORAGE_DEFAULT) == 0 &&
           !getenv("TACIT_STORAGE");
}

tacit_status tc_study_ref_look(tc_study_ref *r, const char *study, const tc_where *where,
                               bool quiet, tacit_error *err)
{
    const tc_study_terms terms = {.threads = 1, .quiet = quiet};
    const tc_where agents = {.storage = TC_AGENT_STORAGE_DEFAULT};
    tacit_error none;
    TC_TRY(tc_study_ref_name(r, study, err));
    tacit_status status = tc_study_ref_open(r, study, where, &terms, err);
    if (status != TACIT_E_NOT_FOUND || !is_default(r, where))
        return status;
    tc_way_close(&r->way);
    if (tc_study_ref_open(r, study, &agents, &terms, &none) != TACIT_OK)
        return status;
    tc_note(quiet, "study %s is that of the agent in %s", tacit_study_name(r->study), r->way.url);
    return TACIT_OK;
}

void tc_study_ref_close(tc_study_ref *r)
{
    tacit_study_close(r->study);
    tc_way_close(&r->way);
    tacit_document_free(r->given);
    *r = (tc_study_ref){0};
}
