"""The package for Debian that was built last: how much is fetched to install the program."""

from pathlib import Path

from bench.table import Figure

_DIST = Path(__file__).resolve().parents[1] / "dist"
_MOST = 70e6


def figures() -> list[Figure]:
    built = sorted(_DIST.glob("gpuexplorer_*.deb"), key=lambda path: path.stat().st_mtime)
    if not built:
        return [Figure("slim .deb", "not built", "make package ARGS=slim")]
    size = built[-1].stat().st_size
    value = f"{size / 1e6:.1f} MB"
    return [Figure(f"slim .deb, {built[-1].name}", value, "at most 70 MB", size <= _MOST)]
