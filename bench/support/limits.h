/* limits.h - what this machine can do at best, measured in the same run as a benchmark. Each takes about a
 * second. Used by programs of bench/. */
#ifndef BENCH_SUPPORT_LIMITS_H
#define BENCH_SUPPORT_LIMITS_H

#include <stddef.h>

/* 4 kB written over and brought to disk, times a second, on a file in this folder. */
double bench_limit_syncs(const char *folder);
/* Rows of `size` bytes into an empty SQLite file in this folder, `group` of them in a transaction that
 * is on disk before the next begins: rows a second. */
double bench_limit_inserts(const char *folder, size_t size, size_t group);
/* Ed25519 signatures checked a second by one thread. */
double bench_limit_verifies(void);

#endif
