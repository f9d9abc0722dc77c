"""What a worker is told by its environment, before PyTorch looks at it."""

import sys
from pathlib import Path

import pytest

from bundle.entry import give_back
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import packaged
from gpuexplorer.lab.pythons import PythonPlace, ask, candidates
from gpuexplorer.lab.start import Start

CONNECTIONS = "CUDA_DEVICE_MAX_CONNECTIONS"


def test_what_a_person_chose_of_threads_and_queues_stays() -> None:
    """All to one with eight cards takes about nine queues; PyTorch's own come on top."""
    bare = Start(cards=[{}]).variables_in({})
    assert (bare[CONNECTIONS], bare["OMP_WAIT_POLICY"]) == ("32", "PASSIVE")
    assert "OMP_WAIT_POLICY" not in Start().variables_in({})
    theirs = {CONNECTIONS: "1", "OMP_WAIT_POLICY": "ACTIVE"}
    assert theirs.items() <= Start(cards=[{}]).variables_in(theirs).items()
    assert Start(environment={CONNECTIONS: "4"}).variables_in(theirs)[CONNECTIONS] == "4"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if this test were run by a packaged program."""
    path = tmp_path / "gpuexplorer"
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(path))
    lab = tmp_path / "_internal" / "gpuexplorer" / "lab"
    monkeypatch.setattr(packaged, "__file__", str(lab / "packaged.py"))
    return path


@pytest.fixture
def torch_inside(program: Path) -> Path:
    folder = program.parent / "_internal" / "torch"
    folder.mkdir(parents=True)
    (folder / "version.py").write_text("__version__ = '2.13.0+cpu'\ncuda = None\n", "utf-8")
    return program


def test_the_pytorch_inside_comes_first_and_is_not_asked(torch_inside: Path) -> None:
    link = torch_inside.parent / "in_bin"
    link.symlink_to(torch_inside)
    assert Start(link).command == [str(link), "worker"]
    assert candidates({}, torch_inside.parent)[0] == torch_inside
    python = ask(torch_inside)
    assert python.build is not None
    assert python.build.label == "PyTorch 2.13.0+cpu, built for the processor only"


def test_the_program_without_pytorch_is_no_python_of_the_lab(program: Path) -> None:
    assert program not in candidates({}, program.parent)
    with pytest.raises(Trouble) as refused:
        PythonPlace().picked(program)
    assert refused.value.sentence == (
        f"{program} cannot be the lab's Python. This is GPU Explorer itself, without PyTorch "
        "inside."
    )
    assert refused.value.hint == "Choose another."


def test_others_get_the_surroundings_as_they_were_before_the_program_began(
    program: Path,
) -> None:
    parts = str(program.parent / "_internal")
    environment = {
        "LD_LIBRARY_PATH": f"{parts}:/opt/cuda/lib64",
        "LD_LIBRARY_PATH_ORIG": "/opt/cuda/lib64",
        "_PYI_APPLICATION_HOME_DIR": parts,
        "PATH": "/usr/bin",
    }
    give_back(environment)
    assert environment == {"LD_LIBRARY_PATH": "/opt/cuda/lib64", "PATH": "/usr/bin"}


def test_on_windows_the_program_with_a_terminal_is_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the two runs us: the window, or what is typed."""
    clicked, typed = tmp_path / "GPU Explorer.exe", tmp_path / "gpuexplorer.exe"
    clicked.touch()
    typed.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "executable", str(clicked))
    assert Start(clicked).command == [str(typed), packaged.ROLE]
    assert packaged.is_this_program(typed)
    assert not packaged.is_this_program(Path("/usr/bin/python3"))
