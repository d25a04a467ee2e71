/* study_doc_test.c - study documents: strict reading, canonical text, what counts as the same. */
#include "wire/study_doc.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"

static tacit_status parse(tc_study_doc **out, const char *text, const char *dir, tacit_error *err)
{
    json_t *j = NULL;
    tacit_status status = tc_json_parse(text, strlen(text), "doc", &j, err);
    if (status == TACIT_OK)
        status = tc_study_doc_from_json(out, j, dir, err);
    json_decref(j);
    return status;
}

static tc_study_doc *parse_ok(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *d = NULL;
    assert_ok(parse(&d, text, NULL, &err));
    return d;
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    tc_study_doc *d = parse_ok("{\"name\": \"a.B-1_\", \"direction\": \"maximize\", " SPACE "}");
    assert_string_equal(d->name, "a.B-1_");
    assert_true(d->maximize);
    assert_int_equal(d->trials, 100);
    assert_false(d->has_seed);
    assert_string_equal(d->algorithm->name, "gp-ei");
    assert_int_equal(json_object_size(d->options), 0);
    assert_int_equal(d->space->n_params, 1);
    tc_study_doc_free(d);
    tc_study_doc_free(NULL);
}

static void every_field_is_read(void **state)
{
    (void)state;
    tc_study_doc *d =
        parse_ok("{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 1000000000,"
                 "\"seed\": 9007199254740992, " SPACE ","
                 "\"algorithm\": {\"name\": \"gp-ucb\", \"kernel\": \"matern52\"}}");
    assert_false(d->maximize);
    assert_int_equal(d->trials, 1000000000);
    assert_true(d->has_seed);
    assert_int_equal(d->seed, UINT64_C(9007199254740992));
    assert_string_equal(d->algorithm->name, "gp-ucb");
    assert_int_equal(json_object_size(d->options), 1);
    tc_study_doc_free(d);
    d = parse_ok("{\"name\": \"s\", \"direction\": \"minimize\", " SPACE
                 ", \"algorithm\": \"random\"}");
    assert_string_equal(d->algorithm->name, "random");
    tc_study_doc_free(d);
}

#define START "{\"name\": \"s\", \"direction\": \"minimize\", "
#define MANY  START SPACE ", \"federation\": {\"agents\": 29, \"deadline_s\": 60}, "
#define RECORDS                                                                                    \
    START SPACE                                                                                    \
        ", \"trials\": 30, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "

static const struct {
    const char *text, *message;
    bool exact;
} refusals[] = {
    {"[1]", "a study document must be an object, got an array", true},
    {"{\"direction\": \"minimize\", " SPACE "}", "name is missing", false},
    {"{\"name\": \"a b\", \"direction\": \"minimize\", " SPACE "}",
     "name must be 1 to 64 letters, digits, dots, dashes or underscores, got \"a b\"", true},
    {"{\"name\": \"x.json\", \"direction\": \"minimize\", " SPACE "}",
     "name must not begin with a dash or a dot nor end in .json, got \"x.json\"", true},
    {"{\"name\": \"-x\", \"direction\": \"minimize\", " SPACE "}", "got \"-x\"", false},
    {"{\"name\": \".x\", \"direction\": \"minimize\", " SPACE "}", "got \".x\"", false},
    {"{\"name\": \".json\", \"direction\": \"minimize\", " SPACE "}", "got \".json\"", false},
    {"{\"name\": \"\", \"direction\": \"minimize\", " SPACE "}", "got \"\"", false},
    {"{\"name\": \"s\", " SPACE "}", "direction is missing: say \"minimize\" or \"maximize\"",
     true},
    {"{\"name\": \"s\", \"direction\": \"min\", " SPACE "}",
     "direction must be \"minimize\" or \"maximize\", got \"min\"", true},
    {"{\"name\": \"s\", \"direction\": 1, " SPACE "}", "direction must be a string, got a number",
     true},
    {START "\"trials\": 0, " SPACE "}", "trials", false},
    {START "\"trials\": 1000000001, " SPACE "}", "trials", false},
    {START "\"trials\": 1.5, " SPACE "}", "trials", false},
    {START "\"seed\": -1, " SPACE "}", "seed", false},
    {START "\"seed\": 9007199254740993, " SPACE "}", "seed", false},
    {START "\"trails\": 5, " SPACE "}", "trails", false},
    {START "\"trials\": 5}", "space is missing: give \"space\", or \"points\" for a finite one",
     true},
    {START SPACE ", \"points\": \"p.csv\"}", "space and points must not both be given", true},
    {START "\"space\": 3}", "space must be an object, got a number", true},
    {START "\"space\": {\"lr\": {\"type\": \"float\", \"low\": 1, \"high\": 0.1}}}",
     "space.lr.low must be less than space.lr.high, got 1 and 0.1", true},
    {START "\"points\": {\"rows\": 3}}", "points must be the name of a CSV file, got an object",
     true},
    {START "\"points\": \"\"}", "points must be the name of a CSV file, got \"\"", true},
    {START SPACE ", \"algorithm\": 3}", "algorithm must be a name or an object, got a number",
     true},
    {START SPACE ", \"algorithm\": {\"kernel\": \"se\"}}", "algorithm.name is missing", false},
    {START SPACE ", \"algorithm\": {\"name\": 3}}", "algorithm.name must be a string", false},
    {START SPACE ", \"algorithm\": {\"name\": \"gp-ei\", \"kernle\": \"se\"}}", "kernle", false},
    {START SPACE ", \"algorithm\": {\"name\": \"gp-ei\", \"kernel\": \"cubic\"}}", "cubic", false},
    {START SPACE ", \"name\": \"again\"}", "doc line 1", false},
    {START SPACE ", \"algorithm\": \"dp-fts-de\"}",
     "algorithm dp-fts-de is for a federation of agents; one party alone may use ts", true},
    {START SPACE ", \"algorithm\": \"pf-pne\"}",
     "algorithm pf-pne is for a federation of agents; one party alone may use hct or blin", true},
    {START SPACE ", \"federation\": 3}", "federation must be an object, got a number", true},
    {START SPACE ", \"federation\": {}}", "federation.agents is missing: say how many there are",
     true},
    {START SPACE ", \"federation\": {\"agents\": 0}}", "federation.agents", false},
    {START SPACE ", \"federation\": {\"agents\": 16777217}}", "federation.agents", false},
    {START SPACE ", \"federation\": {\"agents\": 2.5}}", "federation.agents", false},
    {START SPACE ", \"federation\": {\"agent\": 2}}", "agent", false},
    {START SPACE ", \"federation\": {\"agents\": 2, \"trustees\": 2}}",
     "federation.trustees must be", false},
    {START SPACE ", \"federation\": {\"agents\": 2, \"trustees\": {\"degree\": 2}}}",
     "federation.trustees.count is missing: say how many trustees there are", true},
    {START SPACE ", \"federation\": {\"agents\": 2, \"trustees\": {\"count\": 5, \"degree\": 2}}}",
     "federation.trustees.degree must be in 3..4 with so many trustees and colluding ones, or a "
     "coordinator could open two sums, got 2",
     true},
    {START SPACE ", \"federation\": {\"agents\": 2, \"trustees\": {\"count\": 5, \"packing\": 2}}}",
     "packing", false},
    {START SPACE ", \"federation\": {\"agents\": 2, \"deadline_s\": 0}}",
     "federation.deadline_s must be a number in (0, 1e9], got 0", true},
    {START SPACE ", \"federation\": {\"agents\": 2, \"deadline_s\": \"1\"}}",
     "federation.deadline_s", false},
    {START SPACE ", \"privacy\": \"none\"}",
     "privacy is a promise to the agents of a federation: \"federation\" is missing; a study of "
     "one party can protect its records, \"unit\": \"record\"",
     true},
    {MANY "\"privacy\": {\"unit\": \"hospital\", \"epsilon\": 1, \"delta\": 0.1}}",
     "privacy.unit must be \"agent\" or \"record\", got \"hospital\"", true},
    {RECORDS "\"metric\": \"error\"}, \"algorithm\": \"ldp-tgp\"}",
     "privacy.unit must not be \"record\" with the algorithm ldp-tgp, which is told of users or "
     "rows by a mechanism of its own",
     true},
    {RECORDS "\"noise_multiplier\": 2}}", "noise_multiplier", false},
    {RECORDS "\"metric\": \"errors\"}}",
     "privacy.metric must be one of mean, error, accuracy, brier, log-loss, auc, f1, rmse, "
     "cross-validation, early-stopping, preprocessing, got \"errors\"",
     true},
    {RECORDS "\"metric\": \"mean\"}}",
     "privacy.range is missing: [low, high] bounds the loss of each record", true},
    {RECORDS "\"range\": [0]}}", "privacy.range must be two numbers, [low, high], got another list",
     true},
    {RECORDS "\"range\": [1, 1]}}", "privacy.range must be [low, high] with low < high, got [1, 1]",
     true},
    {RECORDS "\"metric\": \"error\", \"range\": [0, 1]}}",
     "privacy.range must not be given with the metric error, which has its own", true},
    {RECORDS "\"metric\": \"log-loss\"}}",
     "privacy.p_min is missing: log-loss needs the least probability, to which others are clipped",
     true},
    {RECORDS "\"metric\": \"log-loss\", \"p_min\": 0.6}}",
     "privacy.p_min must be a number in (0, 0.5], got 0.6", true},
    {RECORDS "\"metric\": \"error\", \"p_min\": 0.1}}",
     "privacy.p_min is for the metric log-loss alone", true},
    {START SPACE ", \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 0.1, "
                 "\"metric\": \"error\"}}",
     "trials is missing: the noise of an evaluation follows from how many there will be", true},
    {MANY "\"privacy\": \"some\"}", "privacy must be an object or \"none\", got \"some\"", true},
    {MANY "\"privacy\": 1}", "privacy must be an object or \"none\", got a number", true},
    {MANY "\"privacy\": {}}",
     "privacy must have either epsilon or noise_multiplier, it has neither", true},
    {MANY "\"privacy\": {\"epsilon\": 1, \"noise_multiplier\": 1}}", "it has both", false},
    {MANY "\"privacy\": {\"epsilon\": 1}}", "privacy.delta is missing: an epsilon needs one", true},
    {MANY "\"privacy\": {\"epsilon\": 0, \"delta\": 0.1}}",
     "privacy.epsilon must be a number in (0, 1e6], got 0", true},
    {MANY "\"privacy\": {\"noise_multiplier\": -1}}",
     "privacy.noise_multiplier must be a number in (0, 1e6], got -1", true},
    {MANY "\"privacy\": {\"noise_multiplier\": 1, \"delta\": 1}}",
     "privacy.delta must be a number in (0, 1), got 1", true},
    {MANY "\"privacy\": {\"eps\": 1}}", "eps", false},
    {MANY "\"privacy\": \"none\", \"algorithm\": {\"name\": \"dp-fts-de\", "
          "\"noise_multiplier\": 2}}",
     "privacy and algorithm.noise_multiplier must not both be given", true},
};

static void refusals_name_the_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tacit_error err = {0};
        tc_study_doc *d = NULL;
        assert_fails(parse(&d, refusals[i].text, NULL, &err), TACIT_E_ARG, refusals[i].message);
        if (refusals[i].exact)
            assert_string_equal(err.msg, refusals[i].message);
        assert_null(d);
    }
}

static void unknown_algorithms_and_files_are_not_found(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_study_doc *d = NULL;
    assert_fails(parse(&d, START SPACE ", \"algorithm\": \"gp-ie\"}", NULL, &err), TACIT_E_ARG,
                 "gp-ei");
    assert_fails(parse(&d, START "\"points\": \"none.csv\"}", "/nowhere", &err), TACIT_E_NOT_FOUND,
                 "/nowhere/none.csv");
    assert_fails(tc_study_doc_read(&d, "/nowhere/s.json", &err), TACIT_E_NOT_FOUND,
                 "/nowhere/s.json");
    assert_null(d);
}

static void the_text_is_canonical(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_study_doc *d = parse_ok(
        "{ \"algorithm\": {\"kernel\": \"matern52\", \"name\": \"gp-ei\"}, \"seed\": 3, " SPACE
        ", \"direction\": \"minimize\", \"name\": \"s\"}");
    char *text = tc_study_doc_text(d);
    assert_string_equal(text,
                        "{\"name\":\"s\",\"direction\":\"minimize\",\"trials\":100,\"seed\":3,"
                        "\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},"
                        "\"algorithm\":{\"name\":\"gp-ei\",\"kernel\":\"matern52\"}}");
    tc_study_doc *again = NULL;
    assert_ok(tc_study_doc_restore(&again, text, NULL, &err));
    char *text_again = tc_study_doc_text(again);
    assert_string_equal(text_again, text);
    assert_ok(tc_study_doc_same(d, again, &err));
    tc_free(text);
    tc_free(text_again);
    tc_study_doc_free(d);
    tc_study_doc_free(again);
}

/* --- federations --- */

static void check_round_trip(const tc_study_doc *d, const char *tail)
{
    tacit_error err = {0};
    char *text = tc_study_doc_text(d);
    size_t n = strlen(text), k = strlen(tail);
    assert_true(n > k);
    assert_string_equal(text + n - k, tail);
    tc_study_doc *again = NULL;
    assert_ok(tc_study_doc_restore(&again, text, NULL, &err));
    assert_ok(tc_study_doc_same(d, again, &err));
    assert_int_equal(again->agents, d->agents);
    assert_int_equal(again->promise, d->promise);
    assert_same_bits(again->deadline_s, d->deadline_s);
    assert_same_bits(again->epsilon, d->epsilon);
    assert_same_bits(again->delta, d->delta);
    assert_same_bits(again->noise_multiplier, d->noise_multiplier);
    tc_study_doc_free(again);
    tc_free(text);
}

static void federations_are_read_and_written(void **state)
{
    (void)state;
    tc_study_doc *d = parse_ok(MANY "\"privacy\": {\"epsilon\": 4, \"delta\": 0.25},"
                                    "\"algorithm\": \"dp-fts-de\"}");
    assert_int_equal(d->agents, 29);
    assert_int_equal(d->promise, TC_PROMISE_EPSILON);
    assert_same_bits(d->deadline_s, 60);
    assert_same_bits(d->epsilon, 4);
    assert_same_bits(d->delta, 0.25);
    assert_string_equal(d->algorithm->name, "dp-fts-de");
    check_round_trip(d, "\"federation\":{\"agents\":29,\"deadline_s\":60.0},"
                        "\"privacy\":{\"epsilon\":4.0,\"delta\":0.25}}");
    tc_study_doc_free(d);
    d = parse_ok(MANY "\"privacy\": {\"noise_multiplier\": 1.5}}");
    assert_int_equal(d->promise, TC_PROMISE_NOISE);
    check_round_trip(d, "\"privacy\":{\"noise_multiplier\":1.5}}");
    tc_study_doc_free(d);
    d = parse_ok(START SPACE ", \"federation\": {\"agents\": 9, \"trustees\": 5}, "
                             "\"privacy\": \"none\"}");
    check_round_trip(d, "\"federation\":{\"agents\":9,\"trustees\":{\"count\":5,\"degree\":3,"
                        "\"colluding\":1,\"dealers\":4}},\"privacy\":\"none\"}");
    tc_study_doc_free(d);
    d = parse_ok(START SPACE ", \"federation\": {\"agents\": 1}, \"privacy\": \"none\"}");
    assert_int_equal(d->promise, TC_PROMISE_NONE);
    check_round_trip(d, "\"federation\":{\"agents\":1},\"privacy\":\"none\"}");
    tc_study_doc_free(d);
    d = parse_ok(START SPACE ", \"federation\": {\"agents\": 2}}");
    assert_int_equal(d->promise, TC_PROMISE_UNSAID);
    check_round_trip(d, "\"federation\":{\"agents\":2}}");
    tc_study_doc_free(d);
}

static void records_are_read_and_written(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_study_doc *d = parse_ok(RECORDS "\"metric\": \"log-loss\", \"p_min\": 0.125}}");
    assert_int_equal(d->promise, TC_PROMISE_RECORDS);
    assert_string_equal(d->metric->name, "log-loss");
    assert_same_bits(d->low, 0);
    assert_close(d->high, 2.0794415, 1e-6);
    check_round_trip(d, "\"privacy\":{\"unit\":\"record\",\"epsilon\":1.0,\"metric\":\"log-loss\","
                        "\"p_min\":0.125,\"delta\":1e-05}}");
    tc_study_doc *other = parse_ok(RECORDS "\"range\": [-2, 3]}}");
    assert_string_equal(other->metric->name, "mean");
    check_round_trip(other, "\"privacy\":{\"unit\":\"record\",\"epsilon\":1.0,\"metric\":\"mean\","
                            "\"range\":[-2.0,3.0],\"delta\":1e-05}}");
    assert_fails(tc_study_doc_same(d, other, &err), TACIT_E_STATE, "privacy.metric is");
    d->trials++; /* others may be extended */
    tc_study_doc *same = parse_ok(RECORDS "\"metric\": \"log-loss\", \"p_min\": 0.125}}");
    assert_fails(tc_study_doc_same(d, same, &err), TACIT_E_STATE,
                 "trials is 31 in the stored study");
    tc_study_doc_free(same);
    tc_study_doc_free(other);
    tc_study_doc_free(d);
}

/* Their keys were made for the rounds that were planned. */
static void a_study_with_trustees_is_not_extended(void **state)
{
#define SHARED                                                                                     \
    START SPACE ", \"federation\": {\"agents\": 9, \"trustees\": 5}, \"privacy\": \"none\"}"
    (void)state;
    tacit_error err = {0};
    tc_study_doc *stored = parse_ok(SHARED), *given = parse_ok(SHARED);
    assert_ok(tc_study_doc_same(stored, given, &err));
    stored->trials++;
    assert_fails(tc_study_doc_same(stored, given, &err), TACIT_E_STATE, "trials is");
    tc_study_doc_free(given);
    given = parse_ok(START SPACE ", \"federation\": {\"agents\": 9, \"trustees\": {\"count\": 5, "
                                 "\"dealers\": 5}}, \"privacy\": \"none\"}");
    stored->trials--;
    assert_fails(tc_study_doc_same(stored, given, &err), TACIT_E_STATE,
                 "federation.trustees.dealers is 4 in the stored study but 5 in the one given");
    tc_study_doc_free(given);
    tc_study_doc_free(stored);
#undef SHARED
}

/* Messages of private values cost nothing, and the document says which are sent; unless it was said otherwise. */
static void free_messages_are_chosen(void **state)
{
    (void)state;
    tc_study_doc *d = parse_ok(
        START SPACE ", \"federation\": {\"agents\": 3}, \"trials\": 30, \"algorithm\": \"fts\", "
                    "\"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "
                    "\"metric\": \"error\"}}");
    assert_string_equal(json_string_value(json_object_get(d->options, "message")), "values");
    tc_study_doc_free(d);
    d = parse_ok(
        START SPACE
        ", \"federation\": {\"agents\": 3}, \"trials\": 30, \"algorithm\": {\"name\": \"fts\", "
        "\"message\": \"mean\"}, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, "
        "\"delta\": 1e-5, \"metric\": \"error\"}}");
    assert_string_equal(json_string_value(json_object_get(d->options, "message")), "mean");
    tc_study_doc_free(d);
    d = parse_ok(START SPACE ", \"federation\": {\"agents\": 3}, \"trials\": 30, \"algorithm\": "
                             "\"dp-fts-de\", \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, "
                             "\"delta\": 1e-5, \"metric\": \"error\"}}");
    assert_string_equal(json_string_value(json_object_get(d->options, "vote")), "yes");
    assert_null(json_object_get(d->options, "noise_multiplier")); /* "privacy" says so */
    tc_study_doc_free(d);
}

static void federations_may_differ(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_study_doc *stored = parse_ok(MANY "\"privacy\": {\"epsilon\": 4, \"delta\": 0.25}}");
    tc_study_doc *given = parse_ok(MANY "\"privacy\": {\"epsilon\": 5, \"delta\": 0.25}}");
    tc_study_doc *none = parse_ok(MANY "\"privacy\": \"none\"}");
    tc_study_doc *alone = parse_ok(START SPACE "}");
    assert_fails(tc_study_doc_same(stored, given, &err), TACIT_E_STATE,
                 "privacy.epsilon is 4.0 in the stored study but 5.0 in the one given");
    assert_fails(tc_study_doc_same(stored, none, &err), TACIT_E_STATE,
                 "in the stored study but \"none\" in the one given");
    assert_fails(tc_study_doc_same(alone, none, &err), TACIT_E_STATE,
                 "federation is absent in the stored study but {\"agents\":29,");
    tc_study_doc_free(stored);
    tc_study_doc_free(given);
    tc_study_doc_free(none);
    tc_study_doc_free(alone);
}

/* --- finite studies --- */

typedef struct folder {
    char path[64];
} folder;

static void write_file(const folder *f, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void remove_folder(const folder *f)
{
    static const char *const names[] = {"p.csv", "s.json"};
    for (size_t i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->path, names[i]);
        unlink(path);
    }
    rmdir(f->path);
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    folder f = {"/tmp/tacit-doc-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    char pipe[128], file[128];
    snprintf(pipe, sizeof pipe, "%s/p.csv", f.path);
    snprintf(file, sizeof file, "%s/s.json", f.path);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    tc_study_doc *d = NULL;
    assert_fails(tc_study_doc_read(&d, pipe, &err), TACIT_E_ARG,
                 "/p.csv\" must be a regular file, got a pipe");
    assert_fails(tc_study_doc_read(&d, f.path, &err), TACIT_E_ARG,
                 "\" must be a regular file, got a folder");
    assert_fails(tc_study_doc_read(&d, "/dev/null", &err), TACIT_E_ARG,
                 "\"/dev/null\" must be a regular file, got a device or socket");
    write_file(&f, "s.json", START "\"points\": \"p.csv\"}");
    assert_fails(tc_study_doc_read(&d, file, &err), TACIT_E_ARG,
                 "/p.csv\" must be a regular file, got a pipe");
    assert_null(d);
    remove_folder(&f);
}

static void points_are_read_beside_the_document(void **state)
{
    (void)state;
    tacit_error err = {0};
    folder f = {"/tmp/tacit-doc-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    write_file(&f, "s.json", START "\"points\": \"p.csv\"}");
    write_file(&f, "p.csv", "a,b\n1,2\n3,4\n5,6.50\n");
    char file[128];
    snprintf(file, sizeof file, "%s/s.json", f.path);
    tc_study_doc *d = NULL, *again = NULL;
    assert_ok(tc_study_doc_read(&d, file, &err));
    assert_int_equal(d->space->domain->n, 3);
    char *text = tc_study_doc_text(d), *csv = tc_domain_csv(d->space->domain);
    assert_string_equal(csv, "a,b\n1,2\n3,4\n5,6.5\n");
    assert_non_null(strstr(text, "\"points\":{\"rows\":3,\"hash\":\""));
    assert_ok(tc_study_doc_restore(&again, text, csv, &err));
    assert_ok(tc_study_doc_same(d, again, &err));
    tc_study_doc_free(again);
    again = NULL;
    assert_fails(tc_study_doc_restore(&again, text, "a,b\n1,2\n3,4\n5,6.6\n", &err),
                 TACIT_E_CORRUPT, "points.hash is not that of the candidates");
    assert_fails(tc_study_doc_restore(&again, text, NULL, &err), TACIT_E_CORRUPT,
                 "the candidates themselves are missing");
    *strstr(text, "\"rows\":3") = '\0';
    assert_fails(tc_study_doc_restore(&again, text, csv, &err), TACIT_E_CORRUPT,
                 "the stored study document: text line 1");
    assert_null(again);
    write_file(&f, "p.csv", "a,b\n1,2\n3\n");
    assert_fails(tc_study_doc_read(&again, file, &err), TACIT_E_ARG,
                 "row 3: the row has 1 field, the first row has 2");
    assert_null(again);
    tc_free(text);
    tc_free(csv);
    tc_study_doc_free(d);
    remove_folder(&f);
}

static void stored_rows_must_agree(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *domain = NULL;
    const size_t axes = 4;
    const double low = 0, high = 1;
    assert_ok(tc_domain_grid(&domain, 1, &axes, &low, &high, &err));
    char *csv = tc_domain_csv(domain);
    tc_study_doc *d = parse_ok(START SPACE "}"), *again = NULL;
    tc_space_free(d->space);
    d->space = NULL;
    assert_ok(tc_space_from_domain(&d->space, domain, &err));
    char *text = tc_study_doc_text(d);
    assert_ok(tc_study_doc_restore(&again, text, csv, &err));
    tc_study_doc_free(again);
    again = NULL;
    strstr(text, "\"rows\":4")[7] = '5';
    assert_fails(tc_study_doc_restore(&again, text, csv, &err), TACIT_E_CORRUPT,
                 "points.rows must be 4, the number of candidates");
    memcpy(strstr(text, "rows"), "rowz", 4);
    assert_fails(tc_study_doc_restore(&again, text, csv, &err), TACIT_E_CORRUPT, "rowz");
    assert_null(again);
    tc_free(text);
    tc_free(csv);
    tc_study_doc_free(d);
}

/* --- the same study? --- */

#define STUDY(rest)                                                                                \
    "{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": {"                     \
    "\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1},"                                   \
    "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8}}" rest "}"

static const struct {
    const char *given, *message; /* NULL: the same */
} others[] = {
    {STUDY(""), NULL},
    {STUDY(", \"trials\": 7"), NULL},
    {STUDY(", \"algorithm\": {\"name\": \"gp-ei\", \"kernel\": \"matern52\"}"), NULL},
    {"{\"seed\": 1, \"direction\": \"minimize\", \"name\": \"s\", \"space\": {"
     "\"lr\": {\"high\": 1.0, \"low\": 0.00001, \"log\": false, \"type\": \"float\"},"
     "\"n\": {\"type\": \"int\", \"low\": 1.0, \"high\": 8, \"step\": 1}}}",
     NULL},
    {"{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": {"
     "\"lr\": {\"type\": \"float\", \"low\": 1e-4, \"high\": 1},"
     "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8}}}",
     "space.lr.low is 1e-05 in the stored study but 0.0001 in the one given"},
    {"{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": {"
     "\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1, \"log\": true},"
     "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8}}}",
     "space.lr.log is absent in the stored study but true in the one given"},
    {"{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": {"
     "\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1}}}",
     "space.n is {\"type\":\"int\",\"low\":1,\"high\":8} in the stored study but absent in the one "
     "given"},
    {"{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": {"
     "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8},"
     "\"lr\": {\"type\": \"float\", \"low\": 1e-5, \"high\": 1}}}",
     "space has another order: \"lr\" in the stored study where the one given has \"n\""},
    {"{\"name\": \"s\", \"direction\": \"maximize\", \"seed\": 1, " SPACE "}",
     "direction is \"minimize\" in the stored study but \"maximize\" in the one given"},
    {"{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 2, " SPACE "}",
     "seed is 1 in the stored study but 2 in the one given"},
    {"{\"name\": \"s\", \"direction\": \"minimize\", " SPACE "}",
     "seed is 1 in the stored study but absent in the one given"},
    {STUDY(", \"algorithm\": \"random\""),
     "algorithm.name is \"gp-ei\" in the stored study but \"random\" in the one given"},
    {STUDY(", \"algorithm\": {\"name\": \"gp-ei\", \"ard\": false}"),
     "algorithm.ard is true in the stored study but false in the one given"},
};

static void the_first_difference_is_named(void **state)
{
    (void)state;
    tc_study_doc *stored = parse_ok(STUDY(""));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tacit_error err = {0};
        tc_study_doc *given = parse_ok(others[i].given);
        if (others[i].message) {
            assert_int_equal(tc_study_doc_same(stored, given, &err), TACIT_E_STATE);
            assert_string_equal(err.msg, others[i].message);
        } else {
            assert_ok(tc_study_doc_same(stored, given, &err));
        }
        tc_study_doc_free(given);
    }
    tc_study_doc_free(stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(refusals_name_the_field),
        cmocka_unit_test(unknown_algorithms_and_files_are_not_found),
        cmocka_unit_test(the_text_is_canonical),
        cmocka_unit_test(a_study_with_trustees_is_not_extended),
        cmocka_unit_test(federations_are_read_and_written),
        cmocka_unit_test(records_are_read_and_written),
        cmocka_unit_test(free_messages_are_chosen),
        cmocka_unit_test(federations_may_differ),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(points_are_read_beside_the_document),
        cmocka_unit_test(stored_rows_must_agree),
        cmocka_unit_test(the_first_difference_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
