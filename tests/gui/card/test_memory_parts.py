"""What is said of a card's memory, and that nothing is made up to fill the bar."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import MEMORY_TOTAL, MEMORY_USED, MIG_MODE, MetricId
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.cards.figure import MemoryPicture, memory_picture
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import GIB, card, instance

TRAIN, XORG = ("train.py", 15 * GIB), ("Xorg", 0.5 * GIB)


def reading(**gib: float) -> Reading:
    values = {MetricId(f"memory_{name}"): size * GIB for name, size in gib.items()}
    return Reading(CardId("GPU-0"), 0.0, values)


def picture(
    programs: Sequence[tuple[str, float | None]] | None = None,
    units: Units = USUAL,
    **gib: float,
) -> MemoryPicture:
    return memory_picture(card(0), reading(**gib), programs, units)


def test_the_parts_fill_the_bar_where_the_driver_s_figures_add_up() -> None:
    drawn = picture([TRAIN, XORG], total=24, used=19.5, reserved=0.5, free=4)
    assert sum(part.share for part in drawn.parts) == pytest.approx(1.0)
    assert drawn.spoken == (
        "19.5 of 24 GiB used. Programs 15.5 GiB, train.py, Xorg. "
        "Other used 4.00 GiB, by no named program. Reserved 0.50 GiB, by the driver. "
        "Free 4.00 GiB, for anyone."
    )


@pytest.mark.parametrize(
    ("programs", "gib", "said"),
    [
        (None, {"used": 10, "reserved": 0.5, "free": 9}, "Not explained 4.50 GiB, in no"),
        (None, {"used": 20}, "Used 20.0 GiB, by whom is not reported"),
        ([("a", None)], {"used": 20}, "by programs whose share is not reported"),
        ([], {"used": 20}, "no program is listed"),
        ([], {"used": 0, "free": 24}, "0 of 24 GiB used"),
        ([], {"used": 0.5}, "0.50 of 24 GiB used"),
    ],
)
def test_what_is_not_known_is_said_and_not_padded(
    programs: Sequence[tuple[str, float | None]] | None, gib: dict[str, float], said: str
) -> None:
    known = reading(total=24, **gib)
    assert said in memory_picture(card(0), known, programs, USUAL).spoken


def test_figures_that_add_up_to_more_than_there_is_are_said_to() -> None:
    drawn = picture(total=24, used=20, reserved=0.5, free=5)
    assert drawn.sentence == "The driver's figures add up to more than the card has."
    assert sum(part.share for part in drawn.parts) == pytest.approx(1.0)


def test_programs_that_use_more_than_is_used_are_not_told_apart() -> None:
    drawn = picture([TRAIN, ("eval.py", 9 * GIB)], total=24, used=19, free=5)
    used, _ = drawn.parts
    assert used.label == "Programs"
    assert str(used.amount) == "19.0 GiB"
    assert used.programs == ()


def test_the_largest_programs_are_named_and_the_rest_counted() -> None:
    programs = [(name, size * GIB) for name, size in zip("abcde", (1, 5, 3, 4, 2), strict=True)]
    drawn = picture(programs, total=24, used=15, free=9)
    assert drawn.parts[0].remark == "b, d, c and 2 more"
    assert [words[0] for _, words in drawn.parts[0].programs] == ["b", "d", "c", "e", "a"]


def test_a_card_that_is_cut_into_instances_says_that_they_share_it() -> None:
    known = reading(total=40, used=12, free=28)
    values = {**known.values, MIG_MODE: 1.0}
    whole = Reading(known.card, 0.0, values, {}, known.state)
    assert "MIG is on" in memory_picture(card(0), whole, [], USUAL).sentence
    part = instance(card(0), 0)
    assert memory_picture(part, whole, [], USUAL).sentence == ""


def test_a_chip_without_memory_of_its_own_shows_the_computer_s() -> None:
    values = {MEMORY_USED: 21 * GIB, MEMORY_TOTAL: 119 * GIB}
    host = Reading(HOST_ID, 0.0, values)
    chip = replace(card(0), memory_shared=True)
    drawn = memory_picture(chip, reading(), None, USUAL, host)
    assert drawn.spoken.startswith("21.0 of 119 GiB used")
    assert "The card uses the computer's memory and has none of its own." in drawn.spoken


@pytest.mark.parametrize(
    ("values", "missing", "said"),
    [
        ({}, {MEMORY_USED: Absence.NO_PERMISSION}, "this user may not read it."),
        ({MEMORY_USED: 2e9}, {MEMORY_TOTAL: Absence.NOT_TOLD}, "the exporter of this card"),
    ],
)
def test_a_reason_stands_where_the_figure_would(
    values: dict[MetricId, float], missing: dict[MetricId, Absence], said: str
) -> None:
    known = Reading(CardId("GPU-0"), 0.0, values, missing)
    drawn = memory_picture(replace(card(0), memory_bytes=None), known, None, USUAL)
    assert drawn.spoken.startswith(f"Memory: {said}")
