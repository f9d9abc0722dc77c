"""A saved session: a program that runs without us, wherever there is PyTorch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.lab.ledger import IMPORTS
from gpuexplorer.lab.session_files import script
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.lab.told_cells import Told

IF_TWO = "if torch.cuda.device_count() > 1:"


def body(told: Told) -> str:
    """From the first cell after the imports."""
    return script(told.ledger).split("with which the lab began\n\n", 1)[1]


def ran(text: str, folder: Path) -> list[str]:
    """What the program prints."""
    path = folder / "session.py"
    path.write_bytes(text.encode())
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def without_torch(text: str) -> str:
    """So that a test need not wait for it."""
    return text.replace(IMPORTS, "").replace("torch.manual_seed", "print")


def test_cells_that_succeeded_stand_there_as_they_were() -> None:
    told = Told("X = torch.ones(2,3)  # mine", "def f(x):\n    return x+ 1\n\n\nf(X)")
    assert body(told) == (
        "# %% 1\nX = torch.ones(2,3)  # mine\n\n# %% 2\ndef f(x):\n    return x+ 1\n\n\nf(X)\n"
    )


def test_the_imports_of_cell_0_come_first_and_then_the_seed_of_the_lab() -> None:
    text = script(Told("1 + 1", seed=5).ledger)
    assert f"# %% 0\n{IMPORTS}\n\ntorch.manual_seed(5)" in text


def test_what_failed_or_was_stopped_is_left_out_and_that_is_said() -> None:
    told = Told("a = 1")
    told.run("1 / 0", failing="error")
    told.run("while True: pass", failing="cancelled")
    told.run("b = 2")
    assert body(told) == (
        "# %% 1\na = 1\n\n"
        "# %% 2\n# It failed in the lab, and is left out.\n\n"
        "# %% 3\n# It was stopped in the lab, and is left out.\n\n"
        "# %% 4\nb = 2\n"
    )


def test_the_head_names_the_cards_that_were_used() -> None:
    told = Told(simulated=True)
    told.run("X = torch.ones(2, device='cuda:1')", busy="cuda:1")
    head = script(told.ledger).split("# %%")[0]
    assert "cells that name one need it: cuda:1 (NVIDIA TITAN RTX)." in head
    assert "They were simulated." in head
    assert "cuda" not in script(Told("1 + 1").ledger)


def test_only_cells_that_forms_wrote_take_the_card_there_is() -> None:
    told = Told('X = torch.ones(2, device="cuda:1")')
    told.run('Y = torch.ones(2, device="cuda:1")  # a form', by_form=True)
    assert "def try_gpu(i=0):" in script(told.ledger)
    assert body(told).endswith(
        '# %% 1\nX = torch.ones(2, device="cuda:1")\n\n'
        "# %% 2\nY = torch.ones(2, device=try_gpu(1))  # a form\n"
    )
    on_host = Told()
    on_host.run("Z = X.cpu()", by_form=True)
    assert "try_gpu" not in script(on_host.ledger)


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("Z = X.cuda(1)", "Z = X.to(try_gpu(1))"),
        ("Z = X.cuda()", "Z = X.to(try_gpu(0))"),
        ("Y = Z.to('cuda')", "Y = Z.to(try_gpu(0))"),
        ("d = torch.device('cuda:1')", "d = try_gpu(1)"),
        ("X = (Y\n).cuda(0).cuda(1)", "X = (Y\n).to(try_gpu(0)).to(try_gpu(1))"),
        ("torch.load('é', map_location='cuda:1')", "torch.load('é', map_location=try_gpu(1))"),
        ("X = Y.cuda('cuda:1')  # é 'cuda:0'", "X = Y.to(try_gpu(1))  # é 'cuda:0'"),
        ("print(f'cuda:1')", "print(f'cuda:1')"),
        ("torch.cuda.set_device(1)", f"{IF_TWO}\n    torch.cuda.set_device(1)"),
        ("torch.cuda.empty_cache()", "torch.cuda.empty_cache()"),
    ],
)  # fmt: skip
def test_a_card_that_a_form_named_is_taken_where_there_is_one(code: str, written: str) -> None:
    told = Told()
    told.run(code, by_form=True)
    assert body(told).endswith(f"# %% 1\n{written}\n")


def test_cells_may_hold_whatever_text_can(tmp_path: Path) -> None:
    told = Told(
        "# a remark\u2028print('no code of mine')",
        "'''three ''' + \"\"\"quotes\n\x0c\n# %%\n\"\"\"",
        "if True:\n\tx = 'a tab'\n\x0c\nprint(x)  # and a form feed",
        "y = 1\r\nz = 2\rprint(y + z)",
        "print('é', '\ud800' if False else '')",
        "\ufeffprint('begins with a mark')",
        "print('no end of line')  # ",
    )
    text = script(told.ledger)
    compile(text, "session.py", "exec")
    said = ran(without_torch(text), tmp_path)
    assert said[1:] == ["a tab", "3", "é ", "begins with a mark", "no end of line"]


def test_imports_from_the_future_move_to_the_first_line(tmp_path: Path) -> None:
    told = Told(
        "x = 1",
        "from __future__ import annotations  # early\ndef f(a: Unknown): return a",
        "print(f(x))",
    )
    text = script(told.ledger)
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    assert lines[0] == "from __future__ import annotations"
    assert "pass  # early" in text
    assert ran(without_torch(text), tmp_path)[-1] == "1"


def test_what_only_a_notebook_runs_becomes_a_remark(tmp_path: Path) -> None:
    told = Told(
        "!nvidia-smi",
        "x = 3\n%timeit x * x\n%time x = x + 1",
        "files = !ls",
        "for i in range(2):\n    !echo {i}",
        "text = '''\n!not a command\n%nor this\n'''\nprint(x, text)",
        "%%time\ny = 5\nprint(y)",
        "%%bash\nexit 3",
        "print?",
    )
    text = script(told.ledger)
    assert "# !nvidia-smi  # only a notebook runs this" in text
    assert "    pass  # !echo {i}" in text
    assert "# %%bash\n# exit 3" in text
    said = ran(without_torch(text), tmp_path)
    assert said[1:] == ["4 ", "!not a command", "%nor this", "", "5"]


def test_a_cell_that_awaits_runs_from_its_text(tmp_path: Path) -> None:
    told = Told(
        "import asyncio\nasync def two(): return 2",
        "both = await asyncio.gather(two(), two())\nasync with asyncio.timeout(5): pass",
        "print(both)",
    )
    assert ran(without_torch(script(told.ledger)), tmp_path)[-1] == "[2, 2]"


def test_cells_that_disturb_each_other_in_one_file_still_run(tmp_path: Path) -> None:
    """`global` after a use is an error in a file, and none in a cell of its own."""
    told = Told("x = 1", "global x\nx = 2", "print(x)")
    assert ran(without_torch(script(told.ledger)), tmp_path)[-1] == "2"


def valid(code: str) -> bool:
    try:
        ast.parse(code)
        compile(code, "cell", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


PIECES = st.sampled_from(
    [
        *"#'\"\\\n\r\t\x0c\u2028\u2029\x85\ufeff\x00;:()[]{}=% !?@",
        *("'''", '"""', "f'{x}'", "x", "1", "pass", "if x:", "    ", "# %%", "#", "\ud800"),
        *("from __future__ import annotations", "global x", "await x", "!ls", "%time ", "%%a"),
        *("X.cuda(1)", "'cuda:1'", "torch.cuda.synchronize(1)", "lambda: 0", "return x"),
    ]
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(st.lists(st.tuples(st.lists(PIECES, max_size=8), st.booleans()), max_size=4))
def test_a_session_can_be_saved_whatever_its_cells_hold(
    cells: list[tuple[list[str], bool]],
) -> None:
    told = Told("x = 1")
    for pieces, by_form in cells:
        told.run("".join(pieces), by_form=by_form)
    text = script(told.ledger)
    assert valid(text)
    text.encode()


@pytest.fixture(scope="module")
def walked() -> Iterator[Session]:
    """A session with all that a script has to bring along."""
    session = Session(seed=4)
    session.run('X = torch.ones(2, 3, device="cuda:0")', by_form=True)
    session.run(
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.out = nn.Linear(3, 1)  # one number\n"
        "    def forward(self, x):\n"
        "        return self.out(x)",
        "Y = torch.rand(2, 3)\nY",
        "X + torch.ones(5)",
        "!echo hello",
    )
    session.run('net = Net().to("cuda:1")', by_form=True)
    session.run("losses = []", "losses.append(float(net(Y.to(net.out.weight.device)).sum()))")
    session.run("print('the end', [round(each, 4) for each in losses])")
    yield session
    session.stop()


@needs_torch
@pytest.mark.long
def test_a_saved_script_runs_by_itself_and_finds_the_same_values(
    walked: Session, tmp_path: Path
) -> None:
    last = walked.ledger.cells[-1]
    said = "".join(getattr(each, "text", "") for each in last.outputs)
    assert said.startswith("the end")
    assert ran(script(walked.ledger), tmp_path)[-1] == said.strip()
    assert [each.number for each in walked.ledger.cells if each.state == "failed"] == [4]
