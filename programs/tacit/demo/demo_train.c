/* demo_train.c - `tacit demo train`: one trial of a hospital, as its agent runs it.
 *
 * Trains a small neural network on the hospital's records and prints its validation log-loss. Any other
 * program could stand in its place (demo_world.c has the command). */
#include "demo/demo_int.h"

#include "base/memory.h"

#include <stddef.h>

typedef struct options {
    int64_t hospital, seed, hidden;
    double lr, l2;
} options;

static const tc_option table[] = {{.name = "hospital",
                                   .type = TC_OPTION_INT,
                                   .offset = offsetof(options, hospital),
                                   .def = "1",
                                   .min = 1,
                                   .max = TC_HOSPITALS_MOST,
                                   .help = "whose records"},
                                  TC_DEMO_SEED_OPTION(options),
                                  {.name = "lr",
                                   .type = TC_OPTION_FLOAT,
                                   .offset = offsetof(options, lr),
                                   .def = "0.01",
                                   .min = 0,
                                   .max = 1,
                                   .help = "learning rate of stochastic gradient descent"},
                                  {.name = "l2",
                                   .type = TC_OPTION_FLOAT,
                                   .offset = offsetof(options, l2),
                                   .def = "0.01",
                                   .min = 0,
                                   .max = 10,
                                   .help = "weight of the penalty |w|^2 / 2"},
                                  {.name = "hidden",
                                   .type = TC_OPTION_INT,
                                   .offset = offsetof(options, hidden),
                                   .def = "8",
                                   .min = 1,
                                   .max = TC_HIDDEN_MOST,
                                   .help = "units of the hidden layer"},
                                  {.name = NULL}};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const tc_settings s = {.lr = o->lr, .l2 = o->l2, .hidden = (unsigned)o->hidden};
    tc_patient *records;
    TC_TRY(tc_hospital_records((uint64_t)o->seed, (unsigned)o->hospital, &records, err));
    printf("%.17g\n", tc_hospital_trial(records, (unsigned)o->hospital, &s));
    tc_free(records);
    return TACIT_OK;
}

const tc_verb tc_verb_demo_train = {
    .name = "demo train",
    .usage = "[options]",
    .summary = "train a hospital's model once and print its validation log-loss",
    .details =
        "This is what an agent of the demonstration runs for a trial: a neural network with\n"
        "one hidden layer on the generated records of one hospital, 15 passes over them.\n"
        "\n"
        "  tacit demo train --hospital 3 --lr 0.05 --l2 0.02 --hidden 12",
    .options = table,
    .options_size = sizeof(options),
    .run = run};
