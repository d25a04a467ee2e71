/* openapi.c - the routes and their shapes as OpenAPI 3.1: /openapi.json.
 *
 * Nothing is written here that a table does not say (route.c, shape_table.c, shape_served.c), and tests
 * hold every answer against the same tables: so the description is never older than the program. It
 * is made once for a process, when it is first asked for. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/protocol.h"

#include <tacit/tacit.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* jansson's setters fail on a NULL value, that is, when there was no memory for it; `failed` remembers
 * it to the end. */
typedef struct writer {
    json_t *root, *paths, *schemas;
    bool failed;
} writer;

static void set(writer *w, json_t *object, const char *key, json_t *value)
{
    w->failed |= json_object_set_new(object, key, value) != 0;
}

static void append(writer *w, json_t *list, json_t *value)
{
    w->failed |= json_array_append_new(list, value) != 0;
}

static json_t *reference(const char *where, const char *name)
{
    char text[160];
    snprintf(text, sizeof text, "#/components/%s/%s", where, name);
    return json_pack("{s:s}", "$ref", text);
}

/* ---- fields ---- */

static const char *type_of(const tc_field *f)
{
    static const char *const types[] = {
        [TC_FIELD_TEXT] = "string", [TC_FIELD_WHOLE] = "integer", [TC_FIELD_NUMBER] = "number",
        [TC_FIELD_YES] = "boolean", [TC_FIELD_OBJECT] = "object", [TC_FIELD_MAP] = "object",
        [TC_FIELD_ANY] = NULL};
    return types[f->type];
}

/* Numbers that a reader of JSON may hold as doubles are written; a limit beyond them is none. */
static void set_number(writer *w, const tc_field *f, json_t *out, const char *key, double v)
{
    if (v <= -0x1p53 || v >= 0x1p53)
        return;
    set(w, out, key, f->type == TC_FIELD_NUMBER ? json_real(v) : json_integer((json_int_t)v));
}

static void set_limits(writer *w, const tc_field *f, json_t *out)
{
    bool text = f->type == TC_FIELD_TEXT;
    if (f->low == 0 && f->high == 0)
        return;
    set_number(w, f, out, text ? "minLength" : "minimum", f->low);
    set_number(w, f, out, text ? "maxLength" : "maximum", f->high);
}

static void set_words(writer *w, const tc_field *f, json_t *out)
{
    json_t *list = json_array();
    for (const char *const *p = f->words; *p; p++)
        append(w, list, json_string(*p));
    set(w, out, "enum", list);
}

/* One value, without the list and the null that may be around it. */
static json_t *value_schema(writer *w, const tc_field *f)
{
    if (f->type == TC_FIELD_OBJECT)
        return reference("schemas", f->of->name);
    json_t *out = json_object();
    if (type_of(f))
        set(w, out, "type", json_string(type_of(f)));
    if (f->words)
        set_words(w, f, out);
    set_limits(w, f, out);
    return out;
}

static json_t *field_schema(writer *w, const tc_field *f)
{
    json_t *out = value_schema(w, f);
    if (f->flags & TC_LIST_OF)
        out = json_pack("{s:s, s:o}", "type", "array", "items", out);
    if (f->flags & TC_OR_NULL)
        out = json_pack("{s:[o, {s:s}]}", "anyOf", out, "type", "null");
    if (f->help)
        set(w, out, "description", json_string(f->help));
    if (f->otherwise != 0)
        set_number(w, f, out, "default", f->otherwise);
    if (f->example)
        set(w, out, "examples", json_pack("[o]", json_loads(f->example, JSON_DECODE_ANY, NULL)));
    return out;
}

/* ---- objects ---- */

static void set_required(writer *w, const tc_shape *s, json_t *out)
{
    json_t *required = json_array(), *choice = json_array();
    for (const tc_field *f = s->fields; f->name; f++) {
        if (f->flags & TC_NEEDED)
            append(w, required, json_string(f->name));
        if (f->flags & TC_ONE_OF)
            append(w, choice, json_pack("{s:[s]}", "required", f->name));
    }
    if (json_array_size(choice) > 0)
        set(w, out, "oneOf", json_incref(choice));
    set(w, out, "required", required);
    json_decref(choice);
}

/* Adds a shape and those that it is made of. */
static void add_shape(writer *w, const tc_shape *s)
{
    if (!s || json_object_get(w->schemas, s->name))
        return;
    json_t *out = json_pack("{s:s, s:s, s:b}", "type", "object", "description", s->help,
                            "additionalProperties", (int)s->open);
    json_t *properties = json_object();
    for (const tc_field *f = s->fields; f->name; f++) {
        set(w, properties, f->name, field_schema(w, f));
        add_shape(w, f->of);
    }
    set(w, out, "properties", properties);
    set_required(w, s, out);
    set(w, w->schemas, s->name, out);
}

/* ---- parameters ---- */

static json_t *parameter(const char *name, const char *in, bool needed, const char *help,
                         json_t *schema)
{
    return json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", name, "in", in, "required", (int)needed,
                     "description", help, "schema", schema);
}

static void add_path_words(writer *w, const char *path, json_t *out)
{
    for (const char *p = strchr(path, '{'); p; p = strchr(p + 1, '{')) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p + 1, "}"), p + 1);
        bool name = strcmp(word, "study") == 0;
        append(w, out,
               parameter(word, "path", true, name ? "The study's name" : "Its number",
                         name ? json_pack("{s:s}", "type", "string")
                              : json_pack("{s:s, s:i}", "type", "integer", "minimum", 0)));
    }
}

static void add_header(writer *w, json_t *out, const char *name, bool needed, const char *help)
{
    append(w, out, parameter(name, "header", needed, help, json_pack("{s:s}", "type", "string")));
}

static json_t *parameters(writer *w, const tc_route *r)
{
    json_t *out = json_array();
    add_path_words(w, r->path, out);
    for (const tc_field *f = r->query; f && f->name; f++)
        append(w, out, parameter(f->name, "query", false, f->help, field_schema(w, f)));
    if (r->roles != 0)
        add_header(w, out, TC_PROTOCOL_HEADER, false,
                   "The version of the protocol, a whole number; without it 1. Answers have the "
                   "versions that the coordinator speaks in a header of the same name, as 1-2");
    if (r->once)
        add_header(w, out, "Idempotency-Key", false,
                   "1 to 64 characters: the same request under the same key is carried out once");
    if (strcmp(r->path, "/v1/events") == 0)
        add_header(w, out, "Last-Event-ID", false, "The id of the last event that was heard");
    if (r->body == TC_BODY_MESSAGE)
        add_header(w, out, "Tacit-Signature", true,
                   "Ed25519 over purpose, study, round, sequence and the body's hash, in base64");
    return out;
}

/* ---- operations ---- */

static json_t *content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

/* OpenAPI cannot say what is in a stream: so the events are beside it, by name. */
static json_t *events(writer *w)
{
    json_t *out = json_object();
    for (const tc_event_shape *e = tc_event_shapes; e->name; e++) {
        set(w, out, e->name, reference("schemas", e->data->name));
        add_shape(w, e->data);
    }
    return out;
}

static json_t *response(const tc_route *r, const tc_shape *s)
{
    json_t *body =
        s ? content("application/json", reference("schemas", s->name))
          : content(r->text,
                    json_pack("{s:s}", "type",
                              strcmp(r->text, "application/json") == 0 ? "object" : "string"));
    return json_pack("{s:s, s:o}", "description", s ? s->help : r->summary, "content", body);
}

static json_t *responses(writer *w, const tc_route *r)
{
    char status[16];
    json_t *out = json_pack("{s:o}", "default", reference("responses", "Problem"));
    snprintf(status, sizeof status, "%d", r->status);
    set(w, out, status, response(r, r->gives));
    snprintf(status, sizeof status, "%d", r->also_status);
    if (r->also_status > 0)
        set(w, out, status, response(r, r->also_gives));
    return out;
}

/* The roles that a token must have one of; none: no token. */
static json_t *security(writer *w, const tc_route *r)
{
    json_t *roles = json_array();
    for (unsigned i = 0; r->roles >> i; i++)
        if (r->roles >> i & 1)
            append(w, roles, json_string(tc_role_name((tc_role)i)));
    json_t *out = r->roles ? json_pack("[{s:O}]", "token", roles) : json_array();
    json_decref(roles);
    return out;
}

/* "POST /v1/studies/{study}:pause" as "post_v1_studies_study_pause". */
static void name_operation(const tc_route *r, char out[160])
{
    size_t n = (size_t)snprintf(out, 160, "%s", r->method);
    for (const char *p = r->path; *p && n < 158; p++)
        if (isalnum((unsigned char)*p))
            out[n++] = *p;
        else if (out[n - 1] != '_')
            out[n++] = '_';
    out[out[n - 1] == '_' ? n - 1 : n] = 0;
    for (char *p = out; *p; p++)
        *p = (char)tolower((unsigned char)*p);
}

static json_t *operation(writer *w, const tc_route *r)
{
    char name[160];
    name_operation(r, name);
    json_t *out = json_pack("{s:s, s:s, s:o, s:o, s:o}", "operationId", name, "summary", r->summary,
                            "security", security(w, r), "parameters", parameters(w, r), "responses",
                            responses(w, r));
    if (r->takes)
        set(w, out, "requestBody",
            json_pack("{s:b, s:o}", "required", 1, "content",
                      content("application/json", reference("schemas", r->takes->name))));
    if (r->text && strcmp(r->text, "text/event-stream") == 0)
        set(w, out, "x-events", events(w));
    add_shape(w, r->takes);
    add_shape(w, r->gives);
    add_shape(w, r->also_gives);
    return out;
}

static void add_route(writer *w, const tc_route *r)
{
    char method[16];
    size_t n = (size_t)snprintf(method, sizeof method, "%s", r->method);
    for (size_t i = 0; i < n; i++)
        method[i] = (char)tolower((unsigned char)method[i]);
    if (!json_object_get(w->paths, r->path))
        set(w, w->paths, r->path, json_object());
    set(w, json_object_get(w->paths, r->path), method, operation(w, r));
}

/* ---- the document ---- */

static void add_components(writer *w)
{
    json_t *problem =
        json_pack("{s:s, s:o}", "description", "A failure", "content",
                  content("application/problem+json", reference("schemas", tc_shape_problem.name)));
    add_shape(w, &tc_shape_problem);
    set(w, w->root, "components",
        json_pack("{s:O, s:{s:o}, s:{s:{s:s, s:s, s:s}}}", "schemas", w->schemas, "responses",
                  "Problem", problem, "securitySchemes", "token", "type", "http", "scheme",
                  "bearer", "description",
                  "A token of 32 bytes in base64 for URLs. The roles that an operation names may "
                  "use it; a token of one study reaches that study alone."));
}

/* NULL: no memory. */
static char *write_document(void)
{
    writer w = {.paths = json_object(), .schemas = json_object()};
    w.root = json_pack("{s:s, s:{s:s, s:s, s:s}, s:O}", "openapi", "3.1.0", "info", "title",
                       "tacit coordinator", "version", TACIT_VERSION, "description",
                       "Private, federated Bayesian optimization: studies, agents and rounds. "
                       "Failures are problem+json; only what is no HTTP, or has headers of more "
                       "than 8 KiB, is answered by the HTTP library with a page of HTML.",
                       "paths", w.paths);
    for (const tc_route *r = tc_routes; r->method; r++)
        add_route(&w, r);
    add_components(&w);
    char *text = w.failed || !w.root ? NULL : tc_json_text(w.root);
    json_decref(w.root);
    json_decref(w.paths);
    json_decref(w.schemas);
    return text;
}

tacit_status tc_openapi_get(tc_request_context *a, tacit_error *err)
{
    tc_coord *c = a->coord;
    pthread_mutex_lock(&c->lock);
    if (!c->openapi)
        c->openapi = tc_shared_text_of(write_document());
    tc_shared_text *text = tc_shared_text_use(c->openapi);
    pthread_mutex_unlock(&c->lock);
    tacit_status status = tc_answer_shared(a, "application/json", text, err);
    tc_shared_text_end(text);
    return status;
}
