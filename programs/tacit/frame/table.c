/* table.c - rows of results: aligned for people, exact as CSV or JSON.
 *
 * For people numbers have six digits and control characters are hidden; CSV and
 * JSON carry the shortest text that reads back as the same double. An empty cell
 * is nothing, an empty field, null. */
#include "frame/cli.h"

#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_NUMBER, CELL_INTEGER } cell_kind;

typedef struct cell {
    cell_kind kind;
    union {
        const char *text;
        double number;
        int64_t integer;
    };
} cell;

struct tc_table {
    tc_arena arena; /* names, texts */
    size_t columns, rows;
    const char **names;
    cell *cells; /* rows ended, then the current one */
    size_t cap;
    bool failed;
};

void tc_table_free(tc_table *t)
{
    if (!t)
        return;
    tc_free(t->cells);
    tc_arena_fini(&t->arena);
    tc_free(t);
}

tc_table *tc_table_new(size_t columns, const char *const *names)
{
    tc_table *t = tc_alloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->columns = columns;
    t->names = TC_TAKE(&t->arena, columns, const char *);
    for (size_t i = 0; i < columns && !t->arena.failed; i++)
        t->names[i] = tc_arena_strdup(&t->arena, names[i]);
    if (t->arena.failed || !tc_grow((void **)&t->cells, &t->cap, columns, sizeof *t->cells)) {
        tc_table_free(t);
        return NULL;
    }
    memset(t->cells, 0, columns * sizeof *t->cells);
    return t;
}

static cell *cell_at(tc_table *t, size_t column)
{
    return &t->cells[t->rows * t->columns + column];
}

void tc_table_text(tc_table *t, size_t column, const char *s)
{
    if (!t || t->failed || !s)
        return;
    const char *copy = tc_arena_strdup(&t->arena, s);
    t->failed = t->arena.failed;
    if (copy)
        *cell_at(t, column) = (cell){.kind = CELL_TEXT, .text = copy};
}

void tc_table_number(tc_table *t, size_t column, double v)
{
    if (t && !t->failed)
        *cell_at(t, column) = (cell){.kind = CELL_NUMBER, .number = v};
}

void tc_table_integer(tc_table *t, size_t column, int64_t v)
{
    if (t && !t->failed)
        *cell_at(t, column) = (cell){.kind = CELL_INTEGER, .integer = v};
}

void tc_table_end_row(tc_table *t)
{
    if (!t || t->failed)
        return;
    size_t next = (t->rows + 1) * t->columns;
    if (!tc_grow((void **)&t->cells, &t->cap, next + t->columns, sizeof *t->cells)) {
        t->failed = true;
        return;
    }
    t->rows++;
    memset(cell_at(t, 0), 0, t->columns * sizeof *t->cells);
}

static void cell_text(const cell *c, bool exact, tc_text *out)
{
    switch (c->kind) {
    case CELL_TEXT:
        tc_text_add(out, c->text);
        break;
    case CELL_NUMBER:
        if (exact && isfinite(c->number))
            tc_text_add_double(out, c->number);
        else if (!exact)
            tc_text_addf(out, "%.6g", c->number);
        break;
    case CELL_INTEGER:
        tc_text_addf(out, "%" PRId64, c->integer);
        break;
    case CELL_EMPTY:
        break;
    }
}

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static size_t text_width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void add_spaces(tc_text *line, size_t n)
{
    tc_text_addf(line, "%*s", (int)n, "");
}

/* A terminal must not obey what a study holds: control characters become '?'. */
static void add_visible(tc_text *line, const char *s)
{
    for (; *s; s++)
        tc_text_add_bytes(line, (unsigned char)*s < 0x20 || *s == 0x7F ? "?" : s, 1);
}

static void add_padded(tc_text *line, const char *s, size_t width, bool right)
{
    size_t w = text_width(s);
    size_t pad = w < width ? width - w : 0;
    if (line->len > 0)
        add_spaces(line, 2);
    if (right)
        add_spaces(line, pad);
    add_visible(line, s);
    if (!right)
        add_spaces(line, pad);
}

/* Writes the line without the spaces at its end and empties it. */
static void print_line(FILE *out, tc_text *line)
{
    const char *s = tc_text_get(line);
    size_t n = line->len;
    while (n > 0 && s[n - 1] == ' ')
        n--;
    fprintf(out, "%.*s\n", (int)n, s);
    line->len = 0;
}

static bool is_numeric(const tc_table *t, size_t column)
{
    bool any = false;
    for (size_t r = 0; r < t->rows; r++) {
        const cell *c = &t->cells[r * t->columns + column];
        if (c->kind == CELL_TEXT)
            return false;
        any |= c->kind != CELL_EMPTY;
    }
    return any;
}

static const char *text_at(const tc_table *t, size_t row, size_t column, tc_text *out)
{
    out->len = 0;
    tc_text_add(out, "");
    cell_text(&t->cells[row * t->columns + column], false, out);
    return tc_text_get(out);
}

static void measure(const tc_table *t, size_t *width, bool *right, tc_text *scratch)
{
    for (size_t c = 0; c < t->columns; c++) {
        right[c] = is_numeric(t, c);
        width[c] = text_width(t->names[c]);
        for (size_t r = 0; r < t->rows; r++) {
            size_t w = text_width(text_at(t, r, c, scratch));
            width[c] = w > width[c] ? w : width[c];
        }
    }
}

static bool print_people(tc_table *t, FILE *out)
{
    tc_text line = {0}, text = {0};
    size_t *width = TC_TAKE(&t->arena, t->columns, size_t);
    bool *right = TC_TAKE(&t->arena, t->columns, bool);
    if (t->arena.failed)
        return false;
    measure(t, width, right, &text);
    bool bold = tc_styled(out);
    for (size_t c = 0; c < t->columns; c++)
        add_padded(&line, t->names[c], width[c], right[c]);
    fputs(bold ? "\033[1m" : "", out);
    print_line(out, &line);
    fputs(bold ? "\033[0m" : "", out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++)
            add_padded(&line, text_at(t, r, c, &text), width[c], right[c]);
        print_line(out, &line);
    }
    bool ok = !line.failed && !text.failed;
    tc_text_fini(&line);
    tc_text_fini(&text);
    return ok;
}

static void print_csv_field(FILE *out, const char *field, bool last)
{
    tc_text s = {0};
    tc_text_add_csv(&s, field);
    fprintf(out, "%s%s", tc_text_get(&s), last ? "\n" : ",");
    tc_text_fini(&s);
}

static bool print_csv(tc_table *t, FILE *out)
{
    for (size_t c = 0; c < t->columns; c++)
        print_csv_field(out, t->names[c], c + 1 == t->columns);
    bool ok = true;
    for (size_t i = 0; i < t->rows * t->columns && ok; i++) {
        tc_text s = {0};
        cell_text(&t->cells[i], true, &s);
        print_csv_field(out, tc_text_get(&s), (i + 1) % t->columns == 0);
        ok = !s.failed;
        tc_text_fini(&s);
    }
    return ok;
}

static json_t *cell_json(const cell *c)
{
    switch (c->kind) {
    case CELL_TEXT:
        return json_string(c->text);
    case CELL_NUMBER:
        return isfinite(c->number) ? json_real(c->number) : json_null();
    case CELL_INTEGER:
        return json_integer(c->integer);
    case CELL_EMPTY:
        break;
    }
    return json_null();
}

static void add_row(tc_text *out, const tc_table *t, size_t row)
{
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t c = 0; c < t->columns && ok; c++)
        ok = json_object_set_new(object, t->names[c], cell_json(&t->cells[row * t->columns + c])) ==
             0;
    tc_json_add(out, ok ? object : NULL);
    json_decref(object);
}

static bool print_json(tc_table *t, FILE *out, bool lines)
{
    tc_text text = {.max = SIZE_MAX}; /* as long as memory lasts */
    tc_text_add(&text, lines ? "" : "[");
    for (size_t r = 0; r < t->rows; r++) {
        tc_text_add(&text, lines || r == 0 ? "" : ",\n ");
        add_row(&text, t, r);
        tc_text_add(&text, lines ? "\n" : "");
    }
    tc_text_add(&text, lines ? "" : "]\n");
    return tc_text_print(&text, out);
}

bool tc_text_print(tc_text *t, FILE *out)
{
    const bool ok = !t->failed;
    if (ok)
        fwrite(tc_text_get(t), 1, t->len, out);
    tc_text_fini(t);
    return ok;
}

tc_format tc_format_of_row(int format)
{
    return (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format);
}

tacit_status tc_table_print(tc_table *t, tc_format format, FILE *out, tacit_error *err)
{
    bool ok = t && !t->failed;
    if (ok && format == TC_FORMAT_TABLE)
        ok = print_people(t, out);
    else if (ok && format == TC_FORMAT_CSV)
        ok = print_csv(t, out);
    else if (ok)
        ok = print_json(t, out, format == TC_FORMAT_JSONL);
    tc_table_free(t);
    return ok ? TACIT_OK : tc_fail_memory(err);
}
