"""Golden values of the Gaussian mechanism in closed form, to 17 digits. Needs mpmath.

Prints the rows of the tables in src/privacy/gaussian_test.c:
    delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu),
its inverse in epsilon for a given delta, and the smallest sd for sensitivity 1 (mu = 1/sd).
"""
from mpmath import mp, mpf, ncdf, exp, sqrt, log

mp.dps = 80  # far more than the two terms of delta cancel


def delta_of(mu, e):
    return ncdf(mu / 2 - e / mu) - exp(e) * ncdf(-mu / 2 - e / mu)


def bisect(enough, low, high):
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def epsilon_of(mu, delta):
    mu, delta = mpf(mu), mpf(delta)
    if delta_of(mu, mpf(0)) <= delta:
        return mpf(0)
    a = sqrt(-2 * log(delta)) + 1
    return bisect(lambda e: delta_of(mu, e) <= delta, mpf(0), mu * (a + mu / 2))


def sd_of(epsilon, delta):
    epsilon, delta = mpf(epsilon), mpf(delta)
    return bisect(lambda s: delta_of(1 / s, epsilon) <= delta, mpf("1e-4"), mpf("1e4"))


print("/* mu, delta, epsilon */")
for mu in ["1e-6", "1e-4", "0.01", "0.2", "0.25", "0.2500001", "0.5", "1", "2", "4", "30", "1000"]:
    for delta in ["0.1", "1e-5", "1e-6", "1e-15"]:
        print("    {%s, %s, %s}," % (mu, delta, mp.nstr(epsilon_of(mu, delta), 17)))
print("/* epsilon, delta, sd */")
for e, d in [("1", "1e-5"), ("2.7", "1e-5"), ("10", "1e-5"), ("50", "1e-5"), ("0.001", "1e-12"), ("3", "0.3")]:
    print("    {%s, %s, %s}," % (e, d, mp.nstr(sd_of(e, d), 17)))
print("/* rounds, epsilon, z at delta = 1e-5 */")
for rounds in (40, 60):
    for e in ("1", "2", "4", "8"):
        print("    {%d, %s, %s}," % (rounds, e, mp.nstr(sd_of(e, "1e-5") * sqrt(mpf(rounds)), 12)))
