/* record_sums.h - damage to a SQLite store that its checksums do not show: records are changed by SQL, and get the sums
 * of what they are then. */
#ifndef TEST_RECORD_SUMS_H
#define TEST_RECORD_SUMS_H

#include "support/test.h"

#include "study/chain.h"

#include <sqlite3.h>

/* For SQL: the record of the head of the store's one ledger, with another key; entry `seq` (below 256) of it. */
#define MOVE_HEAD(key) "UPDATE records SET key = " key " WHERE kind = 13"
#define IS_ENTRY(seq)  "kind = 14 AND substr(key, 16) = x'" seq "'"

static inline void record_sum_sql(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    tc_record r = {.study = sqlite3_value_int64(v[0]),
                   .kind = (tc_record_kind)sqlite3_value_int(v[1]),
                   .key = sqlite3_value_blob(v[2]),
                   .key_size = (size_t)sqlite3_value_bytes(v[2]),
                   .value = sqlite3_value_blob(v[3]),
                   .size = (size_t)sqlite3_value_bytes(v[3])};
    tc_checksum sum = tc_chain_record(&r);
    sqlite3_result_blob(c, &sum, sizeof sum, SQLITE_TRANSIENT);
}

static inline void change_records(const char *path, const char *sql)
{
    static const char *const around[] = {"DROP TRIGGER IF EXISTS ledger_keeps_entries;"
                                         "DROP TRIGGER IF EXISTS ledger_keeps_values",
                                         NULL,
                                         "UPDATE records SET sum = rs(study, kind, key, value)"};
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_create_function(db, "rs", 4, SQLITE_UTF8, NULL, record_sum_sql, NULL, NULL);
    for (size_t i = 0; i < 3; i++)
        if (sqlite3_exec(db, around[i] ? around[i] : sql, NULL, NULL, &why) != SQLITE_OK)
            fail_msg("%s", why);
    sqlite3_close(db);
}

#endif
