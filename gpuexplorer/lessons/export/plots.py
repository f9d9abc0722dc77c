"""Plots of a played lesson as inline SVG: bars on one scale, who was at work when.

Colours are classes, which the page's style sheet knows. Words stand beside a drawing as HTML:
they keep their size where a page is narrow.
"""

import math
from collections.abc import Sequence
from html import escape

from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.units import bytes_words, duration, part_of_memory
from gpuexplorer.core.words import tr
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lessons.export.words import SIMULATED, Figure
from gpuexplorer.lessons.values import Read, Readings

_BAR = 12  # px
_WIDTH, _HEIGHT = 640, 120
_MOST_STRETCHES = 2000
_MINUS = "\N{MINUS SIGN}"
_WORTH_DRAWING = 1 << 20  # bytes by which a card's memory changed


def bars(figures: Sequence[Figure]) -> str:
    """Each with its name before it and its figure behind it, all on one scale."""
    most = max((abs(each.value) for each in figures if math.isfinite(each.value)), default=0)
    rows = []
    for each in figures:
        share = abs(each.value) / most if most and math.isfinite(each.value) else 0.0
        drawn = _rect(0, share, each.kind)
        rows.append(_row(each.name, drawn, each.text, modelled=each.modelled))
    return _figure("", rows)


def memory(before: Readings | None, after: Readings | None) -> str:
    """Of each card on which it changed while the step's cells ran."""
    if before is None or after is None:
        return ""
    was = {each.card.id: each for each in before.cards}
    rows = [_card(was[each.card.id], each) for each in after.cards if each.card.id in was]
    return _figure(tr("Memory in use before and after this step"), rows)


def _card(before: Read, after: Read) -> str:
    total = after.card.memory_bytes
    was = before.sample.values.get(MEMORY_USED)
    now = after.sample.values.get(MEMORY_USED)
    if not total or was is None or now is None or abs(now - was) < _WORTH_DRAWING:
        return ""
    least, most = min(was, now) / total, max(was, now) / total
    kind = "measured" if now > was else "freed"
    drawn = _rect(0, least, "kept") + _rect(least, most - least, kind)
    text = tr(
        "{before} → {after} of {total} ({change})",
        before=part_of_memory(was, total).number,
        after=part_of_memory(now, total),
        total=bytes_words(total),
        change=f"{'+' if now > was else _MINUS}{bytes_words(abs(now - was))}",
    )
    name = after.card.name
    if after.card.cuda_index is not None:
        name = f"cuda:{after.card.cuda_index}, {name}"
    return _row(name, drawn, text, modelled=after.card.simulated)


def timeline(cell: Cell) -> str:
    """Which card computed and what was copied, one line each; only where there are several."""
    lanes: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for span in cell.spans:
        if not span.waits_for:
            name = tr("{device} computes", device=span.device)
            lanes.setdefault((name, "measured"), []).append((span.begin, span.end, span.busy))
    for copy in cell.transfers:
        if copy.begin is not None and copy.end is not None and not copy.already_there:
            lane = lanes.setdefault((f"{copy.source} → {copy.target}", "copied"), [])
            lane.append((copy.begin, copy.end, copy.seconds or 0.0))
    stretches = [each for lane in lanes.values() for each in lane]
    if len(lanes) < 2 or len(stretches) > _MOST_STRETCHES:
        return ""
    begin, end = min(each[0] for each in stretches), max(each[1] for each in stretches)
    size = (end - begin) or 1.0
    rows = [
        _row(name, "".join(_stretch(each, begin, size, kind) for each in lane))
        for (name, kind), lane in lanes.items()
    ]
    title = tr("Who was at work in these {time}", time=duration(end - begin))
    if cell.finished is not None and cell.finished.modelled:
        title = tr("Who was at work in these {time}, simulated", time=duration(end - begin))
    return _figure(title, rows)


def _stretch(each: tuple[float, float, float], zero: float, size: float, kind: str) -> str:
    """The paler, the more pauses are in it."""
    begin, end, busy = each
    share = min(1.0, busy / (end - begin)) if end > begin else 1.0
    return _rect((begin - zero) / size, (end - begin) / size, kind, 0.2 + 0.8 * share)


def _figure(title: str, rows: Sequence[str]) -> str:
    drawn = "".join(rows)
    heading = f"<h4>{escape(title)}</h4>" if title else ""
    return f'<figure class="plot">{heading}{drawn}</figure>\n' if drawn else ""


def _row(name: str, drawn: str, text: str = "", *, modelled: bool = False) -> str:
    beside = f" <small>{escape(tr(SIMULATED))}</small>" if modelled else ""
    return (
        f'<div class="row"><span>{escape(name)}{beside}</span><svg height="{_BAR}"'
        f' aria-hidden="true"><rect width="100%" height="{_BAR}" class="track"/>{drawn}</svg>'
        f"<b>{escape(text)}</b></div>"
    )


def _rect(begin: float, share: float, kind: str, opacity: float = 1.0) -> str:
    """At least a hair wide: what there is is seen."""
    width = max(share * 100, 0.3)
    at = min(begin * 100, 100 - width)
    pale = f' opacity="{opacity:.2f}"' if opacity < 1 else ""
    return f'<rect x="{at:.2f}%" width="{width:.2f}%" height="{_BAR}" class="{kind}"{pale}/>'
