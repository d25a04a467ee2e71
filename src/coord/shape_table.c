/* shape_table.c - what requests and answers look like: studies, tokens, rosters, rounds, privacy.
 *
 * Read by shape.c and openapi.c through route.c; shape_served.c has the objects of served studies.
 * clang-format leaves the tables alone: a field is a line. */
#include "coord/shape.h"

/* clang-format off */

#define END {.name = NULL}
#define TEXT   TC_FIELD_TEXT
#define WHOLE  TC_FIELD_WHOLE
#define NUMBER TC_FIELD_NUMBER
#define YES    TC_FIELD_YES
#define OBJECT TC_FIELD_OBJECT
#define MAP    TC_FIELD_MAP
#define WHOLE_MOST 9223372036854775807.0
#define SECONDS_MOST 1e9

static const char *const states[] = {"running", "paused", "closed", NULL};
static const char *const phases[] = {"none", "open", "closing", "closed", "void", NULL};
static const char *const open_roles[] = {"viewer", "operator", "curator", NULL};

/* ---- bodies ---- */

static const tc_field new_study[] = {
    {"document",   MAP,  TC_NEEDED, .help = "The study's document, as a study file has it"},
    {"points_csv", TEXT, 0,         .help = "The points of a finite space, as CSV"},
    END};
const tc_shape tc_shape_new_study = {"NewStudy", "A study to be made", new_study, false};

#define NAME {"name", TEXT, 0, 1, 64, .help = "Whose it is, for lists and the operator's log: letters, digits and ._@+-", .example = "\"alice\""}
#define GRACE {"grace_s", NUMBER, 0, 0, SECONDS_MOST, .help = "Seconds for which it goes on; 0: it ends at once"}

static const tc_field new_token[] = {
    {"role",      TEXT,   TC_NEEDED, .words = open_roles, .help = "What its bearer may do", .example = "\"viewer\""},
    NAME,
    {"expires_s", NUMBER, 0, 0, SECONDS_MOST, .help = "Seconds until it ends; 0: never", .example = "3600"},
    END};
const tc_shape tc_shape_new_token = {"NewToken", "A token to be made", new_token, false};

static const tc_field withdraw[] = {
    {"token", TEXT, TC_ONE_OF, 1, 255, .help = "The token that is to end"},
    {"id",    TEXT, TC_ONE_OF, 1, 64, .help = "The same by its id, as lists of tokens show it"},
    GRACE,
    END};
const tc_shape tc_shape_withdraw = {"Withdrawal", "A token to be ended", withdraw, false};

static const tc_field replace[] = {
    {"token", TEXT, 0, 1, 255, .help = "The token that is to be replaced; without it and id: the one that asks"},
    {"id",    TEXT, 0, 1, 64, .help = "The same by its id, as lists of tokens show it"},
    GRACE,
    {"expires_s", NUMBER, 0, 0, SECONDS_MOST, .help = "Seconds until the new one ends; 0: never; absent: when the old one would have"},
    END};
const tc_shape tc_shape_replace = {"Replacement", "Another token in place of one", replace, false};

static const char *const study_roles[] = {"agent", "trustee", NULL};
static const tc_field study_token[] = {
    {"role",      TEXT,   0, .words = study_roles, .help = "Who joins with it; absent: agents, and for served studies it is a client's"},
    NAME,
    {"uses",      WHOLE,  0, 1, 1 << 24, 1, .help = "How many agents or trustees may join with it; not for served studies", .example = "8"},
    {"expires_s", NUMBER, 0, 0, SECONDS_MOST, .help = "Seconds until it ends; 0: never", .example = "86400"},
    END};
const tc_shape tc_shape_study_token = {"NewStudyToken", "A token of one study to be made", study_token, false};

static const tc_field enrol[] = {
    {"key",   TEXT, TC_NEEDED, .help = "The agent's Ed25519 public key, in base64"},
    {"proof", TEXT, TC_NEEDED, .help = "Its signature of the join token's hash, in base64"},
    {"agent", WHOLE, 0, 0, WHOLE_MOST, .help = "The place that it had before the coordinator was restored; it is given if it is free"},
    END};
const tc_shape tc_shape_enrol = {"Enrolment", "An agent that wants a place on the roster", enrol, false};

static const tc_field rotate[] = {
    {"key",        TEXT, TC_NEEDED, .help = "The new public key, in base64"},
    {"proof",      TEXT, TC_NEEDED, .help = "A signature of it with the present key, in base64"},
    {"possession", TEXT, TC_NEEDED, .help = "A signature of it with itself, in base64"},
    {"sequence",   WHOLE, 0, 0, WHOLE_MOST, .help = "The number that both signatures cover; absent: that of the agent's last message"},
    END};
const tc_shape tc_shape_rotate = {"Rotation", "Another key for an agent", rotate, false};

static const tc_field leave[] = {
    {"proof", TEXT, TC_NEEDED, .help = "A signature of the agent's public key with itself, in base64"},
    END};
const tc_shape tc_shape_leave = {"Leaving", "An agent that withdraws", leave, false};

static const tc_field readmit[] = {
    {"expires_s", NUMBER, 0, 0, SECONDS_MOST, .help = "Seconds until the token ends; 0: never", .example = "86400"},
    END};
const tc_shape tc_shape_readmit = {"Readmission", "A join token of one place alone", readmit, false};

static const tc_field new_message[] = {
    {"sequence", WHOLE, TC_NEEDED, 1, WHOLE_MOST, .help = "Grows with every message of an agent", .example = "1"},
    {"message",  TEXT,  .help = "The contribution, in base64; this or decline"},
    {"decline",  TEXT,  .help = "There will be none: base64 of zeros, as long as a message would be"},
    END};
const tc_shape tc_shape_new_message = {"NewMessage", "A contribution to a round", new_message, false};

/* ---- answers: studies ---- */

static const tc_field present_round[] = {
    {"number",      WHOLE, TC_NEEDED, 0, WHOLE_MOST, .help = "Which round"},
    {"phase",       TEXT,  TC_NEEDED, .words = phases, .help = "Where it stands"},
    {"deadline_ms", WHOLE, TC_NEEDED, 0, WHOLE_MOST, .help = "Its public deadline, Unix milliseconds; 0: none"},
    {"waits_for",   TEXT,  0, .help = "While it is open: what would end it, in words; who has sent is not in it"},
    END};
static const tc_shape shape_round = {"Round", "The latest round of a study", present_round, false};

static const tc_field study[] = {
    {"name",        TEXT,   TC_NEEDED, .help = "Its name"},
    {"state",       TEXT,   TC_NEEDED, .words = states, .help = "Does it go on?"},
    {"document",    TEXT,   TC_NEEDED, .help = "Its document, as canonical JSON text"},
    {"hash",        TEXT,   TC_NEEDED, .help = "What tells it apart from every other study, in hex"},
    {"public_seed", TEXT,   TC_NEEDED, .help = "The seed that all parties share, in base64"},
    {"created_ms",  WHOLE,  TC_NEEDED, .help = "Unix milliseconds"},
    {"ends_ms",     WHOLE,  0, .help = "When it closes, or has closed, by itself, Unix milliseconds; absent: never"},
    {"options",     MAP,    TC_NEEDED, .help = "The algorithm's options in force"},
    {"not_private", TEXT,   TC_NEEDED, .help = "Why its releases are not private; empty: they are, as its document says"},
    {"agents",      WHOLE,  0, .help = "Federated: places on the roster"},
    {"enrolled",    WHOLE,  0, .help = "Federated: places that are taken"},
    {"round",       OBJECT, TC_OR_NULL, .of = &shape_round, .help = "Federated: the latest round; null: none yet"},
    {"no_place",    TEXT,   0, .help = "Asked with a join token: why a new key gets no place with it; absent: it gets one"},
    {"trustees",    WHOLE,  0, .help = "With trustees: their places"},
    {"trustees_enrolled", WHOLE, 0, .help = "With trustees: places that are taken"},
    {"roster",      TEXT,   TC_OR_NULL, .help = "With trustees: the fingerprint of the roster; null: some are missing, and it is not fixed yet"},
    {"trials",      WHOLE,  0, .help = "Served: trials that the document asks for"},
    {"complete",    WHOLE,  0, .help = "Served: trials with a value"},
    {"running",     WHOLE,  0, .help = "Served: trials that a worker has"},
    {"failed",      WHOLE,  0, .help = "Served: trials that failed"},
    {"pruned",      WHOLE,  0, .help = "Served: trials that were ended early"},
    {"feasible",    WHOLE,  0, .help = "Served, with constraints: complete trials within all bounds"},
    {"front",       WHOLE,  0, .help = "Served, with several objectives: feasible trials that no other dominates"},
    END};
const tc_shape tc_shape_study = {"Study", "A study", study, false};

static const tc_field study_list[] = {
    {"studies", TEXT, TC_NEEDED | TC_LIST_OF, .help = "Names, in order of creation"},
    {"next",    TEXT, TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_study_list = {"StudyList", "A page of studies", study_list, false};

static const tc_field state[] = {
    {"study", TEXT, TC_NEEDED, .help = "Its name"},
    {"state", TEXT, TC_NEEDED, .words = states, .help = "Its state now"},
    END};
const tc_shape tc_shape_state = {"StudyState", "The state that a study was brought to", state, false};

static const tc_field expire[] = {
    {"after_s", NUMBER, TC_NEEDED, 0, SECONDS_MOST, .help = "Seconds from now on; 0: it has no such end any more", .example = "2592000"},
    END};
const tc_shape tc_shape_expire = {"StudyTime", "How long a study goes on", expire, false};
static const tc_field expires[] = {
    {"study",   TEXT,  TC_NEEDED, .help = "Its name"},
    {"ends_ms", WHOLE, TC_NEEDED, .help = "When it closes by itself, Unix milliseconds; 0: never"},
    END};
const tc_shape tc_shape_expires = {"StudyEnd", "When a study closes by itself", expires, false};

static const tc_field erased[] = {
    {"study",  TEXT, TC_NEEDED, .help = "Its name"},
    {"erased", YES,  TC_NEEDED, .help = "True"},
    END};
const tc_shape tc_shape_erased = {"Erased", "A study that is gone", erased, false};

/* ---- answers: tokens and the roster ---- */

static const tc_field token[] = {
    {"token",      TEXT,  TC_NEEDED, .help = "The token; it is shown once"},
    {"id",         TEXT,  TC_NEEDED, .help = "What names it in lists and in the operator's log"},
    {"role",       TEXT,  TC_NEEDED, .help = "What its bearer may do"},
    {"uses",       WHOLE, TC_NEEDED, .help = "How often; 0: any number of times"},
    {"expires_ms", WHOLE, TC_NEEDED, .help = "Until when, Unix milliseconds; 0: for ever"},
    END};
const tc_shape tc_shape_token = {"Token", "A new token", token, false};

static const tc_field a_token[] = {
    {"id",         TEXT,  TC_NEEDED, .help = "What names it here and in the operator's log: the first 16 hex digits of its hash"},
    {"role",       TEXT,  TC_NEEDED, .help = "What its bearer may do"},
    {"name",       TEXT,  TC_NEEDED, .help = "Whose it is, as was said when it was made; empty: nothing was"},
    {"study",      TEXT,  TC_NEEDED, .help = "The study that it is for; empty: all, or it was made by an earlier version"},
    {"uses",       WHOLE, TC_NEEDED, .help = "How often it may still be used; 0: that is not counted, or it is used up"},
    {"expires_ms", WHOLE, TC_NEEDED, .help = "Until when, Unix milliseconds; 0: for ever"},
    END};
static const tc_shape shape_a_token = {"ListedToken", "A token, without its text", a_token, false};

static const tc_field token_list[] = {
    {"tokens", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_a_token, .help = "In no order that means something"},
    {"next",   TEXT,   TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_token_list = {"TokenList", "A page of tokens; those of agents are on rosters", token_list, false};

static const char *const outcomes[] = {"done", "begun", "failed", NULL};

static const tc_field audit_entry[] = {
    {"seq",      WHOLE, TC_NEEDED, .help = "1, 2, 3, ..."},
    {"at_ms",    WHOLE, TC_NEEDED, .help = "When, Unix milliseconds by the coordinator's agreed time"},
    {"role",     TEXT,  TC_NEEDED, .help = "Of the token that asked; \"storage\": whoever holds the storage itself"},
    {"token",    TEXT,  TC_NEEDED, .help = "The id of that token; empty: there was none"},
    {"name",     TEXT,  TC_NEEDED, .help = "Its name; empty: it has none"},
    {"action",   TEXT,  TC_NEEDED, .help = "What was done", .example = "\"study.pause\""},
    {"outcome",  TEXT,  TC_NEEDED, .words = outcomes, .help = "\"begun\" is followed by \"done\" or \"failed\", unless the process died"},
    {"study",    TEXT,  TC_NEEDED, .help = "The name of the study that it is about; empty: of none"},
    {"of",       TEXT,  TC_NEEDED, .help = "Which study of that name: its hash, in hex; or empty"},
    {"detail",   TEXT,  TC_NEEDED, .help = "What else there is to say"},
    {"previous", TEXT,  TC_NEEDED, .help = "The hash of the entry before it, in hex"},
    {"hash",     TEXT,  TC_NEEDED, .help = "BLAKE2b-256 of this object without it, as JSON with sorted keys and no spaces"},
    END};
static const tc_shape shape_audit_entry = {"AuditEntry", "What somebody did", audit_entry, false};

static const tc_field audit_head[] = {
    {"seq",  WHOLE, TC_NEEDED, .help = "Entries so far"},
    {"hash", TEXT,  TC_NEEDED, .help = "The hash of the last one, in hex; zeros: there is none"},
    END};
static const tc_shape shape_audit_head = {"AuditHead", "The end of the operator's log", audit_head, false};

static const tc_field audit[] = {
    {"entries", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_audit_entry, .help = "In order"},
    {"head",    OBJECT, TC_NEEDED, .of = &shape_audit_head, .help = "The end of the log when it was read"},
    {"next",    WHOLE,  TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_audit = {"AuditPage", "A page of the operator's log", audit, false};

static const tc_field withdrawn[] = {
    {"withdrawn", YES, TC_NEEDED, .help = "True"},
    END};
const tc_shape tc_shape_withdrawn = {"Withdrawn", "A token that has ended", withdrawn, false};

static const tc_field access_token[] = {
    {"agent",  WHOLE, TC_NEEDED, .help = "The place on the roster"},
    {"access", TEXT,  TC_NEEDED, .help = "The agent's own token; the one before it has ended"},
    END};
const tc_shape tc_shape_access = {"Access", "A place on the roster", access_token, false};

static const tc_field revoked[] = {
    {"agent",   WHOLE, TC_NEEDED, .help = "The place on the roster"},
    {"revoked", YES,   TC_NEEDED, .help = "True"},
    {"withdrawn", YES, 0, .help = "True: by itself"},
    END};
const tc_shape tc_shape_revoked = {"Revoked", "An agent whose access has ended", revoked, false};

static const tc_field agent[] = {
    {"agent",       WHOLE, TC_NEEDED, .help = "The place on the roster"},
    {"fingerprint", TEXT,  TC_NEEDED, .help = "BLAKE2b-256 of its public key, in hex"},
    {"revoked",     YES,   TC_NEEDED, .help = "Has its access ended? Nobody waits for it"},
    {"withdrawn",   YES,   TC_NEEDED, .help = "Did it end it by itself?"},
    END};
static const tc_shape shape_agent = {"Agent", "An agent, without anything that says when it was there", agent, false};

static const tc_field agent_list[] = {
    {"agents", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_agent, .help = "In the order of the roster"},
    {"next",   WHOLE,  TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_agent_list = {"AgentList", "A page of the roster", agent_list, false};

/* ---- answers: rounds ---- */

static const tc_field accepted[] = {
    {"round", WHOLE, TC_NEEDED, .help = "Which round"},
    {"agent", WHOLE, TC_NEEDED, .help = "Who sent it"},
    {"again", YES,   TC_NEEDED, .help = "The same message was there already"},
    END};
const tc_shape tc_shape_accepted = {"Accepted", "A contribution that is on disk", accepted, false};

static const tc_field phase[] = {
    {"round",       WHOLE, TC_NEEDED, .help = "Which round"},
    {"phase",       TEXT,  TC_NEEDED, .words = phases, .help = "Where it stands"},
    {"deadline_ms", WHOLE, 0, .help = "Its public deadline, Unix milliseconds; 0: none"},
    {"answered",    YES,   0, .help = "To an agent: its own message of this round is here, or its word that none will come"},
    END};
const tc_shape tc_shape_phase = {"NotYet", "A round that has not ended: ask again, or with wait=", phase, false};

static const tc_field relayed[] = {
    {"round",       WHOLE, TC_NEEDED, .help = "The round of the message"},
    {"agent",       WHOLE, TC_NEEDED, .help = "Who sent it"},
    {"release",     TEXT,  TC_NEEDED, .help = "Its bytes, in base64"},
    {"not_private", TEXT,  TC_NEEDED, .help = "Why it is not private; empty: it is"},
    END};
const tc_shape tc_shape_relayed = {"Relayed", "A message that is handed on", relayed, false};

static const tc_field head[] = {
    {"seq",  WHOLE, TC_NEEDED, .help = "Entries of the ledger so far"},
    {"hash", TEXT,  TC_NEEDED, .help = "The end of its chain, in hex"},
    END};
static const tc_shape shape_head = {"LedgerHead", "The end of a ledger: agents keep it to notice a rollback", head, false};

static const tc_field restored[] = {
    {"at",        TEXT,  TC_NEEDED, .help = "When the coordinator was restored from a backup"},
    {"backup_of", TEXT,  TC_NEEDED, .help = "When that backup was made"},
    {"entries",   WHOLE, TC_NEEDED, .help = "Entries of the ledger in the backup"},
    {"notice",    TEXT,  TC_NEEDED, .help = "The same as a sentence; it is in the chain"},
    END};
static const tc_shape shape_restored = {"Restored", "Why a ledger's head is older than one that was seen", restored, false};

static const tc_field broadcast[] = {
    {"round",       WHOLE,  TC_NEEDED, .help = "Which round"},
    {"release",     TEXT,   0, .help = "What it ended with, in base64; absent where nothing is summed"},
    {"head",        OBJECT, 0, .of = &shape_head, .help = "The ledger after this release"},
    {"private",     YES,    0, .help = "Is it private?"},
    {"not_private", TEXT,   0, .help = "Why not"},
    {"restored",    OBJECT, 0, .of = &shape_restored, .help = "Of a coordinator that was restored from a backup"},
    END};
const tc_shape tc_shape_broadcast = {"Broadcast", "What a round ended with", broadcast, false};

static const tc_field evidence[] = {
    {"round",     WHOLE, TC_NEEDED, .help = "Which round"},
    {"agent",     WHOLE, TC_NEEDED, .help = "Who signed two messages for it"},
    {"sequence",  WHOLE, TC_NEEDED, .help = "Of the second one"},
    {"key",       TEXT,  TC_NEEDED, .help = "The key that signed, in base64"},
    END};
static const tc_shape shape_evidence = {"Evidence", "A second message for a place that was taken", evidence, false};

static const tc_field evidence_list[] = {
    {"evidence", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_evidence, .help = "By round and agent"},
    {"next",     TEXT,   TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_evidence_list = {"EvidenceList", "A page of evidence", evidence_list, false};

/* ---- answers: privacy ---- */

static const tc_field entry[] = {
    {"seq",         WHOLE,  TC_NEEDED, .help = "1, 2, 3, ..."},
    {"study",       TEXT,   TC_NEEDED, .help = "The hash of the study"},
    {"round",       WHOLE,  TC_NEEDED, .help = "The round that was released"},
    {"unit",        TEXT,   TC_NEEDED, .help = "Whom it protects"},
    {"subject",     TEXT,   TC_NEEDED | TC_OR_NULL, .help = "Who is charged; null: every unit of the roster"},
    {"event",       MAP,    TC_NEEDED, .help = "The mechanism in the words of dp_accounting"},
    {"distance",    NUMBER, TC_NEEDED, .help = "To be added to delta: discrete noise against a rounded Gaussian"},
    {"mechanism",   TEXT,   TC_NEEDED, .help = "Its name"},
    {"adjacency",   TEXT,   TC_NEEDED, .help = "Which data are neighbours"},
    {"private",     YES,    TC_NEEDED, .help = "Is it private?"},
    {"not_private", TEXT,   TC_NEEDED | TC_OR_NULL, .help = "Why not"},
    {"rows",        WHOLE,  TC_NEEDED, .help = "Of the released values"},
    {"cols",        WHOLE,  TC_NEEDED, .help = "Of the released values"},
    {"offset",      NUMBER, TC_NEEDED, .help = "value = offset + step * word"},
    {"step",        NUMBER, TC_NEEDED, .help = "value = offset + step * word"},
    {"release",     TEXT,   TC_NEEDED, .help = "The hash of the bytes that were sent"},
    {"previous",    TEXT,   TC_NEEDED, .help = "The head before this entry"},
    {"head",        TEXT,   TC_NEEDED, .help = "The head after it"},
    END};
static const tc_shape shape_entry = {"LedgerEntry", "One release and what it cost", entry, false};

static const tc_field composed[] = {
    {"unit",    TEXT, TC_NEEDED, .help = "Whom it protects"},
    {"subject", TEXT, TC_NEEDED | TC_OR_NULL, .help = "Who is charged; null: a unit that no entry names"},
    {"event",   MAP,  TC_NEEDED, .help = "Everything that it was charged, for dp_accounting"},
    END};
static const tc_shape shape_composed = {"Composed", "What a unit has spent", composed, false};

static const tc_field privacy[] = {
    {"format",   TEXT,   TC_NEEDED, .help = "\"tacit ledger 2\""},
    {"name",     TEXT,   TC_NEEDED, .help = "The ledger's name, part of its chain"},
    {"entries",  OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_entry, .help = "In order"},
    {"head",     TEXT,   TC_NEEDED, .help = "The end of the whole chain, in hex"},
    {"composed", OBJECT, TC_LIST_OF, .of = &shape_composed, .help = "On the last page: of the whole ledger, unit by unit"},
    {"restored", OBJECT, 0, .of = &shape_restored, .help = "Of a coordinator that was restored from a backup"},
    {"next",     WHOLE,  0, .help = "after= of the next page; absent: this is the last"},
    {"not_private", TEXT, 0, .help = "Why what the agents of the study send is not private, also where no entry says so; absent: it is, as its document says. Agents are not told: they have the document"},
    END};
const tc_shape tc_shape_privacy = {"Ledger", "The privacy ledger, which anybody can check", privacy, false};

/* ---- failures ---- */

static const tc_field problem[] = {
    {"type",      TEXT,   TC_NEEDED, .help = "urn:tacit:problem: and a stable word for programs"},
    {"title",     TEXT,   TC_NEEDED, .help = "What kind of failure"},
    {"status",    WHOLE,  TC_NEEDED, 400, 599, .help = "The status of HTTP"},
    {"detail",    TEXT,   TC_NEEDED, .help = "One sentence for people"},
    {"requested", NUMBER, 0, .help = "Refused by the budget: the epsilon that this would have added to what is spent"},
    {"spent",     NUMBER, 0, .help = "Refused by the budget: the epsilon that is spent, proved from the ledger"},
    {"remaining", NUMBER, 0, .help = "Refused by the budget: the epsilon that is left"},
    {"delta",     NUMBER, 0, .help = "Refused by the budget: the delta that these hold at"},
    END};
const tc_shape tc_shape_problem = {"Problem", "A failure (RFC 9457)", problem, false};

/* ---- events ---- */

static const char *const round_event[] = {"round", NULL}, *const study_event[] = {"study", NULL},
                  *const trial_event[] = {"trial", NULL}, *const reset_event[] = {"reset", NULL};
static const char *const event_states[] = {"running", "paused", "closed", "erased", NULL};
static const char *const event_phases[] = {"open", "closing", "closed", "void", NULL};

static const tc_field round_said[] = {
    {"event",       TEXT,  TC_NEEDED, .words = round_event, .help = "\"round\""},
    {"study",       TEXT,  TC_NEEDED, .help = "The study's name"},
    {"round",       WHOLE, TC_NEEDED, .help = "Which round"},
    {"phase",       TEXT,  TC_NEEDED, .words = event_phases, .help = "What it has come to"},
    {"deadline_ms", WHOLE, TC_NEEDED, .help = "Its public deadline, Unix milliseconds; 0: none"},
    END};
static const tc_shape shape_round_said = {"RoundEvent", "A round has come to another phase", round_said, false};

static const tc_field study_said[] = {
    {"event", TEXT, TC_NEEDED, .words = study_event, .help = "\"study\""},
    {"study", TEXT, TC_NEEDED, .help = "The study's name"},
    {"state", TEXT, TC_NEEDED, .words = event_states, .help = "What it has come to"},
    END};
static const tc_shape shape_study_said = {"StudyEvent", "A study was made, paused, resumed, closed or erased", study_said, false};

static const tc_field trial_said[] = {
    {"event", TEXT,  TC_NEEDED, .words = trial_event, .help = "\"trial\""},
    {"study", TEXT,  TC_NEEDED, .help = "The study's name"},
    {"trial", WHOLE, TC_NEEDED, .help = "Its number"},
    {"state", TEXT,  TC_NEEDED, .help = "What it has come to"},
    {"value", NUMBER, TC_NEEDED | TC_OR_NULL, .help = "What came of it; null: nothing yet"},
    END};
static const tc_shape shape_trial_said = {"TrialEvent", "A trial of a served study has come to another state", trial_said, false};

static const tc_field reset_said[] = {
    {"event", TEXT, TC_NEEDED, .words = reset_event, .help = "\"reset\""},
    END};
static const tc_shape shape_reset_said = {"ResetEvent", "Events were missed: read again what you need to know", reset_said, false};

const tc_event_shape tc_event_shapes[] = {
    {"round", &shape_round_said},
    {"study", &shape_study_said},
    {"trial", &shape_trial_said},
    {"reset", &shape_reset_said},
    {NULL, NULL}};

/* ---- queries ---- */

#define LIMIT {"limit", WHOLE, 0, 1, 1000, 100, .help = "How many at most"}

const tc_field tc_query_page[] = {
    {"after", TEXT, 0, 1, 127, .help = "The last one of the page before"},
    LIMIT, END};
const tc_field tc_query_numbers[] = {
    {"after", WHOLE, 0, 0, WHOLE_MOST, .help = "The last one of the page before"},
    LIMIT, END};
const tc_field tc_query_ledger[] = {
    {"after", WHOLE, 0, 0, WHOLE_MOST, .help = "The last entry of the page before"},
    {"limit", WHOLE, 0, 1, 1000000, .help = "How many at most; absent: all"},
    END};
const tc_field tc_query_wait[] = {
    {"wait", WHOLE, 0, 0, 86400, .help = "Seconds to wait for another answer than 202; more than 60 are 60"},
    END};
const tc_field tc_query_events[] = {
    {"study", TEXT, 0, 1, 127, .help = "Of this study alone"},
    END};
