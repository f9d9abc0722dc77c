"""What of a recording is handed on: stretch, cards, metrics; and how people say so."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from difflib import get_close_matches

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.session import card_numbers

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_PART = r"(\d+(?:\.\d+)?)(ms|min|[smhd]|)"
_LENGTH = re.compile(rf"(?:{_PART})+")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    recording: Recording
    start: float  # axis
    end: float
    metrics: Mapping[CardId, Sequence[MetricId]]  # of each card, in order; and of the host

    @property
    def simulated(self) -> bool:
        """Whether something of it is made up."""
        return any(each.machine.source.simulated for each in self.recording.runs)

    @property
    def cards(self) -> Sequence[Card]:
        return [each for each in all_cards(self.recording) if each.id in self.metrics]

    def holds(self, at: float) -> bool:
        return self.start <= at <= self.end

    def happenings(self) -> Iterator[Happening]:
        """Of its cards and of the whole driver."""
        for each in self.recording.happenings():
            if self.holds(each.at) and (each.card is None or each.card in self.metrics):
                yield each

    @property
    def numbers(self) -> Mapping[CardId, str]:
        numbers = card_numbers(self.recording.cards())
        return {each.id: numbers.get(each.id, "host") for each in self.cards}


def chosen(
    recording: Recording,
    start: float | None = None,
    end: float | None = None,
    metrics: Collection[MetricId] | None = None,
    cards: Collection[CardId] | None = None,
) -> Choice:
    """All of it, where nothing else is said. Raises Trouble where nothing is left."""
    first = recording.began if start is None else max(start, recording.began)
    last = recording.ended if end is None else min(end, recording.ended)
    began, ended = (_local(recording.wall(at)) for at in (recording.began, recording.ended))
    span = {"began": f"{began:%Y-%m-%d %H:%M:%S}", "ended": f"{ended:%Y-%m-%d %H:%M:%S}"}
    if first > last or (first == last and recording.began < recording.ended):
        raise Trouble(
            "There is nothing between these two times.",
            "The recording lasts from {began} to {ended}.",
            **span,
        )
    if not any(run.began <= last and run.ended >= first for run in recording.runs):
        raise Trouble(
            "Nothing was recorded at that time: nobody was recording.",
            "The recording lasts from {began} to {ended}, with pauses.",
            **span,
        )
    known = {
        card.id: [
            each for each in recording.metrics(card.id) if metrics is None or each in metrics
        ]
        for card in all_cards(recording)
        if cards is None or card.id in cards
    }
    there = {card: each for card, each in known.items() if each}
    if not there and (metrics is not None or cards is not None):
        raise Trouble(
            "No such figures were recorded of these cards.",
            "`--metrics help` lists those that were.",
        )
    return Choice(recording, first, last, there)


def all_cards(recording: Recording) -> Sequence[Card]:
    """That ever were, and the host behind them."""
    cards = list(recording.cards())
    hosts = [run.machine.host for run in recording.runs[-1:] if run.machine.host.id == HOST_ID]
    return cards + [host for host in hosts if all(host.id != card.id for card in cards)]


def recorded(recording: Recording) -> Sequence[MetricId]:
    """The metrics that there are of any card, in the catalogue's order."""
    there = {each for card in all_cards(recording) for each in recording.metrics(card.id)}
    return [each for each in METRICS if each in there]


def metrics_named(text: str, there: Sequence[MetricId]) -> Sequence[MetricId]:
    """Raises Trouble for one that is not there."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in there:
            close = get_close_matches(name, there, 1)
            raise Trouble(
                "No metric {name!r} was recorded.",
                did_you_mean(close, "`--metrics help` lists those that were."),
                name=name,
            )
    return [each for each in there if each in names]


def moment(text: str, recording: Recording, after: float | None = None) -> float:
    """On the axis. Of a time of day, the first one in the recording, and later than `after`.
    Raises Trouble.
    """
    offset = length(text[1:])
    if text[0:1] == "+" and offset is not None:
        return recording.began + offset
    if text[0:1] == "-" and offset is not None:
        return recording.ended - offset
    try:
        if _TIME_OF_DAY.fullmatch(text):
            asked = time.fromisoformat(text if text[2] == ":" else f"0{text}")
            return _time_of_day(asked, recording, after)
        return recording.at(datetime.fromisoformat(text).astimezone().timestamp())
    except (ValueError, OverflowError, OSError):
        raise Trouble(
            "{text!r} is no time.",
            "Times are 14:05, 14:05:10, 2026-11-21T14:05, +10m from the beginning, or -1h"
            " before the end.",
            text=text,
        ) from None


def length(text: str) -> float | None:
    """Seconds: of 90, 90s, 1h30m. None where it says none."""
    if not _LENGTH.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, text))


def iso(recording: Recording, at: float) -> str:
    """The time of day with its zone, to the millisecond."""
    return _local(recording.wall(at)).isoformat(timespec="milliseconds")


def _time_of_day(asked: time, recording: Recording, after: float | None) -> float:
    later = recording.wall(recording.began)
    if after is not None:
        later = math.nextafter(recording.wall(after), math.inf)
    first, last = (_local(each) for each in (later, recording.wall(recording.ended)))
    found = datetime.combine(first, asked).astimezone()
    if found < first and first.date() < last.date():
        found = datetime.combine(first + timedelta(days=1), asked).astimezone()
    return recording.at(found.timestamp())


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall, UTC).astimezone()
