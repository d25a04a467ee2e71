/* shared_text.c - a text that many use. */
#include "base/shared_text.h"

#include "base/memory.h"

#include <string.h>

tc_shared_text *tc_shared_text_of(char *text)
{
    tc_shared_text *t = text ? tc_alloc(1, sizeof *t) : NULL;
    if (!t) {
        tc_free(text);
        return NULL;
    }
    t->data = text;
    t->len = strlen(text);
    atomic_init(&t->users, 1);
    return t;
}

tc_shared_text *tc_shared_text_use(tc_shared_text *t)
{
    if (t)
        atomic_fetch_add(&t->users, 1);
    return t;
}

void tc_shared_text_end(tc_shared_text *t)
{
    if (!t || atomic_fetch_sub(&t->users, 1) > 1)
        return;
    tc_free(t->data);
    tc_free(t);
}
