"""A snapshot as a table that a person likes to read. For each dash in it a reason follows."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

import gpuexplorer
from gpuexplorer.commands.snapshot import COLUMNS, Picture, Show
from gpuexplorer.commands.terminal import (
    NONE,
    SIMULATED,
    Page,
    Terminal,
    cut,
    figure,
    gathered,
    shown,
    wrap,
)
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import memory, part_of_memory, quantity, ratio
from gpuexplorer.core.words import Message, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import BRIEFLY, HARMFUL, NO_FIGURES, state_of
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import ProcessFigure

_ROOMY = 100
_HOST_NAME = len("Intel Xeon E5-2680 v4")
_FIGURES = {title: weight for title, (weight, _) in COLUMNS.items()}
_PROCESSES = {
    "#": 90,
    Message("Pid"): 100,
    Message("Type"): 40,
    Message("User"): 50,
    Message("Memory"): 85,
    "SM": 70,
    "CPU": 60,
    Message("Container"): 20,
    Message("Command"): 95,
}


@contextmanager
def table(*, again: bool) -> Iterator[Show]:
    """What shows a picture; again and again in place of the one before."""
    terminal = Terminal()

    def show(picture: Picture) -> None:
        page = Page(terminal.width())
        session = picture.session
        computer, source = cut(session.computer, page.width - 3), session.source
        when = picture.taken_at.strftime("%Y-%m-%d %H:%M:%S")
        page.say(f"GPU Explorer {gpuexplorer.__version__}   {computer}   {when}")
        driver: str = source.label
        if session.bare:
            driver = Message("No graphics card answers on {computer}.", computer=computer)
        elif source.cuda_version:
            driver = Message("{source}, CUDA {cuda}", source=driver, cuda=source.cuda_version)
        page.say(driver)
        if again:
            read = "Readings: {taken}, {missed} missed. Ctrl-C ends it."
            page.say(Message(read, **session.beats()._asdict()))
        if session.simulated:
            page.add(*map(terminal.warn, wrap(tr(SIMULATED), page.width)))
        _write_cards(page.gap(), picture)
        _write_reasons(page.gap(), picture)
        _write_processes(page.gap(), picture)
        # That it is made up stands at the top already.
        page.gap().say(*(note for note in picture.notes if note != MADE_UP))
        (terminal.redraw if again else terminal.show)(str(page))

    with terminal.drawing() if again else nullcontext():
        yield show


def _write_cards(page: Page, picture: Picture) -> None:
    rows = []
    for card in picture.cards:
        reading, state = picture.readings[card.id], picture.states[card.id]
        cells = [NONE] * len(_FIGURES)
        # Or the seconds for which there was no answer.
        told: str = state if "seconds" in state.values else reading.state.word
        if reading.state is CardState.WORKING:
            cells = _cells(reading)
            brief = BRIEFLY if page.width < _ROOMY else {}
            held = [each for each in HARMFUL if reading.values.get(each)]
            told = ", ".join(tr(brief.get(e, METRICS[e].label)) for e in held) or told
            if state_of(reading) == NO_FIGURES:
                told = Message("no usable figure")  # why stands below
        parent = next((other for other in picture.cards if other.id == card.parent), None)
        # The part of the name that tells cards apart.
        name = shown(card.name).removeprefix("NVIDIA ")
        if card.nameless:
            name = NONE  # its state says why
        elif parent is not None:
            name = f"  {shown(card.name).removeprefix(parent.name).strip()}"
        numbers = picture.numbers[card.id], figure(card.cuda_index)
        rows.append([*numbers, name, *cells, told])
    # However long the processor's name is, the cards keep their columns.
    room = max([_HOST_NAME, *(len(row[2]) for row in rows)])
    # As a rule it says again what stands beside it.
    news = any(row[0] != row[1] for row in rows)
    name = cut(shown(picture.session.host.name), room)
    rows.append(["H", NONE, name, *_cells(picture.host_reading), Message("the computer")])
    columns = {"#": 100, Message("cuda"): 78 if news else 40, Message("Card"): 93}
    page.table({**columns, **_FIGURES, Message("State"): 96}, rows)


def _cells(reading: Reading) -> list[str]:
    """Under `_FIGURES`."""
    values = reading.values

    def told(metric: MetricId) -> str:
        return figure(values.get(metric), partial(quantity, METRICS[metric]))

    def both(template: str, one: MetricId, other: MetricId) -> str:
        if one not in values or other not in values:
            return NONE
        return template.format(told(one), told(other))

    of = partial(tr, "{part} of {whole}")
    room, power = NONE, told(m.POWER_DRAW)
    if (total := values.get(m.MEMORY_TOTAL)) and m.MEMORY_USED in values:
        part = part_of_memory(values[m.MEMORY_USED], total)
        room = of(part=part.number, whole=memory(total))
    if power != NONE and m.POWER_LIMIT in values:
        power = of(part=power.split()[0], whole=told(m.POWER_LIMIT))
    busy = m.CPU_UTILIZATION if m.CPU_UTILIZATION in values else m.GPU_UTILIZATION
    return [
        told(busy),
        room,
        told(m.TEMPERATURE),
        power,
        told(m.CLOCK_SM),
        told(m.FAN_SPEED),
        both("{}.0 {}", m.PCIE_GENERATION, m.PCIE_WIDTH),
        both("{}, {}", m.PCIE_RECEIVE, m.PCIE_TRANSMIT),
    ]


def _write_reasons(page: Page, picture: Picture) -> None:
    """What the short words in the table mean, and why there is a dash: said once for all cards
    that it is true of.
    """
    told = []  # which figure, why, and of which card
    for card in picture.cards:
        number, state = picture.numbers[card.id], picture.readings[card.id].state
        if card.denied is not None:  # a note says why
            continue
        if state not in (CardState.WORKING, CardState.NO_ANSWER):
            told.append(((tr("State"), state.sentence), number))
        if card.cuda_index is None and card.cuda_reason:
            told.append(((tr("CUDA number"), card.cuda_reason), number))
    readings = {picture.numbers[card]: each for card, each in picture.readings.items()}
    told += [
        ((shown(label), reading.missing[metric].sentence), number)
        for number, reading in (readings | {"H": picture.host_reading}).items()
        for label, (_, metrics) in COLUMNS.items()
        for metric in metrics
        if metric in reading.missing and (reading.state is CardState.WORKING or number == "H")
    ]
    alike = (
        (((*cards,), why), label)
        for (label, why), cards in gathered(dict.fromkeys(told)).items()
    )
    for (cards, why), labels in gathered(alike).items():
        named, count = ", ".join(cards), len(cards)
        where = Message.counted("card {cards}", "cards {cards}", count, cards=named)
        if named == "H":
            where = Message("the computer")
        elif count == len(picture.cards) > 1:
            where = Message("every card")
        some = ", ".join(labels)
        page.say(
            Message("{figures} ({cards}): {reason}.", figures=some, cards=where, reason=why)
        )


def _write_processes(page: Page, picture: Picture) -> None:
    rows = []
    for named in picture.processes:
        process = named.process
        command = named.command or f"({tr(named.reason)})"
        if named.ours:
            command = Message("{command} (this program)", command=command)
        told = [
            picture.numbers.get(process.card, NONE),
            str(process.pid),
            process.use.value,
            named.user or NONE,
            figure(process.values.get(ProcessFigure.MEMORY), memory),
            figure(process.values.get(ProcessFigure.SM), ratio),
            figure(named.cpu, ratio),
            named.container or NONE,
            command,
        ]
        rows.append(told)
    if rows:
        page.table(_PROCESSES, rows)
    if picture.processes_unknown:
        unknown = [picture.numbers[card] for card in picture.processes_unknown]
        who = "Which processes use these cards is not known just now: {cards}."
        page.say(Message(who, cards=", ".join(unknown)))
    elif picture.cards and not rows:
        page.say(Message("No process uses these cards."))
