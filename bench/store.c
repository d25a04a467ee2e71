/* store.c - how fast trials pass through a study in a store, beside what the disk allows.
 *
 * The measure is the disk itself: how many one-row transactions a second SQLite commits here
 * with synchronous=FULL and a write-ahead log. A trial is one ask and one tell (algorithm
 * "random", no evaluation), and costs one sync; threads share syncs. Every figure is of a new file
 * and as many transactions, since syncs are slower while a log grows. A disk changes its mind from
 * second to second: all are measured in turn in each round, and figures and ratios are medians.
 *
 * If TACIT_POSTGRES is the URL of a PostgreSQL server, the same is measured there, beside one-row
 * commits of one connection to it.
 *
 * usage: bench_store [FOLDER]    where the files go; the working folder if absent */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/study.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 7, TRIALS = 1600, THREADS = 8, WIDTH = 2 };

static char folder[1024];

static void need(tacit_status status, const tacit_error *err)
{
    if (status == TACIT_OK)
        return;
    fprintf(stderr, "store: %s\n", err->msg);
    exit(tacit_status_exit(status));
}

static void path_of(char out[1100], const char *before, const char *name)
{
    snprintf(out, 1100, "%s%s/%s", before, folder, name);
}

static void remove_files(const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char path[1100], full[1200];
        path_of(path, "", name);
        snprintf(full, sizeof full, "%s%s", path, ends[i]);
        unlink(full);
    }
}

static double seconds_since(uint64_t start)
{
    return (double)(tc_clock_ns() - start) * 1e-9;
}

/* ---- the disk ---- */

static void sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
        return;
    fprintf(stderr, "store: %s\n", sqlite3_errmsg(db));
    exit(1);
}

/* Commits of one row a second. */
static double commit_rate(void)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    char path[1100];
    path_of(path, "", "commits.db");
    if (sqlite3_open(path, &db) != SQLITE_OK)
        exit(1);
    sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
    sqlite3_prepare_v2(db, "INSERT INTO t(body) VALUES('{\"state\":\"COMPLETE\",\"value\":0.5}')",
                       -1, &insert, NULL);
    uint64_t start = tc_clock_ns();
    for (int i = 0; i < TRIALS; i++) {
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    double rate = TRIALS / seconds_since(start);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    remove_files("commits.db");
    return rate;
}

/* ---- the server ---- */

static void pg_sql(PGconn *c, const char *text)
{
    PGresult *r = PQexec(c, text);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fprintf(stderr, "store: %s", PQerrorMessage(c));
        exit(1);
    }
    PQclear(r);
}

static double pg_commit_rate(const char *url)
{
    PGconn *c = PQconnectdb(url);
    pg_sql(c, "CREATE TABLE tacit_bench(id serial PRIMARY KEY, body text)");
    pg_sql(c, "PREPARE put AS INSERT INTO tacit_bench(body)"
              " VALUES('{\"state\":\"COMPLETE\",\"value\":0.5}')");
    uint64_t start = tc_clock_ns();
    for (int i = 0; i < TRIALS; i++)
        pg_sql(c, "EXECUTE put");
    double rate = TRIALS / seconds_since(start);
    pg_sql(c, "DROP TABLE tacit_bench");
    PQfinish(c);
    return rate;
}

/* ---- studies ---- */

static tc_study *make_study(tc_store *store, const char *algorithm)
{
    char text[512];
    json_t *json;
    tc_study_doc *doc;
    tc_study *s;
    tacit_error err;
    snprintf(text, sizeof text,
             "{\"name\": \"bench\", \"direction\": \"minimize\", \"trials\": 10000, \"seed\": 1,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
             " \"y\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"%s\"}}",
             algorithm);
    need(tc_json_parse(text, strlen(text), "bench", &json, &err), &err);
    need(tc_study_doc_from_json(&doc, json, NULL, &err), &err);
    need(tc_study_create(&s, store, doc, NULL, &err), &err);
    tc_study_doc_free(doc);
    json_decref(json);
    return s;
}

static tc_store *open_store(const char *name, bool fresh)
{
    char url[1100];
    tc_store *store;
    tacit_error err;
    if (fresh)
        remove_files(name);
    path_of(url, "sqlite:///", name);
    need(tc_store_open(&store, url, true, &err), &err);
    return store;
}

typedef struct worker {
    tc_study *study;
    int trials;
} worker;

static void *work(void *user)
{
    const worker *w = user;
    for (int i = 0; i < w->trials; i++) {
        uint64_t trial;
        double v[WIDTH];
        tacit_error err;
        need(tc_study_ask(w->study, NULL, 0, &trial, v, &err), &err);
        need(tc_study_tell(w->study, trial, NULL, v[0] + v[1], &err), &err);
    }
    return NULL;
}

/* Trials a second with `threads` workers on one new study of the store. */
static double trial_rate(tc_store *store, int threads)
{
    worker w = {.study = make_study(store, "random"), .trials = TRIALS / threads};
    pthread_t ids[THREADS];
    uint64_t start = tc_clock_ns();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, &w) != 0)
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    double rate = w.trials * threads / seconds_since(start);
    tc_study_close(w.study);
    return rate;
}

static double file_trial_rate(int threads)
{
    tc_store *store = open_store("rates.db", true);
    double rate = trial_rate(store, threads);
    tc_store_close(store);
    remove_files("rates.db");
    return rate;
}

static double pg_trial_rate(const char *url, int threads)
{
    tc_store *store;
    tc_study_row row;
    tacit_error err;
    need(tc_store_open(&store, url, true, &err), &err);
    double rate = trial_rate(store, threads);
    need(tc_store_study_get(store, "bench", &row, &err), &err);
    need(tc_store_study_erase(store, row.id, &err), &err);
    tc_study_row_fini(&row);
    tc_store_close(store);
    return rate;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, const double *per)
{
    double v[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        v[i] = per ? x[i] / per[i] : x[i];
    qsort(v, ROUNDS, sizeof *v, ascending);
    return v[ROUNDS / 2];
}

static void print_rate(const char *label, const double *rates, const double *commits)
{
    printf("%-28s %10.0f %8.2f\n", label, median(rates, NULL), median(rates, commits));
}

/* server NULL: files. */
static void measure_rates(const char *server)
{
    static const int workers[] = {1, 2, 4, THREADS};
    enum { KINDS = sizeof workers / sizeof workers[0] };
    double commits[ROUNDS], rates[KINDS][ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        commits[r] = server ? pg_commit_rate(server) : commit_rate();
        for (int k = 0; k < KINDS; k++)
            rates[k][r] = server ? pg_trial_rate(server, workers[k]) : file_trial_rate(workers[k]);
    }
    printf("%-28s %10s %8s\n", "", "per second", "ratio");
    print_rate(server ? "one-row commits (PostgreSQL)" : "one-row commits of SQLite", commits,
               commits);
    for (int k = 0; k < KINDS; k++) {
        char label[64];
        snprintf(label, sizeof label, "trials, %d thread%s", workers[k], workers[k] > 1 ? "s" : "");
        print_rate(label, rates[k], commits);
    }
    printf("\n");
}

/* ---- resuming ---- */

static void fill_study(const char *algorithm, size_t n)
{
    tc_store *store = open_store("resume.db", true);
    tc_study *s = make_study(store, algorithm);
    tc_stream draw;
    tacit_error err;
    double *values = tc_alloc(n, WIDTH * sizeof *values), *y = tc_alloc(n, sizeof *y);
    if (!values || !y)
        exit(tacit_status_exit(TACIT_E_MEMORY));
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream_public(&draw, &seed, TC_FOR_DESIGN, 0);
    for (size_t i = 0; i < n; i++) {
        values[2 * i] = tc_draw_uniform(&draw);
        values[2 * i + 1] = tc_draw_uniform(&draw);
        y[i] = values[2 * i] * values[2 * i] - values[2 * i + 1];
    }
    need(tc_study_import(s, n, values, y, &err), &err);
    tc_free(values);
    tc_free(y);
    tc_study_close(s);
    tc_store_close(store);
}

static void measure_resume(const char *algorithm, size_t n)
{
    fill_study(algorithm, n);
    uint64_t start = tc_clock_ns(), trial;
    tc_store *store = open_store("resume.db", false);
    double opened = seconds_since(start), v[WIDTH];
    tc_study *s;
    const tc_optimizer *o;
    tacit_error err;
    need(tc_study_open(&s, store, "bench", NULL, &err), &err);
    need(tc_study_look(s, &o, &err), &err);
    tc_study_unlook(s);
    double looked = seconds_since(start);
    need(tc_study_ask(s, NULL, 0, &trial, v, &err), &err);
    printf("%-10s %8zu %12.1f %12.1f %12.1f\n", algorithm, n, opened * 1e3, looked * 1e3,
           seconds_since(start) * 1e3);
    tc_study_close(s);
    tc_store_close(store);
    remove_files("resume.db");
}

int main(int argc, char **argv)
{
    snprintf(folder, sizeof folder, "%s", argc > 1 ? argv[1] : ".");
    measure_rates(NULL);
    if (getenv("TACIT_POSTGRES"))
        measure_rates(getenv("TACIT_POSTGRES"));
    printf("%-10s %8s %12s %12s %12s\n", "resuming", "trials", "opened (ms)", "looked (ms)",
           "asked (ms)");
    measure_resume("random", 10000);
    measure_resume("gp-ei", 1000);
    return 0;
}
