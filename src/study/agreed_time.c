/* agreed_time.c - the rules of agreed time (agreed.h), without clocks and stores.
 *
 * Each process expects that the wall clock goes on as its own clock does. If the wall clock differs by more than a
 * second, and the record does not account for that, one of two things has happened: the wall clock was set, or this
 * process's clock stood still (a virtual machine was paused). The process cannot tell. So
 *
 *   - whoever sees a jump writes it into the record, on condition that nobody else has done so meanwhile;
 *   - whoever finds that others wrote a jump which it has not seen, though it was watching, takes it back. That is
 *     final: the one that was wrong, and all others, follow it. So two processes never write in turn for ever;
 *   - whoever is not sure yet, because it is new, follows what others write: it may have come after the jump.
 *
 * The record is read before the wall clock: a jump between the two is then one that the record does not account
 * for, and writing on that condition finds out whether another process was faster. */
#include "study/agreed_int.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000000)

enum {
    PACE = 8,    /* of so many nanoseconds one may be made up for */
    SLEW = 1024, /* two clocks that nobody sets part by less than one in so many */
};
#define JUMP_LEAST SECOND
/* While agreed time differs from the wall clock, its anchor is renewed when it is older than RENEW. Nobody has watched
 * where it is older than GONE. */
#define RENEW (10 * SECOND)
#define GONE  (60 * SECOND)

int64_t tc_anchor_time(const tc_anchor *a, int64_t wall_ns)
{
    int64_t behind = a->wall_ns - a->time_ns, passed = wall_ns - a->wall_ns;
    int64_t most = passed > 0 ? passed / PACE : 0;
    behind -= behind > most ? most : behind < -most ? -most : behind;
    return wall_ns - behind;
}

int64_t tc_outlook_time(const tc_outlook *o, int64_t true_ns)
{
    int64_t steady = o->steady_ns + (true_ns - o->true_ns);
    return tc_anchor_time(&o->anchor, steady + o->anchor.jumps_ns);
}

static void follow(tc_outlook *o, const tc_sighting *s)
{
    *o = (tc_outlook){.anchor = s->anchor,
                      .version = s->version,
                      .true_ns = s->true_ns,
                      .steady_ns = s->wall_ns - s->anchor.jumps_ns,
                      .doubt_ns = s->doubt_ns,
                      .since_ns = s->true_ns,
                      .begun = true};
}

/* An anchor that nobody has renewed is of a time when the wall clock may have been another. What happened to that since
 * counts as time. */
static void begin(tc_outlook *o, const tc_sighting *s)
{
    int64_t age = s->wall_ns - s->anchor.wall_ns;
    follow(o, s);
    if (age < -JUMP_LEAST || age > GONE)
        o->anchor.wall_ns = o->anchor.time_ns = s->wall_ns;
}

/* Keeps the more precise of the two: this look, or the time counted since the last one. */
static void agree(tc_outlook *o, const tc_sighting *s, int64_t expected, int64_t doubt)
{
    bool better = s->doubt_ns <= doubt;
    o->steady_ns = better ? s->wall_ns - s->anchor.jumps_ns : expected;
    o->doubt_ns = better ? s->doubt_ns : doubt;
    o->true_ns = s->true_ns;
    if (s->version != o->version)
        o->anchor = s->anchor;
    o->version = s->version;
    o->sure = o->sure || s->true_ns - o->since_ns >= TC_AGREED_WATCH_MS * (SECOND / 1000);
}

tc_agreed_verdict tc_outlook_judge(tc_outlook *o, const tc_sighting *s, tc_anchor *claim)
{
    if (!o->begun) {
        begin(o, s);
        return TC_FOLLOWS;
    }
    int64_t passed = s->true_ns - o->true_ns;
    int64_t expected = o->steady_ns + passed, found = s->wall_ns - s->anchor.jumps_ns;
    int64_t doubt = o->doubt_ns + passed / SLEW;
    bool written = s->anchor.turn != o->anchor.turn;
    if (llabs(found - expected) <= JUMP_LEAST + doubt + s->doubt_ns) {
        agree(o, s, expected, doubt);
        return TC_AGREES;
    }
    if (written && (!o->sure || s->anchor.final)) {
        follow(o, s);
        return TC_FOLLOWS;
    }
    *claim = (tc_anchor){.wall_ns = s->wall_ns,
                         .time_ns = tc_outlook_time(o, s->true_ns),
                         .jumps_ns = s->wall_ns - expected,
                         .turn = s->anchor.turn + 1,
                         .final = written};
    return TC_CLAIMS;
}

bool tc_outlook_renews(const tc_outlook *o, const tc_sighting *s, tc_anchor *out)
{
    int64_t wall = o->steady_ns + (s->true_ns - o->true_ns) + o->anchor.jumps_ns;
    int64_t behind = wall - tc_outlook_time(o, s->true_ns);
    int64_t recorded = s->wall_ns - tc_anchor_time(&s->anchor, s->wall_ns);
    *out = s->anchor;
    out->wall_ns = s->wall_ns;
    out->time_ns = s->wall_ns - behind;
    return o->sure && (behind != 0 || recorded != 0) &&
           llabs(s->wall_ns - s->anchor.wall_ns) > RENEW;
}
