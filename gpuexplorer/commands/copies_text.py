"""What was measured as text: of copies a matrix for each question, what stands out, the rest by
kind; a datasheet for each card; and copies between machines by size.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from gpuexplorer.commands.source import Opened
from gpuexplorer.commands.terminal import NONE, Column, Page, figure, percent
from gpuexplorer.copies.asked_for import index_of
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What, in_words
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.copies.datasheet.sheet_files import sheet_as_csv, sheet_as_json
from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes, device_names
from gpuexplorer.copies.sweep import curve_of
from gpuexplorer.core.units import (
    bytes_words,
    duration,
    gigabytes_per_second,
    memory,
    rate,
    watts,
)
from gpuexplorer.core.words import NOTHING, Message, mark, on, paragraph, told, tr
from gpuexplorer.ranks.measuring import RankResult
from gpuexplorer.ranks.wire import Way
from gpuexplorer.telemetry.backend import Backend

_FEW_SIZES = 2
_MOST_FINDINGS = 12
_MOST_CELLS = 4
_OF_THE_WIRE = {Kind.ONE_WAY, Kind.BOTH_WAYS, Kind.PAGEABLE, Kind.STAGED}
_WRONG = "WRONG"
_SIMULATED = Message("SIMULATED: these cards do not exist.")
# What is compared with other cards.
_BESIDE = {
    What.MEMORY: Message("Memory"),
    What.TO_CARD: Message("Host link"),
    What.PEER: "NVLink",
    What.FP32: "FP32",
    What.TF32: "TF32",
    What.BF16: "BF16",
    What.POWER: Message("Power"),
}
_BETWEEN = {
    Way.ONE_WAY: mark("{source} to {target}, one way, until it says that all is there:"),
    Way.ALL_REDUCE: mark("All-reduce of all {ranks}, bytes of each:"),
}


@dataclass(frozen=True, slots=True)
class Benched:
    """Where it is measured, between which devices, and what is said before it."""

    source: Opened
    bench: Bench
    routes: Routes
    devices: Sequence[str]
    remarks: Sequence[Message]

    @property
    def simulated(self) -> bool:
        return self.bench.modelled

    def write(self, page: Page, modelled: Message) -> None:
        backend = self.source.backend
        none = Message("No graphics card answers.")
        page.say(on(self.source.machine, backend.source.label if backend.cards() else none))
        page.say(*((_SIMULATED, modelled) if self.simulated else ()), *self.remarks)


def write_offer(page: Page, backend: Backend) -> None:
    """What `--devices` and `--mode` understand here."""
    cards = {card.id: card.name for card in backend.cards()}
    names = device_names(backend.cards()).items()
    what = Column("", 90, elastic=True)
    devices = [("cpu", Message("the processor and its memory"))]
    devices += [(name, Message("{card}", card=cards[card])) for name, card in names]
    page.table([Column(Message("Device"), 100), what], devices)
    modes = [(kind.value, kind.words) for kind in Kind]
    page.gap().table([Column(Message("Mode"), 100), what], modes)
    page.gap().say(_SIMULATED if backend.source.simulated else "")


def write_results(page: Page, benched: Benched, results: Sequence[CopyResult]) -> None:
    modelled = Message("Modelled: every time follows from the wiring; no bytes moved.")
    benched.write(page, modelled)
    by_kind: dict[Kind, dict[int, list[CopyResult]]] = {}
    for result in results:
        by_size = by_kind.setdefault(kind_of(result.job), {})
        by_size.setdefault(result.job.bytes, []).append(result)
    for kind, by_size in by_kind.items():
        if len(by_size) > _FEW_SIZES:
            _write_sweep(page, kind, by_size)
            continue
        for size, group in by_size.items():
            _write_size(page, kind, size, group)
    if any(each.traffic is not None for each in results):
        page.gap().say(
            Message("Inside one device copied bytes count once; memory traffic is twice that.")
        )
    # Of each kind: the wire shows in large copies only.
    largest = [e for e in results if e.job.bytes == max(by_kind[kind_of(e.job)])]
    _write_summary(page, results, largest)


def _write_size(page: Page, kind: Kind, size: int, results: Sequence[CopyResult]) -> None:
    samples = max(len(each.measured.samples_s) if each.measured else 0 for each in results)
    values = {"way": kind.words, "size": str(memory(size)), "samples": samples}
    if kind is Kind.LATENCY:
        title = Message("Latency in µs, {size}, median of {samples}; row to column:", **values)
        page.gap().say(title)
        _write_matrix(page, results, "seconds", _in_microseconds)
        return
    title = Message("{way}, {size}, GB/s; row to column:", **values)
    if samples:
        title = Message("{way}, {size}, GB/s, median of {samples}; row to column:", **values)
    page.gap().say(title)
    _write_matrix(page, results, "rate", gigabytes_per_second)
    if kind in _OF_THE_WIRE and any(each.share is not None for each in results):
        page.gap().say(Message("Share of what the narrowest wire could carry, %:"))
        _write_matrix(page, results, "share", _in_hundredths)
    if any(each.hidden is not None for each in results):
        page.gap().say(Message("Share of the copies that the computation hid, %:"))
        _write_matrix(page, results, "hidden", _in_hundredths)


def _write_matrix(
    page: Page, results: Sequence[CopyResult], name: str, form: Callable[[float], str]
) -> None:
    value = attrgetter(name)
    cells = {
        (each.job.source, each.job.target): _WRONG if each.wrong else figure(value(each), form)
        for each in results
    }
    sources = dict.fromkeys(source for source, _ in cells)
    # The host first, then by number.
    targets = sorted({target for _, target in cells}, key=lambda each: index_of(each) or 0)
    page.matrix(
        [_short(source) for source in sources],
        [
            (_short(each), [cells.get((source, each), "") for source in sources])
            for each in targets
        ],
    )


def _write_sweep(page: Page, kind: Kind, by_size: Mapping[int, Sequence[CopyResult]]) -> None:
    """Sizes in rows, paths in columns; below them what follows from all sizes."""
    sizes = sorted(by_size)
    paths: dict[tuple[str, str], dict[int, CopyResult]] = {}
    for size, group in by_size.items():
        for each in group:
            paths.setdefault((each.job.source, each.job.target), {})[size] = each
    columns = []
    for (source, target), found in paths.items():
        curve = curve_of(found.values())
        half, floor = (curve.half_rate_bytes, curve.floor) if curve else (None, None)
        path = Message("{source} to {target}", source=_short(source), target=_short(target))
        rates = [_rate(found.get(size), gigabytes_per_second) for size in sizes]
        columns.append((path, [*rates, figure(half, memory), figure(floor, _in_microseconds)]))
    page.gap().say(Message("{way}, GB/s over size:", way=kind.words))
    rows = [*(str(memory(size)) for size in sizes), tr("half rate at"), tr("floor, µs")]
    page.matrix(rows, columns)


def _rate(
    result: CopyResult | RankResult | None, form: Callable[[float], object] = rate
) -> str:
    if result is None:
        return NONE
    wrong = result.wrong if isinstance(result, CopyResult) else not result.intact
    return _WRONG if wrong else figure(result.rate, form)


def _write_summary(
    page: Page, results: Sequence[CopyResult], largest: Sequence[CopyResult]
) -> None:
    found = findings(results)
    intact = sum(each.measured is not None and each.measured.intact is True for each in results)
    page.gap()
    if intact:
        checked = Message.counted(
            "{count} of {all} that were checked is intact.",
            "{count} of {all} that were checked are intact.",
            intact,
            all=intact + sum(each.wrong for each in results),
        )
        page.say(checked)
        page.gap()
    if found:
        page.say(Message("What stands out:"))
    advised: set[str] = set()
    for number, each in enumerate(found[:_MOST_FINDINGS], 1):
        said = Message(
            "{number}. {title} ({places}): {sentence}",
            number=number,
            title=each.title,
            places=_places(each),
            sentence=each.sentence,
        )
        # A hint that was given already is not repeated.
        page.say(told(said, NOTHING if each.hint in advised else each.hint))
        advised.add(each.hint)
    if len(found) > _MOST_FINDINGS:
        page.say(Message("and {count} more.", count=len(found) - _MOST_FINDINGS))
    plain = (Kind.ONE_WAY, Kind.STAGED)
    rest = [
        [
            kin.words
            if kin.kind in plain
            else Message("{way}, {kind}", way=kin.words, kind=kin.kind.value),
            str(len(kin.results)),
            str(memory(kin.results[0].job.bytes)),
            gigabytes_per_second(kin.rate),
            figure(kin.share, percent),
        ]
        for kin in the_rest(largest, found)
        if kin.rate is not None and kin.kind is not Kind.LATENCY
    ]
    if rest:
        columns = (
            Column(
                Message("The rest, by kind") if found else Message("By kind"), 100, elastic=True
            ),
            Column(Message("Copies"), 60, right=True),
            Column(Message("Size"), 70, right=True),
            Column("GB/s", 95, right=True),
            Column(Message("of limit"), 80, right=True),
        )
        page.gap().table(columns, rest)


def _places(finding: Finding) -> str:
    if finding.devices:
        return ", ".join(finding.devices)
    pairs = ", ".join(
        tr("inside {device}", device=source)
        if source == target
        else tr("{source} to {target}", source=source, target=target)
        for source, target in finding.cells[:_MOST_CELLS]
    )
    more = len(finding.cells) - _MOST_CELLS
    return pairs if more <= 0 else Message("{pairs} and {count} more", pairs=pairs, count=more)


def _in_microseconds(seconds: float) -> str:
    value = seconds * 1e6
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _in_hundredths(share: float) -> str:
    return f"{share * 100:.0f}"


def _short(device: str) -> str:
    return device.removeprefix("cuda:")


def sheets_as_json(
    benched: Benched, sheets: Sequence[Sheet], beside: Sequence[OtherCard], *, complete: bool
) -> Mapping[str, object]:
    return {
        **benched.source.head,
        "simulated": benched.simulated,
        "complete": complete,
        "sheets": [sheet_as_json(sheet, beside) for sheet in sheets],
    }


def sheets_as_csv(sheets: Sequence[Sheet], beside: Sequence[OtherCard]) -> str:
    """One header for all; other cards below the last."""
    *others, last = sheets
    texts = [*map(sheet_as_csv, others), sheet_as_csv(last, beside)]
    return texts[0] + "".join(each.split("\n", 1)[1] for each in texts[1:])


def write_sheets(
    page: Page, benched: Benched, sheets: Sequence[Sheet], beside: Sequence[OtherCard]
) -> None:
    modelled = Message("Modelled: what was reached is a model's; nothing was measured.")
    benched.write(page, modelled)
    for sheet in sheets:
        columns = (
            Column(f"{sheet.card}, {sheet.device}", 100),
            Column(Message("Promised"), 90, right=True),
            Column(Message("Reached"), 95, right=True),
            Column(Message("Share"), 80, right=True),
            Column(Message("Spread"), 40, right=True),
            Column(Message("Watts"), 60, right=True),
        )
        rows = [
            [
                row.title,
                _shown(row.what, row.promised),
                _WRONG if row.wrong else _shown(row.what, row.reached),
                figure(row.share, percent),
                figure(row.variation, lambda share: percent(share, 1)),
                figure(row.watts.value, watts),
            ]
            for row in sheet.rows
        ]
        page.gap().table(columns, rows)
        page.gap()
        for row in sheet.rows:
            page.say(f"{tr(row.title)}: {_sources(row, modelled=sheet.modelled)}")
        if beside and sheet is sheets[-1]:
            _write_beside(page.gap(), sheet, beside)
        page.say(*sheet.notes)


def _shown(what: What, told: Figure) -> str:
    return figure(told.value, lambda value: in_words(what, value))


def _sources(row: Row, *, modelled: bool) -> str:
    """Where each figure is from, or why there is none. What is modelled is said above."""
    promised = row.promised
    told = [tr("promised: {source}", source=promised.source) if promised.source else ""]
    told += [tr(promised.reason)] if promised.value is None else []
    for each in (row.reached, row.watts)[: 1 if row.what is What.POWER else 2]:
        if not (modelled and each.origin is Origin.MODELLED):
            told.append(tr(each.source or each.reason))
    figures = "; ".join(dict.fromkeys(filter(None, told)))
    return paragraph((f"{figures}.", *row.notes))


def _write_beside(page: Page, sheet: Sheet, beside: Sequence[OtherCard]) -> None:
    """What makers promise; for this card what is promised here."""
    columns = (
        Column(Message("Promised by"), 100, elastic=True),
        Column(Message("Size"), 60, right=True),
        *(Column(head, 90 - place, right=True) for place, head in enumerate(_BESIDE.values())),
    )
    figures = {row.what: row.promised for row in sheet.rows}
    here = OtherCard(
        Message("{card} (here)", card=sheet.card), "", "", None, None, figures=figures
    )
    rows = [
        [
            card.name,
            "" if card.memory_bytes is None else str(memory(card.memory_bytes)),
            *(_shown(what, card.figure(what)) for what in _BESIDE),
        ]
        for card in (here, *beside)
    ]
    page.table(columns, rows)


def write_between(
    page: Page, remarks: Sequence[Message], results: Sequence[RankResult]
) -> None:
    page.say(*remarks)
    one_way = [each for each in results if each.way is Way.ONE_WAY]
    names = list(dict.fromkeys(each.source for each in one_way))
    if len(names) > 2:
        most = max(each.bytes for each in one_way)  # where the wire shows
        rates = {(e.source, e.target): _rate(e) for e in one_way if e.bytes == most}
        page.gap().say(Message("One way, {size}; row to column:", size=bytes_words(most)))
        page.matrix(
            names, [(each, [rates.get((name, each), NONE) for name in names]) for each in names]
        )
    groups: dict[tuple[Way, str, str], list[RankResult]] = {}
    for each in results:
        groups.setdefault((each.way, each.source, each.target), []).append(each)
    for (way, source, target), group in groups.items():
        ranks, together = group[0].ranks, way is Way.ALL_REDUCE
        page.gap().say(Message(_BETWEEN[way], source=source, target=target, ranks=ranks))
        page.say(_promise(group[0]))
        columns = [
            Column(Message("Size"), 100, right=True),
            Column(Message("Median"), 90, right=True),
            Column(Message("Quartiles"), 60, right=True),
            Column(Message("Rate"), 90, right=True),
        ]
        if together:
            columns.append(Column(Message("On the wire"), 70, right=True))
        if group[0].promised:
            columns.append(Column(Message("Share"), 80, right=True))
        page.gap().table(columns, [_row(each)[: len(columns)] for each in group])
    if all(each.intact for each in results):
        page.gap().say(
            Message("All of it was compared with what was sent, and arrived intact.")
        )


def _promise(result: RankResult) -> Message:
    if result.promised is not None:
        promised = rate(result.promised)
        if not result.path:
            return Message("The narrowest wire promises {rate}.", rate=promised)
        return Message("{path}; the network promises {rate}.", path=result.path, rate=promised)
    if not result.path:
        return Message("What the network promises is not known.")
    return Message("{path}; what the network promises is not known.", path=result.path)


def _row(result: RankResult) -> Sequence[str]:
    low, middle, high = (str(duration(each)) for each in result.quartiles)
    wire = [figure(result.bus_rate, rate)] if result.way is Way.ALL_REDUCE else []
    return [
        bytes_words(result.bytes),
        middle,
        f"{low} – {high}",
        _rate(result),
        *wire,
        figure(result.share, percent),
    ]
