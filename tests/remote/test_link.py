"""A link: its mark is found in any noise, its lines come in order, and its end is told once."""

import sys
import time

import pytest

from tests.remote.listening import ECHOING, MARK, PATIENCE, Listener, python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
_MARKED = f"print(); print('{MARK.decode()}', flush=True)\n"
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
    ("command", "patience", "why", "again"),
    [
        # A shell that echoes what it is sent is no answer.
        (["cat"], 0.5, "here took the login, but its login shell started nothing", False),
        (
            ["sh", "-c", "printf 'Which role? '; exec sleep 1000"],
            0.5,
            (
                "here took the login, but its login shell started nothing within 0 s. It"
                " printed: Which role?"
            ),
            False,
        ),
        (["sleep", "1000"], 1.0, "here did not answer within 1 s.", True),
        (
            python(_MARKED + "import sys; sys.exit('out of luck')"),
            PATIENCE,
            "Our part on here ended with status 1: out of luck.",
            True,
        ),
        (
            python(_MARKED + "import sys\nwhile True: sys.stdout.write('x' * 65536)"),
            PATIENCE,
            "here sent a line without an end.",
            False,
        ),
        # What the process leaves behind keeps no link.
        (
            ["sh", "-c", f"echo {MARK.decode()}; (trap '' HUP; exec sleep 1000) & exit 3"],
            PATIENCE,
            "Our part on here ended with status 3",
            True,
        ),
    ],
)
def test_its_end_is_told_with_the_reason(
    command: list[str], patience: float, why: str, *, again: bool
) -> None:
    listener = Listener()
    link = listener.link(command, patience=patience)
    assert listener.end().why.startswith(why)
    assert listener.end().again is again
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
