"""Getting PyTorch, from an index on the loopback: real environments, real pip."""

import os
import shutil
import subprocess
import sys
import threading
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

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
from tests.lab.package_index import Index, serving, with_torch
from tests.lab.test_pythons import program


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "environment"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture
def environment(template: Path, tmp_path: Path) -> Path:
    """One that a person made, without PyTorch."""
    return Path(shutil.copytree(template, tmp_path / "environment", symlinks=True))


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
    found = there_already(environment, (), None)
    assert found is not None
    assert found.build is not None
    assert found.build.version == "9.1.0+cpu"


def test_what_stands_in_the_way_is_said_with_a_way_out(
    index: Index, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(environment)
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 1000))
        with pytest.raises(Trouble, match="needs about 1 MB of room") as refusal:
            fetched(plan)
    assert refusal.value.hint == "Make room on that disk, and try again."

    index.nonsense = True
    with pytest.raises(Trouble, match="offers nothing that suits"):
        planned(environment)

    monkeypatch.setenv(INDEX_VARIABLE, "http://127.0.0.1:9/whl")
    with pytest.raises(Trouble, match="does not answer") as refusal:
        planned(environment)
    assert refusal.value.hint.startswith("Check the network connection, and try again;")
    assert there_already(environment, (), None) is None
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere PyPI's is for the processor")
def test_gigabytes_for_cards_are_refused_where_the_processor_does_the_work(
    index: Index, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.builds = with_torch(get_pytorch.KNOWN_TORCH, "13.0").builds
    monkeypatch.setenv("PIP_INDEX_URL", index.address)
    with pytest.raises(Trouble, match="offers nothing that suits"):
        planned(environment)


def test_progress_is_told_in_megabytes_and_seconds() -> None:
    told = [(0, None), (73_000_000, 12.4), (219_000_000, 0.0)]
    assert [Progress(got, 219_000_000, left).said for got, left in told] == [
        "Downloading PyTorch: 0 MB.",
        "Downloading PyTorch: 73 of 219 MB, 12 s left.",
        "Installing PyTorch (219 MB downloaded)…",
    ]
