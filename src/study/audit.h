/* audit.h - the operator's log of a coordinator: who changed what, and when. Append-only, and chained by hashes.
 *
 * An entry is committed in the same transaction as the change that it is about (tc_audit_change). A change that no such
 * transaction can hold (a study is made or erased, a trial is taken back) has an entry before it, "begun", and one after it, "done" or "failed":
 * after a crash the first one says what was attempted.
 *
 * Each entry has the hash of the one before it, and the log's head is a record of its own: an entry that is changed or
 * taken out of the middle is seen by whoever reads the log. Whoever has the storage can cut the end off, and its head
 * with it: that is seen by those who kept the number and hash of a later entry.
 *
 * The hash of an entry is BLAKE2b-256 of its JSON text without "hash", keys in the order of the alphabet, without spaces: so a few
 * lines of any language check a log.
 *
 * Entries are records of the server: "audit" is the head, "audit." and the number (8 bytes, big-endian) an entry. Storages
 * of before have none, and a version of before lets them be. Called by coord, by backups, and by who reads a log (net). */
#ifndef TC_STUDY_AUDIT_H
#define TC_STUDY_AUDIT_H

#include "study/store.h"

#include <jansson.h>

/* What is to be logged; borrowed. Texts are never NULL. */
typedef struct tc_audit_entry {
    int64_t at_ms;
    const char *role;    /* of the token; "storage": whoever holds the storage itself */
    const char *token;   /* its id (coord/token.h); "": there is none */
    const char *name;    /* that the token was given; "": none */
    const char *action;  /* "study.pause" */
    const char *outcome; /* "done", "begun", "failed" */
    const char *study;   /* its name; "": it is about none */
    const char *of;      /* which study of that name: its hash, in hex; or "" */
    const char *detail;
} tc_audit_entry;

/* Commits the changes and the entry: all or nothing. n may be 0. Changes of the log itself that race are made again;
 * E_CONFLICT and *refused (may be NULL) are about `changes` alone. */
tacit_status tc_audit_change(tc_store *s, const tc_change *changes, size_t n,
                             const tc_audit_entry *entry, size_t *refused, tacit_error *err);

/* How many entries there are, and the hash of the last one in hex; zeros: none. */
enum { TC_AUDIT_HEX = 2 * TC_LEDGER_HASH_BYTES + 1 };
typedef struct tc_audit_head {
    uint64_t seq;
    char hash[TC_AUDIT_HEX];
    uint64_t version; /* of its record */
} tc_audit_head;
tacit_status tc_audit_head_get(tc_store *s, tc_audit_head *out, tacit_error *err);

/* Calls visit with the entries after number `after`, in order, `most` at most. entry is borrowed. */
typedef tacit_status (*tc_audit_visit)(void *user, const json_t *entry, tacit_error *err);
tacit_status tc_audit_scan(tc_store *s, uint64_t after, uint64_t most, tc_audit_visit visit,
                           void *user, tacit_error *err);

/* Does this entry follow *at, of which seq and hash count? Then *at becomes it. E_CORRUPT: it does not, and why. */
tacit_status tc_audit_follow(tc_audit_head *at, const json_t *entry, tacit_error *err);

#endif
