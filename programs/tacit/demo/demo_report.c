/* demo_report.c - what is printed and written when the hospitals are done (demo_int.h): together beside alone. */
#include "demo/demo_int.h"
#include "privacy/privacy_cli.h"

#include "base/file.h"

#include <inttypes.h>
#include <math.h>

/* What each hospital did: for programs. The last two columns are of studies that protect records: how many there
 * are, and the smallest value as its hospital knows it, with noise. */
static void add_row(tc_table *t, const tc_demo_journal *j, const tc_demo_curves *c)
{
    const size_t from = (j->hospital - 1) * c->trials, last = from + c->trials - 1;
    tc_table_integer(t, 0, j->hospital);
    tc_table_integer(t, 1, (int64_t)tc_hospital_size(j->hospital));
    tc_table_integer(t, 2, (int64_t)j->trials);
    tc_table_number(t, 3, c->together[from + c->start - 1]);
    tc_table_number(t, 4, c->alone[last]);
    tc_table_number(t, 5, c->together[last]);
    tc_table_number(t, 6, j->at.lr);
    tc_table_number(t, 7, j->at.l2);
    tc_table_integer(t, 8, j->at.hidden);
    tc_table_integer(t, 9, (int64_t)j->messages);
    tc_table_integer(t, 10, (int64_t)j->bytes);
    tc_table_number(t, 11, j->epsilon);
    if (c->records) {
        tc_table_integer(t, 12, (int64_t)tc_hospital_checked(j->hospital));
        tc_table_number(t, 13, j->best[c->trials - 1]);
    }
    tc_table_end_row(t);
}

tacit_status tc_demo_print_hospitals(const tc_demo_curves *c, const tc_demo_journal *all,
                                     tc_format format, tacit_error *err)
{
    static const char *const names[] = {"hospital", "patients", "trials",  "start",  "alone",
                                        "together", "lr",       "l2",      "hidden", "messages",
                                        "bytes",    "epsilon",  "records", "noised"};
    tc_table *t = tc_table_new(c->records ? 14 : 12, names);
    for (size_t i = 0; t && i < c->hospitals; i++)
        add_row(t, &all[i], c);
    return t ? tc_table_print(t, format, stdout, err) : tc_fail_memory(err);
}

/* Their means, trial by trial: for people. */
static tacit_status print_means(const tc_demo_curves *c, tacit_error *err)
{
    static const char *const names[] = {"trial", "together", "alone", "better off", "worse off"};
    tc_table *t = tc_table_new(5, names);
    for (size_t i = c->start - 1; t && i < c->trials; i++) {
        tc_demo_moment m = tc_demo_moment_at(c, i);
        char together[32], alone[32];
        snprintf(together, sizeof together, "%.4f", m.together);
        snprintf(alone, sizeof alone, "%.4f", m.alone);
        tc_table_integer(t, 0, (int64_t)i + 1);
        tc_table_text(t, 1, together);
        tc_table_text(t, 2, alone);
        tc_table_integer(t, 3, (int64_t)m.ahead);
        tc_table_integer(t, 4, (int64_t)m.behind);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static tacit_status print_chart(const tc_demo_curves *c, tacit_error *err)
{
    tc_text chart = {0};
    tacit_status status = tc_demo_chart_text(c, &chart, err);
    if (status == TACIT_OK)
        printf("\n%s", tc_text_get(&chart));
    tc_text_fini(&chart);
    return status;
}

/* How many trials together are enough for what all of them reach alone; 0: not even all. */
static size_t trials_enough(const tc_demo_curves *c)
{
    const double goal = tc_demo_moment_at(c, c->trials - 1).alone;
    for (size_t t = 0; t < c->trials; t++)
        if (tc_demo_moment_at(c, t).together <= goal)
            return t + 1;
    return 0;
}

static void print_gain(const tc_demo_curves *c, const tc_demo_journal *all)
{
    const tc_demo_moment m = tc_demo_moment_at(c, c->trials - 1);
    const size_t enough = trials_enough(c);
    const char *word = m.together < m.alone ? "Gained" : "LOST";
    char paid[32];
    tacit_epsilon_text(paid, tc_demo_most_paid(all, c->hospitals));
    printf("\nPaid by every %s: epsilon %s at delta %g, for the whole study.\n",
           c->records ? "validation record" : "hospital", paid, TC_DEMO_DELTA);
    printf("%s: mean %s %.4f after %zu trials, %.4f alone. Better off: %zu of %zu hospitals;\n"
           "worse off: %zu. ",
           m.together == m.alone ? "Neither gain nor loss" : word, tc_demo_metric(c), m.together,
           c->trials, m.alone, m.ahead, c->hospitals, m.behind);
    if (enough > 0)
        printf("Together, %zu trials reach what %zu reach alone.\n", enough, c->trials);
    else
        printf("Together, %zu trials do not reach what %zu reach alone.\n", c->trials, c->trials);
}

/* Who could read what left a hospital. */
static void add_readers(const tc_demo_journal *j, tc_text *out)
{
    const bool votes = j->votes;
    const char *sums = votes ? "noisy sums" : "the noisy sum";
    if (j->trustees == 0)
        tc_text_addf(out,
                     "The coordinator, which is trusted, saw each hospital's %s, from which its "
                     "trials can be read up to level and unit; everybody else saw %s only.",
                     votes ? "vectors" : "vector", sums);
    else
        tc_text_addf(out,
                     "%s left as shares, one for each of %" PRIu64 " trustees, sealed for it: the "
                     "coordinator carried them and could read none, no trustee could read "
                     "one alone, and %" PRIu64
                     " of them together could have. The trustees added up, dealt the noise and "
                     "erased their keys; everybody, the coordinator included, saw %s only.",
                     votes ? "Both vectors" : "The vector", j->trustees, j->readers, sums);
}

static void add_meaning(const tc_demo_curves *c, const tc_demo_journal *j, tc_text *out)
{
    tc_text_addf(
        out,
        "Each hospital trained neural networks on its own patients, to find the learning rate, "
        "penalty and size with the lowest validation log-loss. Its first %zu trials were spread "
        "evenly; then it sent %s. Records never left a hospital. ",
        c->start,
        j->votes
            ? "two vectors, a vote on the length-scale and then what it had learnt, and heard a "
              "noisy sum of each"
            : "what it had learnt, as a vector, and heard the noisy sum");
    add_readers(j, out);
    tc_text_add(out, " Alone: the same start and the same program, which does not listen.");
}

/* Smallest and largest standard deviation of the noise in one value. */
static void add_noise(const tc_demo_curves *c, tc_text *out)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < c->hospitals; i++) {
        least = fmin(least, c->noise_sd[i]);
        most = fmax(most, c->noise_sd[i]);
    }
    tc_text_addf(out, "standard deviation %.2g to %.2g, the more records the less", least, most);
}

static void add_meaning_for_records(const tc_demo_curves *c, tc_text *out)
{
    tc_text_add(
        out,
        "Each hospital trained neural networks on its own patients, to find the learning rate, "
        "penalty and size with the fewest wrong answers among its validation records. An answer "
        "counts 0 or 1, so that one of n records moves the mean by 1/n at most. Noise (");
    add_noise(c, out);
    tc_text_addf(
        out,
        ") went into every value before anything else saw it. The first %zu points of a hospital "
        "were spread evenly; then all sent points and noised values to each other, after every "
        "trial. Alone: the same first points, then what tacit optimize would try (gp-ei), with as "
        "much noise; with real records that second study would cost its epsilon again. Both choose "
        "by values with noise. The errors above are without it, and only a demonstration can show "
        "them: its patients are generated.",
        c->start);
}

static tacit_status print_meaning(const tc_demo_curves *c, const tc_demo_journal *j,
                                  tacit_error *err)
{
    tc_text text = {0};
    if (c->records)
        add_meaning_for_records(c, &text);
    else
        add_meaning(c, j, &text);
    bool ok = !text.failed;
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    putchar('\n');
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_demo_print_comparison(const tc_demo_curves *c, const tc_demo_journal *all,
                                      tacit_error *err)
{
    puts(c->records ? "True validation error of what was chosen so far, mean of all hospitals:\n"
                    : "Best validation log-loss so far, mean of all hospitals:\n");
    TC_TRY(print_means(c, err));
    puts(c->records
             ? "\nThis table is not private: it has no noise, and no hospital could print it."
             : "\nThis table is not private: no coordinator could print it.");
    TC_TRY(print_chart(c, err));
    print_gain(c, all);
    return print_meaning(c, &all[0], err);
}

/* ---- files ---- */

static tacit_status write_file(const char *dir, const char *extension, const tc_text *text,
                               bool quiet, tacit_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/" TC_DEMO_STUDY ".%s", dir, extension);
    if (n < 0 || (size_t)n >= sizeof path)
        return tc_fail(err, TACIT_E_ARG, "the path of --out is too long");
    if (text->failed)
        return tc_fail_memory(err);
    TC_TRY(tc_file_write(path, tc_text_get(text), text->len, err));
    tc_note(quiet, "wrote %s", path);
    return TACIT_OK;
}

tacit_status tc_demo_write_files(const tc_demo_curves *c, const tc_demo_plan *plan, const char *dir,
                                 bool quiet, tacit_error *err)
{
    tc_text csv = {0}, svg = {0};
    tc_demo_curves_csv(c, &csv);
    tacit_status status = write_file(dir, "csv", &csv, quiet, err);
    if (status == TACIT_OK)
        status = tc_demo_chart_svg(c, plan->epsilon, &svg, err);
    if (status == TACIT_OK)
        status = write_file(dir, "svg", &svg, quiet, err);
    tc_text_fini(&csv);
    tc_text_fini(&svg);
    return status;
}
