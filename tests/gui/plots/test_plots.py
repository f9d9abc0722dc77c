"""What plots show: grid lines and times, traces pixel by pixel, what is written and said."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.axes import TimeTick, moment_word, time_ticks
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.plots.content import (
    Flag,
    Limit,
    PlotContent,
    PlotLine,
    Scale,
    Summary,
    scale_of,
)
from gpuexplorer.gui.plots.curves import Curve, columns_for, draw_curves, steady_stretch
from gpuexplorer.gui.widgets.strip import Strip, StripShown, Wear
from gpuexplorer.telemetry.history import Past, condensed
from gpuexplorer.telemetry.trace import Trace
from tests.gui.pixels import colours_of
from tests.gui.plots.made import (
    NOTHING,
    NOW,
    MakeStack,
    line,
    places,
    plot,
    power,
    steady,
    trace,
    written,
)


def test_it_says_who_each_line_is_and_what_it_is_now(open_stack: MakeStack) -> None:
    rising = trace(np.linspace(0.2, 0.8, 301).tolist())
    stack = open_stack([plot(line("GPU", rising), line("memory ctrl", 0.1)), power()])
    said = stack.accessibleDescription()
    assert "Utilisation GPU: 80 %" in said
    assert "Utilisation memory ctrl: 10 %" in said
    assert "Power draw: 200 W" in said
    words = written(stack)
    assert {"Utilisation", "Power", "now", "min", "avg", "max"} <= set(words)
    at = words.index("GPU")
    assert words[at - 4 : at] == ["80", "20", "50", "80"]


def test_a_missing_metric_says_its_reason_where_its_figures_would_stand(
    open_stack: MakeStack,
) -> None:
    reason = "this card does not report it"
    stack = open_stack([plot(line("fan", NOTHING, reason=reason))])
    assert written(stack).count(reason) == 1
    assert f"fan: {reason}" in stack.accessibleDescription()
    assert "100 %" not in written(stack)
    (place,) = places(stack, reason)
    assert place[0] > places(stack, "fan")[0][0]


def test_a_lost_card_keeps_its_past_and_says_when_it_was_lost(open_stack: MakeStack) -> None:
    past = trace([0.7] * 150, end=NOW - 150)
    lost = line("GPU", past, reason="lost at 14:05:02")
    stack = open_stack([plot(lost, line("memory ctrl", past, reason="lost at 14:05:02"))])
    words = written(stack)
    assert words.count("lost at 14:05:02") == 1
    at = words.index("GPU")
    assert words[at - 4 : at] == ["–", "70", "70", "70"]


def test_a_time_that_was_not_read_says_so(open_stack: MakeStack) -> None:
    halves = [0.5] * 150
    parted = trace([*halves, np.nan, *halves])
    stack = open_stack([plot(line("GPU", parted))])
    assert "not read" not in written(stack)
    times = np.concatenate((parted.times[:151] - 80, parted.times[151:]))
    long_gap = type(parted)(
        times, parted.minima, parted.maxima, parted.means, parted.counts, 1.0
    )
    stack.show_contents([plot(line("GPU", long_gap))])
    assert "not read" in written(stack)


def test_limits_bands_and_flags_have_their_words(open_stack: MakeStack) -> None:
    stack = open_stack([])
    band = Band(NOW - 100, NOW - 20, "power limit")
    marked = replace(power(), limits=(Limit("limit", 280),), bands=(band,))
    stack.show_contents([marked, plot(line(), bands=(band,))], [Flag(NOW - 200, "copy X")])
    words = written(stack)
    assert {"limit", "280", "copy X"} <= set(words)
    assert words.count("power limit") == 1
    assert "copy X" in stack.hints() or "copy X" in words


def test_the_crosshair_tells_the_values_of_that_moment_on_all_plots(
    open_stack: MakeStack,
) -> None:
    rising = trace(np.linspace(0.0, 1.0, 301).tolist())
    stack = open_stack([plot(line("GPU", rising)), power()])
    stack.time_window.point_at(NOW - 150)
    said = stack.words_at_crosshair()
    assert "Utilisation GPU: 50 %" in said
    assert "Power draw: 200 W" in said
    before = stack.grab().toImage()
    stack.time_window.point_at(NOW - 50)
    assert "Utilisation GPU: 83 %" in stack.words_at_crosshair()
    assert stack.grab().toImage() != before


GIB = 2.0**30
NOON = 1_700_049_600.0  # 2023-11-15 12:00 UTC


def scale(
    metric: MetricId,
    least: float,
    most: float,
    lines: int = 3,
    units: Units = USUAL,
    lowest: float | None = 0.0,
    highest: float | None = None,
    limits: tuple[Limit, ...] = (),
) -> Scale:
    known = METRICS[metric]
    content = PlotContent(
        "p", "P", known.unit, (PlotLine("l", known, NOTHING),), limits, (), lowest, highest
    )
    return scale_of(content, [Summary(least, most, most)], lines, units)


def tick_words(scale: Scale) -> list[str]:
    return [text for _, text in scale.ticks]


@pytest.mark.parametrize(
    ("metric", "most", "expected"),
    [
        (m.FAN_SPEED, 0.9, ["50", "100 %"]),
        (m.POWER_DRAW, 279.0, ["150", "300 W"]),
        (m.MEMORY_USED, 23.6 * GIB, ["12", "24 GiB"]),
        (m.PCIE_RECEIVE, 15.8e9, ["8", "16 GB/s"]),
        (m.PCIE_RECEIVE, 3.1e6, ["2", "4 MB/s"]),
        (m.CLOCK_SM, 2100e6, ["1200", "2400 MHz"]),
        (m.PCIE_WIDTH, 16.0, ["8", "16"]),
    ],
)
def test_grid_lines_are_at_round_figures(
    metric: MetricId, most: float, expected: list[str]
) -> None:
    assert tick_words(scale(metric, 0.0, most)) == expected


def test_what_a_person_chose_to_read_stands_on_the_axis() -> None:
    warm = scale(m.TEMPERATURE, 40, 74, units=Units(fahrenheit=True))
    assert tick_words(warm)[-1].endswith("°F")
    full = scale(m.MEMORY_USED, 0, 24e9, units=Units(decimal_memory=True))
    assert tick_words(full) == ["12", "24 GB"]
    assert tick_words(scale(m.PERFORMANCE_STATE, 0, 8))[-1] == "P8"


def test_nothing_but_zero_has_a_scale_and_a_trace_of_something_is_not_called_zero() -> None:
    assert tick_words(scale(m.PCIE_RECEIVE, 0, 0)) == ["0.5", "1 GB/s"]
    assert tick_words(scale(m.TEMPERATURE, 50, 50, lowest=None))
    wide = scale(m.PCIE_RECEIVE, 0, 15e9)
    assert (wide.number(0.0), wide.number(1e7)) == ("0", "0.0")


@pytest.fixture
def in_kolkata(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Half an hour off the full one."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ticks(span: float, most: int = 8) -> list[str]:
    start = 500.0
    return [tick.text for tick in time_ticks(start, start + span, NOON - start, most)]


@pytest.mark.usefixtures("in_kolkata")
def test_times_are_full_hours_and_minutes_of_the_place_and_midnight_is_a_date() -> None:
    assert ticks(60) == ["17:30:00", "17:30:10", "17:30:20", "17:30:30", "17:30:40",
                         "17:30:50", "17:31:00"]  # fmt: skip
    assert ticks(300) == ["17:30", "17:31", "17:32", "17:33", "17:34", "17:35"]
    assert ticks(3600) == ["17:30", "17:40", "17:50", "18:00", "18:10", "18:20", "18:30"]
    assert ticks(86400) == ["18:00", "21:00", "16 Nov", "03:00", "06:00", "09:00", "12:00",
                            "15:00"]  # fmt: skip
    assert moment_word(NOON, NOON) == "17:30:00"
    assert moment_word(NOON + 0.31, NOON, tenths=True) == "17:30:00.3"
    assert moment_word(NOON, NOON + 86400) == "15 Nov 17:30:00"


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


SHOWN = StripShown(
    steady(0.5),
    NOW - 300,
    NOW,
    highest=1.0,
    scale=((1.0, "100 %"),),
    ticks=(TimeTick(NOW, "now"), TimeTick(NOW - 1, "12:00"), TimeTick(NOW - 150, "11:58")),
)


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    made = Strip(scaled=True)
    qtbot.addWidget(made)
    made.resize(400, 80)
    made.show_past(SHOWN, Wear(0))
    return made


def test_of_times_that_would_touch_the_weightier_is_kept(strip: Strip) -> None:
    assert written(strip) == ["100 %", "now", "11:58"]


def test_the_value_stands_where_one_points_and_the_moment_below(strip: Strip) -> None:
    strip.point_at(NOW - 150, "50 %", "11:57:30")
    assert written(strip) == ["100 %", "50 %", "11:57:30", "now"]
    strip.point_at(None)
    assert "50 %" not in written(strip)


def test_what_was_not_read_is_no_line_at_zero(strip: Strip) -> None:
    ink = strip.look.theme.card(0).name()
    assert ink in colours_of(strip.grab().toImage())
    strip.show_past(replace(SHOWN, trace=NOTHING, unread="not read"), Wear(0))
    assert "not read" in written(strip)
    assert ink not in colours_of(strip.grab().toImage())
