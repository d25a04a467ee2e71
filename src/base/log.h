/* log.h - messages for people, through one sink that the program sets.
 *
 * The library is silent until a sink is set. Never log raw values of a
 * federated study, seeds or keys. */
#ifndef TC_BASE_LOG_H
#define TC_BASE_LOG_H

#include <tacit/status.h>

typedef enum tc_log_level { TC_LOG_ERROR, TC_LOG_WARN, TC_LOG_INFO, TC_LOG_DEBUG } tc_log_level;

typedef void (*tc_log_sink)(tc_log_level level, const char *line, void *user);

void tc_log_set(tc_log_sink sink, void *user, tc_log_level upto); /* before threads start */
void tc_log(tc_log_level level, const char *fmt, ...) TACIT_PRINTF(2, 3);

#endif
