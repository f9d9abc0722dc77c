"""What stands out among measured copies: a table of rules, each with its sentence and cure; and
what nothing is to be said about, summed up by the kind of way.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gpuexplorer.copies.jobs import HOST, Kind, index_of, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Narrow, Way, Wire
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.units import grouped, memory
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Wrong

Cell = tuple[str, str]
_SLOWER = 0.9  # direct, of staged
_FAR_BELOW = 0.75  # of the median of its kin
_MOST_OF_THEM = 0.75  # of a card's paths: then it is the card
_ENOUGH_KIN = 3
_LOPSIDED = 0.85
_LARGE = 1 << 20  # below, rates say more of the beginning than of the wire
_FASTER = 1.05
_DEARER = 0.8
_UNSTEADY = 0.15


class Matter(StrEnum):
    """What kind of thing stands out; the gravest first."""

    WRONG = "wrong"
    DIRECT_SLOWER = "direct is slower"
    NARROW = "fewer lanes"
    FAR_BELOW = "far below its kin"
    ASYMMETRIC = "asymmetric"
    FASTER = "faster than its wire"
    PAGEABLE = "pageable"
    BUSY = "busy"
    UNSTEADY = "unsteady"
    NOT_AT_ONCE = "not at once"
    FEWER_BYTES = "fewer bytes"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure of a finding, to be drawn beside the others."""

    words: Message
    rate: float
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` is a heading: what stands out, without where. `sentence` has the figures."""

    matter: Matter
    title: Message
    sentence: Message
    cells: Sequence[Cell] = ()
    devices: Sequence[str] = ()  # where it is about devices, and not about pairs
    hint: Message = NOTHING
    bars: Sequence[Bar] = ()
    instead: CopyResult | None = None  # of a wrong or slow copy: the same bytes, staged
    both_ways: bool = False  # of a wrong copy: while the other direction was copied, too
    detour: bool = False  # of a wrong copy between cards: another way is left, through the host


@dataclass(frozen=True, slots=True)
class Kin:
    """Results of one kind, which ought to be equally fast. None: none has such a figure."""

    words: Message  # "NVLink pairs", "Across the sockets, staged"
    kind: Kind
    results: Sequence[CopyResult]
    rate: float | None  # the median
    share: float | None

    @property
    def pairs(self) -> Sequence[Cell]:
        return [_cell(each) for each in self.results]


def findings(results: Iterable[CopyResult]) -> list[Finding]:
    """The gravest first, and then by their devices, in whichever order they were measured."""
    seen = _Seen(sorted(results, key=_place))
    for rule in _RULES:
        seen.found += rule(seen)
    return seen.found


def the_rest(results: Iterable[CopyResult], found: Iterable[Finding]) -> list[Kin]:
    """What nothing is to be said about, summed up by kind."""
    grave = {Matter.WRONG, Matter.DIRECT_SLOWER, Matter.NARROW, Matter.FAR_BELOW}
    known = {cell for each in found if each.matter in grave for cell in each.cells}
    return _kin_of(
        each
        for each in results
        if _cell(each) not in known and each.measured and not each.wrong
    )


@dataclass
class _Seen:
    """All results, and what was found of them so far."""

    results: Sequence[CopyResult]

    def __post_init__(self) -> None:
        self.found: list[Finding] = []
        self.large = [each for each in self.results if _is_large(each)]

    @property
    def explained(self) -> set[Cell]:
        return {cell for each in self.found for cell in each.cells}

    @cached_property
    def _by_kind(self) -> dict[tuple[object, ...], CopyResult]:
        return {
            (_cell(each), kind_of(each.job), *_much(each)): each
            for each in self.results
            if each.rate is not None
        }

    def like(self, result: CopyResult, kind: Kind, *, back: bool = False) -> CopyResult | None:
        """As many bytes between the same two, in another way."""
        cell = _cell(result)[::-1] if back else _cell(result)
        much = (result.job.bytes, 1, ()) if kind is Kind.STAGED else _much(result)
        return self._by_kind.get((cell, kind, *much))


def _wrong(seen: _Seen) -> Iterator[Finding]:
    wrong: dict[Cell, CopyResult] = {}
    for each in seen.results:
        if each.wrong:
            wrong.setdefault(_cell(each), each)
    by_the_host = {_cell(e) for e in seen.results if e.wrong and e.direct is False}
    for cell, result in wrong.items():
        sentence = Message("What arrived is not what was sent. A wrong copy has no rate.")
        if result.seen.wrong:
            sentence = wrong_in_words(result.seen.wrong[-1], result.bytes)
        staged = None if cell in by_the_host else seen.like(result, Kind.STAGED)
        if staged is not None:
            host = mark("Through host memory: {rate} GB/s one way, not checked.")
            if staged.modelled:
                host = mark("Through host memory: {rate} GB/s one way, modelled.")
            if staged.seen.intact:
                host = mark("Through host memory it is intact: {rate} GB/s one way.")
            sentence = told(sentence, Message(host, rate=gbs(staged.rate or 0.0)))
        both = result.job.both_ways
        title = Message("Arrives WRONG")
        yield Finding(
            Matter.WRONG,
            Message("Arrives WRONG, both ways at once") if both else title,
            sentence,
            (cell,),
            hint=advice(*cell, staged=cell in by_the_host),
            instead=staged,
            both_ways=both,
            detour=HOST not in cell and not result.job.local and cell not in by_the_host,
        )


def wrong_in_words(wrong: Wrong, size: int) -> Message:
    sentence = mark(
        "In {rounds} of {checked} rounds, {wrong} of {size} bytes came otherwise than they "
        "were sent, the first at byte {first}. A wrong copy has no rate."
    )
    if wrong.zeros:
        sentence = mark(
            "In {rounds} of {checked} rounds, {wrong} of {size} bytes came as zeros, the first "
            "at byte {first}. A wrong copy has no rate."
        )
    return Message(
        sentence,
        rounds=wrong.rounds,
        checked=wrong.checked,
        wrong=grouped(wrong.bytes),
        size=grouped(size),
        first=grouped(wrong.first),
    )


def advice(source: str, target: str, *, staged: bool) -> Message:
    """What to do about a copy that arrived wrong, by the way that its bytes took. `staged`:
    through host memory, whether on purpose or since there is no direct way.
    """
    if source == target == HOST:
        return Message(
            "No card takes part: test the memory of the computer, then measure again."
        )
    if source == target:
        return Message(
            "No wire takes part: look for errors of the card's memory (ECC), set its clocks "
            "back to what its maker meant, try another driver, then measure again."
        )
    if HOST in (source, target):
        return Message(
            "Try another driver, start Linux with iommu=pt, look for PCIe errors of the card, "
            "its riser and the memory of the computer, then measure again."
        )
    if staged:
        return Message(
            "It went through host memory already, so no other way is left. Try another driver, "
            "start Linux with iommu=pt, look for PCIe errors of both cards, their risers and "
            "the memory of the computer, then measure again."
        )
    return Message(
        "The IOMMU may redirect copies between cards: turn ACS off in the firmware or start "
        "Linux with iommu=pt, try another driver, then measure again."
    )


def _direct_slower(seen: _Seen) -> Iterator[Finding]:
    for result in seen.large:
        staged, limit = seen.like(result, Kind.STAGED), result.limit
        if not result.seen.direct or kind_of(result.job) is not Kind.ONE_WAY or staged is None:
            continue
        slow, fast = result.rate or 0.0, staged.rate or 0.0
        if slow < _SLOWER * fast:
            reached = gbs(fast)
            if limit is not None:
                reached = Message("{rate} of {limit}", rate=reached, limit=gbs(limit))
            yield Finding(
                Matter.DIRECT_SLOWER,
                Message("Direct is slower here"),
                Message(
                    "Staged {staged} GB/s one way, direct {direct}. PyTorch takes the direct "
                    "path as soon as there is one.",
                    staged=reached,
                    direct=gbs(slow),
                ),
                (_cell(result),),
                bars=(Bar(Message("Staged"), fast, limit), Bar(Message("Direct"), slow, limit)),
                instead=staged,
            )


def _narrow(seen: _Seen) -> Iterator[Finding]:
    of_narrow: dict[str, tuple[Narrow, list[CopyResult]]] = {}
    for result in seen.large:
        if result.route is not None and kind_of(result.job) is Kind.ONE_WAY:
            for narrow in result.route.narrow:
                of_narrow.setdefault(narrow.device, (narrow, []))[1].append(result)
    for device, (narrow, group) in of_narrow.items():
        rates, limit = _rates(group), group[0].limit
        # Where copies are faster than that, the link has woken up since it was read.
        if max(each.share or 0.0 for each in group) > 1.0:
            continue
        reached = Message(
            "{rates} GB/s one way on every PCIe path: {share:.0f} % of what that carries.",
            rates=_from_to(rates),
            share=max(each.share or 0.0 for each in group) * 100,
        )
        could = Message("The card could do {could}.", could=narrow.could)
        if narrow.slot:
            could = Message("Card and slot could do {could}.", could=narrow.could)
        yield Finding(
            Matter.NARROW,
            Message("Runs at {runs}", runs=narrow.runs),
            told(reached, could),
            _cells(group),
            (device,),
            Message("Reseat the card, or look for lane splitting in the firmware."),
            (Bar(Message("Measured"), max(rates), limit),),
        )


def _far_below(seen: _Seen) -> Iterator[Finding]:
    """A card of whose paths most are slow, and then the pairs that no such card explains."""
    explained, low, among = seen.explained, list[tuple[CopyResult, Kin]](), list[CopyResult]()
    for kin in _kin_of(seen.large):
        if len(kin.results) >= _ENOUGH_KIN and kin.rate:
            among += kin.results
            low += [
                (each, kin)
                for each in kin.results
                if (each.rate or 0.0) < _FAR_BELOW * kin.rate and _cell(each) not in explained
            ]
    for device in dict.fromkeys(name for each, _ in low for name in _cell(each)):
        own = [pair for pair in low if device in _cell(pair[0])]
        all_own = [each for each in among if device in _cell(each) and not each.job.local]
        if len(own) < _ENOUGH_KIN or len(own) < _MOST_OF_THEM * len(all_own):
            continue
        low = [pair for pair in low if pair not in own]
        rates, usual = _rates(each for each, _ in own), [kin.rate or 0.0 for _, kin in own]
        yield Finding(
            Matter.FAR_BELOW,
            Message("Slower than others of its kind"),
            Message(
                "{rates} {unit} on {paths} paths, where others reach {usual}.",
                rates=_from_to(rates),
                unit=_unit(each for each, _ in own),
                paths=len(own),
                usual=_from_to(usual),
            ),
            _cells(each for each, _ in own),
            (device,),
            _where_to_look([each for each, _ in own]),
            (Bar(Message("Measured"), max(rates)), Bar(Message("Others"), max(usual))),
        )
    for result, kin in low:
        kind, unit = kind_of(result.job), result.unit
        if kind is not Kind.ONE_WAY:
            unit = Message("{unit} ({kind})", unit=unit, kind=kind.value)
        yield Finding(
            Matter.FAR_BELOW,
            Message("Far below others of its kind"),
            Message(
                "{rate} {unit}, where the median of {others} like it is {usual}.",
                rate=gbs(result.rate or 0.0),
                unit=unit,
                others=len(kin.results),
                usual=gbs(kin.rate or 0.0),
            ),
            (_cell(result),),
            bars=(
                Bar(Message("Measured"), result.rate or 0.0, result.limit),
                Bar(Message("Others"), kin.rate or 0.0),
            ),
        )


def _where_to_look(results: Sequence[CopyResult]) -> Message:
    """Before its slot is blamed: was the memory of the host close to it?"""
    near = {
        each.measured.near
        for each in results
        if each.job.touches_host and each.measured is not None and not each.modelled
    }
    if not near:
        return Message("Look at its slot, and at what else uses it.")
    if near == {True}:
        return Message(
            "The host's memory lay close to it, so look at its slot, and at what else uses it."
        )
    return Message(
        "It is not known whether the host's memory lay close to it; with several processors "
        "that alone can be the reason. If it is not, look at its slot, and at what else uses "
        "it."
    )


def _asymmetric(seen: _Seen) -> Iterator[Finding]:
    explained = seen.explained
    for result in seen.large:
        cell, back = _cell(result), seen.like(result, Kind.ONE_WAY, back=True)
        if back is None or {cell, cell[::-1]} & explained:
            continue
        slow, fast = result.rate or 0.0, back.rate or 0.0
        if kind_of(result.job) is Kind.ONE_WAY and slow < _LOPSIDED * fast:
            yield Finding(
                Matter.ASYMMETRIC,
                Message("Slower than the way back"),
                Message(
                    "{there} GB/s there, {back} GB/s back.", there=gbs(slow), back=gbs(fast)
                ),
                (cell, cell[::-1]),
                bars=(
                    Bar(Message("There"), slow, result.limit),
                    Bar(Message("Back"), fast, back.limit),
                ),
            )


@dataclass(frozen=True)
class _OfAll:
    """A rule that is told once of all copies of which it holds."""

    matter: Matter
    holds: Callable[[CopyResult], bool]
    title: str
    sentence: str
    cure: str = ""

    def __call__(self, seen: _Seen) -> Iterator[Finding]:
        if group := [each for each in seen.results if self.holds(each)]:
            least = min(group, key=lambda each: each.bytes)
            sentence = Message(
                self.sentence,
                rates=_from_to(_rates(group)),
                unit=_unit(group),
                limits=_from_to([each.limit for each in group if each.limit is not None]),
                varied=max(each.variation or 0.0 for each in group) * 100,
                overlaps=_from_to([(each.overlap or 0.0) * 100 for each in group], "{:.0f}"),
                size=str(memory(least.bytes)),
                asked=str(memory(least.job.bytes)),
            )
            cure = Message(self.cure) if self.cure else NOTHING
            yield Finding(self.matter, Message(self.title), sentence, _cells(group), hint=cure)


def _pageable(seen: _Seen) -> Iterator[Finding]:
    dear: list[tuple[float, float]] = []
    cells: list[Cell] = []
    for result in seen.large:
        pinned = seen.like(result, Kind.ONE_WAY)
        if kind_of(result.job) is not Kind.PAGEABLE or pinned is None or not pinned.job.pinned:
            continue
        if (result.rate or 0.0) < _DEARER * (pinned.rate or 0.0):
            dear.append((result.rate or 0.0, pinned.rate or 0.0))
            cells.append(_cell(result))
    if not dear:
        return
    slow, fast = map(list, zip(*dear, strict=True))
    times = [much / little for little, much in dear if little]
    yield Finding(
        Matter.PAGEABLE,
        Message("Memory that is not pinned is slow"),
        Message(
            "{slow} GB/s one way, where pinned memory reaches {fast}: it takes {times} times "
            "as long.",
            slow=_from_to(slow),
            fast=_from_to(fast),
            times=_from_to(times, "{:.1f}"),
        ),
        tuple(dict.fromkeys(cells)),
        hint=Message("Pin what is copied again and again, once: pin_memory()."),
        bars=(Bar(Message("Not pinned"), max(slow)), Bar(Message("Pinned"), max(fast))),
    )


def _busy(seen: _Seen) -> Iterator[Finding]:
    group = [each for each in seen.results if each.busy and each.measured is not None]
    most: dict[str, float] = {}
    for each in (busy for result in group for busy in result.busy):
        most[each.device] = max(each.share, most.get(each.device, 0.0))
    if most:
        shares = ", ".join(f"{share * 100:.0f} %" for share in most.values())
        yield Finding(
            Matter.BUSY,
            Message("Busy while it was measured: {shares}", shares=shares),
            Message.counted(
                "Other programs used it meanwhile, so these figures may be too low.",
                "Other programs used them meanwhile, so these figures may be too low.",
                len(most),
            ),
            _cells(group),
            tuple(most),
            Message("Measure again when nothing else runs."),
        )


def _not_measured(seen: _Seen) -> Iterator[Finding]:
    alike = defaultdict[tuple[Message, Message], list[CopyResult]](list)
    for result in seen.results:
        if result.measured is None:
            alike[result.failure, result.hint].append(result)
    for (failure, hint), group in alike.items():
        title = Message("Not measured")
        yield Finding(Matter.NOT_MEASURED, title, failure, _cells(group), hint=hint)


_RULES: tuple[Callable[[_Seen], Iterator[Finding]], ...] = (
    _wrong,
    _direct_slower,
    _narrow,
    _far_below,
    _asymmetric,
    _OfAll(  # then something that was told of the wire is not so
        Matter.FASTER,
        lambda each: _is_large(each) and (each.share or 0.0) > _FASTER,
        mark("Faster than the wire could carry"),
        mark("{rates} {unit}, where {limits} are the limit."),
        mark("What the driver reports of the link, or the datasheet, may be too low."),
    ),
    _pageable,
    _busy,
    _OfAll(
        Matter.UNSTEADY,
        lambda each: _is_large(each) and (each.variation or 0.0) > _UNSTEADY,
        mark("Varied from sample to sample"),
        mark(
            "By up to {varied:.0f} % (standard deviation): something else used the way "
            "meanwhile."
        ),
        mark("Close what else runs, and measure again."),
    ),
    _OfAll(
        Matter.NOT_AT_ONCE,
        lambda each: not each.at_once,
        mark("Not at the same time"),
        mark(
            "Asked for at once, these copies were under way together for {overlaps} % of the "
            "shortest: their rates must not be added up."
        ),
    ),
    _OfAll(
        Matter.FEWER_BYTES,
        lambda each: each.bytes < each.job.bytes,
        mark("Fewer bytes were copied than asked for"),
        mark(
            "{size} instead of {asked}: more would have taken too much of the memory that is "
            "free."
        ),
        mark("End what holds the memory, and measure again."),
    ),
    _not_measured,
)


def _is_large(result: CopyResult) -> bool:
    """Small copies, and those within a cache, are left out where only rates are compared."""
    large = result.job.bytes >= _LARGE and not result.in_cache
    return large and result.rate is not None


def _kin_of(results: Iterable[CopyResult]) -> list[Kin]:
    """In the order in which their first ones came."""
    groups = defaultdict[tuple[object, ...], list[CopyResult]](list)
    for each in results:
        # What latency is compared by is not what the wire could carry.
        limit = None if each.limit is None else round(each.limit)
        groups[_way_of(each), kind_of(each.job), *_much(each), limit].append(each)
    return [
        Kin(
            _way_of(group[0]),
            kind_of(group[0].job),
            tuple(group),
            _median([each.rate for each in group]),
            _median([each.share for each in group]),
        )
        for group in groups.values()
    ]


def _way_of(result: CopyResult) -> Message:
    """The kind of way this one takes."""
    job, route = result.job, result.route
    if job.local:
        return Message("Inside the host") if job.source == HOST else Message("Inside a card")
    if job.source == HOST:
        return Message("Host to card")
    if job.target == HOST:
        return Message("Card to host")
    if route is None:
        return Message("Card to card")
    wires, staged = {leg.wire for leg in route.legs}, route.direct is False
    if Wire.NVLINK in wires:
        return Message("NVLink pairs")
    if Wire.SOCKETS in wires:
        across = Message("Across the sockets")
        return Message("Across the sockets, staged") if staged else across
    if route.way is Way.SWITCH:
        return Message("On one PCIe switch")
    return Message("Inside one socket, staged") if staged else Message("Inside one socket")


def _place(result: CopyResult) -> tuple[object, ...]:
    ends = [index_of(each) for each in _cell(result)]
    named = [(each is None, each or 0) for each in ends]
    return (*named, *_cell(result), kind_of(result.job), *_much(result))


def _much(result: CopyResult) -> tuple[object, ...]:
    return result.job.bytes, result.job.pieces, result.job.beside


def _cell(result: CopyResult) -> Cell:
    return result.job.source, result.job.target


def _cells(results: Iterable[CopyResult]) -> tuple[Cell, ...]:
    """Each once."""
    return tuple(dict.fromkeys(map(_cell, results)))


def _rates(results: Iterable[CopyResult]) -> list[float]:
    return [each.rate for each in results if each.rate is not None]


def _median(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return statistics.median(known) if known else None


def _unit(results: Iterable[CopyResult]) -> Message:
    """Of their rates: which way is meant, where all mean the same."""
    units = {each.unit for each in results}
    return units.pop() if len(units) == 1 else Message("GB/s")


def _from_to(values: Sequence[float], form: str = "") -> str:
    """In GB/s, unless a form says otherwise."""
    if not values:
        return ""
    ends = min(values), max(values)
    least, most = (form.format(each) if form else gbs(each) for each in ends)
    return least if least == most else Message("{least} to {most}", least=least, most=most)
