"""What keeps a card waiting: the host asks for a result before it asks for more work; a
loader's batches come late; or the host does its own work.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, grouped, seconds_words
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Idle, Loader, Why
from gpuexplorer.programs.finding import Finding, Matter
from gpuexplorer.programs.look import (
    WORTH_TRYING,
    Look,
    by_spot,
    repeated,
    total,
)
from gpuexplorer.programs.program_run import Spot, spot_of

_PRINTING = frozenset({"print", "format", "display", "repr", "str", "write"})
_DECIDING = frozenset(
    {"if", "while", "assert", "and", "or", "not", "bool", "equal", "allclose", "any", "all"}
)
_FETCHING = frozenset({"numpy", "tolist", "cpu", "to", "copy_", "array", "asarray"})
_SAVING = "save"
_SAVES = 3  # from so many on it is done again and again
_MOST = 0.7  # of what a card waited: then the cure gives back about all of it


def reads(look: Look) -> Iterator[Finding]:
    for idle in by_spot(look.idle(Why.READ)):
        yield from _read(look, idle)


def _read(look: Look, idle: Sequence[Idle]) -> Iterator[Finding]:
    worst = idle[0]
    copies = [each for each in look.at(spot_of(worst)) if each.target == HOST and each.blocking]
    same = [each for each in copies if each.what == worst.what] or copies
    times = sum(each.copies for each in same) or worst.times
    waited = look.host_waited(times) if copies else None
    # The card does nothing else while it answers.
    gain = repeated(idle) + sum(each.seconds or 0.0 for each in copies)
    saving = bool(copies) and all(each.how == _SAVING for each in copies)
    if saving:
        times = sum(each.bursts for each in copies)
        if times < _SAVES or not look.worth(gain, WORTH_TRYING):
            return
    elif waited is not None:
        # Without its reads the host asks for the next work while the card computes: it can run
        # ahead by no more than it stood still for them.
        gain = min(gain, waited)
    if not saving and (look.seldom(times) or not look.worth(gain)):
        return
    seconds = total(idle)
    yield look.finding(
        Matter.READ,
        worst,
        Message(
            "{head} {times} times: {card} waited {part}.",
            head=look.head(worst),
            times=grouped(times),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
        ),
        _with_gain(_read_cure(same, worst), gain, seconds),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, "host_waited_s": waited},
        rows=(each.number for each in copies),
    )


def _read_cure(copies: Sequence[CopyRow], idle: Idle) -> Message:
    how = copies[0].how if copies else ""
    if how == _SAVING:
        return Message(
            "Save less often, or copy the state to the host and write it in a thread."
        )
    if not copies and "synchronize" in idle.what:
        return Message(
            "Leave it out: PyTorch waits by itself where a value is needed. To take times, "
            "record events (torch.cuda.Event) and read them at the end."
        )
    if how in _PRINTING:
        return Message("Print it every 100 steps, or keep it on the card and print it once.")
    if how in _DECIDING:
        return Message("Decide on the card, such as by torch.where, or every 100 steps.")
    if how in _FETCHING:
        return Message("Collect it on the card, and fetch all of it at once at the end.")
    return Message("Keep the sum on the card and read it every 100 steps.")


def _with_gain(cure: Message, gain: float, seconds: float) -> Message:
    """Where the host is slow as well, a card waits on without the reads."""
    if gain >= _MOST * seconds:
        return cure
    return told(
        cure,
        Message(
            "That gives back about {gain}: the host is too slow for the rest.",
            gain=seconds_words(gain),
        ),
    )


# Seconds. A pause that is shorter on average is not one line's work: the host goes from one
# operation to the next, and each takes the card less time than the host needs to ask for it.
_BETWEEN_OPERATIONS = 1e-3
_DATA_PARALLEL = "torch.nn.parallel"  # the modules that copy for it
_SHARE_OF_MANY = 0.1  # of the time watched, of all such pauses together
_FAR_LONGER = 20  # than the mean: workers that are started anew
_MOST_WORKERS = 8  # to begin with: each takes memory
# Seconds. About as long a worker needs to hand a batch over, however soon it has made it.
_HANDING_OVER = 1e-3


def loaders(look: Look) -> Iterator[Finding]:
    for idle in by_spot(look.idle(Why.LOADER)):
        gain = repeated(idle)
        times = sum(each.times for each in idle)
        if not look.seldom(times) and look.worth(gain, WORTH_TRYING):
            yield _loader(look, idle, gain)


def hosts(look: Look, small: Collection[Spot] = ()) -> Iterator[Finding]:
    """`small`: where small copies are made. The pauses between them go with them."""
    between: list[Sequence[Idle]] = []
    left = _left_of_watching(look)
    for idle in by_spot(look.idle(Why.HOST)):
        times = sum(each.times for each in idle)
        if spot_of(idle[0]) in small:
            continue
        if total(idle) < _BETWEEN_OPERATIONS * times:
            between.append(idle)
        elif look.nearly_always(times) and look.worth(
            gain := repeated(idle) * left, WORTH_TRYING
        ):
            yield _at_a_line(look, idle, times, gain)
    short = {} if small else dict(look.seen.pauses)
    yield from _between_operations(look, between, left, short)


def _loader(look: Look, idle: Sequence[Idle], gain: float) -> Finding:
    worst, seconds = idle[0], total(idle)
    there = [each for each in look.seen.loaders if spot_of(each) == spot_of(worst)]
    loader = max(there, key=lambda each: each.seconds, default=None)
    batches = sum(each.batches for each in there) or sum(each.times for each in idle)
    what = worst.what or (loader.what if loader is not None else "")
    return look.finding(
        Matter.LOADER,
        worst,
        Message(
            "{head} kept {card} waiting for {batches} batches: {part}.",
            head=look.head(worst, what),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
            batches=grouped(batches),
        ),
        _workers(loader, idle, look.run.processors),
        spent=seconds,
        gain=gain,
        figures={
            "batches": batches,
            "card_waited_s": seconds,
            "host_waited_s": sum(each.seconds for each in there) if there else None,
            "workers": loader.workers if loader is not None else None,
            "processors": look.run.processors,
        },
        what=what,
    )


def _workers(loader: Loader | None, idle: Sequence[Idle], processors: int | None) -> Message:
    if loader is None:
        return Message("Prepare batches while the card computes, in a DataLoader with workers.")
    if loader.seconds < _HANDING_OVER * loader.batches:
        return Message(
            "A worker needs about as long to hand a batch over, so more workers would not "
            "help. Take larger batches, or keep the data on the card and index it there."
        )
    less = Message("Do less for each sample, or prepare the data once and keep them.")
    if not loader.workers:
        if processors is not None and processors < 2:
            return told(
                Message("This computer has one processor, so workers would not help."), less
            )
        count = min(_MOST_WORKERS, (processors or 5) - 1)
        return Message(
            "Give the loader workers, which prepare batches while the card computes: "
            "num_workers={count}, persistent_workers=True.",
            count=count,
        )
    anew = _anew(idle)
    if processors is not None and loader.workers >= processors:
        return told(
            Message.counted(
                "This computer has one processor, so more workers would not help.",
                "This computer has {count} processors, so more than {workers} workers would "
                "not help.",
                processors,
                workers=loader.workers,
            ),
            less,
            anew,
        )
    more = 2 * loader.workers
    return told(
        Message.counted(
            "Its worker does not keep up. Try num_workers={more}, or do less for each sample.",
            "Its {count} workers do not keep up. Try num_workers={more}, or do less for each "
            "sample.",
            loader.workers,
            more=more if processors is None else min(more, processors),
        ),
        anew,
    )


def _anew(idle: Sequence[Idle]) -> Message:
    worst = idle[0]
    if worst.longest * worst.times < _FAR_LONGER * worst.seconds:
        return NOTHING
    return Message(
        "The longest wait was {longest}: persistent_workers=True keeps the workers from one "
        "epoch to the next.",
        longest=str(duration(worst.longest)),
    )


def _left_of_watching(look: Look) -> float:
    """The share of pauses of the host that are not due to our watching: it is the host that
    watches. On simulated cards the clock stands still meanwhile.
    """
    whole = total(look.idle(Why.HOST))
    if look.seen.modelled or not whole:
        return 1.0
    return max(0.0, 1.0 - (look.seen.cost_seconds or 0.0) / whole)


def _at_a_line(look: Look, idle: Sequence[Idle], times: int, gain: float) -> Finding:
    worst, seconds = idle[0], total(idle)
    return look.finding(
        Matter.HOST,
        worst,
        Message(
            "{head} kept {card} waiting for the host, {times} times: {part}.",
            head=look.head(worst),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
            times=grouped(times),
        ),
        _cure(look, spot_of(worst)),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds},
    )


def _cure(look: Look, spot: Spot) -> Message:
    if any(each.within.startswith(_DATA_PARALLEL) for each in look.at(spot)):
        return Message(
            "DataParallel copies the model to each card in every step, from one thread: use "
            "DistributedDataParallel, or one card."
        )
    return Message(
        "Do it on the card, in the loader's workers, or only every 100 steps; or ask the card "
        "for the next work first."
    )


def _between_operations(
    look: Look, pauses: Sequence[Sequence[Idle]], left: float, too_short: Mapping[str, float]
) -> Iterator[Finding]:
    """The pauses of all lines together, of the card that has most of them."""
    cards: dict[str, list[Sequence[Idle]]] = {}
    for each in pauses:
        cards.setdefault(each[0].device, []).append(each)
    if not cards:
        return
    lines = sorted(
        max(cards.values(), key=lambda groups: sum(map(total, groups))), key=total, reverse=True
    )
    short = too_short.get(lines[0][0].device, 0.0)
    seconds = sum(map(total, lines)) + short
    gain = seconds * left
    times = sum(each.times for idle in lines for each in idle)
    if (look.seldom(times) and not short) or gain < _SHARE_OF_MANY * look.whole:
        return
    worst = lines[0][0]
    values = {
        "card": look.card(worst.device),
        "part": look.of_whole(seconds),
        "head": look.head(worst),
    }
    sentence = Message(
        "Between one operation and the next, {card} waited {part} for the host, most of it at "
        "{head}.",
        **values,
    )
    if 2 * total(lines[0]) < seconds:
        sentence = Message(
            "Between one operation and the next, {card} waited {part} for the host, longest at "
            "{head}.",
            **values,
        )
    yield look.finding(
        Matter.HOST,
        worst,
        sentence,
        Message("Give the card more at a time: larger batches, torch.compile, or CUDA graphs."),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, "lines": len(lines)},
    )
