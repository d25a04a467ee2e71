/* frozen_site.h - a coordinator at a store that stands still as long as the test wants (site.h).
 *
 * The store is one in memory behind a crash_store. The test puts functions of its own into `ops` before it calls
 * frozen_open; those that are to stand still call frozen_wait. */
#ifndef TEST_FROZEN_SITE_H
#define TEST_FROZEN_SITE_H

#include "support/crash_store.h"
#include "support/site.h"

#include <stdatomic.h>

typedef struct frozen_store {
    crash_store crash;
    pthread_mutex_t still; /* held by the test while it is frozen */
    atomic_bool frozen;
} frozen_store;

typedef struct frozen_site {
    site s;
    frozen_store store;
    tc_store_ops ops;
} frozen_site;

static inline void frozen_open(frozen_site *f)
{
    tacit_error err = {0};
    tc_store *memory;
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&f->store.crash, memory);
    f->store.crash.base.ops = &f->ops;
    pthread_mutex_init(&f->store.still, NULL);
    site_open_at(&f->s, &f->store.crash.base, (tc_server_config){0}, false);
}

static inline void freeze(frozen_site *f)
{
    pthread_mutex_lock(&f->store.still);
    atomic_store(&f->store.frozen, true);
}

static inline void thaw(frozen_site *f)
{
    if (atomic_exchange(&f->store.frozen, false))
        pthread_mutex_unlock(&f->store.still);
}

static inline void frozen_close(frozen_site *f)
{
    thaw(f); /* a test that has failed may have left it so */
    site_end(&f->s);
    crash_fini(&f->store.crash);
    pthread_mutex_destroy(&f->store.still);
}

/* Until the test thaws it. */
static inline void frozen_wait(frozen_store *s)
{
    if (!atomic_load(&s->frozen))
        return;
    pthread_mutex_lock(&s->still);
    pthread_mutex_unlock(&s->still);
}

static inline frozen_store *frozen_of(tc_store *s)
{
    return (frozen_store *)s;
}

static inline tc_store *frozen_disk(tc_store *s)
{
    return frozen_of(s)->crash.disk;
}

#endif
