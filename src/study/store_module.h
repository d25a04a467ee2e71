/* store_module.h - a store in a shared object of its own, which is loaded when a URL asks for it.
 *
 * So that libtacit and the program are not linked with the library of a server that most do without: libpq brings
 * LDAP and Kerberos along. A module is made of its own copy of the few objects it needs of base and study, and
 * exports one name. What crosses the border is the types of store.h, which are no interface: module and host are of the
 * same version, and both sides say so. */
#ifndef TC_STUDY_STORE_MODULE_H
#define TC_STUDY_STORE_MODULE_H

#include "study/store.h"

/* Goes up with every change of what a module and its host share: tc_store_module, tc_store_ops and the types
 * that its members take. */
#define TC_STORE_MODULE_ABI 1u

typedef struct tc_store_module {
    unsigned abi; /* TC_STORE_MODULE_ABI; stays the first member */
    unsigned ops_size;
    const char *version; /* TACIT_VERSION */
    const tc_store_ops *ops;
    /* Before each use. Memory of the module is overwritten when freed, as that of the host (base/memory.h). */
    void (*start)(bool wipes);
    void (*library)(char out[32]); /* the version of the library behind it: "15.18" */
} tc_store_module;

/* What tacit-NAME.so exports, a tc_store_module. */
#define TC_STORE_MODULE_SYMBOL "tacit_store_module"

/* Loads tacit-NAME.so from the folder that TACIT_MODULES names, else from beside the file that this code is in, the
 * library or the program, or its folder of modules. Once loaded it stays. E_UNSUPPORTED: it is not there, or
 * of another version. */
tacit_status tc_store_module_load(const tc_store_module **out, const char *name, tacit_error *err);

#endif
