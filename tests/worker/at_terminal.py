"""Runs a program as the command does, at the terminal that is its standard input.

    python -m tests.worker.at_terminal RESULT FILE

The result is the status with which the program ended, and what was said of it.
"""

import fcntl
import json
import sys
import termios
import threading
from pathlib import Path

from gpuexplorer.lab.events import Event
from gpuexplorer.lab.offspring import HandingOn
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.worker_process import WorkerProcess


def main() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    said: list[Event] = []
    over = threading.Event()
    start = Start(program=Program(Path(sys.argv[2]), own_streams=True))
    with HandingOn() as handing:
        process = WorkerProcess(start, said.append, lambda _why: over.set())
        handing.to(process.hand_on)
        over.wait()
    result = {"status": process.status, "said": [type(each).__name__ for each in said]}
    Path(sys.argv[1]).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
