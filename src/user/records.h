/* records.h - what <tacit/records.h> does not show, for agents, which have a ledger of their own. */
#ifndef TC_USER_RECORDS_H
#define TC_USER_RECORDS_H

#include <tacit/records.h>

#include "privacy/metric.h"

/* A copy of what a caller of any version has given. */
tacit_status tc_records_take(tacit_records_opts *to, const tacit_records_opts *from,
                             tacit_error *err);
tc_metric_terms tc_records_terms(const tacit_records_opts *o);

#endif
