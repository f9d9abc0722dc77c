"""Each way in which ssh or a machine refuses has its sentence, and a way out."""

import pytest

from gpuexplorer.remote.link import Course, ending_of
from gpuexplorer.remote.ssh import ssh_command
from tests.remote.conftest import FakeSsh
from tests.remote.listening import Listener

_CHANGED = """\
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
Host key for there has changed and you have requested strict checking.
Host key verification failed."""
_KEY_OF_OTHERS = "UNPROTECTED PRIVATE KEY FILE! / ada@there: Permission denied (publickey)"
_NO_QUESTION = "ssh_askpass: exec(/x/ask): Permission denied / Permission denied (password)"
_CONNECT = "ssh: connect to host there port 22: "
# What is said, or in its place {}, in the sentence.
_LASTING = {
    "ada@there: Permission denied (publickey,password).": (
        "there refuses this login; it would take: publickey, password."
    ),
    _CHANGED: "The host key of there is not the one that is known here.",
    "No ED25519 host key is known for there and you have requested strict checking.": (
        "The host key of there is not known here, and nobody accepted it."
    ),
    "Unable to negotiate with 10.0.0.1 port 22: no matching host key type found": (
        "ssh cannot connect to there: {}."
    ),
    "~/x: line 3: Bad configuration option": "ssh cannot connect to there: {}.",
    _KEY_OF_OTHERS: "ssh cannot connect to there: {}.",
    "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures": (
        "ssh cannot connect to there: {}."
    ),
    _NO_QUESTION: "ssh cannot connect to there: {}.",
}
_FOR_NOW = {
    "ssh: Could not resolve hostname there: Name or service not known": (
        "The name there is not known on the network."
    ),
    f"{_CONNECT}Connection refused": "there is there, but takes no ssh connection.",
    f"{_CONNECT}No route to host": "No way leads to there from here.",
    f"{_CONNECT}Connection timed out": "there does not answer.",
    "Connection closed by 10.0.0.1 port 22": "ssh cannot connect to there: {}.",
    "": "ssh cannot connect to there: it said nothing.",
}


@pytest.mark.parametrize("said", [*_LASTING, *_FOR_NOW])
def test_what_ssh_refuses_is_said_in_a_sentence(fake_ssh: FakeSsh, said: str) -> None:
    listener = Listener()
    host = fake_ssh.refusing("there", said.replace(" / ", "\n"))
    listener.link(ssh_command(host, "true"), host=host)
    end = listener.end()
    assert end.why == (_LASTING | _FOR_NOW)[said].format(said)
    assert end.again is (said in _FOR_NOW)
    assert end.hint


@pytest.mark.parametrize(
    ("status", "said", "sentence"),
    [
        (127, "python3: command not found", "there cannot start Python: {}."),
        (126, "bash: /opt/python3: Permission denied", "there cannot start Python: {}."),
        (127, "fish: Unknown command: python3", "there cannot start Python: {}."),
        (1, "python3: Command not found", "there cannot start Python: {}."),
        (1, "too old: 3.9", "The Python of there is too old: 3.9."),
        (1, "This account is not available", "there runs no commands for this login: {}."),
        (
            1,
            "This service allows sftp connections",
            "there runs no commands for this login: {}.",
        ),
        (0, "", "Python did not start on there (status 0): it said nothing."),
        (3, "Illegal variable name", "Python did not start on there (status 3): {}."),
        (255, "", "The connection to there broke."),
        (None, "whatever", "The connection to there broke."),
    ],
)
@pytest.mark.parametrize("where", ["heard", "complained"])
def test_what_fails_over_there_is_said_in_a_sentence(
    status: int | None, said: str, sentence: str, where: str
) -> None:
    course = Course("there", status, logged_in=True)
    course.complained = b'Authenticated to there ([10.0.0.1]:22) using "publickey".\n'
    coloured = f"\x1b[31m{said}\x1b[0m".encode() if said else b""
    setattr(course, where, getattr(course, where) + coloured)
    assert ending_of(course).why == sentence.format(said)


@pytest.mark.parametrize(
    ("status", "said", "sentence"),
    [
        (255, "Timeout, server there not responding.", "The connection to there broke."),
        (255, "client_loop: send disconnect: Broken pipe", "The connection to there broke."),
        (255, "Connection to there closed by remote host.", "The connection to there broke."),
        (3, "", "Our part on there ended with status 3: it said nothing."),
        (137, "", "Our part on there was killed."),
        (1, "Trace\n  File\nOSError: x", "Our part on there ended with status 1: {}."),
    ],
)
def test_what_breaks_later_is_worth_another_try(status: int, said: str, sentence: str) -> None:
    course = Course("there", status, ready=True, logged_in=True, complained=said.encode())
    assert ending_of(course).why == sentence.format("Trace / File / OSError: x")
    assert ending_of(course).again
