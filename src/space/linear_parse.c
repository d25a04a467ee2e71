/* linear_parse.c - the text of a linear constraint, read strictly and written canonically. See linear.h.
 *
 *     constraint = sum ("<=" | ">=") sum
 *     sum        = ["+" | "-"] product {("+" | "-") product}
 *     product    = factor {"*" factor}, at most one of them a name
 *     factor     = ["+" | "-"] (number | name)
 *
 * Names may contain dashes: "a-b" is the parameter of that name, and where there is none, a minus b. Canonically all
 * parameters stand on the left in the order of the space, each once, the first with a positive factor. */
#include "space/linear.h"

#include "base/error.h"
#include "base/text.h"
#include "space/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const tc_space *space;
    const char *text, *at;
    double *factor; /* of each column: left side minus right side */
    double constant;
    tacit_error *err;
} reader;

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
static const char digits[] = "0123456789";
static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";

static size_t columns_of(const tc_space *s)
{
    return s->domain ? s->domain->dim : s->n_params;
}

static const char *column_name(const tc_space *s, size_t column)
{
    return s->domain ? s->domain->names[column] : s->params[column].name;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* ---- factors ---- */

static size_t find_column(const tc_space *s, const char *name, size_t len)
{
    size_t n = columns_of(s), i = 0;
    while (i < n && (strlen(column_name(s, i)) != len || memcmp(column_name(s, i), name, len) != 0))
        i++;
    return i;
}

static tacit_status check_column(const reader *r, size_t column)
{
    const tc_space *s = r->space;
    if (s->domain)
        return TACIT_OK;
    const tc_param *p = &s->params[column];
    if (p->type == TC_PARAM_CHOICE && p->kind != TC_CHOICE_BOOL)
        return tc_fail(r->err, TACIT_E_ARG,
                       "%s is a choice, and constraints are on floats, ints and bools", p->name);
    if (p->allowed)
        return tc_fail(r->err, TACIT_E_ARG,
                       "%s has a condition, and constraints are on parameters that are always "
                       "active",
                       p->name);
    return TACIT_OK;
}

/* The longest name that ends where the text does, or before a dash of it. */
static tacit_status read_name(reader *r, size_t *column)
{
    const size_t run = strspn(r->at, in_names);
    for (size_t len = run; len > 0; len--) {
        if (len < run && r->at[len] != '-')
            continue;
        *column = find_column(r->space, r->at, len);
        if (*column < columns_of(r->space)) {
            r->at += len;
            return check_column(r, *column);
        }
    }
    return tc_fail(r->err, TACIT_E_ARG, "there is no %s \"%.*s\"",
                   r->space->domain ? "column" : "parameter", run < 100 ? (int)run : 100, r->at);
}

static tacit_status read_number(reader *r, double *out)
{
    char text[64];
    size_t len = strspn(r->at, "0123456789.");
    if (is_one_of(r->at[len], "eE")) {
        size_t sign = is_one_of(r->at[len + 1], "+-"),
               power = strspn(r->at + len + 1 + sign, digits);
        len += power > 0 ? 1 + sign + power : 0;
    }
    snprintf(text, sizeof text, "%.*s", len < sizeof text ? (int)len : 0, r->at);
    if (!tc_parse_double(text, out))
        return tc_fail(r->err, TACIT_E_ARG, "\"%.*s\" is not a finite number of at most %zu digits",
                       len < 100 ? (int)len : 100, r->at, sizeof text - 1);
    r->at += len;
    return TACIT_OK;
}

static tacit_status read_factor(reader *r, double *number, size_t *column)
{
    const size_t none = columns_of(r->space);
    double sign = 1, value = 1;
    size_t found = none;
    skip_blanks(r);
    if (is_one_of(*r->at, "+-")) {
        sign = *r->at++ == '-' ? -1 : 1;
        skip_blanks(r);
    }
    if (is_one_of(*r->at, letters))
        TC_TRY(read_name(r, &found));
    else if (is_one_of(*r->at, digits) || *r->at == '.')
        TC_TRY(read_number(r, &value));
    else if (*r->at == '\0')
        return tc_fail(r->err, TACIT_E_ARG, "a number or a name is missing at the end");
    else
        return tc_fail(r->err, TACIT_E_ARG, "a number or a name must stand before \"%.20s\"",
                       r->at);
    if (found < none && *column < none)
        return tc_fail(r->err, TACIT_E_ARG, "%s times %s is not linear",
                       column_name(r->space, *column), column_name(r->space, found));
    *column = found < none ? found : *column;
    *number *= sign * value;
    skip_blanks(r);
    return TACIT_OK;
}

/* ---- sums ---- */

/* What to write in place of "2*x/4", where `number` times the column has been read; that may be none. */
static tacit_status refuse_division(reader *r, double number, size_t column)
{
    double by = 0;
    r->at++;
    skip_blanks(r);
    if (is_one_of(*r->at, digits) || *r->at == '.')
        TC_TRY(read_number(r, &by));
    if (by != 0 && column == columns_of(r->space))
        return tc_fail(r->err, TACIT_E_ARG, "it must have no division: write %.12g", number / by);
    if (by == 0)
        return tc_fail(r->err, TACIT_E_ARG,
                       "it must have no division: write a number times a %s, as in 0.5*x",
                       r->space->domain ? "column" : "parameter");
    return tc_fail(r->err, TACIT_E_ARG, "it must have no division: write %.12g*%s", number / by,
                   column_name(r->space, column));
}

/* A product, `sign` times, into the factors or the constant. */
static tacit_status read_product(reader *r, double sign)
{
    const size_t none = columns_of(r->space);
    double number = sign;
    size_t column = none;
    TC_TRY(read_factor(r, &number, &column));
    while (*r->at == '*') {
        r->at++;
        TC_TRY(read_factor(r, &number, &column));
    }
    if (*r->at == '/')
        return refuse_division(r, number / sign, column);
    if (column < none)
        r->factor[column] += number;
    else
        r->constant += number;
    return TACIT_OK;
}

static tacit_status read_sum(reader *r, double side)
{
    TC_TRY(read_product(r, side));
    while (is_one_of(*r->at, "+-")) {
        double sign = *r->at++ == '-' ? -side : side;
        TC_TRY(read_product(r, sign));
    }
    return TACIT_OK;
}

/* Signs that a keyboard of mathematics has. */
#define AT_MOST  "\u2264"
#define AT_LEAST "\u2265"

static tacit_status not_a_relation(const reader *r)
{
    if (*r->at == '\0')
        return tc_fail(r->err, TACIT_E_ARG, "it must have <= or >=");
    if (r->at[0] == '=' && is_one_of(r->at[1], "<>"))
        return tc_fail(r->err, TACIT_E_ARG, "it must have <= or >=: write %c=, not =%c", r->at[1],
                       r->at[1]);
    if (strncmp(r->at, AT_MOST, strlen(AT_MOST)) == 0)
        return tc_fail(r->err, TACIT_E_ARG, "it must have <= or >=: write <=, not " AT_MOST);
    if (strncmp(r->at, AT_LEAST, strlen(AT_LEAST)) == 0)
        return tc_fail(r->err, TACIT_E_ARG, "it must have <= or >=: write >=, not " AT_LEAST);
    if (r->at[0] == '=')
        return tc_fail(r->err, TACIT_E_ARG,
                       "it must have <= or >=, and not =: leave one parameter of an equality out "
                       "of the space, compute it from the others where it is used, and give its "
                       "bounds as constraints on these");
    if (is_one_of(*r->at, "<>"))
        return tc_fail(r->err, TACIT_E_ARG, "it must have <= or >=, and not %c alone", *r->at);
    return tc_fail(r->err, TACIT_E_ARG, "+, -, *, <= or >= must stand before \"%.20s\"", r->at);
}

static tacit_status read_relation(reader *r, bool *at_least)
{
    if (!is_one_of(r->at[0], "<>") || r->at[1] != '=')
        return not_a_relation(r);
    *at_least = r->at[0] == '>';
    r->at += 2;
    return TACIT_OK;
}

static tacit_status read_all(reader *r, bool *at_least)
{
    TC_TRY(read_sum(r, 1));
    TC_TRY(read_relation(r, at_least));
    TC_TRY(read_sum(r, -1));
    if (is_one_of(*r->at, "<>="))
        return tc_fail(r->err, TACIT_E_ARG, "it must have one <= or >=: write two constraints");
    return *r->at == '\0' ? TACIT_OK : not_a_relation(r);
}

/* ---- canonical ---- */

static void add_term(tc_text *t, double factor, const char *name, bool first)
{
    tc_text_add(t, first ? "" : factor < 0 ? " - " : " + ");
    if (fabs(factor) != 1) {
        tc_text_add_double(t, fabs(factor));
        tc_text_add(t, "*");
    }
    tc_text_add(t, name);
}

static char *text_of(tc_space *s, const tc_linear *c)
{
    tc_text t = {0};
    for (size_t k = 0; k < c->n_terms; k++)
        add_term(&t, c->terms[k].factor, column_name(s, c->terms[k].column), k == 0);
    tc_text_add(&t, c->at_least ? " >= " : " <= ");
    tc_text_add_double(&t, c->bound);
    char *kept = t.failed ? NULL : tc_arena_strdup(&s->memory, tc_text_get(&t));
    tc_text_fini(&t);
    return kept;
}

static size_t count_terms(const reader *r)
{
    size_t n = 0;
    for (size_t i = 0; i < columns_of(r->space); i++)
        n += r->factor[i] != 0;
    return n;
}

static void take_terms(const reader *r, tc_linear *c)
{
    const size_t n = columns_of(r->space);
    size_t first = 0, k = 0;
    while (r->factor[first] == 0)
        first++;
    const double sign = r->factor[first] < 0 ? -1 : 1;
    for (size_t i = first; i < n; i++)
        if (r->factor[i] != 0)
            c->terms[k++] = (tc_term){.column = i, .factor = sign * r->factor[i]};
    c->bound = 0 - sign * r->constant; /* never -0 */
    if (sign < 0)
        c->at_least = !c->at_least;
}

static tacit_status finish(const reader *r, tc_space *s, tc_linear *c)
{
    c->n_terms = count_terms(r);
    if (c->n_terms == 0)
        return tc_fail(r->err, TACIT_E_ARG, "it constrains no %s",
                       s->domain ? "column" : "parameter");
    for (size_t i = 0; i < columns_of(s); i++)
        if (!isfinite(r->factor[i]) || !isfinite(r->constant))
            return tc_fail(r->err, TACIT_E_ARG, "its numbers are too large");
    c->terms = TC_TAKE(&s->memory, c->n_terms, tc_term);
    if (!c->terms)
        return tc_fail_memory(r->err);
    take_terms(r, c);
    c->text = text_of(s, c);
    return c->text ? TACIT_OK : tc_fail_memory(r->err);
}

tacit_status tc_linear_parse(tc_space *s, const char *text, tc_linear *out, tacit_error *err)
{
    tc_linear c = {0};
    if (strlen(text) > TC_LINEAR_TEXT_MAX)
        return tc_fail(err, TACIT_E_ARG, "it must have at most %d bytes, got %zu",
                       TC_LINEAR_TEXT_MAX, strlen(text));
    reader r = {.space = s, .text = text, .at = text, .err = err};
    r.factor = tc_alloc(columns_of(s) + 1, sizeof *r.factor);
    if (!r.factor)
        return tc_fail_memory(err);
    tacit_status status = read_all(&r, &c.at_least);
    if (status == TACIT_OK)
        status = finish(&r, s, &c);
    tc_free(r.factor);
    if (status == TACIT_OK)
        *out = c;
    return status;
}
