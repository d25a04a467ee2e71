/* replies.h - the replies of each arm in the order of a key, so that "the sum of all whose key is
 * at most c" takes O(log^2 t) and a new reply O(log t), on average.
 *
 * ldp-ata cuts every past reply anew at every step (ata.c); the key is its magnitude. */
#ifndef TC_ALGO_LDP_REPLIES_H
#define TC_ALGO_LDP_REPLIES_H

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_keyed {
    double key, value;
    double sum; /* of the values of its run up to and with this one */
} tc_keyed;

/* Replies lie in runs whose sizes are the binary digits of their number, largest first: 13 = 8 + 4
 * + 1. Each run is sorted by key. */
typedef struct tc_replies {
    size_t n, cap;
    tc_keyed *item;
    double largest; /* key */
    double total;   /* of all values */
} tc_replies;

/* All-zero is empty. scratch: grown as needed, shared by all arms. */
tacit_status tc_replies_add(tc_replies *r, double key, double value, tc_keyed **scratch,
                            size_t *scratch_cap, tacit_error *err);
/* The sum of the values whose key is <= most. */
double tc_replies_sum(const tc_replies *r, double most);
void tc_replies_fini(tc_replies *r);

#endif
