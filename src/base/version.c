/* version.c - the version that this library was built as. */
#include <tacit/tacit.h>

const char *tacit_version(void)
{
    return TACIT_VERSION;
}
