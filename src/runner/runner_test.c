/* runner_test.c - real child processes: their values, failures, time-outs and ends. */
#include "runner/runner.h"

#include "base/clock.h"
#include "base/json.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static tc_space *space;

static int make_space(void **state)
{
    (void)state;
    tc_json_start();
    return tc_space_new(&space, NULL) != TACIT_OK ||
           tc_space_add_float(space, "x", 0, 10, 0, false, NULL) != TACIT_OK;
}

static int free_space(void **state)
{
    (void)state;
    tc_space_free(space);
    return 0;
}

static tc_runner *new_runner(const char *script, size_t jobs, int64_t timeout_ms)
{
    char *argv[] = {"sh", "-c", (char *)script, "sh", "{x}", "{trial}", NULL};
    tc_runner *r = NULL;
    tacit_error err = {0};
    if (tc_runner_new(&r, space, argv, jobs, timeout_ms, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return r;
}

static void start(tc_runner *r, uint64_t trial, double x)
{
    tacit_error err = {0};
    if (tc_runner_start(r, trial, &x, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
}

static tc_job_result wait_one(tc_runner *r)
{
    tc_job_result out;
    bool done = false;
    assert_int_equal(tc_runner_wait(r, -1, &out, &done, NULL), TACIT_OK);
    assert_true(done);
    return out;
}

/* Nothing runs: a wait without a limit ends at once. */
static void assert_idle(tc_runner *r)
{
    tc_job_result none;
    bool done = true;
    assert_int_equal(tc_runner_wait(r, -1, &none, &done, NULL), TACIT_OK);
    assert_false(done);
}

/* Runs one trial of `script`; with the value wanted, or the reason. */
static void expect_outcome(const char *script, double x, const char *reason, double value)
{
    tc_runner *r = new_runner(script, 1, 0);
    start(r, 7, x);
    tc_job_result out = wait_one(r);
    assert_int_equal(out.trial, 7);
    assert_string_equal(out.reason, reason ? reason : "");
    assert_int_equal(out.ok, reason == NULL);
    if (!reason)
        assert_true(out.value == value);
    assert_idle(r);
    tc_runner_free(r);
}

static void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void values_come_back(void **state)
{
    (void)state;
    expect_outcome("echo x=$1; echo $1", 0.1, NULL, 0.1);
    expect_outcome("echo $2", 1, NULL, 7);
    expect_outcome("echo '{{\"value\": 2.5}}'", 1, NULL, 2.5);
    expect_outcome("echo $TACIT_TRIAL", 1, NULL, 7);
    expect_outcome("echo \"$TACIT_PARAMS\" | sed 's/.*\"x\":\\([0-9.]*\\).*/\\1/'", 0.75, NULL,
                   0.75);
    expect_outcome("cat; echo 3", 1, NULL, 3); /* standard input is empty */
    no_child_is_left();
}

static void failures_have_reasons(void **state)
{
    (void)state;
    expect_outcome("echo 5; exit 3", 1, "exit status 3", 0);
    expect_outcome("kill -9 $$", 1, "killed by signal 9", 0);
    expect_outcome("echo 5; echo done", 1, "no number on the last line: \"done\"", 0);
    expect_outcome("true", 1, "no number on standard output", 0);
    expect_outcome("echo nan", 1, "value is nan", 0);
    no_child_is_left();
}

/* Runs `script` with our standard error in a file; what is in it then. */
/* The braces of objects are doubled for the command. */
static tc_job_result run_heard(const char *script, char *seen, size_t size)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_true(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    tc_runner *r = new_runner(script, 1, 0);
    tc_runner_hear_errors(r);
    start(r, 7, 1);
    tc_job_result out = wait_one(r);
    tc_runner_free(r);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    rewind(file);
    seen[fread(seen, 1, size - 1, file)] = '\0';
    fclose(file);
    return out;
}

static void the_last_error_is_heard_and_all_are_passed_on(void **state)
{
    char seen[400];
    (void)state;
    tc_job_result out = run_heard("echo one >&2; echo 5; printf 'no \\001 room\\n\\n' >&2; exit 3",
                                  seen, sizeof seen);
    assert_string_equal(out.said, "no ? room");
    assert_string_equal(out.reason, "exit status 3");
    assert_string_equal(seen, "one\nno \001 room\n\n");
    out = run_heard("echo 5", seen, sizeof seen);
    assert_true(out.ok && out.value == 5 && !*out.said && !*seen);
    out = run_heard("exec 2>&-; exit 1", seen, sizeof seen);
    assert_true(!out.ok && !*out.said && !*seen);
    no_child_is_left();
}

static void much_output_is_read(void **state)
{
    (void)state;
    expect_outcome("head -c 3000000 /dev/zero | tr '\\0' 'a'; echo; echo 4", 1, NULL, 4);
    expect_outcome("exec 1>&-; exit 0", 1, "no number on standard output", 0);
}

/* Nothing is on standard input, unless it is given. */
static void a_job_reads_what_it_is_given(void **state)
{
    (void)state;
    int fd[2];
    tc_runner *r = new_runner("read -r line || line=-1; echo $line", 1, 0);
    start(r, 0, 1);
    assert_true(wait_one(r).value == -1);
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "42\n", 3), 3);
    tc_runner_set_input(r, fd[0]);
    start(r, 1, 1);
    assert_true(wait_one(r).value == 42);
    tc_runner_free(r);
    assert_int_equal(close(fd[0]), 0); /* it is ours */
    assert_int_equal(close(fd[1]), 0);
}

static void jobs_run_together(void **state)
{
    (void)state;
    tc_runner *r = new_runner("echo $1", 3, 0);
    bool seen[3] = {false};
    for (uint64_t i = 0; i < 3; i++)
        start(r, i, (double)i);
    tacit_error err = {0};
    assert_int_equal(tc_runner_start(r, 3, (double[]){0}, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "all 3 jobs are running");
    for (int i = 0; i < 3; i++) {
        tc_job_result out = wait_one(r);
        assert_true(out.ok && out.value == (double)out.trial && !seen[out.trial]);
        seen[out.trial] = true;
    }
    assert_idle(r);
    tc_runner_free(r);
}

static void a_wait_can_end_early(void **state)
{
    (void)state;
    tc_runner *r = new_runner("exec sleep 60", 1, 0);
    tc_job_result out;
    bool done = true;
    start(r, 0, 1);
    assert_int_equal(tc_runner_wait(r, 10, &out, &done, NULL), TACIT_OK);
    assert_false(done);
    assert_int_equal(tc_runner_start(r, 1, (double[]){0}, NULL), TACIT_E_STATE); /* it runs on */
    tc_runner_free(r);
    no_child_is_left();
}

static void a_late_job_is_ended(void **state)
{
    (void)state;
    tc_runner *r = new_runner("echo 1; exec sleep 60", 1, 100);
    start(r, 0, 1);
    tc_job_result out = wait_one(r);
    assert_false(out.ok);
    assert_string_equal(out.reason, "timed out after 0.1 s");
    tc_runner_free(r);
    no_child_is_left();
}

/* True once nobody holds the write end of the pipe any more. */
static bool closed_soon(int fd)
{
    char byte;
    ssize_t n;
    do
        n = read(fd, &byte, 1);
    while (n > 0);
    return n == 0;
}

/* Grandchildren hold `hold` open: they die with the group. The shell ignores SIGTERM only
 * until it has started them, so a stop has to end the whole group. */
static void the_group_ends_with_the_job(void **state)
{
    (void)state;
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    tc_runner *r = new_runner("sleep 60 & sleep 60 & wait", 1, 100);
    start(r, 0, 1);
    close(hold[1]);
    assert_string_equal(wait_one(r).reason, "timed out after 0.1 s");
    assert_true(closed_soon(hold[0]));
    close(hold[0]);
    tc_runner_free(r);
}

/* ---- intermediate values ---- */

typedef struct heard {
    size_t n;
    uint64_t steps[64];
    double values[64];
    uint64_t stop_at; /* the step that ends the job */
    size_t n_strays;
    char stray[160]; /* the last one */
} heard;

static void hear_stray(void *user, uint64_t trial, const char *line)
{
    heard *h = user;
    assert_int_equal(trial, 7);
    h->n_strays++;
    snprintf(h->stray, sizeof h->stray, "%s", line);
}

static bool hear(void *user, uint64_t trial, uint64_t step, double value)
{
    heard *h = user;
    assert_int_equal(trial, 7);
    assert_true(h->n < 64);
    h->steps[h->n] = step;
    h->values[h->n++] = value;
    return step == h->stop_at;
}

static tc_job_result run_listening(const char *script, heard *h)
{
    char command[2048];
    size_t n = 0;
    for (; *script; script++) {
        assert_true(n + 3 < sizeof command);
        command[n++] = *script;
        if (*script == '{' || *script == '}')
            command[n++] = *script;
    }
    command[n] = '\0';
    tc_runner *r = new_runner(command, 1, 0);
    tc_runner_set_listener(r, (tc_runner_listener){.step = hear, .strays = hear_stray, .user = h});
    start(r, 7, 1);
    tc_job_result out = wait_one(r);
    tc_runner_free(r);
    no_child_is_left();
    return out;
}

/* Each is heard once, in its order, whichever bytes come together; the last line is the value as ever. */
static void intermediate_values_are_heard(void **state)
{
    (void)state;
    heard h = {.stop_at = 99};
    tc_job_result out = run_listening(
        "echo '{\"step\": 1, \"value\": 4}'; printf '{\"step\": 2, \"va'; sleep 0.1;"
        "printf 'lue\": 3}\\nepoch 7\\n'; head -c 5000 /dev/zero | tr '\\0' '{'; echo;"
        "echo '{\"step\": 3, \"value\": 2}'; printf '{\"step\": 4, \"value\": 1.5}'",
        &h);
    assert_true(out.ok && !out.pruned);
    assert_true(out.value == 1.5);
    assert_int_equal(h.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(h.steps[i], i + 1);
    assert_true(h.values[1] == 3 && h.values[3] == 1.5);
}

/* ---- heard, and taken note of */

typedef struct notes {
    size_t taken, acted, acts;
    bool ends; /* as soon as 500 were acted on */
} notes;

static bool take_note(void *user, uint64_t trial, uint64_t step, double value)
{
    notes *n = user;
    assert_int_equal(trial, 7);
    assert_int_equal(step, n->taken++);
    assert_true(value == 1);
    return false;
}

static bool act(void *user, uint64_t trial)
{
    notes *n = user;
    assert_int_equal(trial, 7);
    n->acts += n->taken > n->acted;
    n->acted = n->taken;
    return n->ends && n->acted >= 500;
}

static tc_job_result run_noting(notes *n)
{
    tc_runner *r = new_runner("seq 0 1999 | sed 's/.*/{{\"step\": &, \"value\": 1}}/'", 1, 0);
    tc_runner_set_listener(r, (tc_runner_listener){.step = take_note, .heard = act, .user = n});
    start(r, 7, 1);
    tc_job_result out = wait_one(r);
    tc_runner_free(r);
    no_child_is_left();
    return out;
}

/* Who acts on values once all that was printed by then was heard acts on all of them, and less often than there are values;
 * what ends the job is as if it had been a value. */
static void what_was_heard_is_acted_on_together(void **state)
{
    (void)state;
    notes n = {.taken = 0};
    tc_job_result out = run_noting(&n);
    assert_true(out.ok && out.value == 1);
    assert_int_equal(n.taken, 2000);
    assert_int_equal(n.acted, 2000);
    assert_true(n.acts < 2000 / 4); /* a pipe is read in chunks of a hundred lines */
    n = (notes){.ends = true};
    out = run_noting(&n);
    assert_true(out.pruned && !out.ok);
    assert_true(n.acted >= 500 && n.acted == n.taken);
}

/* What was meant as an intermediate value is heard of; other lines are none of ours. */
static void lines_that_stray_are_heard(void **state)
{
    (void)state;
    heard h = {.stop_at = 99};
    tc_job_result out = run_listening(
        "echo '{\"step\": \"a\", \"value\": 4}'; echo '{\"step\": 1}'; echo '{\"step\": 2, "
        "\"value\": 3}';"
        "echo 'a \"step\" of \"value\"'; printf '{\"step\": 3,\\033 \"value\": NaN}\\n'; echo 5",
        &h);
    assert_true(out.ok && out.value == 5);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.n_strays, 2);
    assert_null(strchr(h.stray, '\033'));
    assert_non_null(strstr(h.stray, "\"value\": NaN}"));
}

/* A job that is to end gets SIGTERM with its group, and comes to `pruned`, whatever it prints before it ends. */
static void a_job_is_ended_by_its_values(void **state)
{
    (void)state;
    heard h = {.stop_at = 2};
    tc_job_result out =
        run_listening("trap 'echo 9; exit 0' TERM; echo '{\"step\": 1, \"value\": 4}';"
                      "echo '{\"step\": 2, \"value\": 5}'; sleep 600 & wait",
                      &h);
    assert_true(out.pruned && !out.ok);
    assert_int_equal(h.n, 2);
    assert_string_equal(out.reason, "");
    h = (heard){.stop_at =
                    1}; /* it has ended by itself by then: later values do not count all the same */
    out =
        run_listening("echo '{\"step\": 1, \"value\": 4}'; echo '{\"step\": 2, \"value\": 5}'", &h);
    assert_true(out.pruned && !out.ok);
    assert_int_equal(h.n, 1);
}

static void stop_ends_all_and_reports_nothing(void **state)
{
    (void)state;
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    tc_runner *r = new_runner("sleep 60 & echo 1; wait", 2, 0);
    start(r, 0, 1);
    start(r, 1, 1);
    close(hold[1]);
    tc_runner_stop(r, 2000);
    assert_idle(r);
    assert_true(closed_soon(hold[0]));
    close(hold[0]);
    start(r, 2, 1); /* the runner still works */
    tc_runner_free(r);
    no_child_is_left();
}

static void a_stubborn_job_is_killed(void **state)
{
    (void)state;
    tc_runner *r = new_runner("trap '' TERM; while :; do sleep 1; done", 1, 0);
    start(r, 0, 1);
    tc_runner_stop(r, 50);
    assert_idle(r);
    tc_runner_free(r);
    no_child_is_left();
}

static void on_alarm(int number)
{
    (void)number;
}

static void a_signal_ends_the_wait(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = on_alarm}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &old);
    tc_runner *r = new_runner("exec sleep 60", 1, 0);
    tc_job_result out;
    bool done = true;
    start(r, 0, 1);
    ualarm(20000, 20000); /* again and again: the first may fall before the wait */
    assert_int_equal(tc_runner_wait(r, -1, &out, &done, NULL), TACIT_OK);
    ualarm(0, 0);
    assert_false(done);
    tc_runner_free(r);
    sigaction(SIGALRM, &old, NULL);
}

/* The job dies with the process that runs it, even when that is killed. */
static void the_job_dies_with_us(void **state)
{
    (void)state;
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    pid_t middle = fork();
    assert_true(middle >= 0);
    if (middle == 0) {
        char *argv[] = {"sleep", "60", NULL};
        tc_runner *r = NULL;
        if (tc_runner_new(&r, space, argv, 1, 0, NULL) == TACIT_OK &&
            tc_runner_start(r, 0, (double[]){1}, NULL) == TACIT_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    close(hold[1]);
    int status = 0;
    assert_int_equal(waitpid(middle, &status, 0), middle);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(closed_soon(hold[0]));
    close(hold[0]);
}

static void expect_new_error(char *const *argv, tacit_status code, const char *want)
{
    tc_runner *r = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_runner_new(&r, space, argv, 1, 0, &err), code);
    assert_string_equal(err.msg, want);
    assert_null(r);
}

static void programs_are_looked_up_first(void **state)
{
    (void)state;
    expect_new_error((char *[]){"no-such-program", NULL}, TACIT_E_NOT_FOUND,
                     "there is no program \"no-such-program\" in PATH");
    expect_new_error((char *[]){"/no/such", NULL}, TACIT_E_NOT_FOUND,
                     "the program /no/such cannot be run: No such file or directory");
    expect_new_error((char *[]){"/etc/passwd", NULL}, TACIT_E_NOT_FOUND,
                     "the program /etc/passwd cannot be run: it is not executable");
    expect_new_error((char *[]){"/etc", NULL}, TACIT_E_NOT_FOUND,
                     "the program /etc cannot be run: it is a folder");
    expect_new_error((char *[]){NULL}, TACIT_E_ARG,
                     "the command is empty; give a program after --");
}

static void a_templated_program_is_looked_up_at_start(void **state)
{
    (void)state;
    char *argv[] = {"/no/such{x}", NULL};
    tc_runner *r = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_runner_new(&r, space, argv, 1, 0, NULL), TACIT_OK);
    assert_int_equal(tc_runner_start(r, 0, (double[]){1}, &err), TACIT_E_NOT_FOUND);
    assert_string_equal(err.msg, "the program /no/such1 cannot be run: No such file or directory");
    assert_idle(r);
    tc_runner_free(r);
}

/* Writes an executable script of this text; unlink(path) afterwards. */
static void make_script(char path[32], const char *text)
{
    snprintf(path, 32, "/tmp/tacit_runner_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
}

static void scripts_need_no_first_line(void **state)
{
    (void)state;
    char path[32];
    make_script(path, "echo $1\n");
    char *argv[] = {path, "{x}", NULL};
    tc_runner *r = NULL;
    assert_int_equal(tc_runner_new(&r, space, argv, 1, 0, NULL), TACIT_OK);
    start(r, 0, 2.5);
    tc_job_result out = wait_one(r);
    assert_true(out.ok && out.value == 2.5);
    tc_runner_free(r);
    unlink(path);
}

static void a_bad_interpreter_is_an_error(void **state)
{
    (void)state;
    char path[32];
    make_script(path, "#!/no/such/interpreter\n");
    char *argv[] = {path, NULL};
    tc_runner *r = NULL;
    tacit_error err = {0};
    assert_int_equal(tc_runner_new(&r, space, argv, 1, 0, NULL), TACIT_OK);
    assert_int_equal(tc_runner_start(r, 0, (double[]){1}, &err), TACIT_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, "cannot be run: No such file or directory"));
    tc_runner_free(r);
    unlink(path);
    no_child_is_left();
}

/* What others opened without close-on-exec, low and high. */
static void open_files_are_not_handed_on(void **state)
{
    (void)state;
    int low = dup(STDERR_FILENO), high = dup2(STDERR_FILENO, 900);
    assert_true(low > 2 && high == 900);
    expect_outcome("ls /proc/$$/fd; true", 1, NULL, 2); /* the last one */
    close(low);
    close(high);
}

static void secrets_are_not_handed_on(void **state)
{
    (void)state;
    static const char *const secret[] = {
        "TACIT_STORAGE", "TACIT_TOKEN_FILE", "PGPASSWORD", "PGPASSFILE",
        "PGSERVICE",     "PGSERVICEFILE",    "PGSSLKEY",   "CREDENTIALS_DIRECTORY"};
    size_t n = sizeof secret / sizeof *secret;
    for (size_t i = 0; i < n; i++)
        setenv(secret[i], "secret-value", 1);
    setenv("TACIT_STORAGE_NOTE", "other-value", 1); /* a longer name is another variable */
    expect_outcome("env | grep -c secret-value; true", 1, NULL, 0);
    expect_outcome("env | grep -c other-value; true", 1, NULL, 1);
    for (size_t i = 0; i < n; i++)
        unsetenv(secret[i]);
    unsetenv("TACIT_STORAGE_NOTE");
}

static void a_foreign_study_does_not_choose_the_program(void **state)
{
    (void)state;
    tc_space *s = NULL;
    tc_runner *r = NULL;
    tacit_error err = {0};
    const char *const choices[] = {"sh", "bash"};
    assert_int_equal(tc_space_new(&s, NULL), TACIT_OK);
    assert_int_equal(tc_space_add_choice(s, "with", 2, choices, NULL), TACIT_OK);
    char *by_choice[] = {"/bin/{with}", NULL}, *with_choice[] = {"echo", "{with}", NULL};
    assert_int_equal(tc_runner_new(&r, s, by_choice, 1, 0, NULL), TACIT_OK);
    assert_int_equal(tc_runner_check_foreign(r, &err), TACIT_E_ARG);
    assert_string_equal(err.msg,
                        "the name of the program has a choice of the coordinator's study in "
                        "it, which would choose what runs here; --any-choices allows it");
    tc_runner_free(r);
    assert_int_equal(tc_runner_new(&r, s, with_choice, 1, 0, NULL), TACIT_OK);
    assert_int_equal(tc_runner_check_foreign(r, NULL), TACIT_OK);
    tc_runner_free(r);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(failures_have_reasons),
        cmocka_unit_test(the_last_error_is_heard_and_all_are_passed_on),
        cmocka_unit_test(much_output_is_read),
        cmocka_unit_test(a_job_reads_what_it_is_given),
        cmocka_unit_test(jobs_run_together),
        cmocka_unit_test(a_wait_can_end_early),
        cmocka_unit_test(a_late_job_is_ended),
        cmocka_unit_test(the_group_ends_with_the_job),
        cmocka_unit_test(intermediate_values_are_heard),
        cmocka_unit_test(what_was_heard_is_acted_on_together),
        cmocka_unit_test(lines_that_stray_are_heard),
        cmocka_unit_test(a_job_is_ended_by_its_values),
        cmocka_unit_test(stop_ends_all_and_reports_nothing),
        cmocka_unit_test(a_stubborn_job_is_killed),
        cmocka_unit_test(a_signal_ends_the_wait),
        cmocka_unit_test(the_job_dies_with_us),
        cmocka_unit_test(programs_are_looked_up_first),
        cmocka_unit_test(a_templated_program_is_looked_up_at_start),
        cmocka_unit_test(scripts_need_no_first_line),
        cmocka_unit_test(a_bad_interpreter_is_an_error),
        cmocka_unit_test(open_files_are_not_handed_on),
        cmocka_unit_test(secrets_are_not_handed_on),
        cmocka_unit_test(a_foreign_study_does_not_choose_the_program),
    };
    return cmocka_run_group_tests(tests, make_space, free_space);
}
