"""A session as a program and as a notebook, and any file as cells, or why it is none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Frame, Pictured, Printed
from gpuexplorer.lab.ledger import IMPORTS, Ledger
from gpuexplorer.lab.session_files import notebook, opened, script
from gpuexplorer.lab.wire import Run
from tests.lab.sessions import Told


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


def test_cells_that_succeeded_stand_there_as_they_were_and_others_are_said() -> None:
    told = Told("X = torch.ones(2,3)  # mine", "def f(x):\n    return x+ 1\n\n\nf(X)", seed=5)
    told.run("1 / 0", failing="error")
    told.run("while True: pass", failing="cancelled")
    told.run("b = 2")
    assert f"# %% 0\n{IMPORTS}\n\ntorch.manual_seed(5)" in script(told.ledger)
    assert body(told) == (
        "# %% 1\nX = torch.ones(2,3)  # mine\n\n"
        "# %% 2\ndef f(x):\n    return x+ 1\n\n\nf(X)\n\n"
        "# %% 3\n# It failed in the lab, and is left out. RuntimeError: It did not work.\n"
        "# 1 / 0\n\n"
        "# %% 4\n# It was stopped in the lab, and is left out.\n# while True: pass\n\n"
        "# %% 5\nb = 2\n"
    )


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
        "await asyncio.sleep(1)",
    )
    text = script(told.ledger)
    assert "# !nvidia-smi  # only a notebook runs this" in text
    assert "    pass  # !echo {i}" in text
    assert "# %%bash\n# exit 3" in text
    assert "# This cell only runs in a notebook.\n# await asyncio.sleep(1)" in text
    said = ran(without_torch(text), tmp_path)
    assert said[1:] == ["4 ", "!not a command", "%nor this", "", "5"]


# JSON, as it comes.
def written(ledger: Ledger) -> list[dict]:  # type: ignore[type-arg]
    content = json.loads(notebook(ledger))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert {"name", "display_name"} <= set(content["metadata"]["kernelspec"])
    cells: list[dict] = content["cells"]  # type: ignore[type-arg]
    keys = {"cell_type", "execution_count", "id", "metadata", "outputs", "source"}
    assert all(set(cell) == keys for cell in cells)
    return cells


def test_a_notebook_holds_each_cell_as_it_was_with_what_it_printed_and_drew() -> None:
    told = Told("X = 1  # mine\n\n\nX")
    told.run(
        "%timeit X",
        Printed(2, "one\ntwo\n"),
        Printed(2, "careful", "warning", 1, 1),
        Printed(2, "The rest was left out.", "note"),
        Pictured(2, "iVBORw0KGgo="),
        Printed(2, "tensor(3)", "value"),
    )
    cells = written(told.ledger)
    sources = ["".join(each["source"]) for each in cells]
    assert sources == [IMPORTS, "X = 1  # mine\n\n\nX", "%timeit X"]
    assert [each["execution_count"] for each in cells] == [0, 1, 2]
    kinds = [each.get("name", each["output_type"]) for each in cells[2]["outputs"]]
    assert kinds == ["stdout", "stderr", "stderr", "display_data", "execute_result"]
    assert cells[2]["outputs"][0]["text"] == ["one\n", "two\n"]
    assert cells[2]["outputs"][3]["data"]["image/png"] == "iVBORw0KGgo="
    assert cells[2]["outputs"][4]["data"] == {"text/plain": ["tensor(3)"]}


def test_a_failed_or_stopped_cell_is_kept_with_its_explanation_and_stops_no_other() -> None:
    told = Told()
    raised = Failed(
        1,
        "devices differ",
        "RuntimeError",
        "Expected all tensors to be on the same device",
        Message("X is on cuda:0, and Y on cuda:1."),
        Message("Copy one of them."),
        frames=(Frame(1, 2), Frame(1, 1, "f")),
    )
    told.run("def f(): X + Y\nf()", raised, failing="devices differ")
    told.ledger.cells[1].failed = raised
    told.run("while True: pass", failing="cancelled")
    _, failed, stopped = written(told.ledger)
    assert "raises-exception" in failed["metadata"]["tags"]
    (error,) = failed["outputs"]
    assert (error["ename"], error["evalue"][:12]) == ("RuntimeError", "Expected all")
    assert error["traceback"] == [
        "  cell 1, line 2",
        "  cell 1, line 1, in f",
        "RuntimeError: Expected all tensors to be on the same device",
        "X is on cuda:0, and Y on cuda:1. Copy one of them.",
    ]
    assert stopped["metadata"]["tags"] == ["cancelled", "raises-exception"]


def cells_of(folder: Path, name: str, content: object) -> list[str]:
    path = folder / name
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [each.code for each in opened(path)]


def code(source: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}


MARKED = (
    "# A course\n# %% Imports\nimport torch\n\nimport math\n# %% [markdown]\n# Some words\n"
    "#%%\nx = 1\n\n\ndef f():\n    return 1\n# In[3]:\n\nf()\n"
)
# Cut where its writer left lines empty.
UNMARKED = (
    '"""What it is for."""\n\nimport torch\n\nfrom torch import nn\n\n# The first card\n'
    "@cached\ndef gpu():\n    x = 1\n\n    return x\ngpu()\n\n\nz = '''\n\n'''\n# the end\n"
)
LATIN = "# -*- coding: latin-1 -*-\nx = 'é'"
CELLS = [
    {"cell_type": "markdown", "source": ["# Cards"]},
    code(["x = 1\n", "\n", "x"]),
    code(""),
]


@pytest.mark.parametrize(
    ("name", "content", "cells"),
    [
        (
            "a.py",
            MARKED,
            ["import torch\n\nimport math", "x = 1\n\n\ndef f():\n    return 1", "f()"],
        ),
        (
            "a.py",
            UNMARKED,
            [
                '"""What it is for."""',
                "import torch\n\nfrom torch import nn",
                "# The first card\n@cached\ndef gpu():\n    x = 1\n\n    return x\ngpu()",
                "z = '''\n\n'''\n# the end",
            ],
        ),
        ("a.py", "print 'hello'\n\nx = 1", ["print 'hello'\n\nx = 1"]),  # of another Python
        ("a.py", LATIN.encode("latin-1"), [LATIN]),
        ("a.py", b"\xef\xbb\xbfx = 1\r\ny = 2", ["x = 1\ny = 2"]),
        ("a.ipynb", {"cells": CELLS, "nbformat": 4}, ["x = 1\n\nx"]),
    ],
)
def test_a_file_is_cut_into_cells(
    name: str, content: object, cells: list[str], tmp_path: Path
) -> None:
    assert cells_of(tmp_path, name, content) == cells


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ipynb", '{"cells": [', "a.ipynb is not a notebook that the lab can read."),
        ("a.ipynb", {"cells": [code([7])]}, "a.ipynb is not a notebook that the lab can read."),
        ("a.ipynb", {"cells": []}, "There is no code in a.ipynb."),
        ("a.txt", "x = 1", "a.txt is neither a Python program nor a notebook."),
        ("old.py", "'é'\n".encode("latin-1"), "old.py cannot be read: it is not text in the"),
        ("none.py", "", "There is no code in none.py."),
    ],
)
def test_what_gives_no_cells_says_why(
    name: str, content: object, said: str, tmp_path: Path
) -> None:
    with pytest.raises(Trouble) as trouble:
        cells_of(tmp_path, name, content)
    assert trouble.value.hint
    assert trouble.value.sentence.startswith(said)
    with pytest.raises(Trouble, match=r"gone\.py cannot be read: No such file"):
        opened(tmp_path / "gone.py")


def test_what_the_lab_saved_it_opens_again(tmp_path: Path) -> None:
    told = Told("x = 1\n\n\nx", "def f():\n    return '''\n\n'''\n\nf()")
    codes = [each.code for each in told.ledger.cells]
    assert cells_of(tmp_path, "lab.ipynb", notebook(told.ledger)) == codes
    assert cells_of(tmp_path, "lab.py", script(told.ledger))[1:] == codes[1:]


def test_a_notebooks_own_words_stay_with_its_cells(tmp_path: Path) -> None:
    more = {"cell_type": "markdown", "source": ["# Sums\n", "of *two*"]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [*CELLS[:1], more, *CELLS, more]}))
    first, last = opened(tmp_path / "a.ipynb")
    assert first.prose == "# Cards\n\n# Sums\nof *two*\n\n# Cards"
    assert last.code == "# # Sums\n# of *two*"
    told = Told()
    told.ledger.sent(Run(5, "x = 1", 1), prose="# Sums\nof *two*")
    told.ledger.cells[-1].state = "done"
    assert body(told) == "# %% [markdown]\n# # Sums\n# of *two*\n\n# %% 1\nx = 1\n"
    prose = json.loads(notebook(told.ledger))["cells"][1]
    assert (prose["cell_type"], prose["source"]) == ("markdown", ["# Sums\n", "of *two*"])
    (tmp_path / "a.py").write_text(script(told.ledger))
    assert opened(tmp_path / "a.py")[-1].prose == "# Sums\nof *two*"
