"""Getting PyTorch: what would be fetched and why, and its way into an environment."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, mark, told
from gpuexplorer.lab.pythons import (
    INDEX,
    OLDEST_PYTHON,
    OLDEST_TORCH,
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
CANCELLED = mark("Cancelled. GPU Explorer never uses a PyTorch that is only partly installed.")


@dataclass(frozen=True)
class Plan:
    """What would be fetched. Its environment is there by then, and marked as unfinished."""

    python: Path  # of the environment
    folder: Path
    made: bool  # the environment was made for this
    build: TorchBuild
    why: Message
    urls: Sequence[str]
    size_bytes: int  # 0: the index does not say

    @property
    def unpacked(self) -> float:
        return _UNPACKED_FOR_CARDS if self.build.cuda else _UNPACKED

    @property
    def sentences(self) -> "list[Message]":
        """For the person who decides."""
        folder, size = str(self.folder), self.size_bytes
        fetched = Message("The index does not say how large it is.")
        if size:
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
    folder: Path, cards: Sequence[Card], driver_version: "str | None", given_up: threading.Event
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
    made = False
    try:
        python = program_in(folder)
        # What suits already is left alone, unless it may be half there.
        half = (folder / UNFINISHED).exists()
        anew = python is None or half or ask(python).build is not None
        if python is None:
            if not half and folder.exists() and any(folder.iterdir()):
                raise Trouble(
                    "{folder} holds other things, and no Python.",
                    "Name another folder.",
                    folder=str(folder),
                )
            maker = _maker(given_up)
            made = True
            (folder / UNFINISHED).mkdir(parents=True, exist_ok=True)
            failed = _failed([maker, "-m", "venv", folder], given_up)
            python = program_in(folder)
            if failed or python is None:
                raise OSError(failed)
            # Its pip is old, and fetches all only to say what it would fetch.
            _failed(_pip(python, "install", "--upgrade", *_HASTY, "pip"), given_up)
        else:  # perhaps without one
            _failed([python, "-I", "-m", "ensurepip"], given_up)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            version, urls = _offered(python, anew, cuda, Path(temporary), given_up)
    except (Trouble, KeyboardInterrupt, OSError) as error:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise Trouble(
                "PyTorch cannot be put into {folder}: {why}.",
                "Make that folder writable, or make room; or name another.",
                folder=str(folder),
                why=error.strerror or str(error),
            ) from error
        raise
    sizes = [_size(url) for url in urls]
    size = sum(sizes) if all(sizes) else 0
    return Plan(python, folder, made, TorchBuild(version, cuda), why, urls, size)


def get(plan: Plan, show: "Callable[[Progress], None]", given_up: threading.Event) -> LabPython:
    """Fetches, installs and proves it; `show` is called from this thread."""
    unfinished, size = plan.folder / UNFINISHED, plan.size_bytes
    began = time.monotonic()

    def tick() -> None:
        fetched, seconds = 0, time.monotonic() - began
        with contextlib.suppress(OSError):  # gone meanwhile; pip itself tells it only in words
            fetched = sum(e.stat().st_size for e in unfinished.glob("pip-unpack-*/*"))
        left = (size - fetched) / (fetched / seconds) if fetched and size else None
        show(Progress(min(fetched, size) if size else fetched, size, left))

    # Exactly what was planned, and over whatever half an attempt left behind.
    install = ("install", "--no-compile", "--force-reinstall", "--no-deps", *plan.urls)
    try:
        free = shutil.disk_usage(plan.folder).free
        if free < (needed := size * (plan.unpacked + 1)):
            raise Trouble(
                "PyTorch needs about {needed} MB of room in {folder}, and {free} MB are free.",
                "Make room on that disk, and try again.",
                needed=megabytes(needed),
                folder=str(plan.folder),
                free=megabytes(free),
            )
        unfinished.mkdir(exist_ok=True)
        failed = _failed(_pip(plan.python, *install), given_up, unfinished, tick, _ENDLESS)
        failed = failed or _failed([plan.python, "-I", "-c", _PROVE], given_up)
        if failed:
            raise Trouble(
                "The installation of PyTorch did not finish: {why}.",
                "Try again; GPU Explorer never uses a PyTorch that is only partly installed.",
                why=failed,
            )
    except Trouble:
        plan.give_up()
        raise
    shutil.rmtree(unfinished)
    return ask(plan.python)


def _maker(given_up: threading.Event) -> Path:
    """The first Python here that can make an environment with pip in it."""
    for each in candidates(os.environ, Path.home()):
        python = ask(each, given_up=given_up)
        if python.makes_environments and python.version >= OLDEST_PYTHON:
            return python.path
    raise Trouble(
        "There is no Python {oldest} or newer here that can make an environment.",
        "Install it and venv (Debian, Ubuntu: `sudo apt install python3-venv`).",
        oldest="{}.{}".format(*OLDEST_PYTHON),
    )


def _offered(
    python: Path, anew: bool, cuda: "str | None", temporary: Path, given_up: threading.Event
) -> "tuple[str, list[str]]":
    """The version of PyTorch, and the addresses of all that pip would take, by its dry run."""
    index = os.environ.get(INDEX_VARIABLE, INDEX)
    tag = "cpu" if cuda is None else f"cu{cuda.replace('.', '')}"
    report = temporary / "report.json"
    dry: tuple[str, ...] = ("install", "--dry-run", "--report", str(report), *_HASTY)
    dry += ("--ignore-installed",) if anew else ()
    theirs = ("--index-url", f"{index.rstrip('/')}/{tag}", _REQUIREMENT)
    # The person's own index, mirror or folder may have it where PyTorch's does not answer.
    for order in (theirs, (f"torch=={KNOWN_TORCH}",)):
        report.unlink(missing_ok=True)
        _failed(_pip(python, *dry, *order, _BESIDE), given_up, temporary)
        if not report.exists():
            continue  # pip wrote none, since it found nothing
        version, urls = "", []
        for each in json.loads(report.read_text("utf-8"))["install"]:
            about, source = each["metadata"], each["download_info"]
            sha256 = source.get("archive_info", {}).get("hashes", {}).get("sha256")
            urls.append(source["url"] if sha256 is None else f"{source['url']}#sha256={sha256}")
            if about["name"].lower() == "torch":
                version = about["version"]
        # The build that was asked for, and not gigabytes of another. Without a mark it is for
        # the processor, but on Linux it brings CUDA along.
        bare = "" if tag == "cpu" and sys.platform != "linux" else tag
        if version and version.partition("+")[2] in (tag, bare):
            return version, urls
    raise Trouble(
        "PyTorch's index, {where}, does not answer, or offers nothing that suits {python}.",
        "Check the network connection, and try again; or install PyTorch by hand, and choose"
        " that Python as “Python of the lab”.",
        where=urlsplit(index).netloc or index,
        python=str(python),
    )


def _pip(python: Path, *order: str) -> "list[str | Path]":
    quiet = ("--no-input", "--disable-pip-version-check")
    return [python, "-I", "-m", "pip", *quiet, *order]


def _failed(
    command: "Sequence[str | Path]",
    given_up: threading.Event,
    temporary: "Path | None" = None,
    tick: "Callable[[], None]" = lambda: None,
    patience: float = _PATIENCE,
) -> str:
    """Why it did, in its own last line; empty where it did not. With the person's own
    configuration of pip: mirrors, proxies, certificates.
    """
    there = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary)) if temporary else {}
    code, said = asked(command, patience, given_up, {**os.environ, **there}, tick)
    if given_up.is_set():
        raise Trouble(CANCELLED)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")] or lines or ["?"]
    return "" if code == 0 else errors[-1].removeprefix("ERROR: ")[:200].rstrip(".")


def _size(url: str) -> int:
    """0: it is not told."""
    import urllib.request  # noqa: PLC0415 - brings OpenSSL, 6 MB, and most windows fetch nothing

    try:
        head = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(head, timeout=_HEAD_PATIENCE) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, ValueError, TypeError):
        return 0
