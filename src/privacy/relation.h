/* relation.h - which two data sets are neighbours, for machines; the sentences are in statement.h.
 *
 * Every entry of a ledger has a relation. Until entries could state one, it followed from the unit, the
 * sampling and the mechanism, and it still does where nothing is stated. */
#ifndef TC_PRIVACY_RELATION_H
#define TC_PRIVACY_RELATION_H

#include <tacit/privacy.h>

#include <stdbool.h>

#define TC_RELATION_LAST TACIT_RELATION_DISTANCE

/* What an entry means that states none. */
tacit_relation tc_relation_usual(tacit_unit unit, tacit_dp_sampling sampling,
                                 const char *mechanism);
/* The relation that a name stands for. E_ARG: there is none of that name; `what` begins the sentence. */
tacit_status tc_relation_parse(const char *what, const char *name, tacit_relation *out,
                               tacit_error *err);
/* Adds the relation of one more release to that of a total (USUAL: nothing yet). Equal ones compose. A
 * stated distance composes with any: what is promised for a larger change holds for neighbours that are
 * that close, and the total is about those. False: they have no common guarantee. */
bool tc_relation_compose(tacit_relation *total, tacit_relation next);

#endif
