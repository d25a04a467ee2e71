/* version.c - `tacit version`: the program and the libraries it runs on. */
#include "frame/verbs.h"
#include "net/built.h"
#include "num/la.h"
#include "study/store_module.h"

#include <tacit/tacit.h>

#include <jansson.h>
#include <nlopt.h>
#include <sodium.h>
#include <sqlite3.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

typedef struct part {
    const char *name;
    const char *version;
} part;

static tacit_status print(const part *parts, size_t n, int format, tacit_error *err)
{
    const char *names[16];
    for (size_t i = 0; i < n; i++)
        names[i] = parts[i].name;
    tc_table *t = tc_table_new(n, names);
    for (size_t i = 0; i < n; i++)
        tc_table_text(t, i, parts[i].version);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

/* Leaves out alone where the module of the PostgreSQL store is not there. */
static void find_libpq(char out[32])
{
    const tc_store_module *m;
    if (tc_store_module_load(&m, "postgresql", NULL) == TACIT_OK)
        m->library(out);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    int major, minor, patch;
    char nlopt[32], libpq[32] = "not installed";
    nlopt_version(&major, &minor, &patch);
    snprintf(nlopt, sizeof nlopt, "%d.%d.%d", major, minor, patch);
    find_libpq(libpq);
    tc_net_libraries net = tc_net_libraries_here();
    const part parts[] = {{"tacit", TACIT_VERSION},
                          {"compiler", COMPILER},
                          {"blas", tc_la_library()},
                          {"kernel", tc_la_kernel()},
                          {"sqlite", sqlite3_libversion()},
                          {"sodium", sodium_version_string()},
                          {"nlopt", nlopt},
                          {"jansson", jansson_version_str()},
                          {"gnutls", net.gnutls},
                          {"microhttpd", net.microhttpd},
                          {"curl", net.curl},
                          {"libpq", libpq}};
    size_t n = sizeof parts / sizeof *parts;
    if (in->format != TC_FORMAT_TABLE)
        return print(parts, n, in->format, err);
    for (size_t i = 0; i < n; i++)
        printf("%-10s %s\n", parts[i].name, parts[i].version);
    return TACIT_OK;
}

const tc_verb tc_verb_version = {.name = "version",
                                 .usage = "[options]",
                                 .summary =
                                     "show the versions of tacit and of the libraries it runs on",
                                 .details = "  tacit version --format json",
                                 .run = run};
