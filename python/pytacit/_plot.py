"""Curves of regret as a picture: by matplotlib, or as a file by `tacit plot`, which needs nothing else."""

from __future__ import annotations

import math
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Union

if TYPE_CHECKING:
    from ._curves import Curves


def plot(
    curves: "Sequence[Curves]",
    path: Union[str, "os.PathLike[str]", None],
    ax: Any,
    cumulative: bool,
    title: Optional[str],
    files: Callable[[str], List[str]],
) -> Any:
    """CurveSet.plot. files: writes the curves to a folder, or says in which files they are."""
    if not len(curves):
        raise ValueError("there are no curves to draw")
    bandits = [c for c in curves if c.by_pulls]
    if bandits and not cumulative and len(bandits) < len(curves):
        raise ValueError(
            f"{bandits[0].label} was simulated by pulls and has no simple regret: cumulative=True draws all of them"
        )
    cumulative = cumulative or bool(bandits)
    try:
        import matplotlib  # pyright: ignore  # not in every environment
    except ImportError:
        if path is None or ax is not None:
            raise ImportError(
                'plot needs matplotlib: pip install matplotlib, or name a file: plot("regret.svg") needs none'
            ) from None
        return _by_program(os.fspath(path), cumulative, title, files)
    del matplotlib
    axes = _new_axes(path is None) if ax is None else ax
    _draw(curves, axes, cumulative, title)
    if path is not None:
        axes.figure.savefig(os.fspath(path))
    return axes


# ---- by matplotlib


def _new_axes(shown: bool) -> Any:
    """Of a figure that pyplot shows and keeps, or of one that is only written to a file."""
    figure: Any
    if shown:
        from matplotlib import pyplot  # pyright: ignore  # not in every environment

        plt: Any = pyplot
        figure = plt.figure(layout="constrained")
    else:
        from matplotlib.figure import Figure  # pyright: ignore  # not in every environment

        figure = Figure(layout="constrained")
    axes: Any = figure.subplots()
    axes.xaxis.get_major_locator().set_params(integer=True)
    return axes


def _draw(curves: "Sequence[Curves]", axes: Any, cumulative: bool, title: Optional[str]) -> None:
    quantity = "cumulative regret" if cumulative else "simple regret"
    for c in curves:
        means, errors = (c.cumulative_mean, c.cumulative_se) if cumulative else (c.simple_mean, c.simple_se)
        assert means is not None and errors is not None  # a curve without it was refused
        points = [(at, mean, se) for at, mean, se in zip(c.at, means, errors) if math.isfinite(mean)]
        at, mean = [p[0] for p in points], [p[1] for p in points]
        (line,) = axes.plot(at, mean, label=_label(c, curves))
        if c.runs > 1:
            low, high = [p[1] - p[2] for p in points], [p[1] + p[2] for p in points]
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    if not cumulative:  # it falls over decades; what reaches 0 leaves the picture at the bottom
        axes.set_yscale("log", nonpositive="clip")
    axes.set_xlabel(_axis(curves[0]))
    axes.set_ylabel(quantity + (", mean ± standard error" if any(c.runs > 1 for c in curves) else ""))
    alike = len({c.objective for c in curves}) == 1
    axes.set_title(title or quantity.capitalize() + (f" on {curves[0].objective}" if alike else ""))
    axes.legend()


def _label(c: "Curves", curves: "Sequence[Curves]") -> str:
    alike = all(other.objective == c.objective for other in curves)
    return c.label if alike else f"{c.label} on {c.objective}"


def _axis(c: "Curves") -> str:
    return "pulls of each agent" if c.by_pulls else "iteration" if c.at[0] == 0 else "trial"


# ---- by the program


def _by_program(path: str, cumulative: bool, title: Optional[str], files: Callable[[str], List[str]]) -> None:
    from .__main__ import find_program

    program = find_program()
    if program is None:
        raise ImportError("plot needs matplotlib, or the program tacit, and neither is here: pip install matplotlib")
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "plot", "--quiet", "--kind", "regret", "--out", path, *files(folder)]
        command += ["--cumulative"] if cumulative else []
        command += [] if title is None else ["--title", title]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"tacit plot failed: {done.stderr.strip()}")
