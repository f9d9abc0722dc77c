"""Both themes define every name, and what is written in them can be read."""

import pytest
from PySide6.QtGui import QColor

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.paint.theme import Scheme, load_theme
from tests.gui.conftest import OpenWindow

THEMES = (Scheme.DARK, Scheme.LIGHT)


def luminance(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = colour.redF(), colour.greenF(), colour.blueF()
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_themes_define_every_name() -> None:
    dark, light = (load_theme(scheme) for scheme in THEMES)
    assert dark.named().keys() == light.named().keys()
    assert len(dark.cards) == len(light.cards) == 8
    assert dark.dark
    assert not light.dark


@pytest.mark.parametrize("scheme", THEMES)
def test_texts_can_be_read_on_what_they_stand_on(scheme: Scheme) -> None:
    theme = load_theme(scheme)
    for ground in (theme.ground, theme.surface):
        assert contrast(theme.text, ground) >= 7
        assert contrast(theme.quiet, ground) >= 7
        for colour in (theme.faint, theme.warn, theme.bad, theme.accent):
            assert contrast(colour, ground) >= 4.5
    assert contrast(theme.simulated_ink, theme.simulated) >= 7
    assert all(contrast(theme.inverse, card) >= 4.5 for card in theme.cards)


@pytest.mark.parametrize("scheme", THEMES)
def test_one_ink_is_readable_over_the_whole_scale_of_busy(scheme: Scheme) -> None:
    theme = load_theme(scheme)
    assert all(contrast(theme.text, theme.heat(at / 20)) >= 4.5 for at in range(21))


def test_the_window_changes_its_theme_while_it_is_open(open_window: OpenWindow) -> None:
    window: MainWindow = open_window()
    grounds = set()
    for scheme in THEMES:
        window.look.choose(scheme)
        grounds.add(window.grab().toImage().pixelColor(5, 300).name())
    assert grounds == {"#0e1116", "#f5f6f8"}
