/* shape_served.c - what requests and answers of served studies look like (shape.h). */
#include "coord/shape.h"

#include "study/study.h"

/* clang-format off */

#define END {.name = NULL}
#define TEXT   TC_FIELD_TEXT
#define WHOLE  TC_FIELD_WHOLE
#define YES    TC_FIELD_YES
#define NUMBER TC_FIELD_NUMBER
#define OBJECT TC_FIELD_OBJECT
#define MAP    TC_FIELD_MAP
#define WHOLE_MOST 9223372036854775807.0

static const char *const trial_states[] = {"WAITING", "RUNNING", "COMPLETE", "FAIL", "STALE", "PRUNED", "DELETED", NULL};
static const char *const prune_rules[] = {"none", "median", "asha", NULL};

/* ---- bodies ---- */

#define WORKER {"worker", TEXT, TC_NEEDED, 1, 255, .help = "Who will run it, in printable ASCII", .example = "\"gpu-1\""}
#define LEASE {"lease_s", NUMBER, 0, TACIT_LEASE_LEAST_S, TACIT_LEASE_MOST_S, 3600, .help = "Seconds after which others may have it; less than 10 count as 10", .example = "3600"}

static const tc_field suggest[] = {
    WORKER,
    {"count", WHOLE, 0, 1, 1000, 1, .help = "How many trials", .example = "1"},
    LEASE,
    {"pulls", WHOLE, 0, 0, 100000, .help = "Trials may be batches of so many evaluations at most; 0: each is one"},
    {"from", TEXT, 0, 1, 255, .help = "A worker that is gone and whose trial this one takes over; with trial"},
    {"trial", WHOLE, 0, 0, WHOLE_MOST, .help = "Which one that is; it alone is given then"},
    END};
const tc_shape tc_shape_suggest = {"Suggest", "A worker that wants trials", suggest, false};

static const tc_field complete[] = {
    {"value",  NUMBER, TC_ONE_OF, .help = "What came of it", .example = "0.5"},
    {"reply",  NUMBER, TC_ONE_OF, .help = "A private reply, perturbed by who sends it"},
    {"values", NUMBER, TC_ONE_OF | TC_LIST_OF, .help = "All pulls of a batch"},
    {"outcomes", MAP,  TC_ONE_OF, .help = "Several objectives, or constraints: all that it came to, by name"},
    {"failed", TEXT,   TC_ONE_OF, 1, 4096, .help = "Why there is no value"},
    {"pruned", YES,    TC_ONE_OF, .help = "true: it was ended early, and came to its last intermediate value"},
    {"reason", TEXT,   0, 1, 4096, .help = "With pruned: by which rule, say"},
    {"params", MAP,    0, .help = "The point that was really run"},
    {"noise_sd", NUMBER, 0, .help = "The standard deviation of noise that is known to be in value; 0: none is known. Needed where the study protects records"},
    END};
const tc_shape tc_shape_complete = {"Complete", "What came of a trial", complete, false};

static const tc_field report[] = {
    {"step",  WHOLE,  TC_NEEDED, 0, 9007199254740992.0, .help = "How far the trial is: an epoch, say", .example = "3"},
    {"value", NUMBER, TC_NEEDED, .help = "What it has come to", .example = "0.41"},
    {"earlier_steps", WHOLE, TC_LIST_OF, 0, 9007199254740992.0, .help = "Of reports before it that were not made yet, 999 at most: each is taken and judged in order, up to the first by which the trial should be ended"},
    {"earlier_values", NUMBER, TC_LIST_OF, .help = "Their values"},
    {"attempt", WHOLE, 0, 1, WHOLE_MOST, .help = "As the suggestion says; absent: there was one alone", .example = "1"},
    {"noise_sd", NUMBER, 0, .help = "The standard deviation of noise that is known to be in each value; needed where the study protects records"},
    {"prune", TEXT,   0, .words = prune_rules, .help = "The rule by which it is judged; absent: none", .example = "\"median\""},
    {"warmup",     WHOLE, 0, 0, 9007199254740992.0, .help = "No trial is ended at a step below it"},
    {"min_trials", WHOLE, 0, 0, 9007199254740992.0, .help = "So many it must be compared with; 0: median 5, asha as many as factor"},
    {"min_step",   WHOLE, 0, 0, 9007199254740992.0, .help = "asha: the step at which trials are compared first; 0: 1"},
    {"factor",     WHOLE, 0, 0, 1000, .help = "asha: the best of so many go on, 2 at least; 0: 3"},
    END};
const tc_shape tc_shape_report = {"Report", "An intermediate value of a trial", report, false};

static const tc_field heartbeat[] = {WORKER, LEASE, END};
const tc_shape tc_shape_heartbeat = {"Heartbeat", "A worker that is still at it", heartbeat, false};

static const tc_field enqueue[] = {
    {"params", MAP, TC_NEEDED, .help = "The point that is to be run"},
    END};
const tc_shape tc_shape_enqueue = {"Enqueue", "A point that is to be run", enqueue, false};

static const tc_field outsource[] = {
    {"name",     TEXT,  TC_NEEDED, 1, 64, .help = "Of the study that is to be made", .example = "\"loans\""},
    {"released", MAP,   TC_NEEDED, .help = "The released rows, as `tacit curate release` writes them"},
    {"trials",   WHOLE, TC_NEEDED, 1, 1e9, .help = "How many", .example = "60"},
    {"options",  MAP,   0, .help = "Of the algorithm po-gp-ucb"},
    {"seed",     WHOLE, 0, 0, 9007199254740992.0, .help = "Of the first rows that are asked"},
    END};
const tc_shape tc_shape_outsource = {"Outsource", "A curator's released rows", outsource, false};

/* ---- answers ---- */

static const tc_field suggestion[] = {
    {"trial",  WHOLE, TC_NEEDED, .help = "Its number"},
    {"params", MAP,   TC_NEEDED, .help = "The point to be run"},
    {"pulls",  WHOLE, TC_NEEDED, .help = "How often"},
    {"attempt", WHOLE, TC_NEEDED, .help = "How often it was handed out by now, which its reports say"},
    END};
static const tc_shape shape_suggestion = {"Suggestion", "A trial to be run", suggestion, false};

static const tc_field suggested[] = {
    {"trials", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &shape_suggestion, .help = "What the worker has to run, unfinished ones first"},
    END};
const tc_shape tc_shape_suggested = {"Suggested", "Trials for a worker", suggested, false};

static const tc_field trial_state[] = {
    {"trial", WHOLE,  TC_NEEDED, .help = "Its number"},
    {"state", TEXT,   TC_NEEDED, .words = trial_states, .help = "Its state now"},
    {"value", NUMBER, TC_OR_NULL, .help = "What came of it"},
    END};
const tc_shape tc_shape_trial_state = {"TrialState", "The state that a trial was brought to", trial_state, false};

static const tc_field verdict[] = {
    {"trial",    WHOLE,  TC_NEEDED, .help = "Its number"},
    {"stop",     YES,    TC_NEEDED, .help = "true: end it, and say pruned when it is complete"},
    {"step",     WHOLE,  TC_NEEDED, .help = "Of the report that was judged"},
    {"value",    NUMBER, TC_NEEDED, .help = "And its value"},
    {"bound",    NUMBER, TC_NEEDED | TC_OR_NULL, .help = "What the rule compared with; null: nothing"},
    {"compared", WHOLE,  TC_NEEDED, .help = "With so many trials"},
    END};
const tc_shape tc_shape_verdict = {"Verdict", "Should the trial be ended?", verdict, false};

static const tc_field step[] = {
    {"step",  WHOLE,  TC_NEEDED, .help = "How far the trial was"},
    {"value", NUMBER, TC_NEEDED, .help = "What it had come to"},
    END};
static const tc_shape shape_step = {"Step", "An intermediate value", step, false};

static const tc_field trial[] = {
    {"trial",      WHOLE,  TC_NEEDED, .help = "Its number"},
    {"state",      TEXT,   TC_NEEDED, .words = trial_states, .help = "Where it stands"},
    {"params",     MAP,    TC_NEEDED, .help = "The point"},
    {"value",      NUMBER, TC_OR_NULL, .help = "What came of it"},
    {"worker",     TEXT,   TC_OR_NULL, .help = "Who runs or ran it"},
    {"started_ms", WHOLE,  TC_OR_NULL, .help = "Unix milliseconds"},
    {"ended_ms",   WHOLE,  TC_OR_NULL, .help = "Unix milliseconds"},
    {"reason",     TEXT,   TC_OR_NULL, .help = "FAIL, DELETED: why it failed; PRUNED: at which step, with what, and by which rule"},
    {"pulls",      WHOLE,  0, .help = "A batch: how many evaluations"},
    {"steps",      OBJECT, TC_LIST_OF, .of = &shape_step, .help = "What it reported on its way; PRUNED: the last one is what it came to"},
    {"outcomes",   MAP,    0, .help = "COMPLETE, with several objectives or constraints: all that it came to, by name; value is the first"},
    {"feasible",   TC_FIELD_YES, 0, .help = "With outcomes: is it within the bounds of all constraints?"},
    END};
const tc_shape tc_shape_trial = {"Trial", "A trial", trial, false};

static const char *const by_words[] = {"model", "seen", "released", NULL};
static const tc_field recommendation[] = {
    {"by",       TEXT,   TC_NEEDED, .words = by_words, .help = "The model, the best value that was seen, or what a federated study has released"},
    {"params",   MAP,    TC_NEEDED, .help = "The point"},
    {"mean",     NUMBER, TC_NEEDED | TC_OR_NULL, .help = "Of the function there; released: in standard deviations of an agent's first values, more is better; null: seen"},
    {"sd",       NUMBER, TC_NEEDED | TC_OR_NULL, .help = "Model: its standard deviation; released: that of the noise of the releases; null: seen"},
    {"trial",    OBJECT, 0, .of = &tc_shape_trial, .help = "Served studies: the first trial at the point"},
    {"releases", WHOLE,  0, .help = "Federated studies: how many it is made of"},
    {"because",  TEXT,   TC_NEEDED, .help = "Why so"},
    END};
const tc_shape tc_shape_recommendation = {"Recommendation", "The point to take", recommendation, false};

static const tc_field trial_list[] = {
    {"trials", OBJECT, TC_NEEDED | TC_LIST_OF, .of = &tc_shape_trial, .help = "In order"},
    {"next",   WHOLE,  TC_NEEDED | TC_OR_NULL, .help = "after= of the next page; null: this is the last"},
    END};
const tc_shape tc_shape_trial_list = {"TrialList", "A page of trials", trial_list, false};

static const tc_field lease[] = {
    {"trial",          WHOLE, TC_NEEDED, .help = "Its number"},
    {"lease_until_ms", WHOLE, TC_NEEDED | TC_OR_NULL, .help = "Unix milliseconds; null: for ever"},
    END};
const tc_shape tc_shape_lease = {"Lease", "How long a worker has a trial", lease, false};

static const tc_field outsourced[] = {
    {"name",  TEXT, TC_NEEDED, .help = "The study"},
    {"token", TEXT, TC_NEEDED, .help = "A client's token for it; it is shown once"},
    END};
const tc_shape tc_shape_outsourced = {"Outsourced", "A study over released rows", outsourced, false};

/* ---- queries ---- */

static const char *const by_asked[] = {"model", "seen", NULL};
const tc_field tc_query_recommend[] = {
    {"by", TEXT, 0, .words = by_asked, .help = "Served studies: the model, or what was seen; absent: the model where values are noisy"},
    END};

const tc_field tc_query_trials[] = {
    {"after", WHOLE, 0, 0, WHOLE_MOST, .help = "The last one of the page before"},
    {"limit", WHOLE, 0, 1, 1000, 100, .help = "How many at most"},
    {"state", TEXT,  0, .words = trial_states, .help = "Those in this state alone"},
    END};
