"""VIEWS: what the sidebar offers, in order; and how each of the screens is made."""

from collections.abc import Callable
from dataclasses import dataclass

from gpuexplorer.core.words import mark
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.live_view import LiveView


@dataclass(frozen=True, slots=True)
class Entry:
    """One screen: what it is called, and how it is made when it is first opened."""

    name: str
    title: str
    icon: Icon
    make: Callable[[Desk], LiveView]
    without_cards: bool = False  # whether there is something to do on the computer alone
    several: bool = False  # it is about several machines: the rail leaves it out for one


# Each is brought in when it is first opened: the window does not wait for what nobody looks at.
def _overview(desk: Desk) -> LiveView:
    from gpuexplorer.gui.overview.view import OverviewView  # noqa: PLC0415

    return OverviewView(desk)


def _card(desk: Desk) -> LiveView:
    from gpuexplorer.gui.card.view import CardView  # noqa: PLC0415

    return CardView(desk)


def _processes(desk: Desk) -> LiveView:
    from gpuexplorer.gui.processes.view import ProcessesView  # noqa: PLC0415

    return ProcessesView(desk)


def _topology(desk: Desk) -> LiveView:
    from gpuexplorer.gui.topology.view import TopologyView  # noqa: PLC0415

    return TopologyView(desk)


def _events(desk: Desk) -> LiveView:
    from gpuexplorer.gui.events import EventsView  # noqa: PLC0415

    return EventsView(desk)


def _lab(desk: Desk) -> LiveView:
    from gpuexplorer.gui.lab.view import LabView  # noqa: PLC0415

    return LabView(desk)


def _copies(desk: Desk) -> LiveView:
    from gpuexplorer.gui.copies.view import CopiesView  # noqa: PLC0415

    return CopiesView(desk)


def _lessons(desk: Desk) -> LiveView:
    from gpuexplorer.gui.lessons.view import LessonsView  # noqa: PLC0415

    return LessonsView(desk)


def _machines(desk: Desk) -> LiveView:
    from gpuexplorer.gui.machines.view import MachinesView  # noqa: PLC0415
    from gpuexplorer.gui.state.groups import MachinesSource  # noqa: PLC0415

    return MachinesView(desk, MachinesSource(desk.machines, desk.navigation))


# Brought in when the window stands, so that the screens they are of open at once. What comes
# later needs what comes before, so that each brings in little.
LATER = (
    "gpuexplorer.lab",
    "gpuexplorer.copies",
    "gpuexplorer.gui.state.lab",
    "gpuexplorer.gui.state.copies",
    "gpuexplorer.gui.widgets.controls",
    "gpuexplorer.gui.widgets.sheets",
    "gpuexplorer.gui.widgets.machine",
    "gpuexplorer.gui.card",
    "gpuexplorer.gui.processes",
    "gpuexplorer.gui.topology",
    "gpuexplorer.gui.events",
    "gpuexplorer.gui.nothing_found",
    "gpuexplorer.gui.lab",
    "gpuexplorer.gui.copies",
    "gpuexplorer.gui.lessons",
    "gpuexplorer.gui.machines",
)

VIEWS = (
    Entry("overview", mark("Overview"), Icon.OVERVIEW, _overview),
    # The computer itself opens there.
    Entry("card", mark("Card"), Icon.CARDS, _card, without_cards=True),
    Entry("processes", mark("Processes"), Icon.PROCESSES, _processes),
    Entry("topology", mark("Topology"), Icon.TOPOLOGY, _topology),
    Entry("events", mark("Events"), Icon.EVENTS, _events),
    Entry("lab", mark("Lab"), Icon.LAB, _lab, without_cards=True),
    Entry("copies", mark("Copies"), Icon.COPIES, _copies, without_cards=True),
    Entry("lessons", mark("Lessons"), Icon.LESSONS, _lessons, without_cards=True),
    Entry(
        *("machines", mark("Machines"), Icon.MACHINES, _machines),
        without_cards=True,
        several=True,
    ),
)
