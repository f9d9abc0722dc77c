"""The ground for what needs root and an sshd: users, keys, wires, and our agent over there. Run
by `make test-machines`, else left out.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from gpuexplorer.core.harmless import line_of
from gpuexplorer.remote.link import Link
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.ssh import AskedQuestions, Asking, HostName, host_name, ssh_command
from gpuexplorer.remote.wire import Hello, Knock, told_of
from tests.remote.conftest import Listener

NEEDED = (
    *("sshd", "ssh", "ssh-keygen", "useradd", "userdel", "usermod", "openssl"),
    *("ip", "tc", "bash", "fish", "tcsh"),
)
PATIENCE = 30.0
PASSWORD = "open sesame"
PASSPHRASE = "sim sala bim"
_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def lacking() -> Sequence[str]:
    """What `make test-machines` needs and does not find here."""
    root = [] if os.geteuid() == 0 else ["to be root"]
    tun = [] if Path("/dev/net/tun").exists() else ["/dev/net/tun"]
    return [*root, *tun, *(each for each in NEEDED if shutil.which(each, path=_PATH) is None)]


def run(*command: str, check: bool = True) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, "PATH": _PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert not check or done.returncode == 0, (command, done.stdout)
    return done.stdout


def wait_for(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


class Ground:
    """Users, keys, servers, and a configuration of ssh that knows them; gone with `close`."""

    def __init__(self) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix="gpuexplorer-machines-"))
        self.folder.chmod(0o755)  # the users look into it
        self._users: list[str] = []
        self._servers: list[subprocess.Popen[bytes]] = []
        self._config = self.folder / "config"
        for name, phrase in (
            ("key", ""),
            ("locked", PASSPHRASE),
            ("strange", ""),
            ("host", ""),
        ):
            path = self.folder / name
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", str(path))
        known = (self.folder / name for name in ("key.pub", "locked.pub"))
        (self.folder / "keys").write_text("".join(each.read_text() for each in known))
        (self.folder / "bin").mkdir()
        wrapper = self.folder / "bin" / "ssh"
        ssh = shutil.which("ssh", path=_PATH)
        wrapper.write_text(f'#!/bin/sh\nexec {ssh} -F "{self._config}" "$@"\n')
        wrapper.chmod(0o755)
        Path("/run/sshd").mkdir(exist_ok=True)  # where it goes before anybody has logged in
        self.port = free_port()
        self.serve(self.port)

    @property
    def programs(self) -> Path:
        """Where the `ssh` is that knows our configuration."""
        return self.folder / "bin"

    def user(
        self, name: str, shell: str = "bash", *, at_login: str = "", is_root: bool = False
    ) -> Path:
        """One more; their home."""
        home = self.folder / "homes" / name
        home.mkdir(parents=True)
        (home / ".bashrc").write_text(at_login)
        program = shutil.which(shell, path=_PATH)
        assert program is not None
        rights = ("--non-unique", "--uid", "0") if is_root else ()
        login = login_of(name)
        run("useradd", "-M", "-N", "-d", str(home), "-s", program, *rights, login)
        self._users.append(login)
        run("usermod", "-p", run("openssl", "passwd", "-6", PASSWORD).strip(), login)
        shutil.chown(home, login)
        return home

    def host(
        self,
        name: str,
        user: str,
        *,
        address: str = "127.0.0.1",
        port: int = 0,
        key: str = "key",
        host_key: str = "host",
        more: Sequence[str] = (),
    ) -> None:
        """A name for ssh. With `host_key` "" nobody knows it yet."""
        port = port or self.port
        known = self.folder / f"known-{name}"
        at = f"[{address}]:{port}" if port != 22 else address
        known.write_text("")
        if host_key:
            public = (self.folder / f"{host_key}.pub").read_text()
            known.write_text(f"{at} {public}")
        options = (
            *(f"HostName {address}", f"Port {port}", f"User {login_of(user)}"),
            *("IdentitiesOnly yes", f"UserKnownHostsFile {known}", "IdentityAgent none"),
            f"IdentityFile {self.folder / key}" if key else "PubkeyAuthentication no",
            *more,
        )
        lines = [f"Host {name}", *(f"  {each}" for each in options)]
        with self._config.open("a") as file:
            file.write("\n".join(lines) + "\n")

    def serve(self, port: int, address: str = "127.0.0.1", inside: Sequence[str] = ()) -> None:
        """One more sshd, perhaps started by another command."""
        path = self.folder / f"sshd-{address}-{port}"
        path.write_text(
            f"Port {port}\nListenAddress {address}\nHostKey {self.folder / 'host'}\n"
            f"AuthorizedKeysFile {self.folder / 'keys'}\nStrictModes no\nUsePAM no\n"
            "PermitRootLogin yes\nPasswordAuthentication yes\nPrintMotd yes\nPidFile none\n"
            "KbdInteractiveAuthentication no\nMaxStartups 200\nLogLevel VERBOSE\n"
        )
        program = shutil.which("sshd", path=_PATH)
        assert program is not None
        log = (self.folder / f"{path.name}.log").open("wb")
        with log:
            self._servers.append(
                subprocess.Popen(
                    [*inside, program, "-D", "-e", "-f", str(path)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
        wait_for(lambda: b"Server listening" in Path(log.name).read_bytes())

    def left_of(self, user: str) -> str:
        """The programs that run for that user, one a line."""
        return run("ps", "-u", login_of(user), "-o", "pid=,args=", check=False).strip()

    def close(self) -> None:
        for server in self._servers:
            server.terminate()
            server.wait()
        for user in self._users:
            if run("id", "-u", user).strip() != "0":
                run("pkill", "-KILL", "-u", user, check=False)
                wait_for(partial(_nothing_runs, user))
            run("userdel", "-f", user, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def login_of(user: str) -> str:
    """Ours alone, also where two trials run at once."""
    return f"gx{os.getpid()}-{user}"


def _sweep() -> None:
    """Users and namespaces of a trial that was killed."""
    users = run("getent", "passwd").splitlines()
    for login in (each.partition(":")[0] for each in users):
        if (of := re.match(r"gx(\d+)-", login)) and not Path("/proc", of.group(1)).exists():
            run("userdel", "-f", login, check=False)
    for name in run("ip", "netns", "list").split():
        if (of := re.match(r"gx(\d+)-", name)) and not Path("/proc", of.group(1)).exists():
            run("ip", "netns", "delete", name, check=False)


def _nothing_runs(login: str) -> bool:
    return not run("ps", "-u", login, "-o", "pid=", check=False)


def end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    process.wait()


_RELAY = Path(__file__).with_name("far_wire.py")


class Wire:
    """A namespace, reached over one wire; gone with `close`.

    `address` is its own, and `here` is our end of the wire.
    """

    _numbers = count(1)

    def __init__(self) -> None:
        number = next(self._numbers)
        self.name = f"gx{os.getpid()}-wire{number}"
        # Of another trial, ten thousand processes later, there is nothing left.
        net = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 16 * 16 + number % 16}"
        self.address, self.ours = f"{net}.2", f"{net}.1"
        self.here, self._there = (f"gx{os.getpid()}{side}{number}" for side in "ht")
        self._relay: subprocess.Popen[bytes] | None = None
        run("ip", "netns", "add", self.name)
        self._inside("ip", "link", "set", "lo", "up")

    @property
    def inside(self) -> Sequence[str]:
        """Before a command that is to run there."""
        return ("ip", "netns", "exec", self.name)

    def pull(self) -> None:
        """A plain wire."""
        run("ip", "link", "add", self.here, "type", "veth", "peer", "name", self._there)
        self._use()

    def pull_far(self, seconds: float, loss: float) -> None:
        """A wire on which packets take so long one way, and of which that part gets lost."""
        self._relay = subprocess.Popen(
            [sys.executable, str(_RELAY), self.here, self._there, str(seconds), str(loss)]
        )
        for name in (self.here, self._there):
            wait_for(Path("/sys/class/net", name).exists)
        self._use()

    def _use(self) -> None:
        run("ip", "link", "set", self._there, "netns", self.name)
        run("ip", "address", "add", f"{self.ours}/24", "dev", self.here)
        run("ip", "link", "set", self.here, "up")
        self._inside("ip", "address", "add", f"{self.address}/24", "dev", self._there)
        self._inside("ip", "link", "set", self._there, "up")

    def shape(self, rate: str, burst: str = "64kb") -> None:
        """Both ways, such as "1gbit"."""
        words = ("root", "tbf", "rate", rate, "burst", burst, "latency", "200ms")
        run("tc", "qdisc", "replace", "dev", self.here, *words)
        self._inside("tc", "qdisc", "replace", "dev", self._there, *words)

    def cut(self) -> None:
        run("ip", "link", "set", self.here, "down")

    def mend(self) -> None:
        run("ip", "link", "set", self.here, "up")

    def close(self) -> None:
        if self._relay is not None:
            end(self._relay)
        run("ip", "link", "delete", self.here, check=False)
        run("ip", "netns", "delete", self.name, check=False)

    def _inside(self, *command: str) -> None:
        run(*self.inside, *command)


class Person:
    """Answers by what is asked; where nothing fits, goes away."""

    def __init__(self, **answers: str) -> None:
        """By a word of the question."""
        self.asked: list[str] = []
        self._answers = answers

    def ask(
        self, _host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        self.asked.append(text)
        return next((self._answers[each] for each in self._answers if each in text), None)

    def withdraw(self, _host: HostName) -> None:
        """It does not think."""


class Reached(Listener):
    """Use it with `with`."""

    def __init__(
        self,
        host: str,
        person: "Asking | None" = None,
        *,
        python: str = "python3",
        patience: float = 30.0,
    ) -> None:
        super().__init__()
        name = host_name(host)
        sent = parcel(Kind.AGENT, any_python=python == "python3")
        command = ssh_command(name, sent.command(python), somebody_answers=person is not None)
        self.into = Link(
            name,
            command,
            sent,
            self.on_line,
            questions=None if person is None else AskedQuestions(name, person),
            patience=patience,
        )
        self.into.start(self.on_end)

    def __enter__(self) -> "Reached":
        return self

    def __exit__(self, *_: object) -> None:
        self.into.stop()

    def hello(self) -> Hello:
        self.wait(lambda: b'"is":"Hello"' in self.last or bool(self.ends))
        assert not self.ends, self.ends
        told = told_of(self.last)
        assert isinstance(told, Hello)
        return told

    def knock(self, number: int) -> None:
        """Waits until it answers."""
        self.into.send(line_of(Knock(float(number))))
        answer = b'{"is":"Knocked","sent_at":%d' % number
        self.wait(lambda: self.lines[-1].startswith(answer) or bool(self.ends))
        assert not self.ends, self.ends


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    missing = lacking()
    if missing:
        pytest.fail(f"To try machines here, this is missing: {', '.join(missing)}.")
    made = Ground()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def ssh_knows_them(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{ground.programs}{os.pathsep}{os.environ['PATH']}")
