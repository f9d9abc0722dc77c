"""An anonymous recording holds no name, wherever one may have stood."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.schema import Machine, ProgramFacts, Record, Topic
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Cards, Users
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology

# Whatever must not be in the file has this in it.
SECRET = "secret"
ONE, TWO = CardId(f"GPU-{SECRET}-1"), CardId(f"GPU-{SECRET}-2")
PART = CardId(f"MIG-{SECRET}-3")
CARDS = (
    Card(ONE, 0, "H100", 1),
    Card(PART, 0, "H100 MIG 1g.10gb", 1, kind=CardKind.MIG, parent=ONE),
    Card(TWO, 1, "H100", 1),
)
MACHINE = Machine(
    f"box-{SECRET}",
    Source("nvml", Message("driver")),
    1.0,
    Card(HOST_ID, 0, "cpu", 1, kind=CardKind.HOST),
    (Message("{who} may not", who=SECRET),),
)
PROCESS = NamedProcess(
    CardProcess(PART, 77, ProcessUse.COMPUTE),
    resolved=True,
    user=SECRET,
    command=f"python {SECRET}.py",
    container=SECRET,
    ancestors=(Ancestor(5, SECRET),),
)
HAPPENINGS = (
    Happening(
        *(1000.0, 0.0, Kind.PROCESS_APPEARED, TWO),
        *(Message("{program} ({pid}) uses the card", program=SECRET, pid=77), "77"),
    ),
    Happening(1000.0, 0.0, Kind.CARD_LOST, ONE, Message("The card is lost")),
)


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def tell_everything(recorder: Recorder, clock: ManualClock) -> None:
    recorder.put(Cards(CARDS, MACHINE.source))
    recorder.put(
        Topology((ONE, TWO), (Link(ONE, TWO, PathKind.SWITCH),), {ONE: 0}, {TWO: "0-3"})
    )
    for card in (*CARDS, MACHINE.host):
        recorder.put(Sample(card.id, clock.now(), {MetricId("memory_used"): 1.0}))
    recorder.put(Users(PART, [PROCESS]))
    for happening in HAPPENINGS:
        recorder.put(happening)
    recorder.put_said(Topic.CELL, SECRET)


def recorded(path: Path, *, anonymous: bool) -> str:
    clock = ManualClock()
    recorder = Recorder(path, MACHINE, clock, anonymous=anonymous)
    tell_everything(recorder, clock)
    recorder.stop()
    assert recorder.trouble is None
    return dump(path)


def test_nothing_that_names_anybody_stands_in_it(tmp_path: Path) -> None:
    assert recorded(tmp_path / "named.gpurec", anonymous=False).count(SECRET) > 20
    path = tmp_path / "it.gpurec"
    assert SECRET not in recorded(path, anonymous=True)
    assert SECRET.encode() not in path.read_bytes()


def test_cards_keep_one_other_id_each_everywhere(tmp_path: Path) -> None:
    text = recorded(tmp_path / "it.gpurec", anonymous=True)
    with closing(sqlite3.connect(tmp_path / "it.gpurec")) as database:
        told = database.execute("SELECT kind, json FROM fact ORDER BY id").fetchall()

    def those(kind: Record) -> list[str]:
        return [text for its, text in told if its == kind]

    owners = [json.loads(each)["owner"] for each in those(Record.STRIP)]
    [facts] = those(Record.PROCESS)
    happened: list[Happening] = [from_text(Happening, each) for each in those(Record.HAPPENING)]
    one, part, two = "GPU-anonymous-0", "MIG-anonymous-1", "GPU-anonymous-2"
    assert owners[:4] == [one, part, two, HOST_ID]
    assert owners[4].isdecimal()
    assert f'"parent":"{one}"' in text
    assert f'"a":"{one}","b":"{two}"' in text
    assert happened[1].card == one
    assert (happened[0].card, happened[0].sentence) == (two, "Process 77 uses the card")
    program: ProgramFacts = from_text(ProgramFacts, facts)
    assert (program.card, program.pid, program.command, program.user) == (part, 77, None, None)
