/* study_postgres_test.c - the suite of study handles for PostgreSQL. Runs under tests/support/postgres, which gives
 * it a server; without one it is skipped, and says so. */
#include "conformance/study_suite.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static tacit_storage *open_again(void)
{
    tacit_error err = {0};
    tacit_storage *st = NULL;
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    opts.create = true;
    if (tacit_storage_open(&st, getenv("TACIT_POSTGRES"), &opts, &err) != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    return st;
}

static tacit_storage *open_fresh(void)
{
    PGconn *c = PQconnectdb(getenv("TACIT_POSTGRES"));
    PQclear(PQexec(c, "SET client_min_messages = error; DROP SCHEMA IF EXISTS tacit CASCADE"));
    PQfinish(c);
    return open_again();
}

int main(void)
{
    if (!getenv("TACIT_POSTGRES")) {
        printf("# skipped: no server in TACIT_POSTGRES; tests/support/postgres starts one\n");
        return 77;
    }
    const study_place postgres = {"studies in PostgreSQL", open_fresh, open_again, false};
    return study_suite_run(&postgres);
}
