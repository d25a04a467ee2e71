/* limits.c - see limits.h. */
#include "limits.h"

#include "base/clock.h"
#include "base/memory.h"

#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RUN_NS UINT64_C(1000000000)

static double rate(size_t n, uint64_t start)
{
    return (double)n / ((double)(tc_clock_ns() - start) * 1e-9);
}

double bench_limit_syncs(const char *folder)
{
    char path[256], block[4096] = {0};
    snprintf(path, sizeof path, "%s/limit.bytes", folder);
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    size_t n = 0;
    uint64_t start = tc_clock_ns();
    for (; fd >= 0 && tc_clock_ns() - start < RUN_NS; n++)
        if (pwrite(fd, block, sizeof block, 0) < 0 || fdatasync(fd) != 0)
            break;
    double result = rate(n, start);
    if (fd >= 0)
        close(fd);
    unlink(path);
    return result;
}

static void insert_group(sqlite3 *db, sqlite3_stmt *q, const void *bytes, size_t size, size_t group)
{
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; i < group; i++) {
        sqlite3_bind_blob(q, 1, bytes, (int)size, SQLITE_STATIC);
        sqlite3_step(q);
        sqlite3_reset(q);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
}

static void unlink_store(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

double bench_limit_inserts(const char *folder, size_t size, size_t group)
{
    char path[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    size_t n = 0;
    void *bytes = tc_alloc(size, 1);
    snprintf(path, sizeof path, "%s/limit.db", folder);
    sqlite3_open(path, &db);
    sqlite3_exec(db,
                 "PRAGMA page_size=2048; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                 "PRAGMA wal_autocheckpoint=500; CREATE TABLE t(id INTEGER PRIMARY KEY, v BLOB)",
                 NULL, NULL, NULL);
    sqlite3_prepare_v2(db, "INSERT INTO t(v) VALUES(?1)", -1, &q, NULL);
    uint64_t start = tc_clock_ns();
    for (; tc_clock_ns() - start < RUN_NS; n += group)
        insert_group(db, q, bytes, size, group);
    double result = rate(n, start);
    sqlite3_finalize(q);
    sqlite3_close(db);
    unlink_store(path);
    tc_free(bytes);
    return result;
}

double bench_limit_verifies(void)
{
    uint8_t key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    uint8_t signature[crypto_sign_BYTES], text[103] = {0};
    size_t n = 0, good = 0;
    if (sodium_init() < 0)
        return 0;
    crypto_sign_keypair(key, secret);
    crypto_sign_detached(signature, NULL, text, sizeof text, secret);
    uint64_t start = tc_clock_ns();
    for (; tc_clock_ns() - start < RUN_NS / 2; n++)
        good += crypto_sign_verify_detached(signature, text, sizeof text, key) == 0;
    return good == n ? rate(n, start) : 0;
}
