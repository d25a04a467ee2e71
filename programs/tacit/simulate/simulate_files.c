/* simulate_files.c - the files of one `tacit simulate`: each that is written is no other's.
 *
 * Two of one name would be noticed too late: --out takes the place of finished runs in --checkpoint,
 * and of two results only the second stays. What is no regular file (/dev/null, a pipe) may be named
 * twice: nothing there can be lost. */
#include "base/error.h"
#include "base/file_name.h"
#include "base/text.h"
#include "simulate/simulate.h"

#include <string.h>
#include <sys/stat.h>

#define SNAPSHOT ".run-"
#define TABLE    "table:" /* an objective from a file */

/* --checkpoint has one for each algorithm; six others. */
enum { OTHERS = 6, FILES_MOST = TACIT_CONTENDERS_MOST + OTHERS };

typedef struct named {
    const char *option, *path;
    bool written;
} named;

typedef struct files {
    named f[FILES_MOST]; /* the checkpoints first */
    size_t n, checkpoints;
    char *names[TACIT_CONTENDERS_MOST]; /* of the checkpoints */
} files;

/* -- what there is ------------------------------------------------------------------------- */

static void add(files *all, const char *option, const char *path, bool written)
{
    if (path)
        all->f[all->n++] = (named){option, path, written};
}

/* The first algorithm and the items of --versus; more than can be are refused elsewhere. */
static size_t count_algorithms(const char *versus)
{
    size_t n = versus ? 2 : 1;
    for (; versus && *versus && n < TACIT_CONTENDERS_MOST; versus++)
        n += *versus == ';';
    return n;
}

static tacit_status add_checkpoints(files *all, const tc_simulate_opts *o, tacit_error *err)
{
    size_t n = o->plan.checkpoint ? count_algorithms(o->plan.versus) : 0;
    for (size_t i = 0; i < n; i++) {
        TC_TRY(tacit_simulation_checkpoint(o->plan.checkpoint, i, &all->names[i], err));
        add(all, i == 0 ? "--checkpoint" : "--checkpoint with --versus", all->names[i], true);
    }
    all->checkpoints = n;
    return TACIT_OK;
}

static void add_others(files *all, const tc_simulate_opts *o, const char *document)
{
    const char *objective = o->plan.objective;
    bool table = objective && strncmp(objective, TABLE, strlen(TABLE)) == 0;
    add(all, "--out", o->out, true);
    add(all, "--by-agent", o->by_agent, true);
    add(all, "STUDY.json", document, false);
    add(all, "--warm", o->warm, false);
    add(all, "--bounds-file", o->plan.curator.bounds_file, false);
    add(all, "--objective", table ? objective + strlen(TABLE) : NULL, false);
}

/* -- which are one ------------------------------------------------------------------------- */

static tacit_status refuse(const named *a, const char *path, const named *b, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "%s (%.150s) and %s (%.150s) are the same file; each needs its "
                   "own",
                   a->option, path, b->option, b->path);
}

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static tacit_status check_pair(const named *a, const named *b, tacit_error *err)
{
    if ((a->written || b->written) && tc_file_same(a->path, b->path) && !is_special(a->path))
        return refuse(a, a->path, b, err);
    return TACIT_OK;
}

/* ".run-12" at the end of the one name of a file, or NULL. */
static const char *snapshot_ending(const char *name)
{
    const char *end = NULL;
    for (const char *at = strstr(name, SNAPSHOT); at; at = strstr(at + 1, SNAPSHOT))
        end = at;
    if (!end)
        return NULL;
    const char *digits = end + strlen(SNAPSHOT);
    return *digits && digits[strspn(digits, "0123456789")] == '\0' ? end : NULL;
}

/* FILE.run-R of any run: a simulation may be extended. */
static tacit_status check_snapshot(const named *checkpoint, const named *b, tacit_error *err)
{
    char name[PATH_MAX];
    const char *ending = tc_file_resolve(b->path, name) ? snapshot_ending(name) : NULL;
    tc_text snapshot = {0};
    if (!ending)
        return TACIT_OK;
    tc_text_addf(&snapshot, "%s%s", checkpoint->path, ending);
    tacit_status status = snapshot.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && tc_file_same(tc_text_get(&snapshot), b->path))
        status = refuse(checkpoint, tc_text_get(&snapshot), b, err);
    tc_text_fini(&snapshot);
    return status;
}

static tacit_status check_all(const files *all, bool snapshots, tacit_error *err)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = i + 1; j < all->n; j++)
            TC_TRY(check_pair(&all->f[i], &all->f[j], err));
    for (size_t i = 0; snapshots && i < all->checkpoints; i++)
        for (size_t j = 0; j < all->n; j++)
            TC_TRY(check_snapshot(&all->f[i], &all->f[j], err));
    return TACIT_OK;
}

tacit_status tc_simulate_files(const tc_simulate_opts *o, const char *document, tacit_error *err)
{
    files all = {0};
    tacit_status status = add_checkpoints(&all, o, err);
    add_others(&all, o, document);
    if (status == TACIT_OK)
        status = check_all(&all, o->plan.pulls > 0, err);
    for (size_t i = 0; i < TACIT_CONTENDERS_MOST; i++)
        tacit_text_free(all.names[i]);
    return status;
}
