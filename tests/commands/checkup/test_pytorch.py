"""Which Pythons with PyTorch a person is told of, and whether they suit driver and cards."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from gpuexplorer.commands.checkup.pytorch import ASK_TORCH, pythons
from gpuexplorer.core.cards import Card
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer, card, nameless

PASCAL = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))
OWN = "/opt/gpuexplorer"


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        (OWN, " (which runs this)"),
        ("/srv/venv", " (the active environment)"),
        ("/home/ana/.pyenv/versions/3.12.1", ""),
    ],
)
def test_a_pytorch_is_named_by_its_folder_its_build_and_how_it_was_found(
    computer: Computer, prefix: str, why: str
) -> None:
    computer.install_torch(prefix, "2.13.0+cpu")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = computer.told(pythons)
    assert topic.verdict is FINE
    assert topic.facts["lab"] == prefix
    assert topic.details[0].startswith(
        f"OK: {prefix}{why}, Python 3.12: PyTorch 2.13.0+cpu, built for the processor only."
    )
    assert topic.details[1] == (
        f"The lab takes {prefix}, unless another was chosen as “Python of the lab”."
    )
    assert computer.asked == []


def test_the_pytorch_inside_the_packaged_program_is_the_labs(computer: Computer) -> None:
    computer.parts = "/usr/lib/gpuexplorer/_internal"
    computer.write(f"{computer.parts}/torch/version.py", "__version__ = '2.13.0+cpu'\n")
    computer.install_torch("/srv/venv", "2.12.0", cuda="13.0")
    computer.install_torch("/srv/venv", "2.12.0", cuda="13.0")  # started by another program
    topic = computer.told(pythons)
    assert topic.sentence == (
        "PyTorch is in 2 of 2 Pythons that were looked at. In 2 of them it suits the computer."
    )
    assert "(inside this program), Python 3.12: PyTorch 2.13.0+cpu" in topic.details[0]
    assert topic.facts["lab"] == computer.parts


def test_a_pytorch_too_old_for_the_lab_is_not_taken_by_it(computer: Computer) -> None:
    computer.install_torch("/srv/venv", "2.3.1")
    assert computer.told(pythons).details[1] == (
        "The lab takes none of them: it needs Python 3.10 and PyTorch 2.4, or newer."
    )


@pytest.mark.parametrize(
    ("cards", "install"),
    [
        ((card(),), "install PyTorch built for CUDA 12.6 into any of your Pythons."),
        ((PASCAL, BLACKWELL), "install PyTorch into any of your Pythons."),
    ],
)
def test_without_pytorch_the_fitting_build_is_named(
    computer: Computer, cards: tuple[Card, ...], install: str
) -> None:
    computer.give_driver(*cards, version="550.54.14", cuda="12.4")
    topic = computer.told(pythons)
    assert topic.verdict is LOOK
    assert topic.sentence == "PyTorch is in 0 of 0 Pythons that were looked at."
    assert topic.do == (
        f"`gpuexplorer doctor --get-pytorch` installs it. To compute with PyTorch, {install}"
    )


@pytest.mark.parametrize("silent", [(), (nameless(0),)])
def test_without_pytorch_and_cards_nothing_is_missing(
    computer: Computer, silent: tuple[Card, ...]
) -> None:
    if silent:
        computer.give_driver(*silent)
    topic = computer.told(pythons)
    assert topic.verdict is FINE
    assert "Only the lab needs one. `gpuexplorer doctor --get-pytorch`" in topic.sentence


def test_a_build_for_the_processor_leaves_real_cards_unused(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch(OWN, "2.13.0+cpu")
    computer.write(f"{OWN}/lib/python3.12/site-packages/torchvision/__init__.py")
    topic = computer.told(pythons)
    assert topic.verdict is LOOK
    assert "does not use NVIDIA cards" in topic.details[0]
    assert topic.do == (
        "For /opt/gpuexplorer: Install PyTorch built for CUDA 13.0 into this Python. Run:"
        " `/opt/gpuexplorer/bin/python3 -m pip install --force-reinstall torch torchvision"
        " --index-url https://download.pytorch.org/whl/cu130`"
    )


@pytest.mark.parametrize(
    ("prefix", "mark", "commands"),
    [
        (
            "/home/ana/miniconda3/envs/deep",
            "conda-meta/history",
            ["conda install -p /home/ana/miniconda3/envs/deep -c conda-forge pytorch-gpu"],
        ),
        (
            "/srv/a venv",
            "pyvenv.cfg",
            ['uv pip install --python "/srv/a venv/bin/python3" --force-reinstall torch '],
        ),
        (
            "/usr",
            "lib/python3.12/EXTERNALLY-MANAGED",
            ["/usr/bin/python3 -m venv ~/torch", "~/torch/bin/pip install torch --index-url"],
        ),
    ],
    ids=["conda", "uv", "the system's own"],
)
def test_each_kind_of_environment_is_changed_by_its_own_tool(
    computer: Computer, prefix: str, mark: str, commands: list[str]
) -> None:
    computer.give_driver()
    computer.install_torch(prefix, "2.13.0+cpu")
    computer.write(f"{prefix}/{mark}", "home = /usr/bin\nuv = 0.9.2\n")
    do = computer.told(pythons).do
    assert all(f"`{command}" in do for command in commands)


def test_a_build_newer_than_the_driver_is_broken(computer: Computer) -> None:
    computer.give_driver(version="570.86.10", cuda="12.8")
    computer.install_torch("/srv/venv", "2.11.0+cu130", cuda="13.0")
    topic = computer.told(pythons)
    assert topic.verdict is BROKEN
    assert "CUDA 13 needs driver 580 or newer; this one is 570.86.10" in topic.details[0]
    assert "CUDA 12.6" in topic.do


def test_one_fitting_python_among_others_is_enough(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch(OWN, "2.13.0+cpu")
    computer.install_torch("/srv/venv", "2.11.0+cu126", cuda="12.6")
    topic = computer.told(pythons)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("In 1 of them it suits the computer.")
    assert topic.details[0].startswith("OK: /srv/venv")
    assert topic.details[1].startswith("warning: /opt/gpuexplorer")


def test_the_own_pytorch_is_asked_which_cards_it_was_made_for(computer: Computer) -> None:
    computer.give_driver(PASCAL)
    computer.install_torch(OWN, "2.11.0+cu126", cuda="12.6")
    computer.answers[f"{OWN}/bin/python3"] = (0, "a warning\nTORCH sm_80 sm_90\n")
    topic = computer.told(pythons)
    assert topic.verdict is BROKEN
    assert "It holds no code for Tesla P100 (compute capability 6.0)" in topic.details[0]
    assert "It holds code for sm_80 sm_90." in topic.details[0]


def test_a_deep_look_loads_every_pytorch(computer: Computer) -> None:
    computer.deep = True
    computer.install_torch("/srv/venv", "2.13.0+cpu")
    computer.install_torch(OWN, "2.11.0+cu130", cuda="13.0")
    computer.answers[f"{OWN}/bin/python3"] = (0, "TORCH sm_90\nCUDNN 9.14.0\n")
    computer.answers["/srv/venv/bin/python3"] = (1, "Traceback\nImportError: libc10.so")
    topic = computer.told(pythons)
    assert "for sm_90. It has cuDNN 9.14.0. It was started, and loads." in topic.details[0]
    assert "It was started. Its last words: ImportError: libc10.so" in topic.details[1]


@pytest.mark.skipif(find_spec("torch") is None, reason="there is no PyTorch here")
def test_the_question_of_a_deep_look_is_understood_by_pytorch() -> None:
    told = subprocess.run(
        [sys.executable, "-c", ASK_TORCH], capture_output=True, text=True, check=True
    ).stdout
    assert told.startswith("TORCH")


def test_an_incomplete_pytorch_is_to_be_installed_anew(computer: Computer) -> None:
    computer.install_python(OWN)
    computer.write(f"{OWN}/lib/python3.12/site-packages/torch/lib/libc10.so")
    topic = computer.told(pythons)
    assert topic.verdict is BROKEN
    assert "--force-reinstall torch" in topic.do
