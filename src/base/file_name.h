/* file_name.h - names of files: the folder of one, and whether two are one file. */
#ifndef TC_BASE_FILE_NAME_H
#define TC_BASE_FILE_NAME_H

#include <limits.h>
#include <stdbool.h>

/* The folder of a path, as a path: "." and "/" included. False: the path is too long, as errno
 * says. */
bool tc_file_folder(const char *path, char folder[PATH_MAX]);

/* The one name of a file that is there or could be made: absolute, behind all links. False: there
 * is no such folder, or the path is none of a file. */
bool tc_file_resolve(const char *path, char name[PATH_MAX]);

/* Do both lead to one file, or would if it were made? Hard links to one file are the same. */
bool tc_file_same(const char *a, const char *b);

#endif
