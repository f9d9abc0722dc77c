"""A window in this very process, for what cannot be seen from outside; how it is reported."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer

from bench.child import run
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.gui.event_loop import Sweeping
from gpuexplorer.gui.start import create_application
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.sources import first_that_answers

_SIZE = (1600, 1000)


@contextmanager
def stage(
    spec: str | None, faults: str = "", screen: str = "overview", **more: object
) -> Iterator[App]:
    """The program on simulated cards, or on those of NVML, with its window shown. `more`: what
    else it is told.
    """
    arguments = argparse.Namespace(
        or_simulate=False,
        open=None,
        simulate=spec,
        fault=faults,
        seed=0,
        view=screen,
        theme="dark",
        size=_SIZE,
        screenshot=None,
        **more,
    )
    app = App(arguments, first_that_answers if spec is None else _nobody)
    app.window.show()
    Sweeping(app.window)
    try:
        yield app
    finally:
        app.window.close()
        app.stop()
        app.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def let_run(seconds: float) -> None:
    """The event loop, for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def measured(subject: str, checkout: Path | None = None) -> list[Figure]:
    """The figures of a module of this folder, taken in a process of its own."""
    older = checkout is not None and (checkout / "bench" / "turns.py").exists()
    words = [f"bench.{subject}"] if older else ["bench.stage", subject]
    offscreen = {"QT_QPA_PLATFORM": "offscreen"}
    told = run([sys.executable, "-m", *words], offscreen, checkout).told
    return [Figure(**row) for row in json.loads(told)]


class Turns(QObject):
    """Processor time, so that what others do on this machine does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._before = 0.0
        self._timer = QTimer(self, interval=1)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self.longest = 0.0
        self._before = time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._on_timeout()
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._before)
        self._before = now


def _nobody() -> tuple[Backend | None, list[Attempt]]:
    return None, []


if __name__ == "__main__":
    # Kept until the end, so that the windows go before it.
    application = create_application(["bench"])
    figures = import_module(f"bench.{sys.argv[1]}").figures()
    json.dump([asdict(row) for row in figures], sys.stdout)
    application.quit()
