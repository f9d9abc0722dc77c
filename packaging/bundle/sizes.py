"""The sizes the program is packaged in, and what they are called."""

from typing import NamedTuple


class Size(NamedTuple):
    """One of the programs that are built; both are called `gpuexplorer` when they run."""

    name: str
    package: str  # of the system's package, and the beginning of every file's name
    title: str
    most_installed: int  # bytes; more is a failure of the build
    most_packed: int  # bytes of the system's package
    with_torch: bool


SLIM = Size("slim", "gpuexplorer", "GPU Explorer", 200 * 10**6, 70 * 10**6, with_torch=False)
_TITLE = "GPU Explorer for classrooms, with PyTorch"
CLASSROOM = Size(
    "classroom", "gpuexplorer-classroom", _TITLE, 800 * 10**6, 200 * 10**6, with_torch=True
)
SIZES = {size.name: size for size in (SLIM, CLASSROOM)}
