"""What stood out in a recording, as sentences with figures and cures."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.catalogue.heat_and_power import TEMPERATURE
from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.time_axis import moment_word
from gpuexplorer.core.units import (
    duration,
    energy,
    part_of_memory,
    ratio,
    temperature,
    watts_together,
)
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.recording.report.card_sums import HARMFUL, HEAT, CardSums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.telemetry.episodes import Episode
from gpuexplorer.telemetry.happenings import Kind

_WORTH_TELLING = 0.01  # of the time
_NEARLY_FULL = 0.95
_IDLE, _AT_WORK = 0.03, 0.3  # on average
_MOST_NAMED = 6


class Matter(StrEnum):
    """What a finding is about; the gravest first."""

    GONE = "gone"  # a card or the driver did not answer any more
    FAULT = "fault"  # an Xid, or memory that could not be repaired
    SLOWED = "slowed"  # by heat, by the power supply, by its own hardware
    LINK = "link"  # a link with fewer lanes than it could have
    FULL = "full"  # hardly any memory left
    IDLE = "idle"  # while others worked
    NOT_KEPT = "not kept"  # times of which there are no readings
    ENERGY = "energy"


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` says what and of which cards, `sentence` has the figures."""

    matter: Matter
    title: Message
    sentence: Message
    why: Message  # it matters
    cure: Message

    @property
    def grave(self) -> bool:
        return self.matter in (Matter.GONE, Matter.FAULT)


# What the log knows: which kinds, what they are called, why they matter, what to do.
_OF_THE_LOG = (
    (
        (Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE),
        Matter.GONE,
        Message("No longer answered"),
        Message("Programs that used it ended with an error, or wait for ever."),
        Message(
            "Look into `sudo dmesg` for an Xid at that time, then at the card's power plugs, "
            "its temperature and its seat. A lost card comes back with a restart."
        ),
    ),
    (
        (Kind.XID, Kind.MEMORY_ERROR),
        Matter.FAULT,
        Message("The driver reported a fault"),
        Message("What was computed at that time may be wrong, or has ended with an error."),
        Message(
            "Run what was going on again. If the same card does it again, let it be tested or "
            "exchanged."
        ),
    ),
    (
        (Kind.SLOW_LINK,),
        Matter.LINK,
        Message("The PCIe link ran below its width"),
        Message("Copies between the computer and the card take longer, in proportion."),
        Message("Reseat the card, look at its riser, and for lane splitting in the firmware."),
    ),
)


@dataclass(frozen=True, slots=True)
class Known:
    """All that findings are made of."""

    courses: Courses
    cards: Sequence[CardSums]
    episodes: Sequence[Episode]
    unread: float  # seconds between the beginning and the end that were not recorded


def findings(known: Known) -> Sequence[Finding]:
    """The gravest first."""
    kinds = (_logged, _slowed, _full, _idle, _not_kept, _energy)
    order = list(Matter)
    found = [each for kind in kinds for each in kind(known)]
    return sorted(found, key=lambda each: order.index(each.matter))


def _logged(known: Known) -> Iterator[Finding]:
    by_id = {each.card.id: each for each in known.cards}
    for kinds, matter, title, why, cure in _OF_THE_LOG:
        found = [each for each in known.episodes if each.first.kind in kinds]
        if not found:
            continue
        first = found[0].first
        cards = [by_id[e] for e in dict.fromkeys(e.first.card for e in found) if e in by_id]
        times = Message.counted(
            "At {when}: {what}.",
            "{count} times, first at {when}: {what}.",
            len(found),
            when=moment_word(first.wall, known.courses.recording.wall(known.courses.end)),
            what=first.sentence,
        )
        gone = sum(each.lasted or 0.0 for each in found)
        after = Message("It was gone for {time}.", time=duration(gone)) if gone else NOTHING
        if matter is Matter.GONE and any(each.running for each in found):
            after = Message("It was not back when the recording ended.")
        yield Finding(matter, _titled(title, cards), told(times, after), why, cure)


def _slowed(known: Known) -> Iterator[Finding]:
    def share(each: CardSums) -> float:
        return (each.slowed(HARMFUL) or 0.0) / (each.flags_seconds or 1.0)

    slowed = _worst(known.cards, share, _WORTH_TELLING)
    if not slowed:
        return
    worst = slowed[0]
    seconds, heat = worst.slowed(HARMFUL) or 0.0, worst.slowed(HEAT) or 0.0
    for_heat, hottest = heat >= seconds / 2, worst.of.get(TEMPERATURE)
    title, cure = (
        Message("Slowed down by its hardware"),
        Message(
            "Look at the power supply, the power plugs, and what the maker says of that reason."
        ),
    )
    if for_heat:
        title, cure = (
            Message("Slowed down for heat"),
            Message(
                "Look at its fans, at dust, and at the air that reaches it; or lower its power "
                "limit a little."
            ),
        )
    yield Finding(
        Matter.SLOWED,
        _titled(title, slowed),
        told(
            Message(
                "Card {card} for {share} of the time, {time} in all.",
                card=worst.number,
                share=ratio(share(worst)),
                time=duration(seconds),
            ),
            Message("It reached {heat}.", heat=temperature(hottest.most))
            if hottest
            else NOTHING,
        ),
        Message("It computes slower than it could, and so does whoever waits for it."),
        cure,
    )


def _full(known: Known) -> Iterator[Finding]:
    def share(each: CardSums) -> float:
        used, total = each.of.get(MEMORY_USED), each.memory_bytes
        return used.most / total if used is not None and total else 0.0

    full = _worst(known.cards, share, _NEARLY_FULL)
    if not full:
        return
    worst = full[0]
    used, total = worst.of[MEMORY_USED].most, worst.memory_bytes or 0.0
    yield Finding(
        Matter.FULL,
        _titled(Message("Memory was nearly full"), full),
        Message(
            "Card {card}: up to {used} of {total} ({share}); over 90 % for {time}.",
            card=worst.number,
            used=part_of_memory(used, total).number,
            total=part_of_memory(total, total),
            share=ratio(share(worst)),
            time=duration(worst.full_seconds),
        ),
        Message("The next program that asks for memory is refused, and most end with that."),
        Message(
            "Take smaller batches, or move a program to another card. A PyTorch process keeps "
            "what it once had: `torch.cuda.empty_cache()` gives back what it does not use."
        ),
    )


def _idle(known: Known) -> Iterator[Finding]:
    busy = {
        e.number: e.of[GPU_UTILIZATION].mean for e in known.cards if GPU_UTILIZATION in e.of
    }
    idle = [each for each in known.cards if busy.get(each.number, 1.0) < _IDLE]
    others = [each for each in busy.values() if each >= _IDLE]
    if not idle or not others or statistics.median(others) < _AT_WORK:
        return
    mean = statistics.mean(others)
    yield Finding(
        Matter.IDLE,
        _titled(Message("Did nothing while others worked"), idle),
        Message.counted(
            "{idle} of {all} cards; the other one was busy {mean} on average.",
            "{idle} of {all} cards; the other {count} were busy {mean} on average.",
            len(others),
            idle=len(idle),
            all=len(busy),
            mean=ratio(mean),
        ),
        Message("What was paid for stood still, and drew power all the same."),
        Message(
            "See whether the program was told of it: `CUDA_VISIBLE_DEVICES`, the launcher's "
            "number of processes, or the scheduler's job."
        ),
    )


def _not_kept(known: Known) -> Iterator[Finding]:
    span = known.courses.end - known.courses.start
    if not span or known.unread < _WORTH_TELLING * span:
        return
    yield Finding(
        Matter.NOT_KEPT,
        Message("Part of this time was not recorded"),
        Message(
            "{time} of {span} ({share}): the computer slept or was off, or nothing recorded.",
            time=duration(known.unread),
            span=duration(span),
            share=ratio(known.unread / span),
        ),
        Message("Nothing here says what happened then: means and sums leave it out."),
        Message("When that was stands below, under “What was recorded”."),
    )


def _energy(known: Known) -> Iterator[Finding]:
    telling = [each for each in known.cards if each.joules is not None]
    joules = sum(each.joules or 0.0 for each in telling)
    span = known.courses.end - known.courses.start - known.unread
    if joules <= 0 or span <= 0:
        return
    some = Message.counted(
        "{count} card does not tell, and is not in this figure.",
        "{count} cards do not tell, and are not in this figure.",
        len(known.cards) - len(telling),
    )
    mean = Message.counted(
        "{watts} on average.",
        "{watts} on average, {count} cards together.",
        len(telling),
        watts=watts_together(joules / span),
    )
    yield Finding(
        Matter.ENERGY,
        Message("{energy} of energy", energy=energy(joules)),
        told(mean, some if len(telling) < len(known.cards) else NOTHING),
        Message("All of it becomes heat, and somebody pays for it."),
        Message(
            "A somewhat lower power limit (`nvidia-smi -pl`) often costs little speed: the "
            "last of its clock takes a card the most power."
        ),
    )


def _worst(
    cards: Iterable[CardSums], figure: Callable[[CardSums], float], least: float
) -> Sequence[CardSums]:
    return sorted((e for e in cards if figure(e) >= least), key=lambda each: -figure(each))


def _titled(title: Message, cards: Sequence[CardSums]) -> Message:
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
