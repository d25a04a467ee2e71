/* takes.c - which objectives look at an option that the others pass over (objective.h).
 *
 * An option that changes nothing misleads whoever gives it; a program asks here and refuses it. */
#include "objective/objective_int.h"

#include <string.h>

enum { OTHER = 0, GP_FAMILY = 1, GP_SAMPLE = 2, RKHS = 4, TABLE = 8 };

static const struct {
    const char *option;
    int takers;
    const char *who;
} rows[] = {
    {"lengthscale", GP_FAMILY | GP_SAMPLE | RKHS, "gp-sample, gp-family and rkhs-*"},
    {"grid", GP_FAMILY | GP_SAMPLE | RKHS, "gp-sample, gp-family and rkhs-*"},
    {"heterogeneity", GP_FAMILY, "gp-family"},
    {"distance", GP_FAMILY, "gp-family"},
    {"table-value", TABLE, "table:FILE.csv"},
    {"table-goal", TABLE, "table:FILE.csv"},
    {"table-columns", TABLE, "table:FILE.csv"},
};

static int kind_of(const char *objective)
{
    if (strcmp(objective, "gp-family") == 0)
        return GP_FAMILY;
    if (strcmp(objective, "gp-sample") == 0)
        return GP_SAMPLE;
    if (strncmp(objective, "rkhs-", 5) == 0)
        return RKHS;
    return tc_value_table_named(objective) ? TABLE : OTHER;
}

bool tc_objective_takes(const char *objective, const char *option, const char **who)
{
    int kind = kind_of(objective);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].option, option) == 0) {
            *who = rows[i].who;
            return (rows[i].takers & kind) != 0;
        }
    *who = "all objectives";
    return true;
}
