"""Between the lab's threads and the window: a thread may outlive the window's end of it."""

import gc
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Switches, WorkerSlot
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event, Freed
from tests.gui.lab.conftest import KnownPython, ScriptedWorker

PATIENCE = 10.0


class Outliving(ScriptedWorker):
    """Its thread says something when the slot is given up, and then ends."""

    def __init__(self) -> None:
        super().__init__()
        self.given_up = threading.Event()
        self.thread = threading.Thread()

    def start(
        self,
        switches: Switches,
        python: Path,
        on_event: Callable[[Event], None],
        on_end: Callable[[Message], None],
    ) -> ScriptedWorker:
        def speak() -> None:
            self.given_up.wait(PATIENCE)
            on_event(Freed(1, "X"))
            on_end(Message("The worker ended."))

        self.thread = threading.Thread(target=speak, name="worker reader")
        self.thread.start()
        return self


class Listening(WorkerSlot):
    """What it hears, and in which thread."""

    def begin(self, worker: Outliving) -> None:
        self.heard: list[tuple[object, threading.Thread]] = []
        self._begin_worker(worker.start)

    def _on_said(self, event: object) -> None:
        self.heard.append((event, threading.current_thread()))

    def _on_ended(self, why: Message) -> None:
        self._on_said(why)


@pytest.mark.usefixtures("qapp")
def test_a_thread_that_outlives_the_slot_deletes_nothing_of_qt(machine: MachineState) -> None:
    worker, deleted_in = Outliving(), list[threading.Thread]()
    owner = QObject()
    slot = Listening(machine, KnownPython(machine.settings), owner)
    for each in (owner, slot):
        weakref.finalize(each, lambda: deleted_in.append(threading.current_thread()))
    slot.begin(worker)
    del slot, owner, each
    gc.collect()
    worker.given_up.set()
    worker.thread.join(PATIENCE)
    assert deleted_in == [threading.main_thread()] * 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the Python waits at a named pipe")
def test_a_search_that_outlives_who_asked_deletes_nothing_of_qt(
    machine: MachineState, tmp_path: Path
) -> None:
    gate, python = tmp_path / "gate", tmp_path / "python3"
    os.mkfifo(gate)
    python.write_text(f"#!/bin/sh\nread line < '{gate}'\n")
    python.chmod(0o700)
    deleted_in = list[threading.Thread]()
    pythons = LabPythons(machine.settings)
    weakref.finalize(pythons, lambda: deleted_in.append(threading.current_thread()))
    pythons.choose(python)
    (asking,) = (each for each in threading.enumerate() if each.name == "lab pythons")
    del pythons
    gc.collect()
    gate.write_text("go on")
    asking.join(PATIENCE)
    assert deleted_in == [threading.main_thread()]


def test_what_a_worker_says_comes_in_its_order_in_the_windows_thread(
    qtbot: QtBot, machine: MachineState
) -> None:
    worker = Outliving()
    slot = Listening(machine, KnownPython(machine.settings))
    slot.begin(worker)
    worker.given_up.set()
    qtbot.waitUntil(lambda: len(slot.heard) == 2)
    worker.thread.join(PATIENCE)
    here = threading.main_thread()
    assert slot.heard == [(Freed(1, "X"), here), ("The worker ended.", here)]
    assert slot.worker_pid is None
