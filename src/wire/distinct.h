/* distinct.h - is one of many 32-byte strings there twice? For ids and keys in what others sent. */
#ifndef TC_WIRE_DISTINCT_H
#define TC_WIRE_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* n strings, one every `stride` bytes. Fails for want of memory only. */
tacit_status tc_any_twice(const uint8_t *strings, size_t n, size_t stride, bool *out,
                          tacit_error *err);

#endif
