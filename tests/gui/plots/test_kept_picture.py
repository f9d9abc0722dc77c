"""Curves that move along with time look as if all of them were drawn anew each time."""

import math
from collections.abc import Iterable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.plots.curves import Curve, Frame
from gpuexplorer.gui.plots.kept_picture import KeptPicture
from gpuexplorer.gui.plots.curves import columns_for, steady_stretch
from gpuexplorer.telemetry.history import History

WIDTH, HEIGHT = 400, 100
PLACE = QRectF(10, 10, WIDTH, HEIGHT)
COLOURS = [QColor(name) for name in ("#40a0ff", "#ffd040", "#ff5080")]
CARDS = [CardId(f"GPU-{number}") for number in range(3)]
# Of a column that the left edge cuts a little more is seen than the history tells again.
AT_THE_EDGE = 14
UNSEEN = 24  # of 255: the edge of a line drawn in two parts
Pixels = NDArray[np.int64]


@pytest.fixture(autouse=True)
def application(qtbot: QtBot) -> None:
    """Painting needs one."""


def lived(seconds: float, step: float = 1.0, lost_at: float = math.inf) -> History:
    """Each card does something else, one of them until it is lost, and all with a gap."""
    history = History(step)
    for number in range(round(seconds / step)):
        at = number * step
        if 100 <= at < 115:
            continue
        for card, each in enumerate(CARDS):
            if card == 1 and at >= lost_at:
                continue
            busy = 0.5 + 0.4 * math.sin(at / (3 + 2 * card)) * math.sin(at / 17)
            # Some go straight from nothing to all.
            busy = float(at % 40 < 9) if card == 2 else busy
            history.append(Sample(each, at + 0.01 * card, {GPU_UTILIZATION: busy}))
    return history


def seen(
    history: History,
    start: float,
    end: float,
    highest: float = 1.0,
    fill: bool = False,
    place: QRectF = PLACE,
) -> Frame:
    start, end = steady_stretch(start, end, place.width())
    columns = columns_for(place.width())
    traces = [history.trace(card, GPU_UTILIZATION, start, end, columns) for card in CARDS]
    to = QTransform()
    to.translate(place.left(), place.bottom())
    to.scale(place.width() / (end - start), -place.height() / highest)
    to.translate(-start, 0)
    looks = enumerate(zip(traces, COLOURS, strict=True))
    return Frame(place, to, [Curve(one, colour, fill, dash) for dash, (one, colour) in looks])


def painted(frame: Frame, kept: KeptPicture | None, scale: float = 1.0) -> Pixels:
    whole = frame.place.adjusted(0, 0, 10, 10).toAlignedRect()
    image = QImage(
        round(whole.right() * scale), round(whole.bottom() * scale), QImage.Format.Format_RGB32
    )
    image.setDevicePixelRatio(scale)
    image.fill(QColor("black"))
    with QPainter(image) as painter:
        if kept is None:
            frame.draw(painter, frame.place.left(), frame.place.right())
        else:
            kept.draw(painter, frame)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    shown: Pixels = pixels.reshape(image.height(), image.width(), 4)[:, :, :3].astype(np.int64)
    return shown


def assert_alike(all_seen: Iterable[Frame], scale: float = 1.0) -> None:
    kept = KeptPicture()
    for frame in all_seen:
        moved, anew = painted(frame, kept, scale), painted(frame, None, scale)
        left = round((frame.place.left() + AT_THE_EDGE) * scale)
        assert anew[:, left:].max() > 100
        assert np.abs(moved - anew)[:, left:].max() <= UNSEEN


@pytest.mark.parametrize("step", [1.0, 0.1])
def test_curves_that_follow_the_present_look_as_if_they_were_drawn_anew(step: float) -> None:
    history = lived(300, step)
    ends = np.arange(130, 190, 1.3)
    assert_alike(seen(history, end - 120, end) for end in ends)


def test_what_is_read_meanwhile_is_drawn_too() -> None:
    history, kept = lived(200), KeptPicture()
    for second in range(200, 260):
        for number, card in enumerate(CARDS):
            busy = (second * (number + 1) % 10) / 10
            history.append(Sample(card, float(second), {GPU_UTILIZATION: busy}))
        curves = seen(history, second - 120.0, float(second))
        moved, anew = painted(curves, kept), painted(curves, None)
        assert np.abs(moved - anew)[:, 10 + AT_THE_EDGE :].max() <= UNSEEN


def test_a_card_that_is_lost_does_not_take_the_others_with_it() -> None:
    history = lived(300, lost_at=150)
    assert_alike(seen(history, end - 120, end) for end in range(130, 260, 3))


def test_dragged_back_and_forth_and_zoomed_they_look_right() -> None:
    history = lived(900, 0.1)
    starts = [500, 480, 430, 435, 300, 310, 600, 601, 500, 20, 30]
    assert_alike(seen(history, start, start + 200) for start in starts)
    spans = [200, 200, 100, 100, 400, 10, 200]
    assert_alike(seen(history, 500 - span / 2, 500 + span / 2) for span in spans)


def test_another_scale_another_size_or_a_fill_is_drawn_anew() -> None:
    history = lived(300)
    small = QRectF(10, 10, 200, 60)
    assert_alike(
        [
            seen(history, 120, 240),
            seen(history, 121, 241, highest=2.0),
            seen(history, 122, 242, highest=2.0, fill=True),
            seen(history, 123, 243, highest=2.0, fill=True),
            seen(history, 124, 244, highest=2.0, fill=True, place=small),
            seen(history, 125, 245),
        ]
    )


@pytest.mark.parametrize("scale", [1.5, 2.0])
def test_they_are_as_sharp_on_a_screen_of_more_pixels(scale: float) -> None:
    history = lived(300)
    assert_alike([seen(history, end - 120, end) for end in range(200, 220)], scale)
