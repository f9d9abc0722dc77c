"""A picture as a table that a person likes to read."""

from collections.abc import Iterator, Sequence

import gpuexplorer
from gpuexplorer.commands.page import NONE, Column, Page, cut, figure, shown, wrap
from gpuexplorer.commands.picture import Picture
from gpuexplorer.commands.snapshot_needs import IN_THE_TABLE
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.catalogue import clocks, links
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import memory, part_of_memory, quantity, ratio
from gpuexplorer.core.words import Message, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import BRIEFLY, HARMFUL, why_no_figures
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

_CARD_COLUMNS = (
    Column("#", 100),
    Column(Message("cuda"), 40),  # as a rule it says again what stands beside it
    Column(Message("Card"), 93, elastic=True),
    Column(Message("Busy"), 99, right=True),
    Column(Message("Memory"), 94, right=True),
    Column(Message("Temp"), 80, right=True),
    Column(Message("Power"), 75, right=True),
    Column(Message("SM clock"), 50, right=True),
    Column(Message("Fan"), 45, right=True),
    Column("PCIe", 30),
    Column(Message("In, out"), 20, right=True),
    Column(Message("State"), 96, elastic=True),
)
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
_ROOMY, _NARROW = 150, 100
_HOST_NAME = len("Intel Xeon E5-2680 v4")
_EXPLAINED = frozenset(CardState) - {CardState.WORKING, CardState.NO_ANSWER}


def show(pictures: Iterator[Picture], *, again: bool) -> None:
    terminal = Terminal()
    if not again:
        for picture in pictures:
            terminal.show(text_of(picture, terminal))
        return
    with terminal.drawing():
        for picture in pictures:
            terminal.redraw(text_of(picture, terminal))


def text_of(picture: Picture, terminal: Terminal) -> str:
    """The whole picture, at most as wide as the terminal. For each dash a reason follows."""
    page = Page(terminal.width())
    _write_heading(page, picture, terminal)
    for write in (_write_cards, _write_reasons, _write_processes, _write_notes):
        page.gap()
        write(page, picture)
    return str(page)


def _write_heading(page: Page, picture: Picture, terminal: Terminal) -> None:
    source = picture.source
    when = picture.taken_at.strftime("%Y-%m-%d %H:%M:%S")
    computer = cut(picture.host_name, page.width - 3)  # set in, and a full stop behind it
    page.say(f"GPU Explorer {gpuexplorer.__version__}   {computer}   {when}")
    if source is None:
        page.say(Message("No graphics card answers on {computer}.", computer=computer))
    elif source.cuda_version:
        version = source.cuda_version
        page.say(Message("{source}, CUDA {version}", source=source.label, version=version))
    else:
        page.say(source.label)
    if picture.beats is not None:
        read = Message.counted(
            "Read {count} time, {missed} missed. Ctrl-C ends it.",
            "Read {count} times, {missed} missed. Ctrl-C ends it.",
            picture.beats.taken,
            missed=picture.beats.missed,
        )
        page.say(read)
    if picture.simulated:
        made_up = tr("SIMULATED: these cards do not exist, their figures are made up.")
        page.add(*(terminal.warn(line) for line in wrap(made_up, page.width)))


def _write_cards(page: Page, picture: Picture) -> None:
    rows = [_card(picture, card, page.width) for card in picture.cards]
    # However long the processor's name is, the cards keep their columns.
    roomy = page.width >= _ROOMY or not rows
    room = page.width if roomy else max(_HOST_NAME, *(len(row[2]) for row in rows))
    rows.append(_host(picture, room))
    always = {"#", "Card", "State"}
    if any(card.cuda_reason for card in picture.cards):
        always.add("cuda")  # that CUDA does not see a card is news
    columns = list(_CARD_COLUMNS)
    if any(str(card.cuda_index) != picture.numbers[card.id] for card in picture.cards):
        seen = any(card.cuda_index is not None for card in picture.cards)
        columns[1] = columns[1]._replace(weight=78 if seen else 60)
    _write_without_empty(page, columns, rows, always)
    page.gap()
    _write_states(page, picture)


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


def _card(picture: Picture, card: Card, width: int) -> list[str]:
    reading = picture.readings[card.id]
    number = picture.numbers[card.id]
    cuda, name = figure(card.cuda_index), _name(picture, card, width)
    if reading is None or reading.state is not CardState.WORKING:
        return [number, cuda, name, *[NONE] * 8, _short_state(picture, card)]
    return [
        number,
        cuda,
        name,
        _one(reading, u.GPU_UTILIZATION),
        _memory(reading),
        _one(reading, h.TEMPERATURE),
        _of(reading, h.POWER_DRAW, h.POWER_LIMIT),
        _one(reading, clocks.CLOCK_SM),
        _one(reading, h.FAN_SPEED),
        _pcie(reading),
        _traffic(reading),
        _state(picture, reading, card, width),
    ]


def _state(picture: Picture, reading: Reading, card: Card, width: int) -> str:
    if why_no_figures(reading.values, reading.missing) is not None:
        return Message("no usable figure")  # why stands below
    return _trouble(reading, width) or picture.states[card.id]


def _name(picture: Picture, card: Card, width: int) -> str:
    """The part of the name that tells cards apart, where there is no room for all of it."""
    parent = next((other for other in picture.cards if other.id == card.parent), None)
    if card.nameless:
        return NONE  # its state says why
    if parent is not None and isinstance(card.name, Message):
        return f"  {tr('MIG instance {number}', number=card.index)}"
    if parent is not None:
        return f"  {card.name.removeprefix(parent.name).strip()}"
    name = tr(card.name)
    return name.removeprefix("NVIDIA ") if width < _ROOMY else name


def _short_state(picture: Picture, card: Card) -> str:
    reading, sentence = picture.readings[card.id], picture.states[card.id]
    if reading is None or "seconds" in sentence.values:
        return sentence  # with the seconds for which there was no answer
    return reading.state.word


def _write_states(page: Page, picture: Picture) -> None:
    """What the short words in the table mean, said once for all cards they stand at."""
    cards: dict[CardState, list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        # A note says of each card without access why that is so.
        if reading is not None and reading.state in _EXPLAINED and card.denied is None:
            cards.setdefault(reading.state, []).append(picture.numbers[card.id])
    for state, numbers in cards.items():
        said = Message.counted(
            "Card {cards}: {state}.",
            "Cards {cards}: {state}.",
            len(numbers),
            cards=", ".join(numbers),
            state=state.sentence,
        )
        page.say(said)


def _host(picture: Picture, room: int) -> list[str]:
    reading = picture.host_reading
    return [
        "H",
        NONE,
        cut(shown(picture.host.name), room),
        _one(reading, u.CPU_UTILIZATION),
        _memory(reading),
        *[NONE] * 6,
        Message("the computer"),
    ]


def _one(reading: Reading, metric: MetricId) -> str:
    return figure(reading.values.get(metric), lambda value: quantity(METRICS[metric], value))


def _of(reading: Reading, metric: MetricId, limit: MetricId) -> str:
    value, most = reading.values.get(metric), reading.values.get(limit)
    if value is None or most is None:
        return _one(reading, metric)
    part = quantity(METRICS[metric], value).number
    return tr("{part} of {whole}", part=part, whole=quantity(METRICS[limit], most))


def _memory(reading: Reading) -> str:
    used, total = reading.values.get(m.MEMORY_USED), reading.values.get(m.MEMORY_TOTAL)
    if used is None or not total:
        return NONE
    return tr("{part} of {whole}", part=part_of_memory(used, total).number, whole=memory(total))


def _pcie(reading: Reading) -> str:
    generation = reading.values.get(links.PCIE_GENERATION)
    width = reading.values.get(links.PCIE_WIDTH)
    if generation is None or width is None:
        return NONE
    return f"{generation:.0f}.0 x{width:.0f}"


def _traffic(reading: Reading) -> str:
    receive, transmit = (
        reading.values.get(links.PCIE_RECEIVE),
        reading.values.get(links.PCIE_TRANSMIT),
    )
    if receive is None or transmit is None:
        return NONE
    metric = METRICS[links.PCIE_RECEIVE]
    return f"{quantity(metric, receive)}, {quantity(metric, transmit)}"


def _trouble(reading: Reading, width: int) -> str:
    """What holds the card back, in words; empty where nothing does."""
    brief = BRIEFLY if width < _NARROW else {}
    return ", ".join(
        tr(brief.get(metric, METRICS[metric].label))
        for metric in HARMFUL
        if reading.values.get(metric)
    )


def _write_reasons(page: Page, picture: Picture) -> None:
    """For every dash in the table the reason, said once for all it is true of."""
    cards: dict[tuple[MetricId, Absence], list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        if reading is not None and reading.state is CardState.WORKING:
            _gather(cards, reading, picture.numbers[card.id])
    _gather(cards, picture.host_reading, "H")
    labels: dict[tuple[Message, Absence], list[str]] = {}
    for (metric, absence), numbers in cards.items():
        everywhere = len(numbers) == len(picture.cards) > 1
        where = Message("every card") if everywhere else _cards_named(numbers)
        labels.setdefault((where, absence), []).append(shown(IN_THE_TABLE[metric]))
    for (where, absence), named in labels.items():
        why = Message(
            "{figures} ({cards}): {reason}.",
            figures=", ".join(named),
            cards=where,
            reason=absence.sentence,
        )
        page.say(why)
    without: dict[Message, list[str]] = {}
    for card in picture.cards:
        # A note says of each card without access why that is so.
        if card.cuda_index is None and card.cuda_reason and card.denied is None:
            without.setdefault(card.cuda_reason, []).append(picture.numbers[card.id])
    for reason, numbers in without.items():
        cuda = Message(
            "CUDA number ({cards}): {reason}.", cards=_cards_named(numbers), reason=reason
        )
        page.say(cuda)


def _gather(
    cards: dict[tuple[MetricId, Absence], list[str]], reading: Reading, number: str
) -> None:
    for metric in IN_THE_TABLE:
        if metric in reading.missing:
            cards.setdefault((metric, reading.missing[metric]), []).append(number)


def _cards_named(numbers: Sequence[str]) -> Message:
    if numbers == ["H"]:
        return Message("the computer")
    cards = ", ".join(numbers)
    return Message.counted("card {cards}", "cards {cards}", len(numbers), cards=cards)


def _write_processes(page: Page, picture: Picture) -> None:
    if not picture.cards:
        return
    order = {card.id: place for place, card in enumerate(picture.cards)}
    ordered = sorted(
        picture.processes,
        key=lambda named: (
            order.get(named.process.card, 0),
            -named.process.values.get(ProcessFigure.MEMORY, 0.0),
        ),
    )
    rows = [_process(picture, named) for named in ordered]
    if rows:
        _write_without_empty(page, _PROCESS_COLUMNS, rows, {"#", "Pid", "Command"})
    unknown = [picture.numbers[card] for card in picture.processes_unknown]
    if unknown:
        said = Message.counted(
            "Which processes use card {cards} is not known just now.",
            "Which processes use cards {cards} is not known just now.",
            len(unknown),
            cards=", ".join(unknown),
        )
        page.say(said)
    if not rows and not unknown:
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


def _write_notes(page: Page, picture: Picture) -> None:
    page.say(*(attempt.note for attempt in picture.attempts))
    # That it is made up stands at the top already.
    page.say(*(note for note in picture.notes if note != MADE_UP))
