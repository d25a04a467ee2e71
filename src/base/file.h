/* file.h - whole files: read with a limit, written so that nobody sees a half. */
#ifndef TC_BASE_FILE_H
#define TC_BASE_FILE_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

/* Reads all of `path`. *text is NUL-terminated after *len bytes; the caller
 * ends it with tc_free. E_NOT_FOUND: no such file; E_ARG: more than `max` bytes. */
tacit_status tc_file_read(const char *path, size_t max, char **text, size_t *len, tacit_error *err);

/* The same of a regular file alone. For what tacit itself has written: there nobody is at the other
 * end of a pipe. E_ARG: it is a folder, a pipe, a socket or a device. */
tacit_status tc_file_read_regular(const char *path, size_t max, char **text, size_t *len,
                                  tacit_error *err);

/* Replaces `path` by len bytes, at once and durably: after a crash the file is
 * the old one or the new one. What is not a regular file (a pipe, /dev/stdout)
 * is simply written to. */
tacit_status tc_file_write(const char *path, const void *data, size_t len, tacit_error *err);

/* The same of what is for its owner alone (mode 0600), from the first moment and whatever was there. */
tacit_status tc_file_write_secret(const char *path, const void *data, size_t len, tacit_error *err);

/* Could tc_file_write be called with this path? For who must know before anything else is done.
 * Changes nothing; E_NOT_FOUND, E_IO as there. */
tacit_status tc_file_writable(const char *path, tacit_error *err);

/* E_ARG: it is there, and not a regular file. */
tacit_status tc_file_regular(const char *path, tacit_error *err);

/* Removes a file, and what writers of it left who were killed; whether it is there or not. */
void tc_file_remove(const char *path);

/* ---- files that grow */

/* Opens a regular file with these flags of open(2), and O_CLOEXEC; never waits. E_NOT_FOUND, E_IO;
 * E_ARG: it is not a regular file. */
tacit_status tc_file_open_regular(const char *path, int flags, int *fd, tacit_error *err);
/* tc_file_read from where an open file stands; `path` is for messages. */
tacit_status tc_file_read_open(int fd, const char *path, size_t max, char **text, size_t *len,
                               tacit_error *err);
/* Writes all of it, and it is on disk. False: errno says why; a part may have been written. */
bool tc_file_append(int fd, const void *data, size_t len);
/* After this a file's name survives a power cut, as its content does after tc_file_append. */
void tc_file_sync_name(const char *path);

#endif
