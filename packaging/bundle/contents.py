"""What goes into the program: its own modules, files beside them, and what says versions."""

from pathlib import Path

from bundle.sizes import Size

# The other process: run by a Python of the person's own, from these files, or by the program
# itself where PyTorch is inside.
WORKERS = ("core", "lab", "worker")
# Their dist-info tells `doctor` which versions the program is made of.
DISTRIBUTIONS = (
    "PySide6-Essentials",
    "numpy",
    "nvidia-ml-py",
    "psutil",
    "platformdirs",
    "pyqtgraph",
    "markdown-it-py",
    "prometheus-client",
)


def modules(root: Path, size: Size) -> list[str]:
    """All of ours by name: verbs and screens are imported by name, which no tool sees."""
    paths = (path.relative_to(root) for path in (root / "gpuexplorer").rglob("*.py"))
    found = sorted(
        ".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths
    )
    without = () if size.with_torch else ("gpuexplorer.worker",)
    return [name for name in found if not name.startswith(without)]


def files(root: Path) -> list[tuple[str, str]]:
    """Each with the folder it goes to, below the folder that holds the libraries."""
    beside = [(root / "resources", "gpuexplorer/resources"), (root / "LICENSE", ".")]
    beside += [(path, path.parent.relative_to(root).as_posix()) for path in sources(root)]
    return [(str(path), folder) for path, folder in beside]


def sources(root: Path) -> list[Path]:
    """What the worker needs as it was written: a foreign Python compiles it for itself."""
    package = root / "gpuexplorer"
    below = [path for name in WORKERS for path in (package / name).rglob("*.py")]
    return [package / "__init__.py", *sorted(below)]


def distributions(size: Size) -> tuple[str, ...]:
    return (*DISTRIBUTIONS, "torch") if size.with_torch else DISTRIBUTIONS
