"""Starting: the worker that suits a session: on real devices, or on its simulated cards."""

from collections.abc import Callable
from pathlib import Path

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.state.lab.worker_slot import StartWorker
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.load import Load
from gpuexplorer.lab.simulated_cards import Chosen, simulated_cards
from gpuexplorer.lab.worker_process import Start, WorkerProcess
from gpuexplorer.simulation.faults import FaultKind
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.session import Session

_GROWING = "expandable_segments:True"

OnEvent = Callable[[Event], None]
OnEnd = Callable[[Message], None]


def lab_of(machine: MachineState, pythons: LabPythons) -> LabState:
    """For the session that is shown. Starts nothing yet."""
    session = machine.session
    return LabState(machine, pythons, starter_of(session), load_of(session), machine)


def starter_of(session: Session) -> StartWorker:
    backend = session.backend
    if isinstance(backend, SimulatedBackend):
        return _on_simulated(backend)
    return _on_real(session)


def load_of(session: Session) -> Load | None:
    """Real cards notice by themselves what is done to them."""
    backend = session.backend
    if isinstance(backend, SimulatedBackend):
        return Load(backend.machine, lambda: backend.elapsed)
    return None


def _on_simulated(backend: SimulatedBackend) -> StartWorker:
    machine = backend.machine

    def start(
        switches: Switches, python: Path, on_event: OnEvent, on_end: OnEnd
    ) -> WorkerProcess:
        elapsed = backend.elapsed
        held = {
            index: machine.reading(index, elapsed).memory_used
            + machine.spec.cards[index].model.memory.reserved_bytes
            for index in range(len(machine.spec.cards))
        }
        wrong = [
            (each.card, each.to)
            for each in backend.faults
            if each.kind is FaultKind.WRONG and each.start <= elapsed < each.end
            if each.card is not None and each.to is not None
        ]
        made = simulated_cards(machine.spec, Chosen(switches.visible, held, wrong))
        begun = Start(
            python,
            allocator=_GROWING if switches.growing else "",
            cards=made.cards,
            links=made.links,
        )
        return WorkerProcess(begun, on_event, on_end)

    return start


def _on_real(session: Session) -> StartWorker:
    def start(
        switches: Switches, python: Path, on_event: OnEvent, on_end: OnEnd
    ) -> WorkerProcess:
        visible = None
        if switches.visible is not None:
            ids = {card.index: str(card.id) for card in session.cards()}
            visible = [ids[index] for index in switches.visible if index in ids]
        begun = Start(python, visible=visible, allocator=_GROWING if switches.growing else "")
        return WorkerProcess(begun, on_event, on_end)

    return start
