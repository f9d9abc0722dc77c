"""The columns of the list of all machines."""

from collections.abc import Callable, Sequence
from functools import partial

from gpuexplorer.core.metrics import METRICS, TEMPERATURE
from gpuexplorer.core.units import Units, quantity, watts
from gpuexplorer.core.words import listed, tr
from gpuexplorer.gui.cards.programs import gigabyte, gigabytes, percent
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.machines.model import gravity, natural
from gpuexplorer.gui.machines.words import state_sentence, state_sign, wrong_words
from gpuexplorer.gui.state.groups.group import HostGroup, Together
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.theme.palette import Tone

STATE, PLACE = "state", "place"
_MANY = 100e9  # bytes


def host_columns(units: Units, *, placed: bool) -> Sequence[Column[HostGroup]]:
    """`placed`: machines may tell where they stand."""
    size = gigabyte(units)
    columns: Sequence[Column[HostGroup]] = (
        Column("machine", tr("Machine"), _name, lambda g: natural(g.name), width=170,
               stretches=True, share=0.14),
        Column(STATE, tr("State"), _state, lambda g: -gravity(g), width=190, stretches=True,
               share=0.2, meaning=tr("Whether it answers, and what is wrong there.")),
        Column(PLACE, tr("Place"), lambda g: Cell(g.place, tone=Tone.QUIET),
               lambda g: natural(g.place), width=90, kept=3,
               meaning=tr("The rack, or what else machines are grouped by.")),
        Column("cards", tr("Cards"), _cards, lambda g: g.together.cards, width=70, right=True,
               largest_first=True),
        _figure("idle", tr("Idle"), lambda t: t.busy_told, lambda t: t.idle, _idle, 56, 9,
                tr("Cards that answer and report 0 % busy just now.")),
        _figure("busy", tr("Busy, %"), lambda t: t.busy_told, lambda t: t.busy or 0.0, _busy,
                104, 7, tr("The mean of its cards.")),
        _figure("free", tr("Free, {unit}", unit=size), lambda t: t.memory_told,
                lambda t: t.memory_free, partial(_free, units=units), 112, 8,
                tr("Memory that is free on all its cards together.")),
        _figure("hottest", tr("Hottest"), lambda t: t.hottest is not None, _celsius,
                partial(_hottest, units=units), 76, 6),
        _figure("power", tr("Power"), lambda t: t.power_told, lambda t: t.power, _power, 84, 5),
        Column("users", tr("Users"), _users, lambda g: listed(sorted(g.together.users)),
               width=150, kept=4),
        Column("age", tr("Age"), _age, lambda g: g.age, width=92, right=True,
               largest_first=True, kept=2, meaning=tr("How old its newest figures are.")),
    )  # fmt: skip
    return [each for each in columns if placed or each.key != PLACE]


def _figure(
    key: str,
    heading: str,
    told: Callable[[Together], float],
    value: Callable[[Together], float],
    words: Callable[[Together], Cell],
    width: int,
    kept: int,
    meaning: str = "",
) -> Column[HostGroup]:
    """Of those of its cards that tell."""

    def cell(group: HostGroup) -> Cell:
        if told(group.together):
            return words(group.together)
        quiet = not group.standing.answers or not group.cards
        return Cell(absent=("–",) if quiet else (tr("not reported"), "–"))

    def sorts(group: HostGroup) -> float | None:
        return value(group.together) if told(group.together) else None

    return Column(
        *(key, heading, cell, sorts, meaning),
        width=width,
        right=True,
        largest_first=True,
        kept=kept,
    )


def _name(group: HostGroup) -> Cell:
    sign = state_sign(group)
    mark = tr("simulated") if group.simulated else tr("shown") if group.shown else ""
    return Cell(group.name, icon=None if sign is None else sign[0], mark=mark)


def _state(group: HostGroup) -> Cell:
    words = state_sentence(group)
    if not group.standing.answers:
        return Cell(words, hint=words)
    wrong = wrong_words(group)
    if not wrong:
        return Cell(words, tone=Tone.QUIET)
    bad = any(cell.mark is not None and cell.mark.tone is Tone.BAD for cell in group.cards)
    return Cell(listed(wrong), tone=Tone.BAD if bad else Tone.WARN)


def _cards(group: HostGroup) -> Cell:
    sums = group.together
    if not sums.cards:
        return Cell(absent=("–",), hint=tr("No card answers."))
    if sums.answering == sums.cards or not group.standing.answers:
        return Cell(str(sums.cards))
    words = tr("{answering} of {count}", answering=sums.answering, count=sums.cards)
    return Cell(words, tone=Tone.WARN, hint=tr("So many cards answer."))


def _idle(sums: Together) -> Cell:
    return Cell(str(sums.idle), tone=Tone.TEXT if sums.idle else Tone.FAINT)


def _busy(sums: Together) -> Cell:
    share = sums.busy or 0.0
    return Cell(percent(share), gauge=Gauge(share, None))


def _free(sums: Together, units: Units) -> Cell:
    words = gigabytes(sums.memory_free, units)
    if sums.memory_free >= _MANY:  # fractions say nothing from a hundred on
        words = f"{float(words):.0f}"
    return Cell(words, gauge=Gauge(sums.memory_free / sums.memory_total, None))


def _celsius(sums: Together) -> float:
    return 0.0 if sums.hottest is None else sums.hottest.celsius


def _hottest(sums: Together, units: Units) -> Cell:
    read = quantity(METRICS[TEMPERATURE], _celsius(sums), units)
    number = "" if sums.hottest is None else sums.hottest.number
    return Cell(read.number, unit=read.unit, hint=tr("Card {number}", number=number))


def _power(sums: Together) -> Cell:
    read = watts(sums.power)
    return Cell(read.number, unit=read.unit)


def _users(group: HostGroup) -> Cell:
    sums = group.together
    if not sums.users_told:
        absent = (tr("not known"), "–") if group.cards else ("–",)
        return Cell(absent=absent, hint=tr("Nobody says who uses these cards."))
    names = listed(sorted(sums.users))
    return Cell(names or tr("nobody"), tone=Tone.TEXT if names else Tone.FAINT, hint=names)


def _age(group: HostGroup) -> Cell:
    if group.age is None:
        return Cell(absent=("–",), hint=tr("Nothing was read there yet."))
    if group.late is None:
        return Cell(tr("now"), tone=Tone.FAINT)
    return Cell(span_words(group.late), tone=Tone.WARN)
