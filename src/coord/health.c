/* health.c - is it up, and how much has it done: for those who watch over machines. ready.c says if it can work.
 *
 * Metrics count requests and rounds of the whole process. Nothing in them is of a single agent or study:
 * not who sent, not how long its message was. Contributions are not counted at all, for a sum that is short
 * of the roster tells that somebody declined; nor are requests of agents (coord.c), for else whoever reads
 * the metrics often enough could watch messages come. Only what failed in here is counted whoever asked. */
#include "coord/coord_int.h"
#include "coord/request.h"
#include "coord/round.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#include <inttypes.h>

tacit_status tc_health_live(tc_request_context *a, tacit_error *err)
{
    return tc_answer_text(a, "ok\n", err);
}

void tc_count(tc_coord *c, tc_counter which, uint64_t n)
{
    atomic_fetch_add_explicit(&c->counters[which], n, memory_order_relaxed);
}

void tc_count_answer(tc_coord *c, int status)
{
    tc_count(c, status < 400 ? TC_COUNT_2XX : status < 500 ? TC_COUNT_4XX : TC_COUNT_5XX, 1);
}

void tc_coord_counted(tc_coord *c, int status)
{
    tc_count_answer(c, status);
    if (status == 429 && tc_problem_is_said(c))
        tc_log(TC_LOG_WARN, "a request was turned away: 429 too many of its address, or too many "
                            "wrong tokens");
}

void tc_coord_count_refused(tc_coord *c)
{
    enum { EVERY_MS = 10000 };
    uint64_t now_ms = tc_clock_ns() / 1000000, said = atomic_load(&c->refused_said_ms);
    tc_count(c, TC_COUNT_REFUSED, 1);
    if ((said == 0 || now_ms - said >= EVERY_MS) &&
        atomic_compare_exchange_strong(&c->refused_said_ms, &said, now_ms))
        tc_log(TC_LOG_WARN,
               "connections are refused: too many TLS handshakes of one address; %llu so far",
               (unsigned long long)atomic_load(&c->counters[TC_COUNT_REFUSED]));
}

tacit_status tc_health_metrics(tc_request_context *a, tacit_error *err)
{
    static const struct {
        const char *name, *labels, *help;
    } rows[TC_COUNTERS] = {
        [TC_COUNT_2XX] = {"tacit_requests_total", "{status=\"2xx\"}",
                          "Requests by kind of answer, those of agents only if they are 5xx"},
        [TC_COUNT_4XX] = {"tacit_requests_total", "{status=\"4xx\"}", NULL},
        [TC_COUNT_5XX] = {"tacit_requests_total", "{status=\"5xx\"}", NULL},
        [TC_COUNT_CLOSED] = {"tacit_rounds_total", "{end=\"closed\"}", "Rounds by how they ended"},
        [TC_COUNT_VOID] = {"tacit_rounds_total", "{end=\"void\"}", NULL},
        [TC_COUNT_REFUSED] = {"tacit_handshakes_refused_total", "",
                              "Connections closed before TLS: too many of their address"},
    };
    tc_text *out = &a->out->body;
    for (size_t i = 0; i < TC_COUNTERS; i++) {
        if (rows[i].help)
            tc_text_addf(out, "# HELP %s %s\n# TYPE %s counter\n", rows[i].name, rows[i].help,
                         rows[i].name);
        tc_text_addf(out, "%s%s %" PRIu64 "\n", rows[i].name, rows[i].labels,
                     (uint64_t)atomic_load_explicit(&a->coord->counters[i], memory_order_relaxed));
    }
    tc_text_addf(
        out,
        "# HELP tacit_rounds_stuck Rounds that should have been closed, or have waited for a "
        "day without a deadline\n# TYPE tacit_rounds_stuck gauge\ntacit_rounds_stuck %" PRIu64 "\n",
        tc_stuck_count(a->coord));
    return tc_answer_text(a, "", err);
}
