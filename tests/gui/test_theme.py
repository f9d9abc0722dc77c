"""The themes define every name, and what is drawn in them can be read and told apart."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QMenu, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.theme.palette import Palette, Scheme, load_theme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.colour_sight import closest, distance, linear
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


def colours_in(widget: QWidget) -> set[str]:
    """Every colour of which there is more than a stray pixel."""
    found = colours_of(widget.grab().toImage())
    return {name for name, count in found.items() if count > 8}


def names_of(scheme: Scheme, palette: Palette = Palette.STANDARD) -> set[str]:
    theme = load_theme(scheme, palette)
    return {*theme.named().values(), *(card.name() for card in theme.cards)}


def test_nothing_stays_in_the_colours_of_before_seen_or_not(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    session = remembering(session_on(simulated("2xTitanRTX", "lost:1@1s"), interval=0.1))
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=Scheme.DARK))
    window = open_window(session, settings=settings)
    dark, light = names_of(Scheme.DARK), names_of(Scheme.LIGHT)
    safe = names_of(Scheme.LIGHT, Palette.SAFE)
    for each in VIEWS:
        window.navigation.open_screen(each.name)
    qtbot.waitUntil(lambda: session.beats().taken > 12)
    assert colours_in(window) & dark
    settings.choose(replace(settings.choices, scheme=Scheme.LIGHT))
    for each in VIEWS:
        window.navigation.open_screen(each.name)
        assert colours_in(window) & (dark - light) == set(), each.name
    settings.choose(replace(settings.choices, palette=Palette.SAFE))
    for each in VIEWS:
        window.navigation.open_screen(each.name)
        assert colours_in(window) & (light - safe) == set(), each.name


def test_dialogs_wear_the_theme_too_whenever_they_come(open_window: OpenWindow) -> None:
    window = open_window()
    look().choose(Scheme.LIGHT)
    dialog = QDialog(window)
    button = QPushButton("End", dialog)
    button.setProperty("kind", "primary")
    dialog.resize(300, 200)
    dialog.show()
    assert {"#f5f6f8", load_theme(Scheme.LIGHT).text.name()} <= colours_in(dialog)
    look().choose(Scheme.DARK)
    left = colours_in(dialog) & (names_of(Scheme.LIGHT) - names_of(Scheme.DARK))
    assert left == set()


@pytest.mark.parametrize("scheme", THEMES)
def test_everything_has_the_letters_that_were_brought_along(
    open_window: OpenWindow, scheme: Scheme
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=scheme))
    window = open_window(settings=settings)
    menu = QMenu(window)
    menu.ensurePolished()
    letters = look().letters
    families = {each.font.family() for each in (letters.body, letters.mono)}
    shown = [each for each in window.findChildren(QWidget) if each.isVisible()]
    assert {each.font().family() for each in (menu, *shown)} <= families
    assert QToolTip.font().family() == letters.body.font.family()


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
