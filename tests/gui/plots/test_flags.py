"""Moments marked below the plots: numbered ones that would touch become one."""

from typing import Any

import pytest

from gpuexplorer.gui.plots import flags as drawn_flags
from gpuexplorer.gui.plots.content import Band, Flag
from gpuexplorer.gui.theme.palette import Tone
from tests.gui.plots.made import NOW, MakeStack, line, plot, written


def lab_line(number: int, ago: float, colour: int | None = 0) -> Flag:
    return Flag(NOW - ago, f"Cell {number} of the lab: X{number}", Tone.QUIET, colour, number)


def test_a_line_by_itself_says_what_it_was(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    stack.show_contents([plot(line())], [lab_line(1, 250), lab_line(2, 60)])
    assert {"Cell 1 of the lab: X1", "Cell 2 of the lab: X2"} <= set(written(stack))


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


def test_what_else_took_place_keeps_a_flag_of_its_own(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    event = Flag(NOW - 200, "Its program ended.", Tone.QUIET, 1)
    stack.show_contents([plot(line())], [lab_line(1, 203), event, lab_line(2, 60)])
    stack.grab()
    assert "Its program ended." in written(stack)
    assert "Its program ended." in stack.hints()
    assert "Cell 1 of the lab: X1" in stack.hints()


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


def test_of_thousands_of_events_no_more_is_drawn_than_can_be_seen(
    open_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[float] = []
    draw = drawn_flags._draw_cloth

    def cloth(drawing: Any, left: float, *rest: Any) -> None:  # Any: as `draw` has them
        drawn.append(left)
        draw(drawing, left, *rest)

    monkeypatch.setattr(drawn_flags, "_draw_cloth", cloth)
    stack = open_stack([plot(line())])
    events = [Flag(NOW - number / 10, f"Event {number}") for number in range(2000)]
    stack.show_contents([plot(line())], events)
    stack.grab()
    assert 2 < len(set(drawn)) <= stack.layout_now().area.width() / 8
