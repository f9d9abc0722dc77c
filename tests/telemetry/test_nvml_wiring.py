"""How cards are wired, by what drivers report: rates that fit, and garbage that does not."""

from pathlib import Path

import pytest

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.topology import (
    Link,
    PathKind,
    pcie_rate,
    shape_of,
)
from tests.telemetry.conftest import Nvml


def pair(backend: NvmlBackend) -> Link:
    """What joins the first two cards."""
    one, other, *_ = backend.cards()
    link = backend.topology().link(one.id, other.id)
    assert link is not None
    return link


def to_host(backend: NvmlBackend) -> Link:
    link = backend.topology().link(backend.cards()[0].id, HOST_ID)
    assert link is not None
    return link


@pytest.mark.parametrize(
    ("version", "speed", "generation", "rate"),
    [
        (1, 20_000, 1, 20e9),
        (2, 25_781, 2, 25e9),
        (4, 25_000, 3, 25e9),
        (4, 14_062.5, 3, 14.0625e9),  # what an RTX A6000 has
        (6, 26_562, 4, 25e9),
        (7, 53_125, 5, 50e9),
        (8, 100_000, 6, 100e9),  # not known here: the driver is believed
    ],
)
def test_the_usable_rate_is_that_of_the_datasheet_and_not_that_of_the_line(
    version: int, speed: float, generation: int, rate: float, nvml: Nvml
) -> None:
    backend = nvml.open(f"cards=2;nvlink_version={version};nvlink_speed={int(speed)}")
    link = pair(backend)
    assert link.nvlink_generation == generation
    assert link.rate == pytest.approx(18 * rate, rel=0.001)
    assert link.rate_reason == f"18 NVLinks of generation {generation}"


def test_a_rate_of_another_generation_is_believed_and_the_generation_is_not(nvml: Nvml) -> None:
    """18 NVLinks of generation 3 at 956 GB/s cannot be."""
    link = pair(nvml.open("cards=2;nvlink_version=5;nvlink_speed=53125"))
    assert (link.nvlink_generation, link.rate) == (None, 18 * 50e9)
    assert link.rate_reason == "18 NVLinks"


@pytest.mark.parametrize("speed", [0, 1_360_000, 4294967295])
def test_where_no_usable_rate_is_reported_the_generation_tells_it(
    nvml: Nvml, speed: int
) -> None:
    link = pair(nvml.open(f"cards=2;nvlink_speed={speed}"))
    assert (link.nvlink_generation, link.rate) == (4, 18 * 25e9)


def test_wires_that_are_garbage_are_unknown_and_never_an_error(nvml: Nvml) -> None:
    backend = nvml.open(
        "cards=3;wiring=nonsense;nvlink_version=4294967295;nvlink_speed=4294967295;"
        "p2p=77;ancestor=61;pcie_gen_max=4294967295;pcie_width_max=4294967295"
    )
    link = pair(backend)
    assert (link.path, link.nvlinks, link.rate) == (PathKind.UNKNOWN, 0, None)
    assert link.peer_to_peer is None
    assert link.rate_reason == "not reported: the driver answered with an impossible figure"
    shape = shape_of(backend.topology(), backend.cards())
    assert (shape.hubs, shape.bridges, shape.junctions) == ((), (), ())
    nvml.set("wiring=switch")
    assert pair(backend).rate_reason == "18 NVLinks, of unknown speed"


def slot(root: Path, speed: str, lanes: int) -> PciBus:
    """A bus with the stand-in's first card in a slot that says this of itself."""
    port = root / "devices" / "pci0000:1a" / "0000:1a:01.0"
    card = port / "0000:1b:00.0"
    card.mkdir(parents=True)
    (port / "max_link_speed").write_text(f"{speed} GT/s PCIe\n")
    (port / "max_link_width").write_text(f"{lanes}\n")
    listed = root / "bus" / "pci" / "devices"
    listed.mkdir(parents=True)
    (listed / "0000:1b:00.0").symlink_to(card)
    return PciBus(root)


@pytest.mark.parametrize(("speed", "lanes"), [("2.5", 1), ("16.0", 32)])
def test_the_made_up_slot_of_a_virtual_machine_narrows_nothing(
    nvml: Nvml, tmp_path: Path, speed: str, lanes: int
) -> None:
    link = to_host(nvml.open("cards=1", bus=slot(tmp_path, speed, lanes)))
    assert link.rate == pcie_rate(5, 16)


def test_a_slot_with_fewer_lanes_than_the_card_is_the_limit(nvml: Nvml, tmp_path: Path) -> None:
    link = to_host(nvml.open("cards=1;pcie_now=0:5x8", bus=slot(tmp_path, "32.0", 8)))
    assert link.rate == pcie_rate(5, 8)
    assert link.rate_reason == "PCIe 5.0 x8"


def test_a_card_joined_to_its_processor_by_nvlink_c2c_is_as_fast_as_that(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;kind=gh200")
    link = to_host(backend)
    assert (link.path, link.letters) == (PathKind.C2C, "C2C")
    assert link.rate == pytest.approx(447.12e9)
    assert link.rate_reason == "10 links of NVLink-C2C"
    nvml.set("c2c_speed=0")
    assert to_host(backend).path is PathKind.HOST_BRIDGE
