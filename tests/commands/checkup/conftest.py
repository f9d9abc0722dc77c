"""A made-up computer for each test of the doctor."""

from pathlib import Path

import pytest

from tests.commands.checkup.computer import Computer


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    """A bare Linux desktop: a PCI bus without graphics cards, and no driver."""
    bare = Computer(tmp_path / "computer")
    (bare.root / "sys/bus/pci/devices").mkdir(parents=True)
    bare.write("/proc/version", "Linux version 6.8.0 (gcc)")
    bare.write("/proc/sys/kernel/osrelease", "6.8.0\n")
    bare.link("/proc/self/ns/pid", "pid:[4026531836]")
    return bare
