"""Building: which PyTorch is taken, and how a built folder is judged."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from build import torch_wanted
from bundle.making import bytes_of, check, strip
from bundle.sizes import SLIM
from bundle.trimming import NEEDED
from gpuexplorer.core.trouble import Trouble
from installing import CannotGoOnError
from tests.packaging.made_folder import ELSEWHERE, library, on_linux

ROOT = Path(__file__).resolve().parents[2]


def test_the_classroom_gets_the_tested_pytorch_without_cuda() -> None:
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    assert torch_wanted(constraints, "linux") == "torch==2.13.0+cpu"
    assert torch_wanted(constraints, "darwin") == "torch==2.13.0"
    with pytest.raises(CannotGoOnError, match="names no version of PyTorch"):
        torch_wanted("numpy==2.4.6\n", "linux")


@on_linux
def test_a_folder_that_lacks_something_is_refused_with_its_name(tmp_path: Path) -> None:
    for pattern in NEEDED[1:]:
        path = tmp_path / "_internal" / pattern.replace("*", "x")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    with pytest.raises(Trouble) as refused:
        check(tmp_path, SLIM)
    assert refused.value.sentence == f"The program lacks {NEEDED[0]}."
    (tmp_path / "_internal" / NEEDED[0].replace("*", "x")).touch()
    check(tmp_path, SLIM)


@on_linux
def test_a_folder_that_is_too_large_is_refused_with_its_size(tmp_path: Path) -> None:
    for pattern in NEEDED:
        path = tmp_path / "_internal" / pattern.replace("*", "x")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    with path.open("wb") as large:
        large.truncate(200_000_001)
    assert bytes_of(tmp_path) == 200_000_001
    with pytest.raises(Trouble, match="slim takes 200 MB, and 200 MB are the most"):
        check(tmp_path, SLIM)


def said_of(library: Path) -> str:
    return subprocess.check_output(["readelf", "--dynamic", library], text=True)


@on_linux
def test_libraries_lose_symbols_and_where_they_look_but_for_those_of_packages(
    tmp_path: Path,
) -> None:
    made, beside = (
        library(tmp_path / "_internal" / name, folder=ELSEWHERE)
        for name in ("python3.11/_made.so", "numpy.libs/libopenblas.so")
    )
    before = made.stat().st_size
    strip(tmp_path)
    assert made.stat().st_size < before
    assert ELSEWHERE not in said_of(made)
    assert ELSEWHERE in said_of(beside)
    assert ctypes.CDLL(str(made)).made() == 3


def test_a_size_that_there_is_not_is_refused_before_anything_is_built() -> None:
    done = subprocess.run(
        [sys.executable, "packaging/build.py", "huge"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "huge" in done.stderr
    assert "Traceback" not in done.stderr
