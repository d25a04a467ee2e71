/* utf8.h - whether text from outside is UTF-8, as JSON requires. */
#ifndef TC_BASE_UTF8_H
#define TC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at s (NUL-terminated), or 0 if it is not valid. Of the end: 0. */
size_t tc_utf8_length(const char *s);
bool tc_utf8_valid(const char *s);

#endif
