"""Getting PyTorch: what would be fetched and why, and its way into an environment."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, mark, told
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.pythons import (
    INDEX,
    UNFINISHED,
    LabPython,
    TorchBuild,
    advice,
    ask,
    asked,
    candidates,
    flavour,
    program_in,
)

# Whoever keeps a copy of PyTorch's index names it here: a school, a test.
INDEX_VARIABLE = "GPUEXPLORER_PYTORCH_INDEX"
# Asked for where PyTorch's index does not answer, but the person's own may have it.
KNOWN_TORCH = "2.13.0"
_REQUIREMENT = "torch>={}.{}".format(*OLDEST_TORCH)
_BESIDE = "numpy"  # without it no tensor becomes an array
_HASTY = ("--retries", "1", "--timeout", "5")
_HEAD_PATIENCE = 5.0
_PATIENCE = 300.0  # with pip's answer, an environment that is made, and the proof
_ENDLESS = 1e9
# Times what was fetched, roughly; the fetched lies beside it for a while. What is for cards
# is packed less tightly.
_UNPACKED, _UNPACKED_FOR_CARDS = 4.5, 2
_PROVE = """
import sys, torch
assert float((torch.ones(2) + torch.ones(2)).sum()) == 4.0
"""
_AGAIN = mark("Try again; GPU Explorer never uses a PyTorch that is only partly installed.")
# What stands in the way, and the way out.
_TROUBLES = {
    "cancelled": (
        mark("Cancelled. GPU Explorer never uses a PyTorch that is only partly installed."),
        "",
    ),
    "other things": (
        mark("{folder} holds other things, and no Python."),
        mark("Name another folder."),
    ),
    "closed": (
        mark("PyTorch cannot be put into {folder}: {why}."),
        mark("Make that folder writable, or make room."),
    ),
    "no python": (
        mark("There is no Python {oldest} or newer here that can make an environment."),
        mark("Install it and venv (Debian, Ubuntu: `sudo apt install python3-venv`)."),
    ),
    "not made": (
        mark("{python} cannot make an environment: {why}."),
        mark("Install another Python, or give it what it lacks."),
    ),
    "silent": (
        mark("PyTorch's index, {where}, does not answer."),
        mark("Check the network connection, and try again."),
    ),
    "none suits": (
        mark("PyTorch's index, {where}, offers nothing that suits {python}."),
        mark("Install PyTorch by hand, and choose that Python as “Python of the lab”."),
    ),
    "full": (
        mark("PyTorch needs about {needed} MB of room in {folder}, and {free} MB are free."),
        mark("Make room on that disk, and try again."),
    ),
    "broken off": (mark("The download of PyTorch did not finish: {why}."), _AGAIN),
    "no start": (
        mark("PyTorch was installed into {folder}, but does not start: {why}."),
        _AGAIN,
    ),
}


def _trouble(what: str, **values: object) -> Trouble:
    sentence, hint = _TROUBLES[what]
    return Trouble(sentence, hint, **{name: str(each) for name, each in values.items()})


@dataclass(frozen=True)
class Plan:
    """What would be fetched. Its environment is there by then, and marked as unfinished."""

    python: Path  # of the environment
    folder: Path
    made: bool  # the environment was made for this
    build: TorchBuild
    why: Message
    urls: Sequence[str]
    size_bytes: "int | None"  # None: the index does not say
    on_disk_bytes: int = 0  # what lies on this computer already

    @property
    def unpacked(self) -> float:
        return _UNPACKED_FOR_CARDS if self.build.cuda else _UNPACKED

    @property
    def sentences(self) -> "list[Message]":
        """For the person who decides."""
        folder, size = str(self.folder), self.size_bytes
        fetched = Message("The index does not say how large it is.")
        if size is not None:
            fetched = Message(
                "The download is {size} MB; on the disk it takes about {disk} MB.",
                size=megabytes(size),
                disk=megabytes(size * self.unpacked),
            )
        into = mark("It goes into {folder}. To remove it: `{python} -m pip uninstall torch`.")
        if self.made:
            into = mark(
                "It goes into a folder of its own, {folder}. To remove it, delete that folder."
            )
        goes = Message(into, folder=folder, python=str(self.python))
        return [Message("{build}.", build=self.build.label), self.why, fetched, goes]

    def give_up(self) -> None:
        """Takes away what was made for it; what was there before may be half something."""
        if self.made:
            shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Progress:
    got_bytes: int
    size_bytes: int  # 0: not known
    seconds_left: "float | None" = None

    @property
    def complete(self) -> bool:
        """What is left is to install and to prove it."""
        return 0 < self.size_bytes <= self.got_bytes

    @property
    def said(self) -> Message:
        got, size = megabytes(self.got_bytes), megabytes(self.size_bytes)
        if self.complete:
            return Message("Installing PyTorch ({size} MB downloaded)…", size=size)
        if self.seconds_left is None:
            return Message("Downloading PyTorch: {got} MB.", got=got)
        left = mark("Downloading PyTorch: {got} of {size} MB, {seconds:.0f} s left.")
        return Message(left, got=got, size=size, seconds=self.seconds_left)


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f}" if size >= 1e6 or not size else "<1"


def there_already(
    where: Path, cards: Sequence[Card], driver_version: "str | None"
) -> "LabPython | None":
    """That Python, or the one of that environment, where its PyTorch is usable and suits."""
    python = ask(where if where.is_file() else program_in(where) or where)
    suited = python.fits(cards, driver_version)
    # A build for the processor is replaced where another would drive the cards.
    fits = suited.verdict is Verdict.FINE or suited.install is None
    return python if python.usable and fits else None


def plan_for(
    folder: Path,
    cards: Sequence[Card],
    driver_version: "str | None",
    given_up: threading.Event,
) -> Plan:
    """Waits some seconds. Makes the environment where there is none; fetches nothing else."""
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    cuda = None
    if driver_version is None and not cards:
        why = Message("No NVIDIA driver answers here, so the processor does the work.")
    elif cuda := flavour(driver_version, capabilities):
        why = Message("It suits the driver and the cards here.")
    else:
        why = Message("No single build suits the driver and all cards here.")
        why = told(why, advice(None, driver_version, capabilities))
    marker, made = folder / UNFINISHED, False
    try:
        if (marker / "made").exists():
            shutil.rmtree(folder)  # nothing of half an attempt is of use
        python = program_in(folder)
        made = python is None
        if python is None:
            python = _environment(folder, given_up)
        # What suits already is left alone, unless it may be half there.
        anew = made or marker.exists() or ask(python).build is not None
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            offered = _offered(python, made, anew, cuda, Path(temporary), given_up)
    except (Trouble, KeyboardInterrupt, OSError) as error:
        if made and os.path.exists(marker / "made"):  # noqa: PTH110 - it may be closed
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise _trouble("closed", folder=folder, why=error.strerror or error) from error
        raise
    sizes = {url: _size(url) for _, _, url in offered}
    known = [size for size in sizes.values() if size is not None]
    return Plan(
        python,
        folder,
        made,
        TorchBuild(next(version for name, version, _ in offered if name == "torch"), cuda),
        why,
        [*sizes],
        sum(known) if len(known) == len(sizes) else None,
        sum(size or 0 for url, size in sizes.items() if url.startswith("file:")),
    )


def get(plan: Plan, show: "Callable[[Progress], None]", given_up: threading.Event) -> LabPython:
    """Fetches, installs and proves it; `show` is called from this thread."""
    try:
        _check_room(plan)
    except Trouble:
        plan.give_up()  # what was made to learn the size would only fill the disk further
        raise
    unfinished = plan.folder / UNFINISHED
    unfinished.mkdir(exist_ok=True)
    began, size, here = time.monotonic(), plan.size_bytes or 0, plan.on_disk_bytes

    def tick() -> None:
        fetched, seconds = 0, time.monotonic() - began
        with contextlib.suppress(OSError):  # gone meanwhile; pip itself tells it only in words
            fetched = sum(e.stat().st_size for e in unfinished.glob("pip-unpack-*/*"))
        left = (size - here - fetched) / (fetched / seconds) if fetched and size else None
        show(Progress(min(here + fetched, size) if size else fetched, size, left))

    # Exactly what was planned, and over whatever half an attempt left behind.
    install = ("install", "--no-compile", "--force-reinstall", "--no-deps", *plan.urls)
    code, said = _pip(plan.python, unfinished, install, given_up, tick, _ENDLESS)
    if given_up.is_set():
        plan.give_up()
        raise _trouble("cancelled")
    if code != 0:
        _check_room(plan)
        raise _trouble("broken off", why=_last(said))
    code, said = asked([plan.python, "-I", "-c", _PROVE], _PATIENCE, given_up)
    if code != 0:
        raise _trouble("no start", folder=plan.folder, why=_last(said))
    shutil.rmtree(unfinished)
    return ask(plan.python)


def _environment(folder: Path, given_up: threading.Event) -> Path:
    """A new one's Python: made by the first here that can make one with pip in it."""
    if folder.exists() and any(folder.iterdir()):
        raise _trouble("other things", folder=folder)
    asked_for = (ask(each, given_up=given_up) for each in candidates(os.environ, Path.home()))
    able = (each for each in asked_for if each.makes_environments)
    maker = next((each.path for each in able if each.version >= OLDEST_PYTHON), None)
    if maker is None:
        raise _trouble("no python", oldest="{}.{}".format(*OLDEST_PYTHON))
    (folder / UNFINISHED).mkdir(parents=True)
    (folder / UNFINISHED / "made").touch()
    code, said = asked([maker, "-m", "venv", folder], _PATIENCE, given_up)
    made = program_in(folder)
    if given_up.is_set():
        raise _trouble("cancelled")
    if code or made is None:
        raise _trouble("not made", python=maker, why=_last(said))
    return made


def _offered(
    python: Path,
    made: bool,
    anew: bool,
    cuda: "str | None",
    temporary: Path,
    given_up: threading.Event,
) -> "list[tuple[str, str, str]]":
    """Name, version and address of all that pip would take, by its dry run."""
    if made:  # with an old pip, which fetches all only to say what it would fetch
        _pip(python, temporary, ("install", "--upgrade", *_HASTY, "pip"), given_up)
    else:  # perhaps without one
        asked([python, "-I", "-m", "ensurepip"], _PATIENCE, given_up)
    index = os.environ.get(INDEX_VARIABLE, INDEX)
    tag = "cpu" if cuda is None else f"cu{cuda.replace('.', '')}"
    report = temporary / "report.json"
    dry: tuple[str, ...] = ("install", "--dry-run", "--report", str(report), *_HASTY)
    dry += ("--ignore-installed",) if anew else ()
    theirs = ("--index-url", f"{index.rstrip('/')}/{tag}", _REQUIREMENT)
    # The person's own index, mirror or folder may have it where PyTorch's does not answer.
    for order in (theirs, (f"torch=={KNOWN_TORCH}",)):
        report.unlink(missing_ok=True)
        _pip(python, temporary, (*dry, *order, _BESIDE), given_up)
        if given_up.is_set():
            raise _trouble("cancelled")
        if not report.exists():
            continue  # pip wrote none, since it found nothing
        found = []
        for each in json.loads(report.read_text("utf-8"))["install"]:
            about, source = each["metadata"], each["download_info"]
            sha256 = source.get("archive_info", {}).get("hashes", {}).get("sha256")
            url = source["url"] if sha256 is None else f"{source['url']}#sha256={sha256}"
            found.append((about["name"].lower(), about["version"], url))
        # The build that was asked for, and not gigabytes of another. Without a mark it is for
        # the processor, but on Linux it brings CUDA along.
        bare = "" if tag == "cpu" and sys.platform != "linux" else tag
        version = next((version for name, version, _ in found if name == "torch"), None)
        if version is not None and version.partition("+")[2] in (tag, bare):
            return found
    where = urlsplit(index).netloc or index
    try:
        with urllib.request.urlopen(index, timeout=_HEAD_PATIENCE):
            pass
    except urllib.error.HTTPError:
        pass  # which is an answer
    except (OSError, ValueError):
        raise _trouble("silent", where=where) from None
    raise _trouble("none suits", where=where, python=python)


def _pip(
    python: Path,
    temporary: Path,
    order: Sequence[str],
    given_up: threading.Event,
    tick: "Callable[[], None]" = lambda: None,
    patience: float = _PATIENCE,
) -> "tuple[int | None, str]":
    """With the person's own configuration: mirrors, proxies, certificates."""
    there = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary))
    quiet = ("--no-input", "--disable-pip-version-check")
    command: list[str | Path] = [python, "-I", "-m", "pip", *quiet, *order]
    return asked(command, patience, given_up, {**os.environ, **there}, tick)


def _size(url: str) -> "int | None":
    try:
        head = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(head, timeout=_HEAD_PATIENCE) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, ValueError, TypeError):
        return None


def _check_room(plan: Plan) -> None:
    free = shutil.disk_usage(plan.folder).free
    needed = (plan.size_bytes or 0) * (plan.unpacked + 1) - plan.on_disk_bytes
    if free < needed:
        sizes = {"needed": megabytes(needed), "free": megabytes(free)}
        raise _trouble("full", folder=plan.folder, **sizes)


def _last(said: str) -> str:
    """The line in which a program says why it ended."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")] or lines
    return errors[-1].removeprefix("ERROR: ")[:200].rstrip(".") if errors else "?"
