"""Finding the lab's Python: each is asked, and whatever it answers is told in words."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.lab.pythons import PythonPlace, ask, candidates

picked = PythonPlace().picked
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
TITAN = Card(CardId("GPU-1"), 0, "TITAN RTX", 24 << 30, compute_capability=(7, 5))
PASCAL = Card(CardId("GPU-2"), 1, "GTX 1080", 8 << 30, compute_capability=(6, 1))


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


def answering(path: Path, version: str, torch: str | None, cuda: str = "") -> Path:
    package = path.parent / f"{path.name}-packages" / "torch"
    package.mkdir(parents=True)
    (package / "version.py").write_text(f"__version__ = '{torch}'\ncuda: str = '{cuda}'\n")
    origin = "null" if torch is None else f'"{package}/__init__.py"'
    said = f'{{"version": [{version}], "prefix": "/opt/x", "packages": [], "torch": {origin}}}'
    return program(path, f"echo hello; echo 'GPUEXPLORER {said}'")


def test_this_python_answers_without_importing_torch() -> None:
    python = ask(Path(sys.executable))
    assert python.version[:2] == sys.version_info[:2]
    if importlib.util.find_spec("torch") is not None:
        assert python.build is not None
        assert python.build.version.startswith("2.")
        assert any((each / "torch").is_dir() for each in python.packages)


@pytest.mark.parametrize(
    "prefix",
    [
        "home/miniconda3",
        "elsewhere/env",  # conda keeps a list
        "home/.pyenv/versions/3.12.1",
        "home/.local/share/uv/python/cpython-3.12",
        "work on/deep",
        "project/.venv",
    ],
)
def test_a_python_is_found_wherever_people_put_it(tmp_path: Path, prefix: str) -> None:
    python = program(tmp_path / prefix / "bin/python3", "")
    known = tmp_path / "home/.conda/environments.txt"
    known.parent.mkdir(parents=True)
    known.write_text(f"{tmp_path}/elsewhere/env\n", "utf-8")
    environment = {
        "VIRTUAL_ENV": str(tmp_path / "none"),
        "PWD": str(tmp_path / "project"),
        "WORKON_HOME": str(tmp_path / "work on"),
        "PYENV_ROOT": str(tmp_path / "pyenv"),
    }
    assert python in candidates(environment, tmp_path / "home")


def test_each_version_on_the_path_is_found_and_a_second_way_to_it_is_not(
    tmp_path: Path,
) -> None:
    newest = program(tmp_path / "usr/bin/python3.12", "")
    (tmp_path / "usr/bin/python3").symlink_to("python3.12")
    older = program(tmp_path / "usr/bin/python3.11", "")
    (tmp_path / "bin").symlink_to("usr/bin")
    program(tmp_path / "shims/python3", "")
    path = os.pathsep.join(str(tmp_path / each) for each in ("usr/bin", "bin", "shims"))
    found = candidates({"PATH": path}, tmp_path)
    assert found[1:] == [tmp_path / "usr/bin/python3", older]
    assert newest.samefile(found[1])


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("echo Welcome", "It did not answer as a Python does."),
        ("echo SyntaxError; exit 1", "It ended with code 1: SyntaxError."),
        ("sleep 100", "It did not answer within 0.2 s."),
    ],
)
def test_who_does_not_answer_says_why(tmp_path: Path, body: str, trouble: str) -> None:
    patience = 0.2 if "sleep" in body else 10.0
    python = ask(program(tmp_path / "python3", body), patience)
    assert (python.trouble, python.usable) == (trouble, False)
    none = "It cannot be started: No such file or directory."
    assert ask(tmp_path / "none").trouble == none


@pytest.mark.parametrize(
    ("version", "torch", "why"),
    [
        ("3, 8, 1", "2.1", "The lab needs Python 3.10 or newer."),
        ("3, 12, 1", None, "It has no PyTorch."),
        ("3, 12, 1", "2.3.1+cu121", "The lab needs PyTorch 2.4 or newer; this is 2.3.1+cu121."),
        ("3, 10, 1", "2.4.0a0+f70bd71a48.nv24.06", ""),
    ],
)
def test_what_is_too_old_or_lacks_pytorch_is_of_no_use(
    tmp_path: Path, version: str, torch: str | None, why: str
) -> None:
    path = answering(tmp_path / "a", version, torch)
    assert ask(path).trouble == why
    if why:
        with pytest.raises(Trouble) as refused:
            picked(path)
        assert refused.value.sentence == f"{path} cannot be the lab's Python. {why}"
        assert ("pip install" in refused.value.hint) == (version != "3, 8, 1")


def test_a_build_is_held_against_driver_and_cards(tmp_path: Path) -> None:
    python = ask(answering(tmp_path / "a", "3, 12, 1", "2.13.0+cu130", "13.0"))
    assert (
        python.label
        == f"{tmp_path}/a (Python 3.12.1, PyTorch 2.13.0+cu130, built for CUDA 13.0)"
    )
    assert python.fits([TITAN], "580.65").verdict is Verdict.FINE
    too_old = python.fits([TITAN], "535.10")
    assert too_old.sentence == "CUDA 13 needs driver 580 or newer; this one is 535.10."
    assert python.fits([TITAN, PASCAL], "580.65").verdict is Verdict.LOOK
    cpu = ask(answering(tmp_path / "b", "3, 12, 1", "2.13.0+cpu"))
    assert cpu.fits([TITAN], "580.65").sentence == (
        "It does not use NVIDIA cards; it is enough for simulated ones."
    )


def test_a_picked_folder_is_the_python_in_it(tmp_path: Path) -> None:
    path = answering(tmp_path / "bin/python3", "3, 12, 1", "2.13.0")
    assert picked(tmp_path).path == path
    with pytest.raises(Trouble, match="It cannot be started: Permission denied"):
        picked(tmp_path / "bin")
