/* shared_memory_test.c - is an agent's vector ever in the memory of a coordinator, or in its files?
 *
 * The coordinator is a process of its own here. Vectors are drawn after it was started, by the process that plays agents and trustees,
 * so it can only have of them what it is sent. While it has everything of a round (uploads, noise, the set, the answers), and
 * after the round, its whole memory is read from outside, stack, heap and what its store has buffered, and so are its files; both are
 * searched for the numbers of each vector as they may be written: whole numbers, residues, doubles, text.
 *
 * The controls: the uploads themselves are found in both, and without trustees the vectors are, during the round. Afterwards files have
 * nothing. Memory may: a text that was parsed is freed and not wiped, so what is found there then is printed and promised by nobody. With
 * trustees that is a box, whose key is gone. Search finds what is there as it is; what could be computed from it is for
 * shared_secrecy_test.c, which guesses. */
#include "support/shared_world.h"
#include "support/store_folder.h"

#include "base/bytes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 8, SEARCHED = 3, FORMS = 6, NEEDLE = 48, BLOCK = 1 << 20, NOTHING = -1 };

static const tc_trustees four = {4, 2, 1, 3};

/* ---- the process of the coordinator ---- */

static void write_all(int fd, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        const ssize_t done = write(fd, at, n);
        if (done <= 0)
            _exit(1);
        at += done;
        n -= (size_t)done;
    }
}

static bool read_all(int fd, void *bytes, size_t n)
{
    for (char *at = bytes; n > 0;) {
        const ssize_t done = read(fd, at, n);
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

/* A length, NOTHING for NULL, and the bytes. */
static void put(int fd, const void *bytes, size_t n)
{
    const int64_t size = bytes ? (int64_t)n : NOTHING;
    write_all(fd, &size, sizeof size);
    if (bytes)
        write_all(fd, bytes, n);
}

static void put_text(int fd, const char *text)
{
    put(fd, text, text ? strlen(text) : 0);
}

/* For tc_free, with a zero byte after it. False: the other side is gone. */
static bool take(int fd, char **out, size_t *n)
{
    int64_t size;
    *out = NULL;
    *n = 0;
    if (!read_all(fd, &size, sizeof size))
        return false;
    if (size == NOTHING)
        return true;
    *n = (size_t)size;
    *out = tc_alloc(*n + 1, 1);
    return *out && read_all(fd, *out, *n);
}

typedef struct office { /* in the coordinator's process */
    tc_store *store;
    coord_world w;
} office;

enum { METHOD, PATH, QUERY, BEARER, SIGNATURE, BODY, PARTS };

/* One request, or without a method a tick. What is read here is wiped, so that what is found is the coordinator's. */
static bool serve_one(office *o, int fd)
{
    char *part[PARTS] = {NULL};
    size_t n[PARTS];
    tacit_error err = {0};
    tc_response r = {0};
    int64_t next;
    for (int i = 0; i < PARTS; i++)
        if (!take(fd, &part[i], &n[i]))
            return false;
    const tc_request q = {.method = part[METHOD],
                          .path = part[PATH],
                          .query = part[QUERY],
                          .bearer = part[BEARER],
                          .signature = part[SIGNATURE],
                          .body = part[BODY],
                          .n_body = n[BODY]};
    if (part[METHOD])
        tc_coord_handle(o->w.coord, &q, &r);
    else
        r.status = tc_coord_tick(o->w.coord, &next, &err) == TACIT_OK ? 200 : 500;
    write_all(fd, &r.status, sizeof r.status);
    put(fd, tc_text_get(&r.body), r.body.len);
    tc_response_fini(&r);
    for (int i = 0; i < PARTS; i++) {
        if (part[i])
            explicit_bzero(part[i], n[i]);
        tc_free(part[i]);
    }
    return true;
}

static void live(int fd)
{
    static office o;
    tacit_error err = {0};
    if (tc_store_open(&o.store, url, true, &err) != TACIT_OK)
        _exit(1);
    o.w = (coord_world){.now_ms = TRUST_START_MS, .secret = true};
    world_open(&o.w, o.store, TRUST_SEED);
    put_text(fd, o.w.operator_token);
    while (serve_one(&o, fd))
        ;
    world_close(&o.w);
    _exit(0);
}

/* ---- this process: agents, trustees, and who searches ---- */

typedef struct scene {
    trust_world t;
    int fd;
    pid_t child;
    int64_t v[TRUST_AGENTS][WIDTH];
    uint8_t needle[TRUST_AGENTS][FORMS][NEEDLE]; /* of the first numbers of each vector */
    size_t size[FORMS];
    bool deals;
    uint8_t upload[TRUST_AGENTS][NEEDLE]; /* some bytes of a box, where it deals */
} scene;

static void ask_child(void *server, const tc_request *q, tc_response *r)
{
    const int fd = ((scene *)server)->fd;
    char *body;
    size_t n;
    put_text(fd, q->method);
    put_text(fd, q->path);
    put_text(fd, q->query);
    put_text(fd, q->bearer);
    put_text(fd, q->signature);
    put(fd, q->body, q->n_body);
    assert_true(read_all(fd, &r->status, sizeof r->status));
    assert_true(take(fd, &body, &n));
    tc_text_add_bytes(&r->body, body, n);
    tc_free(body);
    r->content_type = r->status < 400 ? "application/json" : "application/problem+json";
}

static void tick(scene *s)
{
    tc_response r = {0};
    ask_child(s, &(tc_request){.method = NULL}, &r);
    assert_int_equal(r.status, 200);
    tc_response_fini(&r);
}

static void begin(scene *s)
{
    int pair[2];
    char *token;
    size_t n;
    tacit_error err = {0};
    *s = (scene){.t = {.w = {.now_ms = TRUST_START_MS, .secret = true}}};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    s->child = fork();
    assert_true(s->child >= 0);
    if (s->child == 0) {
        close(pair[0]);
        live(pair[1]);
    }
    close(pair[1]);
    s->fd = pair[0];
    assert_true(take(s->fd, &token, &n));
    snprintf(s->t.w.operator_token, sizeof s->t.w.operator_token, "%s", token);
    tc_free(token);
    s->t.w.serve = ask_child;
    s->t.w.server = s;
    assert_ok(tc_store_open(&s->t.w.store, url, false, &err));
}

static void end(scene *s)
{
    int status;
    tc_study_plan_free(s->t.plan);
    tc_store_close(s->t.w.store);
    close(s->fd);
    assert_int_equal(waitpid(s->child, &status, 0), s->child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- vectors ---- */

static void add_form(scene *s, size_t agent, size_t form, const uint8_t *bytes, size_t n)
{
    memcpy(s->needle[agent][form], bytes, n);
    s->size[form] = n;
}

static void note_forms(scene *s, size_t agent)
{
    uint8_t whole[8 * WIDTH], residue[8 * SEARCHED], real[8 * SEARCHED];
    for (size_t j = 0; j < WIDTH; j++)
        tc_put_le(whole + 8 * j, (uint64_t)s->v[agent][j], 8);
    for (size_t j = 0; j < SEARCHED; j++) {
        const int64_t x = s->v[agent][j];
        const double d = (double)x;
        tc_put_le(residue + 8 * j, x < 0 ? TC_FIELD_P - (uint64_t)-x : (uint64_t)x, 8);
        memcpy(real + 8 * j, &d, 8);
    }
    add_form(s, agent, 0, whole, 8 * SEARCHED);
    add_form(s, agent, 1, residue, sizeof residue);
    add_form(s, agent, 2, real, sizeof real);
    for (size_t i = 0; i < 3; i++) { /* within a longer text, one of the three */
        tc_text t = {0};
        tc_base64_add(&t, whole + i, 24);
        add_form(s, agent, 3 + i, (const uint8_t *)tc_text_get(&t), t.len);
        tc_text_fini(&t);
    }
}

/* Numbers up to `most`, either sign: with three of them nothing is found by chance. */
static void draw_vectors(scene *s, uint32_t most)
{
    for (size_t i = 0; i < TRUST_AGENTS; i++) {
        for (size_t j = 0; j < WIDTH; j++)
            s->v[i][j] = (int64_t)randombytes_uniform(2 * most) - most;
        note_forms(s, i);
    }
}

/* ---- searching ---- */

typedef struct found {
    size_t vectors, uploads; /* of how many agents */
} found;

typedef struct seen {
    bool vector[TRUST_AGENTS], upload[TRUST_AGENTS];
} seen;

static void search(const scene *s, const uint8_t *bytes, size_t n, seen *out)
{
    for (size_t i = 0; i < TRUST_AGENTS; i++) {
        for (size_t f = 0; f < FORMS; f++)
            out->vector[i] |= memmem(bytes, n, s->needle[i][f], s->size[f]) != NULL;
        out->upload[i] |= s->deals && memmem(bytes, n, s->upload[i], NEEDLE) != NULL;
    }
}

static found count(const seen *s)
{
    found f = {0};
    for (size_t i = 0; i < TRUST_AGENTS; i++) {
        f.vectors += s->vector[i];
        f.uploads += s->upload[i];
    }
    return f;
}

/* Overlapping blocks of it, from `from` to `to`. */
static size_t search_range(const scene *s, int fd, uint64_t from, uint64_t to, seen *out)
{
    static uint8_t block[BLOCK];
    size_t all = 0;
    for (uint64_t at = from; at < to; at += BLOCK - NEEDLE) {
        const size_t want = to - at < BLOCK ? (size_t)(to - at) : BLOCK;
        const ssize_t n = pread(fd, block, want, (off_t)at);
        if (n <= 0) /* pages that are not there */
            continue;
        search(s, block, (size_t)n, out);
        all += (size_t)n;
    }
    explicit_bzero(block, sizeof block);
    return all;
}

/* What is larger than this is reserved and not used: sanitizers do that. */
#define REGION_MOST (UINT64_C(1) << 30)

/* Everything that the process can write; *n: how many bytes those were. */
static found in_memory(const scene *s, size_t *n)
{
    char path[64], line[512];
    seen out = {.vector = {false}};
    *n = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)s->child);
    const int fd = open(path, O_RDONLY);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)s->child);
    FILE *maps = fopen(path, "r");
    if (fd < 0 || !maps) {
        print_message("the memory of another process cannot be read here: not searched\n");
        skip();
    }
    while (fgets(line, sizeof line, maps)) {
        uint64_t from, to;
        char mode[8];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, mode) == 3 && mode[1] == 'w' &&
            to - from < REGION_MOST)
            *n += search_range(s, fd, from, to, &out);
    }
    fclose(maps);
    close(fd);
    return count(&out);
}

static found in_files(const scene *s)
{
    seen out = {.vector = {false}};
    struct dirent *e;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while ((e = readdir(d))) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        const int fd = e->d_type == DT_REG ? open(path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        search_range(s, fd, 0, (uint64_t)lseek(fd, 0, SEEK_END), &out);
        close(fd);
    }
    closedir(d);
    return count(&out);
}

static void look(const scene *s, const char *when, found *memory, found *files)
{
    size_t n;
    *memory = in_memory(s, &n);
    *files = in_files(s);
    print_message(
        "%s: of %d vectors %zu in memory, %zu in files; of the uploads %zu and %zu; %zu kB "
        "of memory read\n",
        when, TRUST_AGENTS, memory->vectors, files->vectors, memory->uploads, files->uploads,
        n / 1024);
    assert_true(n > 1 << 20);
}

/* ---- with trustees, and without ---- */

static void send_dealing(scene *s, uint64_t agent)
{
    size_t n;
    int64_t *v = trust_numbers(WIDTH);
    memcpy(v, s->v[agent], sizeof s->v[agent]);
    uint8_t *upload = trust_deal(&s->t, 0, TC_DEALER_AGENT, agent, v, &n);
    s->deals = true;
    memcpy(s->upload[agent], upload + TC_DEALING_HEAD + 5, NEEDLE);
    assert_int_equal(world_post_bytes(&s->t.w, &s->t.w.agents[agent], 0, 1, upload, n, NULL), 202);
    tc_free(upload);
}

static void with_trustees_no_vector_is_ever_there(void **state)
{
    static scene s;
    found memory, files;
    (void)state;
    begin(&s);
    trust_create(&s.t, "s", four, 60);
    trust_enrol_all(&s.t);
    draw_vectors(&s, (uint32_t)((double)trust_plan(&s.t, 0).clip / sqrt(WIDTH)));
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        send_dealing(&s, i);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(trust_deal_noise(&s.t, k, 0, NULL), 202);
    tick(&s);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(trust_do_answer(&s.t, k, 0, NULL), 202);
    look(&s, "with trustees, during the round", &memory, &files);
    assert_int_equal(memory.vectors + files.vectors, 0);
    assert_true(memory.uploads > 0);
    assert_int_equal(files.uploads, TRUST_AGENTS);
    tick(&s);
    assert_int_equal(world_broadcast(&s.t.w, s.t.w.agents[0].access, 0, NULL, NULL), 200);
    look(&s, "with trustees, after it", &memory, &files);
    assert_int_equal(memory.vectors + files.vectors, 0);
    assert_int_equal(files.uploads, 0);
    end(&s);
}

static void send_plain(scene *s, uint64_t agent, const uint8_t head[16])
{
    uint8_t message[16 + 8 * WIDTH];
    memcpy(message, head, 16);
    for (size_t j = 0; j < WIDTH; j++)
        tc_put_le(message + 16 + 8 * j, (uint64_t)s->v[agent][j], 8);
    assert_int_equal(
        world_post_bytes(&s->t.w, &s->t.w.agents[agent], 0, 1, message, sizeof message, NULL), 202);
}

/* The control. */
static void without_them_all_are_there_during_the_round(void **state)
{
    static scene s;
    found memory, files;
    uint8_t head[16];
    (void)state;
    begin(&s);
    world_create(&s.t.w, "s", study_document);
    world_enrol_all(&s.t.w, TRUST_AGENTS);
    tc_text message = study_message(&s.t.w, 0, 0);
    memcpy(head, tc_text_get(&message), sizeof head);
    tc_text_fini(&message);
    draw_vectors(&s, 1 << 20);
    for (uint64_t i = 0; i < TRUST_AGENTS; i++)
        send_plain(&s, i, head);
    look(&s, "without, during the round", &memory, &files);
    assert_int_equal(memory.vectors, TRUST_AGENTS);
    assert_int_equal(files.vectors, TRUST_AGENTS);
    tick(&s);
    assert_int_equal(world_broadcast(&s.t.w, s.t.w.agents[0].access, 0, NULL, NULL), 200);
    look(&s, "without, after it", &memory, &files);
    assert_int_equal(files.vectors, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(with_trustees_no_vector_is_ever_there, clear_folder),
        cmocka_unit_test_setup(without_them_all_are_there_during_the_round, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
