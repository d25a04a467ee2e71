/* file.h - whole files: read with a limit, written so that nobody sees a half. */
#ifndef TC_BASE_FILE_H
#define TC_BASE_FILE_H

#include <tacit/status.h>

#include <stddef.h>

/* Reads all of `path`. *text is NUL-terminated after *len bytes; the caller
 * ends it with tc_free. E_NOT_FOUND: no such file; E_ARG: more than `max` bytes. */
tacit_status tc_file_read(const char *path, size_t max, char **text, size_t *len, tacit_error *err);

/* Replaces `path` by len bytes, at once and durably: after a crash the file is
 * the old one or the new one. What is not a regular file (a pipe, /dev/stdout)
 * is simply written to. */
tacit_status tc_file_write(const char *path, const void *data, size_t len, tacit_error *err);

/* Could tc_file_write be called with this path? For who must know before anything else is done.
 * Changes nothing; E_NOT_FOUND, E_IO as there. */
tacit_status tc_file_writable(const char *path, tacit_error *err);

#endif
