/* studies.c - `tacit studies`: what a storage holds, or a coordinator. */
#include "base/json.h"
#include "base/memory.h"
#include "study/studies_repair.h"
#include "study/venue.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct options {
    tc_where where;
    char *repair, *keep;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {.name = "repair",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, repair),
     .help = "mend this study's journal in a storage that nobody else uses; keeps told values",
     .value = "STUDY"},
    {.name = "keep",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, keep),
     .help = "with --repair: where the damaged journal is kept (default STUDY-damaged.jsonl)",
     .value = "FILE"},
    {.name = NULL}};

typedef struct names {
    char **list;
    size_t n, cap;
} names;

static tacit_status add_name(names *all, const char *name, tacit_error *err)
{
    char *copy = tc_strdup(name);
    if (!copy || !tc_grow((void **)&all->list, &all->cap, all->n + 1, sizeof *all->list)) {
        tc_free(copy);
        return tc_fail_memory(err);
    }
    all->list[all->n++] = copy;
    return TACIT_OK;
}

static void names_fini(names *all)
{
    for (size_t i = 0; i < all->n; i++)
        tc_free(all->list[i]);
    tc_free(all->list);
}

/* name, then what a row says of it. */
static tc_table *new_table(void)
{
    static const char *const columns[] = {"name",     "algorithm", "direction",
                                          "complete", "failed",    "running",
                                          "planned",  "best",      "best_trial"};
    return tc_table_new(sizeof columns / sizeof *columns, columns);
}

static tacit_status print(tc_table *t, tacit_status st, int format, tacit_error *err)
{
    if (st == TACIT_OK)
        return tc_table_print(t, (tc_format)format, stdout, err);
    tc_table_free(t);
    return st;
}

/* ---- of a storage ---- */

/* The store may not be called while it lists: remember the names, then open each. */
static tacit_status remember(void *user, const tc_study_row *row, tacit_error *err)
{
    return add_name(user, row->name, err);
}

static void put_study(const tc_study *study, const tc_optimizer *o, tc_table *t)
{
    const tc_study_doc *doc = tc_study_document(study);
    const tc_trial *best = tc_optimizer_best(o);
    tc_table_text(t, 0, doc->name);
    tc_table_text(t, 1, doc->algorithm->name);
    tc_table_text(t, 2, doc->maximize ? "maximize" : "minimize");
    tc_table_integer(t, 3, (int64_t)tc_optimizer_count(o, TC_TRIAL_COMPLETE));
    tc_table_integer(t, 4, (int64_t)tc_optimizer_count(o, TC_TRIAL_FAIL));
    tc_table_integer(t, 5, (int64_t)tc_optimizer_count(o, TC_TRIAL_RUNNING));
    tc_table_integer(t, 6, (int64_t)doc->trials);
    if (best)
        tc_table_number(t, 7, best->value);
    if (best)
        tc_table_integer(t, 8, (int64_t)best->number);
    tc_table_end_row(t);
}

static tacit_status add_study(tc_store *store, const char *name, tc_table *t, tacit_error *err)
{
    tc_study *study = NULL;
    const tc_optimizer *o;
    TC_TRY(tc_study_open(&study, store, name, NULL, err));
    tacit_status st = tc_study_look(study, &o, err);
    if (st == TACIT_OK) {
        put_study(study, o, t);
        tc_study_unlook(study);
    }
    tc_study_close(study);
    /* A damaged one is named already. */
    return st == TACIT_OK || st == TACIT_E_CORRUPT ? st : tc_fail_in(err, "study %s", name);
}

static tacit_status list_storage(const options *o, int format, tacit_error *err)
{
    tc_store *store = NULL;
    names all = {0};
    TC_TRY(tc_store_open(&store, tc_storage_url(o->where.storage), false, err));
    tacit_status st = tc_store_study_list(store, remember, &all, err);
    tc_table *t = new_table();
    for (size_t i = 0; i < all.n && st == TACIT_OK; i++)
        st = add_study(store, all.list[i], t, err);
    names_fini(&all);
    tc_store_close(store);
    return print(t, st, format, err);
}

/* ---- of a coordinator ---- */

static tacit_status get(const tc_link *l, const char *path, const char *name, const char *rest,
                        json_t **out, tacit_error *err)
{
    tc_text full = {0};
    tc_text_addf(&full, "%s%s%s", path, name, rest);
    tc_call call = {.method = "GET", .path = tc_text_get(&full)};
    tacit_status st =
        full.failed ? tc_fail_memory(err) : tc_remote_call(&l->cfg, &call, false, out, err);
    tc_text_fini(&full);
    return st;
}

static bool is_known(const names *all, const char *name)
{
    for (size_t i = all->n; i-- > 0;)
        if (strcmp(name, all->list[i]) == 0)
            return true;
    return false;
}

/* A page of names; *more says whether there is another after the last one. One that brings no new name would
 * come for ever. */
static tacit_status take_page(const json_t *answer, names *all, bool *more, tacit_error *err)
{
    const json_t *list = json_object_get(answer, "studies");
    size_t before = all->n;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name)
            return tc_fail(err, TACIT_E_IO,
                           "the coordinator's answer makes no sense: a study without a name");
        if (!is_known(all, name))
            TC_TRY(add_name(all, name, err));
    }
    *more = json_is_string(json_object_get(answer, "next")) && all->n > before;
    return TACIT_OK;
}

/* After the last name that is still there: one that was erased since is no place in the list. */
static tacit_status get_page(const tc_link *l, names *all, json_t **out, tacit_error *err)
{
    for (;;) {
        tacit_error why = {0};
        bool first = all->n == 0;
        tacit_status st =
            get(l, first ? "/v1/studies" : "/v1/studies?after=", first ? "" : all->list[all->n - 1],
                "", out, &why);
        if (st == TACIT_OK)
            return TACIT_OK;
        if (st != TACIT_E_NOT_FOUND || first)
            return tc_fail(err, st, "%s", why.msg);
        tc_free(all->list[--all->n]);
    }
}

static tacit_status fetch_names(const tc_link *l, names *all, tacit_error *err)
{
    for (bool more = true; more;) {
        json_t *answer;
        TC_TRY(get_page(l, all, &answer, err));
        tacit_status st = take_page(answer, all, &more, err);
        json_decref(answer);
        TC_TRY(st);
    }
    return TACIT_OK;
}

static void put_count(tc_table *t, size_t column, const json_t *j, const char *key)
{
    int64_t n;
    if (tc_json_whole(json_object_get(j, key), &n))
        tc_table_integer(t, column, n);
}

/* A federated study has no trials of its own, and no best one. */
static void put_shown(tc_table *t, const char *name, const json_t *shown, const json_t *best)
{
    const char *text = json_string_value(json_object_get(shown, "document"));
    json_t *doc = text ? json_loads(text, 0, NULL) : NULL;
    const json_t *algorithm = json_object_get(doc, "algorithm"), *value;
    tc_table_text(t, 0, name);
    tc_table_text(t, 1, json_string_value(json_object_get(algorithm, "name")));
    tc_table_text(t, 2, json_string_value(json_object_get(doc, "direction")));
    put_count(t, 3, shown, "complete");
    put_count(t, 4, shown, "failed");
    put_count(t, 5, shown, "running");
    put_count(t, 6, doc, "trials");
    value = json_object_get(best, "value");
    if (json_is_number(value))
        tc_table_number(t, 7, json_number_value(value));
    put_count(t, 8, best, "trial");
    tc_table_end_row(t);
    json_decref(doc);
}

static tacit_status add_shown(const tc_link *l, const char *name, tc_table *t, tacit_error *err)
{
    json_t *shown, *best = NULL;
    int64_t complete = 0;
    tacit_error why = {0};
    tacit_status st = get(l, "/v1/studies/", name, "", &shown, &why);
    if (st == TACIT_E_NOT_FOUND) /* erased since it was named */
        return TACIT_OK;
    if (st != TACIT_OK)
        return tc_fail(err, st, "%s", why.msg);
    (void)tc_json_whole(json_object_get(shown, "complete"), &complete);
    st = complete > 0 ? get(l, "/v1/studies/", name, "/best", &best, &why) : TACIT_OK;
    if (st == TACIT_OK || st == TACIT_E_NOT_FOUND) {
        put_shown(t, name, shown, best);
        st = TACIT_OK;
    } else {
        st = tc_fail(err, st, "%s", why.msg);
    }
    json_decref(shown);
    json_decref(best);
    return st;
}

static tacit_status list_server(const tc_link *l, int format, tacit_error *err)
{
    names all = {0};
    tc_table *t = new_table();
    tacit_status st = fetch_names(l, &all, err);
    for (size_t i = 0; i < all.n && st == TACIT_OK; i++)
        st = add_shown(l, all.list[i], t, err);
    names_fini(&all);
    return print(t, st, format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const char *url;
    tc_link l = {0};
    TC_TRY(tc_where_server(&o->where, &url, err));
    if (o->keep && !o->repair)
        return tc_fail(err, TACIT_E_ARG, "--keep goes with --repair STUDY");
    if (o->repair && url)
        return tc_fail(
            err, TACIT_E_ARG,
            "--repair mends a storage, not a coordinator's study: stop the coordinator and "
            "run it with --storage");
    if (o->repair)
        return tc_studies_repair(tc_storage_url(o->where.storage), o->repair, o->keep, err);
    if (!url)
        return list_storage(o, in->format, err);
    tacit_status st = tc_link_open(&l, url, o->where.fingerprint, o->where.token_file,
                                   TC_PATIENCE_S, in->quiet, err);
    if (st == TACIT_OK)
        st = list_server(&l, in->format, err);
    tc_link_close(&l);
    return st;
}

const tc_verb tc_verb_studies = {
    .name = "studies",
    .usage = "[options]",
    .summary = "list the studies of a storage or a coordinator, with their best values",
    .details =
        "With --repair it mends one study whose journal cannot be read: a byte has changed,\n"
        "events are gone, or one tells of a trial that does not exist. Events that can be read\n"
        "are kept, and all told values whose point is known. It prints what was lost, a line\n"
        "each, and keeps the damaged journal in a file. Stop every program that uses the\n"
        "storage first. Privacy ledgers are not touched.\n"
        "\n"
        "  tacit studies\n"
        "  tacit studies --repair branin --storage sqlite:////srv/tacit.db\n"
        "  tacit studies --storage sqlite:////srv/tacit.db --format json\n"
        "  tacit studies --server https://tacit.example:8443 --token-file viewer.txt",
    .options = table,
    .options_size = sizeof(options),
    .run = run};
