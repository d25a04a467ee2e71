/* model.c - `tacit model next`: the side that sees released rows only. */
#include "frame/verbs.h"
#include "study/storage.h"

#include <tacit/experimental/curator.h>

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

typedef struct next_opts {
    char *state, *answer;
    int64_t trials, seed, threads;
} next_opts;

static const tc_option options[] = {
    {"state", TC_OPTION_STRING, offsetof(next_opts, state), .value = "FILE",
     .help = "the modeler's state, a file that is made if it is not there; required"},
    {"answer", TC_OPTION_STRING, offsetof(next_opts, answer), .value = "FILE",
     .help = "the curator's answer to an earlier question, taken in first"},
    {"trials", TC_OPTION_INT, offsetof(next_opts, trials), "0", .min = 0, .max = 1e9,
     .help = "questions planned, after which there is none; 0: as before, or 100 for a new state"},
    {"seed", TC_OPTION_INT, offsetof(next_opts, seed), "0", .min = 0, .max = 0x1p53,
     .help = "of the first rows, for a new state"},
    TC_THREADS_OPTION(next_opts),
    {.name = NULL}};

static tacit_status take_answer(const tc_invocation *in, tacit_modeler *m, tacit_error *err)
{
    const next_opts *o = in->opts;
    tacit_row_answer a;
    bool known;
    TC_TRY(tacit_row_answer_read(&a, o->answer, err));
    tacit_status status = tacit_modeler_tell(m, &a, &known, err);
    if (status != TACIT_OK)
        return tc_fail_in(err, "%.200s", o->answer);
    if (known)
        tc_note(in->quiet, "tacit: the answer about row %" PRIu64 " is known already", a.row);
    return TACIT_OK;
}

/* row NULL: there is none left, which for people is said on standard error. */
static tacit_status print(const tc_invocation *in, tacit_study *study, const uint64_t *row,
                          tacit_error *err)
{
    static const char *const names[] = {"row", "answered", "best_row", "best_value"};
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_trial *best = NULL;
    if (in->format == TC_FORMAT_TABLE) {
        if (row)
            printf("%" PRIu64 "\n", *row);
        return TACIT_OK;
    }
    TC_TRY(tacit_study_summarize(study, &sum, err));
    if (sum.best_trial != TACIT_UNKNOWN)
        TC_TRY(tacit_study_trial(study, sum.best_trial, &best, err));
    tc_table *t = tc_table_new(4, names);
    if (row)
        tc_table_integer(t, 0, (int64_t)*row);
    tc_table_integer(t, 1, (int64_t)sum.complete);
    if (best) {
        tc_table_integer(t, 2, (int64_t)best->values[0]);
        tc_table_number(t, 3, best->value);
    }
    tc_table_end_row(t);
    tacit_trial_free(best);
    tc_format format = (tc_format)in->format;
    return tc_table_print(t, format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format, stdout, err);
}

static tacit_status step(const tc_invocation *in, tacit_modeler *m, tacit_error *err)
{
    const next_opts *o = in->opts;
    uint64_t row = 0;
    if (o->answer)
        TC_TRY(take_answer(in, m, err));
    tacit_status status = tacit_modeler_next(m, &row, err);
    if (status == TACIT_E_BUDGET)
        TC_TRY(print(in, tacit_modeler_study(m), NULL, err));
    return status == TACIT_OK ? print(in, tacit_modeler_study(m), &row, err) : status;
}

/* --state is a path, or a storage URL as it is. */
static tacit_status open_modeler(const tc_invocation *in, tacit_modeler **out, tacit_error *err)
{
    const next_opts *o = in->opts;
    const tacit_modeler_opts plan = {.trials = (uint64_t)o->trials,
                                     .seed = (uint64_t)o->seed,
                                     .n_options = in->n_sets,
                                     .options = (const char *const *)in->sets,
                                     .threads = o->threads == 0 ? -1 : (int32_t)o->threads};
    tacit_released *r = NULL;
    tc_text url = {0};
    TC_TRY(tacit_released_read(&r, in->args[0], err));
    tc_text_addf(&url, "%s%s", strchr(o->state, ':') ? "" : "sqlite:///", o->state);
    tacit_status status = url.failed ? tc_fail_memory(err)
                                     : tacit_modeler_open(out, tc_text_get(&url), r, &plan, err);
    tc_text_fini(&url);
    tacit_released_free(r);
    return status;
}

static tacit_status run_next(const tc_invocation *in, tacit_error *err)
{
    tacit_modeler *m = NULL;
    if (!((const next_opts *)in->opts)->state)
        return tc_fail(err, TACIT_E_ARG,
                       "--state FILE is needed: where the modeler keeps its state");
    TC_TRY(open_modeler(in, &m, err));
    tacit_status status = step(in, m, err);
    tacit_modeler_close(m);
    return status;
}

static const tc_verb next = {
    .name = "model next",
    .usage = "RELEASED.json --state FILE [options]",
    .summary = "which released row to ask the curator about next",
    .details =
        "Prints the number of a row. Give it to the curator (tacit curate answer), and the answer\n"
        "back by --answer. A row that has not been answered is printed again, so a step that was\n"
        "interrupted is just repeated. A row without a value is not asked about again. Where\n"
        "nothing is left to ask, because all rows are answered or as many as --trials planned, it\n"
        "says so and exits with 9.\n"
        "\n"
        "The algorithm is po-gp-ucb; --set has its options on the first call (tacit algorithms\n"
        "po-gp-ucb lists them). With --set fit=false the hyper-parameters are public ones;\n"
        "otherwise they are learned from what was released.\n"
        "\n"
        "  tacit model next released.json --state s.db\n"
        "  tacit model next released.json --state s.db --answer answer.json --format json",
    .options = options,
    .options_size = sizeof(next_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of po-gp-ucb; may be repeated",
    .run = run_next,
};

static const tc_verb *const family[] = {&next, NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG, "tacit model needs a second word: next");
}

const tc_verb tc_verb_model = {
    .name = "model",
    .usage = "VERB [options]",
    .summary = "the side that sees released rows only: which one to ask about next",
    .details =
        "The other side is tacit curate. Nothing but files passes between the two; a coordinator\n"
        "can take this side (tacit curate publish).",
    .family = family,
    .run = run,
};
