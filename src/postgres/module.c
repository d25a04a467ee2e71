/* module.c - the PostgreSQL store as the module tacit-postgresql.so (study/store_module.h). */
#include "postgres/postgres_int.h"

#include "base/memory.h"
#include "study/store_module.h"

#include <tacit/tacit.h>

#include <stdio.h>

static void libpq_version(char out[32])
{
    int number = PQlibVersion(); /* 150018 is 15.18 */
    snprintf(out, 32, "%d.%d", number / 10000, number % 10000);
}

extern const tc_store_module tacit_store_module;
TACIT_API const tc_store_module tacit_store_module = {.abi = TC_STORE_MODULE_ABI,
                                                      .ops_size = sizeof(tc_store_ops),
                                                      .version = TACIT_VERSION,
                                                      .ops = &tc_store_postgres,
                                                      .start = tc_memory_wipe,
                                                      .library = libpq_version};
