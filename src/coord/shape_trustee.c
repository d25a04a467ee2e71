/* shape_trustee.c - what requests and answers of studies with trustees look like.
 *
 * Read by shape.c and openapi.c through route.c, as the tables of shape_table.c are.
 * clang-format leaves the tables alone: a field is a line. */
#include "coord/shape.h"

/* clang-format off */

#define END {.name = NULL}
#define TEXT   TC_FIELD_TEXT
#define WHOLE  TC_FIELD_WHOLE
#define YES    TC_FIELD_YES
#define OBJECT TC_FIELD_OBJECT
#define WHOLE_MOST 9223372036854775807.0

/* ---- bodies ---- */

static const tc_field enrol_trustee[] = {
    {"key",        TEXT, TC_NEEDED, .help = "The trustee's Ed25519 public key, in base64"},
    {"round_keys", TEXT, TC_NEEDED, .help = "Its X25519 public keys of all rounds, one after the other, in base64"},
    {"proof",      TEXT, TC_NEEDED, .help = "Its signature of the join token's hash and the hash of round_keys, in base64"},
    {"trustee",    WHOLE, 0, 0, WHOLE_MOST, .help = "The place that it had before the coordinator was restored; it is given if it is free"},
    END};
const tc_shape tc_shape_enrol_trustee = {"TrusteeEnrolment", "A trustee that wants a place", enrol_trustee, false};

static const tc_field new_noise[] = {
    {"noise", TEXT, TC_NEEDED, .help = "The upload with its dealing, in base64; Tacit-Signature is of the body, with sequence 0"},
    END};
const tc_shape tc_shape_new_noise = {"NewNoise", "Noise that is dealt to all trustees", new_noise, false};

static const tc_field new_answer[] = {
    {"answer",  TEXT, TC_ONE_OF, .help = "What the trustee added up, in base64; Tacit-Signature is of the body, with sequence 0"},
    {"refusal", TEXT, TC_ONE_OF, 1, 400, .help = "Why it adds up nothing, in one sentence for the operator"},
    END};
const tc_shape tc_shape_new_answer = {"NewAnswer", "What a trustee says of the set of a round", new_answer, false};

/* ---- answers ---- */

static const tc_field trustee_access[] = {
    {"trustee", WHOLE, TC_NEEDED, .help = "Its place, from 0"},
    {"access",  TEXT,  TC_NEEDED, .help = "The trustee's own token; the one before it has ended"},
    END};
const tc_shape tc_shape_trustee_access = {"TrusteeAccess", "A place among the trustees", trustee_access, false};

static const tc_field trustee[] = {
    {"trustee",     WHOLE, TC_NEEDED, .help = "Its place"},
    {"fingerprint", TEXT,  TC_NEEDED, .help = "BLAKE2b-256 of its public key, in hex"},
    {"revoked",     YES,   TC_NEEDED, .help = "Has its access ended? It counts as absent"},
    {"answered",    WHOLE, TC_NEEDED, .help = "Rounds for which it added up"},
    {"refused",     WHOLE, TC_NEEDED, .help = "Rounds for which it refused to"},
    {"wrong",       WHOLE, TC_NEEDED, .help = "Rounds in which its sums did not fit those of the others, and it could be named: it lied, or was dealt a share that is none"},
    {"conflicts",   WHOLE, TC_NEEDED, .help = "Rounds for which it signed two answers"},
    {"refusal",     TEXT,  TC_NEEDED, .help = "Why it refused last; empty: it never did"},
    END};
static const tc_shape shape_trustee = {"Trustee", "A trustee", trustee, false};

static const tc_field trustee_list[] = {
    {"trustees", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_trustee, .help = "In the order of their places"},
    {"next",     WHOLE,  TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_trustee_list = {"TrusteeList", "The trustees of a study", trustee_list, false};

static const tc_field trustee_revoked[] = {
    {"trustee", WHOLE, TC_NEEDED, .help = "Its place"},
    {"revoked", YES,   TC_NEEDED, .help = "True"},
    END};
const tc_shape tc_shape_trustee_revoked = {"TrusteeRevoked", "A trustee whose access has ended", trustee_revoked, false};

static const tc_field fixed_roster[] = {
    {"fingerprint", TEXT, TC_NEEDED, .help = "\"sha256//\" and the SHA-256 of the roster, in base64"},
    {"roster",      TEXT, TC_NEEDED, .help = "Its bytes, in base64"},
    {"round_keys",  TEXT, TC_NEEDED | TC_LIST_OF, .help = "Of each trustee: its keys of all rounds, in base64"},
    END};
const tc_shape tc_shape_fixed_roster = {"FixedRoster", "The keys of all parties of a study with trustees", fixed_roster, false};

static const tc_field missing[] = {
    {"agents",            WHOLE, TC_NEEDED, .help = "Places of agents"},
    {"enrolled",          WHOLE, TC_NEEDED, .help = "... that are taken"},
    {"trustees",          WHOLE, TC_NEEDED, .help = "Places of trustees"},
    {"trustees_enrolled", WHOLE, TC_NEEDED, .help = "... that are taken"},
    END};
const tc_shape tc_shape_missing = {"RosterMissing", "A roster that is not fixed yet: ask again, or with wait=", missing, false};

static const char *const duties[] = {"deal", "answer", "end", NULL};
static const tc_field duty[] = {
    {"duty",  TEXT,  TC_NEEDED, .words = duties, .help = "Deal noise for the round; answer for its set; or: there is nothing to do any more"},
    {"round", WHOLE, TC_NEEDED, .help = "Which round; of \"end\" the last one"},
    END};
const tc_shape tc_shape_duty = {"Duty", "What a trustee has to do next", duty, false};

static const tc_field dealt[] = {
    {"round",   WHOLE, TC_NEEDED, .help = "Which round"},
    {"trustee", WHOLE, TC_NEEDED, .help = "Who sent it"},
    {"again",   YES,   TC_NEEDED, .help = "The same was there already"},
    END};
const tc_shape tc_shape_dealt = {"Dealt", "What a trustee sent, and is on disk", dealt, false};

static const tc_field shares[] = {
    {"round", WHOLE, TC_NEEDED, .help = "Which round"},
    {"set",   TEXT,  0, .help = "On the first page: the bytes of the set, in base64"},
    {"boxes", TEXT,  TC_NEEDED, .help = "Boxes for this trustee one after the other, in the order of the set, in base64"},
    {"next",  WHOLE, TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_shares = {"Shares", "A page of what a trustee is to add up", shares, false};

const tc_field tc_query_shares[] = {
    {"wait",  WHOLE, 0, 0, 86400, .help = "Seconds to wait for another answer than 202; more than 60 are 60"},
    {"after", WHOLE, 0, 0, WHOLE_MOST, .help = "Boxes that were on the pages before"},
    {"limit", WHOLE, 0, 1, 100000, .help = "How many at most; a page has about a MiB of them, whatever this is"},
    END};
