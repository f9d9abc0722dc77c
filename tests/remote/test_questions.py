"""What ssh asks reaches a person as plain text, and only the answer goes back."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.remote.link import Link
from gpuexplorer.remote.ssh import AskedQuestions, HostName, ssh_command
from tests.remote.conftest import FakeSsh
from tests.remote.listening import HERE, MARK, PATIENCE, Listener

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ssh asks nobody there")
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
def test_the_kind_of_a_question_is_read_from_its_text(
    asked: tuple[Person, AskedQuestions],
) -> None:
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


def test_a_question_that_ssh_takes_back_is_withdrawn(
    asked: tuple[Person, AskedQuestions],
) -> None:
    person, questions = asked
    ssh = subprocess.Popen([questions.variables["SSH_ASKPASS"], "Touch the key"])
    assert person.thinks.wait(PATIENCE)
    assert questions.being_answered
    ssh.kill()
    ssh.wait()
    assert person.withdrawn.wait(PATIENCE)


@pytest.fixture
def host(fake_ssh: FakeSsh) -> HostName:
    return fake_ssh.host("there", _ASKS)


def logging_in(
    host: HostName, person: Person, patience: float = PATIENCE
) -> tuple[Link, Listener]:
    listener, questions = Listener(), AskedQuestions(host, person)
    command = ssh_command(host, "true", somebody_answers=True)
    assert "sesame" not in str(command) + str(questions.variables)
    link = listener.link(command, host=host, questions=questions, patience=patience)
    return link, listener


def test_an_answer_leads_in_and_nobody_else_sees_it(host: HostName) -> None:
    link, listener = logging_in(host, Person('open  "sesame" $1'))
    listener.wait(lambda: listener.lines == [b"welcome"])
    link.stop()
