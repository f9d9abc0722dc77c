"""Breaks the program in many places, one at a time, and says which of them no test notices.

`python -m bench.mutations --count 60 --checkout FOLDER`: a comparison is turned, a number is
one off, a branch is dropped, or `and` and `or` change places; words are left alone. It happens
in a worktree of the checkout's HEAD; the tests are those of the broken file's package.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

_PAIRS: Sequence[tuple[type[Any], type[Any]]] = (  # Any: some compare, some join
    *((ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE)),
    *((ast.In, ast.NotIn), (ast.Is, ast.IsNot), (ast.And, ast.Or)),
)
_TURNED = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_MORE_TESTS = {"gui": ["tests/screens"], "commands": ["tests/screens"], "worker": ["tests/lab"]}
_TESTS = f"{sys.executable} -m pytest -x -q -p no:cacheprovider"
_LEAST, _MOST = 60.0, 3600.0  # seconds for tests, else three times what they usually take
Place = tuple[Path, int, str]  # below the checkout, of the node as they are walked, its kind


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="how many places")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[1])
    parser.add_argument(
        "--only", default="gpuexplorer", metavar="PATH", help="a folder or file"
    )
    parser.add_argument("--tests", default=_TESTS, metavar="COMMAND", help="that takes folders")
    asked = parser.parse_args()
    git = ["git", "-C", str(asked.checkout), "worktree"]
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary, "copy")
        subprocess.run([*git, "add", "--quiet", "--detach", copy, "HEAD"], check=True)
        try:
            trial = Trial(copy, asked.tests)
            places = _drawn(copy, asked.only, random.Random(asked.seed), asked.count)
            found = [trial.of(place) for place in places]
        finally:
            subprocess.run([*git, "remove", "--force", copy], check=True)
    caught = sum(verdict in {"caught", "endless"} for verdict, _ in found)
    print(f"\n{caught} of {len(found)} were caught. Nobody caught:")
    print(*(said for verdict, said in found if verdict == "MISSED"), sep="\n")


def _drawn(copy: Path, only: str, dice: random.Random, number: int) -> Sequence[Place]:
    """Each kind as often as the others."""
    kinds: dict[str, list[Place]] = {}
    for path in sorted((copy / only).rglob("*.py")) or [copy / only]:
        for at, node in enumerate(ast.walk(ast.parse(path.read_text("utf-8")))):
            if kind := _turned(node):
                kinds.setdefault(kind, []).append((path.relative_to(copy), at, kind))
    return [dice.choice(kinds[kind]) for kind in islice(cycle(sorted(kinds)), number)]


def _turned(node: ast.AST) -> str:
    """Of which kind it is; from now on it says something else."""
    match node:
        case ast.Compare(ops=[op]):
            node.ops = [_TURNED[type(op)]()]
            return "comparison"
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            node.value = value + 1
            return "number"
        case ast.If(test=test) if "TYPE_CHECKING" not in ast.unparse(test):
            node.test = ast.Constant(value=False)
            return "branch"
        case ast.BoolOp(op=op):
            node.op = _TURNED[type(op)]()
            return "and/or"
    return ""


class Trial:
    """In this copy of the checkout."""

    def __init__(self, copy: Path, command: str) -> None:
        self._copy, self._command = copy, command.split()
        self._usual: dict[str, float | None] = {}  # seconds, by what is tested
        self._dates = count(int(time.time()), 10)  # by which Python compiles a file anew

    def of(self, place: Place) -> tuple[str, str]:
        """Whether a test notices it; where it is and what it says."""
        file, number, kind = place
        path, package = self._copy / file, file.parent.relative_to("gpuexplorer")
        near = (Path("tests", each) for each in (package, *package.parents) if each.parts)
        found = [str(each) for each in near if (self._copy / each).is_dir()][:1]
        folders = [*found, *_MORE_TESTS.get(package.parts[0], [])] if found else ["tests"]
        if (what := " ".join(folders)) not in self._usual:
            status, took = self._tested(folders, _MOST)
            self._usual[what] = took if status == 0 else None
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        node: Any = list(ast.walk(tree))[number]  # Any: what it is, its kind says
        before, _, after = ast.unparse(node).split("\n")[0], _turned(node), ast.unparse(node)
        said = f"{file}:{node.lineno}  {before}  ->  {after.splitlines()[0]}"
        verdict, took, usual = "untried", 0.0, self._usual[what]
        if usual is not None:  # else its tests fail before it is broken
            self._write(path, ast.unparse(tree))
            status, took = self._tested(folders, max(_LEAST, 3 * usual))
            self._write(path, source)
            verdict = {0: "MISSED", -9: "endless"}.get(status, "caught")
        print(f"{verdict:8} {took:5.0f} s  {kind:10}  {said}", flush=True)
        return verdict, said

    def _write(self, path: Path, source: str) -> None:
        path.write_text(source, "utf-8")
        os.utime(path, (date := next(self._dates), date))

    def _tested(self, folders: Sequence[str], most: float) -> tuple[int, float]:
        began = time.monotonic()
        words = ["timeout", "--signal=KILL", f"{most:.0f}", *self._command, *folders]
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(self._copy)}
        status = subprocess.call(words, cwd=self._copy, env=env, stdout=subprocess.DEVNULL)
        return status, time.monotonic() - began


if __name__ == "__main__":
    main()
