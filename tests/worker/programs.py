"""Programs of a person's, under plain Python and watched, to be compared."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.lab.events import Failed, Finished, Printed, Watched
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Answer
from tests.lab.processes import PATIENCE, Worker

NAME = "train.py"


@dataclass
class Life:
    """What somebody sees of it from outside."""

    out: str
    err: str
    status: int | None


@dataclass
class WatchedLife(Life):
    outcome: Finished | Failed
    notes: list[str]
    seen: list[Watched]
    why: str

    @property
    def life(self) -> Life:
        return Life(self.out, self.err, self.status)


def plain(code: str, *arguments: str, folder: Path, typed: Sequence[str] = ()) -> Life:
    (folder / NAME).write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, NAME, *arguments],
        cwd=folder,
        env=dict(os.environ),  # C may have added to it
        input="".join(f"{each}\n" for each in typed),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    return Life(done.stdout, done.stderr, done.returncode)


def watched(
    code: str,
    *arguments: str,
    folder: Path,
    typed: Sequence[str] = (),
    cards: Sequence[dict[str, object]] = (),
) -> WatchedLife:
    (folder / NAME).write_text(code, "utf-8")
    program = Program(Path(NAME), arguments)
    worker = Worker(Start(program=program, folder=folder, cards=cards, sampled=True))
    for each in typed:
        worker.process.send(Answer(1, each))
    why = worker.listener.end
    outcome = worker.listener.events[-1]
    assert isinstance(outcome, (Finished, Failed)), outcome
    return WatchedLife(
        worker.printed(1),
        worker.printed(1, "err"),
        worker.process.status,
        outcome,
        [each.text for each in worker.said(Printed, 1) if each.stream == "note"],
        worker.said(Watched, 1),
        why,
    )
