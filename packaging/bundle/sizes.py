"""The sizes the program is packaged in, and what they are called."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """One of the programs that are built; both are called `gpuexplorer` when they run."""

    name: str
    package: str  # of the system's package, and the beginning of every file's name
    title: str
    with_torch: bool
    most_installed: int  # bytes; more is a failure of the build
    most_packed: int  # bytes of the system's package


SLIM = Size(
    "slim",
    "gpuexplorer",
    "GPU Explorer",
    with_torch=False,
    most_installed=200 * 10**6,
    most_packed=70 * 10**6,
)
CLASSROOM = Size(
    "classroom",
    "gpuexplorer-classroom",
    "GPU Explorer for classrooms, with PyTorch",
    with_torch=True,
    most_installed=800 * 10**6,
    most_packed=200 * 10**6,
)
SIZES = {size.name: size for size in (SLIM, CLASSROOM)}
