"""The worker runs under any Python from 3.10 on, with all that it imports of ours."""

import ast
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parents[2]
NEWER = {
    "enum": {"StrEnum", "ReprEnum", "verify"},
    "typing": {"Self", "Never", "assert_never", "override", "LiteralString", "Unpack"},
    "datetime": {"UTC"},
    "tomllib": {"loads", "load"},
    "contextlib": {"chdir"},
}
FOR_OLDER = "gpuexplorer.core.newer_python"  # takes them only where they are


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """Modules with the names that are taken from them; not those for type checkers alone."""
    tree = ast.parse(file.read_text("utf-8"))
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        left += ast.iter_child_nodes(node)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names)


def test_nothing_that_the_worker_imports_needs_a_newer_python() -> None:
    left = sorted((HOME / "gpuexplorer" / "worker").rglob("*.py"))
    seen = set(left)
    wrong = []
    while left:
        file = left.pop()
        for module, name in imported(file):
            if name in NEWER.get(module, ()):
                wrong.append(f"{file.relative_to(HOME)}: {module}.{name}")
            if module == FOR_OLDER:
                continue
            for each in (module, f"{module}.{name}"):
                found = (HOME / each.replace(".", "/")).with_suffix(".py")
                if each.startswith("gpuexplorer") and found.is_file() and found not in seen:
                    seen.add(found)
                    left.append(found)
    assert wrong == []
