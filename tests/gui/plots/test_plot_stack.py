"""What stands written on plots, and what is said in words."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.plots.content import Band, Flag, Limit
from gpuexplorer.gui.theme.palette import Tone
from tests.gui.plots.made import (
    NOTHING,
    NOW,
    MakeStack,
    line,
    places,
    plot,
    power,
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
    assert words[at : at + 5] == ["GPU", "80", "20", "50", "80"]


def test_a_plot_of_cards_says_their_numbers_and_figures(open_stack: MakeStack) -> None:
    cards = [line("", n / 10, chip=str(n), colour=n, dash=n) for n in range(8)]
    stack = open_stack([plot(*cards)], size=(1050, 180))
    words = written(stack)
    assert "now" in words
    assert "min" not in words
    assert {str(n) for n in range(8)} <= set(words)
    assert {"0", "10", "70"} <= set(words)
    assert "card 7: 70 %" in stack.accessibleDescription()


def test_labels_that_would_touch_do_not_overlap(open_stack: MakeStack) -> None:
    cards = [line("", 0.5, chip=f"c{n}", colour=n) for n in range(8)]
    stack = open_stack([plot(*cards)], size=(1050, 200))
    heights = sorted(y for n in range(8) for _, y in places(stack, f"c{n}"))
    assert len(heights) == 8
    assert all(after - before >= 13 for before, after in itertools.pairwise(heights))


def test_more_lines_than_fit_are_counted(open_stack: MakeStack) -> None:
    many = [line(f"link {n}", 0.5) for n in range(18)]
    stack = open_stack([plot(*many)], size=(900, 180))
    rest = next(words for words in written(stack) if words.startswith("and "))
    shown = sum(words.startswith("link ") for words in written(stack))
    assert rest == f"and {18 - shown} more"
    assert 3 < shown < 18


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


def test_zero_looks_different_from_missing(open_stack: MakeStack) -> None:
    zero = open_stack([plot(line("GPU", 0.0))])
    assert "0" in written(zero)
    missing = open_stack([plot(line("GPU", NOTHING, reason="not reported"))])
    assert "0" not in written(missing)
    assert zero.grab().toImage() != missing.grab().toImage()


def test_a_lost_card_keeps_its_past_and_says_when_it_was_lost(open_stack: MakeStack) -> None:
    past = trace([0.7] * 150, end=NOW - 150)
    lost = line("GPU", past, reason="lost at 14:05:02")
    stack = open_stack([plot(lost, line("memory ctrl", past, reason="lost at 14:05:02"))])
    words = written(stack)
    assert words.count("lost at 14:05:02") == 1
    at = words.index("GPU")
    assert words[at : at + 5] == ["GPU", "–", "70", "70", "70"]


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


@pytest.mark.parametrize("later", [0.0, 0.3, 0.7, 1.1])
def test_a_band_ends_where_the_area_beside_it_begins(
    open_stack: MakeStack, later: float
) -> None:
    band = Band(NOW - 100 + later, NOW - 40 + later, "power limit")
    stack = open_stack([plot(line("GPU", 0.5), bands=(band,))])
    seen = stack.grab().toImage()
    floor = round(stack.layout_now().area.bottom()) - 20
    area = stack.layout_now().area.toRect()
    row = [seen.pixel(x, floor) for x in range(area.left(), area.right())]
    changes = [one for one, following in itertools.pairwise(row) if one != following]
    assert len(changes) == 2
    assert len({*row}) == 2


def test_every_label_explains_its_metric(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([plot(line("GPU", 0.5))])
    qtbot.waitUntil(lambda: any("utilization.gpu" in hint for hint in stack.hints()))


def test_the_crosshair_tells_the_values_of_that_moment_on_all_plots(
    open_stack: MakeStack,
) -> None:
    rising = trace(np.linspace(0.0, 1.0, 301).tolist())
    stack = open_stack([plot(line("GPU", rising)), power()])
    stack.time_window.point_at(NOW - 150)
    said = stack.words_at_crosshair()
    assert "Utilisation GPU 50 %" in said
    assert "Power draw 200 W" in said
    before = stack.grab().toImage()
    stack.time_window.point_at(NOW - 50)
    assert "Utilisation GPU 83 %" in stack.words_at_crosshair()
    assert stack.grab().toImage() != before


def test_the_crosshair_says_that_a_gap_was_not_read(open_stack: MakeStack) -> None:
    parted = trace([0.5] * 100 + [np.nan] * 100 + [0.5] * 100)
    stack = open_stack([plot(line("GPU", parted))])
    stack.time_window.point_at(NOW - 150)
    assert "Utilisation GPU not read" in stack.words_at_crosshair()


def lab_line(number: int, ago: float, colour: int | None = 0) -> Flag:
    return Flag(NOW - ago, f"Cell {number} of the lab: X{number}", Tone.QUIET, colour, number)


def test_lines_that_would_touch_become_one_and_each_is_told_when_asked(
    open_stack: MakeStack,
) -> None:
    flags = [lab_line(number, 100 - number) for number in range(3, 8)]
    stack = open_stack([plot(line())])
    stack.show_contents([plot(line())], flags)
    stack.grab()
    assert "3–7" in written(stack)
    assert "Cell 3 of the lab: X3" not in written(stack)
    (together,) = {hint for hint in stack.hints() if hint.count("\n") == 4}
    assert together.splitlines()[0] == "Cell 3 of the lab: X3"
    assert together.splitlines()[-1] == "Cell 7 of the lab: X7"
    # Pointing at the pole of one tells that one.
    assert "Cell 5 of the lab: X5" in stack.hints()


def test_of_very_many_the_first_are_told_and_how_many_more(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    stack.show_contents([plot(line())], [lab_line(n, 100 - n / 1000) for n in range(1, 1001)])
    stack.grab()
    assert "1–1000" in written(stack)
    assert any(hint.endswith("\nand 994 more") for hint in stack.hints())
    assert len(stack.hints()) < 20


def test_a_line_of_two_cards_has_the_colours_of_both(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    stack.show_contents([plot(line())], [lab_line(1, 100, 0), lab_line(1, 100, 1)])
    theme = stack.look.theme
    seen = stack.grab().toImage()
    colours = {
        seen.pixelColor(x, y).name() for x in range(seen.width()) for y in range(seen.height())
    }
    assert {theme.card(0).name(), theme.card(1).name()} <= colours


def test_a_pole_is_seen_where_a_card_was_slowed(open_stack: MakeStack) -> None:
    stack = open_stack([])
    band = Band(NOW - 200, NOW - 20, "power limit")
    stack.show_contents([plot(line(), bands=(band,))], [Flag(NOW - 100, "copy X")])
    seen, area = stack.grab().toImage(), stack.layout_now().area
    row, middle = round(area.center().y()) + 6, round(area.left() + area.width() * 2 / 3)
    lights = [seen.pixelColor(x, row).lightness() for x in range(middle - 9, middle + 9)]
    assert max(lights) - min(lights) >= 12
