"""Records come back from JSON as they were, and nothing else comes back at all."""

import json
import time
from collections.abc import Iterator

import pytest

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.records import UnreadableError, from_text, text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import PSEUDO, Message, tr, trn, use_language
from gpuexplorer.recording.schema import Machine, ProgramFacts
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology
from words import Found, found

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


SILENT = "{card} does not answer for {seconds:.0f} s."


@pytest.fixture
def pseudo() -> Iterator[None]:
    use_language(PSEUDO)
    yield
    use_language("en")


def test_a_message_reads_as_english_and_keeps_its_values() -> None:
    message = Message(SILENT, card="Card 2", seconds=4.2)
    assert message == "Card 2 does not answer for 4 s."
    assert message.values["seconds"] == 4.2


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


def test_a_message_comes_through_a_pipe() -> None:
    message = Message.counted(
        "{count} copy of {what}", "{count} copies of {what}", 3, what=Message("{n} B", n=24)
    )
    again = Message.from_json(json.loads(json.dumps(message.as_json())))
    assert again == message == "3 copies of 24 B"
    assert again.values == message.values
    assert again.many == message.many


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
