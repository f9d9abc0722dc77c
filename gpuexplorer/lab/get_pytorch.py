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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.pythons import (
    UNFINISHED,
    Answer,
    LabPython,
    ask,
    asked,
    candidates,
    programs,
)
from gpuexplorer.lab.torch_builds import INDEX, TorchBuild, advice, flavour

# Whoever keeps a copy of PyTorch's index names it here: a school, a test.
INDEX_VARIABLE = "GPUEXPLORER_PYTORCH_INDEX"
# Asked for where PyTorch's index does not answer, but the person's own may have it.
KNOWN_TORCH = "2.13.0"
_REQUIREMENT = "torch>={}.{}".format(*OLDEST_TORCH)
_BESIDE = "numpy"  # without it no tensor becomes an array
# Older ones fetch all of it only to say what they would fetch.
MODERN_PIP = (24, 1)
_HASTY = ("--retries", "1", "--timeout", "5")
_HEAD_PATIENCE = 5.0
_ASKING_PATIENCE = 300.0
_MAKING_PATIENCE = 300.0
_PROVING_PATIENCE = 300.0
_ENDLESS = 1e9
# Times what was fetched, roughly; the fetched lies beside it for a while. What is for cards
# is packed less tightly.
_UNPACKED, _UNPACKED_FOR_CARDS = 4.5, 2
# It ends with us, even where we are killed: then nobody holds the other end of its stdin.
_PIP = """
import os, runpy, sys, threading
ending = threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True)
ending.start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_PROVE = """
import json, torch
assert float((torch.ones(2) + torch.ones(2)).sum()) == 4.0
print("GPUEXPLORER", json.dumps([torch.__version__, torch.version.cuda]))
"""
_AGAIN = "Try again; GPU Explorer never uses a PyTorch that is only partly installed."


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
        into = Message(
            "It goes into {folder}. To remove it: `{python} -m pip uninstall torch`.",
            folder=folder,
            python=str(self.python),
        )
        if self.made:
            into = Message(
                "It goes into a folder of its own, {folder}. To remove it, delete that folder.",
                folder=folder,
            )
        return [Message("{build}.", build=self.build.label), self.why, fetched, into]

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
        return Message(
            "Downloading PyTorch: {got} of {size} MB, {seconds:.0f} s left.",
            got=got,
            size=size,
            seconds=self.seconds_left,
        )


def there_already(
    where: Path, cards: Sequence[Card], driver_version: "str | None"
) -> "LabPython | None":
    """That Python, or the one of that environment, where its PyTorch is usable and suits."""
    program = where if where.is_file() else _program_in(where)
    python = None if program is None else ask(program)
    if python is None or not python.usable:
        return None
    suited = python.fits(cards, driver_version)
    # A build for the processor is replaced where another would drive the cards.
    return python if suited.verdict is Verdict.FINE or suited.install is None else None


def plan_for(
    folder: Path,
    cards: Sequence[Card],
    driver_version: "str | None",
    given_up: threading.Event,
) -> Plan:
    """Waits some seconds. Makes the environment where there is none; fetches nothing else."""
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    if driver_version is None and not cards:
        cuda = None
        why = Message("No NVIDIA driver answers here, so the processor does the work.")
    elif cuda := flavour(driver_version, capabilities):
        why = Message("It suits the driver and the cards here.")
    else:
        why = Message("No single build suits the driver and all cards here.")
        why = told(why, advice(None, driver_version, capabilities))
    python, made = _environment(folder, given_up)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            return _asked_of_pip(folder, python, made, cuda, why, Path(temporary), given_up)
    except (Trouble, KeyboardInterrupt):
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise


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
        fetched, seconds = _fetched(unfinished), time.monotonic() - began
        left = (size - here - fetched) / (fetched / seconds) if fetched and size else None
        show(Progress(min(here + fetched, size) if size else fetched, size, left))

    # Exactly what was planned, and over whatever half an attempt left behind.
    install = ("install", "--no-compile", "--force-reinstall", "--no-deps", *plan.urls)
    ended = _pip(plan.python, unfinished, install, _ENDLESS, given_up, tick)
    if given_up.is_set():
        plan.give_up()
        raise _cancelled()
    if ended.code != 0:
        _check_room(plan)
        raise Trouble(
            "The download of PyTorch did not finish: {why}.", _AGAIN, why=_last(ended)
        )
    proof = asked([plan.python, "-I", "-c", _PROVE], _PROVING_PATIENCE, given_up)
    if proof.code != 0:
        raise Trouble(
            "PyTorch was installed into {folder}, but does not start: {why}.",
            _AGAIN,
            folder=str(plan.folder),
            why=_last(proof),
        )
    shutil.rmtree(unfinished)
    return ask(plan.python)


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f}" if size >= 1e6 or not size else "<1"


def _environment(folder: Path, given_up: threading.Event) -> "tuple[Path, bool]":
    """Its Python, and whether it was made for this."""
    marker = folder / UNFINISHED
    if (marker / "made").exists():
        shutil.rmtree(folder)  # nothing of half an attempt is of use
    python = _program_in(folder)
    try:
        if python is not None:
            return python, False
        if folder.exists() and any(folder.iterdir()):
            raise Trouble(
                "{folder} holds other things, and no Python.",
                "Name another folder.",
                folder=str(folder),
            )
        maker = _maker(given_up)
        marker.mkdir(parents=True)
        (marker / "made").touch()
    except OSError as error:
        raise Trouble(
            "PyTorch cannot be put into {folder}: {why}.",
            "Make that folder writable, or make room.",
            folder=str(folder),
            why=error.strerror or error,
        ) from error
    ended = asked([maker, "-m", "venv", folder], _MAKING_PATIENCE, given_up)
    python = _program_in(folder)
    if ended.code == 0 and python is not None:
        return python, True
    shutil.rmtree(folder, ignore_errors=True)
    if given_up.is_set():
        raise _cancelled()
    raise Trouble(
        "{python} cannot make an environment: {why}.",
        "Install another Python, or give it what it lacks.",
        python=str(maker),
        why=_last(ended),
    )


def _maker(given_up: threading.Event) -> Path:
    """The first Python here that can make an environment with pip in it."""
    poor = None
    for path in candidates(dict(os.environ), Path.home()):
        python = ask(path, given_up=given_up)
        if python.version >= OLDEST_PYTHON and python.makes_environments:
            return path
        poor = poor or (python if python.version >= OLDEST_PYTHON else None)
    if poor is not None:
        raise Trouble(
            "{python} lacks venv or ensurepip, so no environment can be made with it.",
            "Install them (Debian, Ubuntu: `sudo apt install python3-venv`), and try again.",
            python=str(poor.path),
        )
    raise Trouble(
        "There is no Python {oldest} or newer here, and PyTorch needs one.",
        "Install Python (Debian, Ubuntu: `sudo apt install python3-venv`), and try again.",
        oldest="{}.{}".format(*OLDEST_PYTHON),
    )


def _asked_of_pip(
    folder: Path,
    python: Path,
    made: bool,
    cuda: "str | None",
    why: Message,
    temporary: Path,
    given_up: threading.Event,
) -> Plan:
    """By its dry run: what it would take from where."""
    pips = [
        tuple(int(part) for part in each.name.split("-")[1].split(".")[:2])
        for each in _installed(folder, "pip-[0-9]*.[0-9]*.dist-info")
    ]
    if not pips and asked([python, "-I", "-m", "ensurepip"], _MAKING_PATIENCE, given_up).code:
        raise Trouble(
            "{python} has no pip.",
            "Install it (Debian, Ubuntu: `sudo apt install python3-pip python3-venv`), and try "
            "again.",
            python=str(python),
        )
    if not pips or max(pips) < MODERN_PIP:
        # Two megabytes, so that it can say what it would fetch; else its own will have to do.
        newer = ("install", "--upgrade", *_HASTY, "pip>={}.{}".format(*MODERN_PIP))
        _pip(python, temporary, newer, _ASKING_PATIENCE, given_up)
    index = os.environ.get(INDEX_VARIABLE, INDEX)
    tag = "cpu" if cuda is None else f"cu{cuda.replace('.', '')}"

    def report(*options: str) -> "list[tuple[str, str, str]]":
        """Name, version and address of each package that would be taken."""
        file = temporary / "report.json"
        file.unlink(missing_ok=True)
        order = ("install", "--dry-run", "--report", str(file), *_HASTY, *options)
        _pip(python, temporary, order, _ASKING_PATIENCE, given_up)
        if given_up.is_set():
            raise _cancelled()
        if not file.exists():
            return []  # pip wrote none, since it found nothing
        found = []
        for each in json.loads(file.read_text("utf-8"))["install"]:
            about, source = each["metadata"], each["download_info"]
            sha256 = source.get("archive_info", {}).get("hashes", {}).get("sha256")
            url = source["url"] if sha256 is None else f"{source['url']}#sha256={sha256}"
            found.append((about["name"].lower(), about["version"], url))
        return found

    half = (folder / UNFINISHED).exists()
    # What suits already is left alone, unless it may be half there.
    anew = ("--ignore-installed",) if made or half or _installed(folder, "torch") else ()
    theirs = ("--index-url", f"{index.rstrip('/')}/{tag}")
    # The person's own index, mirror or folder may have it where PyTorch's does not answer.
    for source, wanted in ((theirs, _REQUIREMENT), ((), f"torch=={KNOWN_TORCH}")):
        # One page tells whether an index answers; each package's would be waited for.
        alone = report("--no-deps", "--ignore-installed", *source, wanted)
        if not _right(alone, tag):
            continue
        _, version, url = alone[0]
        beside = () if url.startswith("file:") else source
        taken = report(*anew, *beside, f"torch=={version}", _BESIDE)
        if _right(taken, tag):
            break
    else:
        raise _nothing_offered(index, python)
    urls = [url for _, _, url in taken]
    with ThreadPoolExecutor(8) as several:
        sizes = list(several.map(_size, urls))
    known = {url: size for url, size in zip(urls, sizes, strict=True) if size is not None}
    return Plan(
        python,
        folder,
        made,
        TorchBuild(version, cuda),
        why,
        urls,
        sum(known.values()) if len(known) == len(urls) else None,
        sum(size for url, size in known.items() if url.startswith("file:")),
    )


def _cancelled() -> Trouble:
    return Trouble(
        "Cancelled. GPU Explorer never uses a PyTorch that is only partly installed."
    )


def _right(taken: "Sequence[tuple[str, str, str]]", tag: str) -> bool:
    """Whether it is the build that was asked for, and not gigabytes of another."""
    version = next((version for name, version, _ in taken if name == "torch"), None)
    if version is None or "+" in version:
        return version is not None and version.partition("+")[2] == tag
    # Without a mark it is for the processor, but on Linux it brings CUDA along.
    return tag == "cpu" and sys.platform != "linux"


def _nothing_offered(index: str, python: Path) -> Trouble:
    try:
        with urllib.request.urlopen(index, timeout=_HEAD_PATIENCE):
            answers = True
    except urllib.error.HTTPError:
        answers = True
    except (OSError, ValueError):
        answers = False
    where = urlsplit(index).netloc or index
    if not answers:
        return Trouble(
            "PyTorch's index, {where}, does not answer.",
            "Check the network connection, and try again.",
            where=where,
        )
    return Trouble(
        "PyTorch's index, {where}, offers nothing that suits {python}.",
        "Install PyTorch by hand, and choose that Python as “Python of the lab”.",
        where=where,
        python=str(python),
    )


def _pip(
    python: Path,
    temporary: Path,
    order: Sequence[str],
    patience: float,
    given_up: threading.Event,
    tick: "Callable[[], None]" = lambda: None,
) -> Answer:
    """With the person's own configuration: mirrors, proxies, certificates."""
    there = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary))
    quiet = ("--no-input", "--disable-pip-version-check")
    command: list[str | Path] = [python, "-I", "-c", _PIP, *quiet, *order]
    theirs, ours = os.pipe()
    try:
        return asked(command, patience, given_up, {**os.environ, **there}, tick, theirs)
    finally:
        os.close(theirs)
        os.close(ours)


def _fetched(temporary: Path) -> int:
    """By the files that pip writes; it tells of them only in words."""
    total = 0
    with contextlib.suppress(OSError):  # gone meanwhile
        for each in temporary.glob("pip-unpack-*/*"):
            total += each.stat().st_size
    return total


def _size(url: str) -> "int | None":
    try:
        if url.startswith("file:"):
            return Path(urllib.request.url2pathname(urlsplit(url).path)).stat().st_size
        head = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(head, timeout=_HEAD_PATIENCE) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, ValueError, TypeError):
        return None


def _check_room(plan: Plan) -> None:
    free = shutil.disk_usage(plan.folder).free
    needed = (plan.size_bytes or 0) * (plan.unpacked + 1) - plan.on_disk_bytes
    if free < needed:
        raise Trouble(
            "PyTorch needs about {needed} MB of room in {folder}, and {free} MB are free.",
            "Make room on that disk, and try again.",
            needed=megabytes(needed),
            free=megabytes(free),
            folder=str(plan.folder),
        )


def _program_in(folder: Path) -> "Path | None":
    return next((each for each in programs(folder) if each.is_file()), None)


def _installed(folder: Path, name: str) -> "list[Path]":
    where = "Lib/site-packages" if os.name == "nt" else "lib/python3*/site-packages"
    return list(folder.glob(f"{where}/{name}"))


def _last(ended: Answer) -> str:
    """The line in which a program says why it ended."""
    lines = [line.strip() for line in ended.text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")] or lines
    return errors[-1].removeprefix("ERROR: ")[:200].rstrip(".") if errors else "?"
