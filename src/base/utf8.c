/* utf8.c - the byte sequences of RFC 3629, table 3-7 of the Unicode standard. */
#include "base/utf8.h"

/* By first byte: how many bytes, and the range of the second one. It excludes
 * overlong forms, surrogates and what lies above U+10FFFF. */
static const struct lead {
    unsigned char from, to, length, second_low, second_high;
} leads[] = {
    {0x01, 0x7F, 1, 0x00, 0x00}, {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

/* The NUL at the end is no continuation byte, so nothing beyond it is read. */
static bool continues(const unsigned char *s, const struct lead *l)
{
    if (l->length > 1 && (s[1] < l->second_low || s[1] > l->second_high))
        return false;
    for (size_t i = 2; i < l->length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t tc_utf8_length(const char *s)
{
    const unsigned char *byte = (const unsigned char *)s;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (byte[0] >= leads[i].from && byte[0] <= leads[i].to)
            return continues(byte, &leads[i]) ? leads[i].length : 0;
    return 0;
}

bool tc_utf8_valid(const char *s)
{
    for (size_t n; (n = tc_utf8_length(s)) > 0;)
        s += n;
    return *s == '\0';
}
