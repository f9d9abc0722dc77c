"""Writes a recording, or a stretch of it, in one of the forms that other programs read."""

from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from typing import BinaryIO

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.export.as_csv import csv_pieces
from gpuexplorer.recording.export.as_jsonl import jsonl_pieces
from gpuexplorer.recording.export.as_perfetto import perfetto_pieces
from gpuexplorer.recording.export.choosing import Choice, chosen
from gpuexplorer.recording.export.rounds import rounds
from gpuexplorer.recording.recording import Recording


class Form(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PERFETTO = "perfetto"


_PIECES = {Form.CSV: csv_pieces, Form.JSONL: jsonl_pieces, Form.PERFETTO: perfetto_pieces}


def pieces(
    choice: Choice, form: Form, stop: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """A file, whole when joined; for `write_whole`. Raises StoppedError once `stop` says so."""
    return _PIECES[form](choice, rounds(choice, stop))


def write_export(
    recording: Recording,
    form: Form,
    out: BinaryIO,
    *,
    start: float | None = None,
    end: float | None = None,
    metrics: Collection[MetricId] | None = None,
    cards: Collection[CardId] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """All of it, where nothing else is said; for any thread. Raises Trouble where nothing is
    left, OSError where the file takes no more, StoppedError once `stop` says so.
    """
    out.writelines(pieces(chosen(recording, start, end, metrics, cards), form, stop))
