/* privacy_numbers.c - the fourteen privacy losses of the dp-fts-de paper and its landmine notebook.
 *
 * Fig. 2c and 2d: N = 200, T = 40; landmine: N = 29, T = 60; delta = N^-1.1 (docs/privacy.md on why
 * that is large). The published numbers are those of the moments accountant with integer orders up to
 * 32; the privacy loss distribution shows how loose they are. Nothing is drawn: one run. */
#include "base/error.h"
#include "papers/experiments/price.h"

static const tc_price settings[] = {
    {200, 0.15, 1, 40},   {200, 0.25, 1, 40}, {200, 0.5, 1, 40},   {200, 0.25, 1.2, 40},
    {200, 0.25, 1.5, 40}, {29, 0.35, 1, 60},  {29, 0.35, 1.6, 60}, {29, 0.35, 2, 60},
    {29, 0.35, 3, 60},    {29, 0.35, 4, 60},  {29, 0.1, 1, 60},    {29, 0.15, 1, 60},
    {29, 0.2, 1, 60},     {29, 0.25, 1, 60},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const char *const names[SETTINGS] = {
    "N=200 q=.15 z=1",   "N=200 q=.25 z=1", "N=200 q=.5 z=1",   "N=200 q=.25 z=1.2",
    "N=200 q=.25 z=1.5", "N=29 q=.35 z=1",  "N=29 q=.35 z=1.6", "N=29 q=.35 z=2",
    "N=29 q=.35 z=3",    "N=29 q=.35 z=4",  "N=29 q=.1 z=1",    "N=29 q=.15 z=1",
    "N=29 q=.2 z=1",     "N=29 q=.25 z=1"};

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    for (size_t i = 0; i < c->n; i++)
        TC_TRY(tc_price_by(&settings[i], c->arm->algorithm, &c->y[i], err));
    return TACIT_OK;
}

#define LINE "epsilon"
static const tc_arm arms[] = {
    {.name = "moments", .line = LINE, .mode = TC_ARM_PAPER, .algorithm = "moments"},
    {.name = "pld", .line = LINE, .mode = TC_ARM_DEFAULT, .algorithm = "pld"},
};

static const tc_printed printed[] = {
    {LINE, 0, 5.93, 0.005},  {LINE, 1, 9.91, 0.005},  {LINE, 2, 20.12, 0.005},
    {LINE, 3, 7.39, 0.005},  {LINE, 4, 5.22, 0.005},  {LINE, 5, 15.17, 0.005},
    {LINE, 6, 7.12, 0.005},  {LINE, 7, 5.14, 0.005},  {LINE, 8, 3.05, 0.005},
    {LINE, 9, 2.16, 0.005},  {LINE, 10, 3.75, 0.006}, {LINE, 11, 5.98, 0.005},
    {LINE, 12, 7.69, 0.005}, {LINE, 13, 9.82, 0.006}, {0}};

const tc_experiment tc_experiment_privacy_numbers = {
    .name = "privacy-numbers",
    .paper = "dp-fts-de",
    .figure = "Fig. 2c, 2d and the landmine notebook",
    .claim = "privacy losses of fourteen settings, at delta = N^-1.1",
    .setting = "Poisson sampling with rate q, noise multiplier z, T = 40 (N = 200) or 60 (N = 29)",
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.3,
    .quick_seconds = 0.3,
    TC_ARMS(arms),
    .x = {.label = "setting", .n = SETTINGS, .names = names},
    .y_label = "privacy loss",
    .run = run,
    .printed = printed,
};
