"""Logins of every kind: shells, keys, questions, and what a .bashrc may do, each for real."""

import subprocess
import time
from pathlib import Path

import pytest

from gpuexplorer.remote.link import Ending
from tests.machines.ground import PASSPHRASE, PASSWORD, Ground, login_of, wait_for
from tests.machines.reaching import Person, Reached

pytestmark = pytest.mark.machines


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
    home = ground.user("old", at_login="PATH=$HOME/bin\n", is_root=True)
    (home / "bin").mkdir()
    for each in ("bash", "fish", "tcsh", "dash", "talking", "echoing", "waiting", "banner"):
        ground.host(each, each)
    for each in ("endless", "nologin", "none", "old"):
        ground.host(each, each)
    ground.host("refused", "bash", key="strange")
    ground.host("changed", "bash", host_key="strange")
    ground.host("unknown", "bash", host_key="")
    ground.host("unknown-too", "fish", host_key="")
    ground.host("locked", "tcsh", key="locked")
    ground.host("password", "dash", key="", more=["PreferredAuthentications password"])
    ground.host("closed", "bash", port=1)
    ground.host("jump", "fish", more=["ProxyJump bash"])
    ground.host("own-ways", "bash", more=_OWN_WAYS)
    return ground


def ending(host: str, **options: float) -> Ending:
    """Once it was refused. Nothing is to be left behind, here or there."""
    reached = Reached(host, **options)  # type: ignore[arg-type]  # patience alone
    with reached:
        return reached.end()


@pytest.mark.parametrize("host", ["bash", "fish", "tcsh", "dash", "talking", "banner", "jump"])
def test_the_agent_runs_under_any_login_shell_and_ends_with_us(
    users: Ground, host: str
) -> None:
    with Reached(host) as reached:
        hello = reached.hello()
        assert hello.user == login_of("fish" if host == "jump" else host)
        for number in range(10):
            reached.knock(number)
        assert "python" in users.left_of("fish" if host == "jump" else host)
    if host != "jump":
        wait_for(lambda: "python" not in users.left_of(host))
    home = users.folder / "homes" / host
    assert host == "jump" or not [
        each for each in home.rglob("*") if each.is_file() and "gpuexplorer" in each.name
    ]


def test_what_a_configuration_says_for_a_person_is_not_in_the_way(users: Ground) -> None:
    with Reached("own-ways") as reached:
        reached.hello()
        reached.knock(1)


def test_a_second_connection_takes_the_way_of_the_first(users: Ground) -> None:
    with Reached("bash") as first:
        first.hello()
        logins = users.logins()
        with Reached("bash") as second:
            second.hello()
        assert users.logins() == logins
        first.knock(1)


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
    users: Ground, figures: list[str], host: str, sentence: str, *, again: bool
) -> None:
    began = time.monotonic()
    end = ending(host, patience=4.0)
    figures.append(f"after {time.monotonic() - began:.1f} s: {end.why} {end.hint}")
    assert end.why.startswith(sentence)
    assert end.again is again
    assert time.monotonic() - began < 15


def test_a_host_key_is_shown_and_accepted_by_a_person(users: Ground) -> None:
    person = Person(fingerprint="yes")
    with Reached("unknown", person) as reached:
        reached.hello()
    assert "ED25519 key fingerprint is SHA256:" in person.asked[0]
    with Reached("unknown") as known:  # from now on
        known.hello()


def test_a_person_who_declines_a_host_key_is_not_connected(users: Ground) -> None:
    with Reached("unknown-too", Person(fingerprint="no")) as reached:
        assert reached.end().why.startswith("The host key of unknown-too is not known here")
    with Reached("unknown-too", Person()) as reached:
        assert reached.end().why == "The question of ssh was not answered."


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
    users.host("shy", "shy", key="", more=["PreferredAuthentications password"])
    with Reached("shy", Looking()) as reached:
        reached.hello()
        seen.append(_all_processes())
    assert PASSWORD not in "".join(seen)


def test_a_wrong_password_is_asked_for_again_and_then_refused(users: Ground) -> None:
    users.host("wrong", "nologin", key="", more=["PreferredAuthentications password"])
    person = Person(password="not it")
    with Reached("wrong", person) as reached:
        assert (
            reached.end().why == "wrong refuses this login; it would take: publickey, password."
        )
    assert len(person.asked) == 3


def test_a_python_that_is_too_old_says_so(users: Ground, figures: list[str]) -> None:
    versions = Path("~/.pyenv/versions").expanduser()  # of whoever runs this
    found = [
        str(each) for old in ("2.*", "3.[6-9].*") for each in versions.glob(f"{old}/bin/python")
    ]
    if not found:
        pytest.skip("there is no old Python here: ~/.pyenv/versions has none")
    for path in found:
        with Reached("old", python=path) as reached:
            assert reached.end().why.startswith("The Python of old is too old: ")
            figures.append(f"{reached.end().why} {reached.end().hint}")


def _all_processes() -> str:
    return subprocess.run(["ps", "axeww"], capture_output=True, check=True, text=True).stdout
