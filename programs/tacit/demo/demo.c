/* demo.c - `tacit demo`: hospitals tune a model together, and nobody shows a record.
 *
 * A coordinator in this process and an agent for each hospital, a process each, work over TLS until the study's trials
 * are done. Progress is read from each agent's own storage. Then each hospital searches once more without the
 * others, from the same start, and both are shown side by side. --protect says to whom privacy is promised: to the
 * validation records of eight hospitals, or to fifty hospitals as a whole. */
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
    int protect;
    int64_t hospitals, trials, seed; /* hospitals, trials and epsilon 0: what --protect has */
    int64_t trustees;
    double epsilon;
} options;

enum { RECORDS, PARTY }; /* of --protect */

static const tc_option table[] = {
    TC_CHOICE_OPTION("protect", offsetof(options, protect), "records", "records|party",
                     "to whom epsilon is promised: each validation record, or each hospital"),
    TC_BOOL_OPTION("local", offsetof(options, local), NULL,
                   "instead, without privacy: three algorithms of one party on two test functions"),
    TC_STRING_OPTION("out", offsetof(options, out), NULL,
                     "also write the curves (CSV) and charts (SVG) to this folder", .value = "DIR"),
    TC_INT_OPTION("hospitals", offsetof(options, hospitals), NULL, 2, TC_HOSPITALS_MOST,
                  "how many take part: 8 unless given; with --protect party 50, and the fewer they "
                  "are, the larger is the noise"),
    TC_INT_OPTION("trials", offsetof(options, trials), NULL, 4, TC_DEMO_TRIALS_MOST,
                  "trials of each hospital: 6 unless given"),
    TC_FLOAT_OPTION("epsilon", offsetof(options, epsilon), NULL, 0.1, 100,
                    "what the study promises, at delta 1e-5: 1 unless given, with --protect party "
                    "4"),
    TC_INT_OPTION("trustees", offsetof(options, trustees), NULL, 3, TC_DEMO_TRUSTEES_MOST,
                  "so many trustees add up what hospitals send and deal the noise, and the "
                  "coordinator is trusted with nothing; implies --protect party"),
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
        d->journals[k - 1] = (tc_demo_journal){.hospital = k, .records = d->plan.records};
        tc_demo_storage(&d->world, k, d->journals[k - 1].url);
    }
    d->screen = tc_demo_screen_open(d->in->quiet, &d->plan);
}

static tacit_status party_failed(const char *who, size_t number, int status, tacit_error *err)
{
    bool killed = WIFSIGNALED(status);
    return tc_fail(err, TACIT_E_STATE, "%s %zu ended by %s %d", who, number,
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
            return party_failed("the agent of hospital", i + 1, status, err);
    }
    for (size_t k = 0; k < d->plan.trustees; k++) {
        int status;
        if (tc_demo_ended(&d->world.trustees[k], &status) && status != 0)
            return party_failed("trustee", k, status, err);
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

/* With --keep: commands that look into what was kept. */
static void print_commands(const demo *d)
{
    const char *folder = d->world.folder;
    printf("  tacit inspect " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db\n"
           "  tacit inspect " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db --round 0\n"
           "  tacit trials " TC_DEMO_STUDY " --storage sqlite:///%s/hospital-1.db\n",
           folder, folder, folder);
    if (d->plan.records)
        printf("  tacit privacy status " TC_DEMO_LEDGER " --delta 1e-5 \\\n"
               "      --storage sqlite:///%s/hospital-1.db\n",
               folder);
    else
        printf("  tacit serve --storage sqlite:///%s/coordinator.db &\n"
               "  tacit remote privacy " TC_DEMO_STUDY " --server https://127.0.0.1:8443 \\\n"
               "      --token-file %s/operator.txt \\\n      --fingerprint %s\n",
               folder, folder, tacit_server_fingerprint(d->world.server));
}

static const char next_for_hospitals[] =
    "  tacit demo --protect party --out DIR\n"
    "                              the same, and every hospital's curve as CSV and as a chart\n"
    "  tacit demo --protect party --keep\n"
    "                              the same, and everybody's storage stays: what exactly left\n"
    "                              a hospital (tacit inspect), what the coordinator released\n"
    "                              (tacit remote privacy)\n"
    "  tacit demo --trustees 3     nobody sees a hospital's vectors, nor does the coordinator\n"
    "  tacit demo --protect party --hospitals 8\n"
    "                              fewer to hide among: more noise, less to learn\n"
    "  tacit demo --protect party --epsilon 0.1\n"
    "                              a much stronger promise: more noise, less to learn\n"
    "  tacit demo                  the other promise: single records, among few hospitals\n";
static const char next_for_records[] =
    "  tacit demo --out DIR        the same, and every hospital's curve as CSV and as a chart\n"
    "  tacit demo --keep           the same, and everybody's storage stays: what exactly left\n"
    "                              a hospital (tacit inspect), and what it paid\n"
    "                              (tacit privacy status)\n"
    "  tacit demo --epsilon 0.1    a much stronger promise: more noise, less to learn\n"
    "  tacit demo --protect party  the other promise: all that a hospital contributes is hidden\n"
    "                              as a whole, among fifty\n";

static void print_next_steps(const demo *d)
{
    puts("\nLook next:");
    if (d->o->keep) {
        print_commands(d);
        return;
    }
    fputs(d->plan.records ? next_for_records : next_for_hospitals, stdout);
    puts("  tacit demo --local          the algorithms of one party\n"
         "  tacit help agent            your own hospital, your own program");
}

static tacit_status print_end(demo *d, tacit_error *err)
{
    if (d->in->format != TC_FORMAT_TABLE)
        return tc_demo_print_hospitals(&d->curves, d->journals, (tc_format)d->in->format, err);
    TC_TRY(tc_demo_print_comparison(&d->curves, d->journals, err));
    TC_TRY(tc_demo_print_promise(&d->world, d->journals, err));
    print_next_steps(d);
    return TACIT_OK;
}

/* ---- the verb ---- */

static void say_what_is_shown(const demo *d)
{
    if (d->plan.records)
        tc_note(d->in->quiet,
                "each validation record is protected; values below are as the hospitals' own "
                "storages have them, with noise. Errors in tables and in files at the end have no "
                "noise and are not private: they can be shown because all patients are generated");
    else
        tc_note(d->in->quiet,
                "each hospital is protected; values below, in tables and in files are not private: "
                "they are read from the hospitals' own storages, and no coordinator could print "
                "them");
}

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
    if (d->plan.trustees > 0)
        tc_note(quiet, "%u trustees, each a process with a storage of its own, too",
                d->plan.trustees);
    say_what_is_shown(d);
    TC_TRY(watch(d, err));
    tc_note(quiet, d->plan.records
                       ? "and now each of them alone, with the same first points and as much noise"
                       : "and now each of them alone, from the same start");
    TC_TRY(tc_demo_compare(&d->curves, &d->world, d->journals, err));
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

/* What is not given is what --protect has. */
static tc_demo_plan plan_of(const options *o, int protect)
{
    const bool records = protect == RECORDS;
    return (tc_demo_plan){.trustees = o->trustees > 0 ? (unsigned)o->trustees : 0,
                          .hospitals = o->hospitals > 0 ? (unsigned)o->hospitals
                                       : records        ? 8
                                                        : 50,
                          .trials = o->trials > 0 ? (size_t)o->trials : 6,
                          .epsilon = o->epsilon > 0 ? o->epsilon
                                     : records      ? 1
                                                    : 4,
                          .seed = (uint64_t)o->seed,
                          .records = records};
}

/* One party has no hospitals and promises nothing. */
static tacit_status check_local(const tc_invocation *in, tacit_error *err)
{
    static const char *const federated[] = {"protect", "hospitals", "trials",  "epsilon",
                                            "seed",    "keep",      "trustees"};
    for (size_t i = 0; i < sizeof federated / sizeof *federated; i++)
        if (tc_given(in, federated[i]))
            return tc_fail(err, TACIT_E_ARG, "--%s is for the hospitals, not for --local",
                           federated[i]);
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    if (o->local) {
        TC_TRY(check_local(in, err));
        return tc_demo_local(in, o->out, err);
    }
    /* Trustees are of one promise alone, so who asks for them need not ask for it, too. */
    const int protect = o->trustees > 0 && !tc_given(in, "protect") ? PARTY : o->protect;
    if (protect == RECORDS && o->trustees > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--trustees is for --protect party: where records are protected each "
                       "hospital adds the noise itself, and nobody is trusted with it");
    demo *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    d->in = in;
    d->o = o;
    d->plan = plan_of(o, protect);
    tacit_status status = run_demo(d, err);
    tc_free(d);
    return status;
}

static const tc_verb *const members[] = {&tc_verb_demo_train, NULL};

const tc_verb tc_verb_demo = {
    .name = "demo",
    .network = true,
    .usage = "[options]",
    .summary = "see it work: hospitals tune a model together, privately, half a minute",
    .details =
        "Runs a coordinator, and an agent for each hospital as a process, on this machine, over\n"
        "TLS, in a temporary folder. Each hospital tunes a small neural network on its own\n"
        "generated records, in a few trials. Then it shows what each hospital reached beside what\n"
        "it would have reached alone, with the same first points and the same number of trials.\n"
        "\n"
        "--protect records: eight hospitals, and epsilon 1 for every validation record. Noise "
        "goes\n"
        "into each value of the metric, the share of wrong answers among 1000 to 1875 validation\n"
        "records, before anything else sees it; hospitals then share points and noised values\n"
        "(fts). Nobody else is trusted, not even the coordinator. That a hospital takes part, its\n"
        "training records and running times are not protected. The true errors that are shown at\n"
        "the end have no noise: only a demonstration, whose patients are generated, can do that.\n"
        "\n"
        "--protect party: fifty hospitals, and epsilon 4 for every hospital as a whole\n"
        "(dp-fts-de, with its defaults). Values are read from the hospitals' own storages. "
        "Records\n"
        "never leave a hospital; the coordinator, which is trusted, sees each hospital's vectors,\n"
        "from which its trials can be read up to level and unit; everybody else sees noisy sums\n"
        "only. With --trustees K the vectors leave as shares for K trustees, which are processes,\n"
        "too, and nobody sees one, not even the coordinator.\n"
        "\n"
        "The records follow from --seed; first points and noise are secret and differ from run to\n"
        "run. Nothing stays behind without --keep or --out. --local promises nothing, and\n"
        "--protect does not matter to it.\n"
        "\n"
        "  tacit demo\n"
        "  tacit demo --out charts\n"
        "  tacit demo --protect party\n"
        "  tacit demo --trustees 3\n"
        "  tacit demo --protect party --hospitals 20 --keep\n"
        "  tacit demo --local --out charts",
    .options = table,
    .options_size = sizeof(options),
    .family = members,
    .run = run,
};
