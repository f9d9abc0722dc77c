"""The themes define every name, and what is drawn in them can be read and told apart."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.theme.palette import Palette, Scheme, load_theme
from tests.gui.colour_sight import closest, distance, linear
from tests.gui.conftest import OpenWindow

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
def test_one_ink_is_readable_over_the_whole_scale_of_busy(scheme: Scheme) -> None:
    theme = load_theme(scheme)
    assert all(contrast(theme.text, theme.heat(at / 20)) >= 4.5 for at in range(21))


@pytest.mark.parametrize("scheme", THEMES)
def test_one_ink_is_readable_over_values_on_both_sides_of_zero(scheme: Scheme) -> None:
    theme = load_theme(scheme)
    steps = [at / 20 for at in range(-20, 21)]
    assert all(contrast(theme.text, theme.around_zero(at)) >= 4.5 for at in steps)


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


@pytest.mark.parametrize(
    ("one", "other", "known"),
    [
        # From the table of Sharma, Wu and Dalal: where formulas go wrong.
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, -0.001, 2.49), (50.0, 0.0011, -2.49), 4.7461),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((90.8027, -2.0831, 1.441), (91.1528, -1.6435, 0.0447), 1.4441),
    ],
)
def test_distances_are_those_that_were_published(
    one: tuple[float, float, float], other: tuple[float, float, float], known: float
) -> None:
    assert distance(one, other) == pytest.approx(known, abs=1e-3)


def test_the_look_tells_once_when_something_changes_and_not_otherwise(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    with qtbot.waitSignal(look().changed):
        look().dress(Scheme.LIGHT, Palette.SAFE, Motion.REDUCED)
    assert look().theme.cards == load_theme(Scheme.LIGHT, Palette.SAFE).cards
    with qtbot.assertNotEmitted(look().changed):
        look().dress(Scheme.LIGHT, Palette.SAFE, Motion.FULL)
    with qtbot.waitSignal(look().changed):
        look().dress(Scheme.LIGHT, Palette.STANDARD, Motion.FULL)
    assert look().theme.cards == load_theme(Scheme.LIGHT).cards


@pytest.mark.parametrize(
    ("motion", "still", "moves"),
    [
        (Motion.SYSTEM, False, True),
        (Motion.SYSTEM, True, False),
        (Motion.FULL, True, True),
        (Motion.REDUCED, False, False),
    ],
)
def test_nothing_moves_where_a_person_or_the_system_wants_that(
    motion: Motion, still: bool, moves: bool
) -> None:
    look().follow_stillness(still)
    look().choose_motion(motion)
    assert look().motion is moves


def test_the_window_changes_its_theme_while_it_is_open(open_window: OpenWindow) -> None:
    window: MainWindow = open_window()
    grounds = set()
    for scheme in THEMES:
        window.look.choose(scheme)
        grounds.add(window.grab().toImage().pixelColor(5, 300).name())
    assert grounds == {"#0e1116", "#f5f6f8"}


def test_the_style_sheet_is_understood_in_a_folder_with_spaces_and_foreign_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Qt complains of one that it cannot read, and nothing is styled then."""
    folder = tmp_path / "Meine Programme (neu)" / "Grafik für Übungen 显卡"
    shutil.copytree(resource("themes"), folder / "themes")
    monkeypatch.setattr("gpuexplorer.gui.theme.look.resource", folder.joinpath)
    button = QPushButton("Go")
    qtbot.addWidget(button)
    button.setStyleSheet(look().style_sheet())
    assert button.grab().width() > 0
