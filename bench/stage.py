"""A window in this very process, for what cannot be seen from outside; how it is reported."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer

from bench.child import run
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.gui.start import create_application
from gpuexplorer.gui.sweeping import Sweeping
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.session import Attempt
from gpuexplorer.telemetry.sources import first_that_answers

_SIZE = (1600, 1000)


@contextmanager
def stage(spec: str | None, faults: str = "", screen: str = "overview") -> Iterator[App]:
    """The program on simulated cards, or on those of NVML, with its window shown."""
    arguments = argparse.Namespace(
        or_simulate=False,
        simulate=spec,
        fault=faults,
        seed=0,
        view=screen,
        theme="dark",
        size=_SIZE,
        screenshot=None,
    )
    app = App(arguments, first_that_answers if spec is None else _nobody)
    app.window.show()
    sweeping = Sweeping(app.window)
    sweeping.start()
    try:
        yield app
    finally:
        sweeping.stop()
        app.window.close()
        app.stop()
        app.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def let_run(seconds: float) -> None:
    """The event loop, for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def in_a_process_of_its_own(
    module: str, *words: str, checkout: Path | None = None
) -> list[Figure]:
    """What `report` says there."""
    offscreen = {"QT_QPA_PLATFORM": "offscreen"}
    told = run([sys.executable, "-m", module, *words], offscreen, checkout).told
    return [Figure(**row) for row in json.loads(told)]


def report(measure: Callable[[], Sequence[Figure]]) -> None:
    """For a module's own `__main__`."""
    # Kept until the end, so that the windows go before it.
    application = create_application(["bench"])
    json.dump([asdict(row) for row in measure()], sys.stdout)
    application.quit()


def _nobody() -> tuple[Backend | None, list[Attempt]]:
    return None, []
