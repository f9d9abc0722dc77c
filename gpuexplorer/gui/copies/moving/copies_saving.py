"""CopiesSaving: the rows that are shown, as a table or as data: into a file, or copied.

SI units, and whether they are modelled. What was not told is blank, and `missing` says why.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.harmless import harmless
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel
from gpuexplorer.gui.copies.moving.moved import Moved
from gpuexplorer.gui.copies.results_saving import TablesSaving
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.saving import CSV, JSON

SIMULATED_LINE = mark("SIMULATED: these cards do not exist, their times are modelled")
Value = str | int | float | bool | None


class CopiesSaving(TablesSaving):
    def __init__(
        self,
        machine: MachineState,
        panel: CopiesPanel,
        best: Callable[[CopyRow], float | None],
        parent: QWidget,
    ) -> None:
        """`best` is the highest rate that was reached on a copy's way."""
        super().__init__(machine, "copies", tr("Export copies"), parent)
        self._panel, self._best = panel, best

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(_COLUMNS), lineterminator="\n")
        writer.writeheader()
        for each in self._facts():
            writer.writerow({name: _field(value) for name, value in each.items()})
        return out.getvalue()

    def json(self) -> str:
        rows = self._facts()
        told = {
            "schema": 2,
            "simulated": self.simulated,
            "modelled": any(each["modelled"] for each in rows),
            "copies": rows,
        }
        return json.dumps(told, indent=1, ensure_ascii=False) + "\n"

    def exports(self) -> list[tuple[str, Callable[[], None]]]:
        return [
            (tr("Save as CSV…"), partial(self.ask_as, CSV)),
            (tr("Save as JSON…"), partial(self.ask_as, JSON)),
            (tr("Copy as a table"), self.copy_table),
        ]

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None]]]:
        return (
            (tr("Export copies as CSV…"), "", partial(self.ask_as, CSV)),
            (tr("Export copies as JSON…"), "", partial(self.ask_as, JSON)),
        )

    def _facts(self) -> list[dict[str, Value]]:
        facts = []
        for each in self._panel.rows:
            told: dict[str, Value] = {name: value(each) for name, value in _COLUMNS.items()}
            told["best_gbs"] = _gigabytes(self._best(each.row))
            told["simulated"] = self.simulated
            facts.append(told)
        return facts


def _missing(moved: Moved) -> list[str]:
    row, missing = moved.row, []
    if row.no_rate is not None:
        missing.append(f"rate: {row.no_rate.words}")
    elif row.limit is None:
        reason = "" if row.route is None else row.route.limit_reason
        missing.append(f"limit: {reason or 'the way is not known'}")
    if not row.line:
        missing.append("line: a thread of PyTorch's own copied")
    if row.intact is None:
        missing.append("intact: not compared")
    return missing


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _gigabytes(value: float | None) -> float | None:
    return None if value is None else _rounded(value / 1e9)


def _field(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return harmless(value) if isinstance(value, str) else str(value)


_COLUMNS: Mapping[str, Callable[[Moved], Value]] = {
    "cell": lambda moved: moved.row.cell,
    "line": lambda moved: moved.row.line or None,
    "code": lambda moved: moved.row.code,
    "what": lambda moved: moved.what,
    "within": lambda moved: moved.row.within,
    "thread": lambda moved: moved.row.thread,
    "how": lambda moved: moved.row.how,
    "asked": lambda moved: moved.row.asked,
    "source": lambda moved: moved.row.source,
    "target": lambda moved: moved.row.target,
    "bytes": lambda moved: moved.row.bytes,
    "copies": lambda moved: moved.row.copies,
    "device_s": lambda moved: moved.row.device_seconds,
    "host_s": lambda moved: moved.row.host_seconds,
    "rate_gbs": lambda moved: _gigabytes(moved.row.rate),
    "limit_gbs": lambda moved: _gigabytes(moved.row.limit),
    "share_of_limit": lambda moved: _rounded(moved.row.share),
    "best_gbs": lambda _moved: None,  # of all its way
    "pinned": lambda moved: moved.row.pinned,
    "blocking": lambda moved: moved.row.blocking,
    "direct": lambda moved: moved.row.direct,
    "path": lambda moved: moved.row.path,
    "intact": lambda moved: moved.row.intact,
    "modelled": lambda moved: moved.row.modelled,
    "simulated": lambda _moved: None,  # of the session
    "missing": lambda moved: "; ".join(_missing(moved)),
}
