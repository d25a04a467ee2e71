/* curate_files.c - the files of a curator: which of them are the same.
 *
 * A command line may name one file twice, through links, other spellings or a default. What is written
 * must be none of what is read or kept: the data, the order, the ledger and its log. */
#include "curate/curate.h"
#include "study/storage.h"

#include "base/file_name.h"

#include <string.h>
#include <sys/stat.h>

static tacit_status check_two(const tc_curate_file *a, const tc_curate_file *b, tacit_error *err)
{
    if (!a->path || !b->path || !tc_file_same(a->path, b->path))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s and %s are the same file, \"%.200s\": what is written to one "
                   "would destroy the other",
                   a->what, b->what, b->path);
}

/* The storage consists of several files. */
static tacit_status check_storage(const tc_curate_file *file, const char *url, tacit_error *err)
{
    static const char scheme[] = "sqlite:///";
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    char path[PATH_MAX];
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return TACIT_OK;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", url + sizeof scheme - 1, beside[i]);
        TC_TRY(check_two(file, &(tc_curate_file){"the storage", path}, err));
    }
    return TACIT_OK;
}

tacit_status tc_curate_distinct(const tc_curate_file *files, size_t n, const char *storage,
                                tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            TC_TRY(check_two(&files[k], &files[i], err));
    for (size_t i = 0; i < n; i++)
        TC_TRY(check_storage(&files[i], tc_storage_url(storage), err));
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
