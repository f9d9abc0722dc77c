"""Each way in which ssh or a machine refuses has its sentence, and a way out."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.refusals import Course, ending_of
from gpuexplorer.remote.ssh import HostName, ssh_command
from tests.remote.conftest import FakeSsh
from tests.remote.listening import Listener

_CHANGED = """\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
Host key for there has changed and you have requested strict checking.
Host key verification failed."""
_LOGGED_IN = 'Authenticated to there ([10.0.0.1]:22) using "publickey".\n'


@pytest.mark.parametrize(
    ("said", "sentence", "again"),
    [
        (
            "ada@there: Permission denied (publickey,password).",
            "there refuses this login; it would take: publickey, password.",
            False,
        ),
        (_CHANGED, "The host key of there is not the one that is known here.", False),
        (
            "No ED25519 host key is known for there and you have requested strict checking.",
            "The host key of there is not known here, and nobody accepted it.",
            False,
        ),
        (
            "ssh: Could not resolve hostname there: Name or service not known",
            "The name there is not known on the network.",
            True,
        ),
        (
            "ssh: connect to host there port 22: Connection refused",
            "there is there, but takes no ssh connection.",
            True,
        ),
        (
            "ssh: connect to host there port 22: No route to host",
            "No way leads to there from here.",
            True,
        ),
        (
            "ssh: connect to host there port 22: Connection timed out",
            "there does not answer.",
            True,
        ),
        (
            "Connection closed by 10.0.0.1 port 22",
            "there hung up before the login was done.",
            True,
        ),
        (
            "kex_exchange_identification: read: Connection reset by peer",
            "there hung up before the login was done.",
            True,
        ),
        (
            "Unable to negotiate with 10.0.0.1 port 22: no matching host key type found.",
            "ssh here and the server on there have no common way to encrypt.",
            False,
        ),
        (
            "~/x: line 3: Bad configuration option",
            "ssh does not accept its own configuration: ~/x: line 3: Bad configuration option.",
            False,
        ),
        (
            "command-line: line 0: Bad configuration option: x",
            (
                "The ssh of this computer is too old: "
                "command-line: line 0: Bad configuration option: x."
            ),
            False,
        ),
        (
            "@ UNPROTECTED PRIVATE KEY FILE! @\nada@there: Permission denied (publickey).",
            "ssh does not use a private key that others can read.",
            False,
        ),
        (
            "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures",
            "there gave up: ssh offered it too many keys.",
            False,
        ),
        (
            "ssh_askpass: exec(/x/ask): Permission denied\nPermission denied (password).",
            "ssh had a question and could not ask it here.",
            False,
        ),
        (
            "what no ssh said before",
            "ssh cannot connect to there: what no ssh said before.",
            True,
        ),
        ("", "ssh cannot connect to there, and does not say why.", True),
    ],
)
def test_what_ssh_refuses_is_said_in_a_sentence(
    fake_ssh: FakeSsh, said: str, sentence: str, *, again: bool
) -> None:
    listener, host = Listener(), fake_ssh.refusing("there", said)
    listener.link(ssh_command(host, "true"), host=host)
    end = listener.end()
    assert (end.why, end.again) == (sentence, again)
    assert end.hint


@pytest.mark.parametrize(
    ("status", "said", "heard", "sentence"),
    [
        (
            127,
            "bash: line 1: python3: command not found",
            "",
            "there cannot start Python: bash: line 1: python3: command not found.",
        ),
        (
            126,
            "bash: line 1: /opt/python3: Permission denied",
            "",
            "there cannot start Python: bash: line 1: /opt/python3: Permission denied.",
        ),
        (
            127,
            "fish: Unknown command: python3",
            "",
            "there cannot start Python: fish: Unknown command: python3.",
        ),
        (
            1,
            "",
            "python3: Command not found.",
            "there cannot start Python: python3: Command not found.",
        ),
        (1, "too old: 3.9", "", "The Python of there is too old: 3.9."),
        (
            1,
            "",
            "This account is currently not available.",
            "there runs no commands for this login: This account is currently not available.",
        ),
        (
            1,
            "",
            "This service allows sftp connections only.",
            "there runs no commands for this login: This service allows sftp connections only.",
        ),
        (
            1,
            "sh: cannot create ~/.x: Read-only file system",
            "",
            "A disk of there cannot be written: sh: cannot create ~/.x: Read-only file system.",
        ),
        (
            254,
            "sh: fork: Resource unavailable",
            "",
            "there has no memory left for a program: sh: fork: Resource unavailable.",
        ),
        (0, "", "", "The login shell of there ended without a word (status 0)."),
        (
            3,
            "\x1b[31mWelcome\x1b[0m\r\nIllegal variable name.",
            "",
            "Python did not start on there (status 3): Welcome / Illegal variable name.",
        ),
        (255, "", "", "The connection to there broke while it began."),
    ],
)
def test_what_fails_over_there_is_said_in_a_sentence(
    status: int, said: str, heard: str, sentence: str
) -> None:
    course = Course(
        "there",
        status,
        logged_in=True,
        heard=heard.encode(),
        complained=(_LOGGED_IN + said).encode(),
    )
    assert ending_of(course).why == sentence


@pytest.mark.parametrize(
    ("status", "said", "sentence"),
    [
        (255, "Timeout, server there not responding.", "there does not answer any more."),
        (255, "client_loop: send disconnect: Broken pipe", "The connection to there broke."),
        (255, "Connection to there closed by remote host.", "The connection to there broke."),
        (0, "", "Our part on there ended."),
        (3, "", "Our part on there ended with status 3."),
        (137, "", "Our part on there was killed."),
        (
            1,
            "Traceback\n  File\nOSError: Input/output",
            "Our part on there ended with status 1: Traceback / File / OSError: Input/output.",
        ),
    ],
)
def test_what_breaks_later_is_worth_another_try(status: int, said: str, sentence: str) -> None:
    course = Course("there", status, ready=True, logged_in=True, complained=said.encode())
    assert ending_of(course).why == sentence
    assert ending_of(course).again


def test_an_ssh_that_shuts_its_pipes_and_runs_on_broke_the_connection() -> None:
    course = Course("there", None, logged_in=True, complained=b"whatever")
    assert ending_of(course).why == "The connection to there broke while it began."


def test_without_ssh_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Trouble, match="There is no ssh on this computer"):
        ssh_command(HostName("there"), "true")
