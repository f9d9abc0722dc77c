"""The trial's display, on a machine that is busy: each step waits for what it needs."""

import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trial.display import Display, cookie, display, greeting
from trial.refusal import CannotTryError
from trial.report import StepError
from trial.xwd import Shown

SECRET = b"0123456789abcdef"
NONE = Path("none")
PIXELS = 30_000
EMPTY = Shown(100, 100, bytes(PIXELS))
WINDOW = Shown(100, 100, bytes(at % 251 for at in range(PIXELS)))
FADING = Shown(100, 100, bytes(at % 83 for at in range(PIXELS)))


@dataclass(frozen=True)
class Watched(Display):
    """Shows one picture after another, and then the last for ever."""

    pictures: list[Shown] = field(default_factory=list)
    seen: list[Shown] = field(default_factory=list)

    def shows(self) -> Shown:
        picture = self.pictures[min(len(self.seen), len(self.pictures) - 1)]
        self.seen.append(picture)
        return picture


def watched(*pictures: Shown) -> Watched:
    return Watched(1, remote=False, cookies=NONE, memory=NONE, pictures=list(pictures))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trial.display.GLANCE", 0.0)


def test_a_window_is_shown_when_it_stands_still() -> None:
    screen = watched(EMPTY, EMPTY, FADING, WINDOW, FADING, WINDOW)
    assert screen.drawn(60, lambda: False) == WINDOW
    assert screen.seen[-5:] == [WINDOW] * 5


def test_a_window_that_closed_meanwhile_was_seen_all_the_same() -> None:
    screen = watched(EMPTY, FADING, WINDOW, EMPTY)
    assert screen.drawn(60, lambda: len(screen.seen) > 3) == WINDOW


def test_a_program_that_ends_without_a_window_is_not_waited_for() -> None:
    with pytest.raises(StepError, match="The program ended before anything was drawn"):
        watched(EMPTY).drawn(60, lambda: True)


def test_a_display_that_stays_empty_is_named() -> None:
    with pytest.raises(StepError, match=r"0\.01 s passed before anything was drawn"):
        watched(EMPTY).drawn(0.01, lambda: False)


@pytest.fixture
def server() -> Iterator[tuple[socket.socket, int]]:
    """Where an X server on another computer would listen, and the number of its display."""
    for number in range(300, 400):
        listening = socket.socket()
        try:
            listening.bind(("127.0.0.1", 6000 + number))
        except OSError:
            listening.close()
            continue
        listening.listen()
        yield listening, number
        listening.close()
        return


def answering(listening: socket.socket, *answers: bytes) -> threading.Thread:
    def serve() -> None:
        for answer in answers:
            caller, _ = listening.accept()
            with caller:
                caller.recv(len(greeting(SECRET)))
                caller.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_a_display_is_used_when_it_lets_somebody_in(
    server: tuple[socket.socket, int], tmp_path: Path
) -> None:
    listening, number = server
    cookies = tmp_path / "cookies"
    cookies.write_bytes(cookie(SECRET))
    serving = answering(listening, b"", b"\0", b"\1")
    Display(number, remote=True, cookies=cookies, memory=NONE).wait_until_it_answers(60)
    serving.join()


def test_a_display_that_lets_nobody_in_is_no_fault_of_the_program(
    server: tuple[socket.socket, int], tmp_path: Path
) -> None:
    listening, number = server
    cookies = tmp_path / "cookies"
    cookies.write_bytes(cookie(SECRET))
    serving = answering(listening, b"\0")
    with pytest.raises(CannotTryError, match="Xvfb lets nobody in"):
        Display(number, remote=True, cookies=cookies, memory=NONE).wait_until_it_answers(-1)
    serving.join()


def test_who_asks_in_shows_the_cookie_in_whole_words() -> None:
    said = greeting(SECRET)
    assert said.startswith(b"l\0\x0b\0\0\0\x12\0\x10\0\0\0MIT-MAGIC-COOKIE-1\0\0")
    assert said.endswith(SECRET)
    assert len(said) % 4 == 0


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
@pytest.mark.parametrize("remote", [False, True])
def test_a_real_display_answers_whoever_has_its_cookie(remote: bool, tmp_path: Path) -> None:
    with display(remote=remote) as screen:
        assert screen.answers()
        (tmp_path / "other").write_bytes(cookie(b"another of these"))
        stranger = Display(screen.number, remote, tmp_path / "other", screen.memory)
        assert not stranger.answers()
        assert not screen.shows().drawn
