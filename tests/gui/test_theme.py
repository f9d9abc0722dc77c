"""The themes define every name, and what is drawn in them can be read and told apart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Palette, Scheme, load_theme
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.pixels import colours_of

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

# Machado, Oliveira and Fernandes 2009, severity 1, on linear red, green and blue.
SIGHTS: Mapping[str, Matrix] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)


def least_distance(one: QColor, other: QColor) -> float:
    """By CIEDE2000, to the sight to which they are closest."""
    return min(distance(seen(one, sight), seen(other, sight)) for sight in SIGHTS.values())


def closest(colours: Sequence[QColor], others: Sequence[QColor] | None = None) -> float:
    """The least distance of any two; of one from each, where there are others."""
    pairs = (
        [(a, b) for i, a in enumerate(colours) for b in colours[:i]]
        if others is None
        else [(a, b) for a in colours for b in others]
    )
    return min(least_distance(a, b) for a, b in pairs)


def linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def seen(colour: QColor, sight: Matrix) -> Triple:
    """As CIELAB."""
    light = (linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF()))
    there = tuple(min(1.0, max(0.0, part)) for part in _times(sight, light))
    white = _times(_XYZ, (1.0, 1.0, 1.0))
    x, y, z = (
        _bent(part / most)
        for part, most in zip(_times(_XYZ, (there[0], there[1], there[2])), white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: Triple, other: Triple) -> float:
    """CIEDE2000, after Sharma, Wu and Dalal 2005."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    g = 0.5 * (1 - _high((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    mean = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * _cos(mean - 30)
        + 0.24 * _cos(2 * mean)
        + 0.32 * _cos(3 * mean + 6)
        - 0.20 * _cos(4 * mean - 63)
    )
    by_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = hue / (1 + 0.015 * chroma * t)
    bend = 30 * math.exp(-(((mean - 275) / 25) ** 2))
    turned = -math.sin(math.radians(2 * bend)) * 2 * _high(chroma)
    return math.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + turned * by_chroma * by_hue)


def _times(matrix: Matrix, vector: Triple) -> Triple:
    x, y, z = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _bent(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def _high(chroma: float) -> float:
    return math.sqrt(chroma**7 / (chroma**7 + 25.0**7))


def _cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))


THEMES = (Scheme.DARK, Scheme.LIGHT)
EVERY = [(scheme, palette) for scheme in THEMES for palette in Palette]


def luminance(colour: QColor) -> float:
    red, green, blue = colour.redF(), colour.greenF(), colour.blueF()
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_themes_define_every_name() -> None:
    themes = [load_theme(*each) for each in EVERY]
    assert len({tuple(theme.named()) for theme in themes}) == 1
    assert {len(theme.cards) for theme in themes} == {8}
    assert [theme.dark for theme in themes] == [True, True, False, False]


@pytest.mark.parametrize(("scheme", "palette"), EVERY)
def test_texts_can_be_read_on_what_they_stand_on(scheme: Scheme, palette: Palette) -> None:
    theme = load_theme(scheme, palette)
    for ground in (theme.ground, theme.surface):
        assert contrast(theme.text, ground) >= 7
        assert contrast(theme.quiet, ground) >= 7
        for colour in (theme.faint, theme.warn, theme.bad, theme.good, theme.accent):
            assert contrast(colour, ground) >= 4.5
    for ground in (theme.surface, theme.field):
        for colour in (theme.code_word, theme.code_text, theme.code_number, theme.faint):
            assert contrast(colour, ground) >= 4.5
    assert contrast(theme.simulated_ink, theme.simulated) >= 7
    assert all(contrast(theme.inverse, card) >= 4.5 for card in theme.cards)


@pytest.mark.parametrize("scheme", THEMES)
def test_one_ink_is_readable_over_every_shade(scheme: Scheme) -> None:
    theme = load_theme(scheme)
    shades = [
        shade(at / 20) for at in range(-20, 21) for shade in (theme.heat, theme.around_zero)
    ]
    assert all(contrast(theme.text, each) >= 4.5 for each in shades)


@pytest.mark.parametrize(("scheme", "palette"), EVERY)
def test_cards_are_told_apart_by_everybody(scheme: Scheme, palette: Palette) -> None:
    theme = load_theme(scheme, palette)
    assert closest(theme.cards) >= (11.9 if palette is Palette.SAFE else 10)


@pytest.mark.parametrize("scheme", THEMES)
def test_the_safe_palette_tells_meanings_apart_from_each_other_and_from_cards(
    scheme: Scheme,
) -> None:
    theme = load_theme(scheme, Palette.SAFE)
    meanings = [theme.good, theme.warn, theme.bad]
    assert closest(meanings) >= 17
    assert closest(meanings, [theme.quiet, theme.text]) >= 9
    assert closest(theme.cards, [*meanings, theme.quiet]) >= 9


def colours_in(widget: QWidget) -> set[str]:
    """Every colour of which there is more than a stray pixel."""
    found = colours_of(widget.grab().toImage())
    return {name for name, count in found.items() if count > 8}


def names_of(scheme: Scheme) -> set[str]:
    theme = load_theme(scheme)
    # Smooth edges come upon that one by themselves.
    named = (getattr(theme, each.name) for each in fields(theme) if each.name != "on_text")
    return {each.name() for each in (*named, *theme.cards) if isinstance(each, QColor)}


def test_nothing_stays_in_the_colours_of_before_seen_or_not(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    session = remembering(session_on(simulated("2xTitanRTX", "lost:1@0s"), interval=0.1))
    window = open_window(session)
    look().choose(Scheme.DARK)
    dark, light = names_of(Scheme.DARK), names_of(Scheme.LIGHT)
    for each in VIEWS:
        window.navigation.open_screen(each.name)
    qtbot.waitUntil(lambda: session.beats().taken > 3)
    assert colours_in(window) & dark
    look().choose(Scheme.LIGHT)
    for each in VIEWS:
        window.navigation.open_screen(each.name)
        assert colours_in(window) & (dark - light) == set(), each.name
    dialog = QDialog(window)
    dialog.resize(300, 200)
    dialog.show()
    assert look().theme.raised.name() in colours_in(dialog)


def test_everything_has_the_letters_that_were_brought_along(open_window: OpenWindow) -> None:
    window = open_window()
    menu = QMenu(window)
    menu.ensurePolished()
    letters = look().letters
    families = {each.font.family() for each in (letters.body, letters.mono)}
    shown = [each for each in window.findChildren(QWidget) if each.isVisible()]
    assert {each.font().family() for each in (menu, *shown)} <= families
    assert QToolTip.font().family() == letters.body.font.family()
