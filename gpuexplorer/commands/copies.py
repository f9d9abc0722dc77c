"""gpuexplorer copies: how fast bytes move between host and cards, or between machines, whether
they arrive, and what each card promises beside what it reached; as text, JSON or CSV.
"""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from gpuexplorer.commands.arguments import (
    HOST,
    JSON,
    OK,
    SOURCE,
    TROUBLE,
    Option,
    WrongArgumentsError,
    add_options,
    in_the_words,
)
from gpuexplorer.commands.lab_worker import lab_start
from gpuexplorer.commands.source import Opened, opened, wiring_of
from gpuexplorer.commands.terminal import (
    NONE,
    Column,
    Page,
    ProgressLine,
    figure,
    percent,
    printed,
    write_json,
)
from gpuexplorer.copies.asked_for import HOST as PROCESSOR
from gpuexplorer.copies.benches import (
    names_by_uuid,
    offered,
    routes_here,
    without_cards,
    without_kernels,
    worker_bench,
)
from gpuexplorer.copies.datasheet.cards_table import cards_table
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What, short
from gpuexplorer.copies.datasheet.figure import in_words as figure_in_words
from gpuexplorer.copies.datasheet.make_sheet import sheet_of
from gpuexplorer.copies.datasheet.power_log import PowerLog, PowerReader
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import ASKED
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.copies.datasheet.sheet_files import sheet_as_csv, sheet_as_json
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.measuring import Bench, Job, Measuring, Progress
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.plan import USUAL_BYTES, Kind, all_asked, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json
from gpuexplorer.copies.routes import Routes
from gpuexplorer.copies.sweep import curve_of
from gpuexplorer.copies.words import devices_of, kinds_of, sizes_of
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, Sample
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import (
    bytes_words,
    duration,
    gigabytes_per_second,
    memory,
    rate,
    seconds_words,
    watts,
)
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, mark, on, paragraph, told, tr
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.ranks import measuring as between
from gpuexplorer.ranks.company import Company, Member, here, told_apart
from gpuexplorer.ranks.measuring import RankResult
from gpuexplorer.ranks.meeting import Met
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.ssh import host_name, ssh_command
from gpuexplorer.remote.stream import made_up

_EVERY = 0.1
_LAST_PATIENCE = 3.0
_HERE = ("localhost", ".")
_BETWEEN_HOSTS = (8, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20)
_MOST_HOSTS = 16
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
    Way.ONE_WAY: mark("{source} to {target}"),
    Way.ALL_REDUCE: mark("All-reduce of all {ranks}"),
}
# As a cell of a matrix, whose title has the unit.
_SHOWN: Mapping[str, Callable[[float], str]] = {
    "rate": gigabytes_per_second,
    "seconds": lambda seconds: short(seconds * 1e6),
    "share": lambda share: f"{share * 100:.0f}",
    "hidden": lambda share: f"{share * 100:.0f}",
}
# What has no sense together: each chooses or knows already what the other asks for.
_EXCLUDED = {
    "json": ("csv",),
    "hosts": ("host", "simulate", "devices", "datasheet", "list"),
    "datasheet": ("sizes", "mode"),
    "simulate": ("python",),
}
# Why it ended before its end: after what was measured is shown, it is raised.
End = Trouble | KeyboardInterrupt | None


@dataclass(frozen=True, slots=True)
class Benched:
    """Where it is measured, between which devices, and what is said before it."""

    source: Opened
    bench: Bench
    routes: Routes
    devices: Sequence[str]
    remarks: Sequence[Message]

    def write(self, page: Page, modelled: Message) -> None:
        backend = self.source.backend
        none = Message("No graphics card answers.")
        page.say(on(self.source.machine, backend.source.label if backend.cards() else none))
        page.say(*((_SIMULATED, modelled) if self.bench.modelled else ()), *self.remarks)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Measure copies between the host and every card, and between cards: how fast they are,"
        " what the wire could carry, and whether what arrives is what was sent. Takes all pairs"
        " unless --devices says otherwise. Simulated cards are modelled: no bytes are moved."
    )
    parser.epilog = tr(
        "The exit status is 0 when something was measured and nothing arrived WRONG; 1 when"
        " something arrived WRONG, or nothing could be measured; 2 when the command was not"
        " understood; 130 after Ctrl-C, which shows what was measured until then."
    )
    measured = {
        "--devices": Option("LIST", "such as cpu,cuda:0,1 or 0-3"),
        "--sizes": Option(
            "LIST", "such as 64M,4KiB, or 4B-1G, or sweep; 256M if nothing is said"
        ),
        "--mode": Option("LIST", "{modes}, or all", values={"modes": ", ".join(Kind)}),
        "--hosts": Option(
            "LIST",
            "between these machines, such as localhost,user@server: {modes}; all if nothing is"
            " said",
            values={"modes": ", ".join(Way)},
        ),
    }
    more = {
        "--csv": Option("", "as CSV, a line for each copy"),
        "--list": Option("", "what could be asked for here; measures nothing"),
        "--python": Option("FILE", "the Python whose PyTorch measures", Path),
        "--datasheet": Option(
            "", "what each card promises and what it reached: memory, links, matrix products"
        ),
        "--beside": Option(
            "NAMES", "with --datasheet: other cards of the table, such as 'RTX 4090,H100 SXM'"
        ),
    }
    add_options(parser, measured | JSON | more | HOST | SOURCE)


def run(arguments: argparse.Namespace) -> int:
    typed = vars(arguments)
    for one, others in _EXCLUDED.items():
        for other in others if typed[one] else ():
            if typed[other]:
                raise WrongArgumentsError(
                    "--{one} and --{other} exclude each other.",
                    "Choose one of them.",
                    one=one,
                    other=other,
                )
    if arguments.hosts is not None:
        return _measure_between(arguments)
    if arguments.beside is not None and not arguments.datasheet:
        raise WrongArgumentsError(
            "Other cards lie beside a datasheet only.", "Add --datasheet."
        )
    beside = _named_in_the_table(arguments.beside)
    with in_the_words():
        sizes = (USUAL_BYTES,) if arguments.sizes is None else sizes_of(arguments.sizes)
        kinds = kinds_of(arguments.mode or Kind.ONE_WAY)
    with opened(arguments) as source:
        if arguments.list:
            with printed() as page:
                _write_offer(page, source)
            return OK
        with _benched(arguments, source) as benched:
            if arguments.datasheet:
                return _measure_datasheets(arguments, benched, beside)
            return _measure(arguments, benched, sizes, kinds)


def _named_in_the_table(names: str | None) -> Sequence[OtherCard]:
    """The cards of the table whose names have these words."""
    found: dict[str, OtherCard] = {}
    for word in () if names is None else map(str.strip, names.split(",")):
        parts = word.lower().split()
        like = {
            card.name: card
            for card in cards_table().cards()
            if parts and all(part in card.name.lower() for part in parts)
        }
        if not like:
            raise WrongArgumentsError(
                "--beside names {word!r}, and the table of cards has no such card.",
                "Part of a name will do, such as --beside 4090.",
                word=word,
            )
        exact = {name: card for name, card in like.items() if name.lower() == word.lower()}
        found |= exact or like
    return tuple(found.values())


def _write_offer(page: Page, source: Opened) -> None:
    """What `--devices` and `--mode` understand here. A card's number is CUDA's; where that is
    not known, it is said why.
    """
    devices = [("cpu", tr("the processor and its memory"))]
    for card in source.backend.cards():
        if card.cuda_index is not None:
            devices.append((f"cuda:{card.cuda_index}", card.name))
        elif card.kind is CardKind.GPU:
            why = Message("{card}: {reason}", card=card.name, reason=card.cuda_reason)
            devices.append((NONE, why))
    what = Column("", 90, elastic=True)
    page.table([Column(Message("Device"), 100), what], devices)
    modes = [(kind.value, kind.words) for kind in Kind]
    page.gap().table([Column(Message("Mode"), 100), what], modes)
    page.gap().say(_SIMULATED if source.backend.source.simulated else "")


@contextlib.contextmanager
def _benched(arguments: argparse.Namespace, source: Opened) -> Iterator[Benched]:
    """Those of its devices that were asked for; all of them where none was named."""
    backend = source.backend
    if (model := made_up(backend)) is not None:
        spec, faults = model.machine.spec, model.faults
        routes = routes_of_simulated(spec)
        made = ModelBench(spec, faults, routes, arguments.seed, elapsed=lambda: model.elapsed)
        said = [fault.sentence for fault in faults]
        devices = _named(arguments, routes.devices, said)
        yield Benched(source, made, routes, devices, said)
        return
    python, start = lab_start(
        source.far,
        arguments.python,
        Message("Copies are measured with PyTorch."),
        "Or look at simulated cards: gpuexplorer copies --simulate 4xRTX4090.",
    )
    topology, left_out = wiring_of(source)
    cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
    numbers = {card.id: card.index for card in cards}
    with contextlib.closing(worker_bench(start, backend, topology)) as bench:
        hello = bench.greet()
        said = [Message("Measured by {python}.", python=python.label)]
        suits = python.fits(cards, backend.source.driver_version)
        if cards and suits.verdict is not Verdict.FINE:
            said.append(told(suits.sentence, suits.do))
        said += [*without_cards(hello.devices), *without_kernels(hello.devices)]
        said += [
            Message(
                "PyTorch counts differently from the driver: its {device} is card {card}.",
                device=device,
                card=numbers[card],
            )
            for device, card in names_by_uuid(hello.devices, cards).items()
            if device != f"cuda:{numbers[card]}"
        ]
        said += [left_out] if left_out else []
        devices = _named(arguments, offered(hello.devices), said)
        yield Benched(source, bench, routes_here(backend, hello, topology), devices, said)


def _named(
    arguments: argparse.Namespace, there: Sequence[str], said: Sequence[Message]
) -> Sequence[str]:
    if arguments.devices is None:
        return there
    try:
        return devices_of(arguments.devices, there)
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, told(trouble.hint, *said)) from trouble


def _measure(
    arguments: argparse.Namespace,
    benched: Benched,
    sizes: Sequence[int],
    kinds: Sequence[Kind],
) -> int:
    jobs = all_asked(benched.devices, sizes, kinds)
    if not jobs:
        raise WrongArgumentsError(
            "Between {devices} there is nothing to measure as {modes}.",
            "`gpuexplorer copies --list` says what can be asked for.",
            devices=", ".join(benched.devices),
            modes=", ".join(kinds),
        )
    results: list[CopyResult] = []
    end = _measured(jobs, benched.bench, results.append)
    simulated, machine = benched.bench.modelled, benched.source.machine
    return _tell(
        arguments,
        end,
        results,
        as_data=lambda: as_json(results, simulated=simulated, machine=machine),
        as_rows=lambda: as_csv(results, simulated=simulated, machine=machine),
        write=lambda page: _write_results(page, benched, results),
        well=any(e.measured for e in results) and not any(e.wrong for e in results),
    )


def _measure_datasheets(
    arguments: argparse.Namespace, benched: Benched, beside: Sequence[OtherCard]
) -> int:
    """Of all cards among these devices; of the processor where there is none."""
    bench, backend = benched.bench, benched.source.backend
    cards = {card.id: card for card in backend.cards()}
    subjects = []
    for device in [each for each in benched.devices if each != PROCESSOR] or benched.devices:
        card = cards.get(benched.routes.card(device) or CardId(""))
        sample = Sample(HOST_ID, 0.0, {}) if card is None else backend.read(card.id, ASKED)
        routes, read = benched.routes, (sample.values, sample.missing)
        subjects.append(Subject(device, card, routes, *read))
    results: dict[CopyJob, CopyResult] = {}
    products: dict[ProductJob, ProductResult] = {}
    log = PowerLog()
    drawing = [each.card.id for each in subjects if each.card and not bench.modelled]
    with PowerReader(backend, drawing, log):
        end = _measured(
            [job for subject in subjects for job in jobs_of(subject)],
            bench,
            lambda result: results.update({result.job: result}),
            lambda product: products.update({product.job: product}),
        )
    table, simulated = cards_table(), bench.modelled
    *others, last = sheets = [
        sheet_of(each, results, products, table, log, simulated=simulated) for each in subjects
    ]
    # One header for all; other cards below the last.
    texts = [*map(sheet_as_csv, others), sheet_as_csv(last, beside)]
    rows = [row for sheet in sheets for row in sheet.rows]
    return _tell(
        arguments,
        end,
        sheets,
        as_data=lambda: {
            **benched.source.head,
            "simulated": simulated,
            "sheets": [sheet_as_json(sheet, beside) for sheet in sheets],
        },
        as_rows=lambda: texts[0] + "".join(each.split("\n", 1)[1] for each in texts[1:]),
        write=lambda page: _write_sheets(page, benched, sheets, beside),
        well=any(row.reached.value for row in rows) and not any(row.wrong for row in rows),
    )


def _measured(
    jobs: Sequence[Job],
    bench: Bench,
    on_result: Callable[[CopyResult], None],
    on_product: Callable[[ProductResult], None] = lambda _: None,
) -> End:
    ends: list[Message] = []
    with ProgressLine(sys.stderr) as line:
        measuring = Measuring(
            jobs,
            bench,
            on_result,
            lambda progress: line.show(in_words(progress)),
            ends.append,
            on_product=on_product,
        )
        measuring.start()
        try:
            while not measuring.wait(_EVERY):
                pass
        except KeyboardInterrupt as interrupt:
            measuring.stop()
            measuring.wait(_LAST_PATIENCE)
            return interrupt
    return Trouble(ends[0]) if ends[0] else None


def in_words(progress: Progress) -> str:
    """How far it has got."""
    job = progress.job
    if job is None:
        return ""
    if isinstance(job, ProductJob):
        what = f"{job.kind.upper()} {job.device}, {job.size}"
    else:
        ends = tr("{source} to {target}", source=job.source, target=job.target)
        what = f"{ends}, {memory(job.bytes)}, {kind_of(job)}"
    parts = [
        tr("{number} of {all}: {copy}", number=progress.done + 1, all=progress.of, copy=what)
    ]
    if progress.samples:
        parts.append(tr("sample {taken} of {all}", taken=progress.taken, all=progress.samples))
    if progress.seconds_left is not None:
        time = seconds_words(max(1.0, progress.seconds_left))
        parts.append(tr("{time} left", time=time))
    return ", ".join(parts)


def _tell(
    arguments: argparse.Namespace,
    end: End,
    results: Sequence[object],
    *,
    as_data: Callable[[], Mapping[str, object]],
    as_rows: Callable[[], str],
    write: Callable[[Page], None],
    well: bool,
) -> int:
    """What was measured, and the status for the shell. Raises what ended it."""
    if arguments.json:
        write_json({**as_data(), "complete": end is None})
    elif arguments.csv:
        sys.stdout.write(as_rows())
    elif results:
        with printed() as page:
            write(page)
            if end is not None:
                page.gap().say(Message("It was ended before all was measured."))
    sys.stdout.flush()
    if end is not None:
        raise end
    return OK if well else TROUBLE


def _measure_between(arguments: argparse.Namespace) -> int:
    """Between machines. `localhost` is this computer, without ssh."""
    with in_the_words():
        sizes = _BETWEEN_HOSTS if arguments.sizes is None else sizes_of(arguments.sizes)
        asked = between.Asked(_ways(arguments.mode or "all"), sizes)
        hosts = [host_name(each) for each in arguments.hosts.split(",")]
    if len(hosts) < 2:
        raise WrongArgumentsError(
            "--hosts needs two machines or more.",
            "Write them with commas, such as --hosts localhost,user@server.",
        )
    if len(hosts) > _MOST_HOSTS:
        raise WrongArgumentsError("--hosts takes up to {most} machines.", most=_MOST_HOSTS)
    launch = partial(ssh_command, somebody_answers=False)
    there = str(arguments.host_python or arguments.python or "python3")
    names = told_apart([each.text for each in hosts])
    members = [
        here(name, arguments.python)
        if host.text in _HERE
        else Member(name, host, launch, there)
        for name, host in zip(names, hosts, strict=True)
    ]
    results: list[RankResult] = []
    met: list[Met] = []
    end: End = None
    with ProgressLine(sys.stderr) as line:
        try:
            with Company(members) as company:
                between.measure(
                    company, asked, met.append, results.append, lambda told: line.show(tr(told))
                )
        except (KeyboardInterrupt, Trouble) as ended:
            end = ended
    return _tell(
        arguments,
        end,
        results,
        as_data=lambda: between.as_json(names, results, complete=end is None),
        as_rows=lambda: between.as_csv(results),
        write=lambda page: _write_between(page, met, results),
        well=all(each.intact for each in results),
    )


def _ways(words: str) -> Sequence[Way]:
    asked = [each.strip() for each in words.lower().split(",")]
    for word in asked:
        if word not in {*Way, "all"}:
            raise Trouble(
                "--mode names {word!r}, which does not go between machines.",
                "There are: {modes}.",
                word=word,
                modes=", ".join(Way),
            )
    return tuple(Way) if "all" in asked else tuple(map(Way, dict.fromkeys(asked)))


def _write_results(page: Page, benched: Benched, results: Sequence[CopyResult]) -> None:
    """A matrix for each question, what stands out, and the rest by kind."""
    modelled = Message("Modelled: every time follows from the wiring; no bytes moved.")
    benched.write(page, modelled)
    largest: list[CopyResult] = []  # of each kind: the wire shows in large copies only
    for kind, its in groupby(results, lambda each: kind_of(each.job)):
        group = [*its]
        sizes = sorted({each.job.bytes for each in group})
        largest += [each for each in group if each.job.bytes == sizes[-1]]
        if len(sizes) > _FEW_SIZES:
            _write_sweep(page, kind, group)
            continue
        for size in sizes:
            _write_size(page, kind, size, [each for each in group if each.job.bytes == size])
    if any(each.traffic is not None for each in results):
        page.gap().say(
            Message("Inside one device copied bytes count once; memory traffic is twice that.")
        )
    _write_findings(page, results, largest)


def _write_size(page: Page, kind: Kind, size: int, results: Sequence[CopyResult]) -> None:
    samples = max(len(each.measured.samples_s) if each.measured else 0 for each in results)
    values = {"way": kind.words, "size": str(memory(size)), "samples": samples}
    asked = {"rate": mark("{way}, {size}, GB/s, median of {samples}; row to column:")}
    if kind is Kind.LATENCY:
        asked = {"seconds": mark("Latency in µs, {size}, median of {samples}; row to column:")}
    elif kind in _OF_THE_WIRE:
        asked["share"] = mark("Share of what the narrowest wire could carry, %:")
    elif kind in (Kind.BLOCKING, Kind.OVERLAP):
        asked["hidden"] = mark("Share of the copies that the computation hid, %:")
    for name, title in asked.items():
        cells = {_path(each): _cell(each, name) for each in results}
        if {*cells.values()} != {NONE}:
            page.gap().say(Message(title, **values))
            _write_matrix(page, cells)


def _write_sweep(page: Page, kind: Kind, results: Sequence[CopyResult]) -> None:
    """Sizes in rows, paths in columns; below them what follows from all sizes."""
    paths: dict[tuple[str, str], list[CopyResult]] = {}
    for each in results:
        paths.setdefault(_path(each), []).append(each)
    cells, below = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
    for (source, target), its in paths.items():
        path = tr("{source} to {target}", source=source, target=target)
        cells |= {(str(memory(e.job.bytes)), path): _cell(e, "rate") for e in its}
        if (curve := curve_of(its)) is not None:
            below[tr("half rate at"), path] = figure(curve.half_rate_bytes, memory)
            below[tr("floor, µs"), path] = figure(curve.floor, _SHOWN["seconds"])
    page.gap().say(Message("{way}, GB/s over size:", way=kind.words))
    _write_matrix(page, cells | below)


def _write_matrix(page: Page, cells: Mapping[tuple[str, str], str]) -> None:
    """By row and column. The columns follow the rows, where they are called the same."""
    rows, columns = (list(dict.fromkeys(ends)) for ends in zip(*cells, strict=True))
    page.matrix(
        rows,
        [
            (column, [cells.get((row, column), "") for row in rows])
            for column in sorted(columns, key=[*rows, *columns].index)
        ],
    )


def _path(result: CopyResult) -> tuple[str, str]:
    job = result.job
    return job.source.removeprefix("cuda:"), job.target.removeprefix("cuda:")


def _cell(result: CopyResult, name: str) -> str:
    return _WRONG if result.wrong else figure(getattr(result, name), _SHOWN[name])


def _write_findings(
    page: Page, results: Sequence[CopyResult], largest: Sequence[CopyResult]
) -> None:
    found = findings(results)
    intact = sum(each.measured is not None and each.measured.intact is True for each in results)
    if intact:
        checked = Message.counted(
            "{count} of {all} that were checked is intact.",
            "{count} of {all} that were checked are intact.",
            intact,
            all=intact + sum(each.wrong for each in results),
        )
        page.gap().say(checked)
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
        page.say(told(said, *({each.hint} - advised)))
        advised.add(each.hint)
    page.count_more(len(found), _MOST_FINDINGS)
    rest = [
        [
            kin.words
            if kin.kind in (Kind.ONE_WAY, Kind.STAGED)
            else Message("{way}, {kind}", way=kin.words, kind=kin.kind.value),
            str(len(kin.results)),
            str(memory(kin.results[0].job.bytes)),
            gigabytes_per_second(kin.rate),
            figure(kin.share, percent),
        ]
        for kin in the_rest(largest, found)
        if kin.rate is not None and kin.kind is not Kind.LATENCY
    ]
    kinds = Message("The rest, by kind") if found else Message("By kind")
    columns = {kinds: 100, Message("Copies"): 60, Message("Size"): 70, "GB/s": 95}
    if rest:
        page.gap().figures({**columns, Message("of limit"): 80}, rest)


def _places(finding: Finding) -> str:
    pairs = [
        tr("inside {device}", device=source)
        if source == target
        else tr("{source} to {target}", source=source, target=target)
        for source, target in finding.cells
    ]
    places = ", ".join(finding.devices or pairs[:_MOST_CELLS])
    more = len(pairs) - _MOST_CELLS
    if finding.devices or more <= 0:
        return places
    return tr("{pairs} and {count} more", pairs=places, count=more)


def _write_sheets(
    page: Page, benched: Benched, sheets: Sequence[Sheet], beside: Sequence[OtherCard]
) -> None:
    modelled = Message("Modelled: what was reached is a model's; nothing was measured.")
    benched.write(page, modelled)
    for sheet in sheets:
        columns = {
            f"{sheet.card}, {sheet.device}": 100,
            Message("Promised"): 90,
            Message("Reached"): 95,
            Message("Share"): 80,
            Message("Spread"): 40,
            Message("Watts"): 60,
        }
        rows = [
            [
                row.title,
                _shown(row.what, row.promised),
                _WRONG if row.wrong else _shown(row.what, row.reached),
                figure(row.share, percent),
                figure(row.variation, partial(percent, digits=1)),
                figure(row.watts.value, watts),
            ]
            for row in sheet.rows
        ]
        page.gap().figures(columns, rows)
        page.gap()
        for row in sheet.rows:
            page.say(f"{tr(row.title)}: {_sources(row, modelled=sheet.modelled)}")
        if beside and sheet is sheets[-1]:
            _write_beside(page.gap(), sheet, beside)
        page.say(*sheet.notes)


def _shown(what: What, told: Figure) -> str:
    return figure(told.value, partial(figure_in_words, what))


def _sources(row: Row, *, modelled: bool) -> str:
    """Where each figure is from, or why there is none. What is modelled is said above."""
    promised, figures = row.promised, [row.reached, row.watts]
    said = [tr(promised.reason)]
    if promised.value is not None:
        said = [tr("promised: {source}", source=promised.source)]
    said += [
        tr(each.source or each.reason)
        for each in figures[: 1 if row.what is What.POWER else 2]
        if not (modelled and each.origin is Origin.MODELLED)
    ]
    return paragraph((f"{'; '.join(dict.fromkeys(filter(None, said)))}.", *row.notes))


def _write_beside(page: Page, sheet: Sheet, beside: Sequence[OtherCard]) -> None:
    """What makers promise; for this card what is promised here."""
    figures = {row.what: row.promised for row in sheet.rows}
    name = Message("{card} (here)", card=sheet.card)
    here = OtherCard(name, "", "", None, None, figures=figures)
    rows = [
        [
            card.name,
            "" if card.memory_bytes is None else str(memory(card.memory_bytes)),
            *(_shown(what, card.figure(what)) for what in _BESIDE),
        ]
        for card in (here, *beside)
    ]
    columns: dict[str, int] = {Message("Promised by"): 100, Message("Size"): 60}
    columns |= {head: 90 - place for place, head in enumerate(_BESIDE.values())}
    page.figures(columns, rows)


def _write_between(page: Page, met: Sequence[Met], results: Sequence[RankResult]) -> None:
    page.say(*(remark for each in met for remark in each.remarks))
    rows, promises = [], list[str]()
    for each in results:
        values = {"source": each.source, "target": each.target, "ranks": each.ranks}
        ends = tr(_BETWEEN[each.way], **values)
        promise = Message("What the network promises is not known.")
        if each.promised:
            promise = Message("The network promises {rate}.", rate=rate(each.promised))
        path = f"{tr(each.path)}." if each.path else ""
        promises.append(paragraph([f"{ends}:", path, promise]))
        low, middle, high = (str(duration(seconds)) for seconds in each.quartiles)
        wire = figure(each.bus_rate, rate) if each.way is Way.ALL_REDUCE else ""
        share = figure(each.share, percent) if each.promised else ""
        size, spread = bytes_words(each.bytes), f"{low} – {high}"
        reached = figure(each.rate, rate) if each.intact else _WRONG
        rows.append([ends, size, middle, spread, reached, wire, share])
    columns: dict[str, int] = {
        Message("Between"): 100,
        Message("Size"): 99,
        Message("Median"): 90,
        Message("Quartiles"): 60,
        Message("Rate"): 90,
        Message("On the wire"): 70,
        Message("Share"): 80,
    }
    timed = Message(
        "One way is timed until the other says that all is there, and an all-reduce has these"
        " bytes of each."
    )
    page.gap().say(*dict.fromkeys(promises), timed)
    page.gap().figures(columns, rows)
    if all(each.intact for each in results):
        page.gap().say(
            Message("All of it was compared with what was sent, and arrived intact.")
        )
