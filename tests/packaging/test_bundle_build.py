"""Building: which PyTorch is taken, and how a built folder is judged."""

import subprocess
import sys
from pathlib import Path

import pytest

from bundle.environment import torch_wanted
from bundle.making import bytes_of, check
from bundle.sizes import SLIM
from bundle.stripping import strippable
from bundle.trimming import NEEDED
from gpuexplorer.core.trouble import Trouble
from installing import CannotGoOnError

ROOT = Path(__file__).resolve().parents[2]


def test_the_classroom_gets_the_tested_pytorch_without_cuda() -> None:
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    assert torch_wanted(constraints, "linux") == "torch==2.13.0+cpu"
    assert torch_wanted(constraints, "darwin") == "torch==2.13.0"
    with pytest.raises(CannotGoOnError, match="names no version of PyTorch"):
        torch_wanted("numpy==2.4.6\n", "linux")


@pytest.mark.skipif(sys.platform != "linux", reason="the names are Linux's")
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


@pytest.mark.skipif(sys.platform != "linux", reason="the names are Linux's")
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


def test_libraries_of_packages_are_not_stripped_again(tmp_path: Path) -> None:
    for name in ("libpython3.11.so.1.0", "numpy.libs/libopenblas.so", "python3.11/math.so"):
        path = tmp_path / "_internal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_EMPTY)
    (tmp_path / "_internal" / "notes.so").write_text("no library")
    assert [path.name for path in strippable(tmp_path)] == ["libpython3.11.so.1.0", "math.so"]


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


_EMPTY = b"\x7fELF\x02\x01\x01".ljust(64, b"\0")
