/* trustee.c - `tacit trustee`: holds shares of a study whose coordinator is trusted with nothing.
 *
 * <tacit/trustee.h> does the work; here are options and what is said. */
#include "base/memory.h"
#include "federation/server_options.h"
#include "federation/trustee_beside.h"
#include "frame/verbs.h"

#include <tacit/trustee.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct options {
    char *storage, *study, *token_file, *fingerprint, *ca, *proxy, *roster;
    double patience_s;
    int64_t test_seed, test_key;
} options;

static const tc_option table[] = {
    TC_STRING_OPTION("study", offsetof(options, study), NULL, "of which study to be a trustee",
                     .value = "NAME"),
    TC_SERVER_OPTIONS(options),
    TC_STRING_OPTION("storage", offsetof(options, storage), "sqlite:///tacit-trustee.db",
                     "where this trustee keeps its keys and its answers", .value = "URL"),
    TC_STRING_OPTION("roster", offsetof(options, roster), NULL,
                     "the fingerprint of the roster, as the other parties print it; another roster "
                     "is refused",
                     .value = "PIN"),
    TC_FLOAT_OPTION("patience-s", offsetof(options, patience_s), "3600", 0, 1e9,
                    "seconds a coordinator may stay silent before the trustee gives up"),
    TC_INT_OPTION("test-seed", offsetof(options, test_seed), "-1", -1, 9007199254740991.0,
                  "secrets and noise from this seed: repeatable, NOT PRIVATE; -1 is real ones"),
    TC_INT_OPTION("test-key", offsetof(options, test_key), "0", 0, 9007199254740991.0,
                  "with --test-seed: tells the keys of several trustees apart"),
    {.name = NULL}};

static bool stop(void *user)
{
    (void)user;
    return tc_interrupted();
}

static void note(void *user, const char *text)
{
    tc_note(((const tc_invocation *)user)->quiet, "%s", text);
}

static void hear(void *user, const tacit_trustee_event *e)
{
    tc_trustee_say(((const tc_invocation *)user)->quiet, "", e);
}

static tacit_status print_summary(const tc_invocation *in, tacit_trustee *t, tacit_error *err)
{
    static const char *const columns[] = {"trustee", "study", "answered", "rounds", "conflicts"};
    tacit_trustee_summary s = TACIT_TRUSTEE_SUMMARY;
    TC_TRY(tacit_trustee_summarize(t, &s, err));
    tc_table *out = tc_table_new(5, columns);
    tc_table_integer(out, 0, (int64_t)tacit_trustee_place(t));
    tc_table_text(out, 1, ((const options *)in->opts)->study);
    tc_table_integer(out, 2, (int64_t)s.answered);
    tc_table_integer(out, 3, (int64_t)s.rounds);
    tc_table_integer(out, 4, (int64_t)s.conflicts);
    tc_table_end_row(out);
    return tc_table_print(out, (tc_format)in->format, stdout, err);
}

static tacit_status serve(const tc_invocation *in, const char *token, tacit_error *err)
{
    const options *o = in->opts;
    tacit_trustee_opts opts = TACIT_TRUSTEE_OPTS;
    tacit_trustee *t = NULL;
    opts.coordinator = in->args[0];
    opts.fingerprint = tc_server_fingerprint(o->fingerprint);
    opts.ca = tc_server_ca(o->ca);
    opts.proxy = o->proxy;
    opts.study = o->study;
    opts.storage = o->storage;
    opts.join_token = token;
    opts.roster = o->roster;
    opts.patience_s = o->patience_s;
    opts.stop = stop;
    opts.note = note;
    opts.listen = hear;
    opts.user = (void *)in;
    opts.test_seed = o->test_seed;
    opts.test_key = (uint64_t)o->test_key;
    TC_TRY(tacit_trustee_join(&t, &opts, err));
    tc_note(in->quiet, "trustee %" PRIu64 " of study %s", tacit_trustee_place(t), o->study);
    if (o->test_seed >= 0)
        tc_note(false, "NOT PRIVATE: this trustee's secrets and noise come from a seed");
    tacit_status status = tacit_trustee_run(t, err);
    if (status == TACIT_OK)
        status = print_summary(in, t, err);
    tacit_trustee_close(t);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    char *token;
    if (!o->study)
        return tc_fail(err, TACIT_E_ARG, "--study is missing: say of which study to be a trustee");
    TC_TRY(tc_server_token(o->token_file, false, &token, err));
    tc_catch_interrupts();
    tacit_status status = serve(in, token, err);
    if (token)
        explicit_bzero(token, strlen(token));
    tc_free(token);
    return status;
}

const tc_verb tc_verb_trustee = {
    .name = "trustee",
    .network = true,
    .usage = "URL --study NAME [options]",
    .summary = "hold shares of a study whose coordinator is trusted with nothing",
    .details =
        "In a study with trustees (\"federation\": {\"trustees\": 5}) an agent's message leaves as "
        "shares,\n"
        "one for each trustee. A trustee adds up the shares that it gets, answers once for each "
        "round\n"
        "and erases the round's key before the answer leaves; trustees deal the noise, too. The "
        "first\n"
        "start enrols with a join token (tacit remote token STUDY --role trustee). It may be "
        "killed at\n"
        "any time: the same command goes on. It ends when the study is over.\n"
        "\n"
        "Keep its storage to yourself and never bring back an older copy of it: a trustee that "
        "answers\n"
        "twice for a round gives an agent away. tacit backup leaves the keys of rounds out, so a "
        "restored\n"
        "trustee answers nothing more in its study. One process at a time: a second one on the "
        "same\n"
        "storage and study is refused (5).\n"
        "\n"
        "  tacit trustee https://tacit.example:8443 --study ward --token-file join.txt \\\n"
        "      --fingerprint sha256//... --roster sha256//...",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
