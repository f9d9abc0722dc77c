"""What Linux has and other systems lack: played away here, so that nothing leans on it unseen.

This is no replacement for those systems: it finds what is missing at import and at the start of
a command, not what behaves in another way.
"""

import contextlib
import ctypes
import errno
import io
import os
import subprocess
import sys
import types
from pathlib import Path

import pynvml
import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.terminal import draws_in_place
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Began
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.worker.streams import Pipe, WindowGone

ROOT = Path(__file__).resolve().parents[1]
# Runs before anything of ours. The libraries we stand on are imported first: they are made for
# the system that is really there.
ELSEWHERE = """
import argparse, asyncio, csv, ctypes, http.client, importlib.metadata, inspect, json, logging
import mmap, multiprocessing, os, pkgutil, platform, queue, random, runpy, shutil, signal
import socket, subprocess, sys, tempfile, threading, time, types, unittest, uuid
import platformdirs, prometheus_client, psutil, pynvml

subprocess.os = types.SimpleNamespace(**vars(os))

target = sys.argv[1]
gone = {
    "win32": {
        os: "fork geteuid getegid getgid getgroups getloadavg getpgid getuid killpg mkfifo "
        "nice openpty pidfd_open sched_getaffinity setpgid setsid statvfs sysconf uname wait4 "
        "O_CLOEXEC O_NONBLOCK WNOHANG",
        signal: "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGSTOP SIGUSR1 SIGUSR2 "
        "pidfd_send_signal pthread_sigmask setitimer",
        socket: "AF_UNIX",
        time: "CLOCK_BOOTTIME",
    },
    "darwin": {
        os: "pidfd_open sched_getaffinity sched_setaffinity",
        signal: "pidfd_send_signal",
        time: "CLOCK_BOOTTIME",
    },
}
for module, names in gone[target].items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
if target == "win32":
    for name in "fcntl grp pty pwd resource syslog termios tty".split():
        sys.modules[name] = None

ours = os.path.join(os.getcwd(), "gpuexplorer", "")


def no_such_file(event, words):
    # psutil reads them for us, and has others elsewhere.
    if event not in ("open", "os.listdir", "os.scandir") or not isinstance(words[0], str):
        return
    if words[0].startswith(("/proc/", "/sys/", "/dev/nv", "/etc/group", "/etc/os-release")):
        frame = sys._getframe(1)
        while frame is not None:
            if "/psutil/" in frame.f_code.co_filename:
                return
            if frame.f_code.co_filename.startswith(ours):
                raise FileNotFoundError(2, "No such file or directory", words[0])
            frame = frame.f_back


sys.addaudithook(no_such_file)
sys.platform = target
"""
IMPORT_ALL = """
import importlib
import types

import gpuexplorer

# To walk into a package is to import it, and the window's imports Qt.
sys.modules["gpuexplorer.gui"] = types.ModuleType("gpuexplorer.gui")
left_out = tuple("gpuexplorer." + name for name in ("gui", "app", "__main__"))
needs_torch = ("gpuexplorer.worker.engines",)
names = "completing exchange looking loop magics shelf"
needs_torch += tuple("gpuexplorer.worker." + name for name in names.split())
for module in pkgutil.walk_packages(gpuexplorer.__path__, "gpuexplorer."):
    if not module.name.startswith((*left_out, *needs_torch)):
        importlib.import_module(module.name)
        print(module.name)
"""
COMMANDS = """
from gpuexplorer.__main__ import main

for line in sys.argv[2:]:
    print("$", line)
    try:
        print("status", main(line.split()))
    except SystemExit as end:
        print("status", end.code)
"""


def elsewhere(target: str, code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE + code, target, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("target", ["win32", "darwin"])
def test_all_modules_below_the_window_can_be_imported(target: str) -> None:
    done = elsewhere(target, IMPORT_ALL)
    assert done.stderr == ""
    assert {"gpuexplorer.telemetry.process_book", "gpuexplorer.worker.streams"} <= set(
        done.stdout.split()
    )


@pytest.mark.parametrize("target", ["win32", "darwin"])
def test_every_command_works(target: str) -> None:
    expected = {
        "--version": "0.",
        "snapshot --simulate 2xTitanRTX": "TITAN RTX",
        "snapshot": "NVIDIA",
        "topology --simulate 4xH100+nvlink": "NV18",
        "doctor": "Driver",
        "copies --simulate 2xTitanRTX --json": '"complete": true',
    }
    done = elsewhere(target, COMMANDS, *expected)
    assert "Traceback" not in done.stderr
    answers = done.stdout.split("$ ")[1:]
    assert len(answers) == len(expected)
    for answer, (words, said) in zip(answers, expected.items(), strict=True):
        assert answer.startswith(f"{words}\n")
        assert said in answer
        assert answer.splitlines()[-1] in {"status 0", "status 1"}


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("win32", "The NVIDIA driver's library (nvml.dll) is not installed."),
        ("darwin", "macOS has no driver for NVIDIA cards, so none can answer here."),
    ],
)
def test_a_missing_driver_is_told_in_the_words_of_the_system(
    monkeypatch: pytest.MonkeyPatch, target: str, sentence: str
) -> None:
    def nothing_there(_: int) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInitWithFlags", nothing_there)
    monkeypatch.setattr(sys, "platform", target)
    with pytest.raises(Trouble) as told:
        library.connect()
    assert told.value.sentence == sentence


class LeftReader(io.StringIO):
    """A pipe on Windows that nobody reads any more."""

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)

    def write(self, text: str) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_reader_that_has_seen_enough_is_no_failure_on_windows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "stdout", LeftReader())
    assert main(["snapshot", "--simulate", "2xTitanRTX", "--json"]) == 0
    assert capsys.readouterr().err == ""


def test_a_worker_whose_window_is_gone_hears_it_on_windows_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The loop ends on WindowGone, and on no other."""
    monkeypatch.setattr(sys, "platform", "win32")
    for name in ("dup", "dup2", "open", "close", "fdopen"):
        monkeypatch.setattr(os, name, lambda *_, **__: 0)
    monkeypatch.delattr(os, "register_at_fork", raising=False)
    pipe = Pipe(contextlib.nullcontext())

    def nobody_reads(*_: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "write", nobody_reads)
    with pytest.raises(WindowGone):
        pipe.say(Began(1))


class Kernel:
    """A function of Windows: what mode a console is to be in."""

    def __init__(self, *, learns: bool) -> None:
        self._learns = learns
        self.mode = 3

    def SetConsoleMode(self, handle: ctypes.c_void_p, mode: int) -> int:  # noqa: N802
        if self._learns:
            self.mode = mode
        return int(self._learns)


class Console(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


@pytest.mark.parametrize(("console", "mode"), [(True, 7), (False, 3)])
def test_a_console_is_told_to_understand_escapes_and_anything_else_not_drawn_on(
    monkeypatch: pytest.MonkeyPatch, console: bool, mode: int
) -> None:
    kernel, handles = Kernel(learns=console), types.SimpleNamespace(get_osfhandle=int)
    monkeypatch.setitem(sys.modules, "msvcrt", handles)
    windows = types.SimpleNamespace(kernel32=kernel)
    monkeypatch.setattr(ctypes, "windll", windows, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert draws_in_place(Console()) is console
    assert kernel.mode == mode
    assert not draws_in_place(io.StringIO())


def test_what_goes_wrong_before_there_is_a_window_is_said_in_a_box(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows gives a program that is opened by a click no place to write to."""
    said: list[tuple[str, str]] = []
    box = types.SimpleNamespace(
        MessageBoxW=lambda _, text, title, kind: said.append((title, text))
    )
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(user32=box), raising=False)
    monkeypatch.setattr(sys, "__stderr__", None)
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["--fault", "lost:1@20s"]) == 2
    told = "--fault goes with --simulate.\nAdd --simulate.\n"
    assert said == [("GPU Explorer", told)]
