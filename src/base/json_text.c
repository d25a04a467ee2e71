/* json_text.c - compact JSON text.
 *
 * Not jansson's writer: that one prints seventeen digits of every double
 * (0.1 as 0.10000000000000001). Here doubles are as short as they can be and
 * stay doubles (1 is written 1.0), so reading the text gives an equal value. */
#include "base/json.h"
#include "base/text.h"

#include <string.h>

static void add_string(tc_text *t, const char *s, size_t len)
{
    tc_text_add(t, "\"");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            tc_text_add_bytes(t, (const char[]){'\\', s[i]}, 2);
        else if (c < 0x20 || c == 0x7f)
            tc_text_addf(t, "\\u%04x", c);
        else
            tc_text_add_bytes(t, s + i, 1);
    }
    tc_text_add(t, "\"");
}

static void add_real(tc_text *t, double v)
{
    char s[32];
    tc_double_text(s, v);
    tc_text_add(t, s);
    if (strpbrk(s, ".e") == NULL)
        tc_text_add(t, ".0");
}

static void add_value(tc_text *t, const json_t *j);

static void add_array(tc_text *t, const json_t *j)
{
    tc_text_add(t, "[");
    for (size_t i = 0; i < json_array_size(j); i++) {
        tc_text_add(t, i == 0 ? "" : ",");
        add_value(t, json_array_get(j, i));
    }
    tc_text_add(t, "]");
}

static void add_object(tc_text *t, const json_t *j)
{
    const char *key, *comma = "";
    json_t *value;
    tc_text_add(t, "{");
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        tc_text_add(t, comma);
        add_string(t, key, strlen(key));
        tc_text_add(t, ":");
        add_value(t, value);
        comma = ",";
    }
    tc_text_add(t, "}");
}

static void add_value(tc_text *t, const json_t *j)
{
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        add_object(t, j);
        break;
    case JSON_ARRAY:
        add_array(t, j);
        break;
    case JSON_STRING:
        add_string(t, json_string_value(j), json_string_length(j));
        break;
    case JSON_INTEGER:
        tc_text_addf(t, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
        break;
    case JSON_REAL:
        add_real(t, json_real_value(j));
        break;
    case JSON_TRUE:
        tc_text_add(t, "true");
        break;
    case JSON_FALSE:
        tc_text_add(t, "false");
        break;
    case JSON_NULL:
        tc_text_add(t, "null");
        break;
    }
}

void tc_json_add(tc_text *t, const json_t *j)
{
    if (j == NULL)
        t->failed = true;
    else
        add_value(t, j);
}

char *tc_json_text(const json_t *j)
{
    tc_text t = {0};
    tc_json_add(&t, j);
    return tc_text_take(&t);
}
