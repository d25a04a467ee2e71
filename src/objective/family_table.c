/* family_table.c - the agents of a CSV file: a value column each, or one for all.
 *
 * Called by family.c alone; the file itself is value_table.c. */
#include "objective/family_int.h"

#include "base/error.h"

#include <string.h>

static tacit_status check_columns(const tc_family *f, const char *name, tacit_error *err)
{
    size_t columns = f->table->columns;
    if (!f->own || columns >= f->agents)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%.96s has %zu value columns for %zu agents: one for all or one for each is "
                   "needed",
                   name + strlen(TC_TABLE_PREFIX), columns, f->agents);
}

tacit_status tc_family_table(tc_family *f, const char *name, const tc_family_opts *o,
                             tacit_error *err)
{
    TC_TRY(tc_value_table_new(&f->table, name, &o->objective, err));
    f->maximize = f->table->maximize;
    f->values = tc_value_table_values(f->table);
    f->own = f->table->columns > 1 && !f->table->means;
    TC_TRY(check_columns(f, name, err));
    tc_domain *domain = NULL;
    TC_TRY(tc_domain_copy(&domain, f->table->domain, err));
    TC_TRY(tc_space_from_domain(&f->space, domain, err));
    return tc_family_find_optima(f, f->own ? f->agents : 1, err);
}
