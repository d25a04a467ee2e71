"""Epsilon of Poisson-sampled Gaussians by two other accountants of privacy loss distributions.

Prints the rows of the table in src/privacy/pld_test.c: q, z, rounds, delta, the upper value of
google's dp_accounting (connect the dots, its default grid of 1e-4) and the bracket of microsoft's
prv_accountant (eps_error 0.01). Needs `pip install dp-accounting prv-accountant`; the numbers
below came from dp-accounting 0.6.0 and prv-accountant 0.2.0.
"""
from dp_accounting.pld import privacy_loss_distribution as pld
from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism

SETTINGS = [(q, z, rounds, delta)
            for q, z, rounds in [(0.15, 1, 40), (0.25, 1, 40), (0.5, 1, 40), (0.25, 1.2, 40),
                                 (0.25, 1.5, 40), (0.25, 1, 41), (0.1, 2, 60), (0.01, 1.1, 10000),
                                 (0.001, 0.7, 2000), (0.02, 0.6, 300), (0.9, 3, 100)]
            for delta in [200 ** -1.1, 1e-5]] + [(0.01, 1.1, 10000, 1e-8), (0.25, 1, 40, 1e-9)]


def google(q, z, rounds, delta):
    loss = pld.from_gaussian_mechanism(z, sampling_prob=q, use_connect_dots=True)
    return loss.self_compose(rounds).get_epsilon_for_delta(delta)


def microsoft(q, z, rounds, delta):
    prv = PoissonSubsampledGaussianMechanism(noise_multiplier=z, sampling_probability=q)
    accountant = PRVAccountant(prvs=[prv], max_self_compositions=[rounds], eps_error=0.01,
                               delta_error=delta / 1000)
    low, _, high = accountant.compute_epsilon(delta=delta, num_self_compositions=[rounds])
    return low, high


for setting in SETTINGS:
    low, high = microsoft(*setting)
    print("    {%r, %r, %d, %r, %.6f, %.4f, %.4f}," % (*setting, google(*setting), low, high),
          flush=True)
