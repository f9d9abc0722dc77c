"""Saves a played lesson; the name's ending says as what."""

from datetime import UTC, datetime
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lessons.export.html import page
from gpuexplorer.lessons.export.notebook import notebook
from gpuexplorer.lessons.player import Player
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

_WRITES = {".html": page, ".htm": page, ".ipynb": notebook}


def refuse_other_endings(path: Path) -> None:
    """Raises Trouble."""
    if path.suffix.lower() not in _WRITES:
        raise Trouble(
            "{file} was not saved: its name does not end as a page's or a notebook's does.",
            "End it with .html for a page, or with .ipynb for a notebook.",
            file=path.name,
        )


def refuse(path: Path) -> None:
    """Raises Trouble where it could not be saved; to be asked before a lesson is played."""
    refuse_other_endings(path)
    refuse_unwritable(path)


def save(player: Player, ledger: Ledger, path: Path, saved: datetime | None = None) -> None:
    """As far as it was played. Whole or not at all; raises Trouble."""
    write_whole(path, [contents(player, ledger, path, saved)])


def contents(
    player: Player,
    ledger: Ledger,
    path: Path,
    saved: datetime | None = None,
    machine: str = "",
) -> bytes:
    """What is to be written there, as it is now; `machine` where it is not this computer."""
    refuse_other_endings(path)
    written = _WRITES[path.suffix.lower()](
        player, ledger, saved or datetime.now(UTC).astimezone(), machine
    )
    return written.encode("utf-8", "replace")
