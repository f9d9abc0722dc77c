"""gpuexplorer copies: how fast bytes move, whether they arrive, and what each card promises."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
    Page,
    figure,
    gathered,
    percent,
    printed,
    progress_line,
    write_json,
)
from gpuexplorer.copies import worker_bench as benches
from gpuexplorer.copies.datasheet.cards_table import (
    Figure,
    OtherCard,
    What,
    cards_table,
    in_words,
)
from gpuexplorer.copies.datasheet.costs import sheet_as_csv, sheet_as_json
from gpuexplorer.copies.datasheet.products import PowerLog, ProductResult, reading_power
from gpuexplorer.copies.datasheet.sheet import ASKED, Sheet, Subject, sheet_of
from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.jobs import HOST as PROCESSOR
from gpuexplorer.copies.jobs import (
    TYPED,
    USUAL_BYTES,
    Kind,
    all_asked,
    devices_of,
    kind_of,
    kinds_of,
    sizes_of,
)
from gpuexplorer.copies.measuring import Bench, Job, Measuring, Progress
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.result import CopyResult, as_csv, as_json, curve_of
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, Sample
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import (
    bytes_words,
    duration,
    gigabytes_per_second,
    memory,
    rate,
    seconds_words,
    short,
    watts,
)
from gpuexplorer.core.words import Message, mark, on, paragraph, told, tr
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.ranks import measuring as between
from gpuexplorer.ranks.measuring import Company, Member, Met, RankResult, here, told_apart
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.ssh import host_name, ssh_command
from gpuexplorer.remote.stream import made_up

_EVERY = 0.1
_LAST_PATIENCE = 3.0
_HERE = ("localhost", ".")
_BETWEEN_HOSTS = (8, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20)
_FEW_SIZES = 2
_MOST_FINDINGS = 12
_MOST_CELLS = 4
_WRONG = "WRONG"
_FROM_TO = mark("{source} to {target}")
_SIMULATED = Message("SIMULATED: these cards do not exist.")
_MODELLED = Message("Modelled: what was reached is a model's; nothing was measured.")
# What a matrix shows of each result: its title, and in what its cells count.
_MATRICES = {
    "rate": (mark("{way}, {size}, GB/s, median of {samples}; row to column:"), 1e-9),
    "seconds": (mark("Latency in µs, {size}, median of {samples}; row to column:"), 1e6),
    "share": (mark("Share of what the narrowest wire could carry, %:"), 100),
    "hidden": (mark("Share of the copies that the computation hid, %:"), 100),
}
_SHOWN = {
    **dict.fromkeys(Kind, ("rate", "share")),
    **dict.fromkeys((Kind.BLOCKING, Kind.OVERLAP), ("rate", "hidden")),
    Kind.LATENCY: ("seconds",),
}
# What has no sense together: one chooses or knows already what the other asks for.
_EXCLUDED = (
    ("json", "csv"),
    *(("hosts", each) for each in ("host", "simulate", "devices", "datasheet", "list")),
    *(("datasheet", each) for each in ("sizes", "mode")),
    ("simulate", "python"),
)
Cells = Mapping[tuple[str, str], str]  # by row and column
End = Trouble | KeyboardInterrupt | None  # before all was measured


class Benched(NamedTuple):
    """Where it is measured, between which devices, and what is said before it."""

    source: Opened
    bench: Bench
    routes: Routes
    devices: Sequence[str]
    said: Sequence[Message]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Measure copies between the host and every card, and between cards: how fast they are,"
        " what the wire could carry, and whether what arrives is what was sent. Takes all pairs"
        " unless --devices says otherwise. Simulated cards are modelled: no bytes are moved."
    )
    parser.epilog = tr(
        "The exit status is 0 when something was measured and nothing arrived WRONG, else 1; 2"
        " when the command was not understood; 130 after Ctrl-C, which shows what was measured"
        " until then."
    )
    hosts = mark("between machines, such as localhost,user@server: {modes}")
    options = {
        "--devices": Option("LIST", "such as cpu,cuda:0,1 or 0-3"),
        "--sizes": Option("LIST", "such as 64M,4KiB, or 4B-1G, or sweep; 256M if not given"),
        "--mode": Option("LIST", Message("{modes}, or all", modes=", ".join(TYPED))),
        "--hosts": Option("LIST", Message(hosts, modes=", ".join(Way))),
        "--csv": Option("", "as CSV, a line for each copy"),
        "--list": Option("", "what could be asked for here; measures nothing"),
        "--python": Option("FILE", "the Python whose PyTorch measures", Path),
        "--datasheet": Option("", "what each card promises, and what it reached"),
        "--beside": Option("NAMES", "a datasheet beside others: 'RTX 4090,H100 SXM'"),
    }
    add_options(parser, JSON | options | HOST | SOURCE)


def run(arguments: argparse.Namespace) -> int:
    arguments.datasheet |= arguments.beside is not None
    typed = vars(arguments)
    for one, other in _EXCLUDED:
        if typed[one] and typed[other]:
            raise WrongArgumentsError(
                "--{one} and --{other} exclude each other.", one=one, other=other
            )
    if arguments.hosts is not None:
        return _between_hosts(arguments)
    beside = _others(arguments)
    with in_the_words():
        sizes = sizes_of(arguments.sizes or str(USUAL_BYTES))
        kinds = kinds_of(arguments.mode or Kind.ONE_WAY)
    with opened(arguments) as source:
        if arguments.list:
            return _offer(source)
        with _benched(arguments, source) as benched:
            if arguments.datasheet:
                return _datasheets(arguments, benched, beside)
            if jobs := all_asked(benched.devices, sizes, kinds):
                return _copies(arguments, benched, jobs)
            raise WrongArgumentsError(
                "Between {devices} there is nothing to measure as {modes}.",
                "`gpuexplorer copies --list` says what can be asked for.",
                devices=", ".join(benched.devices),
                modes=", ".join(kinds),
            )


def _others(arguments: argparse.Namespace) -> Sequence[OtherCard]:
    """The cards of the table that --beside names: by all words of a name, or by some."""
    known = {card.name.lower(): card for card in cards_table()}
    beside: dict[str, OtherCard] = {}
    for named in arguments.beside.split(",") if arguments.beside else ():
        word = named.strip().lower()
        like = {name: known[name] for name in known if all(e in name for e in word.split())}
        if not (word and like):
            raise WrongArgumentsError(
                "--beside names {word!r}, and the table of cards has no such card.",
                "Part of a name will do, such as --beside 4090.",
                word=named.strip(),
            )
        beside |= {word: known[word]} if word in known else like
    return [*beside.values()]


def _offer(source: Opened) -> int:
    """What `--devices` and `--mode` understand here; why, where CUDA's number is not known."""
    devices = [("cpu", tr("the processor and its memory"))]
    for card in source.backend.cards():
        if card.cuda_index is not None:
            devices.append((f"cuda:{card.cuda_index}", card.name))
        elif card.kind is CardKind.GPU:
            why = Message("{card}: {reason}", card=card.name, reason=card.cuda_reason)
            devices.append((NONE, why))
    with printed() as page:
        page.table({Message("Device"): 100, "": 90}, devices)
        page.gap().table({Message("Mode"): 100, "": 90}, [(each, each.words) for each in TYPED])
        page.gap().say(_SIMULATED if source.backend.source.simulated else "")
    return OK


@contextmanager
def _benched(arguments: argparse.Namespace, source: Opened) -> Iterator[Benched]:
    """Those of its devices that were asked for; all of them where none was named."""
    backend, model = source.backend, made_up(source.backend)
    with ExitStack() as stack:
        bench: Bench
        if model is not None:
            spec, faults = model.machine.spec, model.faults
            routes, said = routes_of_simulated(spec), [fault.sentence for fault in faults]
            bench = ModelBench(
                spec, faults, routes, arguments.seed, elapsed=lambda: model.elapsed
            )
            there: Sequence[str] = routes.devices
        else:
            needed = Message("Copies are measured with PyTorch, unless cards are simulated.")
            python, start = lab_start(source.far, arguments.python, needed)
            topology, left_out = wiring_of(source)
            bench = stack.enter_context(closing(benches.worker_bench(start, backend, topology)))
            hello = bench.greet()
            routes = benches.routes_here(backend, hello.devices, topology)
            there = benches.offered(hello.devices)
            said = [
                Message("Measured by {python}.", python=python.label),
                *benches.remarks(hello.devices),
                left_out,
            ]
            cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
            numbers = {card.id: card.index for card in cards}
            said += (
                Message(
                    "PyTorch counts differently from the driver: its {device} is card {card}.",
                    device=device,
                    card=numbers[card],
                )
                for device, card in benches.names_by_uuid(hello.devices, cards).items()
                if device != f"cuda:{numbers[card]}"
            )
        with in_the_words(*said):
            asked = arguments.devices
            devices = there if asked is None else devices_of(asked, there)
        none = Message("No graphics card answers.")
        label = on(source.machine, backend.source.label if backend.cards() else none)
        modelled = (_SIMULATED, _MODELLED) if bench.modelled else ()
        yield Benched(source, bench, routes, devices, [label, *modelled, *said])


def _tell(
    arguments: argparse.Namespace,
    end: End,
    told: Mapping[str, object],
    csv: str,
    write: Callable[[Page], None],
    *,
    well: bool,
) -> int:
    """In the form that was asked for. Gives the status for the shell; raises what ended it."""
    if arguments.json:
        write_json({**told, "complete": end is None})
    elif arguments.csv:
        sys.stdout.write(csv)
    elif told.get("results") or told.get("sheets"):
        with printed() as page:
            write(page)
            if end is not None:
                page.gap().say(Message("It was ended before all was measured."))
    sys.stdout.flush()
    if end is not None:
        raise end
    return OK if well else TROUBLE


def _measured(
    jobs: Sequence[Job], bench: Bench
) -> tuple[dict[CopyJob, CopyResult], dict[ProductJob, ProductResult], End]:
    copies: dict[CopyJob, CopyResult] = {}
    products: dict[ProductJob, ProductResult] = {}
    ends: list[Message] = []
    with progress_line(sys.stderr) as show:
        measuring = Measuring(
            jobs,
            bench,
            lambda each: copies.update({each.job: each}),
            lambda progress: show(_progress(progress)),
            ends.append,
            on_product=lambda each: products.update({each.job: each}),
        )
        measuring.start()
        try:
            while not measuring.wait(_EVERY):
                pass
        except KeyboardInterrupt as interrupt:
            measuring.stop()
            measuring.wait(_LAST_PATIENCE)
            return copies, products, interrupt
    return copies, products, Trouble(ends[0]) if ends[0] else None


def _progress(progress: Progress) -> str:
    """How far it has got."""
    match progress.job:
        case None:
            return ""
        case ProductJob() as job:
            what = f"{job.kind.upper()} {job.device}, {job.size}"
        case job:
            ends = tr(_FROM_TO, source=job.source, target=job.target)
            what = f"{ends}, {memory(job.bytes)}, {kind_of(job)}"
    values = {"number": progress.done + 1, "all": progress.of, "copy": what}
    if progress.seconds_left is None:
        return tr("{number} of {all}: {copy}", **values)
    left = seconds_words(max(1.0, progress.seconds_left))
    return tr("{number} of {all}: {copy}, {time} left", **values, time=left)


def _copies(arguments: argparse.Namespace, benched: Benched, jobs: Sequence[CopyJob]) -> int:
    measured, _, end = _measured(jobs, benched.bench)
    results, simulated = [*measured.values()], benched.bench.modelled
    return _tell(
        arguments,
        end,
        as_json(results, simulated=simulated, machine=benched.source.machine),
        as_csv(results, simulated=simulated, machine=benched.source.machine),
        lambda page: _write_results(page, benched, results),
        well=any(e.measured for e in results) and not any(e.wrong for e in results),
    )


def _write_results(page: Page, benched: Benched, results: Sequence[CopyResult]) -> None:
    """A matrix for each question, what stands out, and the rest by kind."""
    page.say(*benched.said)
    largest: list[CopyResult] = []  # of each kind: the wire shows in large copies only
    for kind, its in gathered((kind_of(each.job), each) for each in results).items():
        by_size = gathered((each.job.bytes, each) for each in its)
        largest += by_size[max(by_size)]
        for title, cells in _matrices(kind, by_size):
            page.gap().say(title)
            # The columns follow the rows, where they are called the same.
            down, across = (list(dict.fromkeys(ends)) for ends in zip(*cells, strict=True))
            across.sort(key=[*down, *across].index)
            page.matrix(down, [(e, [cells.get((row, e), "") for row in down]) for e in across])
    twice = Message("Inside one device copied bytes count once; memory traffic is twice that.")
    page.gap().say(twice if any(each.traffic is not None for each in results) else "")
    if intact := sum(bool(each.measured and each.measured.intact) for each in results):
        checked = intact + sum(each.wrong for each in results)
        page.gap().say(Message("Intact: {count} of {all} checked.", count=intact, all=checked))
    found = findings(results)
    page.gap().say(Message("What stands out:") if found else "")
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
            kin.words,
            kin.kind.value,
            str(len(kin.results)),
            str(memory(kin.results[0].job.bytes)),
            gigabytes_per_second(kin.rate),
            figure(kin.share, percent),
        ]
        for kin in the_rest(largest, found)
        if kin.rate is not None and kin.kind is not Kind.LATENCY
    ]
    columns: dict[str, int] = {
        Message("The rest, by kind"): 100,
        Message("Mode"): 65,
        Message("Copies"): 60,
        Message("Size"): 70,
        "GB/s": 95,
        Message("of limit"): 80,
    }
    if rest:
        page.gap().table(columns, rest)


def _matrices(
    kind: Kind, by_size: Mapping[int, Sequence[CopyResult]]
) -> Iterator[tuple[Message, Cells]]:
    """Of few sizes one each; else one of sizes by paths, and below what follows from all."""
    for size, group in by_size.items() if len(by_size) <= _FEW_SIZES else ():
        samples = max(len(e.measured.samples_s) if e.measured else 0 for e in group)
        values = {"way": kind.words, "size": str(memory(size)), "samples": samples}
        for name in _SHOWN[kind]:
            cells = {_path(each): _cell(each, name) for each in group}
            if {*cells.values()} != {NONE}:
                yield Message(_MATRICES[name][0], **values), cells
    if len(by_size) > _FEW_SIZES:
        cells, below = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
        every = (each for group in by_size.values() for each in group)
        for (source, target), its in gathered((_path(each), each) for each in every).items():
            path = tr(_FROM_TO, source=source, target=target)
            cells |= {(str(memory(e.job.bytes)), path): _cell(e, "rate") for e in its}
            if (curve := curve_of(its)) is not None:
                below[tr("half rate at"), path] = figure(curve.half_rate_bytes, memory)
                below[tr("floor, µs"), path] = figure(curve.floor, lambda s: short(s * 1e6))
        yield Message("{way}, GB/s over size:", way=kind.words), cells | below


def _path(result: CopyResult) -> tuple[str, str]:
    job = result.job
    return job.source.removeprefix("cuda:"), job.target.removeprefix("cuda:")


def _cell(result: CopyResult, name: str) -> str:
    def shown(value: float) -> str:
        count = value * _MATRICES[name][1]
        return f"{count:.0f}" if name in ("share", "hidden") else short(count)

    return _WRONG if result.wrong else figure(getattr(result, name), shown)


def _places(finding: Finding) -> str:
    """The devices that it is about, or the pairs: the first of them."""
    pairs = [
        tr("inside {device}", device=source)
        if source == target
        else tr(_FROM_TO, source=source, target=target)
        for source, target in finding.cells
    ]
    places = finding.devices or pairs
    shown, more = ", ".join(places[:_MOST_CELLS]), len(places) - _MOST_CELLS
    return tr("{pairs} and {count} more", pairs=shown, count=more) if more > 0 else shown


def _datasheets(
    arguments: argparse.Namespace, benched: Benched, beside: Sequence[OtherCard]
) -> int:
    """Of all cards among these devices; of the processor where there is none."""
    bench, backend, routes = benched.bench, benched.source.backend, benched.routes
    cards = {card.id: card for card in backend.cards()}
    subjects = []
    for device in [each for each in benched.devices if each != PROCESSOR] or benched.devices:
        card = cards.get(routes.card(device) or CardId(""))
        sample = Sample(HOST_ID, 0.0, {}) if card is None else backend.read(card.id, ASKED)
        subjects.append(Subject(device, card, routes, sample.values, sample.missing))
    log, simulated = PowerLog(), bench.modelled
    drawing = [each.card.id for each in subjects if each.card and not simulated]
    with reading_power(backend, drawing, log):
        results, products, end = _measured(
            [job for subject in subjects for job in subject.jobs.values()], bench
        )
    *others, last = sheets = [
        sheet_of(each, results, products, log, simulated=simulated) for each in subjects
    ]
    # One header for all; other cards below the last.
    first, *more = [*map(sheet_as_csv, others), sheet_as_csv(last, beside)]
    rows = [row for sheet in sheets for row in sheet.rows]
    listed = [sheet_as_json(sheet, beside) for sheet in sheets]
    return _tell(
        arguments,
        end,
        {**benched.source.head, "simulated": simulated, "sheets": listed},
        first + "".join(each.partition("\n")[2] for each in more),
        lambda page: _write_sheets(page, benched, sheets, beside),
        well=any(e.reached.value for e in rows) and not any(e.wrong for e in rows),
    )


def _write_sheets(
    page: Page, benched: Benched, sheets: Sequence[Sheet], beside: Sequence[OtherCard]
) -> None:
    """What makers of other cards promise stands in columns of its own."""

    def shown(what: What, told: Figure) -> str:
        return figure(told.value, partial(in_words, what))

    page.say(*benched.said)
    for sheet in sheets:
        columns: dict[str, int] = {
            f"{sheet.card}, {sheet.device}": 100,
            Message("Promised"): 90,
            Message("Reached"): 95,
            Message("Share"): 80,
            Message("Spread"): 40,
            Message("Watts"): 60,
        }
        columns |= {f"{e.name}, {figure(e.memory_bytes, bytes_words)}": 70 for e in beside}
        rows = [
            [
                row.title,
                shown(row.what, row.promised),
                _WRONG if row.wrong else shown(row.what, row.reached),
                figure(row.share, percent),
                figure(row.variation, partial(percent, digits=1)),
                figure(row.watts.value, watts),
                *(shown(row.what, card.figures[row.what]) for card in beside),
            ]
            for row in sheet.rows
        ]
        page.gap().table(columns, rows)
        page.gap()
        for row in sheet.rows:
            # Where each figure is from, or why there is none.
            promised = Message("promised: {source}", source=row.promised.source)
            said = [
                promised if row.promised.value is not None else row.promised.reason,
                *(each.source or each.reason for each in (row.reached, row.watts)),
            ]
            sources = "; ".join(dict.fromkeys(filter(None, map(tr, said))))
            page.say(paragraph((f"{tr(row.title)}: {sources}.", *row.notes)))


def _between_hosts(arguments: argparse.Namespace) -> int:
    """`localhost` is this computer, without ssh."""
    asked = {each.strip().lower() for each in (arguments.mode or "all").split(",")}
    with in_the_words():
        for word in asked - {*Way, "all"}:
            raise Trouble(
                "--mode names {word!r}, which does not go between machines.",
                "There are: {modes}.",
                word=word,
                modes=", ".join(Way),
            )
        sizes = _BETWEEN_HOSTS if arguments.sizes is None else sizes_of(arguments.sizes)
        hosts = [host_name(each) for each in arguments.hosts.split(",")]
        if len(hosts) < 2:
            raise Trouble("--hosts needs two machines or more, with commas between them.")
    ways = [way for way in Way if asked & {way, "all"}]
    launch = partial(ssh_command, somebody_answers=False)
    there = str(arguments.host_python or arguments.python or "python3")
    names = told_apart([each.text for each in hosts])
    members = [
        here(name, arguments.python)
        if host.text in _HERE
        else Member(name, host, launch, there)
        for name, host in zip(names, hosts, strict=True)
    ]
    results, met, end = list[RankResult](), list[Met](), None
    try:
        with progress_line(sys.stderr) as show, Company(members) as company:
            asked_for = between.Asked(ways, sizes)
            between.measure(
                company, asked_for, met.append, results.append, lambda told: show(tr(told))
            )
    except (KeyboardInterrupt, Trouble) as ended:
        end = ended
    return _tell(
        arguments,
        end,
        between.as_json(names, results, complete=end is None),
        between.as_csv(results),
        lambda page: _write_between(page, met, results),
        well=all(each.intact for each in results),
    )


def _write_between(page: Page, met: Sequence[Met], results: Sequence[RankResult]) -> None:
    page.say(*(remark for each in met for remark in each.remarks))
    rows = []
    for each in results:
        low, middle, high = map(duration, each.quartiles)
        together = each.way is Way.ALL_REDUCE
        ends = Message(_FROM_TO, source=each.source, target=each.target)
        rows.append(
            [
                Message("All-reduce of all {ranks}", ranks=each.ranks) if together else ends,
                bytes_words(each.bytes),
                str(middle),
                f"{low} – {high}",
                figure(each.rate, rate) if each.intact else _WRONG,
                figure(each.bus_rate, rate) if together else "",
                figure(each.promised, rate),
                figure(each.share, percent),
                each.path,
            ]
        )
    columns: dict[str, int] = {
        Message("Between"): 100,
        Message("Size"): 99,
        Message("Median"): 90,
        Message("Quartiles"): 60,
        Message("Rate"): 98,
        Message("On the wire"): 70,
        Message("Promised"): 91,
        Message("Share"): 80,
        Message("By way of"): 65,
    }
    page.gap().table(columns, rows)
    timed = Message("One way lasts until the other has all; an all-reduce has so much of each.")
    intact = Message("All of it was compared with what was sent, and arrived intact.")
    page.gap().say(timed, intact if all(each.intact for each in results) else "")
