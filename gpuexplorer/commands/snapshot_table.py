"""A picture as a table that a person likes to read."""

from collections.abc import Sequence

import gpuexplorer
from gpuexplorer.commands.grid import Column, grid, wrap
from gpuexplorer.commands.picture import Picture
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.catalogue import clocks, health, links
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Quantity, memory, quantity, ratio
from gpuexplorer.telemetry.happenings import HARMFUL
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure

_CARD_COLUMNS = (
    Column("#", 100),
    Column("cuda", 60),
    Column("Card", 93, elastic=True),
    Column("Busy", 99, right=True),
    Column("Memory", 94, right=True),
    Column("Temp", 80, right=True),
    Column("Power", 75, right=True),
    Column("SM clock", 50, right=True),
    Column("Fan", 45, right=True),
    Column("PCIe", 30),
    Column("In, out", 20, right=True),
    Column("State", 96, elastic=True),
)
_PROCESS_COLUMNS = (
    Column("#", 90),
    Column("Pid", 100, right=True),
    Column("Type", 40),
    Column("User", 50),
    Column("Memory", 85, right=True),
    Column("SM", 70, right=True),
    Column("CPU", 60, right=True),
    Column("Container", 20),
    Column("Command", 95, elastic=True),
)
_ROOMY = 150
_EXPLAINED = (CardState.LOST, CardState.ASLEEP, CardState.NO_DRIVER)
# By the title of the column in which the figure would stand.
_SHOWN = {
    u.GPU_UTILIZATION: "Busy",
    u.CPU_UTILIZATION: "Busy",
    m.MEMORY_USED: "Memory",
    h.TEMPERATURE: "Temp",
    h.POWER_DRAW: "Power",
    h.POWER_LIMIT: "Power limit",
    clocks.CLOCK_SM: "SM clock",
    h.FAN_SPEED: "Fan",
    links.PCIE_GENERATION: "PCIe",
    links.PCIE_RECEIVE: "In, out",
}
# What the table needs, and nothing dearer is asked for.
READ = frozenset(
    {
        *_SHOWN,
        *HARMFUL,
        *(m.MEMORY_TOTAL, links.PCIE_WIDTH, links.PCIE_TRANSMIT, health.MIG_MODE),
    }
)
NONE = "-"  # stands where a figure is missing; the reason follows below the table


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
        lines += wrap("No graphics card answers on this computer.", width)
    else:
        cuda = f", CUDA {source.cuda_version}" if source.cuda_version else ""
        lines += wrap(f"{source.label}{cuda}", width)
    if picture.beats is not None:
        taken, missed = picture.beats.taken, picture.beats.missed
        lines += wrap(f"Read {taken} times, {missed} missed. Ctrl-C ends it.", width)
    if picture.simulated:
        lines += [
            terminal.warn(line)
            for line in wrap(
                "SIMULATED: these cards do not exist, their figures are made up.", width
            )
        ]
    return lines


def _cards(picture: Picture, width: int) -> list[str]:
    rows = [_card(picture, card, width) for card in picture.cards]
    rows.append(_host(picture))
    always = {"#", "Card", "State"}
    if any(card.cuda_reason for card in picture.cards):
        always.add("cuda")  # that CUDA does not see a card is news
    return [
        *_without_empty(_CARD_COLUMNS, rows, always, width),
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
        [columns[place] for place in told],
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
        _trouble(reading) or picture.states[card.id],
    ]


def _name(picture: Picture, card: Card, width: int) -> str:
    """The part of the name that tells cards apart, where there is no room for all of it."""
    parent = next((other for other in picture.cards if other.id == card.parent), None)
    if parent is not None:
        return f"  {card.name.removeprefix(parent.name).strip(', ')}"
    return card.name.removeprefix("NVIDIA ") if width < _ROOMY else card.name


def _short_state(picture: Picture, card: Card) -> str:
    reading = picture.readings[card.id]
    sentence = picture.states[card.id]
    if reading is None or sentence.startswith(CardState.NO_ANSWER):
        return sentence  # with the seconds for which there was none
    return reading.state.value


def _states(picture: Picture, width: int) -> list[str]:
    """What the short words in the table mean, said once for all cards they stand at."""
    cards: dict[CardState, list[str]] = {}
    for card in picture.cards:
        reading = picture.readings[card.id]
        if reading is not None and reading.state in _EXPLAINED:
            cards.setdefault(reading.state, []).append(picture.numbers[card.id])
    lines = []
    for state, numbers in cards.items():
        named = _cards_named(numbers)
        lines += wrap(f"{named[0].upper()}{named[1:]}: {state.sentence}.", width)
    return ["", *lines] if lines else []


def _host(picture: Picture) -> list[str]:
    reading = picture.host_reading
    return [
        "H",
        NONE,
        picture.host.name,
        _one(reading, u.CPU_UTILIZATION),
        _memory(reading),
        *[NONE] * 6,
        "the computer",
    ]


def _one(reading: Reading, metric: MetricId) -> str:
    value = reading.values.get(metric)
    return NONE if value is None else str(quantity(METRICS[metric], value))


def _of(reading: Reading, metric: MetricId, limit: MetricId) -> str:
    value, most = reading.values.get(metric), reading.values.get(limit)
    if value is None or most is None:
        return _one(reading, metric)
    return f"{quantity(METRICS[metric], value).number} of {quantity(METRICS[limit], most)}"


def _memory(reading: Reading) -> str:
    used, total = reading.values.get(m.MEMORY_USED), reading.values.get(m.MEMORY_TOTAL)
    if used is None or total is None or not total:
        return NONE
    return f"{_same_unit(used, memory(total))} of {memory(total)}"


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


def _trouble(reading: Reading) -> str:
    """What holds the card back, in words; empty where nothing does."""
    return ", ".join(
        METRICS[metric].label.lower() for metric in HARMFUL if reading.values.get(metric)
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
        where = "every card" if everywhere else _cards_named(numbers)
        labels.setdefault((where, absence), []).append(_SHOWN[metric])
    lines = []
    for (where, absence), named in labels.items():
        lines += wrap(f"{', '.join(named)} ({where}): {absence.sentence}.", width)
    without = {
        card.cuda_reason: [
            picture.numbers[other.id]
            for other in picture.cards
            if other.cuda_reason == card.cuda_reason
        ]
        for card in picture.cards
        if card.cuda_index is None and card.cuda_reason
    }
    for why, numbers in without.items():
        lines += wrap(f"CUDA number ({_cards_named(numbers)}): {why}.", width)
    return lines


def _gather(
    cards: dict[tuple[MetricId, Absence], list[str]], reading: Reading, number: str
) -> None:
    for metric in _SHOWN:
        if metric in reading.missing:
            cards.setdefault((metric, reading.missing[metric]), []).append(number)


def _cards_named(numbers: Sequence[str]) -> str:
    if numbers == ["H"]:
        return "the computer"
    return ("card " if len(numbers) == 1 else "cards ") + ", ".join(numbers)


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
        named = _cards_named(unknown)
        lines += wrap(f"Which processes use {named} cannot be told just now.", width)
    return lines or ["No process uses these cards."]


def _process(picture: Picture, named: NamedProcess) -> list[str]:
    process = named.process
    used, busy = process.values.get(ProcessFigure.MEMORY), process.values.get(ProcessFigure.SM)
    command = named.command or f"({named.reason})"
    return [
        picture.numbers.get(process.card, NONE),
        str(process.pid),
        process.use.value,
        named.user or NONE,
        NONE if used is None else str(memory(used)),
        NONE if busy is None else str(ratio(busy)),
        NONE if named.cpu is None else str(ratio(named.cpu)),
        named.container or NONE,
        f"{command} (this program)" if named.ours else command,
    ]


def _notes(picture: Picture, width: int) -> list[str]:
    lines = []
    for attempt in picture.attempts:
        lines += wrap(f"{attempt.name}: {attempt.sentence} {attempt.hint}", width)
    for note in picture.notes:
        if picture.simulated and note.startswith("These cards are simulated"):
            continue  # it stands at the top already
        lines += wrap(note, width)
    return lines
