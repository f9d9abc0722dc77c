"""The columns of the list of all machines, and of the cards that are idle."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, TEMPERATURE
from gpuexplorer.core.units import GIB, Quantity, Units, quantity, watts
from gpuexplorer.core.words import listed, tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.cards.programs import GB, gigabyte, gigabytes, percent
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.state.groups import CardCell, HostGroup, Together
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.theme.palette import Tone

STATE, PLACE = "state", "place"
_MANY = 100e9  # bytes


class FreeCard(NamedTuple):
    """A card that computes nothing, on its machine."""

    group: HostGroup
    cell: CardCell


def natural(name: str) -> str:
    """To sort by: gpu-10 comes after gpu-9."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), name.casefold())


def host_columns(units: Units, *, placed: bool) -> Sequence[Column[HostGroup]]:
    """`placed`: machines may tell where they stand."""

    def figure(
        key: str,
        heading: str,
        value: Callable[[Together], float | None],
        cell: Callable[[float, Together], Cell],
        width: int,
        kept: int,
        meaning: str = "",
    ) -> Column[HostGroup]:
        """Of those of its cards that tell."""

        def sorts(group: HostGroup) -> float | None:
            return value(group.together)

        def words(group: HostGroup) -> Cell:
            told = value(group.together)
            if told is not None:
                return cell(told, group.together)
            answers = group.standing.answers and group.cards
            return Cell(absent=(tr("not reported"), "–") if answers else ("–",))

        more = partial(Column, right=True, largest_first=True)
        return more(key, heading, words, sorts, meaning, width=width, kept=kept)

    def name(group: HostGroup) -> Cell:
        icon = None if group.standing.answers else group.standing.sign[0]
        mark = tr("simulated") if group.simulated else tr("shown") if group.shown else ""
        return Cell(group.name, icon=icon, mark=mark)

    def state(group: HostGroup) -> Cell:
        if not group.standing.answers or not group.wrong:
            tone = Tone.QUIET if group.standing.answers else Tone.TEXT
            return Cell(group.sentence, tone=tone)
        bad = any(each.mark is not None and each.mark.tone is Tone.BAD for each in group.cards)
        return Cell(listed(group.wrong), tone=Tone.BAD if bad else Tone.WARN)

    def cards(group: HostGroup) -> Cell:
        sums = group.together
        if not sums.cards:
            return Cell(absent=("–",), hint=tr("No card answers."))
        if sums.answering == sums.cards or not group.standing.answers:
            return Cell(str(sums.cards))
        words = tr("{answering} of {count}", answering=sums.answering, count=sums.cards)
        return Cell(words, tone=Tone.WARN, hint=tr("So many cards answer."))

    def free(told: float, sums: Together) -> Cell:
        # Fractions say nothing from a hundred on.
        words = gigabytes(told, units)
        words = f"{float(words):.0f}" if told >= _MANY else words
        return Cell(words, gauge=Gauge(told / sums.memory_total, None))

    def hottest(celsius: float, sums: Together) -> Cell:
        number = "" if sums.hottest is None else sums.hottest.number
        hint = tr("Card {number}", number=number)
        return _read(quantity(METRICS[TEMPERATURE], celsius, units), hint)

    def users(group: HostGroup) -> Cell:
        if not group.together.users_told:
            absent = (tr("not known"), "–") if group.cards else ("–",)
            return Cell(absent=absent, hint=tr("Nobody says who uses these cards."))
        names = listed(sorted(group.together.users))
        return Cell(names or tr("nobody"), tone=Tone.TEXT if names else Tone.FAINT)

    def age(group: HostGroup) -> Cell:
        if group.age is None:
            return Cell(absent=("–",), hint=tr("Nothing was read there yet."))
        if group.late is None:
            return Cell(tr("now"), tone=Tone.FAINT)
        return Cell(span_words(group.late), tone=Tone.WARN)

    columns: Sequence[Column[HostGroup]] = (
        Column("machine", tr("Machine"), name, lambda g: natural(g.name), width=170,
               stretches=True, share=0.14),
        Column(STATE, tr("State"), state, lambda g: -g.gravity, width=190, stretches=True,
               share=0.2, meaning=tr("Whether it answers, and what is wrong there.")),
        Column(PLACE, tr("Place"), lambda g: Cell(g.place, tone=Tone.QUIET),
               lambda g: natural(g.place), width=90, kept=3,
               meaning=tr("The rack, or what else machines are grouped by.")),
        Column("cards", tr("Cards"), cards, lambda g: g.together.cards, width=70, right=True,
               largest_first=True),
        figure("idle", tr("Idle"), lambda t: t.idle if t.busy_told else None,
               lambda idle, _: Cell(f"{idle:.0f}", tone=Tone.TEXT if idle else Tone.FAINT),
               56, 9, tr("Cards that answer and report 0 % busy just now.")),
        figure("busy", tr("Busy, %"), lambda t: t.busy,
               lambda busy, _: Cell(percent(busy), gauge=Gauge(busy, None)), 104, 7,
               tr("The mean of its cards.")),
        figure("free", tr("Free, {unit}", unit=gigabyte(units)),
               lambda t: t.memory_free if t.memory_told else None, free, 112, 8,
               tr("Memory that is free on all its cards together.")),
        figure("hottest", tr("Hottest"), lambda t: t.hottest and t.hottest.celsius, hottest,
               76, 6),
        figure("power", tr("Power"), lambda t: t.power if t.power_told else None,
               lambda drawn, _: _read(watts(drawn)), 84, 5),
        Column("users", tr("Users"), users, lambda g: listed(sorted(g.together.users)),
               width=150, kept=4),
        Column("age", tr("Age"), age, lambda g: g.age, width=92, right=True,
               largest_first=True, kept=2, meaning=tr("How old its newest figures are.")),
    )  # fmt: skip
    return [each for each in columns if placed or each.key != PLACE]


def free_columns(units: Units, *, placed: bool) -> Sequence[Column[FreeCard]]:
    """`placed`: machines may tell where they stand."""
    absent = Cell(absent=(tr("not reported"), "–"))

    def machine(card: FreeCard) -> Cell:
        late = card.group.late
        marks = [tr("simulated")] if card.group.simulated else []
        marks += [] if late is None else [tr("{span} old", span=span_words(late))]
        return Cell(card.group.name, mark=", ".join(marks))

    def free(card: FreeCard) -> Cell:
        part, total = card.cell.memory_free, card.cell.memory_total
        if part is None or not total:
            return absent
        return Cell(gigabytes(part, units), gauge=Gauge(part / total, None))

    def whole(card: FreeCard) -> Cell:
        total, size = card.cell.memory_total, GB if units.decimal_memory else GIB
        return Cell(f"{total / size:.0f}") if total else Cell(absent=("–",))

    def held(card: FreeCard) -> Cell:
        taken = card.cell.processes or card.cell.users
        return Cell(card.cell.users_words, tone=Tone.TEXT if taken else Tone.FAINT)

    def temperature(card: FreeCard) -> Cell:
        value = card.cell.values.get(TEMPERATURE)
        return absent if value is None else _read(quantity(METRICS[TEMPERATURE], value, units))

    columns: Sequence[Column[FreeCard]] = (
        Column("machine", tr("Machine"), machine, lambda f: natural(f.group.name), width=130,
               stretches=True, share=0.25),
        Column("card", tr("Card"), lambda f: Cell(f.cell.number),
               lambda f: natural(f.cell.number), width=60, right=True),
        Column("name", tr("Model"),
               lambda f: Cell(short_name(f.cell.name), tone=Tone.QUIET, hint=f.cell.name),
               lambda f: f.cell.name, width=130, kept=3),
        Column("free", tr("Free, {unit}", unit=gigabyte(units)), free,
               lambda f: f.cell.memory_free, width=140, right=True, largest_first=True,
               meaning=tr("Memory of the card that nobody holds.")),
        Column("whole", tr("Whole, {unit}", unit=gigabyte(units)), whole,
               lambda f: f.cell.memory_total, width=76, right=True, largest_first=True,
               kept=4, meaning=tr("The whole memory of the card.")),
        Column("held", tr("Held by"), held, lambda f: f.cell.users_words, width=140,
               stretches=True, meaning=tr("Whose programs are on it, though it is idle.")),
        Column("temperature", tr("Temp."), temperature,
               lambda f: f.cell.values.get(TEMPERATURE), width=76, right=True, kept=1),
        Column(PLACE, tr("Place"), lambda f: Cell(f.group.place, tone=Tone.QUIET),
               lambda f: natural(f.group.place), width=90, kept=2,
               meaning=tr("The rack, or what else machines are grouped by.")),
    )  # fmt: skip
    return [each for each in columns if placed or each.key != PLACE]


def _read(read: Quantity, hint: str = "") -> Cell:
    return Cell(read.number, unit=read.unit, hint=hint)
