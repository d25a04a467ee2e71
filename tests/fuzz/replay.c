/* replay.c - runs the fuzz targets over the kept inputs: replay CORPUS [TARGET...], all without a target.
 *
 * CORPUS/csv/ holds the inputs of the target csv, and so on. No libFuzzer is
 * needed, so what it once found is tested with every compiler and sanitizer.
 * Each input is named before it runs: a crash leaves its name last. */
#include "fuzz.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>

static const struct target {
    const char *name;
    fuzz_target *run;
} targets[] = {
    {"answers", fuzz_answers},       {"audit", fuzz_audit},       {"broadcast", fuzz_broadcast},
    {"carried", fuzz_carried},       {"csv", fuzz_csv},           {"dealing", fuzz_dealing},
    {"event_json", fuzz_event_json}, {"exported", fuzz_exported}, {"ledger", fuzz_ledger},
    {"linear", fuzz_linear},         {"released", fuzz_released}, {"request", fuzz_request},
    {"round", fuzz_round},           {"saved", fuzz_saved},       {"study_doc", fuzz_study_doc},
    {"trust", fuzz_trust},           {"words", fuzz_words},
};

#define INPUT_MAX ((size_t)1 << 24)

static bool run_file(const struct target *t, const char *path)
{
    tacit_error err = {0};
    char *text;
    size_t len;
    printf("%s\n", path);
    fflush(stdout);
    if (tc_file_read(path, INPUT_MAX, &text, &len, &err) != TACIT_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return false;
    }
    uint8_t *data = malloc(len ? len : 1); /* of exactly this size: reading past it is seen */
    if (data)
        memcpy(data, text, len);
    bool ok = data && t->run(data, len) == 0;
    free(data);
    tc_free(text);
    return ok;
}

static bool run_target(const struct target *t, const char *corpus)
{
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s/%s", corpus, t->name);
    DIR *dir = opendir(folder);
    if (!dir) {
        fprintf(stderr, "%s cannot be read\n", folder);
        return false;
    }
    bool ok = true;
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ok = run_file(t, path) && ok;
        n++;
    }
    closedir(dir);
    if (n == 0)
        fprintf(stderr, "%s has no inputs\n", folder);
    return ok && n > 0;
}

/* Is the target among n names? No name names all. */
static bool is_wanted(const char *target, int n, char **names)
{
    bool wanted = n == 0;
    for (int i = 0; i < n; i++)
        wanted = wanted || strcmp(names[i], target) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS [TARGET...]\n", argv[0]);
        return 2;
    }
    bool ok = true;
    int ran = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (!is_wanted(targets[i].name, argc - 2, argv + 2))
            continue;
        ok = run_target(&targets[i], argv[1]) && ok;
        ran++;
    }
    if (ran == 0 || (argc > 2 && ran != argc - 2)) {
        fprintf(stderr, "%s: a target has another name than was given\n", argv[0]);
        return 2;
    }
    return ok ? 0 : 1;
}
