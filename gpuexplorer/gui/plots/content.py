"""What a plot shows: lines over time, and what is marked on them. Times are steady seconds."""

import math
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Metric, Unit
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.trace import Trace, TraceSource


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is seen of time: from `start` to `end` on the steady clock."""

    start: float
    end: float
    following: bool  # it ends now, and goes on
    offset: float  # makes seconds since 1970 out of steady ones
    began: float = -math.inf  # nothing is known of the time before

    def share(self, at: float) -> float:
        """How far into it a moment is, from 0 to 1."""
        return (at - self.start) / (self.end - self.start)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One metric of one card. Without a reading its reason stands where its figure would."""

    label: str  # at the line's end: "GPU", "memory ctrl"; empty where a chip says who it is
    metric: Metric
    trace: Trace
    reason: str = ""  # why nothing is there now, as a sentence
    chip: str = ""  # the card's number, in a plot of several cards
    colour: int | None = None  # which of the card colours; None: the quiet one
    dash: int = 0  # which of the dash patterns; 0 is a whole line
    card: CardId | None = None  # for files, and to ask the history for all of it
    now: float | None = None  # the newest reading; None: the trace's last column
    tone: Tone = Tone.TEXT  # of what it says now
    beside: Trace | None = None  # of what it is compared with, on the same axis


@dataclass(frozen=True, slots=True)
class Limit:
    """A dotted line across, with its word in the gutter at the right."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch behind the lines, such as the time a card was slowed by heat."""

    start: float
    end: float
    word: str
    tone: Tone = Tone.WARN


@dataclass(frozen=True, slots=True)
class Flag:
    """A moment on the time axis. Numbered ones that would touch become one: "3–7"."""

    at: float
    text: str
    tone: Tone = Tone.QUIET
    colour: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PlotContent:
    """One plot. Its lines have one unit."""

    name: str  # lasting, for what is remembered of it
    title: str
    unit: Unit
    lines: tuple[Line, ...]
    limits: tuple[Limit, ...] = ()
    bands: tuple[Band, ...] = ()
    lowest: float | None = 0.0  # None: as the lines have it
    highest: float | None = None  # None: as the lines have it


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where figures come from, which every picture and file of them says. `past` knows every
    reading, of which plots show no more than fits.
    """

    source: str = ""  # as it stands in the top bar
    simulated: bool = False
    past: TraceSource | None = None
