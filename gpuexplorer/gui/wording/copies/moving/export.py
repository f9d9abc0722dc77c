"""The copies of the lab as a table and as data: SI units, and whether they are modelled."""

import csv
import io
import json
from collections.abc import Sequence

from gpuexplorer.core.spreadsheet import harmless
from gpuexplorer.core.words import mark
from gpuexplorer.gui.wording.copies.moving.moved import Moved

SIMULATED_LINE = mark("SIMULATED: these cards do not exist, their times are modelled")
Value = str | int | float | bool | None


def as_json(rows: Sequence[Moved], *, simulated: bool) -> str:
    """Whatever was not told is null, and `missing` says why."""
    told = {
        "schema": 1,
        "simulated": simulated,
        "modelled": any(each.row.modelled for each in rows),
        "copies": [_facts(each, simulated=simulated) for each in rows],
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def as_csv(rows: Sequence[Moved], *, simulated: bool) -> str:
    """One line each. The last column says for each blank why."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    facts = [_facts(each, simulated=simulated) for each in rows]
    names = list(_NAMES)
    writer.writerow(names)
    for each in facts:
        writer.writerow([_field(each[name]) for name in names])
    return out.getvalue()


def _facts(moved: Moved, *, simulated: bool) -> dict[str, Value]:
    row, one = moved.row, moved.row.transfer
    missing = []
    if row.no_rate is not None:
        missing.append(f"rate: {row.no_rate.words}")
    elif row.limit is None:
        reason = "" if row.route is None else row.route.limit_reason
        missing.append(f"limit: {reason or 'the way is not known'}")
    if row.intact is None:
        missing.append("intact: not compared")
    return dict(
        zip(
            _NAMES,
            (
                row.line,
                row.code,
                moved.what,
                row.how,
                row.asked,
                row.source,
                row.target,
                row.bytes,
                row.copies,
                row.device_seconds,
                row.host_seconds,
                _gigabytes(row.rate),
                _gigabytes(row.limit),
                None if row.share is None else round(row.share, 6),
                _gigabytes(moved.best),
                one.pinned,
                one.blocking,
                one.direct,
                row.path,
                row.intact,
                row.modelled,
                simulated,
                "; ".join(missing),
            ),
            strict=True,
        )
    )


_NAMES = (
    *("line", "code", "what", "how", "asked", "source", "target", "bytes", "copies"),
    *("device_s", "host_s", "rate_gbs", "limit_gbs", "share_of_limit", "best_gbs"),
    *("pinned", "blocking", "direct", "path", "intact", "modelled", "simulated", "missing"),
)


def _gigabytes(value: float | None) -> float | None:
    return None if value is None else round(value / 1e9, 6)


def _field(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return harmless(value) if isinstance(value, str) else str(value)
