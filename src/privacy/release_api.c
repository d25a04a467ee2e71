/* release_api.c - reading a release from outside: the lower half of include/tacit/release.h.
 *
 * A tacit_release is a tc_release; only the mechanisms can make one (mechanism_api.c). */
#include "privacy/ledger_int.h"
#include "privacy/public.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

void tacit_release_free(tacit_release *r)
{
    tc_release_free(r);
}

void tacit_text_free(char *text)
{
    tc_free(text);
}

/* ---- values */

static const tc_release_view *view_of(const tacit_release *r)
{
    static const tc_release_view nothing = {.mechanism = "", .adjacency = ""};
    return r ? tc_release_get(r) : &nothing;
}

const char *tacit_release_mechanism(const tacit_release *r)
{
    return view_of(r)->mechanism;
}

size_t tacit_release_rows(const tacit_release *r)
{
    return view_of(r)->rows;
}

size_t tacit_release_cols(const tacit_release *r)
{
    return view_of(r)->cols;
}

double tacit_release_value(const tacit_release *r, size_t i, size_t j)
{
    const tc_release_view *v = view_of(r);
    return i < v->rows && j < v->cols ? tc_release_value(r, i * v->cols + j) : NAN;
}

const int64_t *tacit_release_steps(const tacit_release *r)
{
    return view_of(r)->steps;
}

double tacit_release_step(const tacit_release *r)
{
    return view_of(r)->step;
}

double tacit_release_offset(const tacit_release *r)
{
    return view_of(r)->offset;
}

double tacit_release_noise_sd(const tacit_release *r)
{
    return view_of(r)->noise_sd;
}

/* ---- what it promises */

const char *tacit_release_adjacency(const tacit_release *r)
{
    return view_of(r)->adjacency;
}

bool tacit_release_private(const tacit_release *r)
{
    return view_of(r)->is_private;
}

const char *tacit_release_not_private(const tacit_release *r)
{
    const char *why = view_of(r)->not_private;
    return why ? why : "";
}

tacit_status tacit_release_cost(const tacit_release *r, tacit_cost *out, tacit_error *err)
{
    TC_GIVEN(r);
    TC_TRY(tc_sized_check(&tc_sized_cost, out, "out", err));
    const tc_release_view *v = tc_release_get(r);
    tacit_cost cost = {.event = v->event, .unit = v->unit, .distance = v->distance};
    tc_sized_give(&tc_sized_cost, out, &cost);
    return TACIT_OK;
}

/* The entry of a ledger that has nothing else; its hashes are not looked at. */
static tc_ledger_entry entry_of(const tc_release_view *v)
{
    return (tc_ledger_entry){.seq = 1,
                             .unit = v->unit,
                             .subject = "",
                             .event = v->event,
                             .relation = v->relation,
                             .distance = v->distance,
                             .mechanism = v->mechanism,
                             .adjacency = v->adjacency,
                             .is_private = v->is_private,
                             .not_private = v->not_private ? v->not_private : ""};
}

static tacit_status state(tc_ledger *l, const tc_release_view *v, const tc_accountant *a,
                          double delta, char **text, tacit_error *err)
{
    tc_ledger_entry entry = entry_of(v);
    tacit_hash head = {{0}};
    tc_ledger_claim claim;
    TC_TRY(tc_ledger_push(l, &entry, &head, err));
    TC_TRY(tc_ledger_guarantee(l, v->unit, NULL, delta, a, &claim, err));
    tc_text words = {0};
    tc_ledger_statement(l, &claim, &words);
    return tc_text_hand_out(&words, text, err);
}

/* In the words and with the numbers of a ledger in memory: there is one way to state a claim. */
tacit_status tacit_release_statement(const tacit_release *r, const char *accountant, double delta,
                                     char **text, tacit_error *err)
{
    const tc_accountant *a = NULL;
    tc_ledger *l = NULL;
    TC_GIVEN(r);
    TC_GIVEN(text);
    TC_TRY(tc_accountant_of(&a, accountant, err));
    TC_TRY(tc_ledger_new(&l, "one release", err));
    tacit_status status = state(l, tc_release_get(r), a, delta, text, err);
    tc_ledger_close(l);
    return status;
}

/* ---- bytes */

size_t tacit_release_size(const tacit_release *r)
{
    return r ? tc_release_size(r) : 0;
}

static tacit_status check_size(const tacit_release *r, size_t size, tacit_error *err)
{
    if (size == tc_release_size(r))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "this release has %zu bytes, got room or bytes for %zu",
                   tc_release_size(r), size);
}

tacit_status tacit_release_encode(const tacit_release *r, uint8_t *out, size_t size,
                                  tacit_error *err)
{
    TC_GIVEN(r);
    TC_GIVEN(out);
    TC_TRY(check_size(r, size, err));
    tc_release_encode(r, out);
    return TACIT_OK;
}

tacit_status tacit_release_decode(const tacit_release *r, const uint8_t *bytes, size_t size,
                                  double *values, tacit_error *err)
{
    TC_GIVEN(r);
    TC_GIVEN(bytes);
    TC_GIVEN(values);
    TC_TRY(check_size(r, size, err));
    for (size_t i = 0; i < size / 8; i++)
        values[i] = tc_release_read(tc_release_get(r), bytes, i);
    return TACIT_OK;
}
