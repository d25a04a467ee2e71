/* lost_answer.h - a database whose answer does not arrive: the server has done what it was asked, and the connection
 * breaks. libpq's recv() ends up here.
 *
 * To be included first. */
#ifndef TEST_LOST_ANSWER_H
#define TEST_LOST_ANSWER_H

#undef _FORTIFY_SOURCE /* it would make recv an inline function */

#include "support/postgres_store.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *lose; /* the answer that has this in it does not arrive; then NULL */

TACIT_API ssize_t recv(int fd, void *data, size_t n, int flags);

ssize_t recv(int fd, void *data, size_t n, int flags)
{
    ssize_t got = syscall(SYS_recvfrom, fd, data, n, flags, NULL, NULL);
    if (got > 0 && lose && memmem(data, (size_t)got, lose, strlen(lose))) {
        lose = NULL;
        shutdown(fd, SHUT_RDWR);
        memset(data, 0, (size_t)got);
        errno = ECONNRESET;
        return -1;
    }
    return got;
}

static inline int clear_all(void **state)
{
    lose = NULL;
    return clear_database(state);
}

#define WHERE_ANSWERS_ARE_LOST(test) cmocka_unit_test_setup(test, clear_all)

#endif
