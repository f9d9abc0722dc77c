"""What is left after every screen was opened and closed 200 times."""

import gc
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from bench.stage import let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.gui.desk import VIEWS, Desk, Entry
from gpuexplorer.gui.measuring.diagnostics import resident_bytes
from gpuexplorer.gui.screens import made
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lessons import LessonsState
from gpuexplorer.gui.state.machine import MachineState

_WARM, _TIMES = 20, 200
_HANDLES = Path("/proc/self/fd")


def figures() -> Sequence[Figure]:
    rows: list[Figure] = []
    with stage("8xH100+nvlink") as app:
        let_run(2)
        assert app.session is not None
        window = app.window
        machine = MachineState(app.session, window.settings, window)
        lab = lab_of(machine, LabPythons(window.settings, window))
        lessons = LessonsState(window.settings, lab, window)
        desk = Desk(
            machine,
            window.time_window,
            window.navigation,
            window.settings,
            window.frame_clock,
            lab,
            lambda: lessons,
            window.machines.state,
        )
        for entry in VIEWS:
            rows += _screen(app, desk, entry)
    return rows


def _screen(app: App, desk: Desk, entry: Entry) -> Sequence[Figure]:
    _open_and_close(app, desk, entry, _WARM)
    before, memory, nothing = _there(app), resident_bytes(), sys.getrefcount(None)
    _open_and_close(app, desk, entry, _TIMES)
    after = _there(app)
    grown = {what: after[what] - before[what] for what in after}
    # What Qt makes once may come late; one for each opening is a leak.
    left = {what: more for what, more in grown.items() if more >= _TIMES // 4}
    fell = sys.getrefcount(None) - nothing
    megabytes = (resident_bytes() - memory) / 1e6
    name = f"“{entry.name}” opened and closed {_TIMES} times"
    return [
        Figure(
            f"{name}: objects, timers, threads, handles left",
            ", ".join(f"{more} {what}" for what, more in left.items()) or "none",
            "none",
            not left,
        ),
        Figure(
            f"{name}: references to None", f"{fell:+d}", "does not fall", fell > -_TIMES // 4
        ),
        Figure(f"{name}: memory", f"{megabytes:+.1f} MB"),
    ]


def _open_and_close(app: App, desk: Desk, entry: Entry, times: int) -> None:
    for number in range(times):
        view = made(entry.name, desk)
        view.setParent(app.window)
        view.resize(1300, 900)
        view.show()
        view.grab()
        view.stop()
        view.hide()
        view.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        if number % 10 == 0:
            let_run(0.01)


def _there(app: App) -> Counter[str]:
    gc.collect()
    inside = app.window.findChildren(QObject)
    found = Counter(type(each).__name__ for each in inside)
    # By the type: to ask some of PyTorch's objects what they are is deprecated.
    known = [each for each in gc.get_objects() if issubclass(type(each), QObject)]
    found["objects known to Python"] = sum(map(shiboken6.isValid, known))
    found["running timers"] = sum(each.isActive() for each in app.window.findChildren(QTimer))
    found["windows"] = len(QApplication.topLevelWidgets())
    found["threads"] = threading.active_count()
    if _HANDLES.is_dir():
        found["handles"] = sum(1 for _ in _HANDLES.iterdir())
    return found
