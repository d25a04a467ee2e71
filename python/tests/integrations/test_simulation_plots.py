"""Curves as arrays of numpy, and as pictures of matplotlib."""

from __future__ import annotations

import gc
from pathlib import Path

import matplotlib
import numpy
import pytest
from matplotlib import colors, pyplot

import pytacit

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def figures_are_closed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def federation():
    return pytacit.simulate("random", "branin", agents=3, rounds=6, runs=5, seed=3, versus=["ts"], by_agent=True)


@pytest.fixture(scope="module")
def bandits():
    return pytacit.simulate("hct", "garland", pulls=1000, runs=3, versus="hoo")


# ---- numpy


def test_arrays_are_not_copied(federation):
    for numbers, shape in (
        (federation[0].at, (7,)),
        (federation[0].simple, (5, 7)),
        (federation[1].cumulative[2], (7,)),
        (federation[1].agent_simple, (5, 3, 7)),
        (federation[1].agent_cumulative[4][1], (7,)),
    ):
        seen, again = numpy.asarray(numbers), numpy.asarray(numbers)
        assert (seen.shape, seen.dtype, seen.flags.writeable) == (shape, numpy.float64, False)
        assert numpy.shares_memory(seen, again) and numpy.array_equal(seen, numbers.tolist())
    rows = numpy.asarray(federation[0].simple)
    assert numpy.shares_memory(rows[3], numpy.asarray(federation[0].simple[3]))


def test_means_and_standard_errors_are_those_of_numpy(federation):
    for c in federation:
        rows = numpy.asarray(c.cumulative)
        assert numpy.allclose(rows.mean(axis=0), c.cumulative_mean, rtol=1e-12)
        assert numpy.allclose(rows.std(axis=0, ddof=1) / numpy.sqrt(5), c.cumulative_se, rtol=1e-9)
        assert numpy.allclose(numpy.mean(c.agent_simple, axis=1), c.simple, rtol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        numpy.asarray(federation[0].simple)[0, 0] = 1


def test_an_array_of_numpy_keeps_the_simulation():
    found = pytacit.simulate("random", trials=50, runs=20)
    rows, wanted = numpy.asarray(found[0].simple), found[0].simple.tolist()
    del found
    gc.collect()
    # If its memory were free, these would be in it.
    others = [pytacit.simulate("random", trials=50, runs=20, seed=seed) for seed in range(1, 5)]
    assert rows.tolist() == wanted and len(others) == 4


def test_numbers_of_numpy_are_keywords():
    found = pytacit.simulate("random", trials=numpy.int64(4), runs=numpy.int32(2), shift=numpy.float32(0.25))
    assert len(found[0].at) == 4
    assert found.to_csv() == pytacit.simulate("random", trials=4, runs=2, shift=0.25).to_csv()


# ---- pictures


def drawn(axes, i):
    """A line, and the band around it: lowest and highest at each point."""
    line, band = axes.lines[i], axes.collections[i]
    corners = band.get_paths()[0].vertices
    low = [corners[corners[:, 0] == at][:, 1].min() for at in line.get_xdata()]
    high = [corners[corners[:, 0] == at][:, 1].max() for at in line.get_xdata()]
    return line, numpy.array(low), numpy.array(high), band


def test_means_have_a_band_of_one_standard_error(federation):
    axes = federation.plot()
    assert axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["random", "ts"]
    assert (axes.get_title(), axes.get_xlabel()) == ("Simple regret on branin", "iteration")
    assert axes.get_ylabel() == "simple regret, mean ± standard error"
    for i, c in enumerate(federation):
        line, low, high, band = drawn(axes, i)
        finite = numpy.isfinite(c.simple_mean)
        mean, se = (numpy.asarray(numbers)[finite] for numbers in (c.simple_mean, c.simple_se))
        assert numpy.array_equal(line.get_xdata(), numpy.asarray(c.at)[finite])
        assert numpy.allclose(line.get_ydata(), mean) and len(mean) >= 6
        assert numpy.allclose(low, mean - se) and numpy.allclose(high, mean + se)
        assert colors.same_color(band.get_facecolor()[0][:3], line.get_color())


def test_bandits_have_the_cumulative_regret(bandits, federation):
    axes = bandits.plot(title="Bandits")
    assert (axes.get_yscale(), axes.get_title(), axes.get_xlabel()) == ("linear", "Bandits", "pulls of each agent")
    assert numpy.array_equal(axes.lines[1].get_ydata(), bandits["hoo"].cumulative_mean)
    assert federation.plot(cumulative=True).get_yscale() == "linear"
    bandits.save("bandits.csv")
    federation.save("federation.csv")
    both = pytacit.read_curves("bandits.csv", "federation.csv")
    with pytest.raises(ValueError, match="^hct was simulated by pulls and has no simple regret: cumulative=True "):
        both.plot()
    axes = both.plot(cumulative=True)
    labels = ["hct on garland", "hoo on garland", "random on branin", "ts on branin"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == labels
    assert axes.get_title() == "Cumulative regret"


def test_one_run_has_no_band():
    axes = pytacit.simulate("random", trials=5, runs=1).plot()
    assert len(axes.lines) == 1 and not axes.collections
    assert axes.get_ylabel() == "simple regret" and axes.get_xlabel() == "trial"


def test_regret_that_reaches_0_leaves_at_the_bottom():
    Path("t.csv").write_text("x,value\n" + "".join(f"{i},{i * i}\n" for i in range(6)))
    found = pytacit.simulate("random", "table:t.csv", trials=40, runs=4)
    assert found[0].simple_mean[-1] == 0 < found[0].simple_mean[0]
    axes = found.plot("zero.png")
    low, high = axes.get_ylim()
    assert 0 < low <= min(mean for mean in found[0].simple_mean if mean > 0) and high >= found[0].simple_mean[0]
    assert Path("zero.png").stat().st_size > 5000


def test_files_are_written_and_no_figure_is_left(federation):
    for name, begins in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        axes = federation.plot(name)
        assert Path(name).read_bytes().startswith(begins) and len(axes.lines) == 2
    assert pyplot.get_fignums() == []
    image = pyplot.imread("a.png")[..., :3]
    for line in axes.lines:  # each colour is seen
        away = numpy.abs(image - colors.to_rgb(line.get_color())).max(axis=-1)
        assert (away < 0.02).sum() > 200


def test_axes_that_are_given_are_drawn_into(federation, bandits):
    figure, (left, right) = pyplot.subplots(1, 2)
    assert federation.plot(ax=left) is left and bandits.plot("both.png", ax=right) is right
    assert (len(left.lines), len(right.lines)) == (2, 2)
    assert pyplot.imread("both.png").shape[1] == figure.get_size_inches()[0] * figure.dpi
