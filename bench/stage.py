"""A window in this very process, for what cannot be seen from outside; how it is reported."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import import_module

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer

from bench.child import OFFSCREEN, run
from bench.table import Figure
from gpuexplorer.app import App, create_application
from gpuexplorer.gui.event_loop import Sweeping
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.sources import first_that_answers


@contextmanager
def stage(
    spec: str | None, faults: str = "", screen: str = "overview", interval: float = 1.0
) -> Iterator[App]:
    """The program on simulated cards, or on those of NVML, with its window shown."""
    arguments = argparse.Namespace(
        or_simulate=False,
        open=None,
        simulate=spec,
        fault=faults,
        seed=0,
        view=screen,
        theme="dark",
        size=(1600, 1000),
        screenshot=None,
    )
    settings = Settings()
    settings.choose(replace(settings.choices, interval=interval))
    app = App(
        arguments, (lambda: (None, [])) if spec else first_that_answers, settings=settings
    )
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


def measured(subject: str, *words: str) -> list[Figure]:
    """Of a module of this folder what `on_stage` finds, in a process of its own."""
    told = run([sys.executable, "-m", "bench.stage", subject, *words], OFFSCREEN).told
    return [Figure(**row) for row in json.loads(told)]


class LongestTurn(QObject):
    """Of the event loop, in processor time: what others do on this machine does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self._before = time.thread_time()
        self._timer = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def of(self, happening: Callable[[], object]) -> float:
        self.seconds, self._before = 0.0, time.thread_time()
        self._timer.start()
        happening()
        self._on_timeout()
        self._timer.stop()
        return self.seconds

    def _on_timeout(self) -> None:
        now = time.thread_time()
        self.seconds, self._before = max(self.seconds, now - self._before), now


if __name__ == "__main__":
    # Kept until the end, so that the windows go before it.
    application = create_application(["bench"])
    figures = import_module(f"bench.{sys.argv[1]}").on_stage(*sys.argv[2:])
    json.dump([asdict(row) for row in figures], sys.stdout)
    application.quit()
