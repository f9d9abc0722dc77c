"""Records come back from JSON as they were, and nothing else comes back at all."""

import json
import time

import pytest

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.records import UnreadableError, from_text, text_of
from gpuexplorer.core.words import Message
from gpuexplorer.recording.schema import Machine, ProgramFacts
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology

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
