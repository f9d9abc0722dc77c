"""Measured copies as text: a matrix for each question, what stands out, the rest by kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.commands.page import NONE, Column, Page, figure, percent
from gpuexplorer.copies.asked_for import HOST, index_of
from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.kin import Kin
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import device_names
from gpuexplorer.copies.sweep import curve_of
from gpuexplorer.core.units import gigabytes_per_second, memory
from gpuexplorer.core.words import NOTHING, Message, on, told, tr
from gpuexplorer.telemetry.backend import Backend

_FEW_SIZES = 2
_MOST_FINDINGS = 12
_MOST_CELLS = 4
_OF_THE_WIRE = {Kind.ONE_WAY, Kind.BOTH_WAYS, Kind.PAGEABLE, Kind.STAGED, Kind.RAW}
WRONG = "WRONG"
SIMULATED = Message("SIMULATED: these cards do not exist.")
INCOMPLETE = Message("It was ended before all was measured.")
_ONCE = Message("Inside one device copied bytes count once; memory traffic is twice that.")


@dataclass(frozen=True, slots=True)
class Head:
    """What is said before the figures."""

    label: Message
    remarks: Sequence[Message]
    simulated: bool = False  # and so modelled
    machine: str | None = None  # which is not this computer

    def write(self, page: Page, modelled: Message) -> None:
        page.say(on(self.machine, self.label))
        page.say(*((SIMULATED, modelled) if self.simulated else ()), *self.remarks)


def write_results(
    page: Page, head: Head, results: Sequence[CopyResult], sizes: Sequence[int]
) -> None:
    head.write(page, Message("Modelled: every time follows from the wiring; no bytes moved."))
    by_kind: dict[Kind, list[CopyResult]] = {}
    for result in results:
        by_kind.setdefault(kind_of(result.job), []).append(result)
    for kind, group in by_kind.items():
        _write_answer(page, kind, group, sizes)
    if any(each.traffic is not None for each in results):
        page.gap()
        page.say(_ONCE)
    _write_summary(page, results)


def write_offer(page: Page, backend: Backend) -> None:
    """What `--devices` and `--mode` understand here."""
    cards = {card.id: card.name for card in backend.cards()}
    names = device_names(backend.cards()).items()
    devices = [("cpu", Message("the processor and its memory"))]
    devices += [(name, Message("{card}", card=cards[card])) for name, card in names]
    what = Column("", 90, elastic=True)
    page.table([Column(Message("Device"), 100), what], devices)
    page.gap()
    modes = [(kind.value, kind.words) for kind in Kind]
    page.table([Column(Message("Mode"), 100), what], modes)
    page.gap()
    page.say(SIMULATED if backend.source.simulated else "")


def _write_answer(
    page: Page, kind: Kind, results: Sequence[CopyResult], sizes: Sequence[int]
) -> None:
    by_size: dict[int, list[CopyResult]] = {}
    for result in results:
        by_size.setdefault(result.job.bytes, []).append(result)
    if len(by_size) > _FEW_SIZES:
        _write_sweep(page, kind, results)
        return
    for size, group in by_size.items():
        samples = max(len(each.measured.samples_s) if each.measured else 0 for each in group)
        page.gap()
        page.say(_title(kind, size, samples))
        if kind is Kind.LATENCY:
            _write_matrix(page, group, lambda each: figure(each.seconds, _in_microseconds))
            continue
        _write_matrix(page, group, lambda each: figure(each.rate, gigabytes_per_second))
        if kind in _OF_THE_WIRE and any(each.share is not None for each in group):
            page.gap()
            page.say(Message("Share of what the narrowest wire could carry, %:"))
            _write_matrix(page, group, lambda each: figure(each.share, _in_hundredths))
        if any(each.hidden is not None for each in group):
            page.gap()
            page.say(Message("Share of the copies that the computation hid, %:"))
            _write_matrix(page, group, lambda each: figure(each.hidden, _in_hundredths))


def _title(kind: Kind, size: int, samples: int) -> Message:
    values = {"way": kind.words, "size": str(memory(size))}
    if kind is Kind.LATENCY:
        return Message(
            "Latency in µs, {size}, median of {samples}; row to column:",
            size=values["size"],
            samples=samples,
        )
    if not samples:
        return Message("{way}, {size}, GB/s; row to column:", **values)
    return Message(
        "{way}, {size}, GB/s, median of {samples}; row to column:", samples=samples, **values
    )


def _write_matrix(
    page: Page, results: Iterable[CopyResult], cell: Callable[[CopyResult], str]
) -> None:
    cells = {
        (each.job.source, each.job.target): WRONG if each.wrong else cell(each)
        for each in results
    }
    sources = list(dict.fromkeys(source for source, _ in cells))
    targets = sorted({target for _, target in cells}, key=_place)
    columns = [
        (_short(target), [cells.get((source, target), "") for source in sources])
        for target in targets
    ]
    page.matrix([_short(source) for source in sources], columns)


def _write_sweep(page: Page, kind: Kind, results: Sequence[CopyResult]) -> None:
    """Sizes in rows, paths in columns; below them what follows from all sizes."""
    paths: dict[tuple[str, str], dict[int, CopyResult]] = {}
    for result in results:
        job = result.job
        paths.setdefault((job.source, job.target), {})[job.bytes] = result
    sizes = sorted({result.job.bytes for result in results})
    columns = [
        (
            Message("{source} to {target}", source=_short(source), target=_short(target)),
            [*(_rate(by_size.get(size)) for size in sizes), *_of_curve(by_size)],
        )
        for (source, target), by_size in paths.items()
    ]
    page.gap()
    page.say(Message("{way}, GB/s over size:", way=kind.words))
    rows = [*(str(memory(size)) for size in sizes), tr("half rate at"), tr("floor, µs")]
    page.matrix(rows, columns)


def _rate(result: CopyResult | None) -> str:
    if result is None:
        return NONE
    return WRONG if result.wrong else figure(result.rate, gigabytes_per_second)


def _of_curve(by_size: Mapping[int, CopyResult]) -> list[str]:
    curve = curve_of(by_size.values())
    if curve is None:
        return [NONE, NONE]
    return [figure(curve.half_rate_bytes, memory), figure(curve.floor, _in_microseconds)]


def _write_summary(page: Page, results: Sequence[CopyResult]) -> None:
    found = findings(results)
    wrong = sum(result.wrong for result in results)
    intact = sum(
        result.measured is not None and result.measured.intact is True for result in results
    )
    page.gap()
    if intact:
        checked = Message.counted(
            "{count} of {all} that were checked is intact.",
            "{count} of {all} that were checked are intact.",
            intact,
            all=intact + wrong,
        )
        page.say(checked)
        page.gap()
    if found:
        page.say(Message("What stands out:"))
    advised: set[str] = set()
    for number, finding in enumerate(found[:_MOST_FINDINGS], 1):
        page.say(_finding(number, finding, advised))
        advised.add(finding.hint)
    if len(found) > _MOST_FINDINGS:
        page.say(Message("and {count} more.", count=len(found) - _MOST_FINDINGS))
    rest = [
        [
            _kin(kin),
            str(len(kin.results)),
            str(memory(kin.results[0].job.bytes)),
            gigabytes_per_second(kin.rate),
            figure(kin.share, percent),
        ]
        for kin in the_rest(_largest(results), found)
        if kin.rate is not None and kin.kind is not Kind.LATENCY
    ]
    if rest:
        page.gap()
        title = Message("The rest, by kind") if found else Message("By kind")
        columns = (
            Column(title, 100, elastic=True),
            Column(Message("Copies"), 60, right=True),
            Column(Message("Size"), 70, right=True),
            Column("GB/s", 95, right=True),
            Column(Message("of limit"), 80, right=True),
        )
        page.table(columns, rest)


def _largest(results: Sequence[CopyResult]) -> list[CopyResult]:
    """Of each kind; the wire shows in large copies only."""
    most: dict[Kind, int] = {}
    for result in results:
        kind = kind_of(result.job)
        most[kind] = max(result.job.bytes, most.get(kind, 0))
    return [each for each in results if each.job.bytes == most[kind_of(each.job)]]


def _finding(number: int, finding: Finding, advised: set[str]) -> Message:
    """A hint that was given already is not repeated."""
    said = Message(
        "{number}. {title} ({places}): {sentence}",
        number=number,
        title=finding.title,
        places=_places(finding),
        sentence=finding.sentence,
    )
    return told(said, NOTHING if finding.hint in advised else finding.hint)


def _kin(kin: Kin) -> Message:
    if kin.kind in (Kind.ONE_WAY, Kind.STAGED):
        return kin.words
    return Message("{way}, {kind}", way=kin.words, kind=kin.kind.value)


def _places(finding: Finding) -> str:
    if finding.devices:
        return ", ".join(finding.devices)
    pairs = ", ".join(_pair(*cell) for cell in finding.cells[:_MOST_CELLS])
    more = len(finding.cells) - _MOST_CELLS
    return pairs if more <= 0 else Message("{pairs} and {count} more", pairs=pairs, count=more)


def _pair(source: str, target: str) -> str:
    if source == target:
        return tr("inside {device}", device=source)
    return tr("{source} to {target}", source=source, target=target)


def _in_microseconds(seconds: float) -> str:
    value = seconds * 1e6
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _in_hundredths(share: float) -> str:
    return f"{share * 100:.0f}"


def _short(device: str) -> str:
    return device.removeprefix("cuda:")


def _place(device: str) -> tuple[bool, int]:
    """The host first, then by number."""
    return device != HOST, index_of(device) or 0
