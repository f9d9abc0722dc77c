"""Whose figures a file has, in which strands, its newest readings among them."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core.harmless import clean, is_time, value_of
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.recording.columns import from_raw
from gpuexplorer.recording.past_strand import PastStrand
from gpuexplorer.recording.pieces import Pieces
from gpuexplorer.recording.safe_file import SafeFile
from gpuexplorer.recording.told import SubjectKind

_MOST_SUBJECTS = 200_000
_MOST_SERIES = 100_000
_MOST_LAYOUTS = 10_000
# There may be very many processes, and they are never older than their cards.
_OF_CARDS = "subject IN (SELECT id FROM subject WHERE kind <> 'process')"
_IN_USE = "id IN (SELECT layout FROM tail)"
_MOST_TAIL = 300_000


@dataclass(slots=True)
class Subject:
    """A card, the host, or a process on a card."""

    kind: SubjectKind
    name: str
    first: float
    facts: str
    strands: dict[str, PastStrand] = field(default_factory=dict)  # by rhythm

    def strand(self, rhythm: str, pieces: Pieces) -> PastStrand:
        if rhythm not in self.strands:
            self.strands[rhythm] = PastStrand(pieces)
        return self.strands[rhythm]


def subjects_of(file: SafeFile, pieces: Pieces) -> Mapping[int, Subject]:
    """By number. What does not fit together is left out."""
    subjects: dict[int, Subject] = {}
    for row in file.whole("id, kind, name, first, facts", "subject", _MOST_SUBJECTS):
        match row:
            case (int(number), str(kind), str(name), float(first), str(facts)) if kind in tuple(
                SubjectKind
            ) and is_time(first):
                subjects[number] = Subject(SubjectKind(kind), clean(name), first, facts)
            case _:
                file.damaged = True
    series = [
        row
        for where in (_OF_CARDS, f"NOT {_OF_CARDS}")
        for row in file.whole("id, subject, rhythm, metric", "series", _MOST_SERIES, where)
    ]
    for row in series:
        match row:
            case (int(number), int(subject), str(rhythm), str(metric)) if subject in subjects:
                subjects[subject].strand(rhythm, pieces).add_series(metric, number)
            case _:
                file.damaged = True
    layouts = dict(_layouts(file))
    rows: dict[int, tuple[list[float], list[bytes]]] = {}
    for row in file.whole("id, layout, at, data", "tail", _MOST_TAIL):
        match row:
            case (int(), int(layout), float(at), bytes(data)) if (
                layout in layouts and is_time(at) and len(data) == 8 * len(layouts[layout][2])
            ):
                times, figures = rows.setdefault(layout, ([], []))
                if not times or at >= times[-1]:
                    times.append(at)
                    figures.append(data)
            case _:
                file.damaged = True
    for layout, (times, figures) in rows.items():
        of, rhythm, metrics = layouts[layout]
        wide = len(metrics)
        values = from_raw(b"".join(figures), len(times) * wide)
        columns = {metric: values[place::wide] for place, metric in enumerate(metrics)}
        if of in subjects:
            subjects[of].strand(rhythm, pieces).add_tail(array("d", times), columns)
    return subjects


def _layouts(file: SafeFile) -> Iterator[tuple[int, tuple[int, str, Sequence[str]]]]:
    for row in file.whole("id, subject, rhythm, metrics", "layout", _MOST_LAYOUTS, _IN_USE):
        match row:
            case (int(number), int(subject), str(rhythm), str(metrics)):
                try:
                    yield number, (subject, rhythm, value_of(Sequence[str], metrics))
                    continue
                except UnreadableError:
                    pass
        file.damaged = True
