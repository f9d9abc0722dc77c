"""A snapshot as a table that a person likes to read. For each dash in it a reason follows."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeVar

import gpuexplorer
from gpuexplorer.commands.snapshot import IN_THE_TABLE, Picture, Show
from gpuexplorer.commands.terminal import NONE, Column, Page, Terminal, cut, figure, shown, wrap
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Quantity, memory, part_of_memory, quantity, ratio
from gpuexplorer.core.words import Message, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import BRIEFLY, HARMFUL, why_no_figures
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

K = TypeVar("K")
V = TypeVar("V")
_ROOMY, _NARROW = 150, 100
_ALWAYS = 90  # the weight from which on an empty column is shown
_HOST_NAME = len("Intel Xeon E5-2680 v4")
_FIGURES = (
    Column(Message("Busy"), 99, right=True),
    Column(Message("Memory"), 94, right=True),
    Column(Message("Temp"), 80, right=True),
    Column(Message("Power"), 75, right=True),
    Column(Message("SM clock"), 50, right=True),
    Column(Message("Fan"), 45, right=True),
    Column("PCIe", 30),
    Column(Message("In, out"), 20, right=True),
)
_PROCESSES = (
    Column("#", 90),
    Column(Message("Pid"), 100, right=True),
    Column(Message("Type"), 40),
    Column(Message("User"), 50),
    Column(Message("Memory"), 85, right=True),
    Column("SM", 70, right=True),
    Column("CPU", 60, right=True),
    Column(Message("Container"), 20),
    Column(Message("Command"), 95, elastic=True),
)


@contextmanager
def table(*, again: bool) -> Iterator[Show]:
    """What shows a picture; again and again in place of the one before."""
    terminal = Terminal()

    def show(picture: Picture) -> None:
        page = Page(terminal.width())
        _write_heading(page, picture)
        if again:
            beats = picture.session.beats()
            page.say(
                Message.counted(
                    "Read {count} time, {missed} missed. Ctrl-C ends it.",
                    "Read {count} times, {missed} missed. Ctrl-C ends it.",
                    beats.taken,
                    missed=beats.missed,
                )
            )
        if picture.session.simulated:
            made_up = tr("SIMULATED: these cards do not exist, their figures are made up.")
            page.add(*map(terminal.warn, wrap(made_up, page.width)))
        _write_cards(page.gap(), picture)
        _write_reasons(page.gap(), picture)
        _write_processes(page.gap(), picture)
        # That it is made up stands at the top already.
        page.gap().say(*(note for note in picture.notes if note != MADE_UP))
        (terminal.redraw if again else terminal.show)(str(page))

    with terminal.drawing() if again else nullcontext():
        yield show


def _write_heading(page: Page, picture: Picture) -> None:
    session = picture.session
    computer, source = cut(session.computer, page.width - 3), session.source
    when = picture.taken_at.strftime("%Y-%m-%d %H:%M:%S")
    page.say(f"GPU Explorer {gpuexplorer.__version__}   {computer}   {when}")
    if session.bare:
        page.say(Message("No graphics card answers on {computer}.", computer=computer))
    elif source.cuda_version:
        version = source.cuda_version
        page.say(Message("{source}, CUDA {version}", source=source.label, version=version))
    else:
        page.say(source.label)


def _write_cards(page: Page, picture: Picture) -> None:
    rows = [_card(picture, card, page.width) for card in picture.cards]
    # However long the processor's name is, the cards keep their columns.
    roomy = page.width >= _ROOMY or not rows
    room = page.width if roomy else max(_HOST_NAME, *(len(row[2]) for row in rows))
    name = cut(shown(picture.session.host.name), room)
    rows.append(["H", NONE, name, *_cells(picture.host_reading), Message("the computer")])
    # As a rule it says again what stands beside it.
    news = any(str(card.cuda_index) != picture.numbers[card.id] for card in picture.cards)
    columns = (
        Column("#", 100),
        Column(Message("cuda"), 78 if news else 40),
        Column(Message("Card"), 93, elastic=True),
        *_FIGURES,
        Column(Message("State"), 96, elastic=True),
    )
    _write_without_empty(page, columns, rows)


def _write_without_empty(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> None:
    """The table without columns in which nobody has a figure, but those that matter most."""
    told = [
        at
        for at, column in enumerate(columns)
        if column.weight >= _ALWAYS or any(row[at] != NONE for row in rows)
    ]
    page.table([columns[at] for at in told], [[row[at] for at in told] for row in rows])


def _cells(reading: Reading) -> list[str]:
    """Under `_FIGURES`."""
    values = reading.values

    def told(metric: MetricId) -> Quantity | None:
        return quantity(METRICS[metric], values[metric]) if metric in values else None

    busy = told(m.GPU_UTILIZATION) or told(m.CPU_UTILIZATION)
    room, total = NONE, values.get(m.MEMORY_TOTAL)
    if total and m.MEMORY_USED in values:
        room = _of(part_of_memory(values[m.MEMORY_USED], total), memory(total))
    draw, limit = told(m.POWER_DRAW), told(m.POWER_LIMIT)
    power = figure(draw) if draw is None or limit is None else _of(draw, limit)
    generation, width = values.get(m.PCIE_GENERATION), told(m.PCIE_WIDTH)
    link = NONE if generation is None or width is None else f"{generation:.0f}.0 {width}"
    traffic = [told(m.PCIE_RECEIVE), told(m.PCIE_TRANSMIT)]
    return [
        figure(busy),
        room,
        figure(told(m.TEMPERATURE)),
        power,
        figure(told(m.CLOCK_SM)),
        figure(told(m.FAN_SPEED)),
        link,
        NONE if None in traffic else ", ".join(map(str, traffic)),
    ]


def _of(part: Quantity, whole: Quantity) -> str:
    return tr("{part} of {whole}", part=part.number, whole=whole)


def _card(picture: Picture, card: Card, width: int) -> list[str]:
    reading, state = picture.readings[card.id], picture.states[card.id]
    told: str = state
    cells = [NONE] * len(_FIGURES)
    if "seconds" in state.values:  # for which there was no answer
        pass
    elif reading.state is not CardState.WORKING:
        told = reading.state.word
    else:
        cells = _cells(reading)
        if why_no_figures(reading.values, reading.missing) is not None:
            told = Message("no usable figure")  # why stands below
        elif held := [each for each in HARMFUL if reading.values.get(each)]:
            brief = BRIEFLY if width < _NARROW else {}
            told = ", ".join(tr(brief.get(each, METRICS[each].label)) for each in held)
    name = _name(picture, card, width)
    return [picture.numbers[card.id], figure(card.cuda_index), name, *cells, told]


def _name(picture: Picture, card: Card, width: int) -> str:
    """The part of the name that tells cards apart, where there is no room for all of it."""
    if card.nameless:
        return NONE  # its state says why
    parent = next((other for other in picture.cards if other.id == card.parent), None)
    if parent is not None and isinstance(card.name, Message):
        return f"  {tr('MIG instance {number}', number=card.index)}"
    if parent is not None:
        return f"  {card.name.removeprefix(parent.name).strip()}"
    name = tr(card.name)
    return name.removeprefix("NVIDIA ") if width < _ROOMY else name


def _write_reasons(page: Page, picture: Picture) -> None:
    """What the short words in the table mean, and why there is a dash: said once for all cards
    that it is true of.
    """
    # A note says of each card without access why that is so.
    others = [card for card in picture.cards if card.denied is None]
    readings = {picture.numbers[card]: each for card, each in picture.readings.items()}
    told = [  # which figure, why, and of which card
        (("", readings[number].state.sentence), number)
        for number in (picture.numbers[card.id] for card in others)
        if readings[number].state not in (CardState.WORKING, CardState.NO_ANSWER)
    ]
    told += [
        ((shown(label), reading.missing[metric].sentence), number)
        for number, reading in (readings | {"H": picture.host_reading}).items()
        for metric, label in IN_THE_TABLE.items()
        if metric in reading.missing and (reading.state is CardState.WORKING or number == "H")
    ]
    told += [
        ((tr("CUDA number"), card.cuda_reason), picture.numbers[card.id])
        for card in others
        if card.cuda_index is None and card.cuda_reason
    ]
    alike = ((((*cards,), why), label) for (label, why), cards in grouped(told).items())
    for (cards, why), labels in grouped(alike).items():
        named, count = ", ".join(cards), len(cards)
        if labels == [""]:
            page.say(
                Message.counted(
                    "Card {cards}: {state}.",
                    "Cards {cards}: {state}.",
                    count,
                    cards=named,
                    state=why,
                )
            )
            continue
        where = Message.counted("card {cards}", "cards {cards}", count, cards=named)
        if named == "H":
            where = Message("the computer")
        elif count == len(picture.cards) > 1:
            where = Message("every card")
        some = ", ".join(labels)
        page.say(
            Message("{figures} ({cards}): {reason}.", figures=some, cards=where, reason=why)
        )


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """What belongs together, in the order in which it came."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _write_processes(page: Page, picture: Picture) -> None:
    order = [card.id for card in picture.cards]

    def place(named: NamedProcess) -> tuple[int, float]:
        process = named.process
        return order.index(process.card), -process.values.get(ProcessFigure.MEMORY, 0.0)

    rows = [_process(picture, named) for named in sorted(picture.processes, key=place)]
    if rows:
        _write_without_empty(page, _PROCESSES, rows)
    if picture.processes_unknown:
        unknown = [picture.numbers[card] for card in picture.processes_unknown]
        page.say(
            Message.counted(
                "Which processes use card {cards} is not known just now.",
                "Which processes use cards {cards} is not known just now.",
                len(unknown),
                cards=", ".join(unknown),
            )
        )
    elif order and not rows:
        page.add(tr("No process uses these cards."))


def _process(picture: Picture, named: NamedProcess) -> list[str]:
    process = named.process
    command = named.command or f"({tr(named.reason)})"
    return [
        picture.numbers.get(process.card, NONE),
        str(process.pid),
        process.use.value,
        named.user or NONE,
        figure(process.values.get(ProcessFigure.MEMORY), memory),
        figure(process.values.get(ProcessFigure.SM), ratio),
        figure(named.cpu, ratio),
        named.container or NONE,
        Message("{command} (this program)", command=command) if named.ours else command,
    ]
