/* shape_answer.c - is an answer what its route's table says? Tests ask it of every answer, so that
 * /openapi.json, which is made of the same tables, is never older than the program. */
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"

#include <string.h>

static const tc_route *find(const tc_request *q)
{
    char words[TC_WORDS_MOST][128];
    const tc_route *r = tc_routes;
    while (r->method &&
           !(strcmp(r->method, q->method) == 0 && tc_route_fits(r->path, q->path, words)))
        r++;
    return r->method ? r : NULL;
}

static bool begins(const char *text, const char *with)
{
    return text && strncmp(text, with, strlen(with)) == 0;
}

static tacit_status check_json(const tc_shape *s, const tc_response *r, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(tc_text_get(&r->body), r->body.len, "answer", &j, err));
    tacit_status status = tc_shape_check(s, j, err);
    json_int_t said = json_integer_value(json_object_get(j, "status"));
    if (status == TACIT_OK && s == &tc_shape_problem && said != r->status)
        status = tc_fail(err, TACIT_E_ARG, "it says %d", (int)said);
    json_decref(j);
    return status;
}

static tacit_status check(const tc_route *route, const tc_response *r, tacit_error *err)
{
    if (r->status >= 400)
        return begins(r->content_type, "application/problem+json")
                   ? check_json(&tc_shape_problem, r, err)
                   : tc_fail(err, TACIT_E_ARG, "it is no problem+json");
    if (!route || (r->status != route->status && r->status != route->also_status))
        return tc_fail(err, TACIT_E_ARG, "the table does not have this status");
    const tc_shape *s = r->status == route->status ? route->gives : route->also_gives;
    if (!begins(r->content_type, s ? "application/json" : route->text))
        return tc_fail(err, TACIT_E_ARG, "the table does not have the type %s",
                       r->content_type ? r->content_type : "(none)");
    return s ? check_json(s, r, err) : TACIT_OK;
}

tacit_status tc_coord_check_answer(const tc_request *q, const tc_response *r, tacit_error *err)
{
    tacit_error why = {0};
    if (check(find(q), r, &why) == TACIT_OK)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_INTERNAL, "%s %s: answer %d: %.200s: %.200s", q->method, q->path,
                   r->status, why.msg, tc_text_get(&r->body));
}
