/* curate.c - `tacit curate`: the family, and what its verbs share. */
#include "curate/curate.h"
#include "frame/verbs.h"

#include "base/file.h"

char *tc_secret_path(const char *option, const char *data)
{
    tc_text path = {0};
    tc_text_add(&path, option ? option : data);
    tc_text_add(&path, option ? "" : ".secret");
    char *text = tc_text_take(&path);
    tc_text_fini(&path);
    return text;
}

tacit_status tc_curate_write(const char *file, char *text, tacit_error *err)
{
    tc_text line = {0};
    if (!text)
        return tc_fail_memory(err);
    tc_text_addf(&line, "%s\n", text);
    tc_free(text);
    tacit_status status = line.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && file)
        status = tc_file_write(file, line.data, line.len, err);
    else if (status == TACIT_OK)
        fputs(line.data, stdout);
    tc_text_fini(&line);
    return status;
}

static const tc_verb *const family[] = {&tc_verb_curate_release, &tc_verb_curate_answer,
                                        &tc_verb_curate_perturb, &tc_verb_curate_publish, NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG,
                   "tacit curate needs a second word: release, answer, perturb, publish");
}

const tc_verb tc_verb_curate = {
    .name = "curate",
    .usage = "VERB [options]",
    .summary = "the side that has the data: release rows, answer about them, perturb a reward",
    .details =
        "The curator decides what may leave. What it released, and at what price, is in its\n"
        "ledger; tacit privacy status reads it. The other side is tacit model.",
    .family = family,
    .run = run,
};
