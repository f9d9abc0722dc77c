"""Finding the lab's Python, what its build suits, and what a worker is told before PyTorch."""

import importlib.util
import sys
from pathlib import Path

import pytest

from bundle.entry import give_back
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.lab import packaged
from gpuexplorer.lab.pythons import PythonPlace, TorchBuild, ask, candidates, flavour, suits
from gpuexplorer.lab.start import Start
from tests.commands.conftest import card

picked = PythonPlace().picked
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


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
def test_this_python_answers_without_importing_torch() -> None:
    python = ask(Path(sys.executable))
    assert python.version[:2] == sys.version_info[:2]
    if importlib.util.find_spec("torch") is not None:
        assert python.build is not None
        assert python.build.version.startswith("2.")
        assert any((each / "torch").is_dir() for each in python.packages)


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
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


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
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


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
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


@pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")
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


P100 = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))


@pytest.mark.parametrize(
    ("built", "capability", "runs"),
    [
        (("sm_80", "sm_86"), (8, 9), True),  # a later carded of the same generation
        (("sm_86",), (8, 0), False),  # an earlier one
        (("sm_90",), (10, 0), False),  # another generation
        (("sm_90", "compute_90"), (10, 0), True),  # compiled at the first use
        (("sm_90a",), (9, 0), True),
    ],
)
def test_a_card_runs_code_for_its_generation_up_to_its_number(
    built: tuple[str, ...], capability: tuple[int, int], runs: bool
) -> None:
    build = TorchBuild("2.11.0", "13.0", architectures=built)
    verdict = suits(build, [card(capability=capability)], "590.48").verdict
    assert (verdict is Verdict.FINE) is runs


def test_the_build_to_install_follows_from_driver_and_cards() -> None:
    for driver, capabilities, cuda in (
        ("590.48", [(8, 9)], "13.0"),
        ("590.48", [(6, 1)], "12.6"),
        ("570.86", [(12, 0)], "12.8"),
        ("470.82", [(8, 6)], None),
        ("590.48", [(6, 1), (12, 0)], None),
    ):
        assert flavour(driver, capabilities) == cuda


@pytest.mark.parametrize(
    ("cards", "driver", "words"),
    [
        ([P100, BLACKWELL], "580.65", "No single build suits all these cards"),
        (
            [card()],
            "470.82",
            "Update NVIDIA's driver to 580, then install PyTorch built for CUDA 13.0",
        ),
        (
            [P100],
            "470.82",
            "Update NVIDIA's driver to 580, then install PyTorch built for CUDA 12.6",
        ),
        ([card(name="K80", capability=(3, 7))], "470.82", "it can only be watched"),
    ],
)
def test_advice_is_given_even_where_no_build_suits(
    cards: list[Card], driver: str, words: str
) -> None:
    assert words in suits(TorchBuild("2.11.0+cpu", None), cards, driver).do


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
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if this test were run by a packaged ours."""
    path = tmp_path / "gpuexplorer"
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(path))
    lab = tmp_path / "_internal" / "gpuexplorer" / "lab"
    monkeypatch.setattr(packaged, "__file__", str(lab / "packaged.py"))
    return path


def test_the_program_without_pytorch_is_no_python_of_the_lab(ours: Path) -> None:
    assert ours not in candidates({}, ours.parent)
    with pytest.raises(Trouble) as refused:
        PythonPlace().picked(ours)
    assert refused.value.sentence == (
        f"{ours} cannot be the lab's Python. This is GPU Explorer itself, without PyTorch "
        "inside."
    )
    assert refused.value.hint == "Choose another."


def test_others_get_the_surroundings_as_they_were_before_the_program_began(ours: Path) -> None:
    parts = str(ours.parent / "_internal")
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
