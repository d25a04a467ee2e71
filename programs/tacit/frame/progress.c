/* progress.c - how far a long verb has come, on standard error.
 *
 * On a terminal one line is redrawn in place; into a pipe goes a plain line
 * now and then. Times shown are for people only. */
#include "frame/cli.h"

#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 24 };
static const uint64_t SECOND = 1000000000u;

struct tc_progress {
    char label[64], note[128]; /* note: that was shown last */
    uint64_t total, first, done;
    uint64_t start_ns, drawn_ns;
    bool begun; /* `first` is known: work done before us does not count for the ETA */
    bool terminal, drawn;
};

bool tc_progress_redraws(void)
{
    return isatty(STDERR_FILENO) == 1;
}

tc_progress *tc_progress_start(const char *label, uint64_t total, bool quiet)
{
    tc_progress *p = quiet ? NULL : tc_alloc(1, sizeof *p);
    if (!p)
        return NULL;
    snprintf(p->label, sizeof p->label, "%s", label);
    p->total = total;
    p->start_ns = p->drawn_ns = tc_clock_ns();
    p->terminal = tc_progress_redraws();
    return p;
}

/* "1:02:03" or "02:03" of the time still needed; empty while unknown. */
static void eta_text(const tc_progress *p, uint64_t now, char *out, size_t size)
{
    out[0] = '\0';
    if (p->done <= p->first || p->done >= p->total)
        return;
    double per = (double)(now - p->start_ns) / (double)(p->done - p->first);
    double left = per * (double)(p->total - p->done) / (double)SECOND;
    if (left > 3e8)
        return;
    uint64_t s = (uint64_t)(left + 0.5);
    if (s >= 3600)
        snprintf(out, size, "  ETA %" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
                 s % 60);
    else
        snprintf(out, size, "  ETA %02" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

static int terminal_width(void)
{
    struct winsize w;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20)
        return w.ws_col;
    return 80;
}

static void draw_bar(const tc_progress *p, const char *note, const char *eta)
{
    char bar[BAR + 1], line[512];
    double share = p->total ? (double)p->done / (double)p->total : 0;
    int full = share >= 1 ? BAR : (int)(share * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = '\0';
    snprintf(line, sizeof line, "%s [%s] %" PRIu64 "/%" PRIu64 "%s%s%s", p->label, bar, p->done,
             p->total, note[0] ? "  " : "", note, eta);
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    fflush(stderr);
}

static void draw_line(const tc_progress *p, const char *note, const char *eta)
{
    fprintf(stderr, "%s: %" PRIu64 "/%" PRIu64 "%s%s%s\n", p->label, p->done, p->total,
            note[0] ? "  " : "", note, eta);
}

bool tc_progress_line_is_due(uint64_t total, uint64_t shown, uint64_t done, bool news,
                             uint64_t since_ns)
{
    if (since_ns >= 10 * SECOND)
        return news || done != shown;
    return total >= 10 && since_ns >= SECOND && done / (total / 10) > shown / (total / 10);
}

/* Ten frames a second on a terminal. */
static bool is_due(const tc_progress *p, uint64_t done, const char *note, uint64_t now)
{
    uint64_t since = now - p->drawn_ns;
    if (p->terminal)
        return !p->drawn || done == p->total || since >= SECOND / 10;
    bool news = !p->drawn || strncmp(p->note, note, sizeof p->note - 1) != 0;
    return tc_progress_line_is_due(p->total, p->done, done, news, since);
}

void tc_progress_update(tc_progress *p, uint64_t done, const char *note)
{
    if (!p)
        return;
    if (!p->begun) {
        p->begun = true;
        p->first = p->done = done;
    }
    uint64_t now = tc_clock_ns();
    if (!note)
        note = "";
    if (!is_due(p, done, note, now))
        return;
    char eta[48];
    p->done = done;
    eta_text(p, now, eta, sizeof eta);
    (p->terminal ? draw_bar : draw_line)(p, note, eta);
    snprintf(p->note, sizeof p->note, "%s", note);
    p->drawn = true;
    p->drawn_ns = now;
}

void tc_progress_clear(tc_progress *p)
{
    if (p && p->terminal && p->drawn)
        fputs("\r\033[K", stderr);
    if (p)
        p->drawn = false;
}

void tc_progress_end(tc_progress *p)
{
    tc_progress_clear(p);
    tc_free(p);
}
