/* template.c - see template.h.
 *
 * Each word is parsed once into pieces: literal text, a parameter, a coordinate,
 * the trial number. Writing a trial's words then cannot fail but for memory. */
#include "runner/template.h"

#include "base/error.h"
#include "base/memory.h"
#include "runner/code_word.h"

#include <inttypes.h>
#include <string.h>

typedef enum piece_kind { PIECE_TEXT, PIECE_PARAM, PIECE_COORDINATE, PIECE_TRIAL } piece_kind;

typedef struct piece {
    piece_kind kind;
    const char *text; /* TEXT */
    size_t index;     /* PARAM, COORDINATE */
} piece;

typedef struct word {
    piece *pieces;
    size_t n;
    bool code; /* a program reads it as one */
} word;

struct tc_template {
    const tc_space *space;
    tc_arena arena;
    word *words;
    size_t n;
};

static tacit_status unknown_name(const tc_space *s, const char *name, const char *arg,
                                 tacit_error *err)
{
    tc_text known = {0};
    for (size_t i = 0; i < s->n_params; i++)
        tc_text_addf(&known, "{%s}, ", s->params[i].name);
    for (size_t d = 0; s->domain && d < s->domain->dim; d++)
        tc_text_addf(&known, "{%s}, ", s->domain->names[d]);
    tacit_status status =
        tc_fail(err, TACIT_E_ARG,
                "{%s} in \"%s\" is not a parameter; there are %s{trial} (write {{ "
                "for a brace)",
                name, arg, tc_text_get(&known));
    tc_text_fini(&known);
    return status;
}

static tacit_status resolve(const tc_template *t, const char *name, const char *arg, piece *out,
                            tacit_error *err)
{
    const tc_space *s = t->space;
    for (size_t i = 0; i < s->n_params; i++) {
        if (strcmp(s->params[i].name, name) == 0) {
            *out = (piece){.kind = PIECE_PARAM, .index = i};
            return TACIT_OK;
        }
    }
    for (size_t d = 0; s->domain && d < s->domain->dim; d++) {
        if (strcmp(s->domain->names[d], name) == 0) {
            *out = (piece){.kind = PIECE_COORDINATE, .index = d};
            return TACIT_OK;
        }
    }
    if (strcmp(name, "trial") != 0)
        return unknown_name(s, name, arg, err);
    *out = (piece){.kind = PIECE_TRIAL};
    return TACIT_OK;
}

/* Reads the placeholder that opens at `from`; *next is what follows it. */
static tacit_status read_placeholder(tc_template *t, const char *arg, const char *from, piece *out,
                                     const char **next, tacit_error *err)
{
    size_t n = strcspn(from + 1, "{}");
    if (from[1 + n] != '}')
        return tc_fail(err, TACIT_E_ARG,
                       "\"%s\" has a { without its }; write {{ for a literal brace", arg);
    char *name = TC_TAKE(&t->arena, n + 1, char);
    if (!name)
        return tc_fail_memory(err);
    memcpy(name, from + 1, n);
    *next = from + n + 2;
    return resolve(t, name, arg, out, err);
}

/* Reads literal text up to the next placeholder, with doubled braces made single. */
static tacit_status read_text(tc_template *t, const char *arg, const char *from, piece *out,
                              const char **next, tacit_error *err)
{
    char *text = TC_TAKE(&t->arena, strlen(from) + 1, char);
    if (!text)
        return tc_fail_memory(err);
    size_t n = 0;
    while (*from) {
        bool brace = *from == '{' || *from == '}';
        bool doubled = brace && from[1] == *from;
        if (*from == '{' && !doubled)
            break;
        if (*from == '}' && !doubled)
            return tc_fail(err, TACIT_E_ARG,
                           "\"%s\" has a } without its {; write }} for a literal brace", arg);
        text[n++] = *from;
        from += doubled ? 2 : 1;
    }
    *out = (piece){.kind = PIECE_TEXT, .text = text};
    *next = from;
    return TACIT_OK;
}

static tacit_status read_word(tc_template *t, const char *arg, word *w, tacit_error *err)
{
    size_t most = strlen(arg) + 1; /* no word has more pieces than characters, or one if empty */
    w->pieces = TC_TAKE(&t->arena, most, piece);
    if (!w->pieces)
        return tc_fail_memory(err);
    const char *at = arg;
    do {
        piece *p = &w->pieces[w->n];
        if (at[0] == '{' && at[1] != '{')
            TC_TRY(read_placeholder(t, arg, at, p, &at, err));
        else
            TC_TRY(read_text(t, arg, at, p, &at, err));
        w->n++;
    } while (*at);
    return TACIT_OK;
}

/* The first choice of texts among the pieces; NULL: there is none. Numbers, true and false do no harm as commands. */
static const tc_param *choice_in(const tc_template *t, size_t i)
{
    const word *w = &t->words[i];
    for (size_t k = 0; k < w->n; k++) {
        const piece *p = &w->pieces[k];
        const tc_param *of = p->kind == PIECE_PARAM ? &t->space->params[p->index] : NULL;
        if (of && of->type == TC_PARAM_CHOICE && of->kind == TC_CHOICE_TEXTS)
            return of;
    }
    return NULL;
}

static tacit_status check_code(tc_template *t, char *const *argv, tacit_error *err)
{
    for (size_t i = 1; i < t->n; i++) {
        const tc_param *p = choice_in(t, i);
        t->words[i].code = tc_code_word(argv, i);
        if (p && t->words[i].code)
            return tc_fail(err, TACIT_E_ARG,
                           "{%s} stands in \"%.100s\", which is read as a program: its text could "
                           "be a command there. Give it as a word of its own, as in: sh -c 'echo "
                           "\"$1\"' sh {%s}",
                           p->name, argv[i], p->name);
    }
    return TACIT_OK;
}

static tacit_status read_words(tc_template *t, char *const *argv, tacit_error *err)
{
    while (argv[t->n])
        t->n++;
    if (t->n == 0 || argv[0][0] == '\0')
        return tc_fail(err, TACIT_E_ARG, "the command is empty; give a program after --");
    t->words = TC_TAKE(&t->arena, t->n, word);
    if (!t->words)
        return tc_fail_memory(err);
    for (size_t i = 0; i < t->n; i++)
        TC_TRY(read_word(t, argv[i], &t->words[i], err));
    return check_code(t, argv, err);
}

tacit_status tc_template_new(tc_template **out, const tc_space *space, char *const *argv,
                             tacit_error *err)
{
    tc_template *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->space = space;
    tacit_status status = read_words(t, argv, err);
    if (status != TACIT_OK) {
        tc_template_free(t);
        return status;
    }
    *out = t;
    return TACIT_OK;
}

void tc_template_free(tc_template *t)
{
    if (!t)
        return;
    tc_arena_fini(&t->arena);
    tc_free(t);
}

size_t tc_template_words(const tc_template *t)
{
    return t->n;
}

const char *tc_template_literal(const tc_template *t, size_t i)
{
    const word *w = &t->words[i];
    return w->n == 1 && w->pieces[0].kind == PIECE_TEXT ? w->pieces[0].text : NULL;
}

bool tc_template_has_choice(const tc_template *t, size_t i)
{
    return choice_in(t, i) != NULL;
}

/* ---- what is left out where parameters are inactive ---- */

/* Has it placeholders, all of inactive parameters? */
static bool is_inactive(const tc_template *t, const word *w, const double *values)
{
    bool any = false;
    for (size_t k = 0; k < w->n; k++) {
        const piece *p = &w->pieces[k];
        if (p->kind == PIECE_TEXT)
            continue;
        if (p->kind != PIECE_PARAM || tc_space_active(t->space, values, p->index))
            return false;
        any = true;
    }
    return any && !w->code;
}

/* Nothing but one parameter: it may be the value of the option before it. */
static bool is_bare(const word *w)
{
    return w->n == 1 && w->pieces[0].kind == PIECE_PARAM;
}

static bool is_option(const tc_template *t, size_t i)
{
    const char *s = i > 0 ? tc_template_literal(t, i) : NULL;
    return s && s[0] == '-' && s[1] != '\0' && strcmp(s, "--") != 0;
}

bool tc_template_leaves_out(const tc_template *t, size_t i, const double *values)
{
    const word *w = &t->words[i], *next = i + 1 < t->n ? w + 1 : NULL;
    if (i > 0 && is_inactive(t, w, values))
        return !is_bare(w) || is_option(t, i - 1);
    return next && is_bare(next) && is_inactive(t, next, values) && is_option(t, i);
}

/* ---- one trial's words ---- */

static void write_param(const tc_param *p, double value, tc_text *out)
{
    if (p->type == TC_PARAM_CHOICE) { /* of any length */
        tc_text_add(out, p->choices[(size_t)value]);
        return;
    }
    char text[64];
    tc_space_value_text(p, value, text, sizeof text);
    tc_text_add(out, text);
}

static void write_piece(const tc_template *t, const piece *p, uint64_t trial, const double *values,
                        tc_text *out)
{
    const tc_domain *d = t->space->domain;
    switch (p->kind) {
    case PIECE_TEXT:
        tc_text_add(out, p->text);
        break;
    case PIECE_PARAM:
        if (tc_space_active(t->space, values, p->index))
            write_param(&t->space->params[p->index], values[p->index], out);
        break;
    case PIECE_COORDINATE:
        tc_text_add_double(out, d->raw[(size_t)values[0] + p->index * d->n]);
        break;
    case PIECE_TRIAL:
        tc_text_addf(out, "%" PRIu64, trial);
        break;
    }
}

void tc_template_write(const tc_template *t, size_t i, uint64_t trial, const double *values,
                       tc_text *out)
{
    tc_text_add(out, "");
    for (size_t k = 0; k < t->words[i].n; k++)
        write_piece(t, &t->words[i].pieces[k], trial, values, out);
}
