/* store_module.c - finds and loads the module of a store. Called by store.c and `tacit version`. */
#include "study/store_module.h"

#include "base/error.h"
#include "base/memory.h"

#include <tacit/tacit.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Where modules are, seen from the library and from the program; and beside them, as in a build. */
static const char *const folders[] = {"", "/tacit", TACIT_MODULES_FROM_BIN};

/* The folder of the file that has this code. The name that the dynamic linker knows a program by is
 * what it was called with, which may be found through PATH. */
static bool own_folder(char out[PATH_MAX])
{
    Dl_info here, program;
    if (!dladdr(folders, &here))
        return false;
    const void *headers = (const void *)getauxval(AT_PHDR);
    bool is_program = dladdr(headers, &program) && program.dli_fbase == here.dli_fbase;
    if (!realpath(is_program ? "/proc/self/exe" : here.dli_fname, out))
        return false;
    *strrchr(out, '/') = '\0';
    return true;
}

static bool is_there(char file[PATH_MAX], const char *folder, const char *below, const char *name)
{
    int n = snprintf(file, PATH_MAX, "%s%s/tacit-%s.so", folder, below, name);
    return n > 0 && n < PATH_MAX && access(file, F_OK) == 0;
}

static tacit_status find_file(char file[PATH_MAX], const char *name, tacit_error *err)
{
    char own[PATH_MAX] = "this program";
    const char *given = secure_getenv("TACIT_MODULES");
    if (given && *given) {
        if (is_there(file, given, "", name))
            return TACIT_OK;
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "a storage %s: needs the module tacit-%s.so, and TACIT_MODULES names a folder "
            "that has none: \"%.200s\"",
            name, name, given);
    }
    bool known = own_folder(own);
    for (size_t i = 0; known && i < sizeof folders / sizeof *folders; i++)
        if (is_there(file, own, folders[i], name))
            return TACIT_OK;
    return tc_fail(
        err, TACIT_E_UNSUPPORTED,
        "a storage %s: needs the module tacit-%s.so, which is not installed with %.200s; "
        "TACIT_MODULES may name the folder that has it",
        name, name, own);
}

static tacit_status check_module(const tc_store_module *m, const char *file, tacit_error *err)
{
    if (!m)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s is not a module of tacit", file);
    if (m->abi != TC_STORE_MODULE_ABI)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s has the module interface %u, and this tacit %s needs %u", file, m->abi,
                       TACIT_VERSION, TC_STORE_MODULE_ABI);
    if (strcmp(m->version, TACIT_VERSION) != 0 || m->ops_size != sizeof(tc_store_ops))
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s is of tacit %s and another build than this one, %s", file, m->version,
                       TACIT_VERSION);
    return TACIT_OK;
}

/* A handle is never given back: stores and their errors point into the module. */
static tacit_status load_file(const tc_store_module **out, const char *file, tacit_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "the module could not be loaded: %s", dlerror());
    const tc_store_module *m = dlsym(handle, TC_STORE_MODULE_SYMBOL);
    TC_TRY(check_module(m, file, err));
    m->start(tc_memory_wipes());
    *out = m;
    return TACIT_OK;
}

tacit_status tc_store_module_load(const tc_store_module **out, const char *name, tacit_error *err)
{
    char file[PATH_MAX];
    TC_TRY(find_file(file, name, err));
    return load_file(out, file, err);
}
