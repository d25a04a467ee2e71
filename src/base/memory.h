/* memory.h - the only allocator of the library, and the arena.
 *
 * All of tacit's memory passes through tc_alloc and tc_resize, so that a
 * torture build can make the n-th allocation fail (TACIT_FAIL_ALLOC=n). An
 * arena belongs to one object and is freed with it: take twenty arrays, then
 * test `failed` once. */
#ifndef TC_BASE_MEMORY_H
#define TC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *tc_alloc(size_t count, size_t size);           /* zeroed; NULL on overflow or exhaustion */
void *tc_resize(void *p, size_t count, size_t size); /* like reallocarray; new bytes undefined */
void tc_free(void *p);                               /* NULL is allowed */
/* From now on, what is freed or moved is overwritten first: in processes that hold secrets (guard.h). */
void tc_memory_wipe(bool on);
bool tc_memory_wipes(void);
char *tc_strdup(const char *s); /* end with tc_free */
char *tc_strndup(const char *s, size_t n);

/* Grows *p to hold `need` elements (amortised doubling); *cap is updated.
 * False leaves both untouched. */
bool tc_grow(void **p, size_t *cap, size_t need, size_t size);

typedef struct tc_arena {
    struct tc_chunk *chunks;
    bool failed; /* sticky: some take since init returned NULL */
} tc_arena;

/* An all-zero tc_arena is empty and valid. */
void *tc_arena_take(tc_arena *a, size_t count, size_t size); /* zeroed, 64-byte aligned */
char *tc_arena_strdup(tc_arena *a, const char *s);
void tc_arena_fini(tc_arena *a);

#define TC_TAKE(arena, count, type) ((type *)tc_arena_take((arena), (count), sizeof(type)))

#endif
