/* syncs.h - counts what a test's code syncs: calls of fsync end up here. Included by one file of a
 * program, before it looks at the counters. */
#ifndef TC_SUPPORT_SYNCS_H
#define TC_SUPPORT_SYNCS_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tacit/status.h>
#include <unistd.h>

static int file_syncs, folder_syncs;

TACIT_API int fsync(int fd);

int fsync(int fd)
{
    struct stat info;
    bool known = fstat(fd, &info) == 0;
    folder_syncs += known && S_ISDIR(info.st_mode);
    file_syncs += known && S_ISREG(info.st_mode);
    return (int)syscall(SYS_fsync, fd);
}

#endif
