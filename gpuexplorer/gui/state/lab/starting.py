"""Starting: the worker that suits a session: on real devices or on its simulated cards, here or
on another machine.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_recording import LabReplay
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.pythons import LabPythons, Nowhere
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.recording.recorded_session import RecordedSession, RecordedStream
from gpuexplorer.remote.machine import There
from gpuexplorer.remote.stream import FarStream, load_of, made_up
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.session import Session

_GROWING = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
_WAITING = {"CUDA_LAUNCH_BLOCKING": "1"}

OnEvent = Callable[[Event], None]
OnEnd = Callable[[Message], None]


def lab_of(machine: MachineState, pythons: LabPythons) -> Lab:
    """For the session that is shown. Starts nothing yet. `pythons`: of this computer; another
    one has its own.
    """
    session = machine.session
    if isinstance(session.backend, FarStream):
        pythons = LabPythons(machine.settings, machine, There(session.backend.machine))
    elif why := session.source.figures_alone:
        pythons = LabPythons(machine.settings, machine, Nowhere(machine.name, why))
    lab = Lab(
        machine,
        pythons,
        starter_of(session),
        load_of(session.backend),
        smi_of(session),
        machine,
        partial(starter_of, session),
        load_of(session.backend, live=True),
        recorded=isinstance(session, RecordedSession),
    )
    if isinstance(session, RecordedSession):
        LabReplay(lab, session.recording, session.playhead)
    return lab


def starter_of(session: Session, program: Program | None = None) -> StartWorker:
    backend = session.backend

    def start(
        switches: Switches, python: Path, on_event: OnEvent, on_end: OnEnd
    ) -> WorkerProcess:
        if isinstance(backend, RecordedStream):
            raise Trouble(RECORDED)
        begun = Start(
            python,
            environment={
                **(_GROWING if switches.growing else {}),
                **(_WAITING if switches.waits else {}),
            },
            # A program is started where its file is: that is what it was written for, mostly.
            folder=None if program is None else program.path.parent,
            program=program,
            sampled=program is not None,
        )
        if isinstance(backend, FarStream):
            begun = backend.machine.lab_start(begun)
        if (model := made_up(backend)) is not None:
            cards, links = simulated_cards(
                model.machine, model.faults, model.elapsed, switches.visible
            )
            begun = replace(begun, cards=cards, links=links)
        elif switches.visible is not None:
            ids = {card.index: str(card.id) for card in session.cards()}
            visible = [ids[index] for index in switches.visible if index in ids]
            begun = replace(begun, visible=visible)
        return WorkerProcess(begun, on_event, on_end)

    return start


def smi_of(session: Session) -> Callable[[str], str | None] | None:
    """What `!nvidia-smi` prints, by its arguments. None where cards are real: they have one."""
    backend = session.backend
    if not isinstance(backend, FarStream | SimulatedBackend):
        return None

    def smi(arguments: str) -> str | None:
        from gpuexplorer.telemetry.nvidia_smi import nvidia_smi  # noqa: PLC0415

        model = made_up(backend)
        if model is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return trouble.told
        return f"{said}\n{tr(MADE_UP)}"

    return smi
