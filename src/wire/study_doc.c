/* study_doc.c - the study document: read strictly, written canonically.
 *
 * What only federated studies have is study_federation.c, outcomes beside one value study_outcomes.c, comparing two documents
 * study_same.c. */
#include "wire/study_doc_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "space/linear.h"

#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#define TRIALS_MAX     1000000000
#define TRIALS_DEFAULT 100
#define SEED_MAX       ((int64_t)1 << 53) /* every JSON reader keeps these exactly */
#define NAME_MAX_BYTES 64

void tc_study_doc_free(tc_study_doc *d)
{
    if (!d)
        return;
    tc_free(d->name);
    tc_free(d->outcomes);
    tc_space_free(d->space);
    json_decref(d->options);
    json_decref(d->chosen);
    json_decref(d->calibrated);
    tc_free(d);
}

/* --- reading: plain fields --- */

/* On a command line a study is a name or the path of a document, which ends in ".json"; a word
 * with a dash in front is an option. */
static bool can_be_typed(const char *name)
{
    size_t len = strlen(name);
    return name[0] != '-' && name[0] != '.' && !(len >= 5 && strcmp(name + len - 5, ".json") == 0);
}

tacit_status tc_study_name_check(const char *name, tacit_error *err)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t len = strlen(name);
    if (len == 0 || len > NAME_MAX_BYTES || strspn(name, letters) != len)
        return tc_fail(err, TACIT_E_ARG,
                       "name must be 1 to %d letters, digits, dots, dashes or underscores, "
                       "got \"%.100s\"",
                       NAME_MAX_BYTES, name);
    if (!can_be_typed(name))
        return tc_fail(err, TACIT_E_ARG,
                       "name must not begin with a dash or a dot nor end in .json, got \"%s\"",
                       name);
    return TACIT_OK;
}

static tacit_status read_name(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *name;
    TC_TRY(tc_json_string(j, "", "name", &name, err));
    TC_TRY(tc_study_name_check(name, err));
    d->name = tc_strdup(name);
    return d->name ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_study_doc_direction(const char *path, const char *name, const char *word, bool *out,
                                    tacit_error *err)
{
    *out = strcmp(word, "maximize") == 0;
    if (!*out && strcmp(word, "minimize") != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "%s%s must be \"minimize\" or \"maximize\", got \"%.100s\"", path, name,
                       word);
    return TACIT_OK;
}

tacit_status tc_study_doc_read_direction(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *direction = NULL;
    TC_TRY(tc_json_string_or(j, "", "direction", &direction, err));
    if (!direction)
        return tc_fail(err, TACIT_E_ARG, "direction is missing: say \"minimize\" or \"maximize\"");
    return tc_study_doc_direction("", "direction", direction, &d->maximize, err);
}

static tacit_status read_counts(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    int64_t trials = TRIALS_DEFAULT, seed = 0;
    TC_TRY(tc_json_int_or(j, "", "trials", 1, TRIALS_MAX, &trials, err));
    TC_TRY(tc_json_int_or(j, "", "seed", 0, SEED_MAX, &seed, err));
    d->trials = (uint64_t)trials;
    d->has_seed = json_object_get(j, "seed") != NULL;
    d->seed = (uint64_t)seed;
    return TACIT_OK;
}

/* --- reading: files --- */

/* To open a pipe would wait for somebody to write into it. What cannot be looked at is left to
 * the reading itself, which says why. */
static tacit_status check_regular(const char *file, tacit_error *err)
{
    struct stat info;
    if (stat(file, &info) != 0 || S_ISREG(info.st_mode))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "\"%.200s\" must be a regular file, got %s", file,
                   S_ISDIR(info.st_mode)    ? "a folder"
                   : S_ISFIFO(info.st_mode) ? "a pipe"
                                            : "a device or socket");
}

/* --- reading: the space --- */

/* Where candidates come from: a CSV file as named, or the store's own text. */
typedef struct source {
    bool stored;     /* the points come with it, by their hash */
    bool fresh;      /* stored: but the document is a new one */
    const char *dir; /* of the document; NULL: the working folder */
    const char *csv; /* stored; NULL: there is none */
} source;

static tacit_status points_from_file(tc_domain **out, const json_t *points, const char *dir,
                                     tacit_error *err)
{
    if (!json_is_string(points))
        return tc_fail(err, TACIT_E_ARG, "points must be the name of a CSV file, got %s",
                       tc_json_kind(points));
    const char *file = json_string_value(points);
    if (*file == '\0')
        return tc_fail(err, TACIT_E_ARG, "points must be the name of a CSV file, got \"\"");
    bool relative = *file != '/' && dir && *dir;
    tc_text path = {0};
    tc_text_addf(&path, "%s%s%s", relative ? dir : "", relative ? "/" : "", file);
    tacit_status status =
        path.failed ? tc_fail_memory(err) : check_regular(tc_text_get(&path), err);
    if (status == TACIT_OK)
        status = tc_domain_read_csv(out, tc_text_get(&path), err);
    tc_text_fini(&path);
    if (status != TACIT_OK)
        tc_fail_in(err, "points");
    return status;
}

/* BLAKE2b of the canonical CSV, as hexadecimal text. */
#define HASH_BYTES 32
typedef struct hash {
    char text[2 * HASH_BYTES + 1];
} hash;

static hash hash_of(const char *csv)
{
    unsigned char digest[HASH_BYTES];
    hash h;
    crypto_generichash(digest, sizeof digest, (const unsigned char *)csv, strlen(csv), NULL, 0);
    sodium_bin2hex(h.text, sizeof h.text, digest, sizeof digest);
    return h;
}

static tacit_status points_from_store(tc_domain **out, const json_t *points, const char *csv,
                                      tacit_error *err)
{
    static const char *const allowed[] = {"rows", "hash", NULL};
    const char *expected;
    int64_t rows = -1;
    if (!csv)
        return tc_fail(err, TACIT_E_ARG, "points: the candidates themselves are missing");
    TC_TRY(tc_json_only(points, "points", allowed, err));
    TC_TRY(tc_json_int_or(points, "points", "rows", 1, INT64_MAX, &rows, err));
    TC_TRY(tc_json_string(points, "points", "hash", &expected, err));
    if (strcmp(hash_of(csv).text, expected) != 0)
        return tc_fail(err, TACIT_E_ARG, "points.hash is not that of the candidates");
    tc_domain *d = NULL;
    TC_TRY(tc_domain_from_csv(&d, csv, strlen(csv), "points", err));
    if (rows < 0 || d->n != (uint64_t)rows) {
        size_t n = d->n;
        tc_domain_free(d);
        return tc_fail(err, TACIT_E_ARG, "points.rows must be %zu, the number of candidates", n);
    }
    *out = d;
    return TACIT_OK;
}

static tacit_status read_space(tc_study_doc *d, const json_t *j, const source *from,
                               tacit_error *err)
{
    const json_t *space = json_object_get(j, "space"), *points = json_object_get(j, "points");
    if (space && points)
        return tc_fail(err, TACIT_E_ARG, "space and points must not both be given");
    if (!space && !points)
        return tc_fail(err, TACIT_E_ARG,
                       "space is missing: give \"space\", or \"points\" for a finite one");
    if (space)
        return tc_space_from_json(&d->space, space, err);
    tc_domain *domain = NULL;
    TC_TRY(from->stored ? points_from_store(&domain, points, from->csv, err)
                        : points_from_file(&domain, points, from->dir, err));
    return tc_space_from_domain(&d->space, domain, err);
}

/* --- reading: the algorithm --- */

/* "gp-ei" or {"name": "gp-ei", ...}; *options gets what stands beside the name. */
static tacit_status algorithm_name(const json_t *j, const char **name, json_t **options,
                                   tacit_error *err)
{
    *name = "gp-ei";
    if (json_is_string(j))
        *name = json_string_value(j);
    else if (j && !json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "algorithm must be a name or an object, got %s",
                       tc_json_kind(j));
    else if (j)
        TC_TRY(tc_json_string(j, "algorithm", "name", name, err));
    *options = json_is_object(j) ? json_deep_copy(j) : json_object();
    if (!*options)
        return tc_fail_memory(err);
    json_object_del(*options, "name");
    return TACIT_OK;
}

static tacit_status read_algorithm(tc_study_doc *d, const json_t *j, tacit_error *err)
{
    const char *name;
    TC_TRY(algorithm_name(json_object_get(j, "algorithm"), &name, &d->options, err));
    TC_TRY(d->agents ? tc_algorithm_get(&d->algorithm, name, err)
                     : tc_algorithm_get_single(&d->algorithm, name, err));
    TC_TRY(tc_study_doc_take_version(d, err));
    if (!d->older)
        return tc_study_doc_choose(d, err); /* checks them too */
    json_t *all = NULL;
    TC_TRY(tc_study_doc_options(d, &all, err));
    json_decref(all);
    return TACIT_OK;
}

/* --- reading: the whole --- */

/* Records are protected by noise in values that an optimizer reads one by one. */
static tacit_status check_records(const tc_study_doc *d, tacit_error *err)
{
    if (!d->algorithm->curator && (d->agents == 0 || tc_algorithm_federated(d->algorithm)))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "privacy.unit must not be \"record\" with the algorithm %s, which %s",
                   d->algorithm->name,
                   d->algorithm->curator ? "is told of users or rows by a mechanism of its own"
                                         : "is for one party");
}

static tacit_status read_fields(tc_study_doc *d, const json_t *j, const source *from,
                                tacit_error *err)
{
    static const char *const allowed[] = {
        "name",  "direction", "objectives", "constraints", "reference",  "trials",  "seed",
        "space", "points",    "linear",     "algorithm",   "federation", "privacy", NULL};
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(read_name(d, j, err));
    TC_TRY(tc_study_doc_read_outcomes(d, j, err));
    TC_TRY(read_counts(d, j, err));
    TC_TRY(read_space(d, j, from, err));
    if (json_object_get(j, "linear"))
        TC_TRY(tc_linear_from_json(d->space, json_object_get(j, "linear"), err));
    TC_TRY(tc_study_doc_read_federation(d, j, err));
    TC_TRY(tc_study_doc_read_privacy(d, j, err));
    TC_TRY(read_algorithm(d, j, err));
    TC_TRY(tc_study_doc_check_outcomes(d, err));
    /* One place for the noise: a second number could contradict the first. */
    if (d->promise != TC_PROMISE_UNSAID && json_object_get(d->options, "noise_multiplier"))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy and algorithm.noise_multiplier must not both be given");
    if (d->promise == TC_PROMISE_EPSILON && json_object_get(d->options, "vote_multiplier"))
        return tc_fail(err, TACIT_E_ARG,
                       "privacy.epsilon and algorithm.vote_multiplier must not both be given");
    return d->promise == TC_PROMISE_RECORDS ? check_records(d, err) : TACIT_OK;
}

static tacit_status read_document(tc_study_doc **out, const json_t *j, const source *from,
                                  tacit_error *err)
{
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "a study document must be an object, got %s",
                       tc_json_kind(j));
    tc_study_doc *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    d->older = from->stored && !from->fresh;
    tacit_status status = read_fields(d, j, from, err);
    if (status != TACIT_OK)
        tc_study_doc_free(d);
    else
        *out = d;
    return status;
}

tacit_status tc_study_doc_from_json(tc_study_doc **out, const json_t *j, const char *dir,
                                    tacit_error *err)
{
    return read_document(out, j, &(source){.dir = dir}, err);
}

tacit_status tc_study_doc_with_points(tc_study_doc **out, const json_t *j, const char *points_csv,
                                      tacit_error *err)
{
    return read_document(out, j, &(source){.stored = true, .fresh = true, .csv = points_csv}, err);
}

tacit_status tc_study_doc_read(tc_study_doc **out, const char *file, tacit_error *err)
{
    TC_TRY(check_regular(file, err));
    const char *slash = strrchr(file, '/');
    char *dir = tc_strndup(file, slash ? (size_t)(slash - file) + (slash == file) : 0);
    if (!dir)
        return tc_fail_memory(err);
    json_t *j = NULL;
    tacit_status status = tc_json_read_file(file, &j, err);
    if (status == TACIT_OK) {
        status = tc_study_doc_from_json(out, j, dir, err);
        if (status != TACIT_OK)
            tc_fail_in(err, "%.200s", file);
    }
    json_decref(j);
    tc_free(dir);
    return status;
}

static tacit_status restore(tc_study_doc **out, const char *text, const char *points_csv,
                            tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_json_parse(text, strlen(text), "text", &j, err));
    tacit_status status = read_document(out, j, &(source){.stored = true, .csv = points_csv}, err);
    json_decref(j);
    return status;
}

tacit_status tc_study_doc_restore(tc_study_doc **out, const char *text, const char *points_csv,
                                  tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = restore(out, text, points_csv, &why);
    if (status == TACIT_OK)
        return status;
    /* Nobody typed this: what would be a bad argument is damage here. */
    return tc_fail(err, status == TACIT_E_ARG ? TACIT_E_CORRUPT : status,
                   "the stored study document: %s", why.msg);
}

/* --- writing --- */

static json_t *points_json(const tc_domain *domain)
{
    char *csv = tc_domain_csv(domain);
    if (!csv)
        return NULL;
    json_t *j = json_pack("{s:I, s:s}", "rows", (json_int_t)domain->n, "hash", hash_of(csv).text);
    tc_free(csv);
    return j;
}

static json_t *algorithm_json(const tc_study_doc *d, const json_t *options)
{
    json_t *j = json_pack("{s:s}", "name", d->algorithm->name);
    bool ok = j != NULL;
    if (ok && d->version > 1) /* programs that know of no versions have 1 */
        ok = json_object_set_new(j, "version", json_integer((json_int_t)d->version)) == 0;
    if (ok && json_object_update(j, (json_t *)options) == 0)
        return j;
    json_decref(j);
    return NULL;
}

json_t *tc_study_doc_json(const tc_study_doc *d, const json_t *options)
{
    tc_json_start();
    const tc_domain *domain = d->space->domain;
    json_t *j = json_pack("{s:s}", "name", d->name);
    bool ok = j != NULL && tc_study_doc_add_outcomes(d, j) &&
              json_object_set_new(j, "trials", json_integer((json_int_t)d->trials)) == 0;
    if (ok && d->has_seed)
        ok = json_object_set_new(j, "seed", json_integer((json_int_t)d->seed)) == 0;
    ok = ok && json_object_set_new(j, domain ? "points" : "space",
                                   domain ? points_json(domain) : tc_space_json(d->space)) == 0;
    if (ok && d->space->n_linear > 0)
        ok = json_object_set_new(j, "linear", tc_linear_json(d->space)) == 0;
    ok = ok && json_object_set_new(j, "algorithm", algorithm_json(d, options)) == 0;
    if (ok && tc_study_doc_add_federation(d, j) && tc_study_doc_add_privacy(d, j))
        return j;
    json_decref(j);
    return NULL;
}

char *tc_study_doc_text(const tc_study_doc *d)
{
    json_t *j = tc_study_doc_json(d, d->options);
    char *text = j ? tc_json_text(j) : NULL;
    json_decref(j);
    return text;
}
