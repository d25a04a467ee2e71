/* 11_private_user.c - a user who trusts nobody: the study hears a reply that is drawn at home, never the reward.
 *
 *     cc 11_private_user.c $(pkg-config --cflags --libs tacit) -lm -o user
 *
 * The study would be a server's: postgresql://server/studies, or https://tacit.example:8443 with a token. Its terms are
 * public: epsilon 1 for a reply, rewards within [-2, 2], at most 3 replies of one user. The reply is in the user's ledger
 * before it leaves; whoever asks about the same trial again gets the same one. A user's own ledger is in the home
 * folder; the example has one of its own, which it removes. */
#define _POSIX_C_SOURCE 200809L
#include <tacit/user.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char document[] =
    "{\"name\": \"doses\", \"direction\": \"maximize\", \"trials\": 100,"
    " \"space\": {\"dose\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\", \"bound\": 1,"
    "               \"noise_bound\": 1, \"answers\": 3}}";

/* What only the user knows. */
static double reward(double dose)
{
    return 1 - (dose - 0.3) * (dose - 0.3);
}

/* Until the user has given all answers: E_BUDGET. */
static tacit_status answer(tacit_study *study, tacit_user *user, tacit_error *err)
{
    for (;;) {
        uint64_t trial;
        double dose, reply, again;
        tacit_status status = tacit_study_ask(study, &trial, &dose, err);
        if (status == TACIT_OK)
            status = tacit_user_tell(user, trial, reward(dose), err);
        if (status == TACIT_OK)
            status = tacit_user_recall(user, trial, &reply, err);
        if (status == TACIT_OK) /* as if it had not been told: nothing is drawn, nothing is spent */
            status = tacit_user_reply(user, trial, 0, &again, err);
        if (status != TACIT_OK)
            return status;
        printf("trial %" PRIu64 ": a dose of %.3f, the reply %.3f%s\n", trial, dose, reply,
               reply == again ? "" : ", and then another one");
    }
}

static tacit_status take_part(const char *ledger, tacit_error *err)
{
    tacit_study *study = NULL;
    tacit_user *user = NULL;
    tacit_user_opts opts = TACIT_USER_OPTS;
    opts.ledger_storage = ledger;
    tacit_status status = tacit_study_create(&study, "memory:", document, NULL, err);
    if (status == TACIT_OK)
        status = tacit_user_open(&user, study, "ann", &opts, err);
    if (status == TACIT_OK)
        status = answer(study, user, err);
    tacit_user_close(user);
    tacit_study_close(study);
    return status;
}

static void remove_ledger(const char *folder)
{
    static const char *const names[] = {"ann.db", "ann.db-wal", "ann.db-shm"};
    char file[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        unlink(file);
    }
    rmdir(folder);
}

int main(void)
{
    char folder[] = "/tmp/tacit-example-XXXXXX", ledger[128];
    tacit_error err = {0};
    if (!mkdtemp(folder))
        return 1;
    snprintf(ledger, sizeof ledger, "sqlite:///%s/ann.db", folder);
    tacit_status status = take_part(ledger, &err);
    printf("%s\n", err.msg);
    remove_ledger(folder);
    return status == TACIT_E_BUDGET ? 0 : tacit_status_exit(status);
}
