/* privacy.c - `tacit privacy`: the family, and what its verbs share. */
#include "privacy/privacy_cli.h"

#include "base/json.h"
#include "base/memory.h"
#include "frame/verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options */

void tc_delta_warn(double delta, uint64_t agents, bool quiet)
{
    double n = (double)agents;
    if (tacit_delta_is_large(delta, agents))
        tc_note(quiet, "tacit: warning: delta %g is above 1/N^2 = %g for %llu agents", delta,
                1 / (n * n), (unsigned long long)agents);
}

tacit_status tc_privacy_delta(double given, int64_t agents, bool quiet, double *delta,
                              tacit_error *err)
{
    uint64_t n = (uint64_t)agents;
    if (given == 0 && agents == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a delta is needed: give --delta, or --agents N for min(1e-5, 1/N^2)");
    double chosen = given > 0 ? given : tacit_delta_default(n);
    if (agents > 0)
        TC_TRY(tacit_delta_check("delta", chosen, n, err));
    if (agents > 0)
        tc_delta_warn(chosen, n, quiet);
    *delta = chosen;
    return TACIT_OK;
}

tacit_relation tc_privacy_relation(int option)
{
    static const tacit_relation relations[] = {TACIT_RELATION_USUAL, TACIT_RELATION_ADD_REMOVE,
                                               TACIT_RELATION_REPLACE_ONE};
    return relations[option];
}

tacit_status tc_privacy_sampling(double rate, int option, int unit, int relation,
                                 tacit_dp_sampling *out, tacit_error *err)
{
    tacit_relation stated = tc_privacy_relation(relation);
    if (stated == TACIT_RELATION_USUAL || option == 1)
        TC_TRY(tacit_unit_check((tacit_unit)unit, rate, err));
    if (option == 1 && stated == TACIT_RELATION_ADD_REMOVE)
        return tc_fail(err, TACIT_E_ARG,
                       "--sampling fixed-size is about replacing a member; it has no guarantee for "
                       "--relation add-remove");
    if (option == 1)
        *out = TACIT_DP_FIXED_SIZE;
    else
        *out = rate < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL;
    return TACIT_OK;
}

/* ---- output */

tacit_status tc_privacy_statement(const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                                  int relation, tacit_dp_sampling sampling, char **text,
                                  tacit_error *err)
{
    tacit_relation stated = tc_privacy_relation(relation);
    if (stated == TACIT_RELATION_USUAL || sampling == TACIT_DP_FIXED_SIZE)
        return tacit_statement(g, releases, unit, sampling, text, err);
    return tacit_statement_of(g, releases, unit, stated, text, err);
}

json_t *tc_privacy_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *tc_privacy_event_json(const tacit_dp_event *e)
{
    char *text;
    json_t *j = NULL;
    if (tacit_dp_event_json(e, &text, NULL) != TACIT_OK)
        return NULL;
    tacit_status status = tc_json_parse(text, strlen(text), "event", &j, NULL);
    tacit_text_free(text);
    return status == TACIT_OK ? j : NULL;
}

bool tc_privacy_guarantee_json(json_t *object, const char *accountant, const tacit_guarantee *g,
                               uint64_t releases, tacit_unit unit, int relation,
                               tacit_dp_sampling sampling)
{
    char *statement;
    const char *stated = tacit_relation_name(tc_privacy_relation(relation));
    if (!object ||
        tc_privacy_statement(g, releases, unit, relation, sampling, &statement, NULL) != TACIT_OK)
        return false;
    bool ok = json_object_set_new(object, "accountant", json_string(accountant)) == 0 &&
              json_object_set_new(object, "epsilon", tc_privacy_number(g->epsilon)) == 0 &&
              json_object_set_new(object, "epsilon_lower", tc_privacy_number(g->lower)) == 0 &&
              json_object_set_new(object, "epsilon_upper", tc_privacy_number(g->epsilon)) == 0 &&
              json_object_set_new(object, "delta", json_real(g->delta)) == 0 &&
              json_object_set_new(object, "bound", json_string(g->accountant)) == 0 &&
              json_object_set_new(object, "order",
                                  g->order > 0 ? json_real(g->order) : json_null()) == 0 &&
              json_object_set_new(object, "statement", json_string(statement)) == 0;
    if (ok && stated)
        ok = json_object_set_new(object, "relation", json_string(stated)) == 0;
    tacit_text_free(statement);
    return ok;
}

void tc_privacy_cell(tc_table *t, size_t column, double v, tc_privacy_rounding text, bool people)
{
    char rounded[32];
    text(rounded, v);
    if (people && !isfinite(v))
        tc_table_text(t, column, rounded);
    else
        tc_table_number(t, column, people ? strtod(rounded, NULL) : v);
}

static void print_spaced(const char *text)
{
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        putchar(*c);
        if (quoted && *c == '\\')
            putchar(*++c);
        else if (*c == '"')
            quoted = !quoted;
        else if (!quoted && (*c == ':' || *c == ','))
            putchar(' ');
    }
    putchar('\n');
}

static bool print_one(const json_t *j)
{
    char *text = tc_json_text(j);
    if (text)
        print_spaced(text);
    tc_free(text);
    return text != NULL;
}

tacit_status tc_privacy_print_json(json_t *j, bool lines, tacit_error *err)
{
    bool ok = j != NULL;
    if (ok && lines && json_is_array(j))
        for (size_t i = 0; i < json_array_size(j) && ok; i++)
            ok = print_one(json_array_get(j, i));
    else if (ok)
        ok = print_one(j);
    json_decref(j);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

void tc_privacy_paragraph(const char *text)
{
    const size_t width = 80;
    size_t at = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > 0 && at + 1 + n > width)
            at = 0, putchar('\n');
        else if (at > 0)
            at++, putchar(' ');
        fwrite(text, 1, n, stdout);
        at += n;
        text += n;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* ---- the family */

static const tc_verb *const family[] = {
    &tc_verb_privacy_account, &tc_verb_privacy_calibrate, &tc_verb_privacy_tune,
    &tc_verb_privacy_plan,    &tc_verb_privacy_sheet,     &tc_verb_privacy_status,
    &tc_verb_privacy_export,  &tc_verb_privacy_audit,     NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    tc_text names = {0};
    for (size_t i = 0; family[i]; i++)
        tc_text_addf(&names, "%s%s", i == 0 ? "" : ", ", strrchr(family[i]->name, ' ') + 1);
    tacit_status status =
        tc_fail(err, TACIT_E_ARG, "tacit privacy needs a second word: %s", tc_text_get(&names));
    tc_text_fini(&names);
    return status;
}

const tc_verb tc_verb_privacy = {
    .name = "privacy",
    .usage = "VERB [options]",
    .summary = "what a promise of privacy costs, and whether it is kept",
    .details = "Every epsilon printed is a proved upper bound and comes with its statement:\n"
               "whose data, which two data sets are hard to tell apart, delta, the accountant,\n"
               "and what is not protected.\n"
               "\n"
               "  tacit privacy account --noise-multiplier 1 --sampling-rate 0.25 --rounds 40 \\\n"
               "      --agents 200\n"
               "  tacit help privacy account",
    .family = family,
    .run = run,
};
