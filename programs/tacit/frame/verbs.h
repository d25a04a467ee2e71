/* verbs.h - every verb of the program, one line each. main.c lists them in this order. */
#ifndef TC_PROGRAM_VERBS_H
#define TC_PROGRAM_VERBS_H

#include "frame/cli.h"

extern const tc_verb tc_verb_optimize;
extern const tc_verb tc_verb_ask;
extern const tc_verb tc_verb_tell;
extern const tc_verb tc_verb_enqueue;
extern const tc_verb tc_verb_delete;
extern const tc_verb tc_verb_studies;
extern const tc_verb tc_verb_trials;
extern const tc_verb tc_verb_best;
extern const tc_verb tc_verb_importances;
extern const tc_verb tc_verb_import;
extern const tc_verb tc_verb_export;
extern const tc_verb tc_verb_plot;
extern const tc_verb tc_verb_simulate;
extern const tc_verb tc_verb_serve;
extern const tc_verb tc_verb_agent;
extern const tc_verb tc_verb_trustee;
extern const tc_verb tc_verb_inspect;
extern const tc_verb tc_verb_remote; /* a family: remote.c */
extern const tc_verb tc_verb_backup, tc_verb_erase;
extern const tc_verb tc_verb_restore;
extern const tc_verb tc_verb_curate;  /* a family: curate.c */
extern const tc_verb tc_verb_model;   /* a family: model.c */
extern const tc_verb tc_verb_privacy; /* a family: its members are in privacy.c */
extern const tc_verb tc_verb_demo;
extern const tc_verb tc_verb_algorithms;
extern const tc_verb tc_verb_objectives;
extern const tc_verb tc_verb_version;
extern const tc_verb tc_verb_completion;

/* main.c: all of them, NULL-terminated. */
extern const tc_verb *const tc_verbs[];

/* objectives.c: the name of built-in objective or family i; NULL: there is none. */
const char *tc_objective_name(size_t i);

#endif
