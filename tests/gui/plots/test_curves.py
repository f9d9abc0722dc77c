"""What a drawn trace looks like, pixel by pixel."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.plots.curves import Curve, columns_for, draw_curves, steady_stretch
from gpuexplorer.telemetry.history import Past, condensed
from gpuexplorer.telemetry.trace import Trace
from tests.gui.plots.made import trace

INK = QColor("#ff0000")
WIDTH, HEIGHT = 300, 100


def draw(image: QImage, place: QRectF, curve: Curve, start: float, end: float) -> None:
    to = QTransform()
    to.translate(place.left(), place.bottom())
    to.scale(place.width() / (end - start), -place.height())
    to.translate(-start, 0)
    with QPainter(image) as painter:
        draw_curves(painter, place, to, [curve])


def drawn(
    shown: Trace,
    start: float,
    end: float,
    fill: bool = False,
    dash: int = 0,
    bare: Sequence[tuple[float, float]] = (),
) -> NDArray[np.uint8]:
    """How much ink there is in each pixel; rows from top to bottom, from 1 down to 0."""
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    draw(
        image,
        QRectF(0, 0, WIDTH, HEIGHT),
        Curve(shown, INK, fill, dash, tuple(bare)),
        start,
        end,
    )
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(HEIGHT, WIDTH, 4)
    return pixels[:, :, 2].copy()


@pytest.fixture(autouse=True)
def application(qtbot: QtBot) -> None:
    """Painting needs one."""


def test_a_reading_stands_at_its_height_and_zero_at_the_floor() -> None:
    half = drawn(trace([0.5] * 61, end=60), 0, 60)
    assert half[49:52, 150].max() > 150
    assert half[:47].max() == half[53:].max() == 0
    zero = drawn(trace([0.0] * 61, end=60), 0, 60)
    assert zero[98:, 150].max() > 100
    assert zero[:97].max() == 0


def test_a_gap_stays_a_gap() -> None:
    values = [0.5] * 20 + [np.nan] + [0.5] * 20
    times = np.concatenate((np.arange(20.0), [20.0], np.arange(40.0, 60.0)))
    means = np.array(values)
    shown = Trace(times, means, means, means, np.isfinite(means).astype(np.int64), 1.0)
    ink = drawn(shown, 0, 60, fill=True)
    assert ink[:, 98:198].max() == 0
    assert ink[50, 50] > 150
    assert ink[50, 250] > 150


def test_what_a_column_stands_for_is_a_band_from_least_to_most() -> None:
    times = np.arange(0.0, 60.0, 0.4)
    middle = np.full(times.size, 0.5)
    counts = np.full(times.size, 4)
    shown = Trace(times, middle - 0.2, middle + 0.2, middle, counts, 0.4)
    ink = drawn(shown, 0, 60)
    column = ink[:, 150].astype(int)
    assert column[50] > 150
    assert 40 < column[35] < 120
    assert 40 < column[65] < 120
    assert column[25] == column[75] == 0
    assert np.ptp(ink[35, 10:290].astype(int)) == 0


def test_the_fill_reaches_the_floor_and_leaves_out_what_is_bare() -> None:
    ink = drawn(trace([0.5] * 61, end=60), 0, 60, fill=True, bare=[(20, 40)])
    assert 15 < ink[80, 50] < 60
    assert ink[80, 150] == 0
    assert 15 < ink[80, 250] < 60
    assert ink[50, 150] > 150


def test_nothing_is_drawn_outside_its_place() -> None:
    shown = trace([0.2, 0.9] * 100, end=200)
    ink = drawn(shown, 50.5, 90.5)
    assert ink[:, 0].max() > 0
    assert ink[:, -1].max() > 0
    image = QImage(400, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    draw(image, QRectF(100, 0, 200, HEIGHT), Curve(shown, INK, fill=True), 50.5, 90.5)
    red = np.frombuffer(image.constBits(), np.uint8).reshape(HEIGHT, 400, 4)[:, :, 2]
    assert red[:, :99].max() == 0
    assert red[:, 301:].max() == 0


@pytest.mark.parametrize("dash", [0, 1])
def test_what_moves_on_with_time_does_not_shimmer(dash: int) -> None:
    random = np.random.default_rng(1)
    times = np.arange(0.0, 900.0, 0.1)
    values = random.random(times.size)
    figures = np.stack((values, values, values, np.ones(times.size)))
    past = Past(times, np.zeros(times.size, np.bool_), figures, 0.1)
    span = 300.0

    def frame(end: float) -> tuple[NDArray[np.uint8], float]:
        first, last = int(10 * (end - span)), int(10 * end)
        view = slice(first, last)
        seen = Past(times[view], past.broken[view], figures[:, view], 0.1)
        shown = condensed(seen, end - span, end, columns_for(WIDTH))
        start, stop = steady_stretch(end - span, end, WIDTH)
        return drawn(shown, start, stop, fill=True, dash=dash), stop

    before, at = frame(600.0)
    for end in (600.4, 600.9, 602.3, 607.7):
        after, later = frame(end)
        moved = round((later - at) / span * WIDTH)
        # The column that is leaving and the newest ones are not whole; all others stand still.
        still = slice(4, WIDTH - moved - 8)
        assert (after[:, still] == before[:, moved + 4 : WIDTH - 8]).all()
