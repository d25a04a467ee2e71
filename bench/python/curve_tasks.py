"""Three learning curves of real models: every configuration of a grid, trained for 64 steps, in a table.

    curve_tasks.py CURVES.jsonl     trains them all again (ten minutes)

Called by pruning_peers.py, where a run is a replay: training is without chance for a configuration, so its errors are
looked up instead of made anew for each run. Data sets are scikit-learn's; the errors are of the rows held out. Tasks and
grids were fixed before tacit had run on them. Losses are stored in units of 1/10000.
"""
import itertools
import json
import sys
import warnings
from collections import namedtuple

import rows  # noqa: F401  (before numpy: it holds it to one thread)

STEPS = 64
UNIT = 1e-4

#: levels: parameter -> its values, in order. train: of a configuration, gives the loss after every step.
Task = namedtuple("Task", "levels train")


def held_out(name, train):
    """Shuffled rows of a data set: those to learn from, standardised, and the others."""
    import numpy as np
    from sklearn import datasets
    from sklearn.preprocessing import StandardScaler

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    x, y = x[order], y[order]
    scale = StandardScaler().fit(x[:train])
    return scale.transform(x[:train]), y[:train], scale.transform(x[train:]), y[train:]


def digits(rate, decay, units, batch):
    """A network with one hidden layer, an epoch for each step; the share of wrong answers. One that diverges guesses."""
    from sklearn.neural_network import MLPClassifier

    x, y, new, truth = held_out("digits", 1000)
    model = MLPClassifier(
        (units,), solver="sgd", learning_rate_init=rate, alpha=decay, batch_size=batch, random_state=0
    )  # fmt: skip
    wrong = 0.0
    for _ in range(STEPS):
        try:
            model.partial_fit(x, y, classes=range(10))
            wrong = (model.predict(new) != truth).mean()
        except ValueError:  # weights that are not finite, from here on
            wrong = 0.9
        yield wrong


def cancer(rate, decay, fall, penalty):
    """A logistic regression by stochastic gradients, an epoch for each step; the log loss."""
    import numpy as np
    from sklearn.linear_model import SGDClassifier
    from sklearn.metrics import log_loss

    x, y, new, truth = held_out("breast_cancer", 350)
    model = SGDClassifier(
        "log_loss", penalty=penalty, alpha=decay, eta0=rate, learning_rate="invscaling", power_t=fall, random_state=0
    )  # fmt: skip
    for _ in range(STEPS):
        model.partial_fit(x, y, classes=(0, 1))
        yield log_loss(truth, np.clip(model.predict_proba(new), 1e-3, 1 - 1e-3))


def diabetes(rate, depth, share, leaf):
    """Boosted trees, four for each step; the squared error, where 1 is the variance."""
    from sklearn.ensemble import GradientBoostingRegressor

    x, y, new, truth = held_out("diabetes", 300)
    model = GradientBoostingRegressor(
        n_estimators=4 * STEPS, learning_rate=rate, max_depth=depth, subsample=share, min_samples_leaf=leaf,
        random_state=0,
    ).fit(x, y)  # fmt: skip
    for i, guess in enumerate(model.staged_predict(new)):
        if i % 4 == 3:
            yield ((guess - truth) ** 2).mean() / truth.var()


TASKS = {
    "digits": Task(
        {"rate": (0.0003, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
         "decay": (1e-5, 1e-3, 0.1, 1.0), "units": (8, 16, 32, 128), "batch": (16, 32, 64, 256)}, digits,
    ),
    "cancer": Task(
        {"rate": (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
         "decay": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.03, 0.1), "fall": (0.0, 0.2, 0.4, 0.6),
         "penalty": ("l2", "elasticnet", "l1")}, cancer,
    ),
    "diabetes": Task(
        {"rate": (0.003, 0.006, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5), "depth": (1, 2, 3, 4, 6),
         "share": (0.25, 0.5, 0.75, 1.0), "leaf": (1, 5, 10, 20)}, diabetes,
    ),
}  # fmt: skip


def grid(task):
    """All configurations of a task: the number of a level for each parameter."""
    return list(itertools.product(*(range(len(levels)) for levels in TASKS[task].levels.values())))


def read(file):
    """Task -> configuration -> the losses after every step."""
    found = {task: {} for task in TASKS}
    with open(file, encoding="utf-8") as lines:
        next(lines)  # the versions
        for line in lines:
            row = json.loads(line)
            found[row["task"]][tuple(map(int, row["levels"].split()))] = [loss * UNIT for loss in row["losses"]]
    return found


def main(file):
    warnings.simplefilter("ignore")  # a network that diverges says so at every step
    kept = rows.Rows(file, ("task", "levels"), rows.installed("scikit-learn", "scipy", "numpy"))
    for task, (levels, train) in TASKS.items():
        for at in grid(task):
            name = " ".join(map(str, at))
            if not kept.has(task, name):
                params = {parameter: values[i] for (parameter, values), i in zip(levels.items(), at)}
                losses = [round(float(loss) / UNIT) for loss in train(**params)]
                kept.add({"task": task, "levels": name, "losses": losses})


if __name__ == "__main__":
    main(sys.argv[1])
