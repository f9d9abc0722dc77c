"""Benches: where the copies of a session are measured: on its cards, or by its model."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.routes import Values
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.copies.copies_state import CopiesState, MakeBench
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.stream import FarStream, made_up
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

# A model answers at once; at this pace a person sees one cell after the other.
_PACE = 0.005


def copies_of(lab: Lab) -> CopiesState:
    """Of the session that is shown. Asks nobody and starts nothing yet."""
    ways = Ways(lab.machine, lab.cards)
    state = CopiesState(lab, ways, bench_maker(lab, ways))
    ways.setParent(state)
    return state


def bench_maker(lab: Lab, ways: Ways) -> MakeBench:
    backend = lab.machine.session.backend
    if lab.recorded:
        return _refuse

    def make() -> Bench | None:
        model = made_up(backend)
        return _on_cards(lab, ways) if model is None else _modelled(model, ways)

    return make


def _refuse() -> Bench:
    raise Trouble(RECORDED)


def _modelled(backend: SimulatedBackend, ways: Ways) -> Bench:
    spec, faults = backend.machine.spec, backend.faults
    # What was told already; else it asks a machine of its own, which takes its time.
    routes = ways.for_bench()
    return ModelBench(spec, faults, routes, pace=_PACE, elapsed=lambda: backend.elapsed)


def _on_cards(lab: Lab, ways: Ways) -> Bench | None:
    python = lab.pythons.python
    if python is None:
        lab.pythons.find()
        return None
    cards = {each.name: each.card for each in lab.devices() if each.name and each.card}
    whole = {
        one.card.id: each.card.id for each in lab.machine.cards() for one in each.instances
    }
    session, routes = lab.machine.session, ways.for_bench()

    def busy() -> Mapping[str, float]:
        """Asked from the thread that measures; a reading is never changed."""
        readings = {name: session.reading(card) for name, card in cards.items()}
        return {
            name: reading.values[GPU_UTILIZATION]
            for name, reading in readings.items()
            if reading is not None and GPU_UTILIZATION in reading.values
        }

    def under_load(devices: Sequence[str]) -> Values:
        wired = {whole.get(cards[each], cards[each]) for each in devices if each in cards}
        readings = {card: session.reading(card) for card in wired}
        return {card: each.values for card, each in readings.items() if each is not None}

    start = Start(python.path)
    if isinstance(session.backend, FarStream):
        start = session.backend.machine.lab_start(start)
    return WorkerBench(start, lambda _devices: routes, busy, under_load)
