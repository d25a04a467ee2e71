/* postgres_forget_test.c - what was contributed is forgotten: connections that carried it are closed.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#include "support/postgres_store.h"

#include "base/memory.h"

#include <string.h>

static tc_change message_of(int64_t study, const char *key, const char *value)
{
    return (tc_change){TC_INSERT,
                       {.study = study,
                        .kind = TC_RECORD_MESSAGE,
                        .key = key,
                        .key_size = strlen(key),
                        .value = value,
                        .size = strlen(value)}};
}

static void put_message(tc_store *s, int64_t study, const char *key)
{
    tacit_error err = {0};
    tc_change c = message_of(study, key, "a contribution");
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
}

/* Connections, and those of them that have carried a contribution. */
static void assert_links(tc_store *store, int connected, int secret)
{
    const tc_postgres *s = (const tc_postgres *)store;
    for (int i = 0; i < TC_PG_LINKS; i++) {
        connected -= s->links[i].conn != NULL;
        secret -= s->links[i].secret;
    }
    assert_int_equal(connected, 0);
    assert_int_equal(secret, 0);
    assert_false(s->links[0].secret);
}

static void connections_that_carried_contributions_are_closed(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_links(s, 1, 0);
    put_message(s, id, "k");
    assert_links(s, 2, 1);
    uint64_t before = tc_store_moment(s), head;
    tc_store_forget(s);
    assert_links(s, 1, 0);
    assert_ok(tc_store_wait_durable(s, before, &err)); /* it is no crash */
    tc_store_forget(s);
    assert_links(s, 1, 0);
    assert_ok(journal_end(s, id, &head, &err));
    assert_links(s, 1, 0); /* nobody connects before there is another contribution */
    tc_record which = {.study = id, .kind = TC_RECORD_MESSAGE, .key = "k", .key_size = 1}, got;
    assert_ok(tc_store_record_get(s, &which, &got, &err)); /* who reads one has it, too */
    tc_free((void *)got.value);
    assert_links(s, 2, 1);
    tc_store_close(s);
}

/* Another connection is in use, for a contribution, while all is to be forgotten. */
static tacit_status forget_meanwhile(tc_postgres *s, PGconn *c, void *user, tacit_error *err)
{
    const int64_t *study = user;
    put_message(&s->base, *study, "other");
    assert_links(&s->base, 3, 2);
    tc_store_forget(&s->base);
    assert_links(&s->base, 2, 1); /* the idle one is closed, the other one goes on */
    PGresult *r = PQexec(c, "SELECT 1");
    tacit_status status = tc_pg_judge(s, c, r, err);
    PQclear(r);
    return status;
}

static void who_uses_a_connection_is_not_disturbed_by_forgetting(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tacit_error err = {0};
    assert_ok(tc_pg_with_secret((tc_postgres *)s, false, forget_meanwhile, &id, &err));
    assert_links(s, 1, 0); /* it was closed when it was given back */
    put_message(s, id, "k");
    assert_links(s, 2, 1);
    tc_store_close(s);
}

static void all_is_forgotten_while_the_server_is_away(void **state)
{
    (void)state;
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    put_message(s, id, "k");
    control("stop");
    tc_store_forget(s);
    assert_links(s, 1, 0);
    control("start");
    put_message(s, id, "l");
    assert_links(s, 2, 1);
    tc_store_close(s);
}

int main(void)
{
    if (!has_server())
        return 77;
    const struct CMUnitTest tests[] = {
        IN_DATABASE(connections_that_carried_contributions_are_closed),
        IN_DATABASE(who_uses_a_connection_is_not_disturbed_by_forgetting),
        IN_DATABASE(all_is_forgotten_while_the_server_is_away),
    };
    return RUN_ON_SERVER("postgres_forget", tests);
}
