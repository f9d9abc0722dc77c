"""The faces of wires: what kind each is, what it could carry, and what it carries now."""

from math import sqrt

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue import links
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import gigabytes_per_second, rate
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.pcie import link_now, link_of_card, link_words
from gpuexplorer.gui.wording.machine.machine_face import IDLE, LaneFace, Texts, WireFace
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
from gpuexplorer.gui.wording.reasons import short_reasons
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.machine_shape import Junction
from gpuexplorer.telemetry.topology import Link

# Steps of brightness: what differs by less looks the same, and is not drawn anew.
_STEPS = 24


def host_wire(now: MachineNow, card: CardId, link: Link) -> WireFace:
    reading = now.reading(card)
    metrics = (links.PCIE_TRANSMIT, links.PCIE_RECEIVE)
    goes, comes = _lanes(now, card, metrics, link.rate)
    absent = _absent(reading, links.PCIE_RECEIVE)
    kind, speed = _pcie_kind(now, card, link), _pcie_speed(reading, link)
    # Most links run as they can, and there is nothing to make of that.
    less = " of " in kind[0]
    return WireFace(
        name=f"Link from card {now.number(card)} to the host",
        kind=kind,
        rate=speed,
        forth=goes,
        back=comes,
        absent=absent,
        tone=link_words(now.cards[card].card, reading).tone if less else Tone.QUIET,
        dark=now.lost(card),
        remark="" if speed else link.rate_reason,
    )


def uplink_wire(now: MachineNow, junction: Junction, name: str) -> WireFace:
    """What its cards send and get together: some of it may stay below the switch."""
    ways = [now.shape.host_link(card) for card in junction.cards]
    most = max((way.rate for way in ways if way is not None and way.rate), default=None)
    goes = _lane("out", _sum(now, junction, links.PCIE_TRANSMIT), most, None)
    comes = _lane("in", _sum(now, junction, links.PCIE_RECEIVE), most, None)
    cards = now.named(junction.cards)
    return WireFace(
        name=f"Link from the {name} of {cards} to the processor",
        lead=f"What {cards} send and get together",
        remark="The driver does not tell how fast this link is",
        forth=goes,
        back=comes,
        dark=all(now.lost(card) for card in junction.cards),
    )


def bridge_wire(now: MachineNow, link: Link) -> WireFace:
    """NVLinks between two cards. What one of them sends the other gets."""
    a, b = now.number(link.a), now.number(link.b)
    ours, theirs = now.reading(link.a), now.reading(link.b)
    there = ours.values.get(links.NVLINK_TRANSMIT, theirs.values.get(links.NVLINK_RECEIVE))
    again = theirs.values.get(links.NVLINK_TRANSMIT, ours.values.get(links.NVLINK_RECEIVE))
    forth = _lane(f"{a} to {b}", there, link.rate, now.colour(link.a))
    back = _lane(f"{b} to {a}", again, link.rate, now.colour(link.b))
    absent = () if forth.figure or back.figure else _absent(ours, links.NVLINK_TRANSMIT)
    lost = now.lost(link.a) or now.lost(link.b)
    if lost:
        # What the other card told a moment ago is no traffic any more.
        forth, back, absent = IDLE, IDLE, short_reasons(Absence.LOST)
    kind, speed = nvlink_kind(link.nvlink_generation, link.nvlinks), speed_texts(link.rate)
    return WireFace(
        name=f"NVLink between card {a} and card {b}",
        kind=kind,
        rate=speed,
        forth=forth,
        back=back,
        absent=absent,
        dark=lost,
        remark="" if speed else link.rate_reason,
    )


def spoke_wire(now: MachineNow, card: CardId) -> WireFace:
    spoke, reading = now.shape.spokes[card], now.reading(card)
    goes, comes = _lanes(now, card, (links.NVLINK_TRANSMIT, links.NVLINK_RECEIVE), spoke.rate)
    absent = _absent(reading, links.NVLINK_TRANSMIT)
    kind, speed = nvlink_kind(spoke.generation, spoke.nvlinks), speed_texts(spoke.rate)
    return WireFace(
        name=f"NVLinks of card {now.number(card)}",
        kind=kind,
        rate=speed,
        forth=goes,
        back=comes,
        absent=absent,
        dark=now.lost(card),
    )


def nvlink_kind(generation: int | None, count: int) -> Texts:
    number = "" if generation is None else f" {generation}"
    return (f"NVLink{number} ×{count}", f"NVLink ×{count}", f"×{count}")


def speed_texts(value: float | None) -> Texts:
    """With its unit, and without where there is no room: beside it all is in GB/s."""
    return () if value is None else (str(rate(value)), gigabytes_per_second(value))


def _pcie_kind(now: MachineNow, card: CardId, link: Link) -> Texts:
    """ "PCIe 4 ×16"; while it sleeps "PCIe 1 of 4 ×16"."""
    if now.cards[card].card.memory_shared:
        return ("on the processor's chip", "on the chip", "on chip")
    reading = now.reading(card)
    speed = link_now(reading)
    if speed.generation is None or speed.lanes is None:
        told = link.rate_reason.split(",", maxsplit=1)[0].replace(".0 x", " ×") or "PCIe"
        return (told, told.removeprefix("PCIe "))
    most = reading.values.get(links.PCIE_GENERATION_MAX)
    widest = link_of_card(reading).lanes
    generation, lanes = f"{speed.generation}", f"×{speed.lanes}"
    if most is not None and speed.generation < most:
        generation += f" of {most:.0f}"
    if widest is not None and speed.lanes < widest:
        lanes += f" of ×{widest}"
    full = f"{generation} {lanes}"
    if " of " in generation and " of " in lanes:
        full = f"{generation}, {lanes}"
    return (f"PCIe {full}", full, f"{speed.generation} ×{speed.lanes}")


def _pcie_speed(reading: Reading, link: Link) -> Texts:
    """What it could carry, and before that what it could as it runs now, where that is less."""
    runs, most = link_now(reading).rate, link.rate
    if most is None:
        return ()
    if runs is None or runs >= 0.99 * most:
        return speed_texts(most)
    share, whole = gigabytes_per_second(runs), gigabytes_per_second(most)
    return (f"{share} of {whole} GB/s", f"{share} of {whole}", f"{share} GB/s", share)


def _lanes(
    now: MachineNow, card: CardId, metrics: tuple[MetricId, MetricId], most: float | None
) -> tuple[LaneFace, LaneFace]:
    """Out of the card, and in: what comes in is of the host, or of several cards."""
    goes, comes = (now.reading(card).values.get(metric) for metric in metrics)
    return _lane("out", goes, most, now.colour(card)), _lane("in", comes, most, None)


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
