/* damaged.c - what is said where a journal cannot be read. */
#include "study/study_int.h"

#include "base/error.h"

tacit_status tc_study_damaged(const tc_study *s, tacit_error *err)
{
    tacit_error why = {0};
    if (err)
        why = *err;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "study \"%s\" is damaged: %.280s; `tacit studies --repair %s` keeps what can be "
                   "read",
                   s->doc->name, why.msg, s->doc->name);
}
