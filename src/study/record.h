/* record.h - small pieces of data that a store keeps beside journals: for coord/, and for ledgers.
 *
 * A record is bytes under (study, kind, key). Changes are made together or not at all, and each says
 * what it expects to find. That is enough to build rosters, tokens and rounds on, once, above all
 * stores. Keys are ordered as bytes, shorter ones first: numbers in them are written big-endian. */
#ifndef TC_STUDY_RECORD_H
#define TC_STUDY_RECORD_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the stored format: append only. What is in them, coord/ says. */
typedef enum tc_record_kind {
    TC_RECORD_SERVER = 1, /* of the server itself */
    TC_RECORD_TOKEN = 2,  /* by the hash of a token */
    TC_RECORD_STATE =
        3, /* of a study: running, paused or closed; its present round; what was revoked */
    TC_RECORD_AGENT = 4,    /* by number on the roster */
    TC_RECORD_KEY = 5,      /* by public key: whose it is */
    TC_RECORD_ROUND = 6,    /* by round: how it ended */
    TC_RECORD_MESSAGE = 7,  /* by round and agent: a contribution, until the round is closed */
    TC_RECORD_RECEIPT = 8,  /* by round and agent: that a message was accepted, or came late */
    TC_RECORD_EVIDENCE = 9, /* by round and agent: another message for a place taken */
    TC_RECORD_ANSWER = 10,  /* by idempotency key: the answer that was given */
    TC_RECORD_RESTORED =
        11, /* of an agent, by study: what it knows of its coordinator's restores */
    /* Privacy ledgers: store_ledger.c has what is in them, and is the only one that writes them. */
    TC_RECORD_LEDGER = 12,
    TC_RECORD_LEDGER_HEAD = 13,
    TC_RECORD_LEDGER_ENTRY = 14,
    TC_RECORD_LEDGER_ROUND = 15,
    TC_RECORD_TERMS = 16, /* what a party declared about its records (record_terms.h) */
    /* Studies with trustees. */
    TC_RECORD_TRUSTEE = 17,    /* by place: a trustee */
    TC_RECORD_ROUND_KEYS = 18, /* by place: the keys that it brought for all rounds, public ones */
    TC_RECORD_ROSTER = 19,     /* "roster": the keys of all parties, once they are fixed */
    TC_RECORD_NOISE = 20, /* by round and trustee: noise that it dealt, until the round is closed */
    TC_RECORD_SET = 21,   /* by round: whose dealings are added up */
    TC_RECORD_SHARE_SUM =
        22, /* by round and trustee: what it added up, until the round is closed */
    TC_RECORD_TRUSTEE_RECEIPT = 23, /* by round and trustee: that it answered, or why it did not */
    /* Of a party of such a study, by its hash: ROSTER, what it has accepted; TRUSTEE, by its name: a trustee's own
     * key, place and token; EVIDENCE, by round and set: another set for a round that it has answered; and */
    TC_RECORD_DEALING = 24,      /* by round: what it has dealt, until the round is over */
    TC_RECORD_ROUND_SECRET = 25, /* of a trustee, by round: the secret of its key of that round */
    TC_RECORD_DUTY = 26          /* of a trustee, by round: which set it answered, and how */
} tc_record_kind;
#define TC_RECORD_FIRST TC_RECORD_SERVER
#define TC_RECORD_LAST  TC_RECORD_DUTY

/* Is nothing of its value to be left once it is erased, nor in memory (tc_store_forget)? */
static inline bool tc_record_is_secret(tc_record_kind kind)
{
    return kind == TC_RECORD_MESSAGE || kind == TC_RECORD_NOISE || kind == TC_RECORD_SHARE_SUM ||
           kind == TC_RECORD_ROUND_SECRET;
}

/* Is it of a ledger? Nobody may see such a set of changes before it is on disk, where the store outlives those who use it
 * and can lose it: they would go on from what never was. */
static inline bool tc_record_is_ledger(tc_record_kind kind)
{
    return kind >= TC_RECORD_LEDGER && kind <= TC_RECORD_LEDGER_ROUND;
}

/* Is one that is made twice a danger? Such records are few, and an index that does not find one is not believed. */
static inline bool tc_record_is_rare(tc_record_kind kind)
{
    return kind == TC_RECORD_LEDGER;
}

#define TC_RECORD_KEY_MAX 64

typedef struct tc_record {
    int64_t study; /* 0: of the server */
    tc_record_kind kind;
    const void *key; /* 1 to TC_RECORD_KEY_MAX bytes */
    size_t key_size;
    const void *value;
    size_t size;
    uint64_t version; /* 1 when it is new, one more with each replacement */
} tc_record;

typedef enum tc_change_kind {
    TC_INSERT,  /* there is none under this key yet */
    TC_REPLACE, /* there is one, of this version */
    TC_ERASE,   /* there is one, of this version; it goes */
    TC_REQUIRE  /* it has this version (0: there is none) at the moment of the commit */
} tc_change_kind;

typedef struct tc_change {
    tc_change_kind what;
    tc_record record;
} tc_change;

/* Which records a scan, a count or a removal is about. */
typedef struct tc_record_range {
    int64_t study;
    tc_record_kind kind;
    const void *prefix; /* keys that begin with it; size 0: all */
    size_t prefix_size;
    const void *after; /* and that come after this one; size 0: from the first */
    size_t after_size;
    uint64_t most; /* no more than this many; 0: all */
} tc_record_range;

typedef tacit_status (*tc_record_visit)(void *user, const tc_record *r, tacit_error *err);

/* For implementations: low <= key < high, byte by byte, holds for the keys of a range and for no
 * others. */
typedef struct tc_key_bounds {
    uint8_t low[TC_RECORD_KEY_MAX + 1], high[TC_RECORD_KEY_MAX + 1];
    size_t low_size, high_size;
} tc_key_bounds;
void tc_record_bounds(const tc_record_range *range, tc_key_bounds *out);
/* Less than, equal to or greater than 0, as memcmp; a key that begins another comes before it. */
int tc_record_key_compare(const void *a, size_t na, const void *b, size_t nb);
/* Does a change find what it expects, where `version` (0: none) is there? */
bool tc_change_fits(const tc_change *c, uint64_t version);
/* The refusal, then. */
tacit_status tc_change_conflict(tacit_error *err);

#endif
