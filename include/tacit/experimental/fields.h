/* tacit/experimental/fields.h - the members of a plan by name: type, default, range and one line on each.
 *
 * EXPERIMENTAL: no promise is made about this header (simulate.h). The library checks plans against these lists,
 * and `tacit simulate` makes its options of them.
 *
 * X(type, owner, member, name, default, low, high, choices, value, help)
 *   type     FLOAT, OPEN (a FLOAT above low), INT, BOOL, CHOICE (an int: which of the choices), STRING
 *   owner    PLAN, FAMILY or OBJECTIVE: tacit_simulation_plan, its `family`, the `objective` of that
 *   default  as text; NULL: 0, which stands for "not given"
 *   value    the name of a value in help; NULL: by type
 * MORE(name) stands where a program may put a row of its own. */
#ifndef TACIT_EXPERIMENTAL_FIELDS_H
#define TACIT_EXPERIMENTAL_FIELDS_H

/* clang-format off */

/* Of every objective; those of a family (below) have other defaults of their own. */
#define TACIT_OBJECTIVE_FIELDS(X, law, laws, length, least_length, length_help, grid_help) \
    X(INT, OBJECTIVE, dim, "dim", "0", 0, 64, NULL, "N", "dimension of the objective; 0: its own") \
    X(FLOAT, OBJECTIVE, shift, "shift", "0", 0, 1, NULL, NULL, \
      "sd of a random horizontal shift, as a fraction of the range") \
    X(CHOICE, OBJECTIVE, noise, "noise", law, 0, 0, laws, NULL, "law of the observation noise") \
    X(FLOAT, OBJECTIVE, noise_scale, "noise-scale", "0.1", 0, 1e6, NULL, NULL, \
      "sd (gaussian), half width (uniform) or scale (student-t, pareto) of the noise") \
    X(FLOAT, OBJECTIVE, lengthscale, "lengthscale", length, least_length, 10, NULL, NULL, length_help) \
    X(INT, OBJECTIVE, grid, "grid", "0", 0, 1e6, NULL, "N", grid_help)

/* Those that only a table reads. Without them its values are "value", to be maximised. */
#define TACIT_TABLE_FIELDS(X) \
    X(STRING, OBJECTIVE, table_value, "table-value", NULL, 0, 0, NULL, "V", \
      "table: name V of the value columns V, V_1, V_2, ...; \"value\" unless given") \
    X(CHOICE, OBJECTIVE, table_goal, "table-goal", "maximize", 0, 0, "maximize|minimize", NULL, \
      "table: which values are good") \
    X(CHOICE, OBJECTIVE, table_columns, "table-columns", "agents", 0, 0, "agents|replicates", NULL, \
      "table: several value columns are one per agent, or repeated measurements")

#define TACIT_FAMILY_FIELDS(X) \
    TACIT_OBJECTIVE_FIELDS( \
        X, "own", "none|gaussian|uniform|student-t|pareto|own", "0", 0, \
        "gp-sample, gp-family, rkhs-*: length-scale, as a fraction of the range; 0: its own", \
        "gp-sample, gp-family, rkhs-*: candidates per axis; 0: its own") \
    TACIT_TABLE_FIELDS(X) \
    X(FLOAT, FAMILY, heterogeneity, "heterogeneity", "0.1", 0, 1e6, NULL, NULL, \
      "gp-family: sd of each agent's own draw, where the shared one has 1") \
    X(FLOAT, FAMILY, distance, "distance", "0", 0, 1e6, NULL, NULL, \
      "gp-family: agent 0 scaled to [0,1], all others max |f - g| away; 0: off")

#define TACIT_PLAN_FIELDS(X, MORE) \
    X(STRING, PLAN, algorithm, "algorithm", NULL, 0, 0, NULL, "NAME", \
      "algorithm (default: the document's, else gp-ei)") \
    X(STRING, PLAN, objective, "objective", NULL, 0, 0, NULL, "NAME", \
      "objective (default: branin, of a federation gp-family); tacit objectives lists them") \
    X(INT, PLAN, trials, "trials", NULL, 1, 1e7, NULL, NULL, \
      "one party: trials of each run (default: the document's, else 60)") \
    X(INT, PLAN, runs, "runs", "10", 1, 1e6, NULL, NULL, "independent runs") \
    MORE(seed) \
    X(CHOICE, PLAN, reply, "reply", "none", 0, 0, "none|auto|onebit|piecewise|laplace", NULL, \
      "one party: what is told in place of an observation; auto: the least variance") \
    X(OPEN, PLAN, reply_epsilon, "reply-epsilon", NULL, 0, 64, NULL, NULL, "epsilon of one reply") \
    X(OPEN, PLAN, reply_bound, "reply-bound", NULL, 0, 1e12, NULL, NULL, \
      "public bound C: rewards are clamped to [-C, C] before they are perturbed") \
    X(INT, PLAN, agents, "agents", NULL, 1, 0x1p24, NULL, NULL, \
      "a federation of so many agents (default: the document's)") \
    X(INT, PLAN, acting, "acting", NULL, 1, 0x1p24, NULL, NULL, \
      "federation: measure the first so many agents alone; the others stop when nobody needs a message of " \
      "them (default: all act)") \
    X(INT, PLAN, rounds, "rounds", NULL, 1, 1e7, NULL, NULL, \
      "federation: trials of each agent after its initial points (default: the document's, else 40)") \
    X(FLOAT, PLAN, drop, "drop", "0", 0, 1, NULL, NULL, \
      "federation: probability that a message does not arrive") \
    X(INT, PLAN, trustees, "trustees", NULL, 3, 16, NULL, "K", \
      "federation, algorithms that release sums with noise: K trustees add up what agents send and deal the " \
      "noise, on the usual terms (default: the document's)") \
    X(INT, PLAN, past, "past", NULL, 0, 1e6, NULL, NULL, \
      "federation, algorithms that hand messages on: what agents tell each other comes from earlier " \
      "studies of so many trials each") \
    X(CHOICE, PLAN, tell, "tell", "none", 0, 0, "none|constants", NULL, \
      "federation: what agents know of the objective; constants: its length-scale") \
    X(OPEN, PLAN, epsilon, "epsilon", NULL, 0, 1e6, NULL, NULL, \
      "federation: promise it to every agent (dp-pf-pne, protect=record: to every reward); the " \
      "algorithm's noise follows. --unit record: to every validation record, for all evaluations " \
      "together. po-gp-ucb: a curator releases the rows at this price") \
    X(OPEN, PLAN, delta, "delta", NULL, 0, 0.999999, NULL, NULL, \
      "of the guarantee (default: min(1e-5, 1/N^2) for N agents; of records 1e-5; of a release none)") \
    X(CHOICE, PLAN, curator.mode, "mode", "sound", 0, 0, "sound|paper", NULL, \
      "curator: noise in every row, or the projection of PO-GP-UCB as printed, NOT PRIVATE") \
    X(OPEN, PLAN, curator.radius, "radius", NULL, 0, 1e12, NULL, NULL, \
      "curator: distance by which a neighbour's row may move, in units (default: 1)") \
    MORE(unit) \
    X(STRING, PLAN, records, "records", NULL, 0, 0, NULL, "N", \
      "--unit record: validation records of each agent; a list, as in 300,5000, is taken in turn") \
    X(STRING, PLAN, range, "range", NULL, 0, 0, NULL, "A:B", \
      "--unit record: public bounds of each record's loss, in the units that are told: one of N moves a " \
      "value by (B - A)/N") \
    X(STRING, PLAN, curator.bounds_file, "bounds-file", NULL, 0, 0, NULL, "FILE", \
      "curator: public bounds from a CSV file with the header column,low,high[,unit] (default: the range " \
      "of a built-in objective)") \
    X(CHOICE, PLAN, curator.noise, "row-noise", "auto", 0, 0, "auto|laplace|gaussian", NULL, \
      "curator: law of the noise in rows; auto: the smaller one") \
    X(INT, PLAN, curator.project, "project", NULL, 0, 1000, NULL, NULL, \
      "curator: project rows to so many public directions first; 0: none") \
    X(INT, PLAN, curator.projection_seed, "projection-seed", NULL, 0, 0x1p53, NULL, NULL, \
      "curator: public seed of these directions") \
    X(INT, PLAN, curator.rank, "rank", NULL, 1, 1000, NULL, NULL, \
      "curator, mode paper: columns of the projection (default: 10)") \
    X(OPEN, PLAN, curator.output_epsilon, "output-epsilon", NULL, 0, 1024, NULL, NULL, \
      "curator: epsilon of every answer, beside the release (default: answers as they are)") \
    X(OPEN, PLAN, curator.output_bound, "output-bound", NULL, 0, 1e12, NULL, NULL, \
      "curator: public bound C: private answers are clamped to [-C, C]") \
    X(CHOICE, PLAN, accountant, "accountant", "pld", 0, 0, "pld|rdp|moments|gaussian", NULL, \
      "federation: by which bound epsilon is shown") \
    X(INT, PLAN, pulls, "pulls", NULL, 1, 1e10, NULL, "T", \
      "bandits: so many pulls of each agent, counted and not journalled") \
    X(FLOAT, PLAN, reward_low, "reward-low", "0", -1e12, 1e12, NULL, NULL, \
      "--pulls: values of the objective from here ...") \
    X(FLOAT, PLAN, reward_high, "reward-high", "1", -1e12, 1e12, NULL, NULL, \
      "--pulls: ... to here are rewards from 0 to 1; what lies outside is held to it") \
    X(STRING, PLAN, versus, "versus", NULL, 0, 0, NULL, "LIST", \
      "compare with these on the same runs: \"NAME,OPTION=VALUE,...; NAME; ...\"") \
    MORE(warm) \
    TACIT_FAMILY_FIELDS(X) \
    X(OPEN, PLAN, units.scale, "value-scale", "1", 0, 1e12, NULL, "A", \
      "algorithms are told A y + B in place of y; regret stays that of y") \
    X(FLOAT, PLAN, units.shift, "value-shift", "0", -1e12, 1e12, NULL, "B", "B of --value-scale") \
    X(BOOL, PLAN, units.negate, "value-negate", "false", 0, 0, NULL, NULL, \
      "algorithms are told -(A y + B), and minimise where they would maximise") \
    MORE(out) \
    MORE(by_agent) \
    X(STRING, PLAN, checkpoint, "checkpoint", NULL, 0, 0, NULL, "FILE", \
      "federation, --pulls: keep finished runs in FILE; the same command then goes on") \
    X(FLOAT, PLAN, checkpoint_every, "checkpoint-every", "5", 0, 86400, NULL, "S", \
      "--pulls: seconds between two snapshots of a run, at least; they take 2 % of the time at most")

/* clang-format on */

#endif
