"""What a process has started is found, and ends with it."""

import os
import subprocess
import sys

from gpuexplorer.core.started import descendants


def test_children_and_their_children_are_found_with_the_process_itself() -> None:
    waits = "print(1, flush=True); input()"
    words = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{waits}'])"
    child = subprocess.Popen(
        [sys.executable, "-c", words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()  # printed by the grandchild
    found = descendants(os.getpid())
    assert found[0] == os.getpid()
    assert child.pid in found
    assert len(descendants(child.pid)) == 2
    child.communicate(b"\n")
