/* demo.c - `tacit demo`: eight hospitals tune a model together, and nobody shows a record.
 *
 * A coordinator and eight agents run as processes on this machine, over TLS, until the study's trials are
 * done and its budget is spent. Progress is read from each agent's own storage. */
#include "demo_int.h"
#include "privacy_int.h"
#include "verbs.h"

#include "base/memory.h"

#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

enum { TICK_MS = 150 };

typedef struct options {
    bool local, keep;
    char *out;
    int64_t trials;
    double epsilon;
} options;

static const tc_option table[] = {
    {.name = "local",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, local),
     .help = "instead: three algorithms of one party on two test functions"},
    {.name = "out",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, out),
     .help = "with --local: also write the curves (CSV) and charts (SVG) to this folder",
     .value = "DIR"},
    {.name = "trials",
     .type = TC_OPTION_INT,
     .offset = offsetof(options, trials),
     .def = "30",
     .min = 12,
     .max = 1000,
     .help = "trials of each hospital"},
    {.name = "epsilon",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(options, epsilon),
     .def = "8",
     .min = 0.1,
     .max = 100,
     .help = "what the study promises to every hospital, at delta 0.01"},
    {.name = "keep",
     .type = TC_OPTION_BOOL,
     .offset = offsetof(options, keep),
     .help = "keep the folder with everybody's storage, to look into"},
    {.name = NULL}};

typedef struct demo {
    const tc_invocation *in;
    const options *o;
    tc_demo_world world;
    tc_demo_journal journals[TC_HOSPITALS];
    tc_demo_screen screen;
} demo;

/* ---- while it runs ---- */

static void open_eyes(demo *d)
{
    for (unsigned k = 1; k <= TC_HOSPITALS; k++) {
        d->journals[k - 1] = (tc_demo_journal){.hospital = k};
        tc_demo_storage(&d->world, k, d->journals[k - 1].url);
    }
    d->screen = tc_demo_screen_open(d->in->quiet, d->o->trials, d->o->epsilon);
}

static tacit_status agent_failed(size_t hospital, int status, tacit_error *err)
{
    bool killed = WIFSIGNALED(status);
    return tc_fail(err, TACIT_E_STATE, "the agent of hospital %zu ended by %s %d", hospital,
                   killed ? "signal" : "exit status",
                   killed ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* *busy: agents that still run. E_STATE: one has failed. */
static tacit_status look_after(demo *d, size_t *busy, tacit_error *err)
{
    *busy = 0;
    for (size_t i = 0; i < TC_HOSPITALS; i++) {
        int status;
        if (!tc_demo_ended(&d->world.agents[i], &status))
            ++*busy;
        else if (status != 0)
            return agent_failed(i + 1, status, err);
    }
    return TACIT_OK;
}

static tacit_status watch(demo *d, tacit_error *err)
{
    size_t busy = TC_HOSPITALS;
    while (busy > 0) {
        if (tc_interrupted())
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the demonstration was ended");
        nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
        TC_TRY(look_after(d, &busy, err)); /* before the journals, so that nothing is missed */
        for (size_t i = 0; i < TC_HOSPITALS; i++)
            TC_TRY(tc_demo_journal_read(&d->journals[i], err));
        tc_demo_screen_show(&d->screen, d->journals, busy == 0);
    }
    return TACIT_OK;
}

/* ---- the end ---- */

/* As a stranger would: the ledger as the coordinator exports it, checked entry by entry, and
 * accounted for here. */
static tacit_status print_promise(demo *d, tacit_error *err)
{
    tc_ledger_claim claim;
    tc_text text = {0};
    tc_ledger *l = NULL;
    json_t *j;
    TC_TRY(tc_demo_ledger(&d->world, &j, err));
    tacit_status status = tc_ledger_from_json(&l, j, err);
    json_decref(j);
    if (status == TACIT_OK)
        status = tc_ledger_guarantee(l, TC_UNIT_AGENT, NULL, TC_DEMO_DELTA, NULL, &claim, err);
    if (status == TACIT_OK)
        tc_ledger_statement(l, &claim, &text);
    if (status == TACIT_OK && text.failed)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        tc_privacy_paragraph(tc_text_get(&text));
    tc_text_fini(&text);
    tc_ledger_close(l);
    return status;
}

static void print_meaning(void)
{
    puts("\nEach hospital trained logistic regressions on its own patients, to find the learning "
         "rate\n"
         "and penalty with the lowest validation log-loss. early: the lowest when the first "
         "broadcast\n"
         "came; best: at the end, its own trials and the broadcasts together. Records and values\n"
         "stayed in the hospital. Its messages are vectors of 50 numbers, which the coordinator "
         "sees;\n"
         "what it hands on is their noisy sum. Eight are few to hide among, so the noise is large: "
         "the\n"
         "same promise among more agents needs less of it for each.\n");
}

static void print_next_steps(const demo *d)
{
    const char *folder = d->world.folder;
    puts("\nLook next:");
    if (d->o->keep) {
        printf("  tacit inspect " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db\n"
               "  tacit inspect " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db --round 0\n"
               "  tacit trials " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db\n"
               "  tacit serve --storage sqlite:///%s/coordinator.db &\n"
               "  tacit remote privacy " TC_DEMO_STUDY " --server https://127.0.0.1:8443 \\\n"
               "      --token-file %s/operator.txt \\\n      --fingerprint %s\n",
               folder, folder, folder, folder, folder, d->world.pin);
        return;
    }
    puts("  tacit demo --keep         the same, and everybody's storage stays: what exactly left\n"
         "                            a hospital (tacit inspect), what the coordinator released\n"
         "                            (tacit remote privacy)\n"
         "  tacit demo --epsilon 2    a stronger promise\n"
         "  tacit demo --local        the algorithms of one party\n"
         "  tacit help agent          your own hospital, your own program");
}

static tacit_status print_end(demo *d, tacit_error *err)
{
    bool people = d->in->format == TC_FORMAT_TABLE;
    TC_TRY(tc_demo_results(d->journals, d->in->format, err));
    if (!people)
        return TACIT_OK;
    print_meaning();
    TC_TRY(print_promise(d, err));
    print_next_steps(d);
    return TACIT_OK;
}

/* ---- the verb ---- */

static tacit_status federate(demo *d, tacit_error *err)
{
    const options *o = d->o;
    bool quiet = d->in->quiet;
    TC_TRY(tc_demo_found(&d->world, o->trials, o->epsilon, err));
    tc_note(quiet, "a coordinator listens at %s, known by %s", d->world.url, d->world.pin);
    open_eyes(d);
    TC_TRY(tc_demo_enrol(&d->world, o->epsilon, err));
    tc_note(quiet, "%d hospitals take part, each as a process with a storage of its own in %s",
            TC_HOSPITALS, d->world.folder);
    TC_TRY(watch(d, err));
    return print_end(d, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    demo d = {.in = in, .o = in->opts};
    if (d.o->local)
        return tc_demo_local(in, d.o->out, err);
    if (d.o->out)
        return tc_fail(err, TACIT_E_ARG, "--out goes with --local; --keep keeps what is made here");
    tc_catch_interrupts();
    tacit_status status = federate(&d, err);
    for (size_t i = 0; i < TC_HOSPITALS; i++)
        tc_demo_journal_close(&d.journals[i]);
    tc_demo_close(&d.world, d.o->keep);
    return status;
}

static const tc_verb *const members[] = {&tc_verb_demo_train, NULL};

const tc_verb tc_verb_demo = {
    .name = "demo",
    .usage = "[options]",
    .summary = "see it work: eight hospitals tune a model together, ten seconds",
    .details =
        "Starts a coordinator and eight agents as processes on this machine, over TLS, in a\n"
        "temporary folder. Each agent stands for a hospital that tunes a logistic regression\n"
        "on its own generated records; the study is private (dp-fts-de) and runs until its trials\n"
        "are done. The progress shown is read from the hospitals' own storages: the\n"
        "coordinator never learns a value. Nothing stays behind without --keep.\n"
        "\n"
        "  tacit demo\n"
        "  tacit demo --epsilon 2 --keep\n"
        "  tacit demo --local --out charts",
    .options = table,
    .options_size = sizeof(options),
    .family = members,
    .run = run,
};
