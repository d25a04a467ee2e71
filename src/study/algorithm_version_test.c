/* algorithm_version_test.c - a running study keeps the behaviour that it began with when its algorithm changes.
 *
 * The algorithm "probe" is one of this test, and so is the registry: the functions below take the place of
 * algo/registry.c. The program of the first version knows `first`, that of the second `second`, in which a default and
 * the behaviour are others. Versions are "installed" by setting `installed`. */
#include "support/test.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/study.h"
#include "study/study_plan.h"

#include <tacit/tacit.h>

/* ---- the algorithm ---- */

typedef struct options {
    double step;
} options;

typedef struct probe {
    const tc_env *env;
    double step;
} probe;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    (void)err;
    *(probe *)st = (probe){.env = env, .step = ((const options *)opts)->step};
    return TACIT_OK;
}

static void fini(void *st)
{
    (void)st;
}

/* The second version goes down where the first went up. */
static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    const probe *s = st;
    double at = s->step * (double)(trial + 1);
    (void)err;
    values[0] = tc_env_since(s->env, 2) ? 1 - at : at;
    return TACIT_OK;
}

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(probe), .init = init, .fini = fini, .ask = ask};

#define STEP                                                                                       \
    .name = "step", .type = TC_OPTION_FLOAT, .offset = offsetof(options, step), .min = 0, .max = 1
static const tc_option first_options[] = {{STEP, .def = "0.125"}, {.name = NULL}};
static const tc_option second_options[] = {{STEP, .def = "0.0625", .before = "0.125"},
                                           {.name = NULL}};

static const tc_algorithm first = {.name = "probe",
                                   .options = first_options,
                                   .options_size = sizeof(options),
                                   .optimizer = &optimizer};
static const tc_algorithm second = {.name = "probe",
                                    .version = 2,
                                    .options = second_options,
                                    .options_size = sizeof(options),
                                    .optimizer = &optimizer};

/* ---- the registry ---- */

static const tc_algorithm *installed[] = {&first, NULL};

const tc_algorithm *const *tc_algorithms(void)
{
    return installed;
}

const tc_algorithm *tc_algorithm_find(const char *name)
{
    return strcmp(name, "probe") == 0 ? installed[0] : NULL;
}

tacit_status tc_algorithm_get(const tc_algorithm **out, const char *name, tacit_error *err)
{
    *out = tc_algorithm_find(name);
    return *out ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "there is no algorithm \"%s\"", name);
}

tacit_status tc_algorithm_get_single(const tc_algorithm **out, const char *name, tacit_error *err)
{
    return tc_algorithm_get(out, name, err);
}

/* ---- studies ---- */

#define DOCUMENT(algorithm)                                                                        \
    "{\"name\":\"s\",\"direction\":\"maximize\",\"trials\":8,\"seed\":1,"                          \
    "\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},\"algorithm\":" algorithm "}"

static tacit_status read_document(tc_study_doc **out, const char *text, tacit_error *err)
{
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    tacit_status status = tc_study_doc_from_json(out, j, NULL, err);
    json_decref(j);
    return status;
}

/* Creates the study, or opens it if it is there. */
static tc_study *create(tc_store *store, const char *text)
{
    tacit_error err = {0};
    tc_study_doc *d;
    tc_study *s;
    assert_ok(read_document(&d, text, &err));
    assert_ok(tc_study_create(&s, store, d, NULL, &err));
    tc_study_doc_free(d);
    return s;
}

static double next(tc_study *s)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, 0, &err));
    return x;
}

static void assert_stored(tc_store *store, const char *expected)
{
    tacit_error err = {0};
    tc_study_row row;
    assert_ok(tc_store_study_get(store, "s", &row, &err));
    assert_string_equal(row.document, expected);
    tc_study_row_fini(&row);
}

static tc_store *open_store(void)
{
    tacit_error err = {0};
    tc_store *store;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    return store;
}

static void a_study_goes_on_as_it_began(void **state)
{
    tacit_error err = {0};
    tc_store *store = open_store();
    tc_study *s;
    (void)state;
    installed[0] = &first;
    s = create(store, DOCUMENT("\"probe\""));
    assert_stored(store, DOCUMENT("{\"name\":\"probe\"}")); /* as programs without versions do */
    assert_same_bits(next(s), 0.125);
    tc_study_close(s);
    installed[0] = &second;
    assert_ok(tc_study_open(&s, store, "s", NULL, &err));
    assert_same_bits(next(s), 0.25);
    tc_study_close(s);
    s = create(store, DOCUMENT("\"probe\"")); /* by the document that its author has */
    assert_same_bits(next(s), 0.375);
    tc_study_close(s);
    tc_store_close(store);
}

static void a_new_one_has_the_new_version(void **state)
{
    tacit_error err = {0};
    tc_store *store = open_store();
    tc_study *s;
    (void)state;
    installed[0] = &second;
    s = create(store, DOCUMENT("\"probe\""));
    assert_stored(store, DOCUMENT("{\"name\":\"probe\",\"version\":2,\"step\":0.0625}"));
    assert_same_bits(next(s), 1 - 0.0625);
    tc_study_close(s);
    assert_ok(tc_study_open(&s, store, "s", NULL, &err));
    assert_same_bits(next(s), 1 - 0.125);
    tc_study_close(s);
    s = create(store, DOCUMENT("\"probe\""));
    assert_same_bits(next(s), 1 - 0.1875);
    tc_study_close(s);
    tc_store_close(store);
}

/* The former behaviour in a new study, for who asks for it. */
static void a_document_may_name_a_former_version(void **state)
{
    tacit_error err = {0};
    tc_store *store = open_store();
    tc_study_doc *d;
    tc_study *s;
    (void)state;
    installed[0] = &second;
    s = create(store, DOCUMENT("{\"name\":\"probe\",\"version\":1}"));
    assert_stored(store, DOCUMENT("{\"name\":\"probe\",\"step\":0.0625}"));
    assert_same_bits(next(s), 0.0625);
    tc_study_close(s);
    assert_ok(read_document(&d, DOCUMENT("{\"name\":\"probe\",\"version\":2}"), &err));
    assert_fails(tc_study_create(&s, store, d, NULL, &err), TACIT_E_STATE,
                 "algorithm.version is 1 in the stored study but 2 in the one given");
    tc_study_doc_free(d);
    tc_store_close(store);
}

static void a_version_that_is_not_there_is_named(void **state)
{
    static const char *const versions[] = {"0", "-1", "1.5", "\"2\"", "2147483648"};
    static const char *const got[] = {"0", "-1", "1.5", "a string", "2147483648"};
    tacit_error err = {0};
    tc_store *store = open_store();
    tc_study_doc *d;
    tc_study *s;
    (void)state;
    installed[0] = &second;
    tc_study_close(create(store, DOCUMENT("\"probe\"")));
    installed[0] = &first; /* an older program */
    assert_fails(tc_study_open(&s, store, "s", NULL, &err), TACIT_E_UNSUPPORTED,
                 "the stored study document: algorithm.version is 2, and this tacit (" TACIT_VERSION
                 ") has probe up to version 1: use a newer tacit");
    assert_fails(read_document(&d, DOCUMENT("{\"name\":\"probe\",\"version\":7}"), &err),
                 TACIT_E_UNSUPPORTED,
                 "algorithm.version is 7, and this tacit (" TACIT_VERSION
                 ") has probe up to version 1: use a newer tacit");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char text[400], why[200];
        snprintf(text, sizeof text, DOCUMENT("{\"name\":\"probe\",\"version\":%s}"), versions[i]);
        snprintf(why, sizeof why,
                 "algorithm.version must be a whole number in [1, 2147483647], got %s", got[i]);
        assert_fails(read_document(&d, text, &err), TACIT_E_ARG, why);
    }
    tc_store_close(store);
}

/* ---- what a coordinator knows ---- */

static const tc_relay_ops relay; /* nobody calls it */

static uint64_t planned_version(const char *algorithm)
{
    tacit_error err = {0};
    tc_study_plan *plan;
    char text[500];
    snprintf(text, sizeof text,
             "{\"name\":\"s\",\"direction\":\"maximize\",\"trials\":8,"
             "\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},\"algorithm\":%s,"
             "\"federation\":{\"agents\":3},\"privacy\":\"none\"}",
             algorithm);
    tc_study_row row = {.document = text, .created_ms = 5};
    assert_ok(tc_study_plan_new(&plan, &row, &err));
    uint64_t version = plan->env.version;
    tc_study_plan_free(plan);
    return version;
}

static void a_coordinator_knows_the_version(void **state)
{
    tc_algorithm federated = second;
    (void)state;
    federated.relay = &relay;
    installed[0] = &federated;
    assert_int_equal(planned_version("{\"name\":\"probe\"}"), 1);
    assert_int_equal(planned_version("{\"name\":\"probe\",\"version\":2}"), 2);
    installed[0] = &first;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_goes_on_as_it_began),
        cmocka_unit_test(a_new_one_has_the_new_version),
        cmocka_unit_test(a_document_may_name_a_former_version),
        cmocka_unit_test(a_version_that_is_not_there_is_named),
        cmocka_unit_test(a_coordinator_knows_the_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
