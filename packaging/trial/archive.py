"""Where this machine gets its Debian from: the bare system is made from the same archive."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trial.refusal import CannotTryError

_FIELDS = "$(REPO_URI)|$(RELEASE)|$(CODENAME)|$(COMPONENT)"
# How apt reaches it: a proxy, a patience. Not what else apt does on this machine.
_REACHING = ("Acquire::Check-", "Acquire::http", "Acquire::https", "Acquire::Retries")


@dataclass(frozen=True)
class Archive:
    """`sources` and `settings` are the text of the files apt reads."""

    release: str
    address: str
    sources: str
    settings: str


def this_machines() -> Archive:
    """Raises CannotTryError where this is no Debian, or apt knows no archive."""
    release = release_of(Path("/etc/os-release"))
    targets = _said(["apt-get", "indextargets", "--format", _FIELDS, "Created-By: Packages"])
    settings = settings_of(_said(["apt-config", "dump"]).splitlines())
    address, sources = sources_of(targets.splitlines(), release)
    return Archive(release, address, sources, settings)


def release_of(file: Path) -> str:
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    facts = dict(line.split("=", 1) for line in lines if "=" in line)
    release = facts.get("VERSION_CODENAME", "").strip('"')
    if not release:
        raise CannotTryError("This is no Debian, from which a bare system could be made.")
    return release


def sources_of(targets: Sequence[str], release: str) -> "tuple[str, str]":
    """The archive's address, and lines for apt: the release, its updates, its security."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for target in targets:
        address, suite, codename, component = target.split("|")
        if release in {suite.split("-")[0], codename.split("-")[0]}:
            wanted.setdefault((address.rstrip("/"), suite), []).append(component)
    first = next((address for address, suite in wanted if suite == release), None)
    if first is None:
        raise CannotTryError(
            f"apt knows no archive of {release}, which this machine runs.\n"
            "Run `apt-get update`, and look at /etc/apt."
        )
    lines = [
        f"deb {address} {suite} {' '.join(dict.fromkeys(components))}"
        for (address, suite), components in wanted.items()
    ]
    return first, "\n".join(lines) + "\n"


def settings_of(dump: Sequence[str]) -> str:
    return "".join(
        f"{line}\n" for line in dump if line.startswith(_REACHING) and not line.endswith(' "";')
    )


def _said(command: "list[str]") -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotTryError(f"apt does not answer here: {error}.") from None
    return done.stdout
