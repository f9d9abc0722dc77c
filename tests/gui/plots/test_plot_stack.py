"""What stands written on plots, and what is said in words."""

from dataclasses import replace

import numpy as np

from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.plots.content import Flag, Limit
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
