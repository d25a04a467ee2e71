"""Golden values of log moments (order - 1) RDP(order), to 20 digits. Needs mpmath.

Prints the rows of the tables in src/privacy/rdp_test.c. The Poisson-sampled Gaussian is integrated
numerically from its definition, so that no series of the code is trusted:
    E_{x ~ N(0, z^2)} [((1-q) + q exp((2x - 1)/(2 z^2)))^order].
"""
from mpmath import mp, mpf, binomial, exp, log, quad, sqrt, pi, inf

mp.dps = 40


def poisson(q, z, order):
    q, z, order = mpf(q), mpf(z), mpf(order)

    def excess(x):  # subtract 1 inside: digits survive when q is tiny
        ratio = exp((2 * x - 1) / (2 * z * z)) - 1
        power = exp(order * mp.log1p(q * ratio)) - 1 - order * q * ratio
        return power * exp(-x * x / (2 * z * z)) / (z * sqrt(2 * pi))

    middle = mpf(1) / 2 + z * z * log(1 / q - 1)
    points = sorted({-40 * z, -10 * z, -z, 0, z, middle, order, order + 10 * z, order + 40 * z})
    points = [p for p in points if -40 * z <= p <= order + 40 * z]
    return mp.log1p(quad(excess, points, maxdegree=12))


def poisson_integer(q, z, n):
    q, z = mpf(q), mpf(z)
    return mp.log1p(sum(binomial(n, k) * q**k * (1 - q) ** (n - k) * mp.expm1((k * k - k) / (2 * z * z))
                        for k in range(2, n + 1)))


def fixed_size(q, z, n):
    """Wang, Balle, Kasiviswanathan 2019 with sensitivity 2, before the bound without sampling."""
    q, z = mpf(q), mpf(z)
    e = lambda j: 2 * j / (z * z)
    total = q**2 * binomial(n, 2) * min(4 * (exp(e(2)) - 1), 2 * exp(e(2)))
    total += sum(2 * q**j * binomial(n, j) * exp((j - 1) * e(j)) for j in range(3, n + 1))
    return min(mp.log1p(total), n * (n - 1) * 2 / (z * z))


def laplace(epsilon, order):
    e, a = mpf(epsilon), mpf(order)
    return log(a / (2 * a - 1) * exp((a - 1) * e) + (a - 1) / (2 * a - 1) * exp(-a * e)) / (a - 1)


def row(*columns):
    *given, value = columns
    print("    {%s, %s}," % (", ".join(given), mp.nstr(value, 20)))


print("/* integer */")
for q, z, orders in [("0.15", "1", [2, 3, 4, 8, 16, 32]), ("0.25", "1", [2, 3, 4, 8, 16, 32]),
                     ("0.25", "1.5", [2, 3, 4, 8, 32]), ("0.01", "1.1", [2, 4, 8, 16]),
                     ("1e-6", "0.3", [2, 33, 1024]), ("1e-6", "100", [2, 64, 1024]),
                     ("0.999", "50", [2, 512]), ("1e-12", "20", [2, 256])]:
    for n in orders:
        row(q, z, str(n), poisson_integer(q, z, n))
print("/* fractional */")
for q, z, orders in [("0.15", "1", ["1.5", "2.5"]), ("0.25", "1", ["1.5", "2.5"]), ("0.25", "1.5", ["1.5"]),
                     ("0.5", "0.3", ["1.01", "1.7", "11.9"]), ("0.9", "2", ["1.1", "3.3", "7.5"]),
                     ("0.01", "0.5", ["1.01", "4.4", "10.1"]), ("1e-6", "0.7", ["1.5", "9.9"]),
                     ("0.3", "30", ["1.05", "11.5"]), ("0.99", "0.8", ["1.3", "6.6"])]:
    for a in orders:
        row(q, z, a, poisson(q, z, a))
print("/* fixed size */")
for q, z, orders in [("0.15", "1", [2, 3, 8]), ("0.25", "1.5", [2, 4, 16]), ("0.001", "4", [2, 32, 256])]:
    for n in orders:
        row(q, z, str(n), fixed_size(q, z, n))
print("/* Laplace: epsilon, order, RDP */")
for e, a in [("0.001", "2"), ("0.001", "1.01"), ("0.1", "1.5"), ("1", "2"), ("1", "32"), ("5", "1.1"),
             ("5", "1024"), ("100", "3"), ("1e-7", "64")]:
    row(e, a, laplace(e, a))
