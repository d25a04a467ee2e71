/* plot_ledger.c - which ledger `tacit plot --kind privacy` means: one of a storage, an exported file, or that of a federated
 * study at a coordinator, whose document also has the delta and the limit. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/json.h"
#include "privacy/privacy_ledger.h"

#include <tacit/net.h>

#include <math.h>
#include <string.h>

/* ---- at a coordinator ---- */

static tacit_status get(tacit_storage *st, const char *study, const char *path, json_t **out,
                        tacit_error *err)
{
    char *answer;
    TC_TRY(tacit_net_call(st, "GET", study, path, NULL, &answer, err));
    tacit_status status = tc_json_parse(answer, strlen(answer), "the answer", out, err);
    tacit_text_free(answer);
    return status;
}

/* Of what the document promises; what a study does not say stays as it is. */
static tacit_status read_promise(const json_t *shown, tc_plot_budget *b, tacit_error *err)
{
    json_t *document;
    const char *text;
    TC_TRY(tc_json_string(shown, "", "document", &text, err));
    TC_TRY(tc_json_parse(text, strlen(text), "the document", &document, err));
    const json_t *privacy = json_object_get(document, "privacy");
    tacit_status status = TACIT_OK;
    if (json_is_object(privacy) && b->delta == 0)
        status = tc_json_number_or(privacy, "privacy", "delta", &b->delta, err);
    if (json_is_object(privacy) && b->limit == 0 && status == TACIT_OK)
        status = tc_json_number_or(privacy, "privacy", "epsilon", &b->limit, err);
    json_decref(document);
    return status;
}

static tacit_status read_ledger(tacit_storage *st, const char *study, tacit_ledger **out,
                                tacit_error *err)
{
    json_t *j;
    TC_TRY(get(st, study, "/privacy", &j, err));
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = tacit_ledger_import(out, text, err);
    tc_free(text);
    return status;
}

static tacit_status from_coordinator(tc_way *way, const char *study, tc_plot_budget *b,
                                     tacit_ledger **out, tacit_error *err)
{
    tacit_storage *st;
    json_t *shown = NULL;
    TC_TRY(tacit_storage_open(&st, way->url, &way->opts, err));
    tacit_status status = get(st, study, "", &shown, err);
    if (status == TACIT_OK)
        status = read_promise(shown, b, err);
    if (status == TACIT_OK)
        status = read_ledger(st, study, out, err);
    json_decref(shown);
    tacit_storage_close(st);
    return status;
}

/* ---- either ---- */

tacit_status tc_plot_ledger(const tc_where *where, const char *name, bool quiet, tc_plot_budget *b,
                            tacit_ledger **out, tacit_error *err)
{
    const char *server;
    tc_way way = {0};
    TC_TRY(tc_where_server(where, &server, err));
    if (!server) {
        TC_TRY(tc_privacy_check_name(name, err));
        return tc_privacy_ledger(out, name, where->storage, err);
    }
    tacit_status status = tc_way_find(&way, where, &(tc_study_terms){.quiet = quiet}, err);
    if (status == TACIT_OK)
        status = from_coordinator(&way, name, b, out, err);
    tc_way_close(&way);
    return status;
}
