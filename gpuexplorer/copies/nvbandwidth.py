"""What NVIDIA's nvbandwidth said in its JSON, cell by cell, and the same copies of ours."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_TITLE = "nvbandwidth"
_NONE = "N/A"
_HINT = mark("It is written by: nvbandwidth -j > file.json")
# By what a test is called, since the arrows of its own description point either way. Where a
# card reads, the bytes go from the column to the row.
_WAYS: "Mapping[str, tuple[Kind, str]]" = {
    "host_to_device_memcpy": (Kind.ONE_WAY, "host to column"),
    "device_to_host_memcpy": (Kind.ONE_WAY, "column to host"),
    "host_to_device_bidirectional_memcpy": (Kind.BOTH_WAYS, "host to column"),
    "device_to_host_bidirectional_memcpy": (Kind.BOTH_WAYS, "column to host"),
    "device_to_device_memcpy_read": (Kind.ONE_WAY, "column to row"),
    "device_to_device_memcpy_write": (Kind.ONE_WAY, "row to column"),
    "device_to_device_bidirectional_memcpy_read": (Kind.BOTH_WAYS, "column to row"),
    "device_to_device_bidirectional_memcpy_write": (Kind.BOTH_WAYS, "row to column"),
    "device_local_copy": (Kind.ONE_WAY, "within column"),
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
    description: str = ""


@dataclass(frozen=True, slots=True)
class NvBandwidth:
    """One run. It counts cards as CUDA did where it ran."""

    version: str
    cuda: str
    driver: str
    cards: Sequence[str]
    cases: Sequence[Case]
    error: str = ""

    def case(self, name: str) -> Case | None:
        return next((each for each in self.cases if each.name == name), None)

    @property
    def comparable(self) -> Sequence[Case]:
        return [each for each in self.cases if each.kind is not None and each.cells]


@dataclass(frozen=True, slots=True)
class Beside:
    """One cell, theirs and ours. None: that side measured nothing there."""

    source: str
    target: str
    theirs: float | None
    ours: float | None

    @property
    def ratio(self) -> float | None:
        if self.ours is None or not self.theirs:
            return None
        return self.ours / self.theirs


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


def beside(case: Case, results: Iterable[CopyResult]) -> list[Beside]:
    """Ours of the same kind; of several sizes the largest, which is the nearest to theirs."""
    ours: dict[Pair, CopyResult] = {}
    for result in results:
        if kind_of(result.job) is not case.kind:
            continue
        pair = result.job.source, result.job.target
        if pair not in ours or ours[pair].job.bytes <= result.job.bytes:
            ours[pair] = result
    return [
        Beside(*pair, theirs, ours[pair].rate if pair in ours else None)
        for pair, theirs in case.cells.items()
    ]


def _case(told: Mapping[str, object]) -> Case:
    name = str(told["name"])
    plain = name.removesuffix("_ce").removesuffix("_sm")
    kind, way = _WAYS.get(plain, (None, ""))
    rows = told.get("bandwidth_matrix") or []
    if not isinstance(rows, list):
        raise TypeError
    matrix = [[_cell(cell) for cell in row or ()] for row in rows]
    status = str(told.get("error") or told.get("status", ""))
    description = str(told.get("bandwidth_description", ""))
    cells = dict(_cells(matrix, way)) if way else {}
    return Case(name, status, kind, cells, name.endswith("_sm"), description)


def _cells(
    matrix: Sequence[Sequence[float | None]], way: str
) -> Iterable[tuple[Pair, float | None]]:
    """Both directions at once come as three matrices, one below the other; the first counts."""
    for row, cells in enumerate(matrix):
        for column, rate in enumerate(cells):
            here, there = f"cuda:{row}", f"cuda:{column}"
            if row >= len(cells) or ("row" in way and row == column):
                continue
            match way:
                case "host to column":
                    yield (HOST, there), rate
                case "column to host":
                    yield (there, HOST), rate
                case "within column":
                    yield (there, there), rate
                case "row to column":
                    yield (here, there), rate
                case "column to row":
                    yield (there, here), rate


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
