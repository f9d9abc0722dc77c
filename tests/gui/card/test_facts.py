"""What is said of a card wherever it is named: its state, its facts, whose its memory is, how
long it was slowed and what it used, and which metrics share a plot.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample, short_name
from gpuexplorer.core.metrics import (
    MEMORY_TOTAL,
    MEMORY_USED,
    METRICS,
    MIG_MODE,
    POWER_DRAW,
    MetricId,
    metrics_of,
    throttle,
)
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.card.fact_list import energy_fact, past_facts, slowed_fact, spoken_time
from gpuexplorer.gui.card.view import MemoryPicture, memory_picture
from gpuexplorer.gui.cards.card_face import CardFace, DeviceList
from gpuexplorer.gui.cards.figure import PLOTS, Fact, card_facts, grouped, offered, usual
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.stretches import EnergyUsed
from tests.clocks import ManualClock
from tests.gui.fakes import GIB, NVML, Answer, FakeBackend, card, instance, working


def reading(answer: Answer, of: Card) -> Reading:
    missing = {
        metric: answer.missing.get(metric, answer.otherwise)
        for metric in metrics_of(of)
        if metric not in answer.values
    }
    return Reading(of.id, 0.0, answer.values, missing, answer.state)


def facts(of: Card, answer: Answer) -> list[Fact]:
    told = card_facts(of, NVML, reading(answer, of), USUAL)
    return [fact for group in told.values() for fact in group]


def lines(of: Card, answer: Answer) -> set[str]:
    return {fact.line for fact in facts(of, answer)}


@pytest.mark.parametrize("of", [card(0, nvlinks=18, fans=3), instance(card(0), 1), card(1)])
def test_every_metric_of_a_card_says_what_it_means_and_its_field(of: Card) -> None:
    said = "\n".join(fact.hint for fact in facts(of, working()))
    for metric in map(METRICS.__getitem__, metrics_of(of)):
        assert metric.meaning in said
        assert not metric.smi or f"nvidia-smi: {metric.smi}" in said


@pytest.mark.parametrize("absence", list(Absence))
def test_a_missing_value_says_its_reason_and_no_number(absence: Absence) -> None:
    found = facts(card(0, memory_bytes=None), Answer(otherwise=absence))
    missing = [each for each in found if each.key in METRICS]
    assert all(not fact.value and fact.absent for fact in missing)
    # A sentence of its own begins with a capital.
    assert all(absence.sentence[1:] in fact.hint for fact in missing)


def test_who_the_card_is_stands_among_its_facts() -> None:
    of = card(3, bus_id="0000:17:00.0", compute_capability=(8, 6), cuda_index=1)
    assert {
        "Model: NVIDIA TITAN RTX",
        "Architecture: Ampere",
        "Compute capability: 8.6",
        "CUDA number: cuda:1",
        "Driver's number: 3",
        "PCI address: 0000:17:00.0",
        "UUID: GPU-3",
        "Driver: 590.48.01",
        "CUDA of the driver: 13.1",
    } <= lines(of, working())
    untold = card(0, id=CardId("NAMELESS-0"), cuda_index=None, cuda_reason="one at a time")
    said = {"Model: not reported", "UUID: not reported", "CUDA number: one at a time"}
    assert said <= lines(untold, working())


def test_a_lost_card_still_tells_its_size() -> None:
    lost = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    said = {"Memory: 24.0 GiB", "Memory used: card lost"}
    assert said <= lines(card(0), lost)


def test_the_link_is_told_by_now_card_and_slot() -> None:
    said = {"Link now: 3.0 ×16", "The card could: ×16", "The slot could: not supported"}
    assert said <= lines(card(0), working())
    told = card_facts(card(0), NVML, reading(working(), card(0)), USUAL)["PCIe"]
    assert told[-1].line == "Runs at full speed: 3.0 ×16."


def test_a_plot_has_one_unit_and_every_metric_has_a_plot() -> None:
    for metric in METRICS.values():
        if metric.plotted:
            assert metric.plot in PLOTS
            units = {each.unit for each in METRICS.values() if each.plot == metric.plot}
            assert units == {metric.unit}


@pytest.mark.parametrize("of", [card(0, fans=8, nvlinks=18), instance(card(0), 0)])
def test_every_plotted_metric_is_offered_once_and_by_a_name_of_its_own(of: Card) -> None:
    assert sorted(offered(of)) == sorted(e for e in metrics_of(of) if METRICS[e].plotted)
    for plot, metrics in grouped(offered(of)).items():
        names = [METRICS[metric].short for metric in metrics]
        assert len(set(names)) == len(names), plot


@pytest.mark.parametrize(
    ("of", "never", "last"),
    [
        (card(0, nvlinks=2), (), "NVLink"),
        (card(0, fans=1), (), "Fans"),
        (card(0, fans=0), (m.MEMORY_TEMPERATURE, m.CLOCK_VIDEO), "PCIe"),
        # One that tells nothing still has plots that say so.
        (card(0, fans=0), tuple(metrics_of(card(0))), "PCIe"),
        (card(0, memory_shared=True, fans=0), (), "Clocks"),
    ],
)
def test_the_usual_plots_are_those_a_card_has(
    of: Card, never: Sequence[MetricId], last: str
) -> None:
    missing = dict.fromkeys(never, Absence.NOT_SUPPORTED)
    plots = grouped(usual(of, Reading(of.id, 0.0, {}, missing)))
    titles = [*plots]
    assert titles[:5] == ["Utilisation", "Memory", "Power", "Temperature", "Clocks"]
    assert titles[-1] == last


@pytest.mark.usefixtures("qtbot")
def test_a_card_that_went_a_moment_ago_still_has_a_face() -> None:
    cards = [card(0), card(1)]
    backend = FakeBackend({each: Answer() for each in cards})
    machine = MachineState(remembering(session_on(backend)), Settings())
    listed = machine.cards()
    backend.listed = cards[:1]
    assert [machine.face(each).id for each in listed] == ["GPU-0", "GPU-1"]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA TITAN RTX", "TITAN RTX"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("Tesla T4", "T4"),
        ("NVIDIA", "NVIDIA"),
        ("", ""),
    ],
)
def test_the_model_is_what_is_left_of_a_name(name: str, short: str) -> None:
    assert short_name(name) == short


def test_a_row_of_the_list_of_devices_says_its_name_as_it_is(qtbot: QtBot) -> None:
    class Face:
        id, hint = CardId("GPU-1"), "H100 <img src='x'>\nbusy 50 %"

    devices = DeviceList()
    devices.show_faces([cast("CardFace", Face())])
    said = devices.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert said == "<qt>H100 &lt;img src=&#x27;x&#x27;&gt;<br>busy 50 %</qt>"


TRAIN, XORG = ("train.py", 15 * GIB), ("Xorg", 0.5 * GIB)


def sizes(**gib: float) -> Reading:
    values = {MetricId(f"memory_{name}"): size * GIB for name, size in gib.items()}
    return Reading(CardId("GPU-0"), 0.0, values)


def picture(
    programs: Sequence[tuple[str, float | None]] | None = None, **gib: float
) -> MemoryPicture:
    return memory_picture(card(0), sizes(**gib), programs, USUAL)


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
    known = sizes(total=24, **gib)
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
    known = sizes(total=40, used=12, free=28)
    values = {**known.values, MIG_MODE: 1.0}
    whole = Reading(known.card, 0.0, values, {}, known.state)
    assert "MIG is on" in memory_picture(card(0), whole, [], USUAL).sentence
    part = instance(card(0), 0)
    assert memory_picture(part, whole, [], USUAL).sentence == ""


def test_a_chip_without_memory_of_its_own_shows_the_computer_s() -> None:
    values = {MEMORY_USED: 21 * GIB, MEMORY_TOTAL: 119 * GIB}
    host = Reading(HOST_ID, 0.0, values)
    chip = replace(card(0), memory_shared=True)
    drawn = memory_picture(chip, sizes(), None, USUAL, host)
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


CARD = CardId("GPU-0")
HOT, CAPPED = throttle("hw_thermal_slowdown"), throttle("sw_power_cap")


@pytest.mark.parametrize(
    ("seconds", "hot", "said"),
    [
        (0, 0, "nothing recorded in it"),
        (100, 15, "15 s of 1 min 40 s read"),
        (100, 0, "0 s of 1 min 40 s read"),
        (300, 0, "never"),
    ],
)
def test_the_time_it_was_slowed_is_told_of_what_was_recorded(
    seconds: int, hot: int, said: str
) -> None:
    past = History(1.0)
    for at in range(seconds):
        past.append(Sample(CARD, float(at), {HOT: float(at < hot), CAPPED: 0.0}))
    fact = slowed_fact(past, CARD, 0.0, 300.0)
    assert fact.line == f"Throttled in 5 min: {said}"
    assert (fact.tone is Tone.WARN) is ("Much too hot: 15 s" in fact.hint) is bool(hot)


def test_energy_carries_the_time_it_covers() -> None:
    past = History(1.0)
    for second in range(7):
        past.append(Sample(CARD, float(second), {POWER_DRAW: 120.0}))
    clock = ManualClock(7.0)
    window = TimeWindow(clock)
    window.show_past(past, clock)
    window.choose_span(300.0)
    slowed, used, _ = past_facts(past, window, CARD)
    assert slowed.line == "Throttled in 5 min: nothing recorded in it"
    assert used.line == "Energy in 7 s: 840 J"


@pytest.mark.parametrize(
    ("counted", "how"), [(True, "as it counts it itself"), (False, "does not count energy")]
)
def test_energy_says_how_it_is_known(counted: bool, how: str) -> None:
    nothing = energy_fact("energy", "Energy", None)
    assert nothing.line == "Energy: nothing recorded in it"
    fact = energy_fact("energy", "Energy", EnergyUsed(7200.0, 0.0, 60.0, counted))
    assert fact.line == "Energy: 2.00 Wh"
    assert how in fact.hint


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.1 s"), (3.0, "3 s"), (75, "1 min 15 s"), (7200, "2 h")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert spoken_time(seconds) == words
