/* store_folder.h - a folder of the test's own, with the name of a SQLite store in it.
 *
 * make_folder and remove_folder are for the group, clear_folder is for each test. */
#ifndef TEST_STORE_FOLDER_H
#define TEST_STORE_FOLDER_H

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/tacit-test-XXXXXX";
static char file[128], url[160]; /* of the store, which nobody has made yet */

static inline int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/store.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    return 0;
}

/* It is there and empty, whatever was made of it. */
static inline int clear_folder(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
    return system(command);
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#define IN_FOLDER(test) cmocka_unit_test_setup(test, clear_folder)

#endif
