/* pool.h - a fixed set of threads for independent pieces of work.
 *
 * tc_pool_for runs body(ctx, i) for i in 0..n-1, each exactly once, in any
 * order. A body writes only what belongs to its i; sums over i are made by the
 * caller afterwards, in index order. Then results cannot depend on the number
 * of threads. A NULL pool runs the loop in the calling thread. Calls from
 * inside a body run serially. */
#ifndef TC_BASE_POOL_H
#define TC_BASE_POOL_H

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_pool tc_pool;

tacit_status tc_pool_new(tc_pool **out, size_t threads, tacit_error *err); /* 0: one per core */
void tc_pool_free(tc_pool *p);
size_t tc_pool_threads(const tc_pool *p); /* 1 for NULL */
void tc_pool_for(tc_pool *p, size_t n, void (*body)(void *ctx, size_t i), void *ctx);

#endif
