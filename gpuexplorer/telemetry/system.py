"""psutil where it is installed; where it is not, the same from Linux's own files."""

from typing import TYPE_CHECKING

__all__ = ["psutil"]

if TYPE_CHECKING:
    import psutil
else:
    try:
        import psutil
    except ImportError:  # it is compiled, so nobody can send it to another computer
        from gpuexplorer.telemetry import proc_files as psutil
