/* demo_screen.c - what is shown of the hospitals (demo_int.h): a table that is drawn again in place on a
 * terminal, a line now and then in a pipe. */
#include "demo_int.h"

#include "base/clock.h"
#include "privacy/statement.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000u;
enum { LINES = TC_HOSPITALS + 3, WIDTH = 78 };

/* Room for the table? A terminal that does not say is taken for one of 80 columns. */
static bool has_room(void)
{
    struct winsize w;
    if (isatty(STDERR_FILENO) != 1)
        return false;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 ||
           (w.ws_col >= WIDTH && w.ws_row > LINES);
}

tc_demo_screen tc_demo_screen_open(bool quiet, int64_t trials, double epsilon)
{
    uint64_t now = tc_clock_ns();
    return (tc_demo_screen){.quiet = quiet,
                            .terminal = has_room(),
                            .start_ns = now,
                            .last_ns = now,
                            .trials = trials,
                            .epsilon = epsilon};
}

typedef struct summary {
    uint64_t trials, broadcasts; /* of all together; that everybody had */
    double epsilon;              /* of who spent most */
} summary;

static summary sum_up(const tc_demo_journal *all)
{
    summary s = {.broadcasts = all[0].broadcasts};
    for (size_t i = 0; i < TC_HOSPITALS; i++) {
        const tc_demo_journal *j = &all[i];
        s.trials += j->trials;
        s.broadcasts = j->broadcasts < s.broadcasts ? j->broadcasts : s.broadcasts;
        s.epsilon = j->epsilon > s.epsilon ? j->epsilon : s.epsilon;
    }
    return s;
}

enum { BAR = 16 };

static void bar(char out[BAR + 3], uint64_t done, int64_t total)
{
    uint64_t full = total > 0 ? BAR * done / (uint64_t)total : 0;
    memset(out, '.', BAR + 2);
    memset(out + 1, '#', full < BAR ? full : BAR);
    out[0] = '[';
    out[BAR + 1] = ']';
    out[BAR + 2] = '\0';
}

static void draw_hospital(const tc_demo_journal *j, int64_t trials)
{
    char text[BAR + 3], best[32] = "-";
    bar(text, j->trials, trials);
    if (j->any)
        snprintf(best, sizeof best, "%.4f", j->best);
    fprintf(stderr,
            "  hospital %u %s %3" PRIu64 "/%lld  best %-6s  sent %" PRIu64 "  epsilon %.3g\033[K\n",
            j->hospital, text, j->trials, (long long)trials, best, j->broadcasts, j->epsilon);
}

static void draw(tc_demo_screen *s, const tc_demo_journal *all, const summary *now, uint64_t ns)
{
    if (s->drawn)
        fprintf(stderr, "\033[%dA", LINES);
    fprintf(stderr,
            "%3.0f s, %" PRIu64
            " broadcast%s heard by all, epsilon %.3g of %g; best log-loss:\033[K\n\n",
            (double)(ns - s->start_ns) / (double)SECOND, now->broadcasts,
            now->broadcasts == 1 ? "" : "s", now->epsilon, s->epsilon);
    for (size_t i = 0; i < TC_HOSPITALS; i++)
        draw_hospital(&all[i], s->trials);
    fputs("\033[K\n", stderr);
    s->drawn = true;
}

static void say(const tc_demo_screen *s, const tc_demo_journal *all, const summary *now,
                uint64_t ns)
{
    fprintf(stderr,
            "%3.0f s: %3" PRIu64 "/%lld trials, %" PRIu64 " broadcasts, epsilon %.3g of %g, best",
            (double)(ns - s->start_ns) / (double)SECOND, now->trials,
            (long long)s->trials * TC_HOSPITALS, now->broadcasts, now->epsilon, s->epsilon);
    for (size_t i = 0; i < TC_HOSPITALS; i++)
        if (all[i].any)
            fprintf(stderr, " %.3f", all[i].best);
        else
            fputs(" -", stderr);
    fputc('\n', stderr);
}

void tc_demo_screen_show(tc_demo_screen *s, const tc_demo_journal *all, bool last)
{
    summary now = sum_up(all);
    uint64_t ns = tc_clock_ns();
    bool due = last || now.broadcasts > s->broadcasts || ns - s->last_ns > 3 * SECOND;
    if (s->quiet || !(s->terminal || due))
        return;
    if (s->terminal)
        draw(s, all, &now, ns);
    else
        say(s, all, &now, ns);
    s->last_ns = ns;
    s->broadcasts = now.broadcasts;
}

/* ---- the end ---- */

static void add_row(tc_table *t, const tc_demo_journal *j, bool people)
{
    char text[32];
    tc_table_integer(t, 0, j->hospital);
    tc_table_integer(t, 1, (int64_t)tc_hospital_size(j->hospital));
    tc_table_integer(t, 2, (int64_t)j->trials);
    if (j->any) {
        tc_table_number(t, 3, j->early);
        tc_table_number(t, 4, j->best);
        tc_table_number(t, 5, j->at[0]);
        tc_table_number(t, 6, j->at[1]);
    }
    tc_table_integer(t, 7, (int64_t)j->messages);
    tc_table_integer(t, 8, (int64_t)j->bytes);
    tc_epsilon_text(text, j->epsilon);
    if (people)
        tc_table_text(t, 9, text);
    else
        tc_table_number(t, 9, j->epsilon);
    tc_table_end_row(t);
}

tacit_status tc_demo_results(const tc_demo_journal *all, int format, tacit_error *err)
{
    static const char *const names[] = {"hospital", "patients", "trials",   "early", "best",
                                        "lr",       "l2",       "messages", "bytes", "epsilon"};
    bool shown = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(10, names);
    for (size_t i = 0; i < TC_HOSPITALS; i++)
        add_row(t, &all[i], shown);
    return tc_table_print(t, (tc_format)format, stdout, err);
}
