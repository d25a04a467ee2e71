/* agreed_int.h - the rules of agreed time (agreed_time.c), for agreed.c and tests: pure, without clocks and stores. */
#ifndef TC_STUDY_AGREED_INT_H
#define TC_STUDY_AGREED_INT_H

#include "study/agreed.h"

/* The record. All zero: there is none, and agreed time is the wall clock's. */
typedef struct tc_anchor {
    int64_t wall_ns, time_ns; /* when the wall clock said wall, the agreed time was time */
    int64_t jumps_ns;         /* the sum of all jumps that were seen: wall - jumps never jumped */
    uint64_t turn;            /* of jumps that were written; one more with each */
    bool final;               /* it takes back what another process wrote: nobody takes it back */
} tc_anchor;

int64_t tc_anchor_time(const tc_anchor *a, int64_t wall_ns);

/* What a process knows. */
typedef struct tc_outlook {
    tc_anchor anchor;
    uint64_t version;  /* of its record; 0: there is none */
    int64_t true_ns;   /* at this moment ... */
    int64_t steady_ns; /* ... wall - jumps was this ... */
    int64_t doubt_ns;  /* ... with an error of so much at most */
    int64_t since_ns;  /* it watches since then */
    bool begun;        /* it has looked at the store; if not, all of this is nothing */
    bool sure;
} tc_outlook;

/* What a look at the store has found. */
typedef struct tc_sighting {
    tc_anchor anchor;
    uint64_t version;
    int64_t wall_ns, true_ns, doubt_ns;
} tc_sighting;

typedef enum tc_agreed_verdict {
    TC_AGREES,  /* the record accounts for every jump */
    TC_FOLLOWS, /* it does not, as far as this process knows, but others know better */
    TC_CLAIMS   /* it does not: *claim is to be written in its place, and then looked at */
} tc_agreed_verdict;

/* *o becomes what is known after it, but stays as it is with TC_CLAIMS. */
tc_agreed_verdict tc_outlook_judge(tc_outlook *o, const tc_sighting *s, tc_anchor *claim);
int64_t tc_outlook_time(const tc_outlook *o, int64_t true_ns);
/* After TC_AGREES: should the record say anew, as *out, what it says, so that those who start know that somebody
 * watches? */
bool tc_outlook_renews(const tc_outlook *o, const tc_sighting *s, tc_anchor *out);

#endif
