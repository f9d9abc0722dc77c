"""A recording as CSV, as traces of the window are: a row for each beat of the readings, a
column for each metric of a card; where only buckets are kept, a row for each of these.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metric import Unit
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.spreadsheet import csv_of, harmless
from gpuexplorer.recording.export.choosing import Choice, iso
from gpuexplorer.recording.export.rounds import BUCKET, Round, condensed

_LONGEST = 300  # letters of a comment
# These count up, and are read as differences; of others a sensor knows no seven digits.
_EXACT = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS, Unit.BYTES})
_Series = tuple[CardId, MetricId]
_Together = tuple[CardId, tuple[MetricId, ...]]


def csv_lines(choice: Choice, rounds: Iterator[Round]) -> Iterator[str]:
    """A file, whole when joined."""
    series = [(card, each) for card, metrics in choice.metrics.items() for each in metrics]
    of_buckets = {each for each in series if condensed(choice, *each)}
    names = ["time", "steady_s"]
    places: dict[_Series, int] = {}
    for card, metric in series:
        places[card, metric] = len(names)
        name = harmless(f"{card} {metric} [{METRICS[metric].unit}]")
        names += (
            [name, f"{name} min", f"{name} max"] if (card, metric) in of_buckets else [name]
        )
    comments = _comments(choice, means=bool(of_buckets))
    # Without commas they stay in one cell, and begin with their sign.
    yield from (f"# {clean(each, _LONGEST).replace(',', ';')}\n" for each in comments)
    yield csv_of(names, ())
    yield from _rows(choice, rounds, places, of_buckets, len(names))


def _rows(
    choice: Choice,
    rounds: Iterator[Round],
    places: Mapping[_Series, int],
    of_buckets: set[_Series],
    width: int,
) -> Iterator[str]:
    """A beat ends when something is read again, or when the period of what was read is over."""
    laid_out: dict[_Together, Sequence[tuple[int, str]]] = {}
    row: list[str] = []
    read: set[_Together] = set()
    until = 0.0
    for each in rounds:
        together = each.card, each.metrics
        if each.lowest and not of_buckets.issuperset((each.card, one) for one in each.metrics):
            continue  # readings that are damaged have means
        if together not in laid_out:
            laid_out[together] = [(places[each.card, one], _form(one)) for one in each.metrics]
        if not row or together in read or each.at >= until:
            if row:
                yield ",".join(row) + "\n"
            row = [""] * width
            row[0] = iso(choice.recording, each.at)
            row[1] = f"{each.at - choice.recording.began:.3f}"
            read, until = set(), each.until
        read.add(together)
        until = min(until, each.until)
        for offset, figures in enumerate((each.values, each.lowest, each.highest)):
            for (place, form), value in zip(laid_out[together], figures, strict=False):
                if isfinite(value):
                    row[place + offset] = form % value
    if row:
        yield ",".join(row) + "\n"


def _form(metric: MetricId) -> str:
    return "%.12g" if METRICS[metric].unit in _EXACT else "%.7g"


def _comments(choice: Choice, *, means: bool) -> Iterator[str]:
    recording = choice.recording
    if choice.simulated:
        yield "simulated: no real card was read; all figures of cards are made up"
    for name, label in dict.fromkeys(
        (run.machine.name, run.machine.source.label) for run in recording.runs
    ):
        yield "; ".join(filter(None, ("GPU Explorer", recording.path.name, name, label)))
    start, end = (iso(recording, at) for at in (choice.start, choice.end))
    yield f"from {start} to {end}; SI units; steady_s counts from the recording's beginning"
    yield "a row is one beat of the readings; blank: not read at this beat"
    if means:
        yield (
            f"older figures are means of the {BUCKET:.0f} s after the time of their row, with"
            " their lowest and highest"
        )
    for card in choice.cards:
        yield f"{card.id}: {choice.numbers[card.id]}, {card.name}"
        metrics = choice.metrics[card.id]
        missing = recording.sample(card.id, metrics, choice.end).missing
        for metric, reason in missing.items():
            if reason.lasting:
                yield f"{card.id} {metric}: {reason.sentence}"
    yield from recording.notes()
