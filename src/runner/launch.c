/* launch.c - see launch.h.
 *
 * fork and exec rather than posix_spawn, for PDEATHSIG. Between the two only
 * async-signal-safe calls are made: the parent may have threads. The program gets
 * descriptors 0, 1 and 2 and no other, whoever opened one without close-on-exec. */
#include "runner/launch.h"

#include "base/error.h"
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static tacit_status check_path(const char *name, tc_text *path, tacit_error *err)
{
    struct stat st;
    if (stat(name, &st) != 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the program %s cannot be run: %s", name,
                       strerror(errno));
    if (!is_program(name))
        return tc_fail(err, TACIT_E_NOT_FOUND, "the program %s cannot be run: %s", name,
                       S_ISDIR(st.st_mode) ? "it is a folder" : "it is not executable");
    tc_text_add(path, name);
    return path->failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_program_find(const char *name, tc_text *path, tacit_error *err)
{
    if (strchr(name, '/'))
        return check_path(name, path, err);
    const char *dirs = getenv("PATH");
    if (!dirs)
        dirs = "/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(dirs, ":");
        tc_text try = {0};
        tc_text_add_bytes(&try, n ? dirs : ".", n ? n : 1);
        tc_text_addf(&try, "/%s", name);
        bool found = !try.failed && is_program(tc_text_get(&try));
        if (found)
            tc_text_add(path, tc_text_get(&try));
        bool failed = try.failed || path->failed;
        tc_text_fini(&try);
        if (failed)
            return tc_fail_memory(err);
        if (found)
            return TACIT_OK;
        if (dirs[n] == '\0')
            break;
        dirs += n + 1;
    }
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no program \"%s\" in PATH", name);
}

/* A text file without a "#!" line is a shell script, as execvp and shells have it. */
static void run_as_script(const tc_launch *l)
{
    static char shell[] = "/bin/sh";
    l->argv[-1] = shell;
    l->argv[0] = (char *)l->path;
    execve(shell, l->argv - 1, l->envp);
}

/* Linux 5.11 has the call for all at once. The report pipe must stay open until exec. */
static void close_others_on_exec(void)
{
    const unsigned first = STDERR_FILENO + 1, close_range_cloexec = 1u << 2;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, close_range_cloexec) == 0)
        return;
#endif
    struct rlimit most;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &most) == 0 ? most.rlim_cur : 1024;
    if (end > 1 << 20) /* unlimited; the kernel's own limit */
        end = 1 << 20;
    for (int fd = (int)first; fd < (int)end; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static bool silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return nowhere >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
}

/* err: the pipe of standard error, or -1. */
_Noreturn static void become(const tc_launch *l, int out, int err, int report, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before PDEATHSIG was set */
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    tc_guard_leave();
    sigprocmask(SIG_SETMASK, &none, NULL);
    close_others_on_exec();
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in >= 0 && dup2(l->in_fd > 0 ? l->in_fd : in, STDIN_FILENO) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0 && (err < 0 || dup2(err, STDERR_FILENO) >= 0) &&
        (!l->silent || silence())) {
        execve(l->path, l->argv, l->envp);
        if (errno == ENOEXEC)
            run_as_script(l);
    }
    int why = errno;
    ssize_t ignored = write(report, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

static void close_end(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void close_pair(int fd[2])
{
    close_end(fd[0]);
    close_end(fd[1]);
}

/* Standard output and error, and what says that exec has failed; those that are not there are -1. */
enum { OUT, ERR, REPORT, PIPES };

static tacit_status open_pipes(const tc_launch *l, int pipes[PIPES][2], tacit_error *err)
{
    for (int i = 0; i < PIPES; i++)
        pipes[i][0] = pipes[i][1] = -1;
    for (int i = 0; i < PIPES; i++) {
        if (i == ERR && !l->heard)
            continue;
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            int why = errno;
            for (int k = 0; k < i; k++)
                close_pair(pipes[k]);
            return tc_fail(err, TACIT_E_IO, "no pipe for a job: %s", strerror(why));
        }
        if (i != REPORT)
            fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
    }
    return TACIT_OK;
}

/* The report pipe closes without a word when exec succeeds. */
static int exec_error(int fd)
{
    int why = 0;
    ssize_t n;
    do
        n = read(fd, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The parent's half, after fork. */
static tacit_status adopt(const tc_launch *l, pid_t pid, int report, tc_process *out,
                          tacit_error *err)
{
    int why = exec_error(report);
    if (why != 0) {
        reap(pid);
        return tc_fail(err, TACIT_E_NOT_FOUND, "the program %s cannot be run: %s", l->path,
                       strerror(why));
    }
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by definition */
    if (pidfd < 0) {
        why = errno;
        kill(-pid, SIGKILL);
        reap(pid);
        return tc_fail(err, TACIT_E_IO, "no handle for a job: %s", strerror(why));
    }
    out->pid = pid;
    out->pidfd = pidfd;
    return TACIT_OK;
}

tacit_status tc_launch_start(const tc_launch *l, tc_process *p, tacit_error *err)
{
    int pipes[PIPES][2];
    TC_TRY(open_pipes(l, pipes, err));
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0)
        become(l, pipes[OUT][1], pipes[ERR][1], pipes[REPORT][1], parent);
    int why = errno;
    for (int i = 0; i < PIPES; i++)
        close_end(pipes[i][1]);
    tacit_status status = pid < 0
                              ? tc_fail(err, TACIT_E_IO, "no process for a job: %s", strerror(why))
                              : adopt(l, pid, pipes[REPORT][0], p, err);
    close(pipes[REPORT][0]);
    if (status == TACIT_OK) {
        p->out_fd = pipes[OUT][0];
        p->err_fd = pipes[ERR][0];
        return TACIT_OK;
    }
    close(pipes[OUT][0]);
    close_end(pipes[ERR][0]);
    return status;
}
