"""A recording, or a stretch of it, in one of the forms that other programs read."""

from collections.abc import Callable, Iterator
from enum import StrEnum

from gpuexplorer.recording.export.as_csv import csv_pieces
from gpuexplorer.recording.export.as_jsonl import jsonl_pieces
from gpuexplorer.recording.export.as_perfetto import perfetto_pieces
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.export.rounds import rounds


class Form(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PERFETTO = "perfetto"


_PIECES = {Form.CSV: csv_pieces, Form.JSONL: jsonl_pieces, Form.PERFETTO: perfetto_pieces}


def pieces(
    choice: Choice, form: Form, stop: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """A file, whole when joined; for any thread. Raises StoppedError once `stop` says so."""
    return _PIECES[form](choice, rounds(choice, stop))
