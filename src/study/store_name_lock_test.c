/* store_name_lock_test.c - one holder of a name at a time, and none that outlives its process.
 *
 * HOLD_STORE=postgresql: on the server TACIT_POSTGRES, which tests/support/postgres gives. */
#include "support/store_folder.h"

#include "study/store.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char where[512]; /* the store is */

static int choose_store(void **state)
{
    const char *server = getenv("HOLD_STORE") ? getenv("TACIT_POSTGRES") : NULL;
    int failed = make_folder(state);
    snprintf(where, sizeof where, "%s", server ? server : url);
    return failed;
}

static tc_store *open_store(void)
{
    tacit_error err = {0};
    tc_store *s;
    assert_ok(tc_store_open(&s, where, true, &err));
    return s;
}

static void let_go(tc_store *s, tc_name_lock *h)
{
    tc_name_unlock(h);
    tc_store_close(s);
}

/* ---- in one process: two handles are as good as two processes ---- */

static void one_has_it(void **state)
{
    tacit_error err = {0};
    tc_name_lock *mine, *yours = NULL, *other;
    tc_store *a = open_store(), *b = open_store();
    (void)state;
    assert_ok(tc_store_lock_name(a, "x", &mine, &err));
    assert_non_null(mine);
    assert_fails(tc_store_lock_name(b, "x", &yours, &err), TACIT_E_BUSY,
                 "another process holds it in ");
    assert_null(yours);
    assert_ok(tc_store_lock_name(b, "y", &other, &err)); /* names do not meet */
    tc_name_unlock(mine);
    assert_ok(tc_store_lock_name(b, "x", &yours, &err));
    tc_name_unlock(yours);
    let_go(b, other);
    tc_store_close(a);
}

static void a_store_of_one_process_needs_none(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    tc_name_lock *h;
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_store_lock_name(s, "x", &h, &err));
    assert_null(h);
    let_go(s, h);
}

/* ---- processes ---- */

/* A process that holds "x" until it is killed. If it runs a program, that lives on. */
static pid_t start_holder(bool runs_program, pid_t *program)
{
    int told[2];
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that failed does not end it */
        tacit_error err;
        tc_store *s;
        tc_name_lock *h;
        bool good = tc_store_open(&s, where, true, &err) == TACIT_OK &&
                    tc_store_lock_name(s, "x", &h, &err) == TACIT_OK;
        pid_t runs = good && runs_program ? fork() : 0;
        if (good && runs_program && runs == 0) {
            execlp("sleep", "sleep", "60", (char *)NULL);
            _exit(1);
        }
        if (good && write(told[1], &runs, sizeof runs) == sizeof runs)
            pause();
        _exit(1);
    }
    close(told[1]);
    assert_int_equal(read(told[0], program, sizeof *program), sizeof *program);
    close(told[0]);
    return child;
}

/* PostgreSQL notices a moment later. */
static tacit_status hold_soon(tc_store *s, tc_name_lock **out, tacit_error *err)
{
    tacit_status status = tc_store_lock_name(s, "x", out, err);
    for (int i = 0; status == TACIT_E_BUSY && i < 400; i++) {
        usleep(10000);
        status = tc_store_lock_name(s, "x", out, err);
    }
    return status;
}

static void a_killed_process_holds_nothing(void **state)
{
    tacit_error err = {0};
    (void)state;
    for (int runs = 0; runs < 2; runs++) {
        pid_t program = 0;
        pid_t child = start_holder(runs == 1, &program);
        tc_store *s = open_store();
        tc_name_lock *h = NULL;
        assert_fails(tc_store_lock_name(s, "x", &h, &err), TACIT_E_BUSY,
                     "another process holds it");
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_ok(hold_soon(s, &h, &err));
        if (program > 0)
            assert_int_equal(kill(program, SIGKILL), 0); /* it was there all the time */
        let_go(s, h);
    }
}

/* ---- the file beside ---- */

static void nobody_else_can_touch_the_file(void **state)
{
    tacit_error err = {0};
    char path[160];
    struct stat st;
    tc_name_lock *h;
    (void)state;
    if (strncmp(where, "sqlite:", 7) != 0)
        return;
    mode_t before = umask(0);
    tc_store *s = open_store();
    snprintf(path, sizeof path, "%s/store.db-hold", folder);
    unlink(path);
    assert_ok(tc_store_lock_name(s, "x", &h, &err));
    umask(before);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    tc_name_unlock(h);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_fails(tc_store_lock_name(s, "x", &h, &err), TACIT_E_IO,
                 "store.db-hold could not be opened: ");
    assert_int_equal(rmdir(path), 0);
    tc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_has_it),
        cmocka_unit_test(a_store_of_one_process_needs_none),
        cmocka_unit_test(a_killed_process_holds_nothing),
        cmocka_unit_test(nobody_else_can_touch_the_file),
    };
    return cmocka_run_group_tests(tests, choose_store, remove_folder);
}
