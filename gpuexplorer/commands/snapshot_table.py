"""A snapshot as a table that a person likes to read. For each dash in it a reason follows."""

from collections.abc import Callable, Iterator, Sequence

import gpuexplorer
from gpuexplorer.commands.snapshot import IN_THE_TABLE, Picture
from gpuexplorer.commands.terminal import NONE, Column, Page, Terminal, cut, figure, shown, wrap
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import memory, part_of_memory, quantity, ratio
from gpuexplorer.core.words import Message, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import BRIEFLY, HARMFUL, why_no_figures
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

_ROOMY, _NARROW = 150, 100
_HOST_NAME = len("Intel Xeon E5-2680 v4")
_EXPLAINED = frozenset(CardState) - {CardState.WORKING, CardState.NO_ANSWER}


def show(pictures: Iterator[Picture], *, again: bool) -> None:
    terminal = Terminal()
    if not again:
        for picture in pictures:
            terminal.show(_text_of(picture, terminal))
        return
    with terminal.drawing():
        for picture in pictures:
            terminal.redraw(_text_of(picture, terminal))


def _text_of(picture: Picture, terminal: Terminal) -> str:
    page = Page(terminal.width())
    _write_heading(page, picture, terminal)
    for write in (_write_cards, _write_states, _write_reasons, _write_processes):
        page.gap()
        write(page, picture)
    page.gap()
    # That it is made up stands at the top already.
    page.say(*picture.tried, *(note for note in picture.notes if note != MADE_UP))
    return str(page)


def _write_heading(page: Page, picture: Picture, terminal: Terminal) -> None:
    source, computer = picture.source, cut(picture.computer, page.width - 3)
    when = picture.taken_at.strftime("%Y-%m-%d %H:%M:%S")
    page.say(f"GPU Explorer {gpuexplorer.__version__}   {computer}   {when}")
    if source is None:
        page.say(Message("No graphics card answers on {computer}.", computer=computer))
    elif source.cuda_version:
        version = source.cuda_version
        page.say(Message("{source}, CUDA {version}", source=source.label, version=version))
    else:
        page.say(source.label)
    if picture.beats is not None:
        page.say(
            Message.counted(
                "Read {count} time, {missed} missed. Ctrl-C ends it.",
                "Read {count} times, {missed} missed. Ctrl-C ends it.",
                picture.beats.taken,
                missed=picture.beats.missed,
            )
        )
    if picture.simulated:
        made_up = tr("SIMULATED: these cards do not exist, their figures are made up.")
        page.add(*(terminal.warn(line) for line in wrap(made_up, page.width)))


def _one(*metrics: MetricId) -> Callable[[Reading], str]:
    """The first of them that is told."""

    def cell(reading: Reading) -> str:
        told = next((each for each in metrics if each in reading.values), None)
        return NONE if told is None else str(quantity(METRICS[told], reading.values[told]))

    return cell


def _memory(reading: Reading) -> str:
    used, total = reading.values.get(m.MEMORY_USED), reading.values.get(m.MEMORY_TOTAL)
    if used is None or not total:
        return NONE
    return tr("{part} of {whole}", part=part_of_memory(used, total).number, whole=memory(total))


def _power(reading: Reading) -> str:
    draw, limit = reading.values.get(m.POWER_DRAW), reading.values.get(m.POWER_LIMIT)
    if draw is None or limit is None:
        return _one(m.POWER_DRAW)(reading)
    part = quantity(METRICS[m.POWER_DRAW], draw).number
    return tr("{part} of {whole}", part=part, whole=quantity(METRICS[m.POWER_LIMIT], limit))


def _pcie(reading: Reading) -> str:
    generation = reading.values.get(m.PCIE_GENERATION)
    width = reading.values.get(m.PCIE_WIDTH)
    return NONE if None in (generation, width) else f"{generation:.0f}.0 x{width:.0f}"


def _traffic(reading: Reading) -> str:
    both = [_one(way)(reading) for way in (m.PCIE_RECEIVE, m.PCIE_TRANSMIT)]
    return NONE if NONE in both else ", ".join(both)


_FIGURES = (
    (Column(Message("Busy"), 99, right=True), _one(m.GPU_UTILIZATION, m.CPU_UTILIZATION)),
    (Column(Message("Memory"), 94, right=True), _memory),
    (Column(Message("Temp"), 80, right=True), _one(m.TEMPERATURE)),
    (Column(Message("Power"), 75, right=True), _power),
    (Column(Message("SM clock"), 50, right=True), _one(m.CLOCK_SM)),
    (Column(Message("Fan"), 45, right=True), _one(m.FAN_SPEED)),
    (Column("PCIe", 30), _pcie),
    (Column(Message("In, out"), 20, right=True), _traffic),
)


def _write_cards(page: Page, picture: Picture) -> None:
    rows = [_card(picture, card, page.width) for card in picture.cards]
    # However long the processor's name is, the cards keep their columns.
    roomy = page.width >= _ROOMY or not rows
    room = page.width if roomy else max(_HOST_NAME, *(len(row[2]) for row in rows))
    name, figures = cut(shown(picture.host.name), room), _cells(picture.host_reading)
    rows.append(["H", NONE, name, *figures, Message("the computer")])
    always, weight = {"#", "Card", "State"}, 40  # as a rule it says again what stands beside it
    if any(card.cuda_reason for card in picture.cards):
        always.add("cuda")  # that CUDA does not see a card is news
    if any(str(card.cuda_index) != picture.numbers[card.id] for card in picture.cards):
        weight = 60 if all(card.cuda_index is None for card in picture.cards) else 78
    columns = (
        Column("#", 100),
        Column(Message("cuda"), weight),
        Column(Message("Card"), 93, elastic=True),
        *(column for column, _ in _FIGURES),
        Column(Message("State"), 96, elastic=True),
    )
    _write_without_empty(page, columns, rows, always)


def _write_without_empty(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]], always: set[str]
) -> None:
    """The table without columns in which nobody has a figure."""
    told = [
        place
        for place, column in enumerate(columns)
        if column.title in always or any(row[place] != NONE for row in rows)
    ]
    page.table([columns[place] for place in told], [[row[at] for at in told] for row in rows])


def _cells(reading: Reading) -> list[str]:
    return [cell(reading) for _, cell in _FIGURES]


def _card(picture: Picture, card: Card, width: int) -> list[str]:
    reading, state = picture.readings[card.id], picture.states[card.id]
    first = [picture.numbers[card.id], figure(card.cuda_index), _name(picture, card, width)]
    if reading is None or "seconds" in state.values:  # for which there was no answer
        return [*first, *[NONE] * len(_FIGURES), state]
    if reading.state is not CardState.WORKING:
        return [*first, *[NONE] * len(_FIGURES), reading.state.word]
    told: str = state
    if why_no_figures(reading.values, reading.missing) is not None:
        told = Message("no usable figure")  # why stands below
    elif held := [each for each in HARMFUL if reading.values.get(each)]:
        brief = BRIEFLY if width < _NARROW else {}
        told = ", ".join(tr(brief.get(each, METRICS[each].label)) for each in held)
    return [*first, *_cells(reading), told]


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


def _write_states(page: Page, picture: Picture) -> None:
    """What the short words in the table mean, said once for all cards they stand at."""
    cards: dict[Message, list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        # A note says of each card without access why that is so.
        if reading is not None and reading.state in _EXPLAINED and card.denied is None:
            cards.setdefault(reading.state.sentence, []).append(picture.numbers[card.id])
    for sentence, numbers in cards.items():
        page.say(
            Message.counted(
                "Card {cards}: {state}.",
                "Cards {cards}: {state}.",
                len(numbers),
                cards=", ".join(numbers),
                state=sentence,
            )
        )


def _write_reasons(page: Page, picture: Picture) -> None:
    """Why there is a dash, said once for all it is true of."""
    told: list[tuple[str, Message, str]] = []  # of which figure, why, of which card
    for card in picture.cards:
        reading = picture.readings[card.id]
        if reading is not None and reading.state is CardState.WORKING:
            told += _reasons(reading, picture.numbers[card.id])
    told += _reasons(picture.host_reading, "H")
    for card in picture.cards:
        # A note says of each card without access why that is so.
        if card.cuda_index is None and card.cuda_reason and card.denied is None:
            told.append((tr("CUDA number"), card.cuda_reason, picture.numbers[card.id]))
    cards: dict[tuple[str, Message], list[str]] = {}
    for label, reason, number in told:
        cards.setdefault((label, reason), []).append(number)
    labels: dict[tuple[Message, Message], list[str]] = {}
    for (label, reason), numbers in cards.items():
        named = ", ".join(numbers)
        where = Message.counted("card {cards}", "cards {cards}", len(numbers), cards=named)
        if numbers == ["H"]:
            where = Message("the computer")
        elif len(numbers) == len(picture.cards) > 1:
            where = Message("every card")
        labels.setdefault((where, reason), []).append(label)
    for (where, reason), some in labels.items():
        figures = ", ".join(some)
        page.say(
            Message(
                "{figures} ({cards}): {reason}.", figures=figures, cards=where, reason=reason
            )
        )


def _reasons(reading: Reading, number: str) -> Iterator[tuple[str, Message, str]]:
    for metric, label in IN_THE_TABLE.items():
        if metric in reading.missing:
            yield shown(label), reading.missing[metric].sentence, number


_PROCESS_COLUMNS = (
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


def _write_processes(page: Page, picture: Picture) -> None:
    if not picture.cards:
        return
    order = [card.id for card in picture.cards]

    def place(named: NamedProcess) -> tuple[int, float]:
        process = named.process
        return order.index(process.card), -process.values.get(ProcessFigure.MEMORY, 0.0)

    rows = [_process(picture, named) for named in sorted(picture.processes, key=place)]
    if rows:
        _write_without_empty(page, _PROCESS_COLUMNS, rows, {"#", "Pid", "Command"})
    unknown = [picture.numbers[card] for card in picture.processes_unknown]
    if unknown:
        page.say(
            Message.counted(
                "Which processes use card {cards} is not known just now.",
                "Which processes use cards {cards} is not known just now.",
                len(unknown),
                cards=", ".join(unknown),
            )
        )
    elif not rows:
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
