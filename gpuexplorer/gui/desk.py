"""Desk: what every screen works with. VIEWS: the screens there are, as the rail lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuexplorer.core.words import mark
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon

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


@dataclass(frozen=True, slots=True)
class Entry:
    """One screen: `NameView` in the package of its name."""

    name: str
    title: str
    icon: Icon
    also: str  # other words by which somebody searches for it
    several: bool = False  # it is about several machines: the rail leaves it out for one


VIEWS = (
    Entry("overview", mark("Overview"), Icon.OVERVIEW, mark("dashboard, home, how busy")),
    Entry(
        "card", mark("Card"), Icon.CARDS, mark("why is it slow, throttled, hot, power limit")
    ),
    Entry("processes", mark("Processes"), Icon.PROCESSES, mark("kill, end, stop, PID, users")),
    Entry("topology", mark("Topology"), Icon.TOPOLOGY, mark("wiring, NVLink, PCIe, NUMA")),
    Entry(
        "events", mark("Events"), Icon.EVENTS, mark("what happened, errors, Xid, log, history")
    ),
    Entry("lab", mark("Lab"), Icon.LAB, mark("Python, PyTorch, tensors, notebook, script")),
    Entry(
        "copies", mark("Copies"), Icon.COPIES, mark("bandwidth, how fast, benchmark, datasheet")
    ),
    Entry("lessons", mark("Lessons"), Icon.LESSONS, mark("learn, tutorial, course, teach")),
    Entry(
        "machines", mark("Machines"), Icon.MACHINES, mark("servers, cluster, ssh"), several=True
    ),
)
PLOTS = ("overview", "card", "lab")  # they show the stretch of time that is chosen
# There is something to do on the computer alone, which itself opens as a card.
WITHOUT_CARDS = ("card", "lab", "copies", "lessons", "machines")
