"""A bare Debian in a folder: made once, copied for each trial; and programs run inside it.

Whatever is mounted there is mounted for one program alone, and gone with it, however it ends.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trial.archive import Archive
from trial.refusal import CannotTryError
from trial.report import StepError

USER = "student"
HOME = f"/home/{USER}"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_ROOTS_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# A namespace of its own: what is mounted in it is unmounted, and what was started in it ended,
# by the kernel, even if this program is killed.
_ALONE = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
# Where a program ended, what it started may need a moment more.
_WHAT_IS_LEFT = """
tries=0
while :; do
    : > {file}
    for each in {root}/proc/[0-9]*; do
        if [ "${{each##*/}}" != 1 ]; then
            tr '\\0' ' ' < "$each/cmdline" >> {file} 2> /dev/null || :
        fi
    done
    tries=$((tries + 1))
    if [ ! -s {file} ] || [ "$tries" -gt 30 ]; then exit $status; fi
    sleep 0.1
done
"""


@dataclass(frozen=True)
class Done:
    """`left`: what it had started and what still ran three seconds after its end."""

    status: int
    out: str
    err: str
    left: str

    @property
    def said(self) -> str:
        """All of it on one line, for a report."""
        return " ".join(f"{self.out} {self.err}".split())


@dataclass(frozen=True)
class Inside:
    """How a program is run: as root or as the ordinary user, seeing what of this machine."""

    environment: Mapping[str, str] = field(default_factory=dict)
    as_root: bool = False
    home: str = HOME
    folder: str = ""  # where it is started; empty: at home
    shown: "Mapping[Path, str]" = field(default_factory=dict)  # folders of this machine
    read_only: "tuple[str, ...]" = ()
    own_memory: bool = False  # shares none with programs outside, such as the X server
    patience: float = 120.0


class Root:
    """A system in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def at(self, path: str) -> Path:
        """Where this machine finds what is called `path` inside."""
        return self.folder / path.lstrip("/")

    def run(self, words: Sequence[str], inside: "Inside | None" = None) -> Done:
        return self.start(words, inside or Inside()).wait()

    def start(self, words: Sequence[str], inside: Inside) -> "Running":
        return Running(words, self._command(words, inside), inside.patience)

    def give(self, path: Path, to: str) -> str:
        """A copy of a file, readable to everybody."""
        target = self.at(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o644)
        return to

    def owned(self, path: str) -> Path:
        """A folder of the ordinary user's, made where it is missing."""
        folder = self.at(path)
        home = self.at(HOME)
        facts = home.stat()
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir()
            os.chown(each, facts.st_uid, facts.st_gid)
        return folder

    def paths(self) -> "set[str]":
        """All that is in it, folders too."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            inside = Path(folder).relative_to(self.folder)
            found |= {f"/{inside / name}" for name in (*folders, *files)}
        return found

    def _command(self, words: Sequence[str], inside: Inside) -> "_Command":
        root = shlex.quote(str(self.folder))
        script = [
            "set -e",
            f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            f"mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm",
        ]
        for outside, name in inside.shown.items():
            target = self.at(name)
            target.mkdir(parents=True, exist_ok=True)
            script.append(
                f"mount --bind {shlex.quote(str(outside))} {shlex.quote(str(target))}"
            )
        for name in inside.read_only:
            place = shlex.quote(str(self.at(name)))
            script += [f"mount --bind {place} {place}", f"mount -o remount,bind,ro {place}"]
        user = [] if inside.as_root else [f"--userspec={USER}:{USER}"]
        folder = inside.folder or ("/" if inside.as_root else inside.home)
        variables = {
            "PATH": _ROOTS_PATH if inside.as_root else _PATH,
            "HOME": "/root" if inside.as_root else inside.home,
            "LANG": "C.UTF-8",
            **({"DEBIAN_FRONTEND": "noninteractive"} if inside.as_root else {"USER": USER}),
            **inside.environment,
        }
        settings = [f"{name}={value}" for name, value in variables.items()]
        there = ["env", "-i", f"--chdir={folder}", *settings, *words]
        script += ["set +e", shlex.join(["chroot", *user, str(self.folder), *there])]
        alone = [*_ALONE, "--ipc"] if inside.own_memory else _ALONE
        return _Command(alone, "\n".join([*script, "status=$?"]), root)


@dataclass(frozen=True)
class _Command:
    alone: "Sequence[str]"
    script: str
    root: str  # as the shell reads it


class Running:
    """A program in a root, from its start to its end."""

    def __init__(self, words: Sequence[str], command: _Command, patience: float) -> None:
        self._words = words
        self._patience = patience
        self._folder = tempfile.TemporaryDirectory(prefix="gpuexplorer-trial-")
        self._left = Path(self._folder.name) / "left"
        at_end = _WHAT_IS_LEFT.format(file=shlex.quote(str(self._left)), root=command.root)
        self._process = subprocess.Popen(
            [*command.alone, "sh", "-c", command.script + at_end],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self) -> Done:
        """Raises StepError where it does not end in time."""
        with self._folder:
            try:
                out, err = self._process.communicate(timeout=self._patience)
            except subprocess.TimeoutExpired:
                self._process.kill()
                out, err = self._process.communicate()
                raise StepError(
                    f"`{shlex.join(self._words)}` did not end within {self._patience:g} s. "
                    f"It had said: {_short(out + err)}"
                ) from None
            left = self._left.read_text("utf-8", "replace") if self._left.exists() else ""
        return Done(self._process.returncode, out, err, " ".join(left.split()))


def bare(archive: Archive, folder: Path) -> Root:
    """The smallest Debian that installs packages, with an ordinary user in it; made by
    debootstrap where it is not there yet. Raises CannotTryError where that is not possible.
    """
    root = Root(folder / f"bare-{archive.release}")
    if not root.folder.exists():
        part = Path(f"{root.folder}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _fill(part, archive)
        half = Root(part)
        _settle(half)
        part.rename(root.folder)
    half = Root(root.folder)
    half.at("/etc/apt/sources.list").write_text(archive.sources, "utf-8")
    half.at("/etc/apt/apt.conf.d/90trial").write_text(archive.settings, "utf-8")
    as_root(half, ["apt-get", "update"])
    return root


def copied(root: Root, to: Path) -> Root:
    """Another like it; what was there before goes."""
    discard(Root(to))
    _outside(
        ["cp", "--archive", "--reflink=auto", root.folder, to], "The bare Debian was not copied"
    )
    return Root(to)


def discard(root: Root) -> None:
    # Never across a mount, should somebody have made one by hand.
    if root.folder.exists():
        _outside(
            ["rm", "--recursive", "--force", "--one-file-system", root.folder],
            "What an earlier trial left cannot be removed",
        )


def as_root(root: Root, words: Sequence[str], patience: float = 600.0) -> str:
    """What the administrator does; what it said. Raises CannotTryError where it fails: that is
    this machine's fault, or the network's.
    """
    done = root.run(words, Inside(as_root=True, patience=patience))
    if done.status != 0:
        raise CannotTryError(f"`{shlex.join(words)}` failed: {_short(done.out + done.err)}")
    return done.out


def _fill(folder: Path, archive: Archive) -> None:
    """debootstrap cannot work in a path with a space, so it is shown another one."""
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-trial-") as shown:
        make = ["debootstrap", "--variant=minbase", archive.release, shown, archive.address]
        script = f"{shlex.join(['mount', '--bind', str(folder), shown])} && {shlex.join(make)}"
        _outside([*_ALONE, "sh", "-c", script], "debootstrap could not make a bare Debian")


def _settle(root: Root) -> None:
    as_root(root, ["useradd", "--create-home", "--shell", "/bin/sh", USER])
    as_root(root, ["apt-get", "clean"])


def _outside(command: "Sequence[str | Path]", failure: str) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise CannotTryError(f"{failure}: {_short(done.stdout + done.stderr)}")


def _short(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-4:])[-600:] or "nothing"
