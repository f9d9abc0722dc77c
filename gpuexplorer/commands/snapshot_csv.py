"""A picture as CSV: a row per card, a column per metric, a blank where there is no figure."""

import csv
import io
import sys
from collections.abc import Iterator, Sequence

from gpuexplorer.commands.picture import Picture
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import METRICS, Metric, metrics_of
from gpuexplorer.core.spreadsheet import harmless

_FACTS = (
    *("taken_at", "simulated", "index", "id", "name", "kind", "parent"),
    *("bus_id", "cuda_index", "state"),
)


def show(pictures: Iterator[Picture], *, again: bool) -> None:
    columns: list[Metric] | None = None
    for picture in pictures:
        if columns is None:
            columns = columns_for(picture.cards)
            sys.stdout.write(header(columns))
        sys.stdout.write(rows(picture, columns))
        sys.stdout.flush()


def columns_for(cards: Sequence[Card]) -> list[Metric]:
    """Every metric that one of the cards can be asked for, in the catalogue's order."""
    asked = {metric for card in cards for metric in metrics_of(card)}
    return [metric for metric in METRICS.values() if metric.id in asked]


def header(columns: Sequence[Metric]) -> str:
    return _line([*_FACTS, *(f"{metric.id} [{metric.unit}]" for metric in columns), "missing"])


def rows(picture: Picture, columns: Sequence[Metric]) -> str:
    """The last column says for each blank why, so that no blank is a riddle."""
    lines = []
    for card in picture.cards:
        reading = picture.readings[card.id]
        values = reading.values if reading is not None else {}
        missing = reading.missing if reading is not None else {}
        reasons = "; ".join(
            f"{metric.id}: {missing[metric.id].sentence}"
            for metric in columns
            if metric.id in missing
        )
        facts = [
            picture.taken_at.isoformat(timespec="milliseconds"),
            "yes" if card.simulated else "no",
            str(card.index),
            card.id,
            card.name,
            card.kind.value,
            card.parent or "",
            card.bus_id or "",
            "" if card.cuda_index is None else str(card.cuda_index),
            reading.state.value if reading is not None else "no answer",
        ]
        figures = [
            f"{values[metric.id]:.12g}" if metric.id in values else "" for metric in columns
        ]
        lines.append(_line([*map(harmless, facts), *figures, reasons]))
    return "".join(lines)


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
