"""A watched program lives as it would under `python FILE`: each life is held beside that."""

from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.worker.programs import plain, watched

pytestmark = needs_torch

LIVES = {
    "names": """
import sys, os, threading
print(sys.argv, sys.path, __name__, __file__, __spec__, sorted(globals()))
print(sys.modules["__main__"].__dict__ is globals(), sys.flags, sys.getrecursionlimit())
print(sorted(os.environ.items()), os.getcwd())
print([each.name for each in threading.enumerate()], threading.active_count())
print(sys.excepthook is sys.__excepthook__)
""",
    "traceback": """
import traceback

def inner(value):
    traceback.print_stack()
    return 1 / value

def outer():
    try:
        inner(0)
    except ZeroDivisionError as error:
        raise ValueError("outer") from error

outer()
""",
    "error in a group": "raise ExceptionGroup('two', [ValueError(1), KeyError(2)])",
    "own excepthook": """
import sys

def hook(kind, error, trace):
    print("hooked", kind.__name__, error, trace.tb_frame.f_code.co_name, trace.tb_next)

sys.excepthook = hook
raise ValueError("mine")
""",
    "syntax error": "print('before')\nfor x in\n",
    "exit 3": "import sys\nsys.exit(3)\n",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "interrupted": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n",
    "threads": """
import atexit, threading, time
atexit.register(print, "atexit")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
print("main")
""",
    "fork": """
import atexit, os, sys
atexit.register(lambda: print("atexit", os.getpid() == parent, flush=True))
parent = os.getpid()
child = os.fork()
if child == 0:
    print("child", flush=True)
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "multiprocessing by spawn": """
import multiprocessing

def double(x):
    return 2 * x, __name__

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, range(2)))
""",
    "another program": """
import subprocess, sys, os
print(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True))
print(os.system("exit 3"))
""",
    "chdir": """
import os, sys
os.makedirs("below", exist_ok=True)
open("data.txt", "w").write("data")
print(open("data.txt").read())
os.chdir("below")
print(os.path.exists("data.txt"), os.path.basename(os.getcwd()), __file__)
1 / 0
""",
    "debugger": "x = 1\nbreakpoint()\ny = 2\n",
    "input": "name = input('Who? ')\nprint('Hello', name)\n",
}
SMOKES = ("names", "traceback", "own excepthook", "exit 3", "threads", "fork", "input")
TYPED = {"debugger": ("p x", "c"), "input": ("me",)}


@pytest.fixture(autouse=True)
def unbuffered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python writes late into a pipe, and at each line into a window."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")


@pytest.mark.parametrize(
    "life",
    [each if each in SMOKES else pytest.param(each, marks=pytest.mark.long) for each in LIVES],
)
def test_a_program_lives_as_under_python_itself(life: str, tmp_path: Path) -> None:
    code, typed = LIVES[life], TYPED.get(life, ())
    expected = plain(code, "--epochs", "3", folder=tmp_path, typed=typed)
    seen = watched(code, "--epochs", "3", folder=tmp_path, typed=typed)
    assert seen.life == expected
    assert not seen.notes
