"""VIEWS: what the sidebar offers, in order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.card.card_view import CardView
from gpuexplorer.gui.views.events.events_view import EventsView
from gpuexplorer.gui.views.overview.overview_view import OverviewView
from gpuexplorer.gui.views.processes.processes_view import ProcessesView
from gpuexplorer.gui.views.topology.topology_view import TopologyView
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.rail.rail import ScreenName


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything there is to be handed to a view; each gets what it needs of it."""

    look: Look
    machine: MachineState
    time_window: TimeWindow
    navigation: Navigation
    settings: Settings
    frame_clock: FrameClock
    lab: LabState


@dataclass(frozen=True, slots=True)
class Entry:
    """One screen: what it is called, and how it is made when it is first opened."""

    name: str
    title: str
    icon: Icon
    make: Callable[[Desk], LiveView]
    without_cards: bool = False  # whether there is something to do on the computer alone


def _lab(desk: Desk) -> LiveView:
    """The largest screen, which is not looked at every day: the window does not wait for it."""
    from gpuexplorer.gui.views.lab.lab_view import LabView  # noqa: PLC0415

    return LabView(desk.look, desk.machine, desk.time_window, desk.frame_clock, desk.lab)


def _copies(desk: Desk) -> LiveView:
    """As seldom looked at, and with the measuring behind it."""
    from gpuexplorer.gui.views.copies.copies_view import CopiesView  # noqa: PLC0415

    return CopiesView(desk.look, desk.machine, desk.time_window, desk.frame_clock, desk.lab)


# Brought in when the window stands, so that the screens they are of open at once. What comes
# later needs what comes before, so that each brings in little.
LATER = (
    "gpuexplorer.lab",
    "gpuexplorer.copies",
    "gpuexplorer.gui.wording.lab",
    "gpuexplorer.gui.wording.copies",
    "gpuexplorer.gui.state.copies",
    "gpuexplorer.gui.widgets.controls",
    "gpuexplorer.gui.widgets.sheets",
    "gpuexplorer.gui.widgets.pairs",
    "gpuexplorer.gui.widgets.machine",
    "gpuexplorer.gui.views.lab",
    "gpuexplorer.gui.views.copies",
)

VIEWS = (
    Entry(
        "overview",
        mark("Overview"),
        Icon.OVERVIEW,
        lambda desk: OverviewView(
            desk.look,
            desk.machine,
            desk.time_window,
            desk.navigation,
            desk.settings,
            desk.frame_clock,
            desk.lab.flags,
        ),
    ),
    Entry(
        "card",
        mark("Card"),
        Icon.CARDS,
        lambda desk: CardView(
            desk.look,
            desk.machine,
            desk.time_window,
            desk.navigation,
            desk.settings,
            desk.frame_clock,
            desk.lab.flags,
        ),
        without_cards=True,  # the computer itself opens there
    ),
    Entry(
        "processes",
        mark("Processes"),
        Icon.PROCESSES,
        lambda desk: ProcessesView(
            desk.look,
            desk.machine,
            desk.time_window,
            desk.navigation,
            desk.settings,
            desk.frame_clock,
        ),
    ),
    Entry(
        "topology",
        mark("Topology"),
        Icon.TOPOLOGY,
        lambda desk: TopologyView(
            desk.look, desk.machine, desk.time_window, desk.navigation, desk.frame_clock
        ),
    ),
    Entry(
        "events",
        mark("Events"),
        Icon.EVENTS,
        lambda desk: EventsView(
            desk.look, desk.machine, desk.time_window, desk.navigation, desk.frame_clock
        ),
    ),
    Entry(
        "lab",
        mark("Lab"),
        Icon.LAB,
        _lab,
        without_cards=True,
    ),
    Entry(
        "copies",
        mark("Copies"),
        Icon.COPIES,
        _copies,
        without_cards=True,
    ),
)


def screen_names() -> Sequence[ScreenName]:
    """As the rail shows them, with the key that opens each."""
    return [
        ScreenName(entry.name, tr(entry.title), entry.icon, str(position + 1))
        for position, entry in enumerate(VIEWS)
    ]
