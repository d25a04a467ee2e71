/* worker_process_test.c - who lives, who is dead, who is unknown; and that each is looked at once. */
#include "worker/process.h"

#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_name(char out[TC_WORKER_MAX], const tc_process_id *p, const char *rest)
{
    snprintf(out, TC_WORKER_MAX, "%s:%s:%ld:%s%s", p->host, p->boot, p->pid, p->start, rest);
}

static void we_are_alive(void **state)
{
    (void)state;
    tc_processes c;
    tc_processes_begin(&c);
    char name[TC_WORKER_MAX], same[TC_WORKER_MAX];
    tc_processes_name(&c, 3, name);
    write_name(same, &c.me, "/3");
    assert_string_equal(name, same);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE);
    tc_processes_end(&c);
}

static void names_are_read_before_anybody_is_looked_at(void **state)
{
    (void)state;
    tc_processes c;
    tc_processes_begin(&c);
    static const char *const foreign[] = {"",      "gpu-1",   "a:b:c:d/0", "elsewhere:0:1:1/0",
                                          "::::/", "a:b:1:1", "a:b:0:1/0", "a:b:-4:1/0"};
    assert_int_equal(tc_processes_look_up(&c, NULL), TC_WORKER_FOREIGN);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_int_equal(tc_processes_look_up(&c, foreign[i]), TC_WORKER_FOREIGN);
    char name[TC_WORKER_MAX];
    tc_process_id before = c.me;
    snprintf(before.boot, sizeof before.boot, "an-earlier-boot");
    write_name(name, &before, "/0");
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_DEAD);
    assert_int_equal(c.n_seen, 0);
    tc_processes_end(&c);
}

/* The number of a dead process may belong to another one now. */
static void a_start_time_makes_a_number_unmistakable(void **state)
{
    (void)state;
    tc_processes c;
    tc_processes_begin(&c);
    char name[TC_WORKER_MAX];
    tc_process_id earlier = c.me;
    snprintf(earlier.start, sizeof earlier.start, "1");
    write_name(name, &earlier, "/0");
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_DEAD);
    tc_processes_name(&c, 0, name);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE);
    tc_processes_end(&c);
}

static void a_process_is_looked_at_once(void **state)
{
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char name[TC_WORKER_MAX] = "";
        tc_processes its;
        tc_processes_begin(&its);
        tc_processes_name(&its, 0, name);
        if (write(fd[1], name, sizeof name) == sizeof name)
            pause();
        _exit(1);
    }
    char name[TC_WORKER_MAX];
    assert_int_equal(read(fd[0], name, sizeof name), sizeof name);
    tc_processes c;
    tc_processes_begin(&c);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE);
    kill(pid, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE); /* as it was seen */
    strchr(name, '/')[1] = '7'; /* another slot of the same */
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE);
    tc_processes_forget(&c);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_DEAD); /* a zombie */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    tc_processes_forget(&c);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_DEAD);
    close(fd[0]);
    close(fd[1]);
    tc_processes_end(&c);
}

static void more_processes_than_are_kept(void **state)
{
    (void)state;
    tc_processes c;
    tc_processes_begin(&c);
    char name[TC_WORKER_MAX];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 3 * TC_PROCESSES_SEEN; i++) {
            tc_process_id p = c.me;
            snprintf(p.start, sizeof p.start, "%d", i + 1);
            write_name(name, &p, "/0");
            if (i == 100)
                tc_processes_name(&c, 0, name);
            assert_int_equal(tc_processes_look_up(&c, name),
                             i == 100 ? TC_WORKER_ALIVE : TC_WORKER_DEAD);
        }
    tc_processes_end(&c);
}

/* Two workers in one process are two; what one left that has ended is nobody's any more. */
static void runs_of_one_process_are_told_apart(void **state)
{
    (void)state;
    tc_processes c, second;
    char first_name[TC_WORKER_MAX], name[TC_WORKER_MAX];
    tc_processes_begin(&c);
    tc_processes_begin(&second);
    tc_processes_name(&c, 0, first_name);
    tc_processes_name(&second, 0, name);
    assert_string_not_equal(first_name, name);
    assert_int_equal(tc_processes_look_up(&second, first_name), TC_WORKER_ALIVE);
    assert_int_equal(tc_processes_look_up(&c, name), TC_WORKER_ALIVE);
    tc_processes_end(&c);
    assert_int_equal(tc_processes_look_up(&second, first_name), TC_WORKER_DEAD);
    assert_int_equal(tc_processes_look_up(&second, name), TC_WORKER_ALIVE);
    tc_processes_end(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(we_are_alive),
        cmocka_unit_test(runs_of_one_process_are_told_apart),
        cmocka_unit_test(names_are_read_before_anybody_is_looked_at),
        cmocka_unit_test(a_start_time_makes_a_number_unmistakable),
        cmocka_unit_test(a_process_is_looked_at_once),
        cmocka_unit_test(more_processes_than_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
