/* studies_repair.h - `tacit studies --repair`, for studies.c. */
#ifndef TC_PROGRAM_STUDIES_REPAIR_H
#define TC_PROGRAM_STUDIES_REPAIR_H

#include <tacit/status.h>

/* keep: the file for the damaged journal; NULL: a name after the study's. */
tacit_status tc_studies_repair(const char *url, const char *name, const char *keep,
                               tacit_error *err);

#endif
