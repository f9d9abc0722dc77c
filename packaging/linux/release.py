"""Which version is packaged, and the moment every file in it is dated with."""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from gpuexplorer.core.trouble import Trouble

CHANGELOG = Path(__file__).parent / "files" / "changelog"
_HEAD = re.compile(r"^gpuexplorer \((?P<version>[^)]+)-(?P<revision>\d+)\) ")
_FOOT = re.compile(r"^ -- (?P<maintainer>.+ <.+>)  (?P<date>.+)$")


@dataclass(frozen=True)
class Release:
    """`when`: seconds since 1970. The same release gives the same packages, byte for byte."""

    version: str
    revision: str
    maintainer: str
    when: int

    @property
    def of_debian(self) -> str:
        return f"{self.version}-{self.revision}"

    @property
    def day(self) -> str:
        return datetime.fromtimestamp(self.when, UTC).date().isoformat()


def release_of(version: str) -> Release:
    """Raises Trouble where the changelog does not begin with this version."""
    lines = CHANGELOG.read_text(encoding="utf-8").splitlines()
    head = _HEAD.match(lines[0])
    if head is None or head["version"] != version:
        raise Trouble(
            f"packaging/linux/files/changelog does not begin with version {version}.",
            "Add an entry that says what is new in it.",
        )
    foot = next(found for found in map(_FOOT.match, lines) if found is not None)
    when = int(parsedate_to_datetime(foot["date"]).timestamp())
    said = os.environ.get("SOURCE_DATE_EPOCH", "")
    return Release(
        version,
        head["revision"],
        foot["maintainer"],
        int(said) if said.isdecimal() else when,
    )
