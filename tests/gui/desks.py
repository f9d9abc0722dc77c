"""What a screen needs that a test shows by itself."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lessons import LessonsState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.session import Session


def desk_of(
    session: Session,
    window: QWidget,
    *,
    settings: Settings | None = None,
    time_window: TimeWindow | None = None,
    lab: Lab | None = None,
    machines: MachinesState | None = None,
) -> Desk:
    """All of it is gone with the window, but for what was handed in."""
    settings = settings or Settings(parent=window)
    machine = lab.machine if lab else MachineState(session, settings, window)
    its_lab = lab or lab_of(machine, LabPythons(settings, window))
    return Desk(
        machine,
        time_window or TimeWindow(parent=window),
        Navigation(window),
        settings,
        FrameClock(window, 0.05),
        its_lab,
        lambda: LessonsState(settings, its_lab, window),
        machines or MachinesState(settings, session, parent=window),
    )
