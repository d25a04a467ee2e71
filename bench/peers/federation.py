"""The study of bench/federation.c in vectorised numpy: all agents of a round at once, one thread.

Every agent keeps Sigma = Phi'Phi + lambda I and Phi'y. A round needs posterior means or draws of all
agents, in one of two ways:

  cholesky  one batched factor for the message and the Thompson draw, then substitution row by row
            with the agents along the last axis (numpy has no batched triangular solve)
  solve     one batched solve: Sigma^-1 (Phi'(y + sqrt(lambda) e) + lambda f) is a draw

Then: clip, weights by region, Gaussian noise, scores of those who draw by one matrix product and of
the broadcast by one for everybody, the largest that the agent has not queried, one rank-one update
each. The values that agents observe are drawn before the clock starts. Seconds are processor time.

    federation.py [repetitions, 5]
"""
import statistics
import time

import common

(np,) = common.require("numpy")
AGENTS, CANDIDATES, REGIONS, INITIAL, ROUNDS, RUNS = 200, 1000, 4, 10, 40, 5
SCALE, NOISE, MULTIPLIER, GAP, HOLD, FADE = 0.03, 0.01, 1.0, 15.0, 10, 30


def world(rng):
    """gp-family: a draw that all agents share, and a tenth of another one for each."""
    x = np.linspace(0, 1, CANDIDATES)
    K = np.exp(-0.5 * ((x[:, None] - x) / SCALE) ** 2) + 1e-8 * np.eye(CANDIDATES)
    draws = np.linalg.cholesky(K) @ rng.standard_normal((CANDIDATES, AGENTS + 1))
    noise = 0.1 * rng.standard_normal((AGENTS, INITIAL + ROUNDS))
    return x, (draws[:, :1] + 0.1 * draws[:, 1:]).T.copy(), noise


def round_weights(r, home):
    """REGIONS x AGENTS: how much each agent counts in the sum of each region."""
    gap = GAP if r < HOLD else GAP * max(0.0, 1 - (r - HOLD) / (FADE - 1))
    w = np.where(home == np.arange(REGIONS)[:, None], 1.0, np.exp(-gap))
    return w / w.sum(axis=1, keepdims=True)


def substitute(L, x):
    """L^-1 x for M x M x agents and M x columns x agents, in place."""
    for k in range(len(L)):
        x[k] /= L[k, k]
        x[k + 1:] -= L[k + 1:, k, None] * x[k]
    return x


def substitute_back(L, x):
    """L^-T x, the same."""
    for k in range(len(L) - 1, -1, -1):
        x[k] /= L[k, k]
        x[:k] -= L[k, :k, None] * x[k]
    return x


class Federation:
    def __init__(self, study, features, sends_mean, method, seed):
        self.x, self.values, self.noise = study
        self.rng = np.random.default_rng(seed)
        self.sends_mean = sends_mean
        self.posterior = getattr(self, method)
        W = self.rng.standard_normal(features) / SCALE
        b = self.rng.uniform(0, 2 * np.pi, features)
        self.Phi = np.sqrt(2 / features) * np.cos(self.x[:, None] * W + b)  # CANDIDATES x M
        self.PhiT = np.ascontiguousarray(self.Phi.T)
        self.Sigma = np.tile(NOISE * np.eye(features), (AGENTS, 1, 1))
        self.moment = np.zeros((AGENTS, features))
        self.seen = np.zeros((AGENTS, INITIAL + ROUNDS, features))
        self.queried = np.zeros((AGENTS, CANDIDATES), bool)
        self.clip = 3.5 if sends_mean else 1.1 * np.sqrt(features)
        self.agents = np.arange(AGENTS)
        self.region = np.minimum((self.x * REGIONS).astype(int), REGIONS - 1)
        self.t = 0

    def observe(self, chosen):
        phi = self.Phi[chosen]
        self.Sigma += phi[:, :, None] * phi[:, None, :]
        self.moment += phi * (self.values[self.agents, chosen] + self.noise[:, self.t])[:, None]
        self.seen[:, self.t] = phi
        self.queried[self.agents, chosen] = True
        self.t += 1

    def initial(self):
        each = CANDIDATES // REGIONS
        home = self.agents % REGIONS
        for _ in range(INITIAL):
            self.observe(home * each + self.rng.integers(0, each, AGENTS))

    def cholesky(self):
        """The message of every agent and its draw: AGENTS x M each."""
        M = self.moment.shape[1]
        L = np.ascontiguousarray(np.linalg.cholesky(self.Sigma).transpose(1, 2, 0))
        z = substitute(L, self.moment.T[:, None, :].copy())
        x = np.repeat(z, 2, axis=1)
        first = 1 if self.sends_mean else 0
        x[:, first:] += np.sqrt(NOISE) * self.rng.standard_normal((M, 2 - first, AGENTS))
        w = substitute_back(L, x).transpose(1, 2, 0)
        return w[0], np.ascontiguousarray(w[1])

    def solve(self):
        """The same."""
        M, first = self.moment.shape[1], 1 if self.sends_mean else 0
        seen = self.seen[:, :self.t]
        b = np.repeat(self.moment[:, :, None], 2, axis=2)
        b[:, :, first:] += np.sqrt(NOISE) * np.matmul(
            seen.transpose(0, 2, 1), self.rng.standard_normal((AGENTS, self.t, 2 - first)))
        b[:, :, first:] += NOISE * self.rng.standard_normal((AGENTS, M, 2 - first))
        w = np.linalg.solve(self.Sigma, b)
        return w[:, :, 0], np.ascontiguousarray(w[:, :, 1])

    def broadcast(self, r, message):
        norm = np.linalg.norm(message, axis=1, keepdims=True)
        message = message * np.minimum(1, self.clip / norm)
        w = round_weights(r, self.agents % REGIONS)
        sd = MULTIPLIER * self.clip * np.sqrt((w**2).sum(axis=0)).max()
        return w @ message + sd * self.rng.standard_normal((REGIONS, message.shape[1]))

    def round(self, r):
        message, draw = self.posterior()
        omega = self.broadcast(r, message)
        follows = self.rng.random(AGENTS) < 1 / np.sqrt(r + 1)
        scores = np.empty((AGENTS, CANDIDATES))
        scores[follows] = np.einsum("ij,ij->i", self.Phi, omega[self.region])
        scores[~follows] = draw[~follows] @ self.PhiT
        scores[self.queried] = -np.inf
        self.observe(scores.argmax(axis=1))


def run(study, features, sends_mean, method, seed):
    f = Federation(study, features, sends_mean, method, seed)
    f.initial()
    for r in range(ROUNDS):
        f.round(r)


def measure(study, features, message, method, repetitions):
    seconds = []
    for _ in range(repetitions):
        begin = time.thread_time()
        for seed in range(RUNS):
            run(study, features, message == "mean", method, seed)
        seconds.append(time.thread_time() - begin)
    middle = statistics.median(seconds)
    print(f"{'numpy ' + np.__version__ + ' ' + method:<22} {features:>8} {message:>8} {middle:>10.3f} "
          f"{middle * 1e3 / (RUNS * (INITIAL + ROUNDS)):>12.3f} {min(seconds):>8.3f} "
          f"{max(seconds):>8.3f}", flush=True)


def main():
    study = world(np.random.default_rng(1))
    common.header("numpy")
    for features in (50, 100):
        for message in ("mean", "draw"):
            for method in ("cholesky", "solve"):
                measure(study, features, message, method, common.count(1, 5))


main()
