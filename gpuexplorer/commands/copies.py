"""gpuexplorer copies: how fast bytes move between host and cards, and whether they arrive."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.commands import copies_hosts
from gpuexplorer.commands.arguments import (
    OK,
    WrongArgumentsError,
    add_host_arguments,
    add_source_arguments,
    in_the_words,
)
from gpuexplorer.commands.copies_progress import measured, status_after
from gpuexplorer.commands.copies_text import INCOMPLETE, Head, write_offer, write_results
from gpuexplorer.commands.datasheet import (
    Benched,
    add_datasheet_arguments,
    check_arguments,
    measure_datasheets,
)
from gpuexplorer.commands.lab_python import lab_start
from gpuexplorer.commands.page import Page
from gpuexplorer.commands.source import Opened, opened, wiring_of
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.copies.benches import (
    names_by_uuid,
    offered,
    routes_here,
    without_cards,
    without_kernels,
    worker_bench,
)
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.plan import USUAL_BYTES, Kind, all_asked
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json
from gpuexplorer.copies.words import devices_of, kinds_of, sizes_of
from gpuexplorer.core.cards import CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.far.stream import made_up
from gpuexplorer.telemetry.backend import Backend


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
    parser.add_argument("--devices", metavar=tr("LIST"), help=tr("such as cpu,cuda:0,1 or 0-3"))
    parser.add_argument(
        "--sizes",
        metavar=tr("LIST"),
        help=tr("such as 64M,4KiB, or 4B-1G, or sweep; 256M if nothing is said"),
    )
    parser.add_argument(
        "--mode",
        metavar=tr("LIST"),
        help=tr("{modes}, or all", modes=", ".join(Kind)),
    )
    parser.add_argument(
        "--hosts",
        metavar=tr("LIST"),
        help=tr(
            "between these machines, such as localhost,user@server: {modes}; all if nothing is"
            " said",
            modes=", ".join(each.value for each in Way),
        ),
    )
    parser.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    parser.add_argument("--csv", action="store_true", help=tr("as CSV, a line for each copy"))
    parser.add_argument(
        "--list", action="store_true", help=tr("what could be asked for here; measures nothing")
    )
    parser.add_argument(
        "--python", metavar=tr("FILE"), type=Path, help=tr("the Python whose PyTorch measures")
    )
    add_datasheet_arguments(parser)
    add_host_arguments(parser)
    add_source_arguments(parser)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was typed, understood; the devices depend on what is there."""

    sizes: tuple[int, ...]
    kinds: tuple[Kind, ...]


def run(arguments: argparse.Namespace) -> int:
    if arguments.json and arguments.csv:
        raise WrongArgumentsError("--json and --csv exclude each other.", "Choose one of them.")
    if arguments.hosts is not None:
        if arguments.host:
            raise WrongArgumentsError(
                "--host measures within one computer, and --hosts between several.",
                "Leave one of them out.",
            )
        return copies_hosts.run(arguments)
    arguments.mode = arguments.mode or Kind.ONE_WAY.value
    asked = _understood(arguments)
    source = opened(arguments)
    try:
        if arguments.list:
            terminal = Terminal()
            page = Page(terminal.width())
            write_offer(page, source.backend)
            terminal.show(str(page))
            return OK
        with _benched(arguments, source) as benched:
            if arguments.datasheet:
                return measure_datasheets(arguments, benched)
            return _measure(arguments, asked, benched)
    finally:
        source.backend.close()


def _understood(arguments: argparse.Namespace) -> _Asked:
    check_arguments(arguments)
    if arguments.python is not None and arguments.simulate is not None:
        raise WrongArgumentsError(
            "Simulated cards are modelled, which takes no PyTorch.", "Leave out --python."
        )
    with in_the_words():
        sizes = (USUAL_BYTES,) if arguments.sizes is None else sizes_of(arguments.sizes)
        return _Asked(sizes, kinds_of(arguments.mode))


@contextlib.contextmanager
def _benched(arguments: argparse.Namespace, source: Opened) -> Iterator[Benched]:
    """Those of its devices that were asked for; all of them where none was named."""
    backend = source.backend
    simulated = made_up(backend)
    if simulated is not None:
        spec = simulated.machine.spec
        faults = simulated.faults
        routes = routes_of_simulated(spec)
        model = ModelBench(
            spec, faults, routes, arguments.seed, elapsed=lambda: simulated.elapsed
        )
        said = [fault.sentence for fault in faults]
        head = Head(backend.source.label, said, simulated=True, machine=source.machine)
        yield Benched(backend, model, routes, head, _named(arguments, routes.devices, head))
        return
    python, start = lab_start(
        source.far,
        arguments.python,
        Message("Copies are measured with PyTorch."),
        "Or look at simulated cards: gpuexplorer copies --simulate 4xRTX4090.",
    )
    topology, left_out = wiring_of(source)
    bench = worker_bench(start, backend, topology)
    try:
        hello = bench.greet()
        remarks = [
            Message("Measured by {python}.", python=python.label),
            *_unsuited(python, backend),
            *without_cards(hello.devices),
            *without_kernels(hello.devices),
            *_counted_otherwise(hello, backend),
            *([left_out] if left_out else ()),
        ]
        none = Message("No graphics card answers.")
        label = backend.source.label if backend.cards() else none
        head = Head(label, remarks, machine=source.machine)
        devices = _named(arguments, offered(hello.devices), head)
        yield Benched(backend, bench, routes_here(backend, hello, topology), head, devices)
    finally:
        bench.close()


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
    named = names_by_uuid(hello.devices, cards)
    return [
        Message(
            "PyTorch counts differently from the driver: its {device} is card {card}.",
            device=name,
            card=numbers[card],
        )
        for name, card in named.items()
        if card in numbers and name != f"cuda:{numbers[card]}"
    ]


def _named(arguments: argparse.Namespace, there: Sequence[str], head: Head) -> list[str]:
    if arguments.devices is None:
        return list(there)
    try:
        return list(devices_of(arguments.devices, there))
    except Trouble as trouble:
        hint = told(trouble.hint, *head.remarks)
        raise WrongArgumentsError(trouble.sentence, hint) from trouble


def _measure(arguments: argparse.Namespace, asked: _Asked, benched: Benched) -> int:
    jobs = all_asked(benched.devices, asked.sizes, asked.kinds)
    if not jobs:
        raise WrongArgumentsError(
            "Between {devices} there is nothing to measure as {modes}.",
            "`gpuexplorer copies --list` says what can be asked for.",
            devices=", ".join(benched.devices),
            modes=", ".join(asked.kinds),
        )
    results: list[CopyResult] = []
    end = measured(jobs, benched.bench, results.append)
    _show(arguments, asked, benched.head, results, complete=end == "")
    some = any(result.measured for result in results)
    return status_after(end, well=some and not any(result.wrong for result in results))


def _show(
    arguments: argparse.Namespace,
    asked: _Asked,
    head: Head,
    results: Sequence[CopyResult],
    *,
    complete: bool,
) -> None:
    if arguments.json:
        told = as_json(results, simulated=head.simulated, machine=head.machine)
        sys.stdout.write(json.dumps({**told, "complete": complete}, indent=2) + "\n")
    elif arguments.csv:
        sys.stdout.write(as_csv(results, simulated=head.simulated, machine=head.machine))
    elif results:
        terminal = Terminal()
        page = Page(terminal.width())
        write_results(page, head, results, asked.sizes)
        page.gap()
        page.say("" if complete else INCOMPLETE)
        terminal.show(str(page))
    sys.stdout.flush()
