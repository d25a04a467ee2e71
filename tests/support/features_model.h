/* features_model.h - dp-fts-de with the model on shared features (own=features), for tests of its mathematics: the
 * options by themselves, or what a JSON object of options begins with. */
#ifndef TEST_FEATURES_MODEL_H
#define TEST_FEATURES_MODEL_H

#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"

/* The length-scale and the number of initial points are for each test to say. */
#define FEATURES_MODEL "\"own\": \"features\", \"init\": \"region\", "

/* End with tc_options_fini. */
static inline void features_model(tc_dp_fts_de_options *o)
{
    tacit_error err = {0};
    assert_ok(tc_options_defaults(tc_algorithm_dp_fts_de.options, o, &err));
    o->own = TC_DP_FTS_DE_OWN_FEATURES;
    o->init = TC_DP_FTS_DE_INIT_REGION;
    o->initial = 10;
    o->lengthscale = 0.2;
}

#endif
