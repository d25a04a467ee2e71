/* postgres_store.h - the server that tests/support/postgres gives a test, and stores on it.
 *
 * A test's main() begins with `if (!has_server()) return 77;` and ends in RUN_ON_SERVER. */
#ifndef TEST_POSTGRES_STORE_H
#define TEST_POSTGRES_STORE_H

#include "support/journal_end.h"
#include "support/test.h"

#include "postgres/postgres_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char *url;
static char place[200]; /* what messages call it */

static inline void control(const char *verb)
{
    char command[600];
    snprintf(command, sizeof command, "%s %s", getenv("TACIT_POSTGRES_CONTROL"), verb);
    assert_int_equal(system(command), 0);
}

static inline int64_t sql(const char *text)
{
    PGconn *c = PQconnectdb(url);
    PGresult *r = PQexec(c, text);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s", PQerrorMessage(c));
    int64_t value = PQntuples(r) > 0 ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    PQclear(r);
    PQfinish(c);
    return value;
}

static inline int clear_database(void **state)
{
    (void)state;
    sql("SET client_min_messages = error; DROP SCHEMA IF EXISTS tacit CASCADE;"
        " DROP SEQUENCE IF EXISTS turns; DROP TABLE IF EXISTS other");
    return 0;
}

static inline tc_store *open_store(void)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_open(&s, url, true, &err));
    return s;
}

static inline int64_t put(tc_store *s, const char *name)
{
    int64_t id = 0;
    tacit_error err = {0};
    tc_study_row row = {.name = (char *)name, .document = "{}"};
    assert_ok(tc_store_study_put(s, &row, &id, &err));
    return id;
}

static inline tacit_status append(tc_store *s, int64_t study, tc_event_kind kind, uint64_t trial,
                                  tacit_error *err)
{
    uint64_t head;
    tc_event_row e = {.kind = kind, .trial = trial, .body = "{}"};
    tc_append a = {.study = study,
                   .head = TC_ANY_HEAD,
                   .events = &e,
                   .n = 1,
                   .durable = kind == TC_EVENT_TELL};
    return tc_store_append(s, &a, &head, err);
}

static inline uint64_t head_of(tc_store *s, int64_t study)
{
    uint64_t head = 0;
    tacit_error err = {0};
    assert_ok(journal_end(s, study, &head, &err));
    return head;
}

static inline tacit_status count(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    uint64_t *n = user;
    return e->seq == ++*n ? TACIT_OK : TACIT_E_INTERNAL;
}

static inline uint64_t events_of(tc_store *s, int64_t study)
{
    uint64_t n = 0;
    tacit_error err = {0};
    assert_ok(tc_store_scan(s, study, 0, count, &n, &err));
    return n;
}

static inline int find_place(void **state)
{
    (void)state;
    PGconn *c = PQconnectdb(url);
    snprintf(place, sizeof place, "database \"%s\" at %s:%s", PQdb(c), PQhost(c), PQport(c));
    bool there = PQstatus(c) == CONNECTION_OK;
    PQfinish(c);
    return there ? 0 : -1;
}

/* False: the test is to be skipped, and it was said. */
static inline bool has_server(void)
{
    url = getenv("TACIT_POSTGRES");
    if (url && getenv("TACIT_POSTGRES_CONTROL"))
        return true;
    printf("# skipped: no server in TACIT_POSTGRES; tests/support/postgres starts one\n");
    return false;
}

#define IN_DATABASE(test) cmocka_unit_test_setup(test, clear_database)
#define RUN_ON_SERVER(name, tests)                                                                 \
    cmocka_run_group_tests_name(name, tests, find_place, clear_database)

#endif
