"""Files from anywhere: their cells, or a sentence why there are none."""

import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.session_files import notebook, opened, script
from gpuexplorer.lab.session_files import program as whole_program
from tests.lab.told_cells import Told


def program(folder: Path, text: str | bytes) -> list[str]:
    path = folder / "course.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return opened(path)


def of_json(folder: Path, content: object) -> list[str]:
    path = folder / "course.ipynb"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return opened(path)


def refused(path: Path) -> str:
    with pytest.raises(Trouble) as trouble:
        opened(path)
    assert trouble.value.hint
    return str(trouble.value.sentence)


def code(source: object, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": [], "metadata": {}, **more}


def test_a_notebook_gives_its_cells_of_code_in_their_order(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Cards"], "metadata": {}},
        code(["import torch\n", "torch.device('cpu')"]),
        code(""),
        code("x = 1\u2028\n\nx"),
        {"cell_type": "raw", "source": "raw", "metadata": {}},
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    assert of_json(tmp_path, content) == [
        "import torch\ntorch.device('cpu')",
        "x = 1\u2028\n\nx",
    ]


def test_an_old_notebook_gives_its_cells_too(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "source": "Cards", "level": 1},
        {"cell_type": "code", "input": ["x = 1\n", "x"], "language": "python", "outputs": []},
    ]
    content = {"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": cells}]}
    assert of_json(tmp_path, content) == ["x = 1\nx"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"cells": [', "course.ipynb is not a whole notebook: it cannot be read as JSON."),
        ("[" * 100_000, "course.ipynb is not a whole notebook: it cannot be read as JSON."),
        ("[]", "course.ipynb is JSON, but not a notebook that the lab can read."),
        ('{"cells": 3, "metadata": {}, "nbformat": 4}', "course.ipynb is JSON, but not"),
        ('{"cells": [3], "metadata": {}, "nbformat": 4}', "course.ipynb is JSON, but not"),
        ({"cells": [code(7)], "metadata": {}, "nbformat": 4}, "course.ipynb is JSON, but not"),
        ({"cells": [code([7])], "metadata": {}, "nbformat": 4}, "course.ipynb is JSON, but"),
        ({"cells": [], "metadata": [], "nbformat": 4}, "course.ipynb is JSON, but not"),
        ({"cells": [], "metadata": {}, "nbformat": 4}, "There is no code in course.ipynb."),
        (
            {"cells": [code("1")], "metadata": {"language_info": {"name": "R"}}, "nbformat": 4},
            "course.ipynb is a notebook in r, and the lab runs Python.",
        ),
        (
            {"cells": [], "metadata": {"kernelspec": {"language": 5}}, "nbformat": 4},
            "course.ipynb is JSON, but not",
        ),
    ],
)
def test_what_is_no_notebook_says_so(content: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(Trouble) as trouble:
        of_json(tmp_path, content)
    assert trouble.value.sentence.startswith(said)


def test_other_files_say_why_they_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x = 1")
    (tmp_path / "old.py").write_bytes("x = 'é'\n".encode("latin-1"))
    (tmp_path / "odd.py").write_text("# coding: klingon\nx = 1")
    with (tmp_path / "huge.py").open("wb") as huge:
        huge.truncate(65 << 20)
    assert refused(tmp_path / "notes.txt").startswith("notes.txt is neither a Python program")
    assert refused(tmp_path / "old.py").startswith("old.py is not text in the encoding")
    assert refused(tmp_path / "odd.py").startswith("odd.py is not text in the encoding")
    assert refused(tmp_path / "huge.py") == (
        "huge.py has 65 MiB, and the lab opens files of up to 64 MiB."
    )
    assert refused(tmp_path / "none.py") == "none.py cannot be read: No such file or directory."
    assert refused(tmp_path).endswith("Is a directory.")


def test_a_program_may_say_in_which_encoding_it_is(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    assert program(tmp_path, text.encode("latin-1")) == [text.strip()]
    assert program(tmp_path, b"\xef\xbb\xbfx = 1\r\ny = 2") == ["x = 1\ny = 2"]


def test_a_program_with_markers_is_cut_at_them(tmp_path: Path) -> None:
    text = (
        "# A course\n"
        "# %% Imports\nimport torch\n\nimport math\n"
        "# %% [markdown]\n# Some words\n"
        "#%%\nx = 1\n\n\ndef f():\n    return '''\n    '''\n"
        "# In[3]:\n\nf()\n"
    )
    assert program(tmp_path, text) == [
        "import torch\n\nimport math",
        "x = 1\n\n\ndef f():\n    return '''\n    '''",
        "f()",
    ]


def test_a_program_without_markers_is_cut_where_its_writer_left_lines_empty(
    tmp_path: Path,
) -> None:
    text = (
        '"""What it is for."""\n\n'
        "import torch\n\nfrom torch import nn\n\n"
        "# The first card\n"
        "@cached\ndef gpu():\n    x = 1\n\n    return x\n"
        "gpu()\n\n\n"
        "x = 1; y = 2\nz = '''\n\n'''\n\n"
        "if z:\n    print(x)\n\nelse:\n    print(y)\n# the end\n"
    )
    assert program(tmp_path, text) == [
        '"""What it is for."""',
        "import torch\n\nfrom torch import nn",
        "# The first card\n@cached\ndef gpu():\n    x = 1\n\n    return x\ngpu()",
        "x = 1; y = 2\nz = '''\n\n'''",
        "if z:\n    print(x)\n\nelse:\n    print(y)\n# the end",
    ]


def test_a_program_that_this_python_cannot_read_is_one_cell(tmp_path: Path) -> None:
    assert program(tmp_path, "print 'hello'\n\nx = 1") == ["print 'hello'\n\nx = 1"]


def test_what_the_lab_saved_it_opens_again(tmp_path: Path) -> None:
    told = Told("x = 1\n\n\nx", "def f():\n    return '''\n\n'''\n\nf()")
    (tmp_path / "lab.ipynb").write_text(notebook(told.ledger), "utf-8")
    codes = [each.code for each in told.ledger.cells]
    assert opened(tmp_path / "lab.ipynb") == codes
    again = program(tmp_path, script(told.ledger))
    assert again[1:] == codes[1:]


@given(st.binary(max_size=60), st.sampled_from([".py", ".ipynb"]))
def test_any_bytes_give_cells_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"any{kind}"
    path.write_bytes(content)
    with contextlib.suppress(Trouble):
        assert opened(path)


LINES = st.sampled_from(
    ["x = 1", "", "# %%", "# word", "import a", "def f():", "  y", "'''", "\f"]
)


@given(st.lists(LINES, max_size=12).filter(lambda lines: "# %%" not in lines))
def test_no_line_of_code_is_lost(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    try:
        cells = program(folder, "\n".join(lines))
    except Trouble:
        cells = []
    kept = [line for cell in cells for line in cell.split("\n") if _counts(line)]
    assert kept == [line for line in lines if _counts(line)]


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_has_no_end_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "course.py"
    os.mkfifo(path)
    assert refused(path) == "course.py is no ordinary file."


def test_a_program_that_runs_whole_is_its_text(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes("# -*- coding: latin-1 -*-\r\nname = 'é'\r\n".encode("latin-1"))
    assert whole_program(path) == "# -*- coding: latin-1 -*-\nname = 'é'\n"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("course.ipynb", "course.ipynb is a notebook: each of its cells is watched when it"),
        ("course.sh", "course.sh is no Python program. Choose a file whose name ends in .py."),
    ],
)
def test_what_cannot_run_whole_says_what_can_be_done(
    tmp_path: Path, name: str, why: str
) -> None:
    (tmp_path / name).write_text("{}", "utf-8")
    with pytest.raises(Trouble) as refused:
        whole_program(tmp_path / name)
    assert refused.value.told.startswith(why)
