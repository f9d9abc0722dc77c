"""Runs a program as the command does, at the terminal that is its standard input.

    python -m tests.worker.at_terminal RESULT FILE

The result is the status with which the program ended, and what was said of it.
"""

import fcntl
import json
import sys
import termios
from pathlib import Path

from gpuexplorer.commands.lab_worker import LabCards, LabWorker
from gpuexplorer.commands.source import Opened
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.telemetry.backends.no_cards import NoCards


def main() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    start = Start(program=Program(Path(sys.argv[2]), own_streams=True))
    with LabWorker(start, LabCards(Opened(NoCards())), Ledger()) as worker:
        said = [type(each).__name__ for each in worker.said()]
        result = {"status": worker.status, "said": said}
    Path(sys.argv[1]).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
