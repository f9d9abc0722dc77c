"""What goes into the program: its own modules, files beside them, and what says versions."""

from pathlib import Path

from bundle.sizes import Size
from gpuexplorer.remote.parcel import Kind, vendors_library

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
    beside.append((vendors_library(), "."))
    beside += [(path, path.parent.relative_to(root).as_posix()) for path in sources(root)]
    return [(str(path), folder) for path, folder in beside]


def sources(root: Path) -> list[Path]:
    """What the worker, and the agent on another computer, need as it was written: a foreign
    Python compiles it for itself.
    """
    package = root / "gpuexplorer"
    return sorted({path for kind in Kind for path in kind.sources(package)})


def distributions(size: Size) -> tuple[str, ...]:
    return (*DISTRIBUTIONS, "torch") if size.with_torch else DISTRIBUTIONS
