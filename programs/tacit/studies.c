/* studies.c - `tacit studies`: what a storage holds. */
#include "base/memory.h"
#include "storage.h"
#include "verbs.h"

#include <inttypes.h>
#include <stddef.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

typedef struct names {
    char **list;
    size_t n, cap;
} names;

/* The store may not be called while it lists: remember the names, then open each. */
static tacit_status remember(void *user, const tc_study_row *row, tacit_error *err)
{
    names *all = user;
    char *copy = tc_strdup(row->name);
    if (!copy || !tc_grow((void **)&all->list, &all->cap, all->n + 1, sizeof *all->list)) {
        tc_free(copy);
        return tc_fail_memory(err);
    }
    all->list[all->n++] = copy;
    return TACIT_OK;
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
    return st == TACIT_OK ? st : tc_fail_in(err, "study %s", name);
}

static tacit_status list(tc_store *store, const names *all, int format, tacit_error *err)
{
    static const char *const columns[] = {"name",     "algorithm", "direction",
                                          "complete", "failed",    "running",
                                          "planned",  "best",      "best_trial"};
    tc_table *t = tc_table_new(sizeof columns / sizeof *columns, columns);
    tacit_status st = TACIT_OK;
    for (size_t i = 0; i < all->n && st == TACIT_OK; i++)
        st = add_study(store, all->list[i], t, err);
    if (st == TACIT_OK)
        return tc_table_print(t, (tc_format)format, stdout, err);
    tc_table_free(t);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_store *store = NULL;
    names all = {0};
    TC_TRY(tc_store_open(&store, tc_storage_url(o->storage), false, err));
    tacit_status st = tc_store_study_list(store, remember, &all, err);
    if (st == TACIT_OK)
        st = list(store, &all, in->format, err);
    for (size_t i = 0; i < all.n; i++)
        tc_free(all.list[i]);
    tc_free(all.list);
    tc_store_close(store);
    return st;
}

const tc_verb tc_verb_studies = {
    .name = "studies",
    .usage = "[options]",
    .summary = "list the studies of a storage, with their best values",
    .details = "  tacit studies\n  tacit studies --storage sqlite:////srv/tacit.db --format json",
    .options = table,
    .options_size = sizeof(options),
    .run = run};
