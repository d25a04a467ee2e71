/* postgres_shared_test.c - threads and processes that share a database: nothing is lost, and nobody waits for ever.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#include "support/postgres_store.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- many at once */

typedef struct teller {
    tc_store *store;
    int64_t study;
    uint64_t first;
    bool ok;
} teller;

enum { TELLERS = 20, TELLS = 10 };

static void *tell_many(void *user)
{
    teller *t = user;
    tacit_error err;
    t->ok = true;
    for (uint64_t i = 0; i < TELLS; i++)
        t->ok = t->ok && append(t->store, t->study, TC_EVENT_TELL, t->first + i, &err) == TACIT_OK;
    return NULL;
}

static void threads_share_a_few_connections(void **state)
{
    (void)state;
    tc_store *s = NULL;
    tacit_error err = {0};
    char named[300];
    snprintf(named, sizeof named, "%s&application_name=shared", url);
    assert_ok(tc_store_open(&s, named, true, &err));
    int64_t id = put(s, "a");
    pthread_t threads[TELLERS];
    teller tellers[TELLERS];
    for (uint64_t i = 0; i < TELLERS; i++) {
        tellers[i] = (teller){.store = s, .study = id, .first = i * TELLS};
        assert_int_equal(pthread_create(&threads[i], NULL, tell_many, &tellers[i]), 0);
    }
    for (size_t i = 0; i < TELLERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < TELLERS; i++)
        assert_true(tellers[i].ok);
    assert_int_equal(events_of(s, id), TELLERS * TELLS);
    assert_in_range(sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shared'"),
                    1, TC_PG_LINKS);
    tc_store_close(s);
}

/* Each child makes or opens the same new store and appends; nothing is lost, none is refused. */
static int share(uint64_t child, uint64_t each)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    tc_study_row row = {.name = "a", .document = "{}"}, got;
    int64_t id;
    if (tc_store_open(&s, url, true, &err) != TACIT_OK)
        return 1;
    tacit_status status = tc_store_study_put(s, &row, &id, &err);
    if (status != TACIT_OK && status != TACIT_E_CONFLICT)
        return 2;
    if (tc_store_study_get(s, "a", &got, &err) != TACIT_OK)
        return 3;
    for (uint64_t i = 0; i < each; i++)
        if (append(s, got.id, TC_EVENT_TELL, child * each + i, &err) != TACIT_OK)
            return 4;
    tc_study_row_fini(&got);
    tc_store_close(s);
    return 0;
}

static void processes_share_a_database(void **state)
{
    (void)state;
    enum { CHILDREN = 4, EACH = 40 };
    pid_t children[CHILDREN];
    for (uint64_t c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        if (children[c] == 0)
            _exit(share(c, EACH));
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    tc_store *s = open_store();
    tc_study_row row;
    tacit_error err = {0};
    assert_ok(tc_store_study_get(s, "a", &row, &err));
    assert_int_equal(events_of(s, row.id), CHILDREN * EACH);
    tc_study_row_fini(&row);
    tc_store_close(s);
}

/* Two sets over the same keys, named in opposite orders, do not wait for each other: one wins. */
enum { SETS = 4, SET_KEYS = 1000 };

static pthread_barrier_t together;

static void *insert_sets(void *user)
{
    teller *t = user;
    tacit_error err;
    t->ok = true;
    for (int set = 0; set < SETS; set++) {
        tc_change c[SET_KEYS];
        uint8_t keys[SET_KEYS][3];
        for (size_t i = 0; i < SET_KEYS; i++) {
            size_t at = t->first ? i : SET_KEYS - 1 - i;
            keys[i][0] = (uint8_t)set;
            keys[i][1] = (uint8_t)(at >> 8);
            keys[i][2] = (uint8_t)at;
            c[i] = (tc_change){
                TC_INSERT,
                {.kind = TC_RECORD_AGENT, .key = keys[i], .key_size = 3, .value = "v", .size = 1}};
        }
        pthread_barrier_wait(&together);
        tacit_status status = tc_store_change(t->store, c, SET_KEYS, NULL, &err);
        t->ok = t->ok && (status == TACIT_OK || status == TACIT_E_CONFLICT);
    }
    return NULL;
}

static void sets_in_any_order_do_not_lock_each_other_out(void **state)
{
    (void)state;
    tc_store *s = open_store();
    tacit_error err = {0};
    pthread_t threads[2];
    teller t[2] = {{.store = s}, {.store = s, .first = 1}};
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, insert_sets, &t[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    assert_true(t[0].ok && t[1].ok);
    tc_record_range all = {.kind = TC_RECORD_AGENT};
    uint64_t n = 0;
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    assert_int_equal(n, SETS * SET_KEYS);
    tc_store_close(s);
}

int main(void)
{
    if (!has_server())
        return 77;
    const struct CMUnitTest tests[] = {
        IN_DATABASE(threads_share_a_few_connections),
        IN_DATABASE(processes_share_a_database),
        IN_DATABASE(sets_in_any_order_do_not_lock_each_other_out),
    };
    return RUN_ON_SERVER("postgres_shared", tests);
}
