"""Getting PyTorch, from an index on the loopback: real environments, real pip."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import get_pytorch
from gpuexplorer.lab.get_pytorch import (
    INDEX_VARIABLE,
    Plan,
    Progress,
    get,
    plan_for,
    there_already,
)
from gpuexplorer.lab.pythons import UNFINISHED, ask
from tests.lab.test_pythons import program

_TORCH = """
from torch.version import __version__, cuda
from types import SimpleNamespace
version = SimpleNamespace(cuda=cuda)
class _Two(float):
    def sum(self): return _Two(2 * self)
    def __add__(self, other): return _Two(float(self) + float(other))
def ones(count): return _Two(1.0)
"""
_PADDING = 200_000  # so that half of one is more than what a socket takes at once


@dataclass
class Index:
    """`half` cuts PyTorch's wheel off, `held` stands still in the middle of it."""

    port: int = 0
    builds: dict[str, bytes] = field(default_factory=dict)  # by the name of the wheel
    nonsense: bool = False
    half: bool = False
    held: bool = False
    halfway: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/whl"

    def page(self, package: str) -> bytes:
        if self.nonsense:
            return b"\x00\xff Welcome to this hotel. Accept our terms to go on."
        names = [name for name in self.builds if name.startswith(f"{package}-")]
        links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
        return f"<!DOCTYPE html><html><body>{links}</body></html>".encode()


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = unquote(self.path).strip("/").split("/")
            body = index.page(parts[-1]) if parts[0] == "whl" else index.builds.get(parts[-1])
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "HEAD":
                return
            slow = parts[-1].startswith("torch-") and (index.half or index.held)
            self.wfile.write(body[: len(body) // 2] if slow else body)
            self.wfile.flush()
            if slow:
                index.halfway.set()
            if slow and index.held:
                index.go_on.wait()

        do_HEAD = do_GET  # noqa: N815 - its server calls it

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    index.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield index
    finally:
        index.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def with_torch(version: str) -> Index:
    told = f"__version__ = {version!r}\ncuda: 'str | None' = None\n"
    torch = {"torch/__init__.py": _TORCH, "torch/version.py": told}
    index = Index()
    for name, each, files in (
        ("torch", version, {**torch, "torch/padding": "x" * _PADDING}),
        ("numpy", "9.0", {"numpy/__init__.py": ""}),
        ("nicety", "1.0", {"nicety.py": ""}),
    ):
        needs = ["nicety"] if name == "torch" else []
        index.builds[f"{name}-{each}-py3-none-any.whl"] = wheel(name, each, files, needs)
    return index


def wheel(name: str, version: str, files: dict[str, str], needs: list[str]) -> bytes:
    folder = f"{name}-{version}.dist-info"
    wanted = "".join(f"Requires-Dist: {each}\n" for each in needs)
    files = files | {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\n"
        f"Version: {version}\n{wanted}",
        f"{folder}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    rows = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        rows.append(f"{path},sha256={digest.rstrip(b'=').decode()},{len(text)}")
    files[f"{folder}/RECORD"] = "\n".join([*rows, f"{folder}/RECORD,,", ""])
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """One that a person made, without PyTorch; the pip in it is ours."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    pip = Path(str(distribution("pip").locate_file("pip")))
    for each in (pip, *pip.parent.glob("pip-*.dist-info")):
        (site / each.name).symlink_to(each)
    return folder


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Index]:
    """PyTorch's; the person's own has nothing, whatever this computer's pip is told."""
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    with serving(with_torch("9.1.0+cpu")) as served:
        monkeypatch.setenv(INDEX_VARIABLE, served.address)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{served.port}/none")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield served


def planned(folder: Path) -> Plan:
    return plan_for(folder, (), None, threading.Event())


def fetched(plan: Plan, given_up: threading.Event | None = None) -> list[Progress]:
    shown: list[Progress] = []
    get(plan, shown.append, given_up or threading.Event())
    return shown


@pytest.mark.long
def test_one_command_says_what_it_fetches_and_makes_an_environment_that_works(
    index: Index,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Probe, "asleep", True)  # so no driver is asked, whatever is here
    folder = tmp_path / "PyTorch's own"
    command = ["doctor", "--get-pytorch", "--into", str(folder)]
    assert main(command) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "PyTorch 9.1.0+cpu, built for the processor only" in said
    assert "No NVIDIA driver answers here" in said
    assert f"a folder of its own, {folder}. To remove it, delete that folder." in said
    assert "PyTorch was loaded, and works" in said
    python = there_already(folder, (), None)
    assert python is not None
    assert [each for each in folder.iterdir() if each.name == UNFINISHED] == []
    # Now nothing is asked of anybody.
    monkeypatch.setenv(INDEX_VARIABLE, "http://127.0.0.1:9")
    assert main(command) == 0
    assert "is there already, and suits" in " ".join(capsys.readouterr().out.split())


@pytest.mark.long
def test_nothing_half_is_taken_for_whole_and_the_next_try_goes_on(
    index: Index, environment: Path
) -> None:
    plan = planned(environment)
    assert sum(len(each) for each in index.builds.values()) == plan.size_bytes
    assert not plan.made
    index.half = True
    with pytest.raises(Trouble, match="did not finish"):
        fetched(plan)

    assert (environment / UNFINISHED).is_dir()
    index.half, index.held = False, True

    # A PyTorch whose files are all there, but that nobody has proven.
    (site,) = environment.glob("lib/python3*/site-packages")
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").touch()
    (site / "torch" / "version.py").write_text("__version__ = '9.0.0+cpu'\n", "utf-8")
    assert (
        ask(environment / "bin" / "python3").trouble == "Its PyTorch was only partly installed."
    )

    index.halfway.clear()
    given_up = threading.Event()

    def give_up() -> None:
        index.halfway.wait(60)
        given_up.set()

    threading.Thread(target=give_up).start()
    with pytest.raises(Trouble, match="Cancelled"):
        fetched(plan, given_up)
    assert there_already(environment, (), None) is None

    index.held = False
    index.go_on.set()
    fetched(planned(environment))
    assert works(environment)


def works(folder: Path) -> bool:
    found = there_already(folder, (), None)
    return found is not None and found.build is not None and found.build.version == "9.1.0+cpu"


@pytest.mark.long
def test_where_there_is_room_it_is_fetched_and_works(
    index: Index, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(environment)
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 1000))
        with pytest.raises(Trouble, match="needs about 1 MB of room") as refusal:
            fetched(plan)
    assert refusal.value.hint == "Make room on that disk, and try again."
    assert fetched(plan)
    assert works(environment)


@pytest.mark.long
def test_what_stands_in_the_way_is_said_with_a_way_out(
    index: Index, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.nonsense = True
    with pytest.raises(Trouble, match="offers nothing that suits"):
        planned(environment)

    monkeypatch.setenv(INDEX_VARIABLE, "http://127.0.0.1:9/whl")
    with pytest.raises(Trouble, match="does not answer") as refusal:
        planned(environment)
    assert refusal.value.hint.startswith("Check the network connection, and try again;")
    assert not (environment / UNFINISHED).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with a shell script")
def test_a_python_without_venv_is_told_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = '{"version": [3, 11, 2], "prefix": "/usr", "packages": [], "torch": null'
    lame = program(tmp_path / "python3", f"echo 'GPUEXPLORER {said}, \"venv\": false}}'")
    monkeypatch.setattr(get_pytorch, "candidates", lambda *_: [lame])
    with pytest.raises(Trouble, match=r"no Python 3\.10 or newer here that can") as refusal:
        planned(tmp_path / "into")
    assert "apt install python3-venv" in refusal.value.hint
    assert not (tmp_path / "into").exists()


def test_a_folder_of_other_things_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear aunt")
    with pytest.raises(Trouble, match="holds other things"):
        planned(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]


def test_progress_is_told_in_megabytes_and_seconds() -> None:
    told = [(0, None), (73_000_000, 12.4), (219_000_000, 0.0)]
    assert [Progress(got, 219_000_000, left).said for got, left in told] == [
        "Downloading PyTorch: 0 MB.",
        "Downloading PyTorch: 73 of 219 MB, 12 s left.",
        "Installing PyTorch (219 MB downloaded)…",
    ]
