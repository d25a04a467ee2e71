/* demo_train.c - `tacit demo train`: one trial of a hospital, as its agent runs it.
 *
 * Trains a small neural network on the hospital's records and prints its validation log-loss or error. Any other
 * program could stand in its place (demo_world.c has the command). */
#include "demo/demo_int.h"

#include "base/memory.h"

#include <stddef.h>

typedef struct options {
    int64_t hospital, seed, hidden, records;
    double lr, l2;
    int metric;
} options;

static const tc_option table[] = {
    TC_INT_OPTION("hospital", offsetof(options, hospital), "1", 1, TC_HOSPITALS_MOST,
                  "whose records"),
    TC_DEMO_SEED_OPTION(options),
    TC_FLOAT_OPTION("lr", offsetof(options, lr), "0.01", 0, 1,
                    "learning rate of stochastic gradient descent"),
    TC_FLOAT_OPTION("l2", offsetof(options, l2), "0.01", 0, 10, "weight of the penalty |w|^2 / 2"),
    TC_INT_OPTION("hidden", offsetof(options, hidden), "8", 1, TC_HIDDEN_MOST,
                  "units of the hidden layer"),
    TC_CHOICE_OPTION("metric", offsetof(options, metric), "log-loss", "log-loss|error",
                     "what is printed: the mean log-loss, or the share of wrong answers"),
    TC_INT_OPTION("records", offsetof(options, records), "600", 1, TC_RECORDS_MOST,
                  "how many records it is the mean of"),
    {.name = NULL}};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const tc_settings s = {.lr = o->lr, .l2 = o->l2, .hidden = (unsigned)o->hidden};
    const tc_check check = {.error = o->metric == 1, .records = (size_t)o->records};
    tc_patient *records;
    TC_TRY(tc_hospital_records((uint64_t)o->seed, (unsigned)o->hospital, check.records, &records,
                               err));
    printf("%.17g\n", tc_hospital_trial(records, (unsigned)o->hospital, &check, &s));
    tc_free(records);
    return TACIT_OK;
}

const tc_verb tc_verb_demo_train = {
    .name = "demo train",
    .usage = "[options]",
    .summary = "train a hospital's model once and print its validation log-loss or error",
    .details =
        "This is what an agent of the demonstration runs for a trial: a neural network with\n"
        "one hidden layer on the generated records of one hospital, 15 passes over them. The\n"
        "error is a mean of one 0 or 1 for each validation record, so that one record moves it by\n"
        "1/N at most: this is what an agent's --records N declares.\n"
        "\n"
        "  tacit demo train --hospital 3 --lr 0.05 --l2 0.02 --hidden 12\n"
        "  tacit demo train --hospital 3 --lr 0.05 --metric error --records 1125",
    .options = table,
    .options_size = sizeof(options),
    .run = run};
