"""Measured copies as text: a matrix for each question, what stands out, the rest by kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.commands.grid import Column, grid, wrap
from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.kin import Kin
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import device_names
from gpuexplorer.copies.sweep import curve_of
from gpuexplorer.core.units import gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, tr, trn
from gpuexplorer.telemetry.backend import Backend

_FEW_SIZES = 2
_MOST_FINDINGS = 12
_MOST_CELLS = 4
_OF_THE_WIRE = {Kind.ONE_WAY, Kind.BOTH_WAYS, Kind.PAGEABLE, Kind.STAGED, Kind.RAW}
_WRONG = "WRONG"
SIMULATED = mark("SIMULATED: these cards do not exist.")
_ONCE = mark("Inside one device copied bytes count once; memory traffic is twice that.")
_NONE = "-"


@dataclass(frozen=True, slots=True)
class Head:
    """What is said before the figures."""

    label: Message
    simulated: bool
    modelled: bool
    remarks: Sequence[Message] = ()


def results_in_words(
    head: Head, results: Sequence[CopyResult], sizes: Sequence[int], width: int
) -> str:
    lines = wrap(tr(head.label), width)
    if head.simulated:
        lines += wrap(tr(SIMULATED), width)
    if head.modelled:
        modelled = tr("Modelled: every time follows from the wiring; no bytes moved.")
        lines += wrap(modelled, width)
    lines += [line for remark in head.remarks for line in wrap(tr(remark), width)]
    by_kind: dict[Kind, list[CopyResult]] = {}
    for result in results:
        by_kind.setdefault(kind_of(result.job), []).append(result)
    for kind, group in by_kind.items():
        lines += _answer(kind, group, sizes, width)
    if any(each.traffic is not None for each in results):
        lines += ["", *wrap(tr(_ONCE), width)]
    lines += _summary(results, width)
    return "\n".join(lines)


def offer_in_words(backend: Backend, width: int) -> str:
    """What `--devices` and `--mode` understand here."""
    cards = {card.id: card.name for card in backend.cards()}
    rows = [["cpu", tr("the processor and its memory")]]
    rows += [[name, tr(cards[card])] for name, card in device_names(backend.cards()).items()]
    lines = grid((Column(tr("Device"), 100), Column("", 90, elastic=True)), rows, width)
    modes = [[kind.value, tr(kind.words)] for kind in Kind]
    lines += ["", *grid((Column(tr("Mode"), 100), Column("", 90, elastic=True)), modes, width)]
    if backend.source.simulated:
        lines += ["", *wrap(tr(SIMULATED), width)]
    return "\n".join(lines)


def _answer(
    kind: Kind, results: Sequence[CopyResult], sizes: Sequence[int], width: int
) -> list[str]:
    by_size: dict[int, list[CopyResult]] = {}
    for result in results:
        by_size.setdefault(result.job.bytes, []).append(result)
    if len(by_size) > _FEW_SIZES:
        return _sweep(kind, results, width)
    lines: list[str] = []
    for size, group in by_size.items():
        samples = max(len(each.measured.samples_s) if each.measured else 0 for each in group)
        lines += ["", *wrap(_title(kind, size, samples), width)]
        if kind is Kind.LATENCY:
            lines += _matrix(group, _microseconds, width)
            continue
        lines += _matrix(group, _rate, width)
        if kind in _OF_THE_WIRE and any(each.share is not None for each in group):
            share = tr("Share of what the narrowest wire could carry, %:")
            lines += ["", *wrap(share, width), *_matrix(group, _share, width)]
        if any(each.hidden is not None for each in group):
            hidden = tr("Share of the copies that the computation hid, %:")
            lines += ["", *wrap(hidden, width), *_matrix(group, _hidden, width)]
    return lines


def _title(kind: Kind, size: int, samples: int) -> str:
    if kind is Kind.LATENCY:
        return tr(
            "Latency in µs, {size}, median of {samples}; row to column:",
            size=memory(size),
            samples=samples,
        )
    if not samples:
        way = tr(kind.words)
        return tr("{way}, {size}, GB/s; row to column:", way=way, size=memory(size))
    return tr(
        "{way}, {size}, GB/s, median of {samples}; row to column:",
        way=tr(kind.words),
        size=memory(size),
        samples=samples,
    )


def _matrix(
    results: Iterable[CopyResult], figure: Callable[[CopyResult], str], width: int
) -> list[str]:
    """In several blocks where one would be too wide."""
    cells = {(each.job.source, each.job.target): each for each in results}
    sources = list(dict.fromkeys(source for source, _ in cells))
    targets = list(dict.fromkeys(target for _, target in cells))
    columns = [
        (
            _short(target),
            [
                figure(cells[source, target]) if (source, target) in cells else ""
                for source in sources
            ],
        )
        for target in _ordered(targets)
    ]
    return _in_blocks([_short(source) for source in sources], columns, width)


def _in_blocks(
    rows: Sequence[str], columns: Sequence[tuple[str, list[str]]], width: int
) -> list[str]:
    label = max(map(len, rows), default=0) + 2
    blocks: list[list[tuple[str, list[str]]]] = [[]]
    used = label
    for column in columns:
        needed = max(len(column[0]), *(len(cell) for cell in column[1])) + 2
        if blocks[-1] and used + needed > width:
            blocks.append([])
            used = label
        blocks[-1].append(column)
        used += needed
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines else []
        heads = [Column(title, 90, right=True) for title, _ in block]
        lines += grid(
            [Column("", 100), *heads],
            [[row, *(cells[at] for _, cells in block)] for at, row in enumerate(rows)],
            width,
        )
    return lines


def _sweep(kind: Kind, results: Sequence[CopyResult], width: int) -> list[str]:
    """Sizes in rows, paths in columns; below them what follows from all sizes."""
    paths: dict[tuple[str, str], dict[int, CopyResult]] = {}
    for result in results:
        job = result.job
        paths.setdefault((job.source, job.target), {})[job.bytes] = result
    sizes = sorted({result.job.bytes for result in results})
    title = tr("{way}, GB/s over size:", way=tr(kind.words))
    columns = []
    for (source, target), by_size in paths.items():
        cells = [_rate(by_size[size]) if size in by_size else _NONE for size in sizes]
        path = tr("{source} to {target}", source=_short(source), target=_short(target))
        columns.append((path, [*cells, *_of_curve(by_size)]))
    rows = [*(str(memory(size)) for size in sizes), tr("half rate at"), tr("floor, µs")]
    return ["", *wrap(title, width), *_in_blocks(rows, columns, width)]


def _of_curve(by_size: Mapping[int, CopyResult]) -> list[str]:
    curve = curve_of(by_size.values())
    if curve is None:
        return [_NONE, _NONE]
    half, floor = curve.half_rate_bytes, curve.floor
    return [
        _NONE if half is None else str(memory(half)),
        _NONE if floor is None else _in_microseconds(floor),
    ]


def _summary(results: Sequence[CopyResult], width: int) -> list[str]:
    found = findings(results)
    wrong = sum(result.wrong for result in results)
    intact = sum(
        result.measured is not None and result.measured.intact is True for result in results
    )
    lines: list[str] = []
    if intact:
        checked = trn(
            "{count} of {all} that were checked is intact.",
            "{count} of {all} that were checked are intact.",
            intact,
            all=intact + wrong,
        )
        lines += ["", *wrap(checked, width)]
    if found:
        lines += ["", tr("What stands out:")]
    advised: set[str] = set()
    for number, finding in enumerate(found[:_MOST_FINDINGS], 1):
        hint = "" if finding.hint in advised else finding.hint
        advised.add(finding.hint)
        lines += wrap(_finding(number, finding, hint), width)
    if len(found) > _MOST_FINDINGS:
        lines.append(tr("and {count} more.", count=len(found) - _MOST_FINDINGS))
    rest = [kin for kin in the_rest(_largest(results), found) if kin.rate is not None]
    if rest:
        columns = (
            Column(tr("The rest, by kind") if found else tr("By kind"), 100, elastic=True),
            Column(tr("Copies"), 60, right=True),
            Column(tr("Size"), 70, right=True),
            Column("GB/s", 95, right=True),
            Column(tr("of limit"), 80, right=True),
        )
        rows = [
            [
                _kin(kin),
                str(len(kin.results)),
                str(memory(kin.results[0].job.bytes)),
                gigabytes_per_second(kin.rate or 0.0),
                _NONE if kin.share is None else f"{kin.share * 100:.0f} %",
            ]
            for kin in rest
            if kind_of(kin.results[0].job) is not Kind.LATENCY
        ]
        if rows:
            lines += ["", *grid(columns, rows, width)]
    return lines


def _largest(results: Sequence[CopyResult]) -> list[CopyResult]:
    """Of each kind; the wire shows in large copies only."""
    most: dict[Kind, int] = {}
    for result in results:
        kind = kind_of(result.job)
        most[kind] = max(result.job.bytes, most.get(kind, 0))
    return [each for each in results if each.job.bytes == most[kind_of(each.job)]]


def _finding(number: int, finding: Finding, hint: str) -> str:
    said = tr(
        "{number}. {title} ({places}): {sentence}",
        number=number,
        title=tr(finding.title),
        places=_places(finding),
        sentence=tr(finding.sentence),
    )
    return f"{said} {tr(hint)}".strip()


def _kin(kin: Kin) -> str:
    if kin.kind in (Kind.ONE_WAY, Kind.STAGED):
        return tr(kin.words)
    return tr("{way}, {kind}", way=kin.words, kind=kin.kind.value)


def _places(finding: Finding) -> str:
    if finding.devices:
        return ", ".join(finding.devices)
    pairs = ", ".join(_pair(*cell) for cell in finding.cells[:_MOST_CELLS])
    more = len(finding.cells) - _MOST_CELLS
    return pairs if more <= 0 else tr("{pairs} and {count} more", pairs=pairs, count=more)


def _pair(source: str, target: str) -> str:
    if source == target:
        return tr("inside {device}", device=source)
    return tr("{source} to {target}", source=source, target=target)


def _rate(result: CopyResult) -> str:
    if result.wrong:
        return _WRONG
    return _NONE if result.rate is None else gigabytes_per_second(result.rate)


def _share(result: CopyResult) -> str:
    if result.wrong:
        return _WRONG
    return _NONE if result.share is None else f"{result.share * 100:.0f}"


def _hidden(result: CopyResult) -> str:
    if result.wrong:
        return _WRONG
    return _NONE if result.hidden is None else f"{result.hidden * 100:.0f}"


def _microseconds(result: CopyResult) -> str:
    if result.wrong:
        return _WRONG
    return _NONE if result.seconds is None else _in_microseconds(result.seconds)


def _in_microseconds(seconds: float) -> str:
    value = seconds * 1e6
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _short(device: str) -> str:
    return device.removeprefix("cuda:")


def _ordered(devices: Iterable[str]) -> list[str]:
    """The host first, then by number."""

    def place(device: str) -> tuple[bool, int]:
        number = device.rpartition(":")[2]
        return device != HOST, int(number) if number.isdigit() else 0

    return sorted(devices, key=place)
