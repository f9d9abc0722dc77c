"""A link: its mark is found in any noise, its lines come in order, and its end is told once."""

import sys
import time

import pytest

from tests.remote.listening import ECHOING, MARK, Listener, python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
_FIRST, _SECOND = (part.decode() for part in (MARK[:7], MARK[7:]))


@pytest.mark.parametrize(
    "noise",
    [
        "import sys\nfor _ in range(1600): sys.stdout.write('x' * 65536)\n",  # a long banner
        "import sys\nsys.stderr.write('y' * 50_000_000)\n",
        (
            f"import sys, time; print('{_FIRST}', end='', flush=True); time.sleep(0.3)\n"
            f"print('{_SECOND} and more\\nyou said hel', end='', flush=True); time.sleep(0.1)\n"
            "print('lo'); sys.stdin.read()\n"
        ),  # a mark in pieces
    ],
)
def test_whatever_a_shell_prints_before_the_mark_is_skipped(noise: str) -> None:
    listener = Listener()
    link = listener.link(python(noise + ECHOING))
    link.send(b"hello\n")
    listener.wait(lambda: listener.lines == [b"you said hello"])
    link.stop()


@pytest.mark.parametrize(
    "deaf",
    [
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        "sleep 1000 & sleep 1000",
        "trap '' TERM HUP; sleep 1000 & exec cat /dev/zero",
    ],
)
def test_stopping_takes_a_second_whatever_runs(deaf: str) -> None:
    listener = Listener()
    link = listener.link(["sh", "-c", deaf], b"x" * (1 << 20))
    began = time.monotonic()
    link.stop()
    assert time.monotonic() - began < 5  # on a busy computer
    link.stop()
    assert not listener.ends
