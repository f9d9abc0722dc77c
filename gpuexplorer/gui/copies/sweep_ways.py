"""SweepWay: one way of the bytes that is measured over many sizes, and what it is called."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gpuexplorer.copies.jobs import HOST, Kind, job_of, sweep_sizes
from gpuexplorer.copies.routes import Route, Wire
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.lab.wire import CopyJob

SIZES = sweep_sizes()
_KINDS = (Kind.ONE_WAY, Kind.PAGEABLE, Kind.STAGED)
# Whole lines for what goes straight there; the others are told apart without their colour.
_DASH_OF = {Kind.PAGEABLE: 4, Kind.STAGED: 2}
_DASHES = 8
_HOW = {Kind.PAGEABLE: mark("pageable"), Kind.STAGED: mark("staged")}


@dataclass(frozen=True, slots=True)
class SweepWay:
    """From one device to another, and how."""

    source: str  # "cpu", "cuda:0"
    target: str
    kind: Kind = Kind.ONE_WAY

    @property
    def with_host(self) -> bool:
        return (self.source == HOST) != (self.target == HOST)

    def job(self, size: int) -> CopyJob | None:
        return job_of(self.kind, self.source, self.target, size)


def jobs_of(ways: Iterable[SweepWay], sizes: Sequence[int] = SIZES) -> list[CopyJob]:
    """Small sizes first, so that all curves grow beside each other."""
    asked = list(ways)
    jobs = (way.job(size) for size in sizes for way in asked)
    return [job for job in jobs if job is not None]


def kinds_between(source: str, target: str) -> Sequence[Kind]:
    """How it can be copied between these two."""
    return [kind for kind in _KINDS if job_of(kind, source, target) is not None]


def proposed(
    devices: Sequence[BenchDevice], routes: Mapping[tuple[str, str], Route | None]
) -> Sequence[SweepWay]:
    """A few that show what matters most on these devices."""
    cards = [each.name for each in devices if each.is_card]
    if not cards:
        return [SweepWay(each.name, each.name) for each in devices if each.is_host]
    first = cards[0]
    ways = [SweepWay(HOST, first), SweepWay(HOST, first, Kind.PAGEABLE)]
    if len(cards) == 1:
        return [*ways, SweepWay(first, HOST), SweepWay(first, first)]
    pair = (first, cards[1])
    ways.append(SweepWay(*pair))
    route = routes.get(pair)
    # Where the driver itself goes through the host, staging by hand would be the same again.
    if route is None or route.direct is not False:
        ways.append(SweepWay(*pair, Kind.STAGED))
    else:
        ways.append(SweepWay(first, HOST))
    return ways


def ends_words(source: str, target: str, chips: Mapping[str, str]) -> str:
    """Such as "host to 0"; `chips` are the devices' numbers in this window."""
    if source != target:
        values = {"source": place_words(source, chips), "target": place_words(target, chips)}
        return tr("{source} to {target}", **values)
    if source == HOST:
        return tr("inside the host")
    return tr("inside {device}", device=place_words(source, chips))


def place_words(device: str, chips: Mapping[str, str]) -> str:
    return tr("host") if device == HOST else chips.get(device, device)


def how_words(way: SweepWay, route: Route | None = None) -> str:
    """Empty where there is but one way, or nobody can tell which it is."""
    if way.kind is Kind.ONE_WAY:
        if way.with_host:
            return tr("pinned")
        return "" if way.source == way.target else _path(route)
    return tr(_HOW[way.kind])


def kind_words(kind: Kind, source: str, target: str) -> str:
    """For somebody who chooses."""
    way = SweepWay(source, target, kind)
    said = how_words(way)
    if said:
        return said
    return tr("inside") if source == target else tr("as PyTorch copies")


def dashes_of(ways: Sequence[SweepWay]) -> list[int]:
    """One for each: whole where the way is straight, and never twice in one colour."""
    taken: set[tuple[str, int]] = set()
    dashes = []
    for way in ways:
        wanted = _DASH_OF.get(way.kind, 0)
        order = [wanted, *(each for each in range(_DASHES) if each != wanted)]
        dash = next((each for each in order if (way.source, each) not in taken), wanted)
        taken.add((way.source, dash))
        dashes.append(dash)
    return dashes


def next_way(ways: Sequence[SweepWay], devices: Sequence[BenchDevice]) -> SweepWay | None:
    """What somebody may want to add; None where all there is has been chosen."""
    names = [each.name for each in devices]
    cards = [each for each in names if each != HOST]
    outward = [(HOST, card) for card in cards]
    homeward = [(card, HOST) for card in cards]
    pairs = [pair for two in zip_longest(homeward, outward) for pair in two if pair]
    pairs += [(one, other) for one in cards for other in cards]
    pairs += [(each, each) for each in names]
    for pair in pairs:
        for kind in kinds_between(*pair):
            way = SweepWay(pair[0], pair[1], kind)
            if way not in ways:
                return way
    return None


def _path(route: Route | None) -> str:
    if route is None or route.direct is None:
        return ""
    if route.direct is False:
        return tr("through the host")
    over_nvlink = any(leg.wire is Wire.NVLINK for leg in route.legs)
    return "NVLink" if over_nvlink else tr("direct")
