"""For every test: settings of its own, and nothing of it still running afterwards."""

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path

import pytest

_PATIENCE = 2.0

# Several processes of tests share the processor's cores, and PyTorch's threads would spin while
# they wait for each other. Workers are started with the same surroundings.
os.environ["OMP_NUM_THREADS"] = "1"
# What a script starts in the background ignores Ctrl+C and Ctrl+\, and so would all that tests
# start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGQUIT"):
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
# A program that a test starts is compiled once, and not at every start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """On a machine without Qt, nobody else knows the settings of pytest-qt."""
    if not pluginmanager.hasplugin("pytest-qt"):
        for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):
            parser.addini(name, "a setting of pytest-qt, which is not here")


def pytest_configure(config: pytest.Config) -> None:
    """A busy computer takes its time: what is waited for comes, or does not come at all."""
    if config.pluginmanager.hasplugin("pytest-qt"):
        from pytestqt.qtbot import QtBot

        QtBot.waitUntil = partialmethod(  # type: ignore[assignment]  # it is one: 30 s, not 5
            QtBot.waitUntil, timeout=30_000
        )


def pytest_collection_finish() -> None:
    """All tests stay to the end: no search for what is no longer needed has to look at them.

    And Python begins none by itself: it would in any thread, such as that of a worker's reader,
    and what is Qt's must not end in another than the window's.
    """
    gc.collect()
    gc.freeze()
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """What a test leaves behind goes here, in the window's thread."""
    yield
    gc.collect(1)


@pytest.fixture(autouse=True, scope="module")
def all_swept() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """What a test remembers is forgotten with it, and it never sees what a person chose."""
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "settings"))
    # Of this computer, and of the terminal in which pytest was started.
    for variable in ("PYENV_ROOT", "WORKON_HOME", "UV_PYTHON_INSTALL_DIR", "COLUMNS", "LINES"):
        monkeypatch.delenv(variable, raising=False)
    if "gpu" not in request.keywords:  # with real cards it says which of them are meant
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """Fails the test that leaves a thread or an open window behind."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + _PATIENCE
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(max(0.0, until - time.monotonic()))
    assert not [thread.name for thread in left if thread.is_alive()]
    assert not _open_windows()


def _open_windows() -> list[str]:
    # Tests without a window must not load Qt for this.
    if "PySide6.QtWidgets" not in sys.modules:
        return []
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is None:
        return []
    return [str(widget) for widget in QApplication.topLevelWidgets() if widget.isVisible()]
