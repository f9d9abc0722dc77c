"""A watched program with PyTorch: which it imports when it wants to, or not at all."""

from pathlib import Path

import pytest

from gpuexplorer.lab.events import Failed, Finished
from tests.lab.processes import CARD, needs_torch
from tests.worker.programs import plain, watched

pytestmark = needs_torch

BEFORE_AND_AFTER = """
import sys, threading
print("torch" in sys.modules)
import torch
print(type(torch.__spec__.loader), torch.cuda.is_initialized(), threading.active_count())
print(torch.initial_seed() > 0, torch.get_num_threads(), torch.get_default_dtype())

def product():
    return torch.ones(1, 3) @ torch.ones(2, 2)

product()
"""
FAILING = """
import torch
x = torch.ones(1, 3, device="cuda")

def product():
    return x @ torch.ones(2, 2, device="cuda")

product()
"""
ENVIRONMENT = """
import os, threading, torch
print([each.name for each in threading.enumerate()])
# By the first two, what it starts has the cards, too.
for each in ("PYTHONPATH", "GPUEXPLORER_LAB", "OMP_WAIT_POLICY"):
    os.environ.pop(each, None)
print(sorted(os.environ.items()))
"""
NUMBERS = """
import torch, warnings
warnings.simplefilter("ignore")
print(torch.func.vmap(lambda a: a * 2)(torch.ones(3)))
print(torch.jit.trace(lambda a: a + 1, torch.ones(3))(torch.zeros(3)))
"""


def test_a_program_lives_as_under_python_itself(tmp_path: Path) -> None:
    expected = plain(BEFORE_AND_AFTER, folder=tmp_path)
    assert watched(BEFORE_AND_AFTER, folder=tmp_path).life == expected


@pytest.mark.parametrize("code", [ENVIRONMENT, NUMBERS])
def test_on_simulated_cards_too_it_is_its_own(code: str, tmp_path: Path) -> None:
    expected = plain(code, folder=tmp_path)
    assert watched(code, folder=tmp_path, cards=[CARD]).life == expected


def test_a_traceback_on_simulated_cards_is_the_programs_own(tmp_path: Path) -> None:
    life = watched(FAILING, folder=tmp_path, cards=[CARD])
    lines = [each for each in life.err.splitlines() if each.startswith("  File")]
    file = tmp_path / "train.py"
    assert lines == [
        f'  File "{file}", line 8, in <module>',
        f'  File "{file}", line 6, in product',
    ]
    assert isinstance(life.outcome, Failed)
    assert [each.line for each in life.outcome.frames] == [8, 6]


def test_with_a_strange_torch_a_program_goes_on_unwatched(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '9.0'\n")
    code = "import torch\nprint(torch.__file__)\n"
    expected = plain(code, folder=tmp_path)
    life = watched(code, folder=tmp_path)
    assert life.life == expected
    assert isinstance(life.outcome, Finished)
    (note,) = life.notes
    assert note.startswith("This PyTorch lacks what the lab needs: ")
