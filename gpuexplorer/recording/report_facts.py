"""What a report tells of a recording in figures: what each card did, who used it, and what
stood out, as sentences with cures.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpuexplorer.core import metrics as m
from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import duration, energy, part_of_memory, ratio, temperature, watts
from gpuexplorer.core.words import NOTHING, Message, all_of, mark, told
from gpuexplorer.recording.export import Choice
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.schema import Turn
from gpuexplorer.telemetry.happenings import SILENCES, EventBook, Kind
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.stretches import (
    Course,
    EnergyUsed,
    Floats,
    course,
    energy_used,
    slowed,
)

COLUMNS, STEPS = 600, 6000  # in which a stretch is drawn, and counted
HEAT = tuple(m.throttle(f"{by}_thermal_slowdown") for by in ("sw", "hw"))
AT_LIMIT = (m.throttle("sw_power_cap"),)
PCIE = (m.PCIE_RECEIVE, m.PCIE_TRANSMIT)
_CLOCK_STEP = 1.0  # seconds: smaller ones are the clock being kept right
_WORTH_TELLING = 0.01  # of the time
_NEARLY_FULL = 0.95
MUCH = 0.9  # of what a card can do, or hold
_IDLE, _AT_WORK = 0.03, 0.3  # on average
_MOST_NAMED = 6


class Spell(NamedTuple):
    """A part of the time, and what is to be known of it."""

    begin: float
    seconds: float
    what: Message
    unread: bool = False


class CardFacts:
    """What one card did in all of the stretch."""

    def __init__(self, report: "Report", card: Card, number: str) -> None:
        self._report, self.card, self.number = report, card, number
        self.memory_bytes = self.did(m.MEMORY_TOTAL).most.max(initial=0.0)
        self.memory_bytes = self.memory_bytes or float(card.memory_bytes or 0)
        self.energy = report.energy_used(card.id)

    def did(self, *metrics: MetricId) -> Course:
        return self._report.course(self.card.id, metrics)

    def drawn(self, *metrics: MetricId) -> Floats:
        """The least, the most and the mean in each of COLUMNS; NaN where nothing was read."""
        report, found = self._report, np.full((3, COLUMNS), np.nan)
        course = report.course(self.card.id, metrics, COLUMNS)
        middles = report.start + (np.arange(COLUMNS) + 0.5) * (report.seconds / COLUMNS)
        at = course.begins.searchsorted(middles, side="right") - 1
        there = (at >= 0) & (middles < np.append(course.begins + course.lasted, 0.0)[at])
        found[:, there] = np.array(course[2:])[:, at[there]]
        return found

    def slowed(self, reasons: Sequence[MetricId]) -> tuple[float, float]:
        """Seconds, and the share of the time for which that was read."""
        held, read = slowed([self.did(each) for each in reasons])
        return held, held / (read or 1.0)


class Report:
    """Of what was chosen of a recording: all that its page is made of."""

    def __init__(self, choice: Choice) -> None:
        self.choice, self.recording = choice, choice.recording
        self.start, self.end = choice.start, choice.end
        self.seconds = self.end - self.start
        self._past = RecordedPast(choice.recording)
        self.course = cache(self._course)
        # What began before and went on is told as well.
        log = [each for each in self.recording.happenings() if each.at <= self.end]
        self.episodes = [
            each
            for each in EventBook().take(log)
            if each.running or (each.end or each.first).at >= self.start
        ]
        cards = [e for e in self.recording.cards() if e.kind is not CardKind.HOST]
        numbers = card_numbers(cards)
        self.cards = [CardFacts(self, each, numbers[each.id]) for each in cards]

    def _course(self, card: CardId, metrics: Sequence[MetricId], most: int = STEPS) -> Course:
        """In so many steps at most. Of several that are read together: their sum."""
        if len(metrics) > 1:
            first, *rest = (self.course(card, (each,), most) for each in metrics)
            same = [each[2:] for each in rest if np.array_equal(each.begins, first.begins)]
            return Course(*first[:2], *np.sum([first[2:], *same], axis=0))
        return course(self._past, card, metrics[0], self.start, self.end, most)

    def energy_used(self, card: CardId) -> EnergyUsed | None:
        return energy_used(self._past, card, self.start, self.end, STEPS)

    def share(self, at: float) -> float:
        """How much of the stretch is over by then."""
        return min(1.0, max(0.0, (at - self.start) / (self.seconds or 1.0)))

    def moment(self, at: float) -> str:
        return moment_word(self.recording.wall(at), self.recording.wall(self.end))

    def spells(self) -> Iterator[Spell]:
        """Runs, and what there was between and within them."""
        recording = self.recording
        for before, run in pairwise(recording.runs):
            pause = Message("nothing was recorded")
            yield Spell(before.ended, run.began - before.ended, pause, unread=True)
        for run in recording.runs:
            cut_off = Message("recorded, and without an end: cut off, or still being written")
            what = (run.failed or Message("recorded")) if run.whole else cut_off
            yield Spell(run.began, run.ended - run.began, what)
        for at, slept in recording.turns(Turn.SUSPENDED):
            yield Spell(at - slept, slept, Message("the computer slept"), unread=True)
        for (since, shift), (at, new) in pairwise(recording.turns(Turn.CLOCK)):
            # Each run begins at its own time of day.
            if recording.run(since) is recording.run(at) and abs(new - shift) >= _CLOCK_STEP:
                forward = mark("the clock was set forward by {time}")
                words = forward if new > shift else mark("the clock was set back by {time}")
                yield Spell(at, 0.0, Message(words, time=duration(abs(new - shift))))
        for at, lost in recording.turns(Turn.LOST):
            words = mark("the file could not be written: {count} readings lost")
            yield Spell(at, 0.0, Message(words, count=lost.samples))


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` says what and of which cards, `sentence` has the figures, `advice` why it matters
    and what to do.
    """

    title: Message
    sentence: Message
    advice: Message
    grave: bool = False


def findings(report: Report) -> Iterator[Finding]:
    """What stood out, the gravest first."""
    yield from _logged(
        report,
        Message("No longer answered"),
        Message(
            "Programs that used it ended with an error, or wait for ever. Look into `sudo "
            "dmesg` for an Xid at that time, then at the card's power plugs, its temperature "
            "and its seat. A lost card comes back with a restart."
        ),
        *(Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE),
    )
    yield from _logged(
        report,
        Message("The driver reported a fault"),
        Message(
            "What was computed at that time may be wrong, or has ended with an error. Run it "
            "again. If the same card does it again, let it be tested or exchanged."
        ),
        *(Kind.XID, Kind.MEMORY_ERROR),
    )
    yield from _slowed(report)
    yield from _logged(
        report,
        Message("The PCIe link ran below its width"),
        Message(
            "Copies between the computer and the card take longer, in proportion. Reseat the "
            "card, look at its riser, and for lane splitting in the firmware."
        ),
        Kind.SLOW_LINK,
    )
    yield from _full(report)
    yield from _idle(report)
    yield from _not_kept(report)
    yield from _energy(report)


def _logged(report: Report, title: Message, advice: Message, *kinds: Kind) -> Iterator[Finding]:
    found = [each for each in report.episodes if each.first.kind in kinds]
    if not found:
        return
    first, named = found[0].first, {each.first.card for each in found}
    times = Message.counted(
        "At {when}: {what}.",
        "{count} times, first at {when}: {what}.",
        len(found),
        when=moment_word(first.wall, report.recording.wall(report.end)),
        what=first.sentence,
    )
    lasted = sum(each.lasted or 0.0 for each in found)
    after = Message("It was gone for {time}.", time=duration(lasted)) if lasted else NOTHING
    if first.kind in SILENCES and any(each.running for each in found):
        after = Message("It was not back when the recording ended.")
    cards = [each for each in report.cards if each.card.id in named]
    grave = Kind.SLOW_LINK not in kinds
    yield Finding(_titled(title, cards), told(times, after), advice, grave)


def _slowed(report: Report) -> Iterator[Finding]:
    slowed = _worst(report, lambda each: each.slowed(m.GRAVE)[1], _WORTH_TELLING)
    if not slowed:
        return
    worst = slowed[0]
    seconds, share = worst.slowed(m.GRAVE)
    title = Message("Slowed down by its hardware")
    advice = Message(
        "It computes slower than it could, and so does whoever waits for it. Look at the power "
        "supply, the power plugs, and what the maker says of that reason."
    )
    if worst.slowed(HEAT)[0] >= seconds / 2:
        title = Message("Slowed down for heat")
        advice = Message(
            "It computes slower than it could, and so does whoever waits for it. Look at its "
            "fans, at dust, and at the air that reaches it; or lower its power limit a little."
        )
    sentence = Message(
        "Card {card} for {share} of the time, {time} in all.",
        card=worst.number,
        share=ratio(share),
        time=duration(seconds),
    )
    heat = worst.did(m.TEMPERATURE).most
    reached = NOTHING
    if heat.size:
        reached = Message("It reached {heat}.", heat=temperature(float(heat.max())))
    yield Finding(_titled(title, slowed), told(sentence, reached), advice)


def _full(report: Report) -> Iterator[Finding]:
    def most(each: CardFacts) -> float:
        return float(each.did(m.MEMORY_USED).most.max(initial=0.0))

    full = _worst(report, lambda e: most(e) / (e.memory_bytes or 1e30), _NEARLY_FULL)
    if not full:
        return
    worst, total = full[0], full[0].memory_bytes
    yield Finding(
        _titled(Message("Memory was nearly full"), full),
        Message(
            "Card {card}: up to {used} of {total} ({share}); over 90 % for {time}.",
            card=worst.number,
            used=part_of_memory(most(worst), total).number,
            total=part_of_memory(total, total),
            share=ratio(most(worst) / total),
            time=duration(worst.did(m.MEMORY_USED).above(MUCH * total)),
        ),
        Message(
            "The next program that asks for memory is refused, and most end with that. Take "
            "smaller batches, or move a program to another card. A PyTorch process keeps what "
            "it once had: `torch.cuda.empty_cache()` gives back what it does not use."
        ),
    )


def _idle(report: Report) -> Iterator[Finding]:
    told = [(each, each.did(m.GPU_UTILIZATION)) for each in report.cards]
    read = [(each, course.average) for each, course in told if course.seconds]
    idle = [each for each, mean in read if mean < _IDLE]
    others = [mean for _, mean in read if mean >= _IDLE]
    if not idle or not others or statistics.median(others) < _AT_WORK:
        return
    yield Finding(
        _titled(Message("Did nothing while others worked"), idle),
        Message.counted(
            "{idle} of {all} cards; the other one was busy {mean} on average.",
            "{idle} of {all} cards; the other {count} were busy {mean} on average.",
            len(others),
            idle=len(idle),
            all=len(read),
            mean=ratio(statistics.mean(others)),
        ),
        Message(
            "What was paid for stood still, and drew power all the same. See whether the "
            "program was told of it: `CUDA_VISIBLE_DEVICES`, the launcher's number of "
            "processes, or the scheduler's job."
        ),
    )


def _not_kept(report: Report) -> Iterator[Finding]:
    span, start, end = report.seconds, report.start, report.end
    unread = sum(
        max(0.0, min(each.begin + each.seconds, end) - max(each.begin, start))
        for each in report.spells()
        if each.unread
    )
    if span and unread >= _WORTH_TELLING * span:
        yield Finding(
            Message("Part of this time was not recorded"),
            Message(
                "{time} of {span} ({share}): the computer slept or was off, or nothing"
                " recorded.",
                time=duration(unread),
                span=duration(span),
                share=ratio(unread / span),
            ),
            Message(
                "Nothing here says what happened then: means and sums leave it out. When that"
                " was stands below, under “What was recorded”."
            ),
        )


def _energy(report: Report) -> Iterator[Finding]:
    telling = [each.energy for each in report.cards if each.energy is not None]
    joules = sum(each.joules for each in telling)
    if joules <= 0:
        return
    seconds = max(each.seconds for each in telling)
    mean = Message.counted(
        "{watts} on average.",
        "{watts} on average, {count} cards together.",
        len(telling),
        watts=watts(joules / seconds),
    )
    silent = len(report.cards) - len(telling)
    some = Message.counted(
        "{count} card does not tell, and is not in this figure.",
        "{count} cards do not tell, and are not in this figure.",
        silent,
    )
    yield Finding(
        Message("{energy} of energy", energy=energy(joules)),
        told(mean, some if silent else NOTHING),
        Message(
            "All of it becomes heat, and somebody pays for it. A somewhat lower power limit "
            "(`nvidia-smi -pl`) often costs little speed: the last of its clock takes a card "
            "the most power."
        ),
    )


def _worst(
    report: Report, figure: Callable[[CardFacts], float], least: float
) -> Sequence[CardFacts]:
    found = [each for each in report.cards if figure(each) >= least]
    return sorted(found, key=figure, reverse=True)


def _titled(title: Message, cards: Sequence[CardFacts]) -> Message:
    """ "Card 3: …", "Cards 3, 5 and 7: …"; without cards it is about the driver."""
    numbers = [each.number for each in cards]
    if not numbers:
        return Message("The driver: {title}", title=title)
    if len(numbers) > _MOST_NAMED:
        return Message("{count} cards: {title}", count=len(numbers), title=title)
    return Message.counted(
        "Card {cards}: {title}",
        "Cards {cards}: {title}",
        len(numbers),
        cards=all_of(numbers),
        title=title,
    )
