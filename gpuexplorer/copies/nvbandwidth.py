"""What NVIDIA's nvbandwidth said in its JSON, cell by cell, and the same copies of ours."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_TITLE = "nvbandwidth"
_NONE = "N/A"
_HINT = mark("It is written by: nvbandwidth -j > file.json")
_ROW, _COLUMN = "row", "column"
# By what a test is called, since the arrows of its own description point either way: from where
# to where the bytes go. Where a card reads, that is from the column to the row.
_WAYS: "Mapping[str, tuple[Kind, str, str]]" = {
    "host_to_device_memcpy": (Kind.ONE_WAY, HOST, _COLUMN),
    "device_to_host_memcpy": (Kind.ONE_WAY, _COLUMN, HOST),
    "host_to_device_bidirectional_memcpy": (Kind.BOTH_WAYS, HOST, _COLUMN),
    "device_to_host_bidirectional_memcpy": (Kind.BOTH_WAYS, _COLUMN, HOST),
    "device_to_device_memcpy_read": (Kind.ONE_WAY, _COLUMN, _ROW),
    "device_to_device_memcpy_write": (Kind.ONE_WAY, _ROW, _COLUMN),
    "device_to_device_bidirectional_memcpy_read": (Kind.BOTH_WAYS, _COLUMN, _ROW),
    "device_to_device_bidirectional_memcpy_write": (Kind.BOTH_WAYS, _ROW, _COLUMN),
    "device_local_copy": (Kind.ONE_WAY, _COLUMN, _COLUMN),
}

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """One of its tests. Cells are bytes per second; None where it measured nothing."""

    name: str
    status: str  # "Passed", "Waived", or what went wrong
    kind: Kind | None  # what we would call it; None: we measure no such thing
    cells: Mapping[Pair, float | None]
    by_kernel: bool  # copied by a kernel rather than by the copy engine


@dataclass(frozen=True, slots=True)
class NvBandwidth:
    """One run. It counts cards as CUDA did where it ran."""

    version: str
    cuda: str
    driver: str
    cards: Sequence[str]
    cases: Sequence[Case]
    error: str = ""

    @property
    def comparable(self) -> Sequence[Case]:
        return [each for each in self.cases if each.kind is not None and each.cells]


def read_nvbandwidth(text: str) -> NvBandwidth:
    """Raises Trouble for anything that nvbandwidth would not write."""
    # Older versions write a line of their own before it.
    begin = text.find("{")
    try:
        told = json.loads(text[begin:] if begin >= 0 else text)[_TITLE]
        cases = tuple(_case(each) for each in told.get("testcases") or ())
        cards = tuple(str(each) for each in told.get("GPU Device list") or ())
    except (
        ValueError,
        OverflowError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        raise Trouble("This is not what nvbandwidth writes.", _HINT) from None
    return NvBandwidth(
        str(told.get("version", "")),
        _cuda(told.get("CUDA Runtime Version")),
        str(told.get("Driver Version", "")),
        cards,
        cases,
        str(told.get("error", "")),
    )


def _case(told: Mapping[str, object]) -> Case:
    name = str(told["name"])
    plain = name.removesuffix("_ce").removesuffix("_sm")
    kind, source, target = _WAYS.get(plain, (None, "", ""))
    rows = told.get("bandwidth_matrix") or []
    if not isinstance(rows, list):
        raise TypeError
    matrix = [[_cell(cell) for cell in row or ()] for row in rows]
    status = str(told.get("error") or told.get("status", ""))
    cells = {} if kind is None else dict(_cells(matrix, source, target))
    return Case(name, status, kind, cells, name.endswith("_sm"))


def _cells(
    matrix: Sequence[Sequence[float | None]], source: str, target: str
) -> Iterable[tuple[Pair, float | None]]:
    """Both directions at once come as three matrices, one below the other; the first counts."""
    for row, cells in enumerate(matrix):
        for column, rate in enumerate(cells):
            itself = row == column and _ROW in (source, target)
            if row < len(cells) and not itself:
                names = {HOST: HOST, _ROW: f"cuda:{row}", _COLUMN: f"cuda:{column}"}
                yield (names[source], names[target]), rate


def _cell(cell: object) -> float | None:
    """Cells are strings, in GB/s."""
    if cell is None or cell == _NONE:
        return None
    if isinstance(cell, bool) or not isinstance(cell, (str, int, float)):
        raise TypeError
    rate = float(cell)
    return rate * 1e9 if 0 < rate < float("inf") else None


def _cuda(number: object) -> str:
    """12040 is 12.4."""
    if isinstance(number, int) and number >= 1000:
        return f"{number // 1000}.{number % 1000 // 10}"
    return "" if number is None else str(number)
