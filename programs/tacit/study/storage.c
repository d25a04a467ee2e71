/* storage.c - see storage.h. */
#include "study/storage.h"

#include <stdlib.h>
#include <string.h>

bool tc_is_document(const char *study)
{
    size_t n = strlen(study);
    return strchr(study, '/') || (n > 5 && strcmp(study + n - 5, ".json") == 0);
}

const char *tc_storage_url(const char *option)
{
    if (option && *option)
        return option;
    const char *env = getenv("TACIT_STORAGE");
    return env && *env ? env : TC_STORAGE_DEFAULT;
}
