/* version.c - `tacit version`: the program and the libraries it runs on. */
#include "frame/verbs.h"

#include <tacit/build.h>
#include <tacit/net.h>

enum { PARTS_MOST = 16 };

typedef struct parts {
    size_t n;
    const char *names[PARTS_MOST];
    char versions[PARTS_MOST][256];
} parts;

static void add(void *user, const char *part, const char *version)
{
    parts *p = user;
    if (p->n == PARTS_MOST)
        return;
    p->names[p->n] = part;
    snprintf(p->versions[p->n++], sizeof p->versions[0], "%s", version);
}

static tacit_status print(const parts *p, int format, tacit_error *err)
{
    tc_table *t = tc_table_new(p->n, p->names);
    for (size_t i = 0; i < p->n; i++)
        tc_table_text(t, i, p->versions[i]);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    parts p = {0};
    char libpq[32];
    tacit_build_parts(add, &p);
    tacit_net_parts(add, &p);
    bool there = tacit_build_module("postgresql", libpq, NULL) == TACIT_OK;
    add(&p, "libpq", there ? libpq : "not installed");
    if (in->format != TC_FORMAT_TABLE)
        return print(&p, in->format, err);
    for (size_t i = 0; i < p.n; i++)
        printf("%-10s %s\n", p.names[i], p.versions[i]);
    return TACIT_OK;
}

const tc_verb tc_verb_version = {.name = "version",
                                 .usage = "[options]",
                                 .summary =
                                     "show the versions of tacit and of the libraries it runs on",
                                 .details = "  tacit version --format json",
                                 .run = run};
