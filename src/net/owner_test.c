/* A storage is a coordinator's or an agent's: an agent refuses a coordinator's and leaves every byte of it, and keeps what is its own. */
#include <tacit/agent.h>
#include <tacit/coordinator.h>
#include <tacit/trustee.h>

#include "study/store.h"
#include "support/store_folder.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define STUDY(name)                                                                                \
    "{\"name\": \"" name "\", \"direction\": \"minimize\", \"trials\": 4,"                         \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"fts\"}, \"federation\": {\"agents\": 2}, \"privacy\": "          \
    "\"none\"}"
#define ALONE                                                                                      \
    "{\"name\": \"mine\", \"direction\": \"minimize\", \"trials\": 4,"                             \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}"
#define TRUSTED                                                                                    \
    "{\"name\": \"t\", \"direction\": \"minimize\", \"trials\": 6,"                                \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3}, "                 \
    "\"federation\": {\"agents\": 2, \"trustees\": 3},"                                            \
    " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}"
#define REFUSAL "the storage is a coordinator's: an agent needs one of its own"

/* ---- the coordinator that agents want to join, with studies "f" and "g" ---- */

static tacit_coordinator *asked;

static int open_asked(void **state)
{
    tacit_coordinator_opts o = TACIT_COORDINATOR_OPTS;
    tacit_error err = {0};
    o.storage = "memory:";
    assert_ok(tacit_coordinator_open(&asked, &o, &err));
    assert_ok(tacit_coordinator_create(asked, STUDY("f"), &err));
    assert_ok(tacit_coordinator_create(asked, STUDY("g"), &err));
    return clear_folder(state);
}

static int close_asked(void **state)
{
    (void)state;
    tacit_coordinator_close(asked);
    return 0;
}

static tacit_status join(const char *study, tacit_agent **out, tacit_error *why)
{
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    tacit_error err = {0};
    char *token;
    assert_ok(tacit_coordinator_invite(asked, study, 1, 0, &token, &err));
    o.here = asked;
    o.study = study;
    o.storage = url;
    o.join_token = token;
    o.accept_not_private = true;
    tacit_status status = tacit_agent_join(out, &o, why);
    tacit_text_free(token);
    return status;
}

static void joins(const char *study)
{
    tacit_error err = {0};
    tacit_agent *a;
    assert_ok(join(study, &a, &err));
    tacit_agent_close(a);
}

static void is_refused(void)
{
    tacit_error err = {0};
    tacit_agent *a = NULL;
    assert_fails(join("f", &a, &err), TACIT_E_STATE, REFUSAL);
    assert_null(a);
}

/* ---- the coordinator of the storage ---- */

static tacit_coordinator *serve(void)
{
    tacit_coordinator_opts o = TACIT_COORDINATOR_OPTS;
    tacit_error err = {0};
    tacit_coordinator *c;
    o.storage = url;
    assert_ok(tacit_coordinator_open(&c, &o, &err));
    return c;
}

/* As a storage of before, which has no mark of its own. */
static void drop_mark(void)
{
    tc_record_range mark = {.kind = TC_RECORD_SERVER, .prefix = "coordinator", .prefix_size = 11};
    tacit_error err = {0};
    tc_store *store;
    uint64_t n;
    assert_ok(tc_store_open(&store, url, false, &err));
    assert_ok(tc_store_record_count(store, &mark, &n, &err));
    assert_int_equal(n, 1);
    assert_ok(tc_store_record_drop(store, &mark, &err));
    tc_store_close(store);
}

typedef struct picture {
    char bytes[1 << 20];
    size_t n;
    int files;
} picture;

static void take_picture(picture *p)
{
    FILE *f = fopen(file, "rb");
    DIR *d = opendir(folder);
    assert_true(f && d);
    p->n = fread(p->bytes, 1, sizeof p->bytes, f);
    assert_true(p->n > 0 && p->n < sizeof p->bytes);
    for (p->files = 0; readdir(d);)
        p->files++;
    closedir(d);
    fclose(f);
}

static void is_refused_without_a_trace(void)
{
    static picture before, after;
    take_picture(&before);
    is_refused();
    take_picture(&after);
    assert_int_equal(before.files, after.files);
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.bytes, after.bytes, before.n);
}

enum { NOTHING, OPERATOR, STUDIES, TOKENS };

static void make_something(tacit_coordinator *c, int what)
{
    tacit_error err = {0};
    char *token = NULL;
    if (what == OPERATOR)
        assert_ok(tacit_coordinator_operator_token(c, false, &token, &err));
    if (what == STUDIES || what == TOKENS)
        assert_ok(tacit_coordinator_create(c, STUDY("h"), &err));
    if (what == TOKENS)
        assert_ok(tacit_coordinator_invite(c, "h", 1, 0, &token, &err));
    tacit_text_free(token);
}

static void an_agent_refuses_a_coordinators(void **state)
{
    for (int what = NOTHING; what <= TOKENS; what++) {
        clear_folder(state);
        tacit_coordinator *c = serve();
        is_refused(); /* while it is served */
        make_something(c, what);
        tacit_coordinator_close(c);
        is_refused_without_a_trace();
        if (what != NOTHING) {
            drop_mark();
            is_refused_without_a_trace();
        }
        c = serve();
        make_something(c, STUDIES == what || TOKENS == what ? OPERATOR : STUDIES);
        tacit_coordinator_close(c);
    }
}

/* ---- its own ---- */

static void is_not_served(const char *sentence)
{
    tacit_coordinator_opts o = TACIT_COORDINATOR_OPTS;
    tacit_error err = {0};
    tacit_coordinator *c = NULL;
    o.storage = url;
    assert_fails(tacit_coordinator_open(&c, &o, &err), TACIT_E_STATE, sentence);
    assert_null(c);
}

static void an_agent_keeps_several_studies(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, url, ALONE, NULL, &err));
    tacit_study_close(s);
    joins("f");
    joins("g");
    joins("f");
    is_not_served("the storage is an agent's, with its journal of study \"f\": a coordinator needs "
                  "one of its own");
}

/* Before, an agent took a coordinator's storage. Its place is there and must not be lost. */
static void a_storage_of_both_stays_the_agents(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store;
    joins("f");
    tc_record mark = {.kind = TC_RECORD_SERVER, .key = "operator", .key_size = 8};
    assert_ok(tc_store_open(&store, url, false, &err));
    assert_ok(tc_store_record_keep(store, &mark, 0, "{}", 2, &err));
    tc_store_close(store);
    joins("f");
    is_not_served("the storage is an agent's, with its journal of study \"f\": a coordinator needs "
                  "one of its own");
}

/* ---- trustees */

static tacit_status become_trustee(tacit_trustee **out, tacit_error *why)
{
    tacit_trustee_opts o = TACIT_TRUSTEE_OPTS;
    tacit_error err = {0};
    char *token;
    assert_ok(tacit_coordinator_invite_trustees(asked, "t", 1, 0, &token, &err));
    o.here = asked;
    o.study = "t";
    o.storage = url;
    o.join_token = token;
    tacit_status status = tacit_trustee_join(out, &o, why);
    tacit_text_free(token);
    return status;
}

static void a_trustees_storage_is_its_own(void **state)
{
    tacit_coordinator_opts o = TACIT_COORDINATOR_OPTS;
    tacit_coordinator *c;
    tacit_trustee *t, *second;
    tacit_agent *a;
    tacit_error err = {0};
    (void)state;
    assert_ok(tacit_coordinator_create(asked, TRUSTED, &err));
    assert_ok(become_trustee(&t, &err));
    assert_int_equal(become_trustee(&second, &err), TACIT_E_BUSY);
    assert_string_equal(err.msg,
                        "a trustee of study \"t\" is at work on this storage already: wait "
                        "for it or end it");
    tacit_trustee_close(t);
    o.storage = url;
    assert_int_equal(tacit_coordinator_open(&c, &o, &err), TACIT_E_STATE);
    assert_string_equal(err.msg,
                        "the storage is a trustee's, with the keys of rounds: a coordinator "
                        "needs one of its own");
    assert_int_equal(join("f", &a, &err), TACIT_E_STATE);
    assert_string_equal(
        err.msg,
        "the storage is a trustee's, with the keys of rounds: an agent needs one of its own");
    assert_ok(become_trustee(&t, &err));
    tacit_trustee_close(t);
}

static void a_trustee_refuses_an_agents(void **state)
{
    tacit_trustee *t;
    tacit_error err = {0};
    (void)state;
    assert_ok(tacit_coordinator_create(asked, TRUSTED, &err));
    joins("f");
    assert_int_equal(become_trustee(&t, &err), TACIT_E_STATE);
    assert_string_equal(err.msg,
                        "the storage is an agent's, with its journal of study \"f\": a trustee "
                        "needs one of its own");
    joins("f");
}

static void a_trustee_refuses_a_coordinators(void **state)
{
    tacit_coordinator_opts o = TACIT_COORDINATOR_OPTS;
    tacit_coordinator *c;
    tacit_trustee *t;
    tacit_error err = {0};
    (void)state;
    assert_ok(tacit_coordinator_create(asked, TRUSTED, &err));
    o.storage = url;
    assert_ok(tacit_coordinator_open(&c, &o, &err));
    tacit_coordinator_close(c);
    assert_int_equal(become_trustee(&t, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "the storage is a coordinator's: a trustee needs one of its own");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_asked, close_asked)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_agent_refuses_a_coordinators),    TEST(an_agent_keeps_several_studies),
        TEST(a_storage_of_both_stays_the_agents), TEST(a_trustees_storage_is_its_own),
        TEST(a_trustee_refuses_a_coordinators),   TEST(a_trustee_refuses_an_agents)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
