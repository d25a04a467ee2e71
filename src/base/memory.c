/* memory.c - the only caller of the C library's allocator.
 *
 * In a torture build (TACIT_TORTURE) the environment steers it:
 *   TACIT_FAIL_ALLOC=n           the n-th allocation of the process fails, no other
 *   TACIT_ALLOC_COUNT_FILE=path  at exit the number of allocations is written there
 * so a script can count the allocations of a run, then fail each of them once. */
#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef TACIT_TORTURE
#include <stdio.h>

static atomic_ullong allocations;
static unsigned long long failing; /* 0: none */

static void write_count(void)
{
    FILE *f = fopen(getenv("TACIT_ALLOC_COUNT_FILE"), "w");
    if (f == NULL)
        return;
    fprintf(f, "%llu\n", atomic_load(&allocations));
    fclose(f);
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *n = getenv("TACIT_FAIL_ALLOC");
    failing = n == NULL ? 0 : strtoull(n, NULL, 10);
    if (getenv("TACIT_ALLOC_COUNT_FILE") != NULL)
        atexit(write_count);
}

static bool must_fail(void)
{
    return atomic_fetch_add(&allocations, 1) + 1 == failing;
}
#else
static bool must_fail(void)
{
    return false;
}
#endif

/* No object is larger than a difference of pointers can say. */
static bool possible(size_t count, size_t size)
{
    size_t bytes;
    return !__builtin_mul_overflow(count, size, &bytes) && bytes <= PTRDIFF_MAX;
}

void *tc_alloc(size_t count, size_t size)
{
    if (must_fail() || !possible(count, size))
        return NULL;
    if (count == 0 || size == 0)
        return calloc(1, 1); /* NULL always means failure */
    return calloc(count, size);
}

static atomic_bool wiping;

void tc_memory_wipe(bool on)
{
    atomic_store(&wiping, on);
}

bool tc_memory_wipes(void)
{
    return atomic_load_explicit(&wiping, memory_order_relaxed);
}

/* As realloc, which may leave the old bytes behind. */
static void *move(void *p, size_t bytes)
{
    size_t had = malloc_usable_size(p);
    void *q = malloc(bytes);
    if (!q)
        return NULL;
    memcpy(q, p, had < bytes ? had : bytes);
    tc_free(p);
    return q;
}

void *tc_resize(void *p, size_t count, size_t size)
{
    if (must_fail() || !possible(count, size))
        return NULL;
    size_t bytes = count * size == 0 ? 1 : count * size; /* realloc(p, 0) would end p */
    return tc_memory_wipes() && p ? move(p, bytes) : realloc(p, bytes);
}

void tc_free(void *p)
{
    if (p && tc_memory_wipes())
        explicit_bzero(p, malloc_usable_size(p));
    free(p);
}

static char *copy_text(const char *s, size_t len)
{
    char *copy = tc_alloc(len + 1, 1);
    if (copy != NULL)
        memcpy(copy, s, len);
    return copy;
}

char *tc_strdup(const char *s)
{
    return copy_text(s, strlen(s));
}

char *tc_strndup(const char *s, size_t n)
{
    return copy_text(s, strnlen(s, n));
}

bool tc_grow(void **p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    size_t grown = *cap < 8 ? 8 : *cap <= SIZE_MAX / 2 ? *cap * 2 : need;
    if (grown < need)
        grown = need;
    /* The pointer behind p is seldom really a void *: it is copied as bytes. */
    void *block;
    memcpy(&block, p, sizeof block);
    block = tc_resize(block, grown, size);
    if (block == NULL)
        return false;
    memcpy(p, &block, sizeof block);
    *cap = grown;
    return true;
}
