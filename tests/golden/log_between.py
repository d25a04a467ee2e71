"""Golden values of ln P(low <= Y <= high), Y normal, and of its derivatives by mean and variance, to 17 digits.

Prints the rows of the table in src/algo/single/log_between_test.c. Needs mpmath.
"""
from mpmath import erfc, inf, log, mp, mpf, nstr, sqrt

mp.dps = 60


def tail(z):
    """P(Z >= z)"""
    return mpf(0) if z == inf else erfc(z / sqrt(2)) / 2


def log_between(low, high, mean, var):
    a, b = ((bound - mean) / sqrt(var) for bound in (low, high))
    if a + b < 0:
        a, b = -b, -a
    return log(tail(a) - tail(b))


def show(x):
    return {inf: "INFINITY", -inf: "-INFINITY"}.get(x) or nstr(x, 17)


for low, high, mean, var in [
    ("-inf", "0", "0", "1"), ("-inf", "0", "-1", "0.25"), ("-inf", "0", "3", "1"), ("-inf", "0.5", "40", "1"),
    ("-inf", "0", "1000", "1"), ("0", "inf", "-1000", "1"), ("0", "inf", "12", "4"), ("1", "inf", "-30", "2"),
    ("-1", "1", "0", "1"), ("-1", "2", "0.3", "9"), ("0", "1e-6", "0.2", "1"), ("0", "1e-6", "-25", "1"),
    ("-1", "1", "30", "0.5"), ("-1", "1", "-1000", "1"), ("0", "1e-9", "1000", "1"), ("-5", "1e-3", "8", "1"),
    ("0", "2e-3", "0", "1"), ("0", "5e-4", "0", "1"), ("-1", "1", "0", "1e-8"),
]:  # fmt: skip
    low, high, mean, var = map(mpf, (low, high, mean, var))
    value = log_between(low, high, mean, var)
    h = mpf(10) ** -12
    by_mean = (log_between(low, high, mean + h, var) - log_between(low, high, mean - h, var)) / (2 * h)
    h *= var
    by_var = (log_between(low, high, mean, var + h) - log_between(low, high, mean, var - h)) / (2 * h)
    print("    {%s}," % ", ".join(map(show, (low, high, mean, var, value, by_mean, by_var))))
