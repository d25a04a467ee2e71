/* shared_text.h - a text that never changes and that many use: an answer that is sent to thousands is in memory
 * once. Any thread may use and end it. */
#ifndef TC_BASE_SHARED_TEXT_H
#define TC_BASE_SHARED_TEXT_H

#include "base/text.h"

#include <stdatomic.h>

typedef struct tc_shared_text {
    char *data; /* ends with a NUL */
    size_t len;
    atomic_size_t users;
} tc_shared_text;

/* Takes `text`, which is for tc_free, also where it fails. NULL: no memory, or text was NULL. */
tc_shared_text *tc_shared_text_of(char *text);
/* One more user. NULL is allowed. */
tc_shared_text *tc_shared_text_use(tc_shared_text *t);
/* One user less; the last one frees it. NULL is allowed. */
void tc_shared_text_end(tc_shared_text *t);

#endif
