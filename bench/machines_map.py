"""What all machines together cost: a beat of them, and drawing the map."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from PySide6.QtCore import QElapsedTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from bench.table import Figure
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.machines.view import MachinesPage, MachinesView
from gpuexplorer.gui.start import create_application
from gpuexplorer.gui.state.groups import HostGroup
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.desks import desk_of
from tests.gui.machines.rooms import Room, room

_TIMES = 15
_BEAT, _FRAME = 50.0, 16.7  # milliseconds


def figures() -> list[Figure]:
    """In a window of 1600x1000 that is not seen."""
    application = QApplication.instance() or create_application(["bench"])
    assert isinstance(application, QApplication)
    found: list[Figure] = []
    for machines, racks in ((30, 0), (1000, 50)):
        for page in MachinesPage:
            found += _of_page(machines, racks, page)
    return found


def _of_page(machines: int, racks: int, page: MachinesPage) -> Sequence[Figure]:
    settings = Settings()
    source = Room(room(machines, racks=racks))
    window = QWidget()
    desk = desk_of(remembering(session_on(NoCards())), window, settings=settings)
    view = MachinesView(desk, source)
    column(view, within=window)
    window.setStyleSheet(look().style_sheet())
    window.resize(1392, 900)
    view.show_page(page)
    window.show()
    picture = QPixmap(window.size())
    what = f"{machines} machines x 8 cards, {page}"
    beats = []
    for at in range(_TIMES):
        source.listed = [_another(group, at) for group in source.listed]
        beats.append(_milliseconds(view.pull))
    drawn = [_milliseconds(lambda: view.render(picture)) for _ in range(_TIMES)]
    window.close()
    return [
        _figure(f"{what}: taking in a beat", beats, _BEAT),
        _figure(f"{what}: drawing all of it", drawn, _FRAME),
    ]


def _another(group: HostGroup, at: int) -> HostGroup:
    """Every card says something else than before."""
    share = (at % 10) / 10
    cards = [
        cell._replace(values={**cell.values, GPU_UTILIZATION: share}) for cell in group.cards
    ]
    return replace(group, cards=tuple(cards))


def _milliseconds(run: Callable[[], object]) -> float:
    timer = QElapsedTimer()
    timer.start()
    run()
    return timer.nsecsElapsed() / 1e6


def _figure(what: str, taken: Sequence[float], goal: float) -> Figure:
    value = median(taken)
    words = f"{value:.1f} ms, {max(taken):.1f} at most"
    return Figure(what, words, f"under {goal:.1f} ms", value < goal)
