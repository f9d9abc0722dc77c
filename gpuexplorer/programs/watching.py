"""How a program ended, what of it was watched, what watching took, and what each card did
meanwhile: sentences.
"""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import duration, grouped, plain, seconds_words
from gpuexplorer.core.words import NOTHING, Message, all_of, on, told
from gpuexplorer.lab.events import Failed, Watched, Why
from gpuexplorer.programs.look import WORTH, sampled
from gpuexplorer.programs.program_run import ProgramRun, Spot, spot_of


def ended(run: ProgramRun) -> Message:
    """The first line: the file, its end, and how long that took."""
    how = on(run.machine, _end(run))
    if run.seconds is None:
        return how
    seconds = str(duration(run.seconds))
    if run.running:
        return told(how, Message("So far: {seconds}.", seconds=seconds))
    if run.real_seconds is not None:
        ran = Message(
            "It ran for {seconds} of modelled time; carrying that out took {real} here.",
            seconds=seconds,
            real=str(duration(run.real_seconds)),
        )
        return told(how, ran)
    return told(how, Message("It ran for {seconds}.", seconds=seconds))


def watched(run: ProgramRun) -> Sequence[Message]:
    """What of it was watched, at what price, and what was not."""
    known = [_of_cells(run)]
    if len(run.seen) == 1:
        ((_, seen),) = run.seen
        known = [_steps(seen), _start(seen)]
    children: dict[str, int] = {}
    for _, seen in run.seen:
        for kind, count in seen.children:
            children[kind] = children.get(kind, 0) + count
    dropped = sum(seen.dropped for _, seen in run.seen)
    modelled = NOTHING
    if run.modelled:
        modelled = Message("The cards are simulated, and all times are modelled.")
    told_of = [told(*known, _cost(run)) if run.seen else NOTHING, modelled]
    return [each for each in (*told_of, _unwatched(children), _dropped(dropped)) if each]


def _end(run: ProgramRun) -> Message:
    file, status = run.file.name, run.status
    failed = next((each.failed for each in run.cells if each.failed is not None), None)
    if run.running:
        return Message("{file} is running.", file=file)
    if failed is not None and failed.cause == "cancelled":
        return Message("{file} was stopped.", file=file)
    if status is not None and status < 0:
        return Message("{file} was ended by {signal}.", file=file, signal=_signal(-status))
    if failed is not None and failed.cause == "cannot start":
        return told(Message("{file} was not run.", file=file), failed.sentence)
    if failed is not None and not failed.error and not status:
        return told(Message("{file} did not come to its end.", file=file), failed.sentence)
    if failed is not None and failed.error:
        return _failed(run, failed)
    if status:
        return Message("{file} ended with status {status}.", file=file, status=status)
    return Message("{file} ended.", file=file)


def _failed(run: ProgramRun, failed: Failed) -> Message:
    if not failed.frames:
        return Message("{file} failed with {error}.", file=run.file.name, error=failed.error)
    frame = failed.frames[-1]
    return Message(
        "{file} failed with {error} in {place}.",
        file=run.file.name,
        error=failed.error,
        place=run.place(Spot(frame.file, frame.cell, frame.line)),
    )


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return Message("signal {number}", number=number)


def _steps(seen: Watched) -> Message:
    values = {"seen": grouped(seen.seen_steps), "all": grouped(seen.steps)}
    if not sampled(seen):
        if not seen.step:
            return Message("All of it was watched.")
        if seen.step == "batch":
            return Message.counted(
                "All of it was watched: {count} batch.",
                "All of it was watched: {all} batches.",
                seen.steps,
                all=values["all"],
            )
        return Message.counted(
            "All of it was watched: {count} step of the optimizer.",
            "All of it was watched: {all} steps of the optimizer.",
            seen.steps,
            all=values["all"],
        )
    part = {
        "time": str(duration(seen.seen_seconds)),
        "whole": str(duration(seen.seconds)),
    }
    if not seen.step:
        return Message(
            "{time} of {whole} were watched; figures are of these unless they say otherwise.",
            **part,
        )
    if seen.step == "batch":
        return Message(
            "{seen} of {all} batches were watched, {time} of {whole}; figures are of these "
            "unless they say otherwise.",
            **values,
            **part,
        )
    return Message(
        "{seen} of {all} steps of the optimizer were watched, {time} of {whole}; figures are "
        "of these unless they say otherwise.",
        **values,
        **part,
    )


def _start(seen: Watched) -> Message:
    left = seen.seen_seconds - seen.started
    if not 0.0 < seen.started < seen.seen_seconds:
        return NOTHING
    return Message(
        "It took {start} to start; waits are measured against the {rest} watched after that.",
        start=str(duration(seen.started)),
        rest=str(duration(left)),
    )


def _of_cells(run: ProgramRun) -> Message:
    return Message.counted(
        "{count} cell was watched, {time} of {whole}.",
        "{count} cells were watched, {time} of {whole}.",
        len(run.seen),
        time=str(duration(run.seen_seconds)),
        whole=str(duration(run.seconds or 0.0)),
    )


def _cost(run: ProgramRun) -> Message:
    costs = [seen.cost_seconds for _, seen in run.seen if seen.cost_seconds is not None]
    seconds = run.seconds
    if not costs or not seconds:
        return NOTHING
    return Message(
        "Watching took about {seconds} ({share} %).",
        seconds=seconds_words(sum(costs)),
        share=plain(float(f"{sum(costs) / seconds * 100:.2g}")),
    )


def _unwatched(children: dict[str, int]) -> Message:
    """`children` by what started them, such as "DataLoader" or "multiprocessing"."""
    if not children:
        return NOTHING
    several = [
        Message("{count} of {kind}", count=count, kind=kind) for kind, count in children.items()
    ]
    return Message.counted(
        "Not watched: {count} other process ({several}).",
        "Not watched: {count} other processes ({several}).",
        sum(children.values()),
        several=all_of(several),
    )


def _dropped(copies: int) -> Message:
    if not copies:
        return NOTHING
    return Message.counted(
        "{count} copy came from yet another line and is not shown.",
        "{count} copies came from yet other lines and are not shown.",
        copies,
    )


_NO_CARDS = frozenset(("cpu", "meta"))


@dataclass(frozen=True, slots=True)
class CardSum:
    """Seconds of those that were watched. A card may copy while it computes."""

    device: str
    busy: float | None  # it computed, or copied; None: nobody said
    copied: float | None  # None: not all copies were timed
    idle: Mapping[Why, float]  # between its first and its last work, by reason
    pauses: (
        float | None
    )  # from one operation to the next, too short for `idle`; None: not known

    @property
    def used(self) -> bool:
        return bool(self.busy or self.copied or self.idle)

    @property
    def idle_seconds(self) -> float:
        return sum(self.idle.values())


def cards_of(run: ProgramRun) -> Sequence[CardSum]:
    """All that its PyTorch offers, and whatever else was seen."""
    busy: dict[str, float] = {}
    pauses: dict[str, float] = {}
    copied: dict[str, float | None] = {}
    idle: dict[str, dict[Why, float]] = {}
    for _, seen in run.seen:
        for device, seconds in seen.busy:
            busy[device] = busy.get(device, 0.0) + seconds
        for device, seconds in seen.pauses:
            pauses[device] = pauses.get(device, 0.0) + seconds
        for copy in seen.copies:
            for device in {copy.source, copy.target} - _NO_CARDS:
                copied[device] = _sum(copied.get(device, 0.0), copy.seconds)
        for each in (each for each in seen.idle if not each.part_of):
            sums = idle.setdefault(each.device, {})
            sums[each.why] = sums.get(each.why, 0.0) + each.seconds
    names = dict.fromkeys((*run.cards, *busy, *copied, *idle))
    return [
        CardSum(
            name,
            busy.get(name),
            copied.get(name, 0.0),
            idle.get(name, {}),
            pauses.get(name),
        )
        for name in names
        if name not in _NO_CARDS
    ]


def lacks_cards(run: ProgramRun) -> bool:
    """Whether it is known that there was none it could have used."""
    known = run.hello is not None and bool(run.hello.devices)
    return bool(run.seen) and known and not cards_of(run)


def as_a_whole(run: ProgramRun, found: bool) -> Sequence[Message]:
    """What stands where findings would, the gist first; or beside them, where they do not say
    it all.
    """
    if not run.seen or run.hello is None:
        return [Message("Nothing was watched.")]
    if lacks_cards(run):
        return [Message("This PyTorch has no card, so nothing could be copied.")]
    cards = cards_of(run)
    unused = [each.device for each in cards if not each.used]
    if len(unused) == len(cards):
        if any(seen.children for _, seen in run.seen):
            return [
                Message("The program used no card itself. What it started was not watched.")
            ]
        return [Message("No card was used.")]
    if found:
        return _unused(unused)
    looked_at = Message(
        "Looked at: reads that make a card wait, pageable and small copies, tensors that go "
        "there and back, loaders, and the host's own work."
    )
    return [_no_line(run, cards), looked_at, *_unused(unused)]


def _no_line(run: ProgramRun, cards: Sequence[CardSum]) -> Message:
    """Where a card idles at so many lines that none of them is to blame, the worst is named."""
    seconds = {
        each.device: sum(s for why, s in each.idle.items() if why != Why.START)
        + (each.pauses or 0.0)
        for each in cards
    }
    worst = max(seconds, key=lambda each: seconds[each])
    if seconds[worst] < WORTH * run.stepping_seconds:
        return Message("Nothing stands out.")
    whole = duration(run.stepping_seconds)
    values = {
        "card": worst if len(cards) > 1 else Message("the card"),
        "part": str(duration(seconds[worst])),
        "whole": str(whole),
    }
    lines: dict[Spot, float] = {}
    for _, seen in run.seen:
        for each in seen.idle:
            if each.device == worst and each.why != Why.START and not each.part_of:
                spot = spot_of(each)
                lines[spot] = lines.get(spot, 0.0) + each.seconds
    if not lines:
        return Message(
            "No line stands out, but {card} had nothing to do for {part} of {whole}, in pauses "
            "from one operation to the next.",
            **values,
        )
    longest = max(lines, key=lambda each: lines[each])
    return Message(
        "No line stands out, but {card} had nothing to do for {part} of {whole}: longest at "
        "{place}, for {longest}.",
        place=run.place(longest),
        longest=str(duration(lines[longest])),
        **values,
    )


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _unused(devices: Sequence[str]) -> Sequence[Message]:
    if not devices:
        return []
    cards = all_of(devices)
    return [
        Message.counted(
            "{cards} was not used.", "{cards} were not used.", len(devices), cards=cards
        )
    ]
