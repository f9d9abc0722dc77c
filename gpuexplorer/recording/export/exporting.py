"""A recording, or a stretch of it, in one of the forms that other programs read."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice

from gpuexplorer.recording.export.as_csv import csv_lines
from gpuexplorer.recording.export.as_jsonl import jsonl_lines
from gpuexplorer.recording.export.as_perfetto import perfetto_lines
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.export.rounds import rounds

_AT_ONCE = 200


class Form(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PERFETTO = "perfetto"


_LINES = {Form.CSV: csv_lines, Form.JSONL: jsonl_lines, Form.PERFETTO: perfetto_lines}


def pieces(
    choice: Choice, form: Form, stop: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """A file, whole when joined; for any thread. Raises StoppedError once `stop` says so."""
    lines = _LINES[form](choice, rounds(choice, stop))
    while some := "".join(islice(lines, _AT_ONCE)):
        yield some.encode("utf-8", "replace")
