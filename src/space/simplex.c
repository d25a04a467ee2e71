/* simplex.c - the simplex method on a dense table [Chvatal 1983, ch. 2]. See simplex.h.
 *
 * The column with the steepest slope enters; after a while the first one that improves does, which cannot go in circles
 * [Bland 1977]. */
#include "space/simplex.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static const double TINY = 1e-11;

tacit_status tc_simplex_init(tc_simplex *s, size_t rows, size_t columns, tacit_error *err)
{
    *s = (tc_simplex){.rows = rows, .columns = columns};
    s->table = tc_alloc((rows + 1) * (columns + 1), sizeof *s->table);
    s->basic = tc_alloc(rows, sizeof *s->basic);
    s->other = tc_alloc(columns, sizeof *s->other);
    if (!s->table || !s->basic || !s->other) {
        tc_simplex_fini(s);
        return tc_fail_memory(err);
    }
    for (size_t j = 0; j < columns; j++)
        s->other[j] = j;
    for (size_t i = 0; i < rows; i++)
        s->basic[i] = columns + i;
    return TACIT_OK;
}

void tc_simplex_fini(tc_simplex *s)
{
    tc_free(s->table);
    tc_free(s->basic);
    tc_free(s->other);
}

double *tc_simplex_at(tc_simplex *s, size_t row, size_t column)
{
    return s->table + row * (s->columns + 1) + column;
}

/* columns: nothing improves. */
static size_t entering(tc_simplex *s, bool first)
{
    size_t best = s->columns;
    for (size_t j = 0; j < s->columns; j++) {
        double slope = *tc_simplex_at(s, s->rows, j);
        if (slope >= -TINY)
            continue;
        bool better = best == s->columns || (first ? s->other[j] < s->other[best]
                                                   : slope < *tc_simplex_at(s, s->rows, best));
        best = better ? j : best;
    }
    return best;
}

/* The row that is used up first; rows: none is. */
static size_t leaving(tc_simplex *s, size_t column)
{
    size_t best = s->rows;
    double least = INFINITY;
    for (size_t i = 0; i < s->rows; i++) {
        double slope = *tc_simplex_at(s, i, column);
        if (slope <= TINY)
            continue;
        double ratio = fmax(*tc_simplex_at(s, i, s->columns), 0) / slope;
        if (ratio < least || (ratio == least && s->basic[i] < s->basic[best])) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

static void pivot(tc_simplex *s, size_t row, size_t column)
{
    const double by = 1 / *tc_simplex_at(s, row, column);
    *tc_simplex_at(s, row, column) = 1;
    for (size_t j = 0; j <= s->columns; j++)
        *tc_simplex_at(s, row, j) *= by;
    for (size_t i = 0; i <= s->rows; i++) {
        const double times = *tc_simplex_at(s, i, column);
        if (i == row || times == 0)
            continue;
        *tc_simplex_at(s, i, column) = 0;
        for (size_t j = 0; j <= s->columns; j++)
            *tc_simplex_at(s, i, j) -= times * *tc_simplex_at(s, row, j);
    }
    size_t who = s->basic[row];
    s->basic[row] = s->other[column];
    s->other[column] = who;
}

void tc_simplex_solve(tc_simplex *s, double *x)
{
    const size_t steep = 10 * (s->rows + s->columns);
    for (size_t k = 0; k < 2 * steep; k++) {
        size_t column = entering(s, k >= steep);
        size_t row = column < s->columns ? leaving(s, column) : s->rows;
        if (row == s->rows)
            break;
        pivot(s, row, column);
    }
    for (size_t j = 0; j < s->columns; j++)
        x[j] = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (s->basic[i] < s->columns)
            x[s->basic[i]] = fmax(*tc_simplex_at(s, i, s->columns), 0);
}
