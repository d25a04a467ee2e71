/* curate_files.c - the files of a curator: which of them are the same, and where a ledger is.
 *
 * A command line may name one file twice, through links, other spellings or a default. What is written
 * must be none of what is read or kept: the data, the order, the ledger and its log. */
#include "curate/curate.h"
#include "study/storage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The path with its folder resolved: for files that are not there yet. False: there is no folder. */
static bool resolve(const char *path, char out[PATH_MAX])
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = (size_t)(base - path);
    if (n >= sizeof folder)
        return false;
    memcpy(folder, n ? path : ".", n ? n : 1);
    folder[n ? n : 1] = '\0';
    return realpath(folder, real) && snprintf(out, PATH_MAX, "%s/%s", real, base) < PATH_MAX;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    char p[PATH_MAX], q[PATH_MAX];
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return resolve(a, p) && resolve(b, q) && strcmp(p, q) == 0;
}

tacit_status tc_curate_distinct(const tc_curate_file *files, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (files[i].path && files[k].path && same_file(files[i].path, files[k].path))
                return tc_fail(err, TACIT_E_ARG,
                               "%s and %s are the same file, \"%.200s\": what is written to one "
                               "would destroy the other",
                               files[k].what, files[i].what, files[i].path);
    return TACIT_OK;
}

/* The order of another release, or a storage, that no option names. */
tacit_status tc_curate_spare(const char *path, tacit_error *err)
{
    static const char *const kept[] = {"{\"tacit\":\"row-secret\"", "SQLite format 3"};
    char head[64] = "";
    struct stat info;
    bool file = stat(path, &info) == 0 && S_ISREG(info.st_mode); /* a pipe would wait for us */
    FILE *f = file ? fopen(path, "rb") : NULL;
    size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (n >= strlen(kept[i]) && memcmp(head, kept[i], strlen(kept[i])) == 0)
            return tc_fail(
                err, TACIT_E_ARG,
                "--out \"%.200s\" is a %s, which would be destroyed: remove it first, or "
                "give another file",
                path, i == 0 ? "secret file of a release" : "storage");
    return TACIT_OK;
}

/* ---- the storage */

static const char *const beside[TC_STORAGE_FILES] = {"", "-wal", "-shm", "-journal"};

size_t tc_storage_files(const char *option, char out[TC_STORAGE_FILES][PATH_MAX])
{
    static const char scheme[] = "sqlite:///";
    const char *url = tc_storage_url(option);
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return 0;
    for (size_t i = 0; i < TC_STORAGE_FILES; i++)
        snprintf(out[i], PATH_MAX, "%s%s", url + sizeof scheme - 1, beside[i]);
    return TC_STORAGE_FILES;
}

tacit_hash tc_storage_hash(const char *option)
{
    char files[TC_STORAGE_FILES][PATH_MAX], real[PATH_MAX];
    if (tc_storage_files(option, files) == 0)
        return tc_ledger_study_hash(tc_storage_url(option));
    if (!realpath(files[0], real) && !resolve(files[0], real))
        return tc_ledger_study_hash(files[0]);
    return tc_ledger_study_hash(real);
}
