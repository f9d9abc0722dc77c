"""A bare Debian in a folder, programs run inside it, and a display that nobody sees."""

import ast
import os
import platform
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage

USER = "student"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
HOME = f"/home/{USER}"
WIDE, HIGH = 1600, 1000
# No person can use these last words: Python's, the loader's, Qt's.
NO_SENTENCES = re.compile(
    "Traceback|error while loading shared|Failed to execute script|core dumped"
    "|could not load the Qt platform plugin",
    re.IGNORECASE,
)
# The sh of the namespace is process 1; what it started may need a moment more than itself.
START = """
set -e
mount -t proc proc {root}/proc
mount --rbind /dev {root}/dev
mkdir -p /tmp/.X11-unix {root}/tmp/.X11-unix
mount --bind /tmp/.X11-unix {root}/tmp/.X11-unix
for home in {home}; do
    mount --bind "$home" "$home"
    mount -o remount,bind,ro "$home"
done
for folder in {lent}; do
    mkdir -p {root}"$folder"
    mount --bind "$folder" {root}"$folder"
    mount -o remount,bind,ro {root}"$folder"
done
set +e
{command}
status=$?
for each in 1 2 3 4 5 6 7 8 9 10; do
    left=
    for process in {root}/proc/[0-9]*; do
        [ "${{process##*/}}" = 1 ] || left="$left $(tr '\\0' ' ' < "$process/cmdline")"
    done
    [ -z "$left" ] && exit $status
    sleep 0.3
done
echo "Left running: $left" >&2
exit $status
"""


class System:
    """A bare Debian in a folder. What is mounted there for a program is gone with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lent: set[str] = set()  # folders of this machine, seen there at the same place

    def at(self, path: str) -> Path:
        return self.folder / path.lstrip("/")

    def start(
        self,
        *words: str,
        as_root: bool = False,
        read_only: bool = False,
        alone: bool = False,
        where: str = "",
        **variables: str,
    ) -> "subprocess.Popen[str]":
        """`read_only`: the person's home; `alone`: shares no memory with the X server."""
        known = {"HOME": "/root" if as_root else HOME, "LANG": "C.UTF-8", "PATH": PATH}
        known |= {"DEBIAN_FRONTEND": "noninteractive", **variables}
        person = f"--userspec={USER}:{USER}"
        chroot = ["chroot", "--userspec=0:0" if as_root else person, str(self.folder)]
        chroot += ["env", "-i", f"--chdir={where or known['HOME']}"]
        chroot += [f"{name}={value}" for name, value in known.items()]
        script = START.format(
            root=shlex.quote(str(self.folder)),
            home=shlex.quote(str(self.at(HOME))) if read_only else "",
            lent=shlex.join(sorted(self.lent)),
            command=shlex.join([*chroot, *words]),
        )
        # The kernel ends and unmounts what is in these, even if this program is killed.
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        spaces += ["--ipc"] if alone else []
        return subprocess.Popen(
            [*spaces, "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    # Any: whatever `start` takes.
    def run(self, *words: str, status: int = 0, **how: Any) -> str:
        """What it said. It has to end with this status, in words, and leave nothing running."""
        return ended(self.start(*words, **how), status)[0]

    def as_root(self, *words: str) -> str:
        return self.run(*words, as_root=True)

    def give(self, path: Path) -> str:
        """A copy, readable to everybody."""
        shutil.copyfile(path, self.at(f"/var/tmp/{path.name}"))
        return f"/var/tmp/{path.name}"

    def lend_pip(self) -> None:
        """How this machine's pip reaches its packages: its settings and what they name."""
        pip = [sys.executable, "-m", "pip", "config", "list"]
        settings: dict[str, list[str]] = {}
        for line in subprocess.check_output(pip, text=True).splitlines():
            name, _, value = line.partition("=")
            words = settings.setdefault(name.rpartition(".")[2], [])  # a variable comes first
            for word in [] if words else ast.literal_eval(value).split():
                path = Path(word.removeprefix("file://"))
                if path.is_absolute() and path.is_dir():
                    # An index keeps its files beside itself.
                    self.lent.add(str(path if word == str(path) else path.parent))
                words.append(self.give(path) if path.is_file() else word)
        lines = [f"{name} = {' '.join(words)}\n" for name, words in settings.items()]
        self.at("/etc/pip.conf").write_text("".join(["[global]\n", *lines]))

    def paths(self) -> set[str]:
        return {f"/{path.relative_to(self.folder)}" for path in self.folder.rglob("*")}

    def packages(self) -> set[str]:
        query = ("dpkg-query", "--show", "-f", "${db:Status-Abbrev}${Package}\\n")
        lines = self.as_root(*query).splitlines()
        return {line[3:].strip() for line in lines if line.startswith("ii")}


def ended(process: "subprocess.Popen[str]", status: int = 0) -> tuple[str, str]:
    try:
        out, err = process.communicate(timeout=900)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"It did not end. It had said: {process.communicate()}")
    said = f"{out[-2000:]}\n{err[-2000:]}"
    assert not NO_SENTENCES.search(out + err), said
    assert process.returncode == status, said
    assert "Left running:" not in err, said
    return out, err


def bare_system(place: Path) -> System:
    """The smallest Debian that installs packages, with an ordinary user in it; kept."""
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    asked = ["--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"]
    lines = subprocess.check_output(["apt-get", "indextargets", *asked], text=True).splitlines()
    sources = [line.split() for line in lines if line.split()[1].split("-")[0] == suite]
    assert sources, f"apt knows no archive of {suite}. Run `apt-get update`."
    # How apt reaches it: a proxy, a patience. Not what else apt does on this machine.
    dump = subprocess.check_output(["apt-config", "dump"], text=True).splitlines()
    reach = ("Acquire::Check-", "Acquire::http", "Acquire::Retries")
    settings = [line for line in dump if line.startswith(reach) and not line.endswith(' "";')]
    system = System(place / f"bare-{suite}")
    if not system.folder.exists():
        part = System(place / f"bare-{suite}.part")
        shutil.rmtree(part.folder, ignore_errors=True)
        address = next(line[0] for line in sources if line[1] == suite)
        make = ["debootstrap", "--variant=minbase", suite, str(part.folder), address]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        part.as_root("useradd", "--create-home", "--shell", "/bin/sh", USER)
        part.folder.rename(system.folder)
    lists = "".join(f"deb {' '.join(line)}\n" for line in sources)
    system.at("/etc/apt/sources.list").write_text(lists)
    system.at("/etc/apt/apt.conf.d/90trial").write_text("\n".join([*settings, ""]))
    system.as_root("apt-get", "update")
    return system


@dataclass(frozen=True)
class Display:
    """An X server without a screen, which asks for a cookie, as the one at a desk does."""

    name: str
    cookies: Path
    memory: Path

    def open_to(self, system: System) -> dict[str, Any]:
        """What `start` has to be told of it."""
        cookies = system.at(f"{HOME}/.Xauthority")
        shutil.copyfile(self.cookies, cookies)
        shutil.chown(cookies, system.at(HOME).stat().st_uid)
        variables = {"DISPLAY": self.name, "XAUTHORITY": f"{HOME}/.Xauthority"}
        return {**variables, "alone": not self.name.startswith(":")}

    def pixels(self) -> npt.NDArray[np.uint32]:
        """Xvfb keeps them as xwd does: a header, colours of 12 bytes, 32 bits for a pixel."""
        data = self.memory.read_bytes()
        header = struct.unpack_from(">25I", data)
        found = np.frombuffer(data, np.uint32, WIDE * HIGH, header[0] + 12 * header[19])
        return found | np.uint32(0xFF000000)

    def shown_by(self, process: "subprocess.Popen[str]", picture: Path) -> None:
        """Waits until there is more than an empty window, and it stands still or is gone."""
        last, alike, until = None, 0, time.monotonic() + 120
        while alike < 5 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
            now = self.pixels()
            if len(np.unique(now[::37])) >= 24:
                # Curves move on, and a clock's hands.
                still = last is not None and float((now != last)[::37].mean()) <= 0.02
                last, alike = now, alike + 1 if still else 0
        if last is None:
            ended(process)  # its own words say more
            pytest.fail("It ended before anything was drawn.")
        drawn = QImage(last.tobytes(), WIDE, HIGH, QImage.Format.Format_RGB32)
        assert drawn.save(str(picture))

    def press(self, *words: str) -> None:
        """What it does not do is missed by whoever waits for it."""
        shown = {**os.environ, "DISPLAY": self.name, "XAUTHORITY": str(self.cookies)}
        subprocess.run(["timeout", "60", "xdotool", *words], env=shown, check=False)


@contextmanager
def display(*, remote: bool = False) -> Iterator[Display]:
    """`remote`: reached through the network alone, as with `ssh -X`."""
    with tempfile.TemporaryDirectory() as folder:
        server = f"-screen 0 {WIDE}x{HIGH}x24 -noreset -fbdir {folder}"
        tcp = ["--listen-tcp", "--server-args", f"{server} -listen tcp"]
        xvfb = ["xvfb-run", "--auto-servernum", *(tcp if remote else ["--server-args", server])]
        xvfb += ["sh", "-c", 'echo "$DISPLAY $XAUTHORITY"; cat']
        pipe = subprocess.PIPE
        with subprocess.Popen(xvfb, stdin=pipe, stdout=pipe, text=True) as running:
            assert running.stdin is not None
            assert running.stdout is not None
            name, cookies = running.stdout.readline().split()
            place = f"127.0.0.1{name}" if remote else name
            yield Display(place, Path(cookies), Path(folder, "Xvfb_screen0"))
