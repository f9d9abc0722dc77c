"""WayStops: the places on the way of the bytes by name, and what joins each with the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.copies.matrix.question import Head
from gpuexplorer.gui.wording.machine.machine_faces import HUB_WORDS, JUNCTION_WORDS
from gpuexplorer.telemetry.machine_shape import MachineShape


@dataclass(frozen=True, slots=True)
class Stop:
    """A device with its chip, or a place between devices with its name."""

    words: str
    chip: str = ""
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one stop to the next. Without a rate nobody tells it."""

    words: str
    rate: float | None
    narrowest: bool

    @property
    def rate_words(self) -> str:
        return "" if self.rate is None else f"{gigabytes_per_second(self.rate)} GB/s"


@dataclass(frozen=True, slots=True)
class WayStops:
    """One stretch less than stops; nothing where nothing is known, or nothing is crossed."""

    stops: Sequence[Stop] = ()
    stretches: Sequence[Stretch] = ()

    @property
    def said(self) -> str:
        parts = [self.stops[0].words] if self.stops else []
        for stretch, stop in zip(self.stretches, self.stops[1:], strict=True):
            wire = stretch.words
            if stretch.rate is not None:
                wire = tr("{wire} ({rate})", wire=wire, rate=stretch.rate_words)
            parts.append(tr("by {wire} to {place}", wire=wire, place=stop.words))
        return ", ".join(parts)


NO_WAY = WayStops()


def stops_of(
    route: Route | None, shape: MachineShape | None, heads: Mapping[str, Head]
) -> WayStops:
    if route is None or route.source == route.target:
        return NO_WAY
    # Of a card of which only its link is known, no place lies between.
    legs = [leg for leg in route.legs if leg.begins and leg.ends]
    if not legs:
        return NO_WAY
    places = [legs[0].begins, *(leg.ends for leg in legs)]
    return WayStops(
        [_stop(each, shape, heads) for each in places],
        [
            Stretch(
                tr(leg.words),
                leg.rate,
                narrowest=leg.rate is not None and leg.rate == route.limit,
            )
            for leg in legs
        ],
    )


def _stop(place: str, shape: MachineShape | None, heads: Mapping[str, Head]) -> Stop:
    head = heads.get(place)
    if head is not None:
        return Stop(head.words, head.chip, head.colour)
    kind, _, number = place.partition(" ")
    match kind:
        case "memory":
            return Stop(tr("host memory"), "H")
        case "socket":
            return Stop(tr("processor {number}", number=number))
        case "junction" if shape is not None and int(number) < len(shape.junctions):
            return Stop(tr(JUNCTION_WORDS[shape.junctions[int(number)].kind][-1]))
        case "hub" if shape is not None and int(number) < len(shape.hubs):
            return Stop(tr(HUB_WORDS[shape.hubs[int(number)].kind][-1]))
        case _:
            return Stop(place)
