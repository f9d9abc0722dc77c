"""Sheets of simulated cards."""

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.datasheet.sheet import ASKED, Sheet, Subject, sheet_of
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend


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
