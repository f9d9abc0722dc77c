"""Damages recordings in every way that was thought of, and reads all there is of one."""

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.recorded_past import RecordedPast
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import LEVELS
from gpuexplorer.recording.told import Turn

_PAGE = 4096
_HOSTILE_TEXTS = (
    "",
    '=HYPERLINK("http://x","y")',
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\x1b]0;owned\x07\x1b[2J\r\n\x00",
    "\u202egpj.exe\u2066",
    "x" * 10_000,
    "{0.__class__.__mro__}{x!r:>99999999}",
    "💥\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
)
_HOSTILE_JSON = (
    "[" * 100_000,
    "[" * 500 + "]" * 500,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "null",
    "[]",
    "{}",
    "1e999",
    "NaN",
    "-1",
    "1" * 10_000,
    "[NaN]",
    '"text"',
    "not json",
    '[null, 1, "a", {}]',
    '{"template": "{a.__class__}", "many": "", "values": {"a": 1}}',
    '{"template": "{a:>999999999}", "many": "", "values": {"a": 1}}',
    '{"template": "{count}", "many": "{count}", "values": {"count": "x"}}',
    '{"template": "{b}", "many": "", "values": {}}',
)
_HOSTILE_NUMBERS = (
    0, -1, 1, 2**63 - 1, -(2**63), 1e308, -1e308, 1e-308, float("inf"), float("-inf"), None,
    2**31, 3.5e10, 1.79e9,
)  # fmt: skip


def flip(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 3, 30, 300))):
        place = random.randrange(len(data))
        data[place] ^= 1 << random.randrange(8)


def flip_first_page(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 5))):
        place = random.randrange(min(_PAGE, len(data)))
        data[place] = random.randrange(256)


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


def insert_bytes(data: bytearray, random: Random) -> None:
    place = random.randrange(len(data))
    data[place:place] = random.randbytes(random.choice((1, 100, _PAGE)))


BYTES: Sequence[Callable[[bytearray, Random], None]] = (
    flip, flip_first_page, truncate, swap_pages, blank_pages, insert_bytes,
)  # fmt: skip


def write_hostile_values(path: Path, random: Random) -> None:
    """A sound database that says what no recorder would."""
    with closing(sqlite3.connect(path)) as database:
        tables = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        for _ in range(random.choice((1, 3, 10))):
            table = random.choice(tables)
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            column = random.choice(columns)
            value = random.choice(
                (
                    random.choice(_HOSTILE_TEXTS),
                    random.choice(_HOSTILE_JSON),
                    random.choice(_HOSTILE_NUMBERS),
                    random.randbytes(random.choice((0, 8, 1000))),
                    zlib.compress(bytes(100_000_000)) if random.random() < 0.05 else b"bomb",
                )
            )
            some = random.choice(("", " WHERE random() % 3 = 0", " WHERE rowid = 1"))
            if table == "fact":
                some = ""
            try:
                database.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{some}", (value,))
            except sqlite3.Error:
                continue
        if random.random() < 0.5:
            _repeat_rows(database, random.choice(tables))
        if random.random() < 0.5:
            _spoil_json(database, random)
        database.commit()


def _repeat_rows(database: sqlite3.Connection, table: str) -> None:
    """The same told again and again."""
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")][1:]
    if columns and table != "fact":
        names = ", ".join(columns)
        for _ in range(4):
            database.execute(
                f"INSERT INTO {table} ({names}) SELECT {names} FROM {table} LIMIT 5000"
            )


def _spoil_json(database: sqlite3.Connection, random: Random) -> None:
    """One value inside what was told is another."""
    table, column = random.choice((
        ("turn", "value"), ("run", "machine"), ("run", "writer"), ("subject", "facts"),
        ("happening", "sentence"), ("layout", "metrics"), ("fact", "value"),
    ))  # fmt: skip
    key = "name" if table == "fact" else "id"
    for number, text in database.execute(f"SELECT {key}, {column} FROM {table}").fetchall():
        try:
            told = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            continue
        spoilt = json.dumps(_spoilt(told, random))
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (spoilt, number))


def _spoilt(value: object, random: Random) -> object:
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(list(value))
        return {**value, name: _spoilt(value[name], random)}
    if isinstance(value, list) and value and random.random() < 0.9:
        place = random.randrange(len(value))
        return [*value[:place], _spoilt(value[place], random), *value[place + 1 :]]
    return random.choice((*_HOSTILE_TEXTS, None, 1e300, -5, [], {}, True, [[1]], 2**70))


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
            for name in (
                recording.run(at).machine.source.label,
                *recording.run(at).machine.notes,
            ):
                tr(name)
            for card in [*recording.cards(at)[:20], recording.run(at).machine.host]:
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
                recording.buckets(card_id, metric, began, ended, LEVELS[0])
                for columns in (1, 20, 1500):
                    trace = past.trace(card_id, metric, began, ended, columns)
                    assert len(trace) <= columns
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
    are a whole recording, and one whose log lies beside it.
    """
    path, log = work / "damaged.gpurec", work / "damaged.gpurec-wal"
    for seed in seeds:
        random = Random(seed)
        for old in work.glob("damaged.gpurec*"):
            old.unlink()
        name = random.choice(("whole", "killed"))
        data = {path: bytearray((folder / f"{name}.gpurec").read_bytes())}
        if name == "killed":
            data[log] = bytearray((folder / f"{name}.gpurec-wal").read_bytes())
        spoil = random.choice((*BYTES, None, None, None))
        if spoil is not None:
            spoil(random.choice(list(data.values())), random)
        for file, content in data.items():
            file.write_bytes(content)
        if spoil is None:
            write_hostile_values(path, random)
        began = time.monotonic()
        told = read_everything(path)
        yield seed, time.monotonic() - began, told
