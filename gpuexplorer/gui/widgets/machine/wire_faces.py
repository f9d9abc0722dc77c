"""The faces of wires: what kind each is, what it could carry, and what it carries now."""

from math import sqrt

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import gigabytes_per_second, rate
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.pcie import link_now, link_of_card, link_words
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.machine.machine_face import (
    IDLE,
    LaneFace,
    MachineNow,
    Texts,
    WireFace,
)
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.topology import Junction, Link, PathKind

# Steps of brightness: what differs by less looks the same, and is not drawn anew.
_STEPS = 24


def host_wire(now: MachineNow, card: CardId, link: Link) -> WireFace:
    name = tr("Link from card {number} to the host", number=now.number(card))
    if link.path is PathKind.C2C:
        return WireFace(
            name=name,
            kind=("NVLink-C2C", "C2C"),
            rate=speed_texts(link.rate),
            absent=(tr("traffic not read"), tr("not read")),
            dark=now.lost(card),
            remark="" if link.rate else f"{tr(link.rate_reason)}.",
        )
    reading = now.reading(card)
    metrics = (m.PCIE_TRANSMIT, m.PCIE_RECEIVE)
    goes, comes = _lanes(now, card, metrics, link.rate)
    speed = _pcie_speed(reading, link)
    # Most links run as they can, and there is nothing to make of that.
    less = _runs_lower(reading)
    return WireFace(
        name=name,
        kind=_pcie_kind(now, card, link),
        rate=speed,
        forth=goes,
        back=comes,
        absent=_absent(reading, m.PCIE_RECEIVE),
        tone=link_words(now.cards[card].card, reading).tone if less else Tone.QUIET,
        dark=now.lost(card),
        remark="" if speed or not link.rate_reason else f"{tr(link.rate_reason)}.",
    )


def uplink_wire(now: MachineNow, junction: Junction, name: str) -> WireFace:
    """What its cards send and get together: some of it may stay below the switch."""
    ways = [now.shape.host_link(card) for card in junction.cards]
    most = max((way.rate for way in ways if way is not None and way.rate), default=None)
    goes = _lane(tr("out"), _sum(now, junction, m.PCIE_TRANSMIT), most, None)
    comes = _lane(tr("in"), _sum(now, junction, m.PCIE_RECEIVE), most, None)
    cards = now.named(junction.cards)
    return WireFace(
        name=tr("Link from the {part} of {cards} to the processor", part=name, cards=cards),
        lead=tr("What {cards} send and receive together.", cards=cards),
        remark=tr("The driver does not report how fast this link is."),
        forth=goes,
        back=comes,
        dark=all(now.lost(card) for card in junction.cards),
    )


def bridge_wire(now: MachineNow, link: Link) -> WireFace:
    """NVLinks between two cards. What one of them sends the other gets."""
    a, b = now.number(link.a), now.number(link.b)
    ours, theirs = now.reading(link.a), now.reading(link.b)
    there = ours.values.get(m.NVLINK_TRANSMIT, theirs.values.get(m.NVLINK_RECEIVE))
    again = theirs.values.get(m.NVLINK_TRANSMIT, ours.values.get(m.NVLINK_RECEIVE))
    forth = _lane(tr("{a} to {b}", a=a, b=b), there, link.rate, now.colour(link.a))
    back = _lane(tr("{a} to {b}", a=b, b=a), again, link.rate, now.colour(link.b))
    absent = () if forth.figure or back.figure else _absent(ours, m.NVLINK_TRANSMIT)
    lost = now.lost(link.a) or now.lost(link.b)
    if lost:
        # What the other card reported a moment ago is no traffic any more.
        unlisted = now.unlisted(link.a) or now.unlisted(link.b)
        why = Absence.UNLISTED if unlisted else Absence.LOST
        forth, back, absent = IDLE, IDLE, short_reasons(why)
    kind, speed = nvlink_kind(link.nvlink_generation, link.nvlinks), speed_texts(link.rate)
    return WireFace(
        name=tr("NVLink between card {a} and card {b}", a=a, b=b),
        kind=kind,
        rate=speed,
        forth=forth,
        back=back,
        absent=absent,
        dark=lost,
        remark="" if speed or not link.rate_reason else f"{tr(link.rate_reason)}.",
    )


def spoke_wire(now: MachineNow, card: CardId) -> WireFace:
    spoke, reading = now.shape.spokes[card], now.reading(card)
    goes, comes = _lanes(now, card, (m.NVLINK_TRANSMIT, m.NVLINK_RECEIVE), spoke.rate)
    return WireFace(
        name=tr("NVLinks of card {number}", number=now.number(card)),
        kind=nvlink_kind(spoke.generation, spoke.nvlinks),
        rate=speed_texts(spoke.rate),
        forth=goes,
        back=comes,
        absent=_absent(reading, m.NVLINK_TRANSMIT),
        dark=now.lost(card),
    )


def nvlink_kind(generation: int | None, count: int) -> Texts:
    number = "" if generation is None else f" {generation}"
    return (f"NVLink{number} ×{count}", f"NVLink ×{count}", f"×{count}")


def speed_texts(value: float | None) -> Texts:
    """With its unit, and without where there is no room: all of the drawing is in GB/s. Then a
    word tells it from the traffic that stands below it.
    """
    if value is None:
        return ()
    figure = gigabytes_per_second(value)
    return (str(rate(value)), tr("max {rate}", rate=figure), figure)


def _pcie_kind(now: MachineNow, card: CardId, link: Link) -> Texts:
    """ "PCIe 4 ×16"; while it sleeps "PCIe 1 of 4 ×16"."""
    if now.cards[card].card.memory_shared:
        return tr("on the processor's chip"), tr("on the chip"), tr("on chip")
    reading = now.reading(card)
    speed = link_now(reading)
    if speed.generation is None or speed.lanes is None:
        values = link.rate_reason.values
        if "lanes" not in values:
            return ("PCIe",)
        full = f"{values['generation']} ×{values['lanes']}"
        return (f"PCIe {full}", full)
    most, widest = reading.values.get(m.PCIE_GENERATION_MAX), link_of_card(reading).lanes
    runs = f"{speed.generation} ×{speed.lanes}"
    if not _runs_lower(reading):
        return (f"PCIe {runs}", runs)
    slower = most is not None and speed.generation < most
    narrower = widest is not None and speed.lanes < widest
    full = tr(
        _LESS[slower, narrower],
        now=speed.generation,
        most=0.0 if most is None else most,
        lanes=speed.lanes,
        widest=widest,
    )
    return (f"PCIe {full}", full, runs)


# By whether it is of a lower generation than it could be, and whether it is narrower.
_LESS = {
    (True, False): mark("{now} of {most:.0f} ×{lanes}"),
    (False, True): mark("{now} ×{lanes} of ×{widest}"),
    (True, True): mark("{now} of {most:.0f}, ×{lanes} of ×{widest}"),
}


def _runs_lower(reading: Reading) -> bool:
    """Whether it runs at less than it could here."""
    speed = link_now(reading)
    if speed.generation is None or speed.lanes is None:
        return False
    most, widest = reading.values.get(m.PCIE_GENERATION_MAX), link_of_card(reading).lanes
    slower = most is not None and speed.generation < most
    return slower or (widest is not None and speed.lanes < widest)


def _pcie_speed(reading: Reading, link: Link) -> Texts:
    """What it could carry; first what it could as it runs now, where that is less."""
    runs, most = link_now(reading).rate, link.rate
    if most is None:
        return ()
    if runs is None or runs >= 0.99 * most:
        return speed_texts(most)
    share, whole = gigabytes_per_second(runs), gigabytes_per_second(most)
    both = tr("{share} of {whole}", share=share, whole=whole)
    return (f"{both} GB/s", both, tr("max {rate}", rate=share), share)


def _lanes(
    now: MachineNow, card: CardId, metrics: tuple[MetricId, MetricId], most: float | None
) -> tuple[LaneFace, LaneFace]:
    """Out of the card, and in: what comes in is of the host, or of several cards."""
    goes, comes = (now.reading(card).values.get(metric) for metric in metrics)
    return _lane(tr("out"), goes, most, now.colour(card)), _lane(tr("in"), comes, most, None)


def _lane(word: str, value: float | None, most: float | None, colour: int | None) -> LaneFace:
    if value is None:
        return LaneFace(word)
    # The square root, since a wire that is a hundredth full is not an idle one.
    share = sqrt(min(1.0, value / most)) if most else 0.0
    return LaneFace(word, gigabytes_per_second(value), round(share * _STEPS) / _STEPS, colour)


def _sum(now: MachineNow, junction: Junction, metric: MetricId) -> float | None:
    told = [now.reading(card).values.get(metric) for card in junction.cards]
    known = [value for value in told if value is not None]
    return sum(known) if known else None


def _absent(reading: Reading, metric: MetricId) -> Texts:
    if metric in reading.values:
        return ()
    return short_reasons(reading.missing.get(metric, Absence.NOT_YET))
