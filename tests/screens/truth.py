"""What may be told of cards whose figures never change, and what was told and may not."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping

# All cards are alike and their counters grow evenly, so that every figure told of them is one
# of few, and a sum over some of them is one of these times their number.
CARDS = 8
ALIKE = (
    f"cards={CARDS};util=40;memory_util=10;encoder=0;decoder=0;jpeg=0;ofa=0;temp=50;"
    "memory_temp=60;margin=30;power=300000;power_average=300000;power_instant=300000;"
    "used=8589934592;clock_graphics=1700;clock_sm=1700;clock_video=1500;reasons=0;bar1_used=0;"
    "pcie_tx=10000000;pcie_rx=20000000;nvlink_rate=104857600;procs=all:2"
)
# Each of the eight cards has its own fault, but the first and the last have none.
ALL_AT_ONCE = (
    "fault=all@1:not_supported fault=all@2:999 "
    "fault=every@3:no_permission fault=nvmlDeviceGetHandleBy*@3:no_permission "
    "garbage=4 lost=5 "
    "answer=nvmlDeviceGetEnforcedPowerLimit@6:0 answer=nvmlDeviceGetCurrentClocks*@6:-1 "
    "answer=nvmlDeviceGetPcieReplayCounter@6:4294967295 answer=field94@6:4294967295 "
    "answer=field142@6:4294967295 answer=field143@6:4294967295 answer=field3@6:-1 "
    "answer=field138@6:*1000000 answer=field139@6:*1000000 "
    "answer=nvmlDeviceGetEccMode@6:7 answer=nvmlDeviceGetComputeMode@6:99 "
    "answer=nvmlDeviceGet*MPS*@6:4294967295"
)
FAULTS = {
    "all of them at once": ALL_AT_ONCE,
    "a driver that goes": "driver=gone",
    "a card that hangs": "hung=2",
    "a card that is slow": "slow=2:0.3",
}
# What a program meets when it starts.
FAULTS_AT_START = {
    "cards without access": "fault=nvmlDeviceGetHandleBy*@all:no_permission",
    "no NVML for this user": "init=no_permission",
    "a count of cards that cannot be": "answer=nvmlDeviceGetCount*:4294967295",
    "names of odd bytes": "answer=nvmlDeviceGetName@all:4e56ff1b5b33316d0a",
}
_TOLERANCE = 0.03
_UNITS = {
    "%": ("ratio", 0.01),
    "°C": ("heat", 1.0),
    "W": ("power", 1.0),
    "kW": ("power", 1e3),
    "MW": ("power", 1e6),
    "kHz": ("clock", 1e3),
    "MHz": ("clock", 1e6),
    "GHz": ("clock", 1e9),
    "B": ("memory", 1.0),
    **{f"{p}iB": ("memory", 1024.0**i) for i, p in enumerate("KMGTPE", 1)},
    "B/s": ("rate", 1.0),
    **{f"{p}B/s": ("rate", 1000.0**i) for i, p in enumerate("kMGTPE", 1)},
    "rpm": ("turns", 1.0),
}
_NUMBER = r"[-−]?\d+(?:[ \u202f]\d{3})*(?:\.\d+)?"
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_FIGURE = re.compile(
    rf"(?<![\w.:/-])({_NUMBER})(?: of ({_NUMBER}))?[ \u202f]?({_UNIT})(?![\w/])"
)
_FACT = re.compile(r"([A-Z][^:|]+): (\d[^|]*)")
_LONG = re.compile(r"\d{7,}")
# What differs from look to look, or is about the computer and not about its cards.
_OTHERWISE = re.compile(
    r"^(Th(?:e|is) computer|Host memory|Energy|Throttled|Time |PyTorch|Processor|H |In short)|"
    r"Unit:|no swap|seconds|readings since|none on these cards|which cannot be"
)
_OWN_MEMORY = re.compile(r"The computer.*? of ([\d.]+ [GT]iB)")


def stub_pid(card: int, process: int) -> int:
    return 4_180_000 + 100 * card + process


Figures = set[tuple[str, float]]


class Truth:
    """Learns what healthy cards say, and finds in what sick ones say all that is not so."""

    def __init__(self) -> None:
        self._figures: Figures = set()
        self._facts: dict[str, set[str]] = {}
        self._long = {str(stub_pid(card, each)) for card in range(CARDS) for each in range(2)}
        self._own_memory: list[str] = []

    def learn(self, said: str) -> None:
        self._own_memory += _OWN_MEMORY.findall(said)
        for line in self._lines(said):
            self._figures |= set(figures_in(line))
            self._long |= set(_LONG.findall(line))
            for label, value in _FACT.findall(line):
                self._facts.setdefault(label, set()).add(value.strip())

    def lies_in(self, said: str) -> list[str]:
        return [line for line in self._lines(said) if self._is_lie(line)]

    def _is_lie(self, line: str) -> bool:
        if any(long not in self._long for long in _LONG.findall(line)):
            return True
        if any(not self._may_be(*figure) for figure in figures_in(line)):
            return True
        return any(
            label in self._facts
            and not list(figures_in(value))
            and value.strip() not in self._facts[label]
            for label, value in _FACT.findall(line)
        )

    def _may_be(self, kind: str, value: float) -> bool:
        return any(
            abs(value - cards * true) <= _TOLERANCE * abs(value)
            for what, true in self._figures
            if what == kind
            for cards in range(1, CARDS + 1)
        )

    def _lines(self, said: str) -> Iterator[str]:
        for line in said.splitlines():
            if _OTHERWISE.search(line):
                continue
            own = (rf"[\d.]+ of {re.escape(each)}" for each in set(self._own_memory))
            yield re.sub("|".join(own) or "$^", "", line)


def figures_in(words: str) -> Iterator[tuple[str, float]]:
    """Each with what it is of, in SI units."""
    for used, of, unit in _FIGURE.findall(words):
        kind, factor = _UNITS[unit]
        for number in (used, of):
            if number:
                digits = number.replace(" ", "").replace("\u202f", "").replace("−", "-")
                yield kind, float(digits) * factor


def untold(told: Mapping[str, object], healthy: Mapping[str, object]) -> list[str]:
    """What a snapshot in JSON says of its cards that the healthy ones never said."""
    known = _values(healthy)
    wrong = []
    for card, values in _values_by_card(told):
        for metric, value in values.items():
            if metric == "energy" or metric.startswith("throttle_time"):
                continue
            # What takes two readings a healthy card has not told yet.
            near = known.get(metric, [value])
            if not any(abs(value - true) <= _TOLERANCE * abs(true) for true in near):
                wrong.append(f"{card}: {metric} {value}")
    return wrong


def untold_in_rows(told: str, healthy: str) -> list[str]:
    """The same, of one in CSV."""
    known: dict[str, set[str]] = {}
    for row in csv.DictReader(healthy.splitlines()):
        for column, cell in row.items():
            known.setdefault(column, set()).add(cell)
    return [
        f"{row['index']}: {column} {cell}"
        for row in csv.DictReader(told.splitlines())
        for column, cell in row.items()
        if "[" in column and cell and row["kind"] == "gpu" and not _is_near(cell, known[column])
        if known[column] != {""} and not column.startswith(("energy", "throttle_time"))
    ]


def _is_near(cell: str, cells: set[str]) -> bool:
    return any(
        abs(float(cell) - float(true)) <= _TOLERANCE * abs(float(true))
        for true in cells
        if true
    )


def _values(told: Mapping[str, object]) -> dict[str, set[float]]:
    found: dict[str, set[float]] = {}
    for _, values in _values_by_card(told):
        for metric, value in values.items():
            found.setdefault(metric, set()).add(value)
    return found


def _values_by_card(told: Mapping[str, object]) -> Iterable[tuple[str, dict[str, float]]]:
    cards = told["cards"]
    assert isinstance(cards, list)
    for card in cards:
        yield (
            str(card["id"]),
            {metric: float(each["value"]) for metric, each in card["values"].items()},
        )
