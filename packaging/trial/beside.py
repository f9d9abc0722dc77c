"""A Python beside the program: a good one, and some that the program has to refuse in words."""

import subprocess
import sys
from pathlib import Path

from trial.program import Program, expect
from trial.refusal import CannotTryError
from trial.report import Step
from trial.root import HOME, Inside, Root, as_root
from trial.worker import measured

TORCH = "torch==2.13.0"
# Where people's tools keep them, so that the program may find it unasked.
_GOOD = f"{HOME}/.virtualenvs/pytorch"
_WHEELS = "/var/tmp/wheels"
_ODD = "/var/tmp/pythons"
_ASKED = ("copies", "--devices", "cpu,cpu")
_ITS_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
# No Debian has one that old: this one says of itself that it is.
_ANCIENT = """#!/bin/sh
exec /usr/bin/python3 -c '
import sys
code = sys.argv[2]
sys.version_info = (3, 9, 18, "final", 0)
sys.argv = ["-c", *sys.argv[3:]]
exec(compile(code, "<string>", "exec"))
' "$@"
"""
_OLD_TORCH = """#!/bin/sh
PYTHONPATH=/var/tmp/pythons/old exec /usr/bin/python3 "$@"
"""
_OLD_VERSION = "__version__ = '1.13.1'\ncuda = None\n"
_BROKEN_TORCH = """#!/bin/sh
PYTHONPATH=/var/tmp/pythons/broken exec /usr/bin/python3 "$@"
"""
_NEW_VERSION = "__version__ = '2.13.0'\ncuda = None\n"


class Beside:
    """For the slim program: it has no PyTorch of its own."""

    def __init__(self, program: Program, cache: Path) -> None:
        self._program = program
        self._root = program.root
        self._cache = cache

    def steps(self) -> "list[Step]":
        python = "a Python of the system"
        return [
            Step("copies without a Python", self.none, ("install",)),
            Step(python, self.install_python, ("install",)),
            Step("a Python without PyTorch", self.without_torch, (python,)),
            Step("an ancient Python", self.ancient, (python,)),
            Step("an old PyTorch", self.old_torch, (python,)),
            Step("a PyTorch that does not load", self.broken_torch, (python,)),
            Step("a file that is no Python", self.no_python, ("install",)),
            Step("a PyTorch beside it", self.install_torch, (python,)),
            Step("the Python that doctor finds", self.found, ("a PyTorch beside it",)),
        ]

    def none(self) -> str:
        return self._refused(("PyTorch",))

    def install_python(self) -> str:
        words = ["apt-get", "install", "--yes", "--no-install-recommends"]
        as_root(self._root, [*words, "python3-venv"])
        return f"Debian's own, {version_in(self._root)}."

    def without_torch(self) -> str:
        return self._refused(("no PyTorch",), "/usr/bin/python3")

    def ancient(self) -> str:
        said = self._refused(("3.10 or newer",), self._odd("ancient", _ANCIENT))
        return f"{said} (A stand-in, which says of itself that it is Python 3.9.)"

    def old_torch(self) -> str:
        self._fake_torch("old", _OLD_VERSION, "from torch.version import __version__\n")
        said = self._refused(("1.13.1",), self._odd("old-torch", _OLD_TORCH))
        return f"{said} (A stand-in for PyTorch.)"

    def broken_torch(self) -> str:
        lost = "raise ImportError('libtorch_cpu.so: cannot open shared object file')\n"
        self._fake_torch("broken", _NEW_VERSION, lost)
        said = self._refused(("libtorch_cpu.so",), self._odd("broken-torch", _BROKEN_TORCH))
        return f"{said} (A stand-in for PyTorch.)"

    def no_python(self) -> str:
        return self._refused(("Python",), "/usr/bin/tac")

    def install_torch(self) -> str:
        """Fetched by this machine's pip, with its settings, and not by the root's."""
        version = version_in(self._root)
        wheels = self._cache / f"wheels-{version}"
        fetch(version, wheels)
        user = Inside(shown={wheels: _WHEELS}, patience=900)
        made = self._root.run(["python3", "-m", "venv", _GOOD])
        if made.status != 0:
            raise CannotTryError(f"No venv could be made: {made.said[-300:]}")
        pip = [f"{_GOOD}/bin/pip", "install", "--no-index", "--find-links", _WHEELS, TORCH]
        done = self._root.run(pip, user)
        if done.status != 0:
            raise CannotTryError(f"pip could not install {TORCH}: {done.said[-300:]}")
        return f"{TORCH} in {_GOOD}, under Python {version}, without numpy."

    def found(self) -> str:
        said = self._program.run("doctor", "--deep").out
        expect(_GOOD in said, f"The doctor does not name it: {said[:800]}")
        return f"The doctor names it. {measured(self._program)}"

    def _refused(self, words: "tuple[str, ...]", python: str = "") -> str:
        chosen = ("--python", python) if python else ()
        done = self._program.run(*_ASKED, *chosen, status=1)
        said = " ".join(done.err.split())
        expect(not done.out, f"It told a result all the same: {done.out[:300]}")
        expect(all(word in said for word in words), f"It does not say {words}: {said[:400]}")
        expect(said.endswith((".", "`", "4xRTX4090")), f"That is no sentence: {said[:400]}")
        return f"It says: {said}"

    def _odd(self, name: str, script: str) -> str:
        path = f"{_ODD}/{name}"
        target = self._root.at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script, "utf-8")
        target.chmod(0o755)
        return path

    def _fake_torch(self, name: str, version: str, content: str) -> None:
        folder = self._root.at(f"{_ODD}/{name}/torch")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "version.py").write_text(version, "utf-8")
        (folder / "__init__.py").write_text(content, "utf-8")


def version_in(root: Root) -> str:
    return root.run(["python3", "-c", _ITS_VERSION]).out.strip()


def fetch(version: str, wheels: Path) -> None:
    """Does nothing where they lie there. Raises CannotTryError where pip cannot get them."""
    if any(wheels.glob("torch-*.whl")):
        return
    pip = [sys.executable, "-I", "-m", "pip", "download", "--progress-bar", "off"]
    which = ["--only-binary=:all:", "--python-version", version, "--dest", str(wheels)]
    done = subprocess.run(
        [*pip, *which, TORCH], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        last = " / ".join((done.stdout + done.stderr).splitlines()[-3:])
        raise CannotTryError(f"pip could not fetch {TORCH} for Python {version}: {last[-400:]}")
