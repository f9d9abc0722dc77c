"""Programs of a person's, under plain Python and watched, to be compared."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuexplorer.lab.events import Failed, Finished, Printed, Watched
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Answer
from tests.lab.processes import PATIENCE, Worker


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
    seen: list[Watched] = field(default_factory=list)
    why: str = ""

    @property
    def life(self) -> Life:
        return Life(self.out, self.err, self.status)


def plain(file: str, *arguments: str, folder: Path, typed: Sequence[str] = ()) -> Life:
    done = subprocess.run(
        [sys.executable, file, *arguments],
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
    file: str,
    *arguments: str,
    folder: Path,
    typed: Sequence[str] = (),
    cards: Sequence[dict[str, object]] = (),
) -> WatchedLife:
    worker = begun(file, *arguments, folder=folder, cards=cards)
    for each in typed:
        worker.process.send(Answer(1, each))
    return ended(worker)


def begun(
    file: str, *arguments: str, folder: Path, cards: Sequence[dict[str, object]] = ()
) -> Worker:
    return Worker(
        Start(program=Program(Path(file), arguments), folder=folder, cards=cards, sampled=True)
    )


def ended(worker: Worker) -> WatchedLife:
    why = worker.listener.end
    events = worker.listener.events
    outcome = events[-1]
    assert isinstance(outcome, (Finished, Failed)), outcome
    printed = [each for each in events if isinstance(each, Printed)]
    return WatchedLife(
        "".join(each.text for each in printed if each.stream == "out"),
        "".join(each.text for each in printed if each.stream == "err"),
        worker.process.status,
        outcome,
        [each.text for each in printed if each.stream == "note"],
        [each for each in events if isinstance(each, Watched)],
        why,
    )
