/* counted_scans.h - a store that counts how often the journals in it are read, and a study in it. For one test program each. */
#ifndef TEST_COUNTED_SCANS_H
#define TEST_COUNTED_SCANS_H

#include "support/store_folder.h"

#include "base/json.h"
#include "study/study.h"

static const tc_store_ops *real;
static uint64_t scans;

static tacit_status count_scan(tc_store *s, int64_t study, tc_event_id after, tc_event_visit visit,
                               void *user, tacit_error *err)
{
    scans++;
    return real->scan(s, study, after, visit, user, err);
}

static tc_store *open_counted(const char *where)
{
    static tc_store_ops ops;
    tacit_error err = {0};
    tc_store *s = NULL;
    assert_ok(tc_store_open(&s, where, true, &err));
    real = s->ops;
    ops = *real;
    ops.scan = count_scan;
    s->ops = &ops;
    return s;
}

static tc_study *make_study(tc_store *s)
{
    static const char text[] =
        "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 100, \"seed\": 5,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2}},"
        " \"algorithm\": {\"name\": \"gp-ei\", \"init\": 3}}";
    tacit_error err = {0};
    tc_study_doc *doc = NULL;
    tc_study *study = NULL;
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "study", &j, &err));
    assert_ok(tc_study_doc_from_json(&doc, j, NULL, &err));
    json_decref(j);
    assert_ok(tc_study_create(&study, s, doc, NULL, &err));
    tc_study_doc_free(doc);
    return study;
}

#endif
