"""A link: its mark is found in any noise, its lines come in order, and its end is told once."""

import os
import signal
import sys
import time

import pytest

from tests.remote.listening import ECHOING, MARK, PATIENCE, Listener, python
from tests.remote.waiting import becomes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
_MARKED = f"print(); print('{MARK.decode()}', flush=True)\n"


def test_lines_go_there_and_come_back_in_order() -> None:
    listener = Listener()
    link = listener.link(python(ECHOING))
    for number in range(100):
        link.send(b"%d\n" % number)
    listener.wait(lambda: len(listener.lines) == 100)
    assert listener.lines == [b"you said %d" % number for number in range(100)]
    assert link.course.ready
    link.stop()
    assert not listener.ends


def test_a_banner_of_any_length_is_skipped() -> None:
    listener = Listener()
    noisy = "import sys\nfor _ in range(1600): sys.stdout.write('x' * 65536)\n"
    link = listener.link(python(noisy + ECHOING))
    link.send(b"hello\n")
    listener.wait(lambda: listener.lines == [b"you said hello"])
    link.stop()


def test_a_mark_in_pieces_is_found() -> None:
    half = len(MARK) // 2
    listener = Listener()
    link = listener.link(
        python(
            f"import sys; sys.stdout.write('{MARK[:half].decode()}'); sys.stdout.flush()\n"
            f"import time; time.sleep(0.3)\n"
            f"sys.stdout.write('{MARK[half:].decode()} and more\\nfirst\\nsec')\n"
            "sys.stdout.flush()\n"
            "time.sleep(0.1); print('ond'); sys.stdin.read()"
        )
    )
    listener.wait(lambda: listener.lines == [b"first", b"second"])
    link.stop()


def test_a_shell_that_echoes_what_it_is_sent_is_no_answer() -> None:
    listener = Listener()
    link = listener.link(["cat"], patience=0.5)
    assert listener.end().why.startswith("here took the login, but its login shell started")
    assert not listener.end().again
    assert not link.course.ready


def test_who_never_answers_is_not_waited_for() -> None:
    listener = Listener()
    listener.link(["sleep", "1000"], patience=1.0)
    assert listener.end().why == "here did not answer within 1 s."
    assert listener.end().again


def test_an_end_is_told_with_its_last_words() -> None:
    listener = Listener()
    listener.link(python(_MARKED + "import sys; sys.exit('out of luck')"))
    assert listener.end().why == "Our part on here ended with status 1: out of luck."


def test_who_reads_nothing_of_a_long_preamble_is_still_heard() -> None:
    listener = Listener()
    link = listener.link(
        ["sh", "-c", "echo 'python3: not found' >&2; exit 127"], b"x" * (4 << 20)
    )
    assert listener.end().why == "here cannot start Python: python3: not found."
    link.stop()


def test_an_endless_line_ends_the_link() -> None:
    listener = Listener()
    listener.link(python(_MARKED + "import sys\nwhile True: sys.stdout.write('x' * 65536)"))
    assert listener.end().why == "here sent a line without an end."
    assert not listener.end().again


class Slow(Listener):
    """Works on each line."""

    def on_line(self, line: bytes) -> None:
        began = time.thread_time()
        while time.thread_time() < began + 0.005:
            """Works."""
        super().on_line(line)


def test_a_flood_of_complaints_is_read_and_forgotten() -> None:
    listener = Listener()
    flood = "import sys, threading\nsys.stderr.write('y' * 50_000_000)\n"
    link = listener.link(python(flood + ECHOING))
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


def test_what_the_process_leaves_behind_keeps_no_link() -> None:
    listener = Listener()
    listener.link(
        ["sh", "-c", f"echo {MARK.decode()}; (trap '' HUP; exec sleep 1000) & exit 3"]
    )
    assert listener.end().why.startswith("Our part on here ended with status 3")


def test_what_keeps_our_pipes_and_reads_nothing_keeps_no_link() -> None:
    """As a shared connection of ssh does, whose wire was cut."""
    deaf = "setsid sleep 1000 <&0 & echo $! >&2; wait"
    listener = Listener()
    link = listener.link(["sh", "-c", deaf], b"x" * (4 << 20))
    assert becomes(lambda: link.course.complained.endswith(b"\n"), PATIENCE)
    began = time.monotonic()
    link.stop()
    assert time.monotonic() - began < 5
    os.kill(int(link.course.complained), signal.SIGKILL)
