/* ldp_terms.c - the terms of a private study from its document, and which values can be replies on them
 * (ldp_curator.h). Used on both sides: by whoever replies and by whoever is told. */
#include "algo/ldp/ldp_curator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

tacit_status tc_ldp_terms_read(tc_ldp_terms *out, const tc_algorithm *a, const json_t *options,
                               tacit_error *err)
{
    void *opts = tc_alloc(1, a->options_size);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults(a->options, opts, err);
    if (status == TACIT_OK && options)
        status = tc_options_set_json(a->options, opts, a->name, options, NULL, err);
    if (status == TACIT_OK)
        *out = tc_ldp_terms_of(opts);
    tc_options_fini(a->options, opts);
    tc_free(opts);
    return status;
}

tacit_status tc_ldp_check_reply(const tc_algorithm *a, const json_t *options, const char *name,
                                double value, tacit_error *err)
{
    tc_ldp_terms terms;
    tc_ldp_curator c;
    char text[32];
    TC_TRY(tc_ldp_terms_read(&terms, a, options, err));
    TC_TRY(tc_ldp_curator_init(&c, NULL, &terms, err));
    if (tc_ldp_curator_could_answer(&c, value))
        return TACIT_OK;
    tc_double_text(text, value);
    return tc_fail(err, TACIT_E_ARG,
                   "%s is no reply of study %s (%s, epsilon %g, bound %g): was it perturbed on "
                   "these terms?",
                   text, name, tc_reply_mechanism(&c.reply), terms.epsilon, terms.high);
}
