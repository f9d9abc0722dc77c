"""Ground: an sshd of our own on this computer, with users of every kind. Needs root."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

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

    def logins(self) -> int:
        """How many there were."""
        logs = (each.read_text() for each in self.folder.glob("sshd-*.log"))
        return sum(each.count("Accepted ") for each in logs)

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
