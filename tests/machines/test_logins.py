"""Logins of every kind, each for real: shells, keys, questions, at a terminal and without one,
and what a .bashrc may do.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

import pytest

from tests.commands.runs import at_terminal, until
from tests.machines.conftest import (
    PASSPHRASE,
    PASSWORD,
    PATIENCE,
    Ground,
    Person,
    Reached,
    login_of,
    wait_for,
)

pytestmark = pytest.mark.machines

_PASSWORDS = ["PreferredAuthentications password"]
# What people have in their configuration for when they log in themselves.
_OWN_WAYS = (
    *("RemoteCommand tmux attach", "RequestTTY force", "LogLevel QUIET", "Compression yes"),
    *("LocalForward 127.0.0.1:1 127.0.0.1:1", "ExitOnForwardFailure yes"),
    *("ControlPath /does/not/exist/%C", "ControlMaster ask", "PermitLocalCommand yes"),
    *("LocalCommand echo from the local command", "VisualHostKey yes", "SendEnv *"),
)


@pytest.fixture(scope="session")
def users(ground: Ground) -> Ground:
    """One name of a host for each of them."""
    ground.user("bash")
    for name in ("fish", "tcsh", "dash"):
        ground.user(name, name)
    ground.user(
        "talking",
        at_login='printf \'Welcome \\033[31m<b>x</b>\\033]0;t\\007 {"is": "Hello"}\'\n',
    )
    ground.user("echoing", at_login="exec cat\n")
    ground.user("waiting", at_login="sleep 1000\n")
    ground.user("banner", at_login="head -c 100000000 /dev/zero | tr '\\0' x\n")
    ground.user("endless", at_login="exec cat /dev/zero\n")
    ground.user("nologin", "nologin")
    ground.user("none", at_login="PATH=$HOME/bin\n")
    for each in ("bash", "fish", "tcsh", "dash", "talking", "echoing", "waiting", "banner"):
        ground.host(each, each)
    for each in ("endless", "nologin", "none"):
        ground.host(each, each)
    ground.host("refused", "bash", key="strange")
    ground.host("changed", "bash", host_key="strange")
    ground.host("unknown", "bash", host_key="")
    ground.host("unknown-too", "fish", host_key="")
    ground.host("locked", "tcsh", key="locked")
    ground.host("password", "dash", key="", more=_PASSWORDS)
    ground.host("closed", "bash", port=1)
    ground.host("jump", "fish", more=["ProxyJump bash"])
    ground.host("own-ways", "bash", more=_OWN_WAYS)
    return ground


@pytest.mark.parametrize(
    ("host", "user"),
    [
        *((each, each) for each in ("bash", "fish", "tcsh", "dash", "talking", "banner")),
        ("jump", "fish"),
        ("own-ways", "bash"),
    ],
)
def test_the_agent_runs_in_any_shell_and_ends(users: Ground, host: str, user: str) -> None:
    with Reached(host) as reached:
        assert reached.hello().user == login_of(user)
        for number in range(10):
            reached.knock(number)
        assert "python" in users.left_of(user)
    if host == user:
        wait_for(lambda: "python" not in users.left_of(user))
    home = users.folder / "homes" / user
    left = [each.name for each in home.rglob("*") if each.is_file()]
    assert not [each for each in left if "gpuexplorer" in each]


@pytest.mark.parametrize(
    ("host", "sentence", "again"),
    [
        ("refused", "refused refuses this login; it would take: publickey, password.", False),
        ("changed", "The host key of changed is not the one that is known here.", False),
        (
            "unknown",
            "The host key of unknown is not known here, and nobody accepted it.",
            False,
        ),
        ("closed", "closed is there, but takes no ssh connection.", True),
        ("no.such.invalid", "The name no.such.invalid is not known on the network.", True),
        ("none", "none cannot start Python: ", False),
        ("nologin", "nologin runs no commands for this login: ", False),
        ("echoing", "echoing took the login, but its login shell started nothing ", False),
        ("waiting", "waiting took the login, but its login shell started nothing ", False),
        ("endless", "endless took the login, but its login shell started nothing ", False),
    ],
)
def test_each_refusal_is_a_sentence(
    users: Ground, host: str, sentence: str, *, again: bool
) -> None:
    began = time.monotonic()
    with Reached(host, patience=4.0) as reached:
        end = reached.end()
    assert end.why.startswith(sentence)
    assert end.again is again
    assert time.monotonic() - began < 15


def test_a_host_key_is_shown_and_a_person_accepts_or_declines_it(users: Ground) -> None:
    with Reached("unknown-too", Person(fingerprint="no")) as reached:
        assert reached.end().why.startswith("The host key of unknown-too is not known here")
    with Reached("unknown-too", Person()) as reached:
        assert reached.end().why == "The question of ssh was not answered."
    person = Person(fingerprint="yes")
    with Reached("unknown", person) as reached:
        reached.hello()
    assert "ED25519 key fingerprint is SHA256:" in person.asked[0]
    with Reached("unknown") as known:  # from now on
        known.hello()


def test_a_passphrase_and_a_password_lead_in(users: Ground) -> None:
    for host, answers in (
        ("locked", Person(passphrase=PASSPHRASE)),
        ("password", Person(password=PASSWORD)),
    ):
        with Reached(host, answers) as reached:
            reached.hello()
            assert len(answers.asked) == 1
            with Reached(host, nobody := Person()) as again:
                again.hello()
            assert not nobody.asked


def test_no_secret_is_seen_in_the_list_of_processes(users: Ground) -> None:
    seen: list[str] = []

    class Looking(Person):
        def ask(
            self, _host: object, text: str, *, secret: bool, yes_no: bool, again: bool
        ) -> str | None:
            assert secret
            seen.append(_all_processes())
            return PASSWORD

    users.user("shy")
    users.host("shy", "shy", key="", more=_PASSWORDS)
    with Reached("shy", Looking()) as reached:
        reached.hello()
        seen.append(_all_processes())
    assert PASSWORD not in "".join(seen)


def test_a_wrong_password_is_asked_for_again_and_then_refused(users: Ground) -> None:
    users.host("wrong", "nologin", key="", more=_PASSWORDS)
    person = Person(password="not it")
    with Reached("wrong", person) as reached:
        assert (
            reached.end().why == "wrong refuses this login; it would take: publickey, password."
        )
    assert len(person.asked) == 3


def _all_processes() -> str:
    return subprocess.run(["ps", "axeww"], capture_output=True, check=True, text=True).stdout


_numbers = count()
AtTerminal = tuple["subprocess.Popen[bytes]", int]


def typed(*words: str) -> AbstractContextManager[AtTerminal]:
    """A command of ours, at a terminal of its own."""
    return at_terminal(sys.executable, "-m", "gpuexplorer", *words)


@pytest.fixture
def terminal(ground: Ground) -> Iterator[AtTerminal]:
    """A snapshot of a machine that nobody has met, by a user with a password."""
    name = f"asked{next(_numbers)}"
    ground.user(name)
    ground.host(name, name, key="", host_key="", more=_PASSWORDS)
    with typed("snapshot", "--host", name, "--simulate", "2xTitanRTX") as both:
        yield both


def test_ssh_asks_at_the_terminal_of_a_command(terminal: AtTerminal) -> None:
    process, screen = terminal
    shown = until(screen, "(yes/no/[fingerprint])?")
    os.write(screen, b"yes\n")
    shown += until(screen, "password:")
    os.write(screen, f"{PASSWORD}\n".encode())
    shown += until(screen, "TITAN RTX")
    assert process.wait(PATIENCE) == 0
    assert PASSWORD not in shown


def test_ctrl_c_at_a_question_ends_the_command(terminal: AtTerminal) -> None:
    process, screen = terminal
    until(screen, "(yes/no/[fingerprint])?")
    os.write(screen, b"\x03")
    assert process.wait(PATIENCE) != 0


def test_ctrl_c_ends_a_recording_of_another_machine(ground: Ground, tmp_path: Path) -> None:
    ground.user("recorded")
    ground.host("recorded", "recorded")
    file = tmp_path / "there.gpurec"
    words = ("record", str(file), "--host", "recorded", "--simulate", "2xTitanRTX")
    with typed(*words) as (process, screen):
        wait_for(lambda: file.exists() and file.stat().st_size > 0)
        os.write(screen, b"\x03")
        said = until(screen, "there.gpurec")
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in said
    assert "broke" not in said
