"""The themes define every name, and what is drawn in them can be read and told apart."""

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
from tests.gui.colour_sight import closest, linear
from tests.gui.conftest import OpenWindow
from tests.gui.pixels import colours_of

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
    session = remembering(session_on(simulated("2xTitanRTX", "lost:1@1s"), interval=0.1))
    window = open_window(session)
    look().choose(Scheme.DARK)
    dark, light = names_of(Scheme.DARK), names_of(Scheme.LIGHT)
    for each in VIEWS:
        window.navigation.open_screen(each.name)
    qtbot.waitUntil(lambda: session.beats().taken > 12)
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
