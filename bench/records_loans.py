"""A table of validation errors from loans: lenders as silos, a logistic regression of each.

For bench/records. LendingClub's loans of 2007 to 2011 that met its policy, in the order of their month of issue, are
cut into eight lenders of equal size: the file has no region, so that a lender is a period. Of each lender's loans the
odd ones train and the even ones judge. A model says how probable it is that a loan is charged off, by stochastic
gradient descent, two passes; features are scaled by the training part. The loss of one record is Brier's,
(probability - truth)^2, which lies between 0 and 1 without clipping: one record moves the mean by 1/n at most.
"""
import csv
import gzip
import math
import random

LENDERS = 8
PASSES = 2
# Axes of the grid, even in logarithms: name, lowest, highest, points. weight: of a loan that was charged off.
AXES = (("rate", 1e-4, 10, 10), ("l2", 1e-6, 10, 8), ("weight", 1, 8, 4))


def read(path):
    """[(month, features, charged off)] in the order of months."""
    loans = []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["policy"] == "1" and row["annual_inc"] and float(row["annual_inc"]) > 0:
                amount, income = float(row["funded_amnt"]), float(row["annual_inc"])
                features = (math.log(amount), float(row["int_rate"]), math.log(income), float(row["term"] == "60"),
                            amount / income)
                loans.append((row["issue_d"], features, 1 - int(row["paid"])))
    return sorted(loans, key=lambda loan: loan[0])


def scaled(train, judge):
    """Both with features of mean 0 and deviation 1 in the training part; labels are last."""
    columns = list(zip(*(features for _, features, _ in train)))
    means = [math.fsum(c) / len(c) for c in columns]
    deviations = [math.sqrt(math.fsum((v - m) ** 2 for v in c) / len(c)) or 1 for c, m in zip(columns, means)]

    def scale(loan):
        return (*((v - m) / d for v, m, d in zip(loan[1], means, deviations)), loan[2])

    return [scale(loan) for loan in train], [scale(loan) for loan in judge]


def silos(loans):
    """For each lender (training records, validation records)."""
    cuts = [len(loans) * k // LENDERS for k in range(LENDERS + 1)]
    return [scaled(loans[a:b:2], loans[a + 1:b:2]) for a, b in zip(cuts, cuts[1:])]


def train(records, rate, l2, weight):
    """The coefficients, the constant last."""
    order = random.Random("loans")
    a = b = c = d = e = k = 0.0
    shrink = 1 / (1 + rate * l2)  # the penalty's step is implicit: stable at every rate
    exp = math.exp
    for _ in range(PASSES):
        order.shuffle(records := list(records))
        for u, v, w, x, y, label in records:
            s = a * u + b * v + c * w + d * x + e * y + k
            p = 1 / (1 + exp(-s)) if -30 < s < 30 else float(s > 0)
            step = rate * (weight * (1 - p) if label else -p)
            a, b, c, d, e = ((a + step * u) * shrink, (b + step * v) * shrink, (c + step * w) * shrink,
                             (d + step * x) * shrink, (e + step * y) * shrink)
            k += step
    return a, b, c, d, e, k


def brier(records, model):
    """The mean over records of losses between 0 and 1."""
    a, b, c, d, e, k = model
    total = 0.0
    for u, v, w, x, y, label in records:
        s = max(-30.0, min(30.0, a * u + b * v + c * w + d * x + e * y + k))
        total += (1 / (1 + math.exp(-s)) - label) ** 2
    return total / len(records)


def axis(low, high, points):
    return [low * (high / low) ** (i / (points - 1)) for i in range(points)]


def table(path):
    """(the text of a table: objective, a column for each lender; validation records of each)."""
    parts = silos(read(path))
    lines = [",".join([*(f"log_{name}" for name, *_ in AXES), *(f"value_{i + 1}" for i in range(LENDERS))])]
    for rate in axis(*AXES[0][1:]):
        for l2 in axis(*AXES[1][1:]):
            for weight in axis(*AXES[2][1:]):
                errors = [brier(judge, train(own, rate, l2, weight)) for own, judge in parts]
                lines.append(",".join([*(f"{math.log10(v):.6g}" for v in (rate, l2, weight)),
                                       *(f"{v:.9g}" for v in errors)]))
    return "\n".join(lines) + "\n", [len(judge) for _, judge in parts]
