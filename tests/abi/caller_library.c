/* caller_library.c - a program of an earlier version, as caller.c is: what the library has, and what a federated study
 * plans. It includes tacit.h, as a program does that wants all of libtacit. */
#include <tacit/tacit.h>

#include "caller.h"

#include <math.h>

static void numbers(void)
{
    NUMBER(TACIT_OPTION_FLOAT, 1);
    NUMBER(TACIT_OPTION_INT, 2);
    NUMBER(TACIT_OPTION_BOOL, 3);
    NUMBER(TACIT_OPTION_CHOICE, 4);
    NUMBER(TACIT_OPTION_STRING, 5);
}

/* ---- tacit.h */

/* The library may be a later one; with another ABI this program would not have started. */
static void versions(void)
{
    int major = -1, minor = -1, patch = -1;
    char text[32];
    CHECK(sscanf(tacit_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    CHECK(major > TACIT_VERSION_MAJOR ||
          (major == TACIT_VERSION_MAJOR &&
           (minor > TACIT_VERSION_MINOR ||
            (minor == TACIT_VERSION_MINOR && patch >= TACIT_VERSION_PATCH))));
    snprintf(text, sizeof text, "%d.%d.%d", TACIT_VERSION_MAJOR, TACIT_VERSION_MINOR,
             TACIT_VERSION_PATCH);
    SAME(TACIT_VERSION, text);
    NUMBER(TACIT_ABI, 1);
}

/* ---- build.h */

static void take_part(void *user, const char *part, const char *version)
{
    int *known = user;
    CHECK(*version);
    *known += strcmp(part, "tacit") == 0 && strcmp(version, tacit_version()) == 0;
    *known += strcmp(part, "sqlite") == 0 || strcmp(part, "blas") == 0;
}

static void builds(void)
{
    tacit_build_visit visit = take_part;
    char version[32] = "";
    int known = 0;
    tacit_build_parts(visit, &known);
    CHECK(known == 3);
    FAILS(tacit_build_module("no-such-scheme", version, &err), TACIT_E_UNSUPPORTED);
    const char *better = tacit_blas_better_kernel();
    CHECK(*tacit_blas_kernel() && (better == NULL || strcmp(better, tacit_blas_kernel()) != 0));
    if (tacit_blas_choose_again())
        CHECK(*tacit_blas_kernel());
}

/* ---- algorithms.h */

/* What option k of the algorithm must be. */
static void check_option(const tacit_option *o, tacit_option_type type)
{
    MADE(o);
    CHECK(*o->name && *o->summary && *o->range && o->type == type);
    CHECK((o->choices != NULL) == (type == TACIT_OPTION_CHOICE));
}

/* All options: counts those of each type. */
static void count_options(const tacit_algorithms *list, size_t i, size_t types[6])
{
    const tacit_option *o;
    for (size_t k = 0; (o = tacit_algorithms_option(list, i, k)) != NULL; k++) {
        check_option(o, o->type);
        if (o->type >= TACIT_OPTION_FLOAT && o->type <= TACIT_OPTION_STRING)
            types[o->type]++; /* a later library may have further ones */
        if (o->type == TACIT_OPTION_BOOL)
            CHECK(o->initial && (!strcmp(o->initial, "true") || !strcmp(o->initial, "false")));
        if (o->type == TACIT_OPTION_CHOICE)
            SAYS(o->choices, "|");
        if (o->limited)
            CHECK(o->low < o->high && o->type <= TACIT_OPTION_INT);
    }
}

static const tacit_option *find(const tacit_algorithms *list, const char *name)
{
    const tacit_option *o;
    for (size_t k = 0; (o = tacit_algorithms_option(list, 0, k)) != NULL; k++)
        if (strcmp(o->name, name) == 0)
            return o;
    printf("there is no option %s\n", name);
    exit(1);
}

static void algorithms(void)
{
    tacit_algorithms *list = NULL;
    const tacit_algorithm *a;
    size_t types[6] = {0}, federated = 0, local = 0, n = 0;
    FAILS(tacit_algorithms_new(&list, "no-such-algorithm", &err), TACIT_E_ARG);
    GOOD(tacit_algorithms_new(&list, NULL, &err));
    for (; (a = tacit_algorithms_get(list, n)) != NULL; n++) {
        MADE(a);
        CHECK(*a->name && *a->summary && a->source);
        CHECK(a->takes_replies == (strncmp(a->name, "ldp-", 4) == 0));
        federated += a->federated;
        local += a->takes_replies;
        count_options(list, n, types);
    }
    CHECK(n > 5 && federated > 0 && local > 0);
    for (int type = TACIT_OPTION_FLOAT; type <= TACIT_OPTION_STRING; type++)
        CHECK(types[type] > 0);
    tacit_algorithms_free(list);
    GOOD(tacit_algorithms_new(&list, "dp-fts-de", &err));
    SAME(tacit_algorithms_get(list, 0)->name, "dp-fts-de");
    CHECK(tacit_algorithms_get(list, 0)->federated && tacit_algorithms_get(list, 1) == NULL);
    check_option(find(list, "lengthscale"), TACIT_OPTION_FLOAT);
    check_option(find(list, "features"), TACIT_OPTION_INT);
    check_option(find(list, "broadcast"), TACIT_OPTION_CHOICE);
    check_option(find(list, "releases"), TACIT_OPTION_STRING);
    tacit_algorithms_free(list);
}

/* ---- plan.h */

static void read_plan(const tacit_plan *p)
{
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    const tacit_planned *last = tacit_plan_get(p, 2);
    MADE(s);
    CHECK(!*s->not_private && s->delta == 1e-5 && s->releases == 3);
    CHECK((s->lengthscale > 0) == (*s->lengthscale_sentence != '\0'));
    CHECK(s->unit == TACIT_UNIT_AGENT && s->epsilon > 4.9 && s->epsilon <= 5);
    CHECK(*s->expect_sentence && *s->accountant);
    SAYS(s->expect, "\"sentence\"");
    SAYS(s->statement, "every agent: epsilon ");
    CHECK(s->trustees == NULL && s->trustees_sentence == NULL);
    SAYS(s->statement, s->trust);
    MADE(last);
    CHECK(last->round == 3 && !*last->about && tacit_plan_get(p, 3) == NULL);
    CHECK(last->event.mechanism == TACIT_DP_GAUSSIAN && last->event.parameter > 0);
    CHECK(last->epsilon > 0 && last->epsilon < last->epsilon_so_far);
    CHECK(last->epsilon_so_far == s->epsilon);
    CHECK(last->message_bytes > 0);
}

static void plans(void)
{
#define PLANNED(rest)                                                                              \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 8, \"seed\": 7, \"space\": "       \
    "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, " rest "}"
    tacit_document *d = NULL;
    tacit_plan *p = NULL;
    GOOD(tacit_document_parse(
        &d,
        PLANNED("\"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 6, \"initial\": 3, "
                "\"releases\": \"0,1,3\"}, \"federation\": {\"agents\": 2}, \"privacy\": "
                "{\"epsilon\": 5, \"delta\": 1e-5}"),
        &err));
    GOOD(tacit_plan_new(&p, d, &err));
    CHECK(tacit_plan_summarize(p)->statement == NULL && tacit_plan_get(p, 0) == NULL);
    GOOD(tacit_plan_cost(p, &err));
    read_plan(p);
    tacit_plan_free(p);
    tacit_document_free(d);
    GOOD(tacit_document_parse(&d, PLANNED("\"algorithm\": {\"name\": \"gp-ei\"}"), &err));
    FAILS(tacit_plan_new(&p, d, &err), TACIT_E_ARG);
    tacit_document_free(d);
}

int main(void)
{
    numbers();
    versions();
    builds();
    algorithms();
    plans();
    return report("caller_library");
}
