/* readable.c - to be preloaded into a coordinator by memory_live_test.sh, where the test does not run as root: the
 * process does not hide its memory from others of the same user (src/base/guard.c). All else stays as it is. */
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int prctl(int what, ...)
{
    unsigned long args[4];
    va_list list;
    va_start(list, what);
    for (int i = 0; i < 4; i++)
        args[i] = va_arg(list, unsigned long);
    va_end(list);
    if (what == PR_SET_DUMPABLE) { /* and any process may look (Yama) */
        what = PR_SET_PTRACER;
        args[0] = PR_SET_PTRACER_ANY;
    }
    return (int)syscall(SYS_prctl, what, args[0], args[1], args[2], args[3]);
}
