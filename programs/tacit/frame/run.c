/* run.c - from a verb and its words to an exit code. Called by the main of a program. */
#include "base/guard.h"
#include "base/log.h"
#include "frame/blas_kernel.h"
#include "frame/frame.h"

#include <tacit/net.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* user: the name of the program. */
static void log_line(tc_log_level level, const char *line, void *user)
{
    (void)level;
    fflush(stdout); /* both may go to one file */
    fprintf(stderr, "%s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", (const char *)user,
            line);
}

static void start_log(const tc_verb *verb, const tc_invocation *in)
{
    tc_log_level upto = in->quiet ? TC_LOG_ERROR : TC_LOG_WARN;
    const char *program = verb->alone ? verb->name : "tacit";
    tc_log_set(log_line, (void *)program, in->verbose ? TC_LOG_DEBUG : upto);
}

static void choose_kernel(void)
{
    const char *better = tc_choose_blas_kernel();
    if (better)
        tc_log(TC_LOG_WARN,
               "OpenBLAS does not know this CPU and runs its kernel %s: it is faster with "
               "OPENBLAS_CORETYPE=%s in the environment",
               tacit_blas_kernel(), better);
}

static tacit_status refuse_network(const tc_verb *verb, tacit_error *err)
{
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "tacit %s needs the network, and this tacit was built without it "
                   "(TACIT_NETWORK=OFF)",
                   verb->name);
}

tacit_status tc_run_verb(const tc_verb *verb, int argc, char **argv, tacit_error *err)
{
    tc_args args = {0};
    tacit_status status = tc_args_read(verb, argc, argv, &args, err);
    if (status == TACIT_OK && args.common.help) {
        tc_help_verb(verb, stdout);
    } else if (status == TACIT_OK && verb->network && !tacit_net_is_built()) {
        status = refuse_network(verb, err);
    } else if (status == TACIT_OK) {
        start_log(verb, &args.in);
        if (verb->secrets)
            tc_guard_process();
        choose_kernel();
        status = verb->run(&args.in, err);
    }
    tc_args_fini(verb, &args);
    return status;
}

/* A full disk shows only when the buffer is written out. */
static tacit_status flush_output(tacit_error *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return tc_fail(err, TACIT_E_IO, "standard output could not be written: %s",
                       strerror(errno));
    return TACIT_OK;
}

int tc_exit_code(const char *program, tacit_status status, tacit_error *err)
{
    if (status == TACIT_OK)
        status = flush_output(err);
    else
        fflush(stdout); /* what is there comes before the reason why there is no more */
    if (status != TACIT_OK)
        fprintf(stderr, "%s: %s\n", program, err->msg[0] ? err->msg : tacit_status_text(status));
    return tacit_status_exit(status);
}
