"""An anonymous recording holds no name, wherever one may have stood."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.schema import Machine, ProgramFacts, Record, Told, Topic
from gpuexplorer.telemetry.facts import Cards, Users
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology
from tests.clocks import ManualClock
from tests.recording.made import HOST, MACHINE

# Whatever must not be in the file has this in it.
SECRET = "secret"
ONE, TWO = CardId(f"GPU-{SECRET}-1"), CardId(f"GPU-{SECRET}-2")
PART, GONE = CardId(f"MIG-{SECRET}-3"), CardId(f"GPU-{SECRET}-4")
CARDS = (
    Card(ONE, 0, "H100", 1),
    Card(PART, 0, "H100 MIG 1g.10gb", 1, kind=CardKind.MIG, parent=ONE),
    Card(TWO, 1, "H100", 1),
)
NAMED = Machine(
    f"box-{SECRET}", MACHINE.source, 1.0, HOST, (Message("{who} may not", who=SECRET),)
)
PROCESS = NamedProcess(
    CardProcess(PART, 77, ProcessUse.COMPUTE),
    resolved=True,
    user=SECRET,
    command=f"python {SECRET}.py",
    container=SECRET,
    ancestors=(Ancestor(5, SECRET),),
)
APPEARED = Message("{program} ({pid}) uses the card", program=SECRET, pid=77)
TOLD: tuple[Told, ...] = (
    Cards(CARDS, MACHINE.source),
    Topology((ONE, TWO), (Link(ONE, TWO, PathKind.SWITCH),), {ONE: 0}, {TWO: "0-3"}),
    *(Sample(card.id, 0.0, {MetricId("memory_used"): 1.0}) for card in (*CARDS, HOST)),
    Users(PART, [PROCESS]),
    Happening(1000.0, 0.0, Kind.PROCESS_APPEARED, TWO, APPEARED, "77"),
    Happening(1000.0, 0.0, Kind.CARD_LOST, ONE, Message("The card is lost")),
    Happening(1000.0, 0.0, Kind.CARD_LOST, GONE, Message("The card is lost")),
    Cards([Card(PART, 0, "a part", 1, kind=CardKind.MIG, parent=GONE)], MACHINE.source),
)


def recorded(path: Path, *, anonymous: bool) -> str:
    recorder = Recorder(path, NAMED, ManualClock(), anonymous=anonymous)
    for each in TOLD:
        recorder.put(each)
    recorder.put_said(Topic.CELL, SECRET)
    recorder.stop()
    assert recorder.trouble is None
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def test_nothing_that_names_anybody_stands_in_it(tmp_path: Path) -> None:
    assert recorded(tmp_path / "named.gpurec", anonymous=False).count(SECRET) > 20
    path = tmp_path / "it.gpurec"
    assert SECRET not in recorded(path, anonymous=True)
    assert SECRET.encode() not in path.read_bytes()


def test_cards_keep_one_other_id_each_everywhere(tmp_path: Path) -> None:
    text = recorded(tmp_path / "it.gpurec", anonymous=True)
    with closing(sqlite3.connect(tmp_path / "it.gpurec")) as database:
        told = database.execute("SELECT kind, json FROM fact ORDER BY id").fetchall()
    strips, facts, events = (
        [text for its, text in told if its == kind]
        for kind in (Record.STRIP, Record.PROCESS, Record.HAPPENING)
    )
    owners = [json.loads(each)["owner"] for each in strips]
    happened: list[Happening] = [from_text(Happening, each) for each in events]
    one, part, two = "GPU-anonymous-0", "MIG-anonymous-1", "GPU-anonymous-2"
    assert owners[:4] == [one, part, two, HOST_ID]
    assert owners[4].isdecimal()
    assert f'"parent":"{one}"' in text
    assert f'"a":"{one}","b":"{two}"' in text
    assert happened[1].card == one
    assert (happened[0].card, happened[0].sentence) == (two, "Process 77 uses the card")
    program: ProgramFacts = from_text(ProgramFacts, facts[0])
    assert (program.card, program.pid, program.command, program.user) == (part, 77, None, None)
