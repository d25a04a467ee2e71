/* demo.c - `tacit demo`: fifty hospitals tune a model together, and nobody shows a record.
 *
 * A coordinator in this process and an agent for each hospital, a process each, work over TLS until the study's trials
 * are done. Progress is read from each agent's own storage. Then each hospital searches once more without the
 * broadcast, from the same start, and both are shown side by side. */
#include "demo/demo_int.h"
#include "frame/verbs.h"
#include "privacy/privacy_cli.h"

#include "base/memory.h"

#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

enum { TICK_MS = 150 };

typedef struct options {
    bool local, keep;
    char *out;
    int64_t hospitals, trials, seed;
    double epsilon;
} options;

static const tc_option table[] = {
    TC_BOOL_OPTION("local", offsetof(options, local), NULL,
                   "instead: three algorithms of one party on two test functions"),
    TC_STRING_OPTION("out", offsetof(options, out), NULL,
                     "also write the curves (CSV) and charts (SVG) to this folder", .value = "DIR"),
    TC_INT_OPTION("hospitals", offsetof(options, hospitals), "50", 2, TC_HOSPITALS_MOST,
                  "how many take part; the fewer they are, the larger is the noise"),
    TC_INT_OPTION("trials", offsetof(options, trials), "6", 4, TC_DEMO_TRIALS_MOST,
                  "trials of each hospital"),
    TC_FLOAT_OPTION("epsilon", offsetof(options, epsilon), "4", 0.1, 100,
                    "what the study promises to every hospital, at delta 1e-5"),
    TC_DEMO_SEED_OPTION(options),
    TC_BOOL_OPTION("keep", offsetof(options, keep), NULL,
                   "keep the folder with everybody's storage, to look into"),
    {.name = NULL}};

typedef struct demo {
    const tc_invocation *in;
    const options *o;
    tc_demo_plan plan;
    tc_demo_world world;
    tc_demo_journal journals[TC_HOSPITALS_MOST];
    tc_demo_screen screen;
    tc_demo_curves curves;
} demo;

/* ---- while it runs ---- */

static void open_eyes(demo *d)
{
    for (unsigned k = 1; k <= d->plan.hospitals; k++) {
        d->journals[k - 1] = (tc_demo_journal){.hospital = k};
        tc_demo_storage(&d->world, k, d->journals[k - 1].url);
    }
    d->screen = tc_demo_screen_open(d->in->quiet, &d->plan);
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
    for (size_t i = 0; i < d->plan.hospitals; i++) {
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
    size_t busy = d->plan.hospitals;
    while (busy > 0) {
        if (tc_interrupted())
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the demonstration was ended");
        nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
        TC_TRY(look_after(d, &busy, err)); /* before the journals, so that nothing is missed */
        for (size_t i = 0; i < d->plan.hospitals; i++)
            TC_TRY(tc_demo_journal_read(&d->journals[i], err));
        tc_demo_screen_show(&d->screen, d->journals, busy == 0);
    }
    return TACIT_OK;
}

/* ---- the end ---- */

/* In the words of `tacit privacy plan`. Everybody takes part in every round of this study. */
static tacit_status print_statement(const tacit_spent *spent, bool votes, tacit_error *err)
{
    tacit_guarantee g = TACIT_GUARANTEE;
    tc_text text = {0};
    char *words;
    g.epsilon = spent->epsilon;
    g.delta = spent->delta;
    g.accountant = spent->accountant;
    TC_TRY(tacit_statement(&g, spent->releases, TACIT_UNIT_AGENT, TACIT_DP_ALL, &words, err));
    if (!spent->is_private)
        tc_text_addf(&text, "NOT PRIVATE: %s. ", spent->not_private);
    tc_text_addf(&text, "%s%s", words, votes ? " " TC_PRIVACY_VOTE : "");
    tacit_text_free(words);
    if (!text.failed)
        tc_privacy_paragraph(tc_text_get(&text));
    tacit_status status = text.failed ? tc_fail_memory(err) : TACIT_OK;
    tc_text_fini(&text);
    return status;
}

/* As a stranger would: the coordinator's ledger, checked entry by entry, and accounted for here. */
static tacit_status print_promise(demo *d, tacit_error *err)
{
    tacit_spent spent = TACIT_SPENT;
    tacit_ledger *l;
    char storage[320];
    tc_demo_storage(&d->world, 0, storage);
    TC_TRY(tacit_ledger_open(&l, storage, TC_DEMO_STUDY, err));
    tacit_status status =
        tacit_ledger_spent(l, TACIT_UNIT_AGENT, NULL, NULL, TC_DEMO_DELTA, &spent, err);
    if (status == TACIT_OK)
        status = print_statement(&spent, d->journals[0].votes, err);
    tacit_ledger_close(l);
    return status;
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
               folder, folder, folder, folder, folder, tacit_server_fingerprint(d->world.server));
        return;
    }
    puts(
        "  tacit demo --out DIR        the same, and every hospital's curve as CSV and as a chart\n"
        "  tacit demo --keep           the same, and everybody's storage stays: what exactly left\n"
        "                              a hospital (tacit inspect), what the coordinator released\n"
        "                              (tacit remote privacy)\n"
        "  tacit demo --hospitals 8    fewer to hide among: more noise, less to learn\n"
        "  tacit demo --epsilon 0.1    a much stronger promise: more noise, less to learn\n"
        "  tacit demo --local          the algorithms of one party\n"
        "  tacit help agent            your own hospital, your own program");
}

static tacit_status print_end(demo *d, tacit_error *err)
{
    if (d->in->format != TC_FORMAT_TABLE)
        return tc_demo_print_hospitals(&d->curves, d->journals, (tc_format)d->in->format, err);
    TC_TRY(tc_demo_print_comparison(&d->curves, d->journals, err));
    TC_TRY(print_promise(d, err));
    print_next_steps(d);
    return TACIT_OK;
}

/* ---- the verb ---- */

static tacit_status federate(demo *d, tacit_error *err)
{
    bool quiet = d->in->quiet;
    if (d->o->out)
        TC_TRY(tc_demo_make_folder(d->o->out, err));
    TC_TRY(tc_demo_curves_init(&d->curves, &d->plan, err));
    TC_TRY(tc_demo_found(&d->world, &d->plan, err));
    tc_note(quiet, "a coordinator listens at %s, known by %s", tacit_server_url(d->world.server),
            tacit_server_fingerprint(d->world.server));
    open_eyes(d);
    TC_TRY(tc_demo_enrol(&d->world, err));
    tc_note(quiet, "%u hospitals take part, each as a process with a storage of its own in %s",
            d->plan.hospitals, d->world.folder);
    tc_note(quiet, "values below, in tables and in files are not private: they are read from the "
                   "hospitals' own storages, and no coordinator could print them");
    TC_TRY(watch(d, err));
    tc_note(quiet, "and now each of them alone, from the same start");
    TC_TRY(tc_demo_compare(&d->curves, d->journals, d->plan.seed, err));
    if (d->o->out)
        TC_TRY(tc_demo_write_files(&d->curves, &d->plan, d->o->out, quiet, err));
    return print_end(d, err);
}

static tacit_status run_demo(demo *d, tacit_error *err)
{
    tc_catch_interrupts();
    tacit_status status = federate(d, err);
    for (size_t i = 0; i < d->plan.hospitals; i++)
        tc_demo_journal_close(&d->journals[i]);
    tc_demo_curves_fini(&d->curves);
    tc_demo_close(&d->world, d->o->keep);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    if (o->local)
        return tc_demo_local(in, o->out, err);
    demo *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    d->in = in;
    d->o = o;
    d->plan = (tc_demo_plan){.hospitals = (unsigned)o->hospitals,
                             .trials = (size_t)o->trials,
                             .epsilon = o->epsilon,
                             .seed = (uint64_t)o->seed};
    tacit_status status = run_demo(d, err);
    tc_free(d);
    return status;
}

static const tc_verb *const members[] = {&tc_verb_demo_train, NULL};

const tc_verb tc_verb_demo = {
    .name = "demo",
    .network = true,
    .usage = "[options]",
    .summary = "see it work: fifty hospitals tune a model together, half a minute",
    .details =
        "Runs a coordinator, and an agent for each hospital as a process, on this machine, over\n"
        "TLS, in a temporary folder. Each hospital tunes a small neural network on its own\n"
        "generated records, in a few trials; the study is private (dp-fts-de, with its\n"
        "defaults). Then it shows each hospital's best value beside what it would have reached\n"
        "alone, with the same start and the same number of trials. Values are read from the\n"
        "hospitals' own storages. Records never leave a hospital; the coordinator, which is\n"
        "trusted, sees each hospital's vectors, from which its trials can be read up to level and\n"
        "unit; everybody else sees noisy sums only. The records follow from --seed; first points\n"
        "and noise are secret and differ from run to run. Nothing stays behind without --keep or\n"
        "--out.\n"
        "\n"
        "  tacit demo\n"
        "  tacit demo --out charts\n"
        "  tacit demo --hospitals 20 --keep\n"
        "  tacit demo --local --out charts",
    .options = table,
    .options_size = sizeof(options),
    .family = members,
    .run = run,
};
