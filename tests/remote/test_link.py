"""Links and ssh: the mark in any noise, questions to a person, refusals, harmless names."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote import ssh as folders
from gpuexplorer.remote.link import Course, ending_of
from gpuexplorer.remote.ssh import (
    AskedQuestions,
    HostName,
    host_name,
    names_to_choose,
    private_folder,
    ssh_command,
)
from tests.remote.conftest import ECHOING, HERE, MARK, PATIENCE, FakeSsh, Listener, python

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


@pytest.mark.long
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


# A host whose ssh asks first, and then is there if the answer was the right one.
_ASKS = f"""\
[ "$("$SSH_ASKPASS" "ada@there's password: ")" = 'open  "sesame" $1' ] || exit 255
echo {MARK.decode()}; echo welcome; exec cat >/dev/null
"""


class Person:
    """Answers as told; without an answer left, thinks until the question is withdrawn."""

    def __init__(self, *answers: str | None) -> None:
        self.asked: list[tuple[str, bool, bool]] = []
        self.again: list[bool] = []
        self._answers = list(answers)
        self.withdrawn = threading.Event()
        self.thinks = threading.Event()

    def ask(
        self, _host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        self.asked.append((text, secret, yes_no))
        self.again.append(again)
        if self._answers:
            return self._answers.pop(0)
        self.thinks.set()
        assert self.withdrawn.wait(PATIENCE)
        return None

    def withdraw(self, _host: HostName) -> None:
        self.withdrawn.set()


@pytest.fixture
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[Person, AskedQuestions]]:
    person = Person(*getattr(request, "param", ()))
    questions = AskedQuestions(HERE, person)
    yield person, questions
    questions.stop()
    assert not Path(questions.variables["SSH_ASKPASS"]).exists()


def ssh_asks(questions: AskedQuestions, text: str, **variables: str) -> str:
    done = subprocess.run(
        [questions.variables["SSH_ASKPASS"], text],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("asked", [["yes"] * 9], indirect=True)
def test_the_kind_of_a_question_is_in_its_text(asked: tuple[Person, AskedQuestions]) -> None:
    person, questions = asked
    kinds = {
        "SHA256:abc.\nAre you sure you want to continue (yes/no/[fingerprint])?": (False, True),
        "Please type 'yes', 'no' or the fingerprint:": (False, True),
        "Enter passphrase for key '/home/ada/.ssh/id':": (True, False),
        "ada@there's password:": (True, False),
        "Passwort für ada:": (True, False),
        "Verification code:": (True, False),
        "login:": (False, False),
    }
    for text in kinds:
        assert ssh_asks(questions, f"{text} ") == "yes\n"
    assert person.asked == [(text, *kind) for text, kind in kinds.items()]
    assert not any(person.again)
    ssh_asks(questions, "login: ")
    assert person.again[-1]  # the first answer was not taken
    ssh_asks(questions, "Allow use of key?", SSH_ASKPASS_PROMPT="confirm")
    assert person.asked[-1] == ("Allow use of key?", False, True)


@pytest.mark.parametrize("asked", [["ok"] * 2], indirect=True)
def test_a_question_is_shown_as_plain_text(asked: tuple[Person, AskedQuestions]) -> None:
    person, questions = asked
    ssh_asks(questions, "\x1b[2J\x1b]0;title\x07<b>Give</b>\r\n\u202eyour\x9b31m password: ")
    assert person.asked[0][0] == "<b>Give</b>\n�your�31m password:"
    ssh_asks(questions, "x" * 100_000)
    assert person.asked[1][0] == "x" * 900


def test_a_question_taken_back_is_withdrawn(asked: tuple[Person, AskedQuestions]) -> None:
    person, questions = asked
    ssh = subprocess.Popen([questions.variables["SSH_ASKPASS"], "Touch the key"])
    assert person.thinks.wait(PATIENCE)
    assert questions.being_answered
    ssh.kill()
    ssh.wait()
    assert person.withdrawn.wait(PATIENCE)


def test_an_answer_leads_in_and_nobody_else_sees_it(fake_ssh: FakeSsh) -> None:
    host = fake_ssh.host("there", _ASKS)
    questions = AskedQuestions(host, Person('open  "sesame" $1'))
    command = ssh_command(host, "true", somebody_answers=True)
    assert "sesame" not in str(command) + str(questions.variables)
    listener = Listener()
    link = listener.link(command, host=host, questions=questions)
    listener.wait(lambda: listener.lines == [b"welcome"])
    link.stop()


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
    _KEY_OF_OTHERS: "ssh cannot connect to there: {}.",
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


@pytest.fixture(autouse=True)
def another_folder() -> None:
    folders._made.cache_clear()


@pytest.mark.parametrize("runtime", ["", "/run/user/1000", "/a/folder/that/is/not/there"])
def test_nobody_else_can_look_into_it(monkeypatch: pytest.MonkeyPatch, runtime: str) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert stat.S_IMODE(private_folder().stat().st_mode) == 0o700
    assert os.access(private_folder(), os.W_OK)


def test_a_socket_has_a_short_path_of_its_own_and_no_name_is_ever_an_option(
    fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/x" * 40)
    paths = set()
    for name in ("there", "ada@there", "there-too"):
        words = ssh_command(host_name(name), "-oProxyCommand=id")
        assert words[-3:] == ["--", name, "-oProxyCommand=id"]
        (path,) = (each for each in words if each.startswith("ControlPath="))
        paths.add(path)
        # %C becomes 40 letters; ssh adds a dot and 16 while it makes it.
        assert len(path.partition("=")[2]) + 40 - 2 + 17 < 104
    assert len(paths) == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The name of a machine is missing."),
        ("  ", "The name of a machine is missing."),
        ("-oProxyCommand=id", "The name of a machine cannot begin with a hyphen: "),
        ("ada@-oProxyCommand=id", "This is no name of a machine: "),
        ("two words", "The name of a machine cannot hold spaces or control characters: "),
        ("a\x1b[2J", "The name of a machine cannot hold spaces or control characters: a�[2J."),
        ("a\nb", "The name of a machine cannot hold spaces or control characters: "),
        ("server\n", "The name of a machine cannot hold spaces or control characters: "),
        ("\u202egnp", "The name of a machine cannot hold spaces or control characters: "),
        ("a\u200bb", "The name of a machine cannot hold spaces or control characters: "),
        ("a\udc80", "The name of a machine cannot hold spaces or control characters: "),
        ("x" * 400, "This is no name of a machine: xxxxxxxxxx"),
        ("@server", "This is no name of a machine: @server."),
        ("ada@", "This is no name of a machine: ada@."),
        ("$(id)", "This is no name of a machine: $(id)."),
        ("`id`@server", "This is no name of a machine: "),
        ("a;b", "This is no name of a machine: a;b."),
        ("a'b@server", "This is no name of a machine: "),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Trouble) as refused:
        host_name(text)
    assert refused.value.sentence.startswith(sentence)
    assert refused.value.sentence.isprintable()
    assert refused.value.hint or not sentence


def names(config: Path) -> list[str]:
    return list(names_to_choose(config))


def test_names_come_as_they_stand_there_without_patterns(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        '# Host commented\nHost one two\n  HostName 10.0.0.1\nhost=three\nHost "four" one\n'
        'Host * !not ?any 10.*\nMatch host five exec "touch here"\n  User x\n\tHOST\tsix\n'
        "Host -oProxyCommand=id $(id) a\x1bb\nHostName nine\n",
        "utf-8",
    )
    assert names(config) == ["one", "two", "three", "four", "six"]
