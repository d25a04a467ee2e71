/* environment.c - see environment.h. */
#include "runner/environment.h"

#include <stddef.h>
#include <string.h>

static const char *const kept_back[] = {
    "TACIT_TRIAL", /* of a trial around us: the runner sets these itself */
    "TACIT_PARAMS",  "TACIT_STORAGE", "TACIT_TOKEN_FILE",
    "PGPASSWORD",    "PGPASSFILE",    "PGSERVICE",
    "PGSERVICEFILE", "PGSSLKEY",      "CREDENTIALS_DIRECTORY",
};

bool tc_environment_passes(const char *variable)
{
    size_t len = strcspn(variable, "=");
    for (size_t i = 0; i < sizeof kept_back / sizeof *kept_back; i++)
        if (strlen(kept_back[i]) == len && strncmp(variable, kept_back[i], len) == 0)
            return false;
    return true;
}
