/* privacy_sheet_kinds.c - what `tacit privacy sheet` says of each kind of study, in tables of sentences. They are read by people
 * who do not know the program: a word of the trade stands in `words`, too. */
#include "privacy/privacy_sheet.h"

#include <stddef.h>

/* ---- what several kinds share */

#define AGENT_KEEPS                                                                                \
    {                                                                                              \
        "each party's storage",                                                                    \
            "trials with their values, the party's key, what it sent, and its own ledger. Until "  \
            "the party runs `tacit erase`: that leaves the study's hash, and the ledger, which "   \
            "counts what was spent and has no data of a person"                                    \
    }
#define COORDINATOR_KEEPS                                                                          \
    {                                                                                              \
        "the coordinator's storage",                                                               \
            "the document, the roster with the parties' public keys, hashes of tokens, how each "  \
            "round ended, and what was released. Until the operator runs `tacit remote delete`"    \
    }
#define COORDINATOR_STAYS                                                                          \
    {                                                                                              \
        "the coordinator's ledger and log",                                                        \
            "what was released at which price, and who did what when with the study. They stay "   \
            "after `tacit remote delete`, as long as the storage does"                             \
    }
#define BACKUPS                                                                                    \
    {                                                                                              \
        "backups", "what the storage had when they were made. Until somebody removes the files: "  \
                   "deleting a study does not reach them"                                          \
    }
#define HOW_LONG                                                                                   \
    {                                                                                              \
        "how long",                                                                                \
            "no time is set: nothing of a study is deleted until somebody deletes it. `tacit "     \
            "remote expire` lets a study at a coordinator end at a given time: then it takes "     \
            "nothing any more, but what it has stays until it is deleted"                          \
    }
#define AGENT_TIMING                                                                               \
    "that a party takes part, when it answers and how long it takes, its network address, how "    \
    "many trials it runs between two rounds as far as timing tells"
#define NETWORK                                                                                    \
    {                                                                                              \
        "the network", "addresses, sizes and times: what is sent is encrypted (TLS)"               \
    }
#define NETWORK_IF_SERVED                                                                          \
    {                                                                                              \
        "the network", "where a coordinator serves the study: addresses, sizes and times; what "   \
                       "is sent is encrypted (TLS)"                                                \
    }
#define PROGRAM                                                                                    \
    {                                                                                              \
        "the party's own program is trusted by that party",                                        \
            "it sees the party's data and the configurations; tacit does not look into it"         \
    }

#define WORD_CONFIGURATION                                                                         \
    {                                                                                              \
        "configuration", "one choice of the settings that the study searches for; a trial tries "  \
                         "one, and its value says how good it was"                                 \
    }
#define WORD_NOISE                                                                                 \
    {"noise", "random numbers that are added, so that it is hard to tell what is behind them; "    \
              "standard deviation: how large they are, typically"},                                \
    {                                                                                              \
        "release", "what is given to others, with noise in it"                                     \
    }
#define WORD_LEDGER                                                                                \
    {                                                                                              \
        "ledger", "the list of all that was released and of what it cost; what would exceed the "  \
                  "limit is not released"                                                          \
    }
#define WORD_NEIGHBOURS                                                                            \
    {                                                                                              \
        "neighbours", "the two cases that shall be hard to tell apart"                             \
    }
#define WORD_CONSTANT                                                                              \
    {                                                                                              \
        "public constant", "a number that everybody may know and that does not depend on the data" \
    }
#define WORD_ROSTER                                                                                \
    {                                                                                              \
        "roster", "the list of the parties that may take part"                                     \
    }
#define WORD_AGENT                                                                                 \
    {                                                                                              \
        "agent", "a party, and the program that takes part for it"                                 \
    }

/* ---- messages that are summed */

static const tc_sheet_line sum_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; records stay there"},
    {"party to coordinator",
     "one signed message in each round: numbers that are computed from the party's trials; no "
     "record of a person"},
    {"coordinator to everybody",
     "the sum of the messages of a round with the noise that the document says, once, after the "
     "coordinator's ledger has its price"},
    {NULL, NULL}};
static const tc_sheet_line bare_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; records stay there"},
    {"party to coordinator",
     "one signed message in each round: numbers that are computed from the party's trials"},
    {"coordinator to everybody", "what is made of the messages of a round, without noise: it may "
                                 "tell a single party's values"},
    {NULL, NULL}};
static const tc_sheet_line sum_sees[] = {
    {"the party itself", "everything of its own"},
    {"other parties", "the releases: sums with noise; not who is on the roster"},
    {"the coordinator",
     "every party's message as it is, until the round is closed: from it the party's trials, "
     "configurations and values, can be read; who sends and when"},
    {"the operator", "the roster, fingerprints of keys, how rounds ended and the releases; whoever "
                     "runs the coordinator's machine can see what the coordinator sees"},
    NETWORK,
    {NULL, NULL}};
static const tc_sheet_line bare_sees[] = {
    {"the party itself", "everything of its own"},
    {"other parties", "what is made of the messages of all, without noise; not who is on the "
                      "roster"},
    {"the coordinator", "every party's message as it is, until the round is closed: from it the "
                        "party's trials can be read; who sends and when"},
    {"the operator", "the roster, fingerprints of keys, how rounds ended and what came out; "
                     "whoever runs the coordinator's machine can see what the coordinator sees"},
    NETWORK,
    {NULL, NULL}};
static const tc_sheet_line sum_kept[] = {
    AGENT_KEEPS,
    COORDINATOR_KEEPS,
    {"messages to a sum", "at the coordinator until their round is closed, then overwritten; a "
                          "party that withdraws has its open message erased; no backup has them"},
    COORDINATOR_STAYS,
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line sum_assumes[] = {
    {"the coordinator is trusted", "to add the noise that the document says, once a round, and "
                                   "to show nobody the messages"},
    {"each party's machine is trusted by that party", "with its data, key and ledger"},
    PROGRAM,
    {NULL, NULL}};
static const tc_sheet_line sum_words[] = {
    WORD_CONFIGURATION,
    WORD_AGENT,
    WORD_ROSTER,
    {"round", "one time at which all parties send a message, and one sum of them is released"},
    WORD_NOISE,
    WORD_LEDGER,
    WORD_NEIGHBOURS,
    WORD_CONSTANT,
    {"clip norm", "the largest size that a party's message may have; a larger one is made smaller, "
                  "so that no party can move the sum by more than the noise is made for"},
    {"sampling rate", "the share of the parties that are drawn by lot into a round; 1: all"},
    {"vote on the length-scale", "a first round in which the parties say, with noise, how fast "
                                 "results change when the settings change"},
    {"weights", "the numbers that describe what a party's trials say about all configurations"},
    {NULL, NULL}};

/* ---- the same, added up by trustees */

static const tc_sheet_line shared_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; records stay there"},
    {"party to trustees",
     "in each round, through the coordinator: shares of numbers that are computed from the party's "
     "trials, a sealed box for each trustee; fewer shares than open a sum say nothing"},
    {"trustee to trustees", "in each round, in the same way: shares of the noise that it draws"},
    {"trustee to coordinator", "once for each round, the sum of its shares"},
    {"coordinator to everybody",
     "the sums that the answers of trustees open, with their noise, once, after the coordinator's "
     "ledger has its price"},
    {NULL, NULL}};
static const tc_sheet_line shared_sees[] = {
    {"the party itself", "everything of its own"},
    {"other parties", "the releases: sums; the keys of everybody on the roster"},
    {"a trustee", "shares, each of which says nothing by itself; who sends and when. As many as "
                  "open a sum, together, could open a single party's numbers: whoever "
                  "controls so many sees them"},
    {"the coordinator", "sealed boxes, and the sums of a round; who sends and when"},
    {"the operator", "the roster, fingerprints of keys, how rounds ended and the releases"},
    NETWORK,
    {NULL, NULL}};
static const tc_sheet_line shared_kept[] = {
    AGENT_KEEPS,
    COORDINATOR_KEEPS,
    {"boxes with shares", "at the coordinator until their round is over, then overwritten; a "
                          "trustee erases its key of a round before its answer leaves, and from "
                          "then on they cannot be opened; no backup has these keys"},
    COORDINATOR_STAYS,
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line shared_assumes[] = {
    {"no more trustees work with the coordinator than the document says",
     "the others draw the noise, keep their shares to themselves and answer once for each round; "
     "the coordinator is trusted to deliver, and with nothing else"},
    {"each party's machine is trusted by that party", "with its data, key and ledger"},
    {"the roster is the one that the others have", "parties compare its fingerprint, which each of "
                                                   "them prints"},
    {"the cryptography holds", "X25519, XSalsa20-Poly1305 and Ed25519"},
    PROGRAM,
    {NULL, NULL}};
static const tc_sheet_line shared_words[] = {
    WORD_CONFIGURATION,
    WORD_AGENT,
    WORD_ROSTER,
    {"trustee", "an organisation, or a party, that adds up shares and deals noise"},
    {"share", "numbers that look drawn by lot; so many of them as the document says make the "
              "numbers that they are shares of, fewer say nothing about these"},
    {"round", "one time at which all parties send shares, and sums are opened"},
    WORD_NOISE,
    WORD_LEDGER,
    WORD_NEIGHBOURS,
    WORD_CONSTANT,
    {"clip norm", "the largest size that a party's numbers may have: each party makes its own "
                  "smaller, since nobody else sees them; one that does not can spoil the sum, and "
                  "learns nothing by it"},
    {"vote on the length-scale", "a first round in which the parties say, with noise, how fast "
                                 "results change when the settings change"},
    {"weights", "the numbers that describe what a party's trials say about all configurations"},
    {NULL, NULL}};

/* ---- messages that are handed on */

static const tc_sheet_line relay_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; records stay there"},
    {"party to coordinator",
     "messages that summarize the party's trials, as they are: its values can be told from them"},
    {"coordinator to every other party", "these messages, one by one, without noise"},
    {NULL, NULL}};
static const tc_sheet_line relay_sees[] = {
    {"the party itself", "everything of its own"},
    {"every other party", "single messages of the others, without noise: what the trials of each "
                          "of them found"},
    {"the coordinator", "every message; who sends and when"},
    {"the operator", "the same, the roster and fingerprints of keys"},
    NETWORK,
    {NULL, NULL}};
static const tc_sheet_line relay_kept[] = {
    AGENT_KEEPS,
    {"other parties' storages", "the messages that they were handed: they alone can delete "
                                "them"},
    COORDINATOR_KEEPS,
    {"messages", "at the coordinator with the study, for they are handed on; `tacit remote "
                 "delete` deletes them there"},
    COORDINATOR_STAYS,
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line trusts_all[] = {
    {"the coordinator and all other parties are trusted", "with what the messages tell"},
    PROGRAM,
    {NULL, NULL}};
static const tc_sheet_line relay_words[] = {
    WORD_CONFIGURATION, WORD_ROSTER, WORD_LEDGER, {NULL, NULL}};

/* ---- values of records */

#define RECORD_INSIDE                                                                              \
    {                                                                                              \
        "inside a party",                                                                          \
            "its program evaluates a configuration on validation records; the value gets noise "   \
            "before anything else sees it, after the party's ledger has its price"                 \
    }
#define RECORD_LEDGER                                                                              \
    {                                                                                              \
        "the party's ledger",                                                                      \
            "what was released, at its price: mechanisms, prices, and the values with noise. It "  \
            "stays, for a limit that forgets is none"                                              \
    }
#define RECORD_RAW                                                                                 \
    {                                                                                              \
        "the value as it is, without noise", "nowhere"                                             \
    }
static const tc_sheet_line record_flow[] = {
    RECORD_INSIDE,
    {"the value with noise", "is what the study, its storage and everybody who reads it has"},
    {NULL, NULL}};
static const tc_sheet_line record_federated_flow[] = {
    RECORD_INSIDE,
    {"party to coordinator", "one signed message in each round, made of values with noise alone"},
    {"coordinator to everybody", "the messages, or what is made of them"},
    {NULL, NULL}};
static const tc_sheet_line record_sees[] = {
    {"the party's program", "its records and the value as it is, which ends in it"},
    {"whoever reads the study", "configurations and values with noise: a coordinator and its "
                                "operator too, where one serves the study"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const tc_sheet_line record_federated_sees[] = {
    {"the party's program", "its records and the value as it is, which ends in it"},
    {"the party's storage", "its configurations and values with noise"},
    {"other parties", "what the messages tell of the party's configurations and values with noise, "
                      "and may do with it what they like: that costs nothing more"},
    {"the coordinator and its operator", "the same; the roster, fingerprints of keys, who "
                                         "sends and when"},
    NETWORK,
    {NULL, NULL}};
static const tc_sheet_line record_kept[] = {
    {"the study's storage", "configurations and values with noise. Until `tacit erase`, or `tacit "
                            "remote delete` where a coordinator serves the study"},
    RECORD_LEDGER,
    RECORD_RAW,
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line record_federated_kept[] = {
    {"each party's storage", "configurations and values with noise, the party's key, what it sent "
                             "and was sent. Until the party runs `tacit erase`: that leaves the "
                             "study's hash, the ledger and what was declared about records"},
    RECORD_LEDGER,
    RECORD_RAW,
    COORDINATOR_KEEPS,
    {"messages", "at the coordinator: with the study where it hands them on one by one (fts, rgpe, "
                 "taf), else until their round is closed"},
    COORDINATOR_STAYS,
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line record_assumes[] = {
    {"the party's program is trusted", "to bound each record's loss as the document says, and to "
                                       "give values out by no other way"},
    {"the coordinator need not be trusted", "with the records: values have their noise before "
                                            "they leave the party"},
    {NULL, NULL}};
static const tc_sheet_line record_words[] = {
    WORD_CONFIGURATION,
    {"validation record", "the data of one case on which it is measured how good a model is; not "
                          "those that it was trained on"},
    {"loss", "how wrong a model is about one record; a value is the mean over all records"},
    WORD_AGENT,
    WORD_NOISE,
    WORD_LEDGER,
    WORD_NEIGHBOURS,
    WORD_CONSTANT,
    {"sensitivity", "the most by which one record can change a value"},
    {NULL, NULL}};

/* ---- replies of users */

static const tc_sheet_line ldp_flow[] = {
    {"inside a user's device", "the reward is moved into public bounds and gets noise once, after "
                               "the user's own ledger has its price"},
    {"user to the study", "the reply, which is the reward with noise: one number for one "
                          "configuration"},
    {NULL, NULL}};
static const tc_sheet_line ldp_sees[] = {
    {"the user", "their own rewards"},
    {"other users", "no reply of another; but the configurations that they are asked about depend "
                    "on all replies"},
    {"the server and its operator", "replies with noise, which configuration each is about, when "
                                    "it came and from which network address"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const tc_sheet_line ldp_kept[] = {
    {"the user's device", "a ledger with the replies that were given, so that none is drawn "
                          "twice; the reward is kept nowhere"},
    {"the study's storage", "configurations and replies. Until `tacit erase`, or `tacit remote "
                            "delete` where a coordinator serves the study"},
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line ldp_assumes[] = {
    {"the server need not be trusted", "with rewards: it never has one"},
    {"the user's device is trusted by the user", "with rewards and the ledger"},
    {NULL, NULL}};
static const tc_sheet_line ldp_words[] = {
    WORD_CONFIGURATION,
    {"reward", "what a user says about one configuration: how good it was for them"},
    {"clamped", "a number outside the bounds counts as the nearest bound"},
    WORD_NOISE,
    WORD_LEDGER,
    WORD_NEIGHBOURS,
    {NULL, NULL}};

/* ---- rows of a curator */

static const tc_sheet_line outsourced_flow[] = {
    {"curator to modeler", "the rows of a table with noise, once, in a secret order"},
    {"modeler to curator", "which row to ask about next, by number"},
    {"curator to modeler", "the answer about that row: as it is, unless the curator answers "
                           "privately (--output-epsilon)"},
    {NULL, NULL}};
static const tc_sheet_line outsourced_sees[] = {
    {"the curator", "the table, the order and the answers"},
    {"the modeler, and a coordinator in its place", "rows with noise and answers by number"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const tc_sheet_line outsourced_kept[] = {
    {"the curator", "the table, the order and a ledger of what was released. The ledger stays"},
    {"the modeler's storage", "released rows, questions and answers. Until `tacit erase`, or "
                              "`tacit remote delete` where a coordinator is the modeler"},
    {"the file that was released", "rows with noise; it is wherever it was copied to"},
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line outsourced_assumes[] = {
    {"the modeler need not be trusted", "with the rows; it knows the answers"}, {NULL, NULL}};
static const tc_sheet_line outsourced_words[] = {
    {"curator", "who has the table and shows it to nobody"},
    {"modeler", "who says which rows to ask about, and knows rows with noise alone"},
    WORD_LEDGER,
    {NULL, NULL}};

/* ---- no promise at all */

static const tc_sheet_line plain_flow[] = {
    {"inside the party", "its program evaluates configurations; values go into the study's "
                         "storage as they are"},
    {"worker to coordinator", "where one serves the study: configurations and values as they are"},
    {NULL, NULL}};
static const tc_sheet_line plain_sees[] = {
    {"whoever reads the storage", "all configurations and values"},
    {"a coordinator, its operator and its clients", "the same, where one serves the study"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const tc_sheet_line plain_kept[] = {
    {"the study's storage", "everything. Until `tacit erase`, or `tacit remote delete` where a "
                            "coordinator serves the study"},
    BACKUPS,
    HOW_LONG,
    {NULL, NULL}};
static const tc_sheet_line plain_assumes[] = {
    {"everybody with the storage or a token is trusted", "with the values"}, PROGRAM, {NULL, NULL}};
static const tc_sheet_line plain_words[] = {WORD_CONFIGURATION, {NULL, NULL}};

#define PARTIES "parties, each with data of its own, and a coordinator"
#define ROUNDS  "What leaves, round by round"

const tc_sheet_kind tc_sheet_kinds[TC_SHEET_KINDS] = {
    [TC_SHEET_SUM] = {true, PARTIES, sum_flow, sum_sees, sum_kept, AGENT_TIMING, sum_assumes,
                      sum_words,
                      "This holds towards everybody but the coordinator and whoever runs it: they "
                      "see the messages as they are, and are trusted.",
                      ROUNDS, "round"},
    [TC_SHEET_SHARED] = {true, "parties, each with data of its own, trustees and a coordinator",
                         shared_flow, shared_sees, shared_kept,
                         "whether and when a party takes part in a round", shared_assumes,
                         shared_words,
                         "This holds towards the coordinator, too, together with as many trustees "
                         "as the document allows for.",
                         ROUNDS, "round"},
    [TC_SHEET_SUM_BARE] = {true, PARTIES, bare_flow, bare_sees, sum_kept, AGENT_TIMING, trusts_all,
                           relay_words, NULL, ROUNDS, "round"},
    [TC_SHEET_RELAY] = {true, PARTIES, relay_flow, relay_sees, relay_kept, AGENT_TIMING, trusts_all,
                        relay_words, NULL, ROUNDS, "round"},
    [TC_SHEET_RECORDS] = {false, "one party with validation records", record_flow, record_sees,
                          record_kept, NULL, record_assumes, record_words, NULL,
                          "What each evaluation costs", "evaluation"},
    [TC_SHEET_RECORDS_FEDERATED] = {true, "parties with validation records, and a coordinator",
                                    record_federated_flow, record_federated_sees,
                                    record_federated_kept, AGENT_TIMING, record_assumes,
                                    record_words, NULL,
                                    "What each evaluation of a party costs; messages are made of "
                                    "these values and cost nothing more",
                                    "evaluation"},
    [TC_SHEET_LDP] = {false, "users, each of whom replies about configurations, and a server",
                      ldp_flow, ldp_sees, ldp_kept, NULL, ldp_assumes, ldp_words, NULL,
                      "What each reply of a user costs", "reply"},
    [TC_SHEET_OUTSOURCED] = {false,
                             "a curator with a table of rows, and a modeler that never sees it",
                             outsourced_flow, outsourced_sees, outsourced_kept,
                             "which rows are asked about; the answers, unless they are private",
                             outsourced_assumes, outsourced_words, NULL, ROUNDS, "round"},
    [TC_SHEET_PLAIN] = {false, "one party, with workers of its own", plain_flow, plain_sees,
                        plain_kept, NULL, plain_assumes, plain_words, NULL, ROUNDS, "round"}};
