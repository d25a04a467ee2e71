/* memory_search.c - searches the memory of another process for pieces of messages, for memory_live_test.sh.
 *
 *   memory_search PID FILE...   each FILE has one message, in base64
 *
 * A message is looked for in every form in which a coordinator may hold it: as bytes, in base64 as HTTP carries
 * it, and as hexadecimal digits, which PostgreSQL writes for bytes in text. Each form is cut into pieces, and a piece
 * counts as found wherever it stands in memory that the process can write: heap, stacks, buffers.
 *
 * Prints one line for each FILE, "FILE bytes N base64 N hex N of N": pieces found in each form, and how many there are. Where
 * TACIT_SEARCH_MAP is set, it also says on standard error where each piece was found. Exit status 1: the memory cannot be read. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "wire/base64.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 24,
    KINDS_LEAST = 8, /* different bytes in a piece: fewer are met by chance */
    MESSAGE_MOST = 1 << 24,
    SLOTS = 1 << 18,
    BLOCK = 1 << 22
};
#define REGION_MOST (UINT64_C(1) << 28) /* larger ones are shadow memory of sanitizers */

typedef enum form { BYTES, BASE64, HEX, FORMS } form;

typedef struct piece {
    uint8_t bytes[PIECE];
    int file;
    form form;
    bool found;
} piece;

typedef struct search {
    piece *pieces;
    size_t n, cap;
    uint32_t *slots; /* by the first eight bytes: 1 + an index into pieces; 0 is empty */
    uint8_t *block;
    bool map;
} search;

/* ---- what is looked for ---- */

static size_t slot_of(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (size_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 46);
}

static bool is_telling(const uint8_t *at)
{
    bool seen[256] = {false};
    int kinds = 0;
    for (int i = 0; i < PIECE; i++) {
        kinds += !seen[at[i]];
        seen[at[i]] = true;
    }
    return kinds >= KINDS_LEAST;
}

static tacit_status cut(search *s, int file, form how, const void *what, size_t n, tacit_error *err)
{
    const uint8_t *at = what;
    for (size_t i = 0; i + PIECE <= n; i += PIECE) {
        if (!is_telling(at + i))
            continue;
        if (s->n >= SLOTS / 2)
            return tc_fail(err, TACIT_E_ARG, "the messages have more than %d pieces", SLOTS / 2);
        if (!tc_grow((void **)&s->pieces, &s->cap, s->n + 1, sizeof *s->pieces))
            return tc_fail_memory(err);
        s->pieces[s->n] = (piece){.file = file, .form = how};
        memcpy(s->pieces[s->n].bytes, at + i, PIECE);
        size_t slot = slot_of(at + i);
        while (s->slots[slot])
            slot = (slot + 1) % SLOTS;
        s->slots[slot] = (uint32_t)++s->n;
    }
    return TACIT_OK;
}

static tacit_status add_message(search *s, int file, char *text, tacit_error *err)
{
    uint8_t *bytes;
    size_t n;
    tc_text hex = {0};
    text[strcspn(text, "\r\n")] = '\0';
    TC_TRY(tc_base64_bytes(text, "the message", MESSAGE_MOST, &bytes, &n, err));
    for (size_t i = 0; i < n; i++)
        tc_text_addf(&hex, "%02x", bytes[i]);
    tacit_status status = hex.failed ? tc_fail_memory(err) : cut(s, file, BYTES, bytes, n, err);
    if (status == TACIT_OK)
        status = cut(s, file, BASE64, text, strlen(text), err);
    if (status == TACIT_OK)
        status = cut(s, file, HEX, tc_text_get(&hex), hex.len, err);
    tc_text_fini(&hex);
    tc_free(bytes);
    return status;
}

static tacit_status add_file(search *s, int file, const char *path, tacit_error *err)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!f)
        return tc_fail(err, TACIT_E_IO, "%s cannot be read: %s", path, strerror(errno));
    ssize_t n = getline(&text, &room, f);
    fclose(f);
    tacit_status status = n > 0 ? add_message(s, file, text, err)
                                : tc_fail(err, TACIT_E_ARG, "%s has no message", path);
    free(text);
    return status;
}

/* ---- where ---- */

static void look_at(search *s, const uint8_t *at, uint64_t address, const char *region)
{
    for (size_t slot = slot_of(at); s->slots[slot]; slot = (slot + 1) % SLOTS) {
        piece *p = &s->pieces[s->slots[slot] - 1];
        if (memcmp(p->bytes, at, PIECE) != 0)
            continue;
        p->found = true;
        if (s->map)
            fprintf(stderr, "piece %zu, file %d, form %d at %" PRIx64 " in %s",
                    (size_t)(p - s->pieces), p->file - 1, (int)p->form, address, region);
    }
}

/* Pages that are gone by the time they are read have nothing in them. */
static void search_region(search *s, int memory, uint64_t from, uint64_t to, const char *region)
{
    for (uint64_t at = from; at + PIECE <= to; at += BLOCK - PIECE) {
        size_t want = to - at < BLOCK ? (size_t)(to - at) : BLOCK;
        ssize_t got = pread(memory, s->block, want, (off_t)at);
        for (ssize_t i = 0; i + PIECE <= got; i++)
            look_at(s, s->block + i, at + (uint64_t)i, region);
    }
}

static tacit_status search_process(search *s, uint64_t pid, tacit_error *err)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/mem", pid);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/maps", pid);
    FILE *maps = memory >= 0 ? fopen(path, "r") : NULL;
    if (!maps) {
        tacit_status status =
            tc_fail(err, TACIT_E_IO, "the memory of process %" PRIu64 " cannot be read: %s", pid,
                    strerror(errno));
        if (memory >= 0)
            close(memory);
        return status;
    }
    while (fgets(line, sizeof line, maps)) {
        uint64_t from, to;
        char mode[8];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, mode) == 3 &&
            strncmp(mode, "rw", 2) == 0 && !strstr(line, "[v") && to - from <= REGION_MOST)
            search_region(s, memory, from, to, line);
    }
    fclose(maps);
    close(memory);
    return TACIT_OK;
}

/* ---- */

static void print_file(const search *s, int file, const char *path)
{
    size_t found[FORMS] = {0}, all = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->pieces[i].file == file) {
            all++;
            found[s->pieces[i].form] += s->pieces[i].found;
        }
    printf("%s bytes %zu base64 %zu hex %zu of %zu\n", path, found[BYTES], found[BASE64],
           found[HEX], all);
}

static tacit_status run(int argc, char **argv, search *s, tacit_error *err)
{
    unsigned long long pid;
    if (argc < 3 || !tc_parse_u64(argv[1], &pid))
        return tc_fail(err, TACIT_E_ARG, "usage: memory_search PID FILE...");
    s->slots = tc_alloc(SLOTS, sizeof *s->slots);
    s->block = tc_alloc(BLOCK, 1);
    if (!s->slots || !s->block)
        return tc_fail_memory(err);
    for (int i = 2; i < argc; i++)
        TC_TRY(add_file(s, i, argv[i], err));
    TC_TRY(search_process(s, pid, err));
    for (int i = 2; i < argc; i++)
        print_file(s, i, argv[i]);
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    search s = {.map = getenv("TACIT_SEARCH_MAP") != NULL};
    tacit_error err = {0};
    tacit_status status = run(argc, argv, &s, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "memory_search: %s\n", err.msg);
    tc_free(s.pieces);
    tc_free(s.slots);
    tc_free(s.block);
    return status == TACIT_OK ? 0 : 1;
}
