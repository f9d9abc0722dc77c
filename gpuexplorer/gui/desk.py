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
    plots: bool = False  # it shows the stretch of time that is chosen
    without_cards: bool = False  # there is something to do on the computer alone
    several: bool = False  # it is about several machines: the rail leaves it out for one


VIEWS = (
    Entry(
        *("overview", mark("Overview"), Icon.OVERVIEW),
        mark("all cards, dashboard, home, utilisation, how busy"),
        plots=True,
    ),
    Entry(
        *("card", mark("Card"), Icon.CARDS),
        mark("why is it slow, throttled, hot, power limit, temperature, clock, fan, details"),
        plots=True,
        without_cards=True,  # the computer itself opens there
    ),
    Entry(
        *("processes", mark("Processes"), Icon.PROCESSES),
        mark("kill, end, stop, terminate a program, who uses the memory, PID"),
    ),
    Entry(
        *("topology", mark("Topology"), Icon.TOPOLOGY),
        mark("how cards are wired, NVLink, PCIe, links, NUMA"),
    ),
    Entry(
        *("events", mark("Events"), Icon.EVENTS),
        mark("what happened, errors, Xid, log, history, crashed"),
    ),
    Entry(
        *("lab", mark("Lab"), Icon.LAB),
        mark("Python, PyTorch, tensors, notebook, out of memory, run a script"),
        plots=True,
        without_cards=True,
    ),
    Entry(
        *("copies", mark("Copies"), Icon.COPIES),
        mark("bandwidth, transfers, how fast, benchmark, datasheet"),
        without_cards=True,
    ),
    Entry(
        *("lessons", mark("Lessons"), Icon.LESSONS),
        mark("learn, tutorial, course, teach"),
        without_cards=True,
    ),
    Entry(
        *("machines", mark("Machines"), Icon.MACHINES),
        mark("computers, servers, hosts, cluster, fleet, ssh"),
        without_cards=True,
        several=True,
    ),
)
