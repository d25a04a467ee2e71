"""A simulation as text: the tables of `tacit simulate`, and what a deployment would promise."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Dict, Iterable, List, Sequence

from ._guarantee import delta_text, epsilon_text
from ._library import lib

if TYPE_CHECKING:
    from .simulation import Simulated, Simulation

_VOTE = "The first release is the vote on the length-scale."


def render(simulation: "Simulation") -> str:
    """All of it."""
    parts = [_heading(simulation), *_paragraphs(_one(simulation[0]) if len(simulation) == 1 else _several(simulation))]
    return "\n\n".join(parts)


def _paragraphs(parts: Iterable[str]) -> List[str]:
    return [part for part in parts if part]


def _wrapped(words: str) -> str:
    return textwrap.fill(words, 80, break_long_words=False, break_on_hyphens=False)


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


# ---- what was run


def _heading(simulation: "Simulation") -> str:
    first, n = simulation[0], len(simulation)
    c = first
    who = c.algorithm if n == 1 else _number(n, "bandit" if c.by_pulls else "algorithm")
    if not first.labelled:
        size = f"{_number(c.runs, 'run')} of {_number(len(c.at), 'trial')}, seed {c.seed}"
    else:
        acting = f", {first.acting} of them acting" if first.acting else ""
        each = f"{_number(first.trials, 'pull')} each" if c.by_pulls else _number(first.trials, "round")
        size = f"{_number(first.planned_agents, 'agent')}{acting}, {each}, {_number(c.runs, 'run')}, seed {c.seed}"
    where = f" in {_number(first.dim, 'dimension')}" if first.dim else ""
    seconds = f", {c.seconds:.2f} s; mean ± standard error" if n == 1 else ""
    return f"{who} on {c.objective}{where}: {size}{seconds}"


# ---- one algorithm


def _one(c: "Simulated") -> Iterable[str]:
    yield _curve(c)
    yield _wrapped(c.theorem)
    if c.labelled and not c.by_pulls and not c.sends and c.planned_agents > 1:
        yield "Every agent searched alone: nothing left it."
    yield _wrapped(c.trustees_sentence or "")
    if c.sends or c.protects_records or not c.labelled:
        vote = f" {_VOTE}" if c.votes and c.n_releases and c.unit != "record" else ""
        yield _wrapped(c.statement + vote)
        yield _wrapped(c.expect["sentence"] if c.expect else "")


def _curve(c: "Simulated") -> str:
    spent = None if c.not_private else c.spent
    names = ["pulls" if c.by_pulls else "iteration" if c.labelled else "trial"]
    names += ["evaluations"] if c.labelled and not c.by_pulls else []
    names += ["simple regret"] if c.simple_mean is not None else []
    names += ["cumulative regret"] + (["epsilon"] if spent else [])
    rows: List[List[str]] = []
    for i in _milestones(c):
        row = [str(int(c.at[i]))]
        row += [str(c.initial + int(c.at[i]))] if "evaluations" in names else []
        row += [_moments(c, i, False)] if c.simple_mean is not None else []
        row += [_moments(c, i, True)] + ([_shown_epsilon(spent[i])] if spent else [])
        rows.append(row)
    return _table(names, rows, {"trial", "iteration", "evaluations", "pulls", "epsilon"})


def _milestones(c: "Simulated") -> List[int]:
    """Places of 0, 1, 2, 5, 10, 20, ... and the last: of iterations, of trials, of tenths of pulls."""
    n, first = len(c.at), 0 if c.labelled and not c.by_pulls else 1

    def is_shown(number: int) -> bool:
        while number > 0 and number % 10 == 0:
            number //= 10
        return number in (0, 1, 2, 5)

    return [i for i in range(n) if is_shown(i + first) or i == n - 1]


def _moments(c: "Simulated", i: int, cumulative: bool) -> str:
    means, errors = (c.cumulative_mean, c.cumulative_se) if cumulative else (c.simple_mean, c.simple_se)
    assert means is not None and errors is not None
    mean, se = means[i], errors[i]
    if not math.isfinite(mean):
        return "none yet"
    if c.by_pulls and mean >= 1000:  # sums over a hundred thousand pulls are read as whole numbers
        return f"{mean:.0f} ± {se:.{1 if se < 10 else 0}f}"
    return f"{mean:.4g} ± {se:.2g}"


def _shown_epsilon(value: float) -> str:
    return f"{float(epsilon_text(value)):.6g}" if math.isfinite(value) else epsilon_text(value)


# ---- several


def _several(simulation: "Simulation") -> Iterable[str]:
    yield "\n".join(f"{_letter(i)}  {c.label}{_promise(c)}" for i, c in enumerate(simulation))
    yield f"{'Cumulative' if simulation[0].by_pulls else 'Simple'} regret, mean ± standard error:"
    yield _curves(simulation)
    yield from _ratios(simulation)
    yield _scope(simulation)
    for i, c in enumerate(simulation):
        if c.trustees and not c.not_private:
            yield _wrapped(f"{_letter(i)}: the guarantee is that of a deployment, for every agent. {c.scope}")
    for i, c in enumerate(simulation):
        if c.expect and c.expect.get("reason") is None:
            yield _wrapped(f"{_letter(i)}: {c.expect['sentence']}")


def _letter(i: int) -> str:
    return chr(ord("A") + i)


def _promise(c: "Simulated") -> str:
    """What a deployment of one among several would promise."""
    g = c.guarantee
    if c.not_private is not None and c.sends:
        return f"\n   no guarantee: {c.not_private}"
    if g is None:
        return ""
    price = f"epsilon {epsilon_text(g.epsilon)}, delta {delta_text(g.delta)} ({g.accountant})"
    if c.protects_records:
        sd = f"{c.noise_sd:.4g}"
        return f"\n   if deployed: every record: {price} over {c.n_releases} evaluations, with noise of sd {sd}"
    if c.n_releases == 0:
        return "\n   nothing is released"
    whom = "every row: " if c.unit == "row" else ""
    vote = ", the first of them the vote on the length-scale" if c.votes else ""
    return f"\n   if deployed: {whom}{price} over {_number(c.n_releases, 'release')}{vote}"


def _curves(simulation: "Simulation") -> str:
    first = simulation[0]
    alike = not first.by_pulls and all(c.initial == first.initial for c in simulation)
    names = ["pulls" if first.by_pulls else "iteration"] + (["evaluations"] if alike else [])
    letters = [_letter(i) for i in range(len(simulation))]
    rows: List[List[str]] = []
    for i in _milestones(first):
        numbers = [str(int(first.at[i]))] + ([str(first.initial + int(first.at[i]))] if alike else [])
        rows.append(numbers + [_moments(c, i, first.by_pulls) for c in simulation])
    return _table(names + letters, rows, set(names))


def _ratios(simulation: "Simulation") -> Iterable[str]:
    contrasts, first = simulation.contrasts(), simulation[0]
    if not contrasts:
        return
    rows: List[List[str]] = []
    bare = False
    for c in contrasts:
        r = c.ratio
        bare = bare or math.isnan(r.low)
        interval = "–" if math.isnan(r.low) else f"{r.low:.3g} to {r.high:.3g}"
        rows.append([f"{_letter(c.of)} / A", str(int(c.at)), f"{r.ratio:.3g}", interval, f"{r.p:.2g}"])
    at = "pulls" if first.by_pulls else "iteration"
    yield f"Ratios of mean {'cumulative' if first.by_pulls else 'simple'} regrets, runs paired:"
    table = _table(["ratio of", at, "ratio", "95 % interval", "p"], rows, {at})
    least = lib.TACIT_INTERVAL_RUNS
    if bare and first.runs < least:
        table += f"\n–: an interval takes {least} runs, and there are {first.runs}."
    elif bare:
        table += "\n–: too few runs, too much alike, or too few with any regret: no interval."
    yield table


def _scope(simulation: "Simulation") -> str:
    """What the guarantees mean, once; each stands with its algorithm."""
    of: Dict[str, "Simulated"] = {}
    for c in simulation:
        if c.protects_records:
            of["record"] = c
        elif c.sends and c.guarantee is not None and not c.trustees:
            of["row" if c.unit == "row" else "agent"] = c
    if not of and not any(c.sends for c in simulation):
        return ""
    words, before = "NOT PRIVATE: seeded.", " Guarantees are those of a deployment, for every {}. {}"
    for unit in ("agent", "row", "record"):
        if unit in of:
            words += before.format(unit, of[unit].scope)
            before = " Where it says every {}: {}"
    return _wrapped(words)


# ---- tables


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], right: "set[str]") -> str:
    """Columns two spaces apart; those of numbers end at the same place."""
    width = [max(len(line[k]) for line in (names, *rows)) for k in range(len(names))]
    lines: List[str] = []
    for line in (names, *rows):
        cells = [cell.rjust(w) if name in right else cell.ljust(w) for cell, w, name in zip(line, width, names)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
