/* demo_screen.c - what is shown of the hospitals (demo_int.h): a table that is drawn again in place on a
 * terminal, a line now and then in a pipe. */
#include "demo/demo_int.h"

#include "base/clock.h"
#include <tacit/privacy.h>

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const uint64_t SECOND = 1000000000u;
enum { WIDTH = 80, IN_A_ROW = 4, BAR = 6 };

/* Of hospitals, four side by side. */
static unsigned rows_of(const tc_demo_plan *plan)
{
    return (plan->hospitals + IN_A_ROW - 1) / IN_A_ROW;
}

/* Room for the table? A terminal that does not say is taken for one of 80 columns. */
static bool has_room(const tc_demo_plan *plan)
{
    struct winsize w;
    if (isatty(STDERR_FILENO) != 1)
        return false;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0 ||
           (w.ws_col >= WIDTH && w.ws_row > rows_of(plan) + 3);
}

tc_demo_screen tc_demo_screen_open(bool quiet, const tc_demo_plan *plan)
{
    uint64_t now = tc_clock_ns();
    return (tc_demo_screen){
        .quiet = quiet, .terminal = has_room(plan), .start_ns = now, .last_ns = now, .plan = *plan};
}

typedef struct summary {
    uint64_t trials, broadcasts; /* of all together; that everybody had */
    double epsilon;              /* of who spent most */
    size_t known;                /* hospitals with a value */
    double best;                 /* their mean */
} summary;

static summary sum_up(const tc_demo_journal *all, unsigned hospitals)
{
    summary s = {.broadcasts = all[0].broadcasts};
    for (size_t i = 0; i < hospitals; i++) {
        const tc_demo_journal *j = &all[i];
        s.trials += j->trials;
        s.broadcasts = j->broadcasts < s.broadcasts ? j->broadcasts : s.broadcasts;
        s.epsilon = j->epsilon > s.epsilon ? j->epsilon : s.epsilon;
        s.known += j->trials > 0;
        s.best += j->trials > 0 ? j->best[j->trials - 1] : 0;
    }
    s.best /= s.known > 0 ? (double)s.known : 1;
    return s;
}

static void bar(char out[BAR + 1], size_t done, size_t total)
{
    size_t full = BAR * done / total;
    memset(out, '.', BAR);
    memset(out, '#', full < BAR ? full : BAR);
    out[BAR] = '\0';
}

static void draw_hospital(const tc_demo_journal *j, size_t trials)
{
    char text[BAR + 1], best[32] = "-";
    bar(text, j->trials, trials);
    if (j->trials > 0)
        snprintf(best, sizeof best, "%.4f", j->best[j->trials - 1]);
    fprintf(stderr, "%4u %s %-7s", j->hospital, text, best);
}

static void say(const tc_demo_screen *s, const summary *now, uint64_t ns)
{
    char spent[32], promised[32];
    tacit_epsilon_text(spent, now->epsilon);
    tacit_epsilon_text(promised, s->plan.epsilon);
    fprintf(stderr,
            "%3.0f s: %3" PRIu64 "/%zu trials, %" PRIu64 " %s%s heard by all, epsilon %s of %s, ",
            (double)(ns - s->start_ns) / (double)SECOND, now->trials,
            s->plan.trials * s->plan.hospitals, now->broadcasts,
            s->plan.records ? "message" : "broadcast", now->broadcasts == 1 ? "" : "s", spent,
            promised);
    if (now->known > 0)
        fprintf(stderr, "best %.4f", now->best);
    else
        fputs("best -", stderr);
}

static void draw(tc_demo_screen *s, const tc_demo_journal *all, const summary *now, uint64_t ns)
{
    if (s->drawn)
        fprintf(stderr, "\033[%uA", rows_of(&s->plan) + 2);
    say(s, now, ns);
    fputs("\033[K\n\033[K\n", stderr);
    for (unsigned i = 0; i < s->plan.hospitals; i++) {
        draw_hospital(&all[i], s->plan.trials);
        if (i % IN_A_ROW == IN_A_ROW - 1 || i + 1 == s->plan.hospitals)
            fputs("\033[K\n", stderr);
    }
    s->drawn = true;
}

void tc_demo_screen_show(tc_demo_screen *s, const tc_demo_journal *all, bool last)
{
    summary now = sum_up(all, s->plan.hospitals);
    uint64_t ns = tc_clock_ns();
    bool due = last || now.broadcasts > s->broadcasts || ns - s->last_ns > 3 * SECOND;
    if (s->quiet || !(s->terminal || due))
        return;
    if (s->terminal) {
        draw(s, all, &now, ns);
    } else {
        say(s, &now, ns);
        fputc('\n', stderr);
    }
    s->last_ns = ns;
    s->broadcasts = now.broadcasts;
}
