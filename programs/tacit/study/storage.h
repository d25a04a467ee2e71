/* storage.h - "STUDY" and "--storage URL" on a command line.
 *
 * STUDY is a name, or the path of a study document (it has a slash or ends in
 * ".json"), which stands for the study of that name. */
#ifndef TC_PROGRAM_STORAGE_H
#define TC_PROGRAM_STORAGE_H

#include "frame/cli.h"

#include <stddef.h>

#define TC_STORAGE_DEFAULT       "sqlite:///tacit.db"
#define TC_AGENT_STORAGE_DEFAULT "sqlite:///tacit-agent.db" /* of `tacit agent` */

/* The option table's line, for a `char *` of the struct; and for one that is called storage. */
#define TC_STORAGE_OPTION_AT(type, member)                                                         \
    {                                                                                              \
        "storage", TC_OPTION_STRING, offsetof(type, member),                                       \
            .value = "URL",                                                                        \
            .help = "where studies are kept (default: TACIT_STORAGE, else " TC_STORAGE_DEFAULT ")" \
    }
#define TC_STORAGE_OPTION(type) TC_STORAGE_OPTION_AT(type, storage)
/* The struct has `int64_t threads`. */
#define TC_THREADS_OPTION(type)                                                                    \
    {                                                                                              \
        "threads", TC_OPTION_INT, offsetof(type, threads), "0",                                    \
            .min = 0, .max = 1024,                                                                 \
            .help = "threads that compute; 0 is one per core; results do not depend on it"         \
    }

/* Is this word of a command line the path of a document? */
bool tc_is_document(const char *study);
/* The option if given, else TACIT_STORAGE, else the default. Borrowed. */
const char *tc_storage_url(const char *option);

#endif
