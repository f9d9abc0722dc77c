"""What all stands on: the table of metrics, figures as people write them, records, words."""

import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.core import metrics
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.axes import spread
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, POWER_DRAW, MetricId, Unit, metrics_of
from gpuexplorer.core.records import UnreadableError, from_text, text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration, energy, measure, memory, plain, quantity, rate
from gpuexplorer.core.words import PSEUDO, Message, tr, trn, use_language
from gpuexplorer.recording.schema import Machine, ProgramFacts
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology
from words import Found, found

# Scripts are written against these.
PROMISED = """
gpu_utilization memory_utilization encoder_utilization decoder_utilization jpeg_utilization
ofa_utilization memory_used memory_free memory_reserved memory_total bar1_used bar1_total
temperature memory_temperature power_draw power_limit energy clock_graphics clock_sm
clock_memory clock_video performance_state pcie_generation pcie_generation_max pcie_width
pcie_width_max pcie_receive pcie_transmit nvlink_receive nvlink_transmit pcie_replays fan_speed
ecc_corrected ecc_uncorrected throttle_gpu_idle throttle_sw_power_cap throttle_hw_slowdown
throttle_sync_boost throttle_sw_thermal_slowdown throttle_hw_thermal_slowdown
throttle_hw_power_brake_slowdown nvlink_17_receive fan_1_rpm
"""


def test_the_promised_ids_are_there_and_every_row_can_be_explained() -> None:
    assert set(PROMISED.split()) <= set(METRICS)
    for metric in METRICS.values():
        assert metric.label[0].isupper(), metric.id
        assert metric.meaning[0].isupper(), metric.id
        assert metric.meaning.endswith("."), metric.id
        assert metric.lowest < metric.highest, metric.id
    assert all(" " in absence.sentence for absence in Absence)
    assert all(state.sentence for state in CardState)


def test_every_metric_that_the_program_names_is_in_the_table() -> None:
    """The checker of types takes any name for one."""
    named = re.compile(r"^from gpuexplorer.core import metrics as (\w+)$", re.MULTILINE)
    for path in Path(metrics.__file__).parents[1].rglob("*.py"):
        text = path.read_text("utf-8")
        for called in named.findall(text):
            for name in re.findall(rf"\b{called}\.([A-Z]\w*)", text):
                assert hasattr(metrics, name), path


def test_only_parts_that_a_card_has_are_asked_for_and_the_host_for_its_own() -> None:
    bare = Card(CardId("a"), 0, "a", 1)
    rich = Card(CardId("b"), 0, "b", 1, fans=2, nvlinks=18)
    assert not any(METRICS[metric].part for metric in metrics_of(bare))
    parts = {METRICS[metric].part for metric in metrics_of(rich)} - {None}
    assert parts == {("fan", 0), ("fan", 1), *(("nvlink", n) for n in range(18))}
    assert metrics_of(Card(CardId("HOST"), 0, "cpu", 1, kind=CardKind.HOST)) == {
        *("cpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("swap_used", "swap_total"),
    }


def test_what_is_impossible_is_told_apart_from_what_is_extreme() -> None:
    power, beyond = METRICS[POWER_DRAW], 0xFFFFFFFF / 1000
    assert [power.plausible(each) for each in (700, beyond, float("nan"))] == [
        True,
        False,
        False,
    ]


def of(metric: str) -> Callable[[float], object]:
    return partial(quantity, METRICS[MetricId(metric)])


@pytest.mark.parametrize(
    ("told", "value", "text"),
    [
        (of("gpu_utilization"), 0.97, "97 %"),
        (of("temperature"), 61.0, "61 °C"),
        (of("power_draw"), 279.4, "279 W"),
        (of("clock_sm"), 1.71e9, "1710 MHz"),
        (of("performance_state"), 8, "P8"),
        (of("pcie_width"), 16, "x16"),
        (of("throttle_sw_power_cap"), 1, "yes"),
        (memory, 0, "0 B"),
        (memory, 1536, "1.50 KiB"),
        (memory, 143_771 * 2**20, "140 GiB"),
        (rate, 31_507_692_307, "31.5 GB/s"),
        (duration, 0, "0 s"),
        (duration, 0.00538, "5.38 ms"),
        (duration, 90, "90.0 s"),
        (duration, 600, "10.0 min"),
        (duration, 90_000, "25.0 h"),
        (energy, 7_200_000, "2.00 kWh"),
        (plain, 1 / 3, "0.3333"),
        (plain, -0.00001, "0"),
        (plain, 1024.0, "1024"),
    ],
)
def test_a_value_in_words(told: Callable[[float], object], value: float, text: str) -> None:
    assert str(told(value)) == text


@pytest.mark.parametrize(
    ("unit", "most", "shown", "name"),
    [
        (Unit.RATIO, 1.0, 100.0, "%"),
        (Unit.BYTES, 24 * 2.0**30, 24.0, "GiB"),
        (Unit.HERTZ, 2.1e9, 2100.0, "MHz"),
        (Unit.JOULES, 7.2e6, 2.0, "kWh"),
        (Unit.SECONDS, 0.25, 250.0, "ms"),
        (Unit.COUNT, 7.0, 7.0, ""),
    ],
)
def test_the_largest_chooses_the_unit(unit: Unit, most: float, shown: float, name: str) -> None:
    gauge = measure(unit, most)
    assert gauge.name == name
    assert gauge.shown(most) == pytest.approx(shown)
    assert gauge.value(gauge.shown(most)) == pytest.approx(most)


@given(st.lists(st.floats(-50, 250), max_size=12))
def test_labels_never_overlap_stay_inside_and_keep_their_order(wanted: list[float]) -> None:
    places = spread(wanted, 10, 0, 200)
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    assert [places[label] for label in order] == sorted(places)
    assert all(-1e-6 <= place <= 200 + 1e-6 for place in places)
    for one, next_one in zip(sorted(places), sorted(places)[1:], strict=False):
        assert next_one - one >= 10 - 1e-6


A, B = CardId("GPU-a"), CardId("GPU-b")
CARD = Card(A, 0, "H100", 80 << 30, compute_capability=(9, 0), cuda_reason=Message("hidden"))
LINK = Link(
    A, B, PathKind.NVLINK, 18, 4, peer_to_peer=True, rate=450e9, rate_reason=Message("18 links")
)
TOPOLOGY = Topology((A, B), (LINK,), {A: 0, B: 1}, {A: "0-31"}, {0: 1 << 40, 1: 1 << 39})
MACHINE = Machine(
    "box", Source("nvml", Message("{x:.1f}", x=1.0), facts={"a": "b"}), 1.0, CARD, ()
)
FACTS = ProgramFacts(
    A, 77, ProcessUse.COMPUTE, resolved=True, user="ada", ancestors=((5, "torchrun"),)
)


@pytest.mark.parametrize("record", [CARD, LINK, TOPOLOGY, MACHINE, FACTS])
def test_a_record_comes_back_as_it_was(record: object) -> None:
    assert from_text(type(record), text_of(record)) == record


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "7", "{}", "[" * 100_000, '{"id": 7}', '{"nobody": 1}'),
        json.dumps({"id": "x", "index": "0", "name": "x", "memory_bytes": None}),
        json.dumps({"id": "x", "index": 0, "name": "x", "memory_bytes": [1]}),
        json.dumps({"id": "x", "index": 0, "name": "x", "memory_bytes": 1, "kind": "toaster"}),
    ],
)
def test_what_is_no_card_is_refused_as_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        from_text(Card, text)


def _message(template: str, many: str = "", **values: object) -> str:
    return json.dumps({"template": template, "many": many, "values": values})


def _laughs() -> str:
    """Each ten times the one before."""
    value: object = "ha" * 100
    for _ in range(12):
        value = {"template": "{x}" * 10, "many": "", "values": {"x": value}}
    return json.dumps(value)


@pytest.mark.parametrize(
    "text",
    [
        _message("{x:>999999999}", x="a"),
        _message("{x:.999999999f}", x=1.0),
        _message("{x:{y}}", x="a", y=">999999999"),
        _message("{x.__class__}", x="a"),
        _message("{x[0]}", x="a"),
        _message("{0}"),
        _message("{x}"),
        _message("{count} a", "{count} b {x:>99999999}", count=1),
        _message("{count} a", "{count} b {missing}", count=1),
        _message("{x}" * 2000, x="y" * 10_000),
        _message("{"),
        _laughs(),
        json.dumps({"template": 7, "many": "", "values": {}}),
    ],
)
def test_a_hostile_template_is_refused_at_once(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(UnreadableError):
        from_text(Message, text)
    assert time.perf_counter() - began < 0.5


@pytest.fixture
def pseudo() -> Iterator[None]:
    use_language(PSEUDO)
    yield
    use_language("en")


@pytest.mark.parametrize(("count", "text"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_what_is_counted_has_a_plural(count: int, text: str) -> None:
    assert Message.counted("{count} card", "{count} cards", count) == text
    assert trn("{count} card", "{count} cards", count) == text


@pytest.mark.usefixtures("pseudo")
def test_whoever_shows_a_message_translates_it_and_what_is_in_it() -> None:
    way = Message("over {wire}", wire="PCIe")
    message = Message("{count} copy went {way}.", count=1, way=way)
    assert message == "1 copy went over PCIe."
    assert tr(message) == "⟦1 čópý wéñt ⟦óvéŕ PCIe~~~⟧.~~~~~~~~⟧"


def test_trouble_fills_its_values_into_sentence_and_hint() -> None:
    trouble = Trouble("{file} is no recording.", "Look into {file}.", file="a.gpux")
    assert str(trouble) == trouble.told == "a.gpux is no recording. Look into a.gpux."
    assert trouble.sentence.template == "{file} is no recording."
    assert Trouble(trouble.sentence).sentence is trouble.sentence


def test_every_template_gets_just_the_values_it_has_places_for() -> None:
    def fits(each: Found) -> bool:
        if each.values is None:
            return True
        if each.function in ("Option", "PrometheusError"):  # they have values of their own too
            return each.wanted <= each.values
        return each.function == "mark" or each.wanted - {"count"} == each.values - {"count"}

    wrong = [(each.place, each.templates) for each in found() if each.wanted and not fits(each)]
    assert wrong == []


@pytest.mark.parametrize(
    ("capability", "family"),
    [((7, 0), "Volta"), ((7, 5), "Turing"), ((12, 0), "Blackwell"), ((99, 0), ""), (None, "")],
)
def test_the_architecture_of_a_card_follows_from_its_capability(
    capability: tuple[int, int] | None, family: str
) -> None:
    card = Card(CardId("GPU-0"), 0, "", None, compute_capability=capability)
    assert card.architecture == family
