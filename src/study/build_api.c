/* build_api.c - include/tacit/build.h: what this build has. The kernel of OpenBLAS is num's (la_kernel.c). */
#include <tacit/build.h>
#include <tacit/tacit.h>

#include "base/api.h"
#include "num/boxmax.h"
#include "num/la.h"
#include "study/store_module.h"

#include <jansson.h>
#include <sodium.h>
#include <sqlite3.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

void tacit_build_parts(tacit_build_visit visit, void *user)
{
    if (!visit)
        return;
    char nlopt[32];
    tc_boxmax_library(nlopt);
    visit(user, "tacit", TACIT_VERSION);
    visit(user, "compiler", COMPILER);
    visit(user, "blas", tc_la_library());
    visit(user, "kernel", tacit_blas_kernel());
    visit(user, "sqlite", sqlite3_libversion());
    visit(user, "sodium", sodium_version_string());
    visit(user, "nlopt", nlopt);
    visit(user, "jansson", jansson_version_str());
}

tacit_status tacit_build_module(const char *scheme, char version[32], tacit_error *err)
{
    const tc_store_module *m;
    TC_GIVEN(scheme);
    TC_GIVEN(version);
    TC_TRY(tc_store_module_load(&m, scheme, err));
    m->library(version);
    return TACIT_OK;
}
