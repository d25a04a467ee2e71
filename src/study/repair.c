/* repair.c - a mended journal from what is left of a damaged one (repair.h).
 *
 * The events that can be believed are played in order into a new optimizer, as a reader would. One that does not fit
 * because something before it is lost is made to fit, where no more is needed than a trial's number: a trial
 * whose ask is lost comes back as one that failed, so that the numbers of later trials stay as workers know
 * them; with its value where the report says at which point it was run. What cannot be used is left
 * out and said. */
#include "study/repair_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/study_int.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <string.h>

typedef struct repair {
    const tc_repair_io *io;
    const tc_wreck *wreck;
    tc_study *study; /* its optimizer has seen the mended journal so far */
    tc_arena memory; /* bodies of events that were put in */
    tc_event_row *rows;
    size_t n, cap;
    tacit_repair_info result;
} repair;

/* ---- saying ---- */

static tacit_status say(const repair *r, tc_text *line, tacit_error *err)
{
    tacit_status status =
        line->failed ? tc_fail_memory(err) : r->io->say(r->io->user, tc_text_get(line), err);
    tc_text_fini(line);
    return status;
}

static bool has_trial(tc_event_kind kind)
{
    return (kind >= TC_EVENT_ENQUEUE && kind <= TC_EVENT_STALE) || kind == TC_EVENT_REPORT ||
           kind == TC_EVENT_DELETE;
}

static void name_event(tc_text *line, const tc_event_row *e)
{
    tc_text_addf(line, "event %" PRIu64 " (%s", e->seq, tc_event_kind_name(e->kind));
    if (has_trial(e->kind))
        tc_text_addf(line, ", trial %" PRIu64, e->trial);
    tc_text_add(line, ")");
}

/* With what it says: a person may still know what to do with it. */
static tacit_status leave_out(repair *r, const tc_event_row *e, const char *why, tacit_error *err)
{
    tc_text line = {0};
    r->result.lost++;
    tc_text_add(&line, "left out: ");
    name_event(&line, e);
    tc_text_addf(&line, " %s; it reads %.300s", why, e->body);
    return say(r, &line, err);
}

static tacit_status say_missing(repair *r, uint64_t first, uint64_t last, tacit_error *err)
{
    tc_text line = {0};
    r->result.lost += last - first + 1;
    tc_text_addf(&line, "missing: event %" PRIu64, first);
    if (last > first)
        tc_text_addf(&line, " to %" PRIu64, last);
    return say(r, &line, err);
}

/* ---- the mended journal ---- */

static tacit_status add_row(repair *r, const tc_event_row *row, tacit_error *err)
{
    if (!tc_grow((void **)&r->rows, &r->cap, r->n + 1, sizeof *r->rows))
        return tc_fail_memory(err);
    r->rows[r->n++] = *row;
    return TACIT_OK;
}

/* An event that was not in the journal. */
static tacit_status put_in(repair *r, const tc_event *e, tacit_error *err)
{
    TC_TRY(tc_optimizer_apply(r->study->opt, e, err));
    char *text = tc_event_encode(r->study->doc->space, e);
    char *body = text ? tc_arena_strdup(&r->memory, text) : NULL;
    tc_free(text);
    if (!body)
        return tc_fail_memory(err);
    return add_row(
        r, &(tc_event_row){.kind = e->kind, .trial = e->trial, .time_ms = e->time_ms, .body = body},
        err);
}

/* The point at which a trial was run, if its report says so; it lives in the scratch. */
static tacit_status find_point(const repair *r, uint64_t trial, tc_arena *scratch,
                               const double **point, tacit_error *err)
{
    *point = NULL;
    for (size_t i = 0; i < r->wreck->n; i++) {
        const tc_found *f = &r->wreck->events[i];
        tc_event e = {.kind = TC_EVENT_TELL, .trial = trial};
        if (!f->whole || f->row.kind != TC_EVENT_TELL || f->row.trial != trial)
            continue;
        tacit_status status = tc_event_decode(r->study->doc->space, f->row.body, scratch, &e, err);
        *point = status == TACIT_OK ? e.values : NULL;
        return status == TACIT_E_MEMORY ? status : TACIT_OK;
    }
    return TACIT_OK;
}

/* Trial number n, whose ask is lost. Without a point of its own it takes the place of `like`, and has failed. */
static tacit_status put_trial(repair *r, uint64_t trial, const tc_event *like, tc_arena *scratch,
                              tacit_error *err)
{
    const double *point;
    tc_text line = {0};
    TC_TRY(find_point(r, trial, scratch, &point, err));
    tc_event waiting = {.kind = TC_EVENT_ENQUEUE,
                        .trial = trial,
                        .time_ms = like->time_ms,
                        .values = point ? point : like->values};
    tc_event failed = {.kind = TC_EVENT_TELL,
                       .trial = trial,
                       .time_ms = like->time_ms,
                       .state = TC_TRIAL_FAIL,
                       .reason = "its point was lost when the journal was damaged"};
    TC_TRY(put_in(r, &waiting, err));
    if (!point)
        TC_TRY(put_in(r, &failed, err));
    tc_text_addf(&line, "put in: trial %" PRIu64 ", whose ask is lost, %s", trial,
                 point ? "at the point of its report" : "as one that failed");
    return say(r, &line, err);
}

/* What must be there before e can be, where it can be guessed. */
static tacit_status make_room(repair *r, const tc_event *e, tc_arena *scratch, tacit_error *err)
{
    const tc_optimizer *o = r->study->opt;
    bool brings_point =
        (e->kind == TC_EVENT_ASK || e->kind == TC_EVENT_ENQUEUE || e->kind == TC_EVENT_TELL) &&
        e->values;
    uint64_t missing = e->kind == TC_EVENT_TELL ? e->trial + 1 : e->trial;
    /* A number that no journal of this length can have come to is damage of its own. */
    if (brings_point && missing - tc_optimizer_trials(o) <= r->wreck->end.end)
        while (tc_optimizer_trials(o) < missing)
            TC_TRY(put_trial(r, tc_optimizer_trials(o), e, scratch, err));
    const tc_trial *t = tc_optimizer_trial(o, e->trial);
    if (e->kind == TC_EVENT_ASK && t && t->state == TC_TRIAL_RUNNING)
        return put_in(
            r, &(tc_event){.kind = TC_EVENT_STALE, .trial = e->trial, .time_ms = e->time_ms}, err);
    return TACIT_OK;
}

static tacit_status play(repair *r, const tc_found *f, tc_arena *scratch, tacit_error *err)
{
    tacit_error why = {0};
    tc_event e = {.kind = f->row.kind, .trial = f->row.trial, .time_ms = f->row.time_ms};
    tacit_status status = tc_event_decode(r->study->doc->space, f->row.body, scratch, &e, &why);
    if (status == TACIT_E_CORRUPT)
        return leave_out(r, &f->row, "cannot be read", err);
    if (status == TACIT_OK && tc_optimizer_apply(r->study->opt, &e, &why) != TACIT_OK) {
        status = why.code == TACIT_E_CORRUPT ? make_room(r, &e, scratch, err) : why.code;
        if (status == TACIT_OK)
            status = tc_optimizer_apply(r->study->opt, &e, &why);
    }
    if (status == TACIT_E_CORRUPT)
        return leave_out(r, &f->row, "does not fit what is left before it", err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    r->result.kept++;
    return add_row(r, &f->row, err);
}

static tacit_status play_found(repair *r, const tc_found *f, tacit_error *err)
{
    tc_arena scratch = {0};
    tacit_status status = f->whole ? play(r, f, &scratch, err)
                                   : leave_out(r, &f->row, "does not match its checksum", err);
    tc_arena_fini(&scratch);
    return status;
}

static tacit_status say_unchecked(const repair *r, const tc_found *f, tacit_error *err)
{
    tc_text line = {0};
    tc_text_add(&line, "unchecked: ");
    name_event(&line, &f->row);
    tc_text_add(&line, ", because the one before it is missing");
    return say(r, &line, err);
}

static tacit_status play_all(repair *r, tacit_error *err)
{
    uint64_t last = 0;
    for (size_t i = 0; i < r->wreck->n; i++) {
        const tc_found *f = &r->wreck->events[i];
        if (f->row.seq > last + 1)
            TC_TRY(say_missing(r, last + 1, f->row.seq - 1, err));
        if (f->whole && !f->checked)
            TC_TRY(say_unchecked(r, f, err));
        TC_TRY(play_found(r, f, err));
        last = f->row.seq;
    }
    if (r->wreck->end.end > last && r->wreck->end.end - last < UINT32_MAX)
        TC_TRY(say_missing(r, last + 1, r->wreck->end.end, err));
    return TACIT_OK;
}

/* ---- the whole ---- */

static tacit_status keep_all(const repair *r, tacit_error *err)
{
    for (size_t i = 0; i < r->wreck->n; i++)
        TC_TRY(r->io->keep(r->io->user, &r->wreck->events[i].row, r->wreck->events[i].whole, err));
    return r->io->kept(r->io->user, err);
}

/* Sums that match are not enough: a journal may tell of a trial that was never asked for. */
static tacit_status find_damage(tc_store *store, const tc_study_row *row, bool *damaged,
                                tacit_error *err)
{
    tc_study *study = NULL;
    const tc_optimizer *o;
    tacit_error why = {0};
    TC_TRY(tc_study_open_row(&study, store, row, NULL, err));
    tacit_status status = tc_study_look(study, &o, &why);
    if (status == TACIT_OK)
        tc_study_unlook(study);
    tc_study_close(study);
    *damaged = status == TACIT_E_CORRUPT;
    return *damaged ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* In one transaction. */
static tacit_status replace_journal(tc_store *in, void *user, tacit_error *err)
{
    const repair *r = user;
    tc_append a = {.study = r->study->id, .events = r->rows, .n = r->n};
    uint64_t end;
    TC_TRY(tc_store_restart(in, a.study, r->wreck->end.end, err));
    return r->n > 0 ? tc_store_append(in, &a, &end, err) : TACIT_OK;
}

static tacit_status mend(repair *r, tc_store *store, const tc_study_row *row, tacit_error *err)
{
    TC_TRY(tc_study_open_row(&r->study, store, row, NULL, err));
    TC_TRY(keep_all(r, err));
    if (r->study->doc->agents > 0)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "study \"%s\" is a party's of a federation, which cannot be mended: a message "
            "that was sent might be made again and differ; restore a backup, or leave "
            "the study and join it anew",
            row->name);
    TC_TRY(play_all(r, err));
    return tc_store_transact(store, true, replace_journal, r, err);
}

static tacit_status repair_row(tc_store *store, const tc_study_row *row, const tc_repair_io *io,
                               tacit_repair_info *out, tacit_error *err)
{
    tc_wreck wreck;
    tacit_status status = tc_wreck_read(&wreck, store, row->id, err);
    repair r = {.io = io, .wreck = &wreck};
    r.result.damaged = wreck.damaged;
    if (status == TACIT_OK && !wreck.damaged)
        status = find_damage(store, row, &r.result.damaged, err);
    if (status == TACIT_OK && r.result.damaged)
        status = mend(&r, store, row, err);
    if (status == TACIT_OK)
        *out = r.result;
    tc_study_close(r.study);
    tc_arena_fini(&r.memory);
    tc_free(r.rows);
    tc_wreck_fini(&wreck);
    return status;
}

tacit_status tc_study_repair(tc_store *store, const char *name, const tc_repair_io *io,
                             tacit_repair_info *out, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(tc_store_study_get(store, name, &row, err));
    tacit_status status = repair_row(store, &row, io, out, err);
    tc_study_row_fini(&row);
    return status;
}
