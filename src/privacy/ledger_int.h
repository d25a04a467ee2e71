/* ledger_int.h - the inside of a ledger. For the files ledger*.c. */
#ifndef TC_PRIVACY_LEDGER_INT_H
#define TC_PRIVACY_LEDGER_INT_H

#include "base/memory.h"
#include "privacy/ledger.h"
#include "privacy/relation.h"

#include <string.h>

#define TC_LEDGER_PLAN "plan" /* the mechanism of a note: ledger_plan.c */

typedef struct tc_ledger_item {
    tc_ledger_entry entry; /* texts are the ledger's */
    tacit_hash head;       /* after it */
} tc_ledger_item;

struct tc_ledger {
    tc_ledger_io io; /* all zero: read-only, made from a file */
    char *name;
    tacit_hash genesis;
    tc_ledger_item *items; /* items[i].entry.seq == i + 1 */
    size_t n, cap;
    uint64_t *rounds; /* ledger_rounds.c */
    size_t slots;     /* of rounds: 0 or a power of two */
    tc_arena texts;
};

/* An empty one without a store. E_ARG: the name. */
tacit_status tc_ledger_new(tc_ledger **out, const char *name, tacit_error *err);
/* Appends an entry that has been checked. The texts are copied. E_CORRUPT: its round was released
 * by an entry before. */
tacit_status tc_ledger_push(tc_ledger *l, const tc_ledger_entry *e, const tacit_hash *head,
                            tacit_error *err);

/* Appends an entry that follows the head, and the bytes in `r`, to the store and then to the ledger
 * (ledger.c). E_CONFLICT: the store has moved. */
tacit_status tc_ledger_commit(tc_ledger *l, const tc_ledger_entry *e, tc_ledger_receipt *r,
                              tacit_error *err);

/* UTF-8 of 1..255 bytes without control characters. `what` names it in the sentence. */
tacit_status tc_ledger_check_name(const char *what, const char *name, tacit_error *err);
/* The same of 0..4096 bytes: what entries say in sentences. */
tacit_status tc_ledger_check_text(const char *what, const char *text, tacit_error *err);

/* Does `bytes` hold e, following `before`, with this hash? E_CORRUPT names the entry. */
tacit_status tc_ledger_check_entry(const tc_ledger_entry *e, const uint8_t *bytes, size_t size,
                                   const tacit_head *before, const tacit_hash *head,
                                   tacit_error *err);

/* An entry that costs nothing and says nothing charges nobody: it is there for its study and round. */
static inline bool tc_ledger_is_note(const tc_ledger_entry *e)
{
    return e->event.count == 0 && e->rows == 0;
}

/* Is it about agents, of whom such a unit is a part? (ledger_spending.c) */
static inline bool tc_ledger_is_wider(const tc_ledger_entry *e, tacit_unit unit)
{
    return e->unit == TACIT_UNIT_AGENT && unit != TACIT_UNIT_AGENT;
}

/* Which two data sets the entry makes hard to tell apart, stated or not (ledger_entry.c). */
tacit_relation tc_ledger_relation(const tc_ledger_entry *e);
/* The event as such a unit is charged for it, and for which relation (ledger_spending.c): USUAL where the
 * entry limits none. */
tacit_dp_event tc_ledger_charged(const tc_ledger_entry *e, tacit_unit unit);
tacit_relation tc_ledger_charged_for(const tc_ledger_entry *e, tacit_unit unit);

/* Where a member comes or goes, and where its replacement is counted as both, its absence is what the
 * proof of sampling needs: rates below 1 hold for any unit. Else tacit_unit_check has a say. */
static inline bool tc_sampling_is_proved(const tacit_dp_event *e, tacit_relation relation)
{
    return e->sampling == TACIT_DP_POISSON_REPLACED || relation == TACIT_RELATION_ADD_REMOVE;
}

/* What an event about agents costs a part of one. */
tacit_dp_event tc_ledger_replacing(const tacit_dp_event *e);

/* ledger_rounds.c. The entry that released this round; 0: none did. */
uint64_t tc_ledger_round_entry(const tc_ledger *l, const tacit_hash *study, uint64_t round);
/* Room for one more, so that adding it cannot fail. E_CORRUPT names both entries of a round. */
tacit_status tc_ledger_round_reserve(tc_ledger *l, const tc_ledger_entry *e, tacit_error *err);
void tc_ledger_round_add(tc_ledger *l, const tc_ledger_entry *e);

/* ledger_same.c. Is the stored entry the one that is asked for? E_CONFLICT names it and the first
 * member that differs. Numbers, hashes and stamps of `asked` are not looked at. */
tacit_status tc_ledger_check_same(const tc_ledger_entry *stored, const tc_ledger_entry *asked,
                                  tacit_error *err);

/* What one unit's entries compose to: equal events are one, with the sum of their counts. */
typedef struct tc_ledger_spending {
    tacit_dp_event *events;
    size_t n, cap;
    double distance;
    const char *subject; /* "": a unit that no entry names */
    uint64_t entries;
    const tc_ledger_entry *not_private; /* the first; NULL: none */
    /* Which filter, and whether one is needed: */
    uint64_t first;   /* the entry that began; 0: none yet */
    bool plain;       /* it is a Gaussian without sampling, as this unit is charged for it */
    bool released;    /* there is a release */
    tacit_hash study; /* of the last one */
    bool several;     /* there are releases of other studies, too */
    /* Which neighbours: */
    tacit_relation relation; /* of the total; USUAL: nothing says */
    const tc_ledger_entry
        *stranger;         /* the first that does not compose with those before; NULL: none */
    tacit_relation before; /* ... with which relation of theirs */
} tc_ledger_spending;

/* ledger_spending.c. Calls visit for a unit that no entry names, then for each that one does, in
 * the order of names, until it fails. */
typedef tacit_status (*tc_ledger_visit_unit)(void *user, const tc_ledger_spending *s,
                                             tacit_error *err);
tacit_status tc_ledger_each_unit(const tc_ledger *l, tacit_unit unit, tc_ledger_visit_unit visit,
                                 void *user, tacit_error *err);
/* The same for one unit; NULL stands for each. */
tacit_status tc_ledger_visit_subject(const tc_ledger *l, tacit_unit unit, const char *subject,
                                     tc_ledger_visit_unit visit, void *user, tacit_error *err);
tacit_status tc_ledger_spending_copy(tc_ledger_spending *out, const tc_ledger_spending *s,
                                     tacit_error *err);
tacit_status tc_ledger_spending_add(tc_ledger_spending *s, const tacit_dp_event *e, double distance,
                                    tacit_error *err);
void tc_ledger_spending_fini(tc_ledger_spending *s);
/* A release to come, of this study (NULL: it may have been chosen in view of all others). */
tacit_status tc_ledger_spending_ask(tc_ledger_spending *s, const tacit_hash *study,
                                    const tacit_dp_event *e, double distance, tacit_error *err);
/* Are all of a's events among b's, as often at least? */
bool tc_ledger_spending_covers(const tc_ledger_spending *b, const tc_ledger_spending *a);
/* Has b spent all that a has, or more, by the same rules? */
bool tc_ledger_spending_within(const tc_ledger_spending *a, const tc_ledger_spending *b);

/* E_UNSUPPORTED: its entries have different relations. */
tacit_status tc_ledger_check_relations(const tc_ledger_spending *s, tacit_error *err);

/* ledger_account.c. The bound for discrete noise. */
tacit_status tc_ledger_account(const tc_accountant *a, const tc_ledger_spending *s, double delta,
                               tacit_guarantee *out, tacit_error *err);

/* ledger_filter.c. E_UNSUPPORTED: fixed-size sampling. The first is E_BUDGET where the filter refuses. */
tacit_status tc_ledger_filter_check(const tc_ledger_spending *s, double epsilon, double delta,
                                    tacit_error *err);
/* The least limit, set before the first release, to which the filter would have held these. */
tacit_status tc_ledger_filter_bound(const tc_ledger_spending *s, double delta, tacit_guarantee *out,
                                    tacit_error *err);
/* By a; NULL: pld, or the filter where there are several studies. */
tacit_status tc_ledger_prove(const tc_accountant *a, const tc_ledger_spending *s, double delta,
                             tacit_guarantee *out, tacit_error *err);

/* ledger_plan.c. */
static inline bool tc_ledger_is_plan(const tc_ledger_entry *e)
{
    return tc_ledger_is_note(e) && strcmp(e->mechanism, TC_LEDGER_PLAN) == 0;
}
/* Is the plan of this study in the chain, and in force? */
bool tc_ledger_plan_kept(const tc_ledger *l, const tacit_hash *study);
/* Adds what studies have planned and not released yet, except `asked` if it is planned by `study`. */
tacit_status tc_ledger_add_planned(const tc_ledger *l, tacit_unit unit, const tacit_hash *study,
                                   const tacit_dp_event *asked, tc_ledger_spending *s,
                                   tacit_error *err);
/* The list "composed" of an export: what every unit's entries compose to. NULL: no memory. */
json_t *tc_ledger_composed_json(const tc_ledger *l);

#endif
