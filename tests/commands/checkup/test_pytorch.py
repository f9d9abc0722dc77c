"""Which Pythons with PyTorch a person is told of, and whether they suit driver and cards."""

import pytest

from gpuexplorer.commands.checkup.pytorch import pythons
from gpuexplorer.core.cards import Card
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer, card

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


def test_a_deep_look_loads_every_pytorch(computer: Computer) -> None:
    computer.deep = True
    computer.install_torch("/srv/venv", "2.13.0+cpu")
    computer.install_torch(OWN, "2.11.0+cu130", cuda="13.0")
    computer.answers[f"{OWN}/bin/python3"] = (0, "TORCH sm_90\nCUDNN 9.14.0\n")
    computer.answers["/srv/venv/bin/python3"] = (1, "Traceback\nImportError: libc10.so")
    topic = computer.told(pythons)
    assert "for sm_90. It has cuDNN 9.14.0. It was started, and loads." in topic.details[0]
    assert "It was started. Its last words: ImportError: libc10.so" in topic.details[1]
