"""Names in the window say which: no two of its files and no two of its classes share one."""

import ast
from collections import Counter
from pathlib import Path

GUI = Path(__file__).resolve().parents[2] / "gpuexplorer" / "gui"
SHARED = {"__init__.py", "view.py", "model.py", "words.py"}


def test_no_two_files_of_the_window_have_one_name() -> None:
    names = Counter(path.name for path in GUI.rglob("*.py") if path.name not in SHARED)
    assert names
    assert [name for name, count in names.items() if count > 1] == []


def test_no_two_classes_of_the_window_have_one_name() -> None:
    names = Counter(
        node.name
        for path in GUI.rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert names
    assert [name for name, count in names.items() if count > 1] == []
