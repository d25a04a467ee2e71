/* statement.c - the words of a guarantee (statement.h). */
#include "privacy/statement.h"

#include "privacy/shared_sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *tc_statement_adjacency(tacit_unit unit, tacit_dp_sampling sampling)
{
    if (sampling == TACIT_DP_POISSON_REPLACED)
        return tc_statement_related(unit, TACIT_RELATION_REPLACE_ONE);
    if (sampling == TACIT_DP_FIXED_SIZE)
        return "all that one member contributes is replaced by what another could have "
               "contributed; the number of members, the size of a sample, clip norm and noise are "
               "public constants";
    switch (unit) {
    case TACIT_UNIT_AGENT:
        return "all that one agent contributes is replaced by zeros, which is the same as its "
               "absence; roster, weights, clip norm, sampling rate and noise are public constants";
    case TACIT_UNIT_ROW:
        return "one row moves by at most the public radius; the number of rows, their bounds and "
               "the noise are public constants";
    case TACIT_UNIT_RECORD:
        return "one validation record of one agent is replaced by another; the number of records, "
               "the bounds of each one's loss, the number of evaluations and the noise are public "
               "constants";
    case TACIT_UNIT_USER:
        break;
    }
    return "any two values of one user, clamped to public bounds";
}

const char *tc_statement_related(tacit_unit unit, tacit_relation relation)
{
    switch (relation) {
    case TACIT_RELATION_ADD_REMOVE:
        return "all that one member contributes is added or removed; sampling rate, clip norm, "
               "noise and the number of releases are public constants";
    case TACIT_RELATION_REPLACE_ONE:
        return "all that one member contributes is replaced by what another could have "
               "contributed; the number of members, sampling rate, clip norm, noise and the number "
               "of releases are public constants";
    case TACIT_RELATION_ZERO_OUT:
        return tc_statement_adjacency(TACIT_UNIT_AGENT, TACIT_DP_ALL);
    case TACIT_RELATION_DISTANCE:
        return tc_statement_adjacency(TACIT_UNIT_ROW, TACIT_DP_ALL);
    case TACIT_RELATION_USUAL:
        break;
    }
    return tc_statement_adjacency(unit, TACIT_DP_ALL);
}

const char *tc_statement_not_protected(tacit_unit unit)
{
    switch (unit) {
    case TACIT_UNIT_AGENT:
        return "being on the roster, being online, when an agent answers, and whatever leaves by "
               "another way than these releases";
    case TACIT_UNIT_ROW:
        return "the number of rows, which rows are asked about, whatever leaves by another way "
               "than "
               "these releases, and moves beyond the radius "
               "(over m radii epsilon is m times, delta m e^((m-1) epsilon) times as large)";
    case TACIT_UNIT_RECORD:
        return "which agents take part, how many records each one has, when and how long it "
               "evaluates, the records that its models were trained on, unless their training is "
               "among these releases, and whatever leaves by another way than these releases; that "
               "the program bounds the loss of every single "
               "record is the agent's word, and a person with several records, or with records "
               "at several agents, pays for each";
    case TACIT_UNIT_USER:
        break;
    }
    return "that a user replied, when and how often (m replies cost m times as much), and whatever "
           "leaves by another way than these replies";
}

/* An agent can check neither the noise nor the coins, nor that all have been told the same. */
const char *tacit_statement_trust(void)
{
    return "Towards everybody but the coordinator, which sees the vectors and is trusted to sample "
           "and to draw the noise as the document says, once a round";
}

/* More of them than the document counts on, one row for each number. */
static void add_left(tc_text *out, const tc_trustees *t)
{
    uint32_t c = t->colluding + 1;
    for (double left; (left = tc_trustees_left(t, c)) > 0; c++)
        tc_text_addf(out,
                     " With %u colluding trustees the noise multiplier is %.3f times what is "
                     "planned.",
                     (unsigned)c, floor(1000 * left) / 1000);
    tc_text_addf(out, " With %u or more nothing is promised", (unsigned)c);
}

void tc_statement_add_trust(tc_text *out, const tc_trustees *t)
{
    if (t->count == 0) {
        tc_text_add(out, tacit_statement_trust());
        return;
    }
    tc_text_addf(
        out,
        "Against an adversary who controls the coordinator, up to %u of the %u trustees and any "
        "set of other agents; towards everybody else, too. Assumed: the other trustees draw "
        "and deal the noise, keep their shares to themselves and answer once for each round; "
        "the agent has compared the roster's fingerprint; X25519, XSalsa20-Poly1305 and Ed25519 "
        "are secure. Each agent clips its own vector: nobody sees it, so nobody can "
        "hold others to the clip norm.",
        (unsigned)t->colluding, (unsigned)t->count);
    add_left(out, t);
}

static bool reads_within(const char *text, double x, bool up)
{
    double shown = 0;
    return tc_parse_double(text, &shown) && (up ? shown >= x : shown <= x);
}

/* The nearest six digits or, if they lie on the wrong side of x, the next ones. Where a unit of the
 * sixth digit is lost to underflow or overflow, all seventeen digits, which read back as x. */
static void directed(char out[32], double x, bool up)
{
    snprintf(out, 32, "%.6g", x);
    if (reads_within(out, x, up))
        return;
    double unit = pow(10, floor(log10(fabs(x))) - 5);
    snprintf(out, 32, "%.6g", up ? x + 0.75 * unit : x - 0.75 * unit);
    if (!reads_within(out, x, up))
        snprintf(out, 32, "%.17g", x);
}

void tacit_epsilon_text(char out[32], double epsilon)
{
    if (!out)
        return;
    if (isfinite(epsilon))
        directed(out, epsilon, true);
    else
        snprintf(out, 32, "infinite");
}

void tacit_delta_text(char out[32], double delta)
{
    if (!out)
        return;
    if (isfinite(delta))
        directed(out, delta, true);
    else
        snprintf(out, 32, "1");
}

void tacit_lower_text(char out[32], double bound)
{
    if (!out)
        return;
    if (isfinite(bound))
        directed(out, bound, false);
    else
        snprintf(out, 32, bound > 0 ? "infinite" : "0");
}

static void add_numbers(tc_text *out, const tacit_guarantee *g)
{
    char epsilon[32], delta[32];
    tacit_epsilon_text(epsilon, g->epsilon);
    tacit_delta_text(delta, g->delta);
    if (isfinite(g->epsilon))
        tc_text_addf(out, "epsilon %s, delta %s", epsilon, delta);
    else
        tc_text_add(out, "no guarantee");
}

void tc_statement_add_bound(tc_text *out, const tacit_guarantee *g, uint64_t releases,
                            tacit_unit unit)
{
    tc_text_addf(out, "every %s: ", tacit_unit_name(unit));
    add_numbers(out, g);
    tc_text_addf(out, " (%s) over %" PRIu64 " release%s. ", g->accountant, releases,
                 releases == 1 ? "" : "s");
}

/* What is not protected where a program trains on the records (a stated relation), instead of evaluating on them. */
static const char *not_protected_in_training(void)
{
    return "when and how long the computation runs, and whatever leaves by another way than these "
           "releases; that each record's contribution is bounded is the trainer's word, and a "
           "person with several records pays for each";
}

void tc_statement_add_related(tc_text *out, tacit_unit unit, tacit_relation relation)
{
    bool training = unit == TACIT_UNIT_RECORD && relation != TACIT_RELATION_USUAL;
    tc_text_addf(out, "Neighbours: %s. Not protected: %s.", tc_statement_related(unit, relation),
                 training ? not_protected_in_training() : tc_statement_not_protected(unit));
    if (unit == TACIT_UNIT_AGENT)
        tc_text_addf(out, " %s.", tacit_statement_trust());
}

void tc_statement_add_scope(tc_text *out, tacit_unit unit, tacit_dp_sampling sampling)
{
    tc_text_addf(out, "Neighbours: %s. Not protected: %s.", tc_statement_adjacency(unit, sampling),
                 tc_statement_not_protected(unit));
    if (unit == TACIT_UNIT_AGENT)
        tc_text_addf(out, " %s.", tacit_statement_trust());
}

void tc_statement_add_round_scope(tc_text *out, tacit_unit unit, tacit_dp_sampling sampling,
                                  const tc_trustees *t)
{
    if (unit == TACIT_UNIT_AGENT && t->count > 0) {
        tc_text_add(out, "Neighbours: " TC_SHARED_ADJACENCY
                         ". Not protected: being on the roster, whether and when an agent takes "
                         "part in a round, and whatever leaves by another way than these "
                         "releases. ");
        tc_statement_add_trust(out, t);
        tc_text_add(out, ".");
    } else if (unit == TACIT_UNIT_ROW)
        tc_text_addf(
            out,
            "Neighbours: one reward of one agent, which is a row here, is replaced by any "
            "other in the public range; no reward is in two releases; roster, range, number "
            "of rewards and noise are public constants. Not protected: an agent as a whole, "
            "a person whose data are in several rewards (in m of them epsilon is m times as "
            "large), being on the roster, being online, when an agent answers, and whatever "
            "leaves by another way than these releases. %s.",
            tacit_statement_trust());
    else
        tc_statement_add_scope(out, unit, sampling);
}

void tc_statement_add(tc_text *out, const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                      tacit_dp_sampling sampling)
{
    tc_statement_add_bound(out, g, releases, unit);
    tc_statement_add_scope(out, unit, sampling);
}

void tc_statement_add_best_of(tc_text *out, const tacit_guarantee *g, const tacit_repeats *r)
{
    bool poisson = r->kind == TACIT_REPEATS_POISSON;
    tc_text_add(out, "The best of K private runs: ");
    add_numbers(out, g);
    tc_text_addf(out, " (%s; Papernot and Steinke 2022), where K is %s with mean %g", g->accountant,
                 poisson ? "Poisson" : "truncated negative binomial", r->mean);
    if (!poisson)
        tc_text_addf(out, " and shape %g", r->shape);
    tc_text_add(out,
                ". Neighbours: those of a run's releases. It holds if all runs have the same "
                "distribution (each draws its own hyper-parameters and scores itself privately, "
                "within the releases counted here; one that fails counts as worst and is not done "
                "again), if K is drawn without looking at data or results and stays secret (not "
                "shown, capped, drawn again, or to be told from a running time or a log), and if "
                "nothing leaves but the winner");
    tc_text_add(out, poisson ? ", which is nothing where K is 0." : ".");
    tc_text_add(out, " A search that chooses points in view of earlier results is not covered.");
}
