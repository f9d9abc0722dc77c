"""The plot of rates over size by itself: few figures, narrow windows, another theme."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.rate_plot import RatePlot
from gpuexplorer.gui.copies.sweep_rows import SIZES, SweepRow, SweepWay, rows_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import real
from tests.gui.copies.test_ways_page import hints
from tests.gui.hands import press

WAY = SweepWay("cpu", "cuda:0")
NAMES = {"cpu": "H", "cuda:0": "0"}


def rows(times: Sequence[tuple[int, float]]) -> list[SweepRow]:
    results = {}
    for size, seconds in times:
        job = WAY.job(size)
        assert isinstance(job, CopyJob)
        results[job] = real("cpu", "cuda:0", size, seconds, 1.5 * seconds, 0.5 * seconds)
    return rows_of([WAY], results, NAMES, {"cpu": None, "cuda:0": 0}, lambda way: None)


def plot_of(qtbot: QtBot, times: Sequence[tuple[int, float]], width: int = 700) -> RatePlot:
    plot = RatePlot()
    qtbot.addWidget(plot)
    plot.resize(width, 400)
    with qtbot.waitActive(plot):
        plot.show()
        plot.activateWindow()
    plot.show_rows(rows(times), WAY)
    return plot


def inked(plot: RatePlot) -> bool:
    """Whether the way's curve or dots are seen."""
    image = plot.grab().toImage()
    return any(
        image.pixelColor(x, y) == look().theme.quiet
        for x in range(60, plot.width() - 70)
        for y in range(30, plot.height() - 40)
    )


@pytest.mark.parametrize(
    "times",
    [
        [(1 << 20, 1e-3)],
        [(4, 1e-3), (1 << 30, 1e-3)],
        [(size, size / 1e9) for size in SIZES],
        [(size, 1e-9) for size in SIZES],
        [(size, 1e9) for size in SIZES],
    ],
    ids=["one size", "two sizes", "all equally fast", "far too fast", "far too slow"],
)
@pytest.mark.parametrize("width", [300, 700])
def test_however_few_or_odd_the_figures_are_they_are_seen_and_can_be_gone_through(
    qtbot: QtBot, times: Sequence[tuple[int, float]], width: int
) -> None:
    plot = plot_of(qtbot, times, width)
    assert inked(plot)
    press(plot, Qt.Key.Key_Home)
    for _ in SIZES:
        press(plot, Qt.Key.Key_Right)
    assert plot.crosshair == SIZES[-1]
    expected = "GB/s" if times[-1][0] == SIZES[-1] else "not measured"
    assert expected in plot.accessibleDescription()


@pytest.mark.parametrize("width", [300, 700])
def test_without_any_figure_nothing_is_drawn_as_one(qtbot: QtBot, width: int) -> None:
    plot = plot_of(qtbot, [], width)
    press(plot, Qt.Key.Key_End)
    assert "host to 0, pinned not measured" in plot.accessibleDescription()
    plot.show_rows([], None)
    assert not plot.accessibleDescription().count("GB/s")
    plot.grab()


def test_a_point_and_a_ring_that_are_pointed_at_say_what_they_are(qtbot: QtBot) -> None:
    plot = plot_of(qtbot, [(1 << 20, 1e-3), (1 << 24, 4e-3), (1 << 28, 5e-2)])
    said = hints(plot)
    assert "host to 0, pinned, 16 MiB: 4.19 GB/s, 4.00 ms" in said
    assert "host to 0, pinned: half rate at 6.55 MiB" in said


def test_nothing_of_what_was_shown_before_is_left(qtbot: QtBot) -> None:
    times = [(size, 1e-5 + size / 1e10) for size in SIZES]
    plot = plot_of(qtbot, times)
    picture, shown = plot.grab().toImage(), plot.scene().items()
    plot.show_rows(rows(times), WAY)
    assert len(plot.scene().items()) == len(shown)
    assert plot.grab().toImage() == picture


def test_another_theme_colours_everything_anew_while_a_size_is_pointed_at(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    plot = plot_of(qtbot, [(size, 1e-5 + size / 1e10) for size in SIZES])
    press(plot, Qt.Key.Key_End)
    dark = plot.grab().toImage()
    look().choose(Scheme.LIGHT)
    light = plot.grab().toImage()
    assert light.pixelColor(2, 2) != dark.pixelColor(2, 2)
    assert inked(plot)
    assert plot.crosshair == SIZES[-1]
