"""TableLayout: columns, widths and order of the table, from one start to the next."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.gui.views.processes.arrangement import Grouping
from gpuexplorer.gui.views.processes.columns import COLUMNS, Column

KEY = "processes/table"
_NARROWEST, _WIDEST = 36, 2000
COMMAND_AT_LEAST = 200
_COMMAND_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class TableLayout:
    """`shown` is None until a person chose columns: then as many as fit are shown."""

    shown: frozenset[Column] | None = None
    order: tuple[Column, ...] = tuple(spec.column for spec in COLUMNS)
    widths: Mapping[Column, int] = field(default_factory=dict)
    sorted_by: Column = Column.MEMORY
    falling: bool = True
    grouping: Grouping = Grouping.LIST

    def as_text(self) -> str:
        return json.dumps(
            {
                "shown": None if self.shown is None else sorted(self.shown),
                "order": list(self.order),
                "widths": dict(self.widths),
                "sorted_by": self.sorted_by,
                "falling": self.falling,
                "grouping": self.grouping,
            }
        )


USUAL = TableLayout()


def width_of(layout: TableLayout, column: Column) -> int:
    usual = next(spec.width for spec in COLUMNS if spec.column is column)
    return layout.widths.get(column, usual)


def fitting(layout: TableLayout, room: int) -> frozenset[Column]:
    """What was chosen; else as many as fit beside a command that can be read."""
    if layout.shown is not None:
        return layout.shown | {Column.CARD, Column.COMMAND}
    shown = {spec.column for spec in COLUMNS}
    for spec in sorted(COLUMNS, key=lambda spec: spec.kept):
        taken = sum(width_of(layout, each) for each in shown if each is not Column.COMMAND)
        if taken + max(COMMAND_AT_LEAST, room * _COMMAND_SHARE) <= room:
            break
        if spec.kept:
            shown.discard(spec.column)
    return frozenset(shown)


def from_text(text: str | None) -> TableLayout:
    """What cannot be read, or is not there any more, stays as it usually is."""
    try:
        found = json.loads(text or "")
    except ValueError:
        return USUAL
    if not isinstance(found, dict):
        return USUAL
    layout = USUAL
    shown, order, widths = found.get("shown"), found.get("order"), found.get("widths")
    if isinstance(shown, list):
        layout = replace(layout, shown=frozenset(_columns(shown)))
    if isinstance(order, list):
        kept = tuple(dict.fromkeys(_columns(order)))
        layout = replace(layout, order=(*kept, *(c for c in USUAL.order if c not in kept)))
    if isinstance(widths, dict):
        known = {
            Column(name): min(max(width, _NARROWEST), _WIDEST)
            for name, width in widths.items()
            if name in _NAMES and isinstance(width, int)
        }
        layout = replace(layout, widths=known)
    by, grouping = found.get("sorted_by"), found.get("grouping")
    if isinstance(by, str) and by in _NAMES:
        layout = replace(layout, sorted_by=Column(by))
    if isinstance(found.get("falling"), bool):
        layout = replace(layout, falling=found["falling"])
    if isinstance(grouping, str) and grouping in set(Grouping):
        layout = replace(layout, grouping=Grouping(grouping))
    return layout


_NAMES = frozenset(Column)


def _columns(names: Sequence[object]) -> list[Column]:
    return [Column(name) for name in names if isinstance(name, str) and name in _NAMES]
