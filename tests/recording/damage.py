"""Damages recordings in every way that was thought of, and reads all there is of one."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import Turn, sum_of

_PAGE = 4096
_HOSTILE_JSON = (
    "[" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "null",
    "[]",
    "1e999",
    "-1",
    "1" * 10_000,
    '"<script>alert(1)</script>"',
    "not json",
    '[null, 1, "a", {}]',
    '{"owner": "SIM-0", "rhythm": "fast", "names": ["x", "x", ""]}',
    '{"template": "{a.__class__}", "many": "", "values": {"a": 1}}',
    '{"template": "{a:>999999999}", "many": "", "values": {"a": 1}}',
)


def forge(path: Path, kind: str, text: str) -> None:
    """As one who knows how to make a checksum."""
    with closing(sqlite3.connect(path)) as database:
        for number, at, whose in database.execute(
            "SELECT id, at, whose FROM fact WHERE kind = ?", (kind,)
        ).fetchall():
            told = text, sum_of(at, str(kind), whose, text), number
            database.execute("UPDATE fact SET json = ?, sum = ? WHERE id = ?", told)
        database.commit()


def flip(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 3, 30, 300))):
        place = random.randrange(len(data))
        data[place] ^= 1 << random.randrange(8)


def truncate(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def swap_pages(data: bytearray, random: Random) -> None:
    pages = len(data) // _PAGE
    for _ in range(random.choice((1, 4))):
        a, b = random.randrange(pages) * _PAGE, random.randrange(pages) * _PAGE
        data[a : a + _PAGE], data[b : b + _PAGE] = data[b : b + _PAGE], data[a : a + _PAGE]


def blank_pages(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 8))):
        place = random.randrange(len(data) // _PAGE) * _PAGE
        fill = random.choice((bytes(_PAGE), b"\xff" * _PAGE, random.randbytes(_PAGE)))
        data[place : place + _PAGE] = fill


BYTES: Sequence[Callable[[bytearray, Random], None]] = flip, truncate, swap_pages, blank_pages


def read_everything(path: Path) -> str:
    """What a window and the commands would ask; what a person is told of it."""
    try:
        recording = open_recording(path)
    except Trouble as trouble:
        return trouble.told
    with closing(recording):
        began, ended = recording.began, recording.ended
        past = RecordedPast(recording)
        for at in (began, (began + ended) / 2, ended, ended + 1e9):
            recording.wall(at), recording.at(at), recording.topology(at)
            machine = recording.run(at).machine
            for name in (machine.source.label, *machine.notes):
                tr(name)
            for card in [*recording.cards(at)[:20], machine.host]:
                assert len(card.name) < 300
                assert card.name.isprintable()
                metrics = recording.metrics(card.id)
                sample = recording.sample(card.id, metrics, at)
                assert sample.values.keys() | sample.missing.keys() == set(metrics)
                for seen in recording.processes(card.id, at) or ():
                    tr(seen.facts.reason)
        for card_id in [*recording.with_readings()[:5], HOST_ID]:
            for metric in recording.metrics(card_id)[::9]:
                recording.readings(card_id, metric, began, ended)
                recording.strand(card_id, metric).sums(metric, began, ended, forgotten=True)
                for columns in (2, 20, 1500):
                    assert len(past.trace(card_id, metric, began, ended, columns)) <= columns
        for happening in recording.happenings():
            tr(happening.sentence)
        for kind in Turn:
            recording.turns(kind)
        for said in recording.said():
            assert said.text is not None
        return " ".join(tr(note) for note in recording.notes())


def damaged_in_a_row(
    folder: Path, work: Path, seeds: Iterable[int]
) -> Iterator[tuple[int, float, str]]:
    """Of each the seed, how many seconds reading took, and what was told of it. In the folder
    are a whole recording, one whose log lies beside it, and one of version 1.
    """
    path, log = work / "damaged.gpurec", work / "damaged.gpurec-wal"
    for seed in seeds:
        random = Random(seed)
        for old in work.glob("damaged.gpurec*"):
            old.unlink()
        name = random.choice(("whole", "killed", "old"))
        data = {path: bytearray((folder / f"{name}.gpurec").read_bytes())}
        if name == "killed":
            data[log] = bytearray((folder / f"{name}.gpurec-wal").read_bytes())
        spoil = random.choice((*BYTES, None))
        if spoil is not None:
            spoil(random.choice(list(data.values())), random)
        for file, content in data.items():
            file.write_bytes(content)
        if spoil is None and name != "old":
            with closing(sqlite3.connect(path)) as database:
                kinds = [kind for (kind,) in database.execute("SELECT DISTINCT kind FROM fact")]
            forge(path, random.choice(sorted(kinds)), random.choice(_HOSTILE_JSON))
        began = time.monotonic()
        told = read_everything(path)
        yield seed, time.monotonic() - began, told
