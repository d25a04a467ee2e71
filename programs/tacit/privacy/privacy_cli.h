/* privacy_cli.h - what verbs share that take or print a guarantee: options, delta, JSON, tables. */
#ifndef TC_PROGRAM_PRIVACY_CLI_H
#define TC_PROGRAM_PRIVACY_CLI_H

#include "frame/cli.h"

#include "base/json.h"
#include "base/text.h"

#include <tacit/privacy.h>
#include <tacit/release.h>

#include <stddef.h>

extern const tc_verb tc_verb_privacy_account;
extern const tc_verb tc_verb_privacy_calibrate;
extern const tc_verb tc_verb_privacy_tune;
extern const tc_verb tc_verb_privacy_plan;
extern const tc_verb tc_verb_privacy_sheet;
extern const tc_verb tc_verb_privacy_status;
extern const tc_verb tc_verb_privacy_export;
extern const tc_verb tc_verb_privacy_audit;

/* privacy_plan_study.c: the releases of a study's document. */
tacit_status tc_privacy_plan_study(const tc_invocation *in, const char *file, tacit_error *err);

/* ---- options that several have; the struct has the member of the same name */

#define TC_PRIVACY_UNITS     "agent|row|user|record" /* in the order of tacit_unit */
#define TC_PRIVACY_SAMPLINGS "poisson|fixed-size"    /* int sampling: 0, 1 */
#define TC_PRIVACY_MAX_Z     1e6
#define TC_PRIVACY_MAX_T     1e15

/* double delta */
#define TC_DELTA_OPTION(type)                                                                      \
    TC_FLOAT_OPTION("delta", offsetof(type, delta), NULL, 0, 0.999999,                             \
                    "the delta of the guarantee; without it, that of --agents", .min_open = true)
/* int64_t agents */
#define TC_AGENTS_OPTION(type)                                                                     \
    TC_INT_OPTION("agents", offsetof(type, agents), NULL, 1, 1e9,                                  \
                  "members N: the default delta is min(1e-5, 1/N^2), 1/N and above is refused")
/* int unit */
#define TC_UNIT_OPTION(type)                                                                       \
    TC_CHOICE_OPTION("unit", offsetof(type, unit), "agent", TC_PRIVACY_UNITS,                      \
                     "whose data the statement speaks of")
/* int relation: of TACIT_RELATION_ADD_REMOVE and REPLACE_ONE by tc_privacy_relation */
#define TC_PRIVACY_RELATIONS "unit|add-remove|replace-one"
#define TC_RELATION_OPTION(type)                                                                   \
    TC_CHOICE_OPTION("relation", offsetof(type, relation), "unit", TC_PRIVACY_RELATIONS,           \
                     "which neighbours; noise is then described for adding or removing a member")
/* int sampling */
#define TC_SAMPLING_OPTION(type)                                                                   \
    TC_CHOICE_OPTION("sampling", offsetof(type, sampling), "poisson", TC_PRIVACY_SAMPLINGS,        \
                     "how members are sampled where the rate is below 1")

/* The delta to use. E_ARG: none can be, or it is not below 1/N. A delta above
 * 1/N^2 is warned of. given, agents: 0 where not given. */
tacit_status tc_privacy_delta(double given, int64_t agents, bool quiet, double *delta,
                              tacit_error *err);
/* Says on standard error that it is above 1/N^2, if it is. */
void tc_delta_warn(double delta, uint64_t agents, bool quiet);
/* By rate and the option: at rate 1 everybody takes part. E_ARG: as tacit_unit_check, unless a relation
 * is stated (an option of TC_PRIVACY_RELATIONS): where a member comes or goes, sampling hides it. */
tacit_status tc_privacy_sampling(double rate, int option, int unit, int relation,
                                 tacit_dp_sampling *out, tacit_error *err);
tacit_relation tc_privacy_relation(int option);
/* The statement, of the relation if one is stated, else by the sampling. End *text with tacit_text_free. */
tacit_status tc_privacy_statement(const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                                  int relation, tacit_dp_sampling sampling, char **text,
                                  tacit_error *err);

/* ---- output */

json_t *tc_privacy_number(double v);                    /* null where v is not finite */
json_t *tc_privacy_event_json(const tacit_dp_event *e); /* NULL: no memory */
/* Members that every guarantee has in JSON: accountant, epsilon, epsilon_lower, epsilon_upper,
 * delta, order, bound, statement; and the relation if one is stated. False: no memory. */
bool tc_privacy_guarantee_json(json_t *object, const char *accountant, const tacit_guarantee *g,
                               uint64_t releases, tacit_unit unit, int relation,
                               tacit_dp_sampling sampling);
/* Prints j, or each of its elements on a line, with a space after every colon and comma. Takes
 * the reference; NULL is E_MEMORY. */
tacit_status tc_privacy_print_json(json_t *j, bool lines, tacit_error *err);
/* A number of a table. For people it is rounded by tacit_epsilon_text or its like; programs get all of it. */
typedef void (*tc_privacy_rounding)(char out[32], double v);
void tc_privacy_cell(tc_table *t, size_t column, double v, tc_privacy_rounding text, bool people);
/* For the statement of a study that votes. */
#define TC_PRIVACY_VOTE "The first release is the vote on the length-scale."
/* A paragraph for people on standard output, wrapped. */
void tc_privacy_paragraph(const char *text);

#endif
