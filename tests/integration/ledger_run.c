/* ledger_run.c - ten rounds of a federated study as far as its ledger is concerned: each round
 * releases a noisy vector and sends it. For ledger_kill_test.sh, which ends it in between.
 *
 *   ledger_run run STORE OUTBOX     goes on where an earlier one was ended
 *   ledger_run leave STORE OUTBOX   the same, and at the end dies without closing anything
 *   ledger_run check STORE OUTBOX   is everything complete, and did nothing leave unpaid?
 *   ledger_run open STORE OUTBOX    is the ledger whole, and does it extend what was sent?
 *
 * STORE is a file, or a storage URL. The outbox stands for the network: a line of it, or a part of a
 * line, has left. A line is the round, the number of entries of the ledger, its head and the bytes of
 * the release. Noise comes from the operating system, so that a release that is made twice is not
 * the same twice. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "privacy/ledger.h"
#include "privacy/mechanism.h"
#include "study/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10, WIDTH = 40 };

/* Ten rounds fit, eleven do not: 2.616 and 2.762 are spent then. */
static const double multiplier = 5, delta = 1e-5, epsilon = 2.7;

typedef struct run {
    tc_store *store;
    tc_ledger *ledger;
    const char *outbox;
    char *sent; /* the outbox as it was at the start */
    size_t sent_size;
} run;

/* ---- what was sent */

static void add_hex(tc_text *t, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tc_text_addf(t, "%02x", bytes[i]);
}

static void add_line(tc_text *t, uint64_t round, const tc_ledger_receipt *r)
{
    tc_text_addf(t, "%" PRIu64 " %" PRIu64 " ", round, r->head.seq);
    add_hex(t, r->head.hash.bytes, sizeof r->head.hash.bytes);
    tc_text_add(t, " ");
    add_hex(t, r->bytes, r->size);
    tc_text_add(t, "\n");
}

static tacit_status read_outbox(run *r, tacit_error *err)
{
    tacit_error none;
    tacit_status status = tc_file_read(r->outbox, 1 << 24, &r->sent, &r->sent_size, &none);
    if (status == TACIT_OK)
        return TACIT_OK;
    if (status != TACIT_E_NOT_FOUND)
        return tc_fail(err, status, "%s", none.msg);
    r->sent = tc_strdup("");
    return r->sent ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status send_text(const run *r, const char *text, size_t n, tacit_error *err)
{
    int fd = open(r->outbox, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return tc_fail(err, TACIT_E_IO, "%s: %s", r->outbox, strerror(errno));
    bool ok = write(fd, text, n) == (ssize_t)n && fsync(fd) == 0;
    close(fd);
    return ok ? TACIT_OK : tc_fail(err, TACIT_E_IO, "%s: %s", r->outbox, strerror(errno));
}

/* Was the whole line of this round sent? */
static bool is_sent(const run *r, const char *line)
{
    size_t n = strlen(line);
    for (const char *at = r->sent; (at = strstr(at, line)) != NULL; at += n)
        if (at == r->sent || at[-1] == '\n')
            return true;
    return false;
}

/* ---- a round */

static tacit_status draw(tc_release **out, uint64_t round, tacit_error *err)
{
    tc_sum_plan p = {.agents = 3, .blocks = 1, .width = WIDTH};
    TC_TRY(tc_sum_plan_set(&p, 1, multiplier, 1, err));
    tc_noise noise;
    tc_sum *s = NULL;
    int64_t v[WIDTH];
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    tacit_status status = tc_sum_open(&s, &p, &e, err);
    for (size_t agent = 0; status == TACIT_OK && agent < 3; agent++) {
        for (size_t i = 0; i < WIDTH; i++)
            v[i] = (int64_t)(round * 1000 + 10 * agent + i);
        status = tc_sum_fold(s, agent, v, err);
    }
    if (status == TACIT_OK)
        status = tc_sum_close(s, out, err);
    tc_sum_free(s);
    tc_noise_fini(&noise);
    return status;
}

static tacit_status release_round(run *r, uint64_t round, tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_charge c = {tc_ledger_study_hash("{\"name\": \"killed\"}"), round, NULL};
    tc_ledger_budget b = {epsilon, delta, &tc_accountant_gaussian};
    tacit_error none;
    tacit_status status = tc_ledger_find(r->ledger, &c.study, round, out, &none);
    if (status != TACIT_E_NOT_FOUND)
        return status == TACIT_OK ? status : tc_fail(err, status, "%s", none.msg);
    tc_release *release = NULL;
    TC_TRY(draw(&release, round, err));
    status = tc_ledger_release(r->ledger, &b, &c, release, out, err);
    tc_release_free(release);
    return status;
}

static tacit_status do_round(run *r, uint64_t round, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    TC_TRY(release_round(r, round, &receipt, err));
    tc_text line = {0};
    add_line(&line, round, &receipt);
    tc_ledger_receipt_fini(&receipt);
    tacit_status status = line.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && !is_sent(r, tc_text_get(&line)))
        status = send_text(r, tc_text_get(&line), line.len, err);
    tc_text_fini(&line);
    return status;
}

static tacit_status run_rounds(run *r, tacit_error *err)
{
    if (r->sent_size > 0 && r->sent[r->sent_size - 1] != '\n')
        TC_TRY(send_text(r, "\n", 1, err)); /* what has left has left */
    for (uint64_t round = 1; round <= ROUNDS; round++)
        TC_TRY(do_round(r, round, err));
    tc_ledger_receipt none;
    tacit_error why;
    if (release_round(r, ROUNDS + 1, &none, &why) != TACIT_E_BUDGET)
        return tc_fail(err, TACIT_E_INTERNAL, "the budget did not end the run: %s", why.msg);
    return TACIT_OK;
}

/* ---- checks */

/* The head of the last whole line. */
static tacit_status check_seen_heads(const run *r, tacit_error *err)
{
    for (const char *line = r->sent; *line;) {
        tacit_head seen;
        uint64_t round;
        char hex[65];
        const char *end = strchr(line, '\n');
        if (!end)
            break;
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " %64[0-9a-f] ", &round, &seen.seq, hex) == 3 &&
            strlen(hex) == 64 && end - line > 600) {
            for (size_t i = 0; i < sizeof seen.hash.bytes; i++)
                sscanf(hex + 2 * i, "%2hhx", &seen.hash.bytes[i]);
            TC_TRY(tc_ledger_check_seen(r->ledger, &seen, err));
        }
        line = end + 1;
    }
    return TACIT_OK;
}

static size_t line_length(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? (size_t)(end - line) : strlen(line);
}

/* Everything that ever left is the line of its round, or the beginning of it. */
static tacit_status check_lines(const run *r, const tc_text *expected, tacit_error *err)
{
    const char *want = tc_text_get(expected), *line = r->sent;
    while (*line) {
        size_t n = line_length(line), whole = line_length(want);
        if (n > whole || memcmp(line, want, n) != 0)
            return tc_fail(err, TACIT_E_INTERNAL, "this left and is not in the ledger: %.*s",
                           n > 80 ? 80 : (int)n, line);
        if (n == whole)
            want += whole + 1;
        line += n + (line[n] == '\n');
    }
    return *want ? tc_fail(err, TACIT_E_INTERNAL, "this did not leave: %.80s", want) : TACIT_OK;
}

static tacit_status check_spent(const run *r, tacit_error *err)
{
    tc_ledger_claim spent;
    tacit_dp_event all = {TACIT_DP_GAUSSIAN, multiplier, TACIT_DP_ALL, 1, ROUNDS};
    tacit_guarantee left;
    TC_TRY(tc_ledger_guarantee(r->ledger, TACIT_UNIT_AGENT, NULL, delta, &tc_accountant_gaussian,
                               &spent, err));
    TC_TRY(tc_account(&tc_accountant_gaussian, &all, 1, delta, &left, err));
    if (spent.entries != ROUNDS || !spent.is_private || spent.bound.epsilon < left.epsilon ||
        spent.bound.epsilon > epsilon)
        return tc_fail(err, TACIT_E_INTERNAL,
                       "%" PRIu64 " entries with epsilon %g stand for %d releases with %g",
                       spent.entries, spent.bound.epsilon, ROUNDS, left.epsilon);
    return TACIT_OK;
}

static tacit_status check_all(run *r, tacit_error *err)
{
    tc_text expected = {0};
    tacit_status status = TACIT_OK;
    for (uint64_t round = 1; status == TACIT_OK && round <= ROUNDS; round++) {
        tc_ledger_receipt receipt = {0};
        tacit_hash study = tc_ledger_study_hash("{\"name\": \"killed\"}");
        status = tc_ledger_find(r->ledger, &study, round, &receipt, err);
        if (status == TACIT_OK)
            add_line(&expected, round, &receipt);
        tc_ledger_receipt_fini(&receipt);
    }
    if (status == TACIT_OK)
        status = check_lines(r, &expected, err);
    tc_text_fini(&expected);
    return status == TACIT_OK ? check_spent(r, err) : status;
}

/* ---- the program */

static tacit_status open_run(run *r, const char *file, bool create, tacit_error *err)
{
    char url[4200];
    tc_ledger_io io;
    snprintf(url, sizeof url, "%s%s", strstr(file, "://") ? "" : "sqlite:///", file);
    TC_TRY(tc_store_open(&r->store, url, create, err));
    TC_TRY(tc_store_ledger(r->store, "main", create, &io, err));
    TC_TRY(tc_ledger_open(&r->ledger, "main", &io, err));
    TC_TRY(read_outbox(r, err));
    return check_seen_heads(r, err);
}

static tacit_status perform(run *r, const char *verb, const char *file, tacit_error *err)
{
    bool runs = strcmp(verb, "run") == 0 || strcmp(verb, "leave") == 0;
    TC_TRY(open_run(r, file, runs, err));
    if (strcmp(verb, "open") == 0)
        return TACIT_OK;
    TC_TRY(runs ? run_rounds(r, err) : check_all(r, err));
    if (strcmp(verb, "leave") == 0)
        kill(getpid(), SIGKILL);
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    if (argc != 4)
        return 2;
    run r = {.outbox = argv[3]};
    tacit_status status = perform(&r, argv[1], argv[2], &err);
    if (status != TACIT_OK)
        fprintf(stderr, "%s: %s\n", tacit_status_name(status), err.msg);
    tc_free(r.sent);
    tc_ledger_close(r.ledger);
    tc_store_close(r.store);
    return tacit_status_exit(status);
}
