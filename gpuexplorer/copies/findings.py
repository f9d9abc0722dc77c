"""What stands out among measured copies: a table of rules, each with its sentence and cure; and
what nothing is to be said about, summed up by the kind of way.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import NamedTuple, TypeAlias

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


class Finding(NamedTuple):
    """`title` is a heading: what stands out, without where. `sentence` has the figures."""

    matter: "Matter"
    title: Message
    sentence: Message
    cells: Sequence[Cell] = ()
    devices: Sequence[str] = ()  # where it is about devices, and not about pairs
    hint: Message = NOTHING
    instead: CopyResult | None = None  # of a wrong or slow copy: the same bytes, staged
    both_ways: bool = False  # of a wrong copy: while the other direction was copied, too
    detour: bool = False  # of a wrong copy between cards: another way is left, through the host


class Kin(NamedTuple):
    """Results of one kind, which ought to be equally fast. None: none has such a figure."""

    words: Message  # "NVLink pairs", "Across the sockets, staged"
    kind: Kind
    results: Sequence[CopyResult]
    rate: float | None  # the median
    share: float | None


def findings(results: Iterable[CopyResult]) -> list[Finding]:
    """The gravest first, and then by their devices, in whichever order they were measured."""
    seen = _Seen(sorted(results, key=_place))
    for matter in Matter:
        seen.found += matter.cases(matter, seen)
    return seen.found


def the_rest(results: Iterable[CopyResult], found: Iterable[Finding]) -> list[Kin]:
    """What nothing is to be said about, summed up by kind."""
    known = {cell for each in found if each.matter.grave for cell in each.cells}
    good = (each for each in results if each.measured and not each.wrong)
    return _kin_of(each for each in good if _cell(each) not in known)


class _Seen:
    """All results, and what was found of them so far."""

    def __init__(self, results: Sequence[CopyResult]) -> None:
        self.results, self.found = results, list[Finding]()
        self.large = [each for each in results if _is_large(each)]
        self._by_kind = {
            (_cell(each), kind_of(each.job), *_much(each)): each
            for each in results
            if each.rate is not None
        }

    @property
    def explained(self) -> set[Cell]:
        return {cell for each in self.found for cell in each.cells}

    def beside(
        self, kind: Kind, other: Kind = Kind.ONE_WAY, *, back: bool = False
    ) -> Iterator[tuple[CopyResult, float, CopyResult, float]]:
        """Large copies of one kind with their rates, each beside as many bytes between the same
        two in another way.
        """
        for each in self.large:
            cell = _cell(each)[::-1] if back else _cell(each)
            if kind_of(each.job) is kind and (like := self.like(each, cell, other)):
                yield each, each.rate or 0.0, like, like.rate or 0.0

    def like(self, result: CopyResult, cell: Cell, kind: Kind) -> CopyResult | None:
        much = (result.job.bytes, 1, ()) if kind is Kind.STAGED else _much(result)
        return self._by_kind.get((cell, kind, *much))


_Cases: TypeAlias = "Callable[[Matter, _Seen], Iterator[Finding]]"


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
    many = {"wrong": wrong.bytes, "size": size, "first": wrong.first}
    told = {name: grouped(value) for name, value in many.items()}
    return Message(sentence, rounds=wrong.rounds, checked=wrong.checked, **told)


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
    if staged or HOST in (source, target):
        only = Message("It went through host memory already, so no other way is left.")
        cure = Message(
            "Try another driver, start Linux with iommu=pt, look for PCIe errors of the cards, "
            "their risers and the memory of the computer, then measure again."
        )
        return cure if HOST in (source, target) else told(only, cure)
    return Message(
        "The IOMMU may redirect copies between cards: turn ACS off in the firmware or start "
        "Linux with iommu=pt, try another driver, then measure again."
    )


def _wrong(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    wrong = [each for each in seen.results if each.wrong]
    by_the_host = {_cell(each) for each in wrong if each.direct is False}
    for cell, (result, *_) in groupby(wrong, _cell):
        host, among_cards = NOTHING, HOST not in cell and not result.job.local
        staged = None if cell in by_the_host else seen.like(result, cell, Kind.STAGED)
        if staged is not None:
            checked = mark("modelled") if staged.modelled else mark("not checked")
            how = Message(mark("intact") if staged.seen.intact else checked)
            said = mark("Through host memory: {rate} GB/s one way, {how}.")
            host = Message(said, rate=gbs(staged.rate or 0.0), how=how)
        what = (wrong_in_words(each, result.bytes) for each in result.seen.wrong)
        both, staged_there = result.job.both_ways, cell in by_the_host
        cure = advice(*cell, staged=staged_there)
        found = matter.finding([result], what=told(*what, host), cure=cure)
        if both:
            found = found._replace(title=Message("Arrives WRONG, both ways at once"))
        detour = among_cards and not staged_there
        yield found._replace(instead=staged, both_ways=both, detour=detour)


def _direct_slower(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    for result, slow, staged, fast in seen.beside(Kind.ONE_WAY, Kind.STAGED):
        if result.seen.direct and slow < _SLOWER * fast:
            limit, reached = result.limit, gbs(fast)
            if limit is not None:
                reached = Message("{rate} of {limit}", rate=reached, limit=gbs(limit))
            found = matter.finding([result], staged=reached, direct=gbs(slow))
            yield found._replace(instead=staged)


def _narrow(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    groups = defaultdict[Narrow, list[CopyResult]](list)
    for result in seen.large:
        if result.route is not None and kind_of(result.job) is Kind.ONE_WAY:
            for narrow in result.route.narrow:
                groups[narrow].append(result)
    for narrow, group in groups.items():
        share = max(each.share or 0.0 for each in group)
        # Where copies are faster than that, the link has woken up since it was read.
        if share <= 1.0:
            values = {"runs": narrow.runs, "narrow": narrow.sentence, "share": share * 100}
            yield matter.finding(group, (narrow.device,), **values)


def _slow(seen: _Seen) -> list[tuple[CopyResult, Kin]]:
    """What is far below its kin, and that no other finding explains."""
    explained = seen.explained
    return [
        (each, kin)
        for kin in _kin_of(seen.large)
        for each in kin.results
        if len(kin.results) >= _ENOUGH_KIN
        and (each.rate or 0.0) < _FAR_BELOW * (kin.rate or 0.0)
        and _cell(each) not in explained
    ]


def _slow_cards(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    """Of whose paths most are slow."""
    slow = _slow(seen)
    paths = Counter(end for each in seen.large if not each.job.local for end in _cell(each))
    for device in dict.fromkeys(end for each, _ in slow for end in _cell(each)):
        own = [(each, kin) for each, kin in slow if device in _cell(each)]
        if len(own) < max(_ENOUGH_KIN, _MOST_OF_THEM * paths[device]):
            continue
        slow = [(each, kin) for each, kin in slow if device not in _cell(each)]
        group, usual = [each for each, _ in own], [kin.rate or 0.0 for _, kin in own]
        yield matter.finding(group, (device,), paths=len(own), usual=_from_to(usual))


def _slow_pairs(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    for result, kin in _slow(seen):
        unit, usual = result.unit, gbs(kin.rate or 0.0)
        if kin.kind is not Kind.ONE_WAY:
            unit = Message("{unit} ({kind})", unit=unit, kind=kin.kind.value)
        yield matter.finding([result], unit=unit, others=len(kin.results), usual=usual)


def _asymmetric(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    explained = seen.explained
    for result, slow, back, fast in seen.beside(Kind.ONE_WAY, back=True):
        if slow < _LOPSIDED * fast and not {_cell(result), _cell(back)} & explained:
            yield matter.finding([result, back], there=gbs(slow), back=gbs(fast))


def _pageable(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    dear = [
        (each, fast, fast / slow)
        for each, slow, pinned, fast in seen.beside(Kind.PAGEABLE)
        if pinned.job.pinned and slow < _DEARER * fast
    ]
    if dear:
        group, fast, times = map(list, zip(*dear, strict=True))
        yield matter.finding(group, fast=_from_to(fast), times=_from_to(times, "{:.1f}"))


def _busy(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    group = [each for each in seen.results if each.busy and each.measured is not None]
    most: dict[str, float] = {}
    for device, share in (busy for result in group for busy in result.busy):
        most[device] = max(share, most.get(device, 0.0))
    if most:
        shares = ", ".join(f"{share * 100:.0f} %" for share in most.values())
        yield matter.finding(group, tuple(most), shares=shares)


def _not_measured(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
    alike = defaultdict[tuple[Message, Message], list[CopyResult]](list)
    for result in seen.results:
        if result.measured is None:
            alike[result.failure, result.hint].append(result)
    for (failure, hint), group in alike.items():
        yield matter.finding(group, failure=failure, cure=hint)


def _all_that(holds: Callable[[CopyResult], bool]) -> _Cases:
    """What is told once of all copies of which something holds."""

    def cases(matter: "Matter", seen: _Seen) -> Iterator[Finding]:
        if group := [each for each in seen.results if holds(each)]:
            least = min(group, key=lambda each: each.bytes)
            yield matter.finding(
                group,
                limits=_from_to([each.limit for each in group if each.limit is not None]),
                varied=max(each.variation or 0.0 for each in group) * 100,
                overlaps=_from_to([(each.overlap or 0.0) * 100 for each in group], "{:.0f}"),
                size=str(memory(least.bytes)),
                asked=str(memory(least.job.bytes)),
            )

    return cases


class Matter(Enum):
    """What can stand out, the gravest first: who finds it, a title, a sentence and a cure."""

    WRONG = (_wrong, mark("Arrives WRONG"), "{what}", "{cure}")
    DIRECT_SLOWER = (
        _direct_slower,
        mark("Direct is slower here"),
        mark(
            "Staged {staged} GB/s one way, direct {direct}. PyTorch takes the direct path as "
            "soon as there is one."
        ),
    )
    NARROW = (
        _narrow,
        mark("Runs at {runs}"),
        mark(
            "{rates} GB/s one way on every PCIe path: {share:.0f} % of what that carries. "
            "{narrow}"
        ),
        mark("Reseat the card, or look for lane splitting in the firmware."),
    )
    SLOW_CARD = (
        _slow_cards,
        mark("Slower than others of its kind"),
        mark("{rates} {unit} on {paths} paths, where others reach {usual}."),
        mark(
            "Look at its slot, at what else uses it, and, with several processors, whether the "
            "host's memory lies close to it."
        ),
    )
    FAR_BELOW = (
        _slow_pairs,
        mark("Far below others of its kind"),
        mark("{rates} {unit}, where the median of {others} like it is {usual}."),
    )
    ASYMMETRIC = (
        _asymmetric,
        mark("Slower than the way back"),
        mark("{there} GB/s there, {back} GB/s back."),
    )
    # Then something that was told of the wire is not so.
    FASTER = (
        _all_that(lambda each: _is_large(each) and (each.share or 0.0) > _FASTER),
        mark("Faster than the wire could carry"),
        mark("{rates} {unit}, where {limits} are the limit."),
        mark("What the driver reports of the link, or the datasheet, may be too low."),
    )
    PAGEABLE = (
        _pageable,
        mark("Memory that is not pinned is slow"),
        mark(
            "{rates} GB/s one way, where pinned memory reaches {fast}: it takes {times} times "
            "as long."
        ),
        mark("Pin what is copied again and again, once: pin_memory()."),
    )
    BUSY = (
        _busy,
        mark("Busy while it was measured: {shares}"),
        mark("Other programs ran there meanwhile, so these figures may be too low."),
        mark("Measure again when nothing else runs."),
    )
    UNSTEADY = (
        _all_that(lambda each: _is_large(each) and (each.variation or 0.0) > _UNSTEADY),
        mark("Varied from sample to sample"),
        mark(
            "By up to {varied:.0f} % (standard deviation): something else used the way "
            "meanwhile."
        ),
        mark("Close what else runs, and measure again."),
    )
    NOT_AT_ONCE = (
        _all_that(lambda each: not each.at_once),
        mark("Not at the same time"),
        mark(
            "Asked for at once, these copies were under way together for {overlaps} % of the "
            "shortest: their rates must not be added up."
        ),
    )
    FEWER_BYTES = (
        _all_that(lambda each: each.bytes < each.job.bytes),
        mark("Fewer bytes were copied than asked for"),
        mark(
            "{size} instead of {asked}: more would have taken too much of the memory that is "
            "free."
        ),
        mark("End what holds the memory, and measure again."),
    )
    NOT_MEASURED = (_not_measured, mark("Not measured"), "{failure}", "{cure}")

    def __init__(self, cases: _Cases, title: str, sentence: str, cure: str = "") -> None:
        self.cases = cases
        self.texts = title, sentence, cure

    @property
    def grave(self) -> bool:
        """Nothing more is said of where it is."""
        slow = (Matter.DIRECT_SLOWER, Matter.NARROW, Matter.SLOW_CARD, Matter.FAR_BELOW)
        return self in (Matter.WRONG, *slow)

    def finding(
        self, about: Iterable[CopyResult], devices: Sequence[str] = (), **values: object
    ) -> Finding:
        results = list(about)
        units = {each.unit for each in results}
        values = {
            "rates": _from_to([each.rate for each in results if each.rate is not None]),
            # Which way is meant, where all mean the same.
            "unit": units.pop() if len(units) == 1 else Message("GB/s"),
            **values,
        }
        title, sentence, cure = (Message(each, **values) for each in self.texts)
        cells = tuple(dict.fromkeys(map(_cell, results)))
        return Finding(self, title, sentence, cells, devices, cure)


def _kin_of(results: Iterable[CopyResult]) -> list[Kin]:
    """In the order in which their first ones came."""
    groups = defaultdict[tuple[object, ...], list[CopyResult]](list)
    for each in results:
        # What latency is compared by is not what the wire could carry.
        limit = None if each.limit is None else round(each.limit)
        groups[_way_of(each), kind_of(each.job), *_much(each), limit].append(each)
    found = []
    for group in groups.values():
        rates = [each.rate for each in group if each.rate is not None]
        shares = [each.share for each in group if each.share is not None]
        rate, share = (statistics.median(known) if known else None for known in (rates, shares))
        found.append(Kin(_way_of(group[0]), kind_of(group[0].job), tuple(group), rate, share))
    return found


def _way_of(result: CopyResult) -> Message:
    """The kind of way this one takes."""
    job, route = result.job, result.route
    if job.local:
        return Message("Inside the host") if job.source == HOST else Message("Inside a card")
    if job.touches_host:
        return Message("Host to card") if job.source == HOST else Message("Card to host")
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


def _is_large(result: CopyResult) -> bool:
    """Small copies, and those within a cache, are left out where only rates are compared."""
    large = result.job.bytes >= _LARGE and not result.in_cache
    return large and result.rate is not None


def _place(result: CopyResult) -> tuple[object, ...]:
    ends = (index_of(each) or 0 for each in _cell(result))
    return (*ends, *_cell(result), kind_of(result.job), *_much(result))


def _much(result: CopyResult) -> tuple[object, ...]:
    return result.job.bytes, result.job.pieces, result.job.beside


def _cell(result: CopyResult) -> Cell:
    return result.job.source, result.job.target


def _from_to(values: Sequence[float], form: str = "") -> str:
    """In GB/s, unless a form says otherwise."""
    if not values:
        return ""
    ends = min(values), max(values)
    least, most = (form.format(each) if form else gbs(each) for each in ends)
    return least if least == most else Message("{least} to {most}", least=least, most=most)
