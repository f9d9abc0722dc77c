"""On a real card: the command measures it, and knows its wires."""

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.lab.processes import needs_torch

pytestmark = [pytest.mark.gpu, needs_torch]

Told = Mapping[tuple[str, str, bool], Mapping[str, object]]
WORDS = ("--devices", "cpu,cuda:0", "--mode", "one-way,pageable", "--json")
PAIRS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")]


@pytest.fixture(scope="module")
def told() -> Told:
    """By source, target, and whether the host's memory was not pinned."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "copies", *WORDS],
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )
    if "no device here is called so" in done.stderr:
        pytest.skip("no card that PyTorch can use")
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert not run["simulated"]
    assert not run["modelled"]
    return {
        (each["source"], each["target"], each["pinned"] is False): each
        for each in run["results"]
    }


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_copy_arrives_and_its_queue_was_full(
    told: Told, source: str, target: str
) -> None:
    result = told[source, target, False]
    assert result["intact"] is True
    assert result["gated"] is True


@pytest.mark.parametrize(("source", "target"), PAIRS[:2])
def test_the_wire_is_known_and_no_copy_is_faster(told: Told, source: str, target: str) -> None:
    result = told[source, target, False]
    share = result["share_of_limit"]
    if share is None:
        pytest.skip(f"nobody says what this way could carry: {result['path']}")
    assert isinstance(share, float), result["notes"]
    assert 0.2 < share <= 1.05, result["path"]


def test_memory_that_is_not_pinned_is_no_faster(told: Told) -> None:
    paged, pinned = (told["cpu", "cuda:0", is_paged]["rate_gbs"] for is_paged in (True, False))
    assert float(str(paged)) < 1.1 * float(str(pinned))
