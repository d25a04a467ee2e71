/* served_int.h - a coordinator as a storage, in two files: served_storage.c has the way to it and what is about all of
 * its studies, served_study.c what is about one. */
#ifndef TC_CLIENT_SERVED_INT_H
#define TC_CLIENT_SERVED_INT_H

#include "agent/served_client.h"
#include "net/client.h"
#include "study/handle.h"

#include <pthread.h>

/* The connection serves one thread at a time: a thread that sends a request holds the lock. */
typedef struct served_storage {
    tacit_storage base;
    tc_client *client;
    char *token;
    tc_remote_config cfg;                       /* of requests about no single study */
    void (*note)(void *user, const char *text); /* NULL: nobody is told */
    pthread_mutex_t lock;
} served_storage;

/* Seconds as <tacit/study.h> says them: 0 is the default, less is none. */
int64_t tc_served_patience_ms(double patience_s);

/* The handle of a study of this name; with the lock. */
tacit_status tc_served_open(served_storage *st, const char *name, tacit_study **out,
                            tacit_error *err);

#endif
