/* name.h - which names a parameter, a column of candidates or an outcome may have.
 *
 * They stand in JSON keys, in {braces} of a command line and in CSV headers,
 * so they are plain: [A-Za-z_][A-Za-z0-9_.-]*, at most 64 characters, and not
 * what other columns and keys beside them are called. */
#ifndef TC_SPACE_NAME_H
#define TC_SPACE_NAME_H

#include <tacit/status.h>

#define TC_NAME_MAX 64

/* E_ARG unless `name` may be used. */
tacit_status tc_name_check(const char *name, tacit_error *err);
/* The same where it is not a parameter that has the name: `what` it is, such as "outcome". */
tacit_status tc_name_check_of(const char *what, const char *name, tacit_error *err);

#endif
