"""Desk: what every screen works with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow

if TYPE_CHECKING:
    from gpuexplorer.gui.state.lessons import LessonsState


@dataclass(frozen=True, slots=True)
class Desk:
    """One for each session that is shown; what belongs to the window is the same in all."""

    machine: MachineState  # the session, and what is read of it
    time_window: TimeWindow  # which stretch of time is seen, and the crosshair in it
    navigation: Navigation  # which screen and card are open, and the way to others
    settings: Settings
    frame_clock: FrameClock  # when to draw
    lab: Lab
    lessons: "Callable[[], LessonsState]"  # made by whoever asks first
    machines: MachinesState  # all machines and recordings that are open
