"""A picture as a table that a person likes to read."""

from collections.abc import Iterator, Sequence

import gpuexplorer
from gpuexplorer.commands.grid import Column, grid, wrap
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
from gpuexplorer.core.units import Quantity, memory, quantity, ratio
from gpuexplorer.core.words import Message, mark, tr, trn
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import BRIEFLY, HARMFUL, why_no_figures
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure

# Columns of cards and of processes, each by its marked title.
_CARD_COLUMNS = (
    Column("#", 100),
    Column(mark("cuda"), 40),  # as a rule it says again what stands beside it
    Column(mark("Card"), 93, elastic=True),
    Column(mark("Busy"), 99, right=True),
    Column(mark("Memory"), 94, right=True),
    Column(mark("Temp"), 80, right=True),
    Column(mark("Power"), 75, right=True),
    Column(mark("SM clock"), 50, right=True),
    Column(mark("Fan"), 45, right=True),
    Column("PCIe", 30),
    Column(mark("In, out"), 20, right=True),
    Column(mark("State"), 96, elastic=True),
)
_PROCESS_COLUMNS = (
    Column("#", 90),
    Column(mark("Pid"), 100, right=True),
    Column(mark("Type"), 40),
    Column(mark("User"), 50),
    Column(mark("Memory"), 85, right=True),
    Column("SM", 70, right=True),
    Column("CPU", 60, right=True),
    Column(mark("Container"), 20),
    Column(mark("Command"), 95, elastic=True),
)
_ROOMY, _NARROW = 150, 100
_EXPLAINED = frozenset(CardState) - {CardState.WORKING, CardState.NO_ANSWER}
NONE = "-"  # stands where a figure is missing; the reason follows below the table


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
    """The whole picture, at most as wide as the terminal."""
    width = terminal.width()
    blocks = [
        _heading(picture, terminal, width),
        _cards(picture, width),
        _missing(picture, width),
        _processes(picture, width),
        _notes(picture, width),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _heading(picture: Picture, terminal: Terminal, width: int) -> list[str]:
    source = picture.source
    when = picture.taken_at.strftime("%Y-%m-%d %H:%M:%S")
    parts = [f"GPU Explorer {gpuexplorer.__version__}", picture.host_name, when]
    lines = wrap("   ".join(parts), width)
    if source is None:
        lines += wrap(tr("No graphics card answers on this computer."), width)
    else:
        label = tr(source.label)
        if source.cuda_version:
            label = tr("{source}, CUDA {version}", source=label, version=source.cuda_version)
        lines += wrap(label, width)
    if picture.beats is not None:
        taken, missed = picture.beats.taken, picture.beats.missed
        read = trn(
            "Read {count} time, {missed} missed. Ctrl-C ends it.",
            "Read {count} times, {missed} missed. Ctrl-C ends it.",
            taken,
            missed=missed,
        )
        lines += wrap(read, width)
    if picture.simulated:
        made_up = tr("SIMULATED: these cards do not exist, their figures are made up.")
        lines += [terminal.warn(line) for line in wrap(made_up, width)]
    return lines


def _cards(picture: Picture, width: int) -> list[str]:
    rows = [_card(picture, card, width) for card in picture.cards]
    rows.append(_host(picture))
    always = {"#", "Card", "State"}
    if any(card.cuda_reason for card in picture.cards):
        always.add("cuda")  # that CUDA does not see a card is news
    columns = list(_CARD_COLUMNS)
    if any(str(card.cuda_index) != picture.numbers[card.id] for card in picture.cards):
        seen = any(card.cuda_index is not None for card in picture.cards)
        columns[1] = columns[1]._replace(weight=78 if seen else 60)
    return [
        *_without_empty(columns, rows, always, width),
        *_states(picture, width),
    ]


def _without_empty(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], always: set[str], width: int
) -> list[str]:
    """The grid without columns in which nobody has a figure."""
    told = [
        place
        for place, column in enumerate(columns)
        if column.title in always or any(row[place] != NONE for row in rows)
    ]
    return grid(
        [columns[place]._replace(title=tr(columns[place].title)) for place in told],
        [[row[place] for place in told] for row in rows],
        width,
    )


def _card(picture: Picture, card: Card, width: int) -> list[str]:
    reading = picture.readings[card.id]
    number = picture.numbers[card.id]
    cuda = NONE if card.cuda_index is None else str(card.cuda_index)
    name = _name(picture, card, width)
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
        return tr("no usable figure")  # why stands below
    return _trouble(reading, width) or tr(picture.states[card.id])


def _name(picture: Picture, card: Card, width: int) -> str:
    """The part of the name that tells cards apart, where there is no room for all of it."""
    parent = next((other for other in picture.cards if other.id == card.parent), None)
    if card.nameless:
        return NONE  # its state says why
    name = tr(card.name)
    if parent is not None:
        return f"  {name.removeprefix(tr(parent.name)).strip(', ')}"
    return name.removeprefix("NVIDIA ") if width < _ROOMY else name


def _short_state(picture: Picture, card: Card) -> str:
    reading, sentence = picture.readings[card.id], picture.states[card.id]
    if reading is None or "seconds" in sentence.values:
        return tr(sentence)  # with the seconds for which there was no answer
    return tr(reading.state.word)


def _states(picture: Picture, width: int) -> list[str]:
    """What the short words in the table mean, said once for all cards they stand at."""
    cards: dict[CardState, list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        # A note says of each card without access why that is so.
        if reading is not None and reading.state in _EXPLAINED and card.denied is None:
            cards.setdefault(reading.state, []).append(picture.numbers[card.id])
    lines = []
    for state, numbers in cards.items():
        said = trn(
            "Card {cards}: {state}.",
            "Cards {cards}: {state}.",
            len(numbers),
            cards=", ".join(numbers),
            state=state.sentence,
        )
        lines += wrap(said, width)
    return ["", *lines] if lines else []


def _host(picture: Picture) -> list[str]:
    reading = picture.host_reading
    return [
        "H",
        NONE,
        tr(picture.host.name),
        _one(reading, u.CPU_UTILIZATION),
        _memory(reading),
        *[NONE] * 6,
        tr("the computer"),
    ]


def _one(reading: Reading, metric: MetricId) -> str:
    value = reading.values.get(metric)
    return NONE if value is None else str(quantity(METRICS[metric], value))


def _of(reading: Reading, metric: MetricId, limit: MetricId) -> str:
    value, most = reading.values.get(metric), reading.values.get(limit)
    if value is None or most is None:
        return _one(reading, metric)
    part = quantity(METRICS[metric], value).number
    return tr("{part} of {whole}", part=part, whole=quantity(METRICS[limit], most))


def _memory(reading: Reading) -> str:
    used, total = reading.values.get(m.MEMORY_USED), reading.values.get(m.MEMORY_TOTAL)
    if used is None or total is None or not total:
        return NONE
    whole = memory(total)
    return tr("{part} of {whole}", part=_same_unit(used, whole), whole=whole)


def _same_unit(value: float, whole: Quantity) -> str:
    """A part in the unit of its whole: "0.4 of 79.6 GiB"."""
    sizes = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1}
    decimals = 1 if whole.unit in ("TiB", "GiB") else 0
    return f"{value / sizes[whole.unit]:.{decimals}f}"


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


def _missing(picture: Picture, width: int) -> list[str]:
    """For every dash in the table the reason, said once for all it is true of."""
    cards: dict[tuple[MetricId, Absence], list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        if reading is not None and reading.state is CardState.WORKING:
            _gather(cards, reading, picture.numbers[card.id])
    _gather(cards, picture.host_reading, "H")
    labels: dict[tuple[str, Absence], list[str]] = {}
    for (metric, absence), numbers in cards.items():
        everywhere = len(numbers) == len(picture.cards) > 1
        where = tr("every card") if everywhere else _cards_named(numbers)
        labels.setdefault((where, absence), []).append(tr(IN_THE_TABLE[metric]))
    lines = []
    for (where, absence), named in labels.items():
        why = tr(
            "{figures} ({cards}): {reason}.",
            figures=", ".join(named),
            cards=where,
            reason=absence.sentence,
        )
        lines += wrap(why, width)
    without: dict[Message, list[str]] = {}
    for card in picture.cards:
        # A note says of each card without access why that is so.
        if card.cuda_index is None and card.cuda_reason and card.denied is None:
            without.setdefault(card.cuda_reason, []).append(picture.numbers[card.id])
    for reason, numbers in without.items():
        cuda = tr(
            "CUDA number ({cards}): {reason}.", cards=_cards_named(numbers), reason=reason
        )
        lines += wrap(cuda, width)
    return lines


def _gather(
    cards: dict[tuple[MetricId, Absence], list[str]], reading: Reading, number: str
) -> None:
    for metric in IN_THE_TABLE:
        if metric in reading.missing:
            cards.setdefault((metric, reading.missing[metric]), []).append(number)


def _cards_named(numbers: Sequence[str]) -> str:
    if numbers == ["H"]:
        return tr("the computer")
    return trn("card {cards}", "cards {cards}", len(numbers), cards=", ".join(numbers))


def _processes(picture: Picture, width: int) -> list[str]:
    if not picture.cards:
        return []
    order = {card.id: place for place, card in enumerate(picture.cards)}
    ordered = sorted(
        picture.processes,
        key=lambda named: (
            order.get(named.process.card, 0),
            -named.process.values.get(ProcessFigure.MEMORY, 0.0),
        ),
    )
    rows = [_process(picture, named) for named in ordered]
    lines = (
        _without_empty(_PROCESS_COLUMNS, rows, {"#", "Pid", "Command"}, width) if rows else []
    )
    unknown = [picture.numbers[card] for card in picture.processes_unknown]
    if unknown:
        said = trn(
            "Which processes use card {cards} is not known just now.",
            "Which processes use cards {cards} is not known just now.",
            len(unknown),
            cards=", ".join(unknown),
        )
        lines += wrap(said, width)
    return lines or [tr("No process uses these cards.")]


def _process(picture: Picture, named: NamedProcess) -> list[str]:
    process = named.process
    used, busy = process.values.get(ProcessFigure.MEMORY), process.values.get(ProcessFigure.SM)
    command = named.command or f"({tr(named.reason)})"
    return [
        picture.numbers.get(process.card, NONE),
        str(process.pid),
        process.use.value,
        named.user or NONE,
        NONE if used is None else str(memory(used)),
        NONE if busy is None else str(ratio(busy)),
        NONE if named.cpu is None else str(ratio(named.cpu)),
        named.container or NONE,
        tr("{command} (this program)", command=command) if named.ours else command,
    ]


def _notes(picture: Picture, width: int) -> list[str]:
    lines = []
    for attempt in picture.attempts:
        lines += wrap(tr(attempt.note), width)
    for note in picture.notes:
        if note != MADE_UP:  # it stands at the top already
            lines += wrap(tr(note), width)
    return lines
