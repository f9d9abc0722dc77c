"""Routes, jobs, results, sheets, and a ledger that was told of cells and copies."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.datasheet.sheet import ASKED, Sheet, Subject, sheet_of
from gpuexplorer.copies.jobs import Kind, job_of, matrix
from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Leg, Route, Routes, Way, Wire
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Finished, Measured, Span, Spans, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import CopyJob, ProductJob, Run
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend


def routes(text: str) -> Routes:
    return routes_of_simulated(parse_machine(text))


def bench(text: str, faults: str = "", seed: int = 0) -> ModelBench:
    spec = parse_machine(text)
    return ModelBench(spec, parse_faults(faults, len(spec.cards)), seed=seed)


def measured(on: Bench, job: CopyJob) -> CopyResult:
    return on.measure(job, lambda taken, samples: None)


def one_way(text: str, source: str, target: str, size: int = 256 << 20) -> CopyResult:
    job = job_of(Kind.ONE_WAY, source, target, size)
    assert job is not None
    return measured(bench(text), job)


def all_pairs(text: str, *kinds: Kind, faults: str = "") -> list[CopyResult]:
    on = bench(text, faults)
    devices = routes(text).devices
    return [measured(on, job) for kind in kinds for job in matrix(devices, kind)]


def at_rate(result: CopyResult, rate: float) -> CopyResult:
    """The same copy, had it been so fast."""
    assert result.measured is not None
    seconds = result.job.bytes / rate
    samples = tuple(seconds for _ in result.measured.samples_s)
    return replace(result, measured=replace(result.measured, samples_s=samples))


def real(source: str, target: str, size: int, *seconds: float, **told: object) -> CopyResult:
    """One that was measured, on a machine of which nothing else is known."""
    about = Measured(1, seconds, **told)  # type: ignore[arg-type]  # of the test's own making
    return CopyResult(CopyJob(source, target, size), about, None)


MIB = 1 << 20
LIMIT = 15.75e9


class Cells:
    """They get their numbers in turn."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._number = 0

    def cell(
        self,
        code: str,
        *transfers: Transferred,
        host_seconds: float | None = 1e-3,
        spans: Sequence[Span] = (),
        again: int = 0,
    ) -> None:
        """`host_seconds`: None: it goes on. `again`: that cell is run once more."""
        self._number += 1
        run, ledger = Run(self._number, code, again or self._number), self.ledger
        if again:
            ledger.sent_again(run, ledger.cells[again - 1])
        else:
            ledger.sent(run)
        ledger.apply(Began(self._number))
        self.tell(*transfers)
        if host_seconds is not None:
            ledger.apply(Spans(self._number, tuple(spans), modelled=True))
            self.end(host_seconds)

    def tell(self, *transfers: Transferred) -> None:
        for each in transfers:
            self.ledger.apply(replace(each, id=self._number))

    def end(self, host_seconds: float) -> None:
        self.ledger.apply(Finished(self._number, host_seconds, None, modelled=True))


def moved(size: int, seconds: float, *, begin: float = 0.0, **more: object) -> Transferred:
    """Asked for, and intact; to the first card unless told otherwise."""
    told = {"what": "X", "how": "to", "pinned": True, "blocking": True, "intact": True} | more
    ends = told.pop("source", "cpu"), told.pop("target", "cuda:0")
    times = {"asked_at": begin, "begin": begin, "end": begin + seconds, "modelled": True}
    times["host_seconds"] = seconds if told["blocking"] else 5e-6
    return Transferred(0, *ends, size, seconds, **times | told)  # type: ignore[arg-type]  # by name


def read(copies: int, host_seconds: float, *, begin: float = 0.0) -> Transferred:
    """Four bytes to the host, so many times."""
    ends = {"source": "cuda:0", "target": "cpu", "pinned": False, "intact": None}
    kind = {"what": "loss.item()", "how": "item", "asked": False, "copies": copies}
    times = {"host_seconds": host_seconds, "end": begin + host_seconds}
    one = moved(4 * copies, 1.4e-6 * copies, begin=begin, **ends)
    return replace(one, **kind, **times)  # type: ignore[arg-type]  # by name


def route(source: str, target: str) -> Route:
    leg = Leg(Wire.PCIE, Message("PCIe 3 x16"), LIMIT)
    return Route(source, target, (leg,), Way.TO_HOST, None, LIMIT)


def simulated_sheet(spec: str, device: str = "cuda:0", *, measured: bool = True) -> Sheet:
    """A card of a machine such as "2xTitanRTX"."""
    machine = parse_machine(spec)
    backend = SimulatedBackend(machine)
    cards = backend.cards()
    routes = Routes(backend.topology(), cards)
    named = routes.card(device)
    card = next((each for each in cards if each.id == named), None)
    sample = None if card is None else backend.read(card.id, ASKED)
    subject = Subject(device, card, routes, {} if sample is None else sample.values)
    results: dict[CopyJob, CopyResult] = {}
    products: dict[ProductJob, ProductResult] = {}
    bench = ModelBench(machine, routes=routes)
    for job in subject.jobs.values() if measured else ():
        if isinstance(job, ProductJob):
            products[job] = bench.measure_product(job, lambda *_: None)
        else:
            results[job] = bench.measure(job, lambda *_: None)
    return sheet_of(subject, results, products, simulated=True)
