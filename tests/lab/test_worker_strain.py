"""Much at once, and other programs in the worker's place: the window waits for nobody."""

import os
import shlex
import sys
import threading
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Finished, Transferred
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Run
from tests.lab.processes import CARD, PATIENCE, Fake, Worker, ended, needs_torch

pytestmark = pytest.mark.long

SILENT = "import threading; threading.Event().wait()"


@needs_torch
def test_a_loop_that_copies_much_is_told_in_short() -> None:
    worker = Worker(Start(cards=[CARD]))
    try:
        worker.run("import torch\nX = torch.ones(4)")
        run = worker.begin("for i in range(3000): Y = X.cuda().cpu()")
        assert isinstance(worker.listener.outcome(run), Finished)
        copies = [e for e in worker.said(Transferred, run) if isinstance(e, Transferred)]
        assert len(copies) < 300
        assert sum(each.copies for each in copies) == 6000
        assert sum(each.bytes for each in copies) == 6000 * 16
    finally:
        worker.process.stop()


def test_who_does_not_read_keeps_nobody_waiting() -> None:
    worker = Worker(Fake(script=SILENT))

    def send() -> None:
        for number in range(100):
            worker.process.send(Run(number + 1, "X = 1" + " " * 3900))

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(PATIENCE)
    assert not sender.is_alive()
    worker.process.kill()
    assert "SIGKILL" in worker.listener.end
    worker.process.stop()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_what_the_chosen_program_started_ends_with_it(tmp_path: Path) -> None:
    """A script that starts the Python which it stands for, and waits for it."""
    told = tmp_path / "pid"
    script = tmp_path / "python"
    inner = f"import os, pathlib; pathlib.Path({str(told)!r}).write_text(str(os.getpid()))"
    begun = "print('{}', flush=True)"
    python = shlex.quote(sys.executable)
    script.write_text(f'#!/bin/sh\n{python} -c "{inner}; {begun}; {SILENT}"\necho ended\n')
    script.chmod(0o755)
    worker = Worker(Start(python=script))
    assert worker.listener.end.startswith("The worker said something that is no message")
    worker.process.stop()
    assert ended(int(told.read_text()))
