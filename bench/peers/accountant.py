"""The accountants of others on the settings of bench/accountant.c, one thread.

    python accountant.py

  google     dp_accounting: PLDAccountant at its default grid, an upper bound; RdpAccountant
  microsoft  prv_accountant at +-0.01: lower, estimate and upper

Medians in ms, from making the accountant to epsilon at delta = 1e-5. (Not called dp_accounting.py:
a script's own folder comes first when Python looks for a package of that name.)
"""
import contextlib
import io
import logging
import statistics
import time

from common import header  # holds every library to one thread; before numpy

SETTINGS = [(0.25, 1.0, 40), (0.01, 1.1, 10000)]
DELTA, REPEATS = 1e-5, 5


def google(kind):
    import dp_accounting
    from dp_accounting import pld, rdp

    make = {"pld": pld.PLDAccountant, "rdp": rdp.RdpAccountant}[kind]

    def epsilon(q, z, rounds):
        event = dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(z)), rounds)
        return None, make().compose(event).get_epsilon(DELTA)

    return epsilon


def microsoft():
    from prv_accountant import PRVAccountant
    from prv_accountant import PoissonSubsampledGaussianMechanism

    def epsilon(q, z, rounds):
        mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=z, sampling_probability=q)
        accountant = PRVAccountant(prvs=[mechanism], max_self_compositions=[rounds], eps_error=0.01,
                                   delta_error=DELTA / 1000)
        low, _, high = accountant.compute_epsilon(delta=DELTA, num_self_compositions=[rounds])
        return low, high

    return epsilon


def row(name, epsilon, setting):
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            low, high = epsilon(*setting)
        seconds.append(time.perf_counter() - begin)
    q, z, rounds = setting
    lower = "-" if low is None else f"{low:.5f}"
    print(f"q={q:<5g} z={z:<4g} T={rounds:<6d} {name:<22} {statistics.median(seconds) * 1e3:10.3f} "
          f"{lower:>10} {high:10.5f}", flush=True)


def main():
    header("accountants of others")
    logging.getLogger("absl").setLevel(logging.ERROR)  # google's warnings of series left out
    peers = [("google pld", lambda: google("pld")), ("google rdp", lambda: google("rdp")),
             ("microsoft prv +-0.01", microsoft)]
    print(f"{'setting, delta = 1e-5':<22} {'accountant':<22} {'ms':>10} {'lower':>10} {'upper':>10}")
    for name, load in peers:
        try:
            epsilon = load()
        except ImportError as e:
            print(f"# {name}: not run, the Python package '{e.name}' is not installed")
            continue
        for setting in SETTINGS:
            row(name, epsilon, setting)


if __name__ == "__main__":
    main()
