/* sqlite_wipe.c - SQLite's memory in a process that overwrites what it frees (tc_memory_wipe).
 *
 * SQLite copies what passes through it: records that are put together, pages. Its own allocator is wrapped, so that
 * freed blocks are overwritten; its small fixed blocks, which bypass the allocator, are switched off.
 * That is for the whole process and possible before the first use of SQLite only. Called by sqlite_open.c. */
#include "study/sqlite_int.h"

#include "base/memory.h"

#include <string.h>

static sqlite3_mem_methods plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void wipe_and_free(void *p)
{
    if (p)
        explicit_bzero(p, (size_t)plain.xSize(p));
    plain.xFree(p);
}

static void *move(void *p, int size)
{
    void *q = plain.xMalloc(size);
    int had = plain.xSize(p);
    if (!q)
        return NULL;
    memcpy(q, p, (size_t)(had < size ? had : size));
    wipe_and_free(p);
    return q;
}

static void wrap(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK || !plain.xMalloc)
        return;
    sqlite3_mem_methods wiping = plain;
    wiping.xFree = wipe_and_free;
    wiping.xRealloc = move;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &wiping);
    (void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

void tc_sqlite_wipe(void)
{
    if (tc_memory_wipes())
        pthread_once(&once, wrap);
}
