/* arena.c - many arrays with one owner, in chunks.
 *
 * Every array starts on a cache line, which is also what vector loads want.
 * Chunks double from 4 KiB to 1 MiB; an array too large for the next chunk
 * gets one of its own, placed behind the head so that the head stays in use. */
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { LINE = 64, FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

typedef struct tc_chunk {
    struct tc_chunk *next;
    char *free;  /* on a line */
    size_t left; /* bytes from free on, a multiple of LINE */
    size_t size; /* left at birth */
} tc_chunk;

static tc_chunk *chunk_new(size_t size)
{
    const size_t overhead = sizeof(tc_chunk) + LINE;
    if (size > SIZE_MAX - overhead)
        return NULL;
    tc_chunk *c = tc_alloc(1, overhead + size);
    if (c == NULL)
        return NULL;
    char *start = (char *)(c + 1);
    c->free = start + (LINE - (uintptr_t)start % LINE) % LINE;
    c->left = size;
    c->size = size;
    return c;
}

static size_t next_chunk_size(const tc_arena *a)
{
    if (a->chunks == NULL)
        return FIRST_CHUNK;
    return a->chunks->size < LARGEST_CHUNK / 2 ? a->chunks->size * 2 : LARGEST_CHUNK;
}

/* A chunk with room for `bytes`, or NULL. */
static tc_chunk *chunk_for(tc_arena *a, size_t bytes)
{
    if (a->chunks != NULL && bytes <= a->chunks->left)
        return a->chunks;
    size_t usual = next_chunk_size(a);
    tc_chunk *c = chunk_new(bytes > usual ? bytes : usual);
    if (c == NULL)
        return NULL;
    tc_chunk **place = bytes > usual && a->chunks != NULL ? &a->chunks->next : &a->chunks;
    c->next = *place;
    *place = c;
    return c;
}

void *tc_arena_take(tc_arena *a, size_t count, size_t size)
{
    size_t bytes = 0;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - LINE;
    bytes = bytes == 0 ? LINE : (bytes + LINE - 1) / LINE * LINE;
    tc_chunk *c = fits ? chunk_for(a, bytes) : NULL;
    if (c == NULL) {
        a->failed = true;
        return NULL;
    }
    void *p = c->free;
    c->free += bytes;
    c->left -= bytes;
    return p;
}

char *tc_arena_strdup(tc_arena *a, const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = tc_arena_take(a, size, 1);
    if (copy != NULL)
        memcpy(copy, s, size);
    return copy;
}

void tc_arena_fini(tc_arena *a)
{
    for (tc_chunk *c = a->chunks, *next; c != NULL; c = next) {
        next = c->next;
        tc_free(c);
    }
    *a = (tc_arena){0};
}
