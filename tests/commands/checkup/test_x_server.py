"""An X server that is asked whether it lets the program in."""

import os
import socket
import sys
import threading
from collections.abc import Iterator

import pytest

from gpuexplorer.commands.checkup.x_server import x_refusal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has X servers")
_PORT = 6000
_FIRST = 140


@pytest.fixture
def server() -> Iterator[tuple[str, socket.socket]]:
    """The name of a display, and where it listens; nobody answers there yet."""
    with socket.socket() as listening:
        for number in range(_FIRST, _FIRST + 50):
            try:
                listening.bind(("127.0.0.1", _PORT + number))
            except OSError:
                continue
            listening.listen()
            yield f"127.0.0.1:{number}", listening
            return
    pytest.skip("every port for a display is taken")


def answer(listening: socket.socket, words: bytes) -> threading.Thread:
    """Turns the next program away, as the X protocol has it."""

    def run() -> None:
        client, _ = listening.accept()
        with client:
            client.recv(4096)
            padded = words + bytes(-len(words) % 4)
            head = bytes([0, len(words)]) + (11).to_bytes(2, "little") + bytes(2)
            client.sendall(head + (len(padded) // 4).to_bytes(2, "little") + padded)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_server_that_turns_one_away_is_quoted(
    server: tuple[str, socket.socket], capfd: pytest.CaptureFixture[str]
) -> None:
    name, listening = server
    answering = answer(listening, b"Not for you\n")
    assert x_refusal(name) == "Not for you"
    answering.join()
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"  # what the library wrote is told, and no more


def test_a_server_that_says_nothing_is_not_waited_for(
    server: tuple[str, socket.socket], capfd: pytest.CaptureFixture[str]
) -> None:
    name, _ = server
    assert x_refusal(name, within=0.2) == "no answer within 0.2 s"
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_without_the_library_nobody_is_asked(
    monkeypatch: pytest.MonkeyPatch, server: tuple[str, socket.socket]
) -> None:
    def nowhere(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr("ctypes.CDLL", nowhere)
    name, _ = server
    assert x_refusal(name) is None
