"""gpuexplorer copies: how fast bytes move between host and cards, or between machines, and
whether they arrive; and what each card promises beside what it reached.
"""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from gpuexplorer.commands import copies_text as text
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
from gpuexplorer.commands.copies_text import Benched
from gpuexplorer.commands.lab_worker import lab_start
from gpuexplorer.commands.source import Opened, opened, wiring_of
from gpuexplorer.commands.terminal import Page, ProgressLine, printed, write_json
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
from gpuexplorer.copies.datasheet.make_sheet import sheet_of
from gpuexplorer.copies.datasheet.power_log import PowerLog, PowerReader
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import ASKED
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.measuring import Bench, Job, Measuring, Progress
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.plan import USUAL_BYTES, Kind, all_asked, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json
from gpuexplorer.copies.words import devices_of, kinds_of, sizes_of
from gpuexplorer.core.cards import CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.ranks import measuring as between
from gpuexplorer.ranks.company import Company, Member, here, told_apart
from gpuexplorer.ranks.measuring import Asked, measure
from gpuexplorer.ranks.meeting import Met
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.ssh import host_name, ssh_command
from gpuexplorer.remote.stream import made_up
from gpuexplorer.telemetry.backend import Backend

_EVERY = 0.1
_LAST_PATIENCE = 3.0
_HERE = ("localhost", ".")
_BETWEEN_HOSTS = (8, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20)
_MOST_HOSTS = 16
# Why it ended before its end: after what was measured is shown, it is raised.
End = Trouble | KeyboardInterrupt | None


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
    ways = ", ".join(each.value for each in Way)
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
            values={"modes": ways},
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
    if arguments.json and arguments.csv:
        raise WrongArgumentsError("--json and --csv exclude each other.", "Choose one of them.")
    if arguments.hosts is not None:
        if arguments.host:
            raise WrongArgumentsError(
                "--host measures within one computer, and --hosts between several.",
                "Leave one of them out.",
            )
        return _measure_between(arguments)
    sizes, kinds, beside = _understood(arguments)
    with opened(arguments) as source:
        if arguments.list:
            with printed() as page:
                text.write_offer(page, source.backend)
            return OK
        with _benched(arguments, source) as benched:
            if arguments.datasheet:
                return _measure_datasheets(arguments, benched, beside)
            return _measure(arguments, benched, sizes, kinds)


def _understood(
    arguments: argparse.Namespace,
) -> tuple[Sequence[int], Sequence[Kind], Sequence[OtherCard]]:
    """What was typed; the devices depend on what is there."""
    mode = arguments.mode or Kind.ONE_WAY.value
    beside: Sequence[OtherCard] = ()
    if not arguments.datasheet:
        if arguments.beside is not None:
            raise WrongArgumentsError(
                "Other cards lie beside a datasheet only.", "Add --datasheet."
            )
    elif arguments.sizes is not None or mode != Kind.ONE_WAY.value:
        raise WrongArgumentsError(
            "A datasheet chooses its sizes and modes itself.",
            "Leave out --sizes and --mode.",
        )
    elif arguments.beside is not None:
        beside = _named_in_the_table(arguments.beside)
    if arguments.python is not None and arguments.simulate is not None:
        raise WrongArgumentsError(
            "Simulated cards are modelled, which takes no PyTorch.", "Leave out --python."
        )
    with in_the_words():
        sizes = (USUAL_BYTES,) if arguments.sizes is None else sizes_of(arguments.sizes)
        return sizes, kinds_of(mode), beside


def _named_in_the_table(names: str) -> Sequence[OtherCard]:
    """The cards of the table whose names have these words."""
    cards = cards_table().cards()
    found: dict[str, OtherCard] = {}
    for word in (part.strip() for part in names.split(",")):
        exact = [card for card in cards if card.name.lower() == word.lower()]
        parts = word.lower().split()
        like = [card for card in cards if all(part in card.name.lower() for part in parts)]
        if not word or not like:
            raise WrongArgumentsError(
                "--beside names {word!r}, and the table of cards has no such card.",
                "Part of a name will do, such as --beside 4090.",
                word=word,
            )
        found |= {card.name: card for card in exact or like}
    return tuple(found.values())


@contextlib.contextmanager
def _benched(arguments: argparse.Namespace, source: Opened) -> Iterator[Benched]:
    """Those of its devices that were asked for; all of them where none was named."""
    backend = source.backend
    bench: Bench
    if (model := made_up(backend)) is not None:
        spec, faults = model.machine.spec, model.faults
        routes = routes_of_simulated(spec)
        bench = ModelBench(spec, faults, routes, arguments.seed, elapsed=lambda: model.elapsed)
        said = [fault.sentence for fault in faults]
        devices = _named(arguments, routes.devices, said)
        yield Benched(source, bench, routes, devices, said)
        return
    python, start = lab_start(
        source.far,
        arguments.python,
        Message("Copies are measured with PyTorch."),
        "Or look at simulated cards: gpuexplorer copies --simulate 4xRTX4090.",
    )
    topology, left_out = wiring_of(source)
    with contextlib.closing(worker_bench(start, backend, topology)) as bench:
        hello = bench.greet()
        said = [
            Message("Measured by {python}.", python=python.label),
            *_unsuited(python, backend),
            *without_cards(hello.devices),
            *without_kernels(hello.devices),
            *_counted_otherwise(hello, backend),
            *([left_out] if left_out else ()),
        ]
        devices = _named(arguments, offered(hello.devices), said)
        yield Benched(source, bench, routes_here(backend, hello, topology), devices, said)


def _unsuited(python: LabPython, backend: Backend) -> list[Message]:
    cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
    if not cards:
        return []
    fits = python.fits(cards, backend.source.driver_version)
    return [] if fits.verdict is Verdict.FINE else [told(fits.sentence, fits.do)]


def _counted_otherwise(hello: Hello, backend: Backend) -> list[Message]:
    """Where PyTorch's numbers are not the driver's."""
    cards = backend.cards()
    numbers = {card.id: card.index for card in cards if card.kind is CardKind.GPU}
    return [
        Message(
            "PyTorch counts differently from the driver: its {device} is card {card}.",
            device=name,
            card=numbers[card],
        )
        for name, card in names_by_uuid(hello.devices, cards).items()
        if card in numbers and name != f"cuda:{numbers[card]}"
    ]


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
    simulated, machine = benched.simulated, benched.source.machine
    if arguments.json:
        told = as_json(results, simulated=simulated, machine=machine)
        write_json({**told, "complete": end is None})
    elif arguments.csv:
        sys.stdout.write(as_csv(results, simulated=simulated, machine=machine))
    elif results:
        _show(end, lambda page: text.write_results(page, benched, results))
    some = any(result.measured for result in results)
    return _status(end, well=some and not any(result.wrong for result in results))


def _measure_datasheets(
    arguments: argparse.Namespace, benched: Benched, beside: Sequence[OtherCard]
) -> int:
    """Of all cards among these devices; of the processor where there is none."""
    cards = [device for device in benched.devices if device != PROCESSOR]
    subjects = [_subject(benched, device) for device in cards or benched.devices]
    results: dict[CopyJob, CopyResult] = {}
    products: dict[ProductJob, ProductResult] = {}
    log = PowerLog()
    read = [subject.card.id for subject in subjects if subject.card is not None]
    with PowerReader(benched.source.backend, () if benched.bench.modelled else read, log):
        end = _measured(
            [job for subject in subjects for job in jobs_of(subject)],
            benched.bench,
            lambda result: results.update({result.job: result}),
            lambda product: products.update({product.job: product}),
        )
    table, simulated = cards_table(), benched.simulated
    sheets = [
        sheet_of(each, results, products, table, log, simulated=simulated) for each in subjects
    ]
    if arguments.json:
        write_json(text.sheets_as_json(benched, sheets, beside, complete=end is None))
    elif arguments.csv:
        sys.stdout.write(text.sheets_as_csv(sheets, beside))
    else:
        _show(end, lambda page: text.write_sheets(page, benched, sheets, beside))
    rows = [row for sheet in sheets for row in sheet.rows]
    reached = any(row.reached.value for row in rows)
    return _status(end, well=reached and not any(row.wrong for row in rows))


def _subject(benched: Benched, device: str) -> Subject:
    named, backend = benched.routes.card(device), benched.source.backend
    card = next((each for each in backend.cards() if each.id == named), None)
    if card is None:
        return Subject(device, None, benched.routes)
    sample = backend.read(card.id, ASKED)
    return Subject(device, card, benched.routes, sample.values, sample.missing)


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
    if progress.job is None:
        return tr("{done} of {all} measured", done=progress.of, all=progress.of)
    copy = _job_in_words(progress.job)
    parts = [
        tr("{number} of {all}: {copy}", number=progress.done + 1, all=progress.of, copy=copy)
    ]
    if progress.samples:
        parts.append(tr("sample {taken} of {all}", taken=progress.taken, all=progress.samples))
    if (seconds := progress.seconds_left) is not None:
        time = f"{max(1.0, seconds):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
        parts.append(tr("{time} left", time=time))
    return ", ".join(parts)


def _job_in_words(job: Job) -> Message:
    if isinstance(job, ProductJob):
        return Message(
            "{type} products on {device}, {size} x {size}",
            type=job.kind.upper(),
            device=job.device,
            size=job.size,
        )
    kind, ends = kind_of(job), {"source": job.source, "target": job.target}
    size = memory(job.bytes)
    if kind is Kind.ONE_WAY:
        return Message("{source} to {target}, {size}", size=size, **ends)
    return Message("{source} to {target}, {size}, {mode}", size=size, mode=kind.value, **ends)


def _show(end: End, write: Callable[[Page], None]) -> None:
    with printed() as page:
        write(page)
        if end is not None:
            page.gap().say(Message("It was ended before all was measured."))


def _status(end: End, *, well: bool) -> int:
    """For the shell. Raises what ended it."""
    sys.stdout.flush()
    if end is not None:
        raise end
    return OK if well else TROUBLE


def _measure_between(arguments: argparse.Namespace) -> int:
    """Between machines. `localhost` is this computer, without ssh."""
    with in_the_words():
        sizes = _BETWEEN_HOSTS if arguments.sizes is None else sizes_of(arguments.sizes)
        asked = Asked(_ways(arguments.mode or "all"), sizes)
        hosts = [host_name(each) for each in arguments.hosts.split(",")]
    if len(hosts) < 2:
        raise WrongArgumentsError(
            "--hosts needs two machines or more.",
            "Write them with commas, such as --hosts localhost,user@server.",
        )
    if len(hosts) > _MOST_HOSTS:
        raise WrongArgumentsError("--hosts takes up to {most} machines.", most=_MOST_HOSTS)
    if arguments.simulate or arguments.devices or arguments.datasheet or arguments.list:
        raise WrongArgumentsError(
            "--hosts measures between real machines.",
            "Leave out --simulate, --devices, --datasheet and --list.",
        )
    launch = partial(ssh_command, somebody_answers=False)
    there = str(arguments.host_python or arguments.python or "python3")
    names = told_apart([each.text for each in hosts])
    members = [
        here(name, arguments.python)
        if host.text in _HERE
        else Member(name, host, launch, there)
        for name, host in zip(names, hosts, strict=True)
    ]
    results: list[between.RankResult] = []
    met: list[Met] = []
    end: End = None
    with ProgressLine(sys.stderr) as line:
        try:
            with Company(members) as company:
                measure(
                    company, asked, met.append, results.append, lambda told: line.show(tr(told))
                )
        except (KeyboardInterrupt, Trouble) as ended:
            end = ended
    if arguments.json:
        write_json(between.as_json(names, results, complete=end is None))
    elif arguments.csv:
        sys.stdout.write(between.as_csv(results))
    elif results:
        remarks = [remark for each in met for remark in each.remarks]
        _show(end, lambda page: text.write_between(page, remarks, results))
    return _status(end, well=all(each.intact for each in results))


def _ways(words: str) -> Sequence[Way]:
    asked = [each.strip().lower() for each in words.split(",")]
    for word in asked if asked != ["all"] else ():
        if word not in {*Way}:
            raise Trouble(
                "--mode names {word!r}, which does not go between machines.",
                "There are: {modes}.",
                word=word,
                modes=", ".join(each.value for each in Way),
            )
    return tuple(Way) if asked == ["all"] else tuple(dict.fromkeys(map(Way, asked)))
