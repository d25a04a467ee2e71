/* store_postgres_test.c - the conformance suite for the PostgreSQL store. Runs under
 * tests/support/postgres, which gives it a server; without one it is skipped. */
#include "conformance/store_suite.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static tc_store *open_again(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    if (tc_store_open(&s, getenv("TACIT_POSTGRES"), true, &err) != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    return s;
}

static tc_store *open_fresh(void)
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
    const store_kind postgres = {"postgresql store", open_fresh, open_again};
    return store_suite_run(&postgres) + record_suite_run(&postgres) + copy_suite_run(&postgres) +
           audit_suite_run(&postgres);
}
