"""Golden values of ln h(z), h(z) = pdf(z) + z cdf(z), and of its derivative, to 20 digits.

Prints the rows of the table in src/algo/single/log_ei_test.c. Needs mpmath.
"""
from mpmath import mp, mpf, npdf, ncdf, log

mp.dps = 60


def h(z):
    return npdf(z) + z * ncdf(z)


for text in ["-1e6", "-12345.5", "-1000", "-50", "-21", "-20.000001", "-19.999999", "-7.5", "-3",
             "-1.0000001", "-1", "-0.9999999", "-0.5", "0", "0.25", "1", "4", "30"]:
    z = mpf(text)
    if z <= -50:  # the asymptotic series is exact to more digits than a double has
        x = -z
        b = sum((-1) ** (k + 1) * mp.fac2(2 * k - 1) / x ** (2 * k) for k in range(1, 12))
        value = -x * x / 2 - log(mp.sqrt(2 * mp.pi)) + log(b)
        m = (1 - b) / x
        slope = m / b
    else:
        mp.dps = 60 + int(z * z)  # what the cancellation eats
        value, slope = log(h(z)), ncdf(z) / h(z)
    print("    {%s, %s, %s}," % (text, mp.nstr(value, 20), mp.nstr(slope, 20)))
