"""What runs in the worker runs under any Python from 3.10 on."""

import ast
from pathlib import Path

HOME = Path(__file__).parents[2] / "gpuexplorer"
NEWER = {
    "enum": {"StrEnum", "ReprEnum", "verify"},
    "typing": {"Self", "Never", "assert_never", "override", "LiteralString", "Unpack"},
    "datetime": {"UTC"},
    "tomllib": {"loads", "load"},
    "contextlib": {"chdir"},
}
FOR_OLDER = HOME / "core" / "newer_python.py"  # takes them only where they are


def test_nothing_that_the_worker_imports_needs_a_newer_python() -> None:
    wrong = [
        f"{file}: {node.module}"
        for part in ("core", "lab", "worker")
        for file in sorted((HOME / part).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and NEWER.get(node.module or "", set()) & {each.name for each in node.names}
        and file != FOR_OLDER
    ]
    assert wrong == []
