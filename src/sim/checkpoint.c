/* checkpoint.c - a file that grows by whole lines. See checkpoint.h. */
#include "sim/checkpoint.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MAGIC     "tacit-checkpoint 3 "
#define FAMILY    "tacit-checkpoint "
#define MOST_FILE ((size_t)1 << 40)

enum { HASH_BYTES = 32, SUM_BYTES = 8, WORD_DIGITS = 16, HEAD_WORDS = 2 };
/* "tacit-checkpoint 3 ", the hash, an end of line */
#define HEADER_LEN (sizeof MAGIC - 1 + 2 * HASH_BYTES + 1)

struct tc_checkpoint {
    pthread_mutex_t lock; /* of what follows */
    int fd;
    bool failed; /* an append did: the file may end with half a line */
    char *path;
    char header[HEADER_LEN + 1];
};

static tacit_status fail_io(const char *verb, const char *path, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "cannot %s the checkpoint \"%s\": %s", verb, path,
                   strerror(errno));
}

/* ---- lines ---- */

static void make_header(tc_checkpoint *c, const char *identity)
{
    uint8_t hash[HASH_BYTES];
    size_t n = sizeof MAGIC - 1;
    (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)identity, strlen(identity),
                             NULL, 0);
    memcpy(c->header, MAGIC, n);
    sodium_bin2hex(c->header + n, 2 * HASH_BYTES + 1, hash, sizeof hash);
    c->header[HEADER_LEN - 1] = '\n';
    c->header[HEADER_LEN] = '\0';
}

static void word_text(uint64_t w, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = WORD_DIGITS - 1; i >= 0; i--, w >>= 4)
        out[i] = digits[w & 15];
}

/* One form for every word: other texts of the same number are damage. */
static bool read_word(const char *s, uint64_t *out)
{
    uint64_t w = 0;
    for (int i = 0; i < WORD_DIGITS; i++) {
        char ch = s[i];
        if (!((ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f')))
            return false;
        w = w << 4 | (uint64_t)(ch <= '9' ? ch - '0' : ch - 'a' + 10);
    }
    *out = w;
    return true;
}

static uint64_t checksum(const char *line, size_t len)
{
    uint8_t sum[crypto_generichash_BYTES_MIN];
    uint64_t w = 0;
    (void)crypto_generichash(sum, sizeof sum, (const unsigned char *)line, len, NULL, 0);
    for (int i = 0; i < SUM_BYTES; i++)
        w = w << 8 | sum[i];
    return w;
}

/* RUN COUNT WORDS... CHECKSUM, each with a space after it but the last, which ends the line. */
static size_t line_length(size_t words)
{
    return (HEAD_WORDS + words + 1) * (WORD_DIGITS + 1);
}

static void write_line(uint64_t run, const uint64_t *words, size_t n, char *line)
{
    size_t at = 0, step = WORD_DIGITS + 1;
    uint64_t head[HEAD_WORDS] = {run, n};
    for (size_t i = 0; i < HEAD_WORDS + n; i++, at += step) {
        word_text(i < HEAD_WORDS ? head[i] : words[i - HEAD_WORDS], line + at);
        line[at + WORD_DIGITS] = ' ';
    }
    word_text(checksum(line, at), line + at);
    line[at + WORD_DIGITS] = '\n';
}

/* Reads a line of `len` bytes, its end included, into `words`, which has room for len / 17. */
static bool read_line(const char *line, size_t len, uint64_t *words, size_t *n)
{
    size_t step = WORD_DIGITS + 1, count = len / step;
    uint64_t sum;
    if (len % step != 0 || count < HEAD_WORDS + 1)
        return false;
    size_t last = count - 1;
    for (size_t i = 0; i < last; i++)
        if (!read_word(line + i * step, &words[i]) || line[i * step + WORD_DIGITS] != ' ')
            return false;
    *n = last - HEAD_WORDS;
    return read_word(line + last * step, &sum) && sum == checksum(line, last * step) &&
           words[1] == *n;
}

/* ---- opening ---- */

static tacit_status check_header(const tc_checkpoint *c, const char *text, size_t len,
                                 tacit_error *err)
{
    size_t magic = sizeof MAGIC - 1;
    if (len >= HEADER_LEN && memcmp(text, c->header, HEADER_LEN) == 0)
        return TACIT_OK;
    if (len >= magic && memcmp(text, FAMILY, sizeof FAMILY - 1) == 0 &&
        memcmp(text, MAGIC, magic) != 0)
        return tc_fail(err, TACIT_E_STATE,
                       "the checkpoint \"%s\" is of another version of tacit, and its runs cannot "
                       "be taken over; give another file, or delete it",
                       c->path);
    if (len < magic || memcmp(text, MAGIC, magic) != 0)
        return tc_fail(err, TACIT_E_STATE, "\"%s\" is not a checkpoint of a simulation", c->path);
    if (len < HEADER_LEN || text[HEADER_LEN - 1] != '\n')
        return tc_fail(err, TACIT_E_CORRUPT, "line 1 of the checkpoint \"%s\" is damaged", c->path);
    return tc_fail(
        err, TACIT_E_STATE,
        "\"%s\" is the checkpoint of another simulation: algorithm, options, objective, "
        "agents, rounds or pulls, seed, privacy, trustees, drop, past, acting, value units, warm "
        "and by-agent must be the same",
        c->path);
}

typedef struct reading {
    const tc_checkpoint *c;
    tc_checkpoint_restore restore;
    void *user;
    uint64_t *words; /* room for the longest line */
} reading;

static tacit_status take_line(reading *r, const char *line, size_t len, size_t number,
                              tacit_error *err)
{
    size_t n;
    tacit_error why = {0};
    if (!read_line(line, len, r->words, &n))
        return tc_fail(err, TACIT_E_CORRUPT, "line %zu of the checkpoint \"%s\" is damaged", number,
                       r->c->path);
    tacit_status status = r->restore(r->user, r->words[0], r->words + HEAD_WORDS, n, &why);
    if (status != TACIT_OK)
        return tc_fail(err, status, "line %zu of the checkpoint \"%s\": %.300s", number, r->c->path,
                       why.msg);
    return TACIT_OK;
}

/* All whole lines; *end is where the last of them ends. */
static tacit_status take_lines(reading *r, const char *text, size_t len, size_t *end,
                               tacit_error *err)
{
    size_t at = HEADER_LEN;
    r->words = tc_alloc(len / (WORD_DIGITS + 1) + 1, sizeof *r->words);
    if (!r->words)
        return tc_fail_memory(err);
    for (size_t number = 2;; number++) {
        const char *stop = at < len ? memchr(text + at, '\n', len - at) : NULL;
        if (!stop)
            break;
        size_t size = (size_t)(stop - text) + 1 - at;
        TC_TRY(take_line(r, text + at, size, number, err));
        at += size;
    }
    *end = at;
    return TACIT_OK;
}

static tacit_status append(tc_checkpoint *c, const char *text, size_t len, tacit_error *err)
{
    return tc_file_append(c->fd, text, len) ? TACIT_OK : fail_io("write", c->path, err);
}

/* What was cut off in the middle of a line goes; the next line follows the last whole one. */
static tacit_status cut(tc_checkpoint *c, size_t end, tacit_error *err)
{
    if (ftruncate(c->fd, (off_t)end) != 0 || lseek(c->fd, (off_t)end, SEEK_SET) < 0)
        return fail_io("write", c->path, err);
    return TACIT_OK;
}

static tacit_status resume(tc_checkpoint *c, reading *r, const char *text, size_t len,
                           tacit_error *err)
{
    size_t end;
    if (len < HEADER_LEN && memcmp(text, c->header, len) == 0) {
        TC_TRY(cut(c, 0, err));
        return append(c, c->header, HEADER_LEN, err);
    }
    TC_TRY(check_header(c, text, len, err));
    TC_TRY(take_lines(r, text, len, &end, err));
    return cut(c, end, err);
}

static tacit_status open_file(tc_checkpoint *c, tacit_error *err)
{
    TC_TRY(tc_file_open_regular(c->path, O_RDWR | O_CREAT, &c->fd, err));
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? tc_fail(err, TACIT_E_BUSY, "another process works with the checkpoint \"%s\"",
                             c->path)
                   : fail_io("lock", c->path, err);
    return TACIT_OK;
}

static tacit_status build(tc_checkpoint *c, const char *identity, reading *r, tacit_error *err)
{
    char *text = NULL;
    size_t len;
    make_header(c, identity);
    TC_TRY(open_file(c, err));
    TC_TRY(tc_file_read_open(c->fd, c->path, MOST_FILE, &text, &len, err));
    tacit_status status = resume(c, r, text, len, err);
    tc_free(text);
    if (status == TACIT_OK)
        tc_file_sync_name(c->path); /* whoever made the file may not have come to it */
    return status;
}

tacit_status tc_checkpoint_open(tc_checkpoint **out, const char *path, const char *identity,
                                tc_checkpoint_restore restore, void *user, tacit_error *err)
{
    tc_checkpoint *c = tc_alloc(1, sizeof *c);
    char *copy = tc_strdup(path);
    if (!c || !copy) {
        tc_free(c);
        tc_free(copy);
        return tc_fail_memory(err);
    }
    *c = (tc_checkpoint){.fd = -1, .path = copy};
    pthread_mutex_init(&c->lock, NULL);
    reading r = {.c = c, .restore = restore, .user = user};
    tacit_status status = build(c, identity, &r, err);
    tc_free(r.words);
    if (status != TACIT_OK) {
        tc_checkpoint_close(c);
        return status;
    }
    *out = c;
    return TACIT_OK;
}

/* ---- adding ---- */

static tacit_status add_locked(tc_checkpoint *c, const char *line, size_t len, tacit_error *err)
{
    if (c->failed)
        return tc_fail(err, TACIT_E_IO, "an earlier write to the checkpoint \"%s\" failed",
                       c->path);
    tacit_status status = append(c, line, len, err);
    c->failed = status != TACIT_OK;
    return status;
}

tacit_status tc_checkpoint_add(tc_checkpoint *c, uint64_t run, const uint64_t *words, size_t n,
                               tacit_error *err)
{
    size_t len = line_length(n);
    char *line = tc_alloc(len, 1);
    if (!line)
        return tc_fail_memory(err);
    write_line(run, words, n, line);
    pthread_mutex_lock(&c->lock);
    tacit_status status = add_locked(c, line, len, err);
    pthread_mutex_unlock(&c->lock);
    tc_free(line);
    return status;
}

void tc_checkpoint_close(tc_checkpoint *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    pthread_mutex_destroy(&c->lock);
    tc_free(c->path);
    tc_free(c);
}
