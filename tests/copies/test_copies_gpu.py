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


def test_every_copy_arrives_its_queue_was_full_and_no_wire_is_outdone(told: Told) -> None:
    for source, target in (("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")):
        result = told[source, target, False]
        assert (result["intact"], result["gated"]) == (True, True)
        share = result["share_of_limit"]  # None: nobody says what this way could carry
        assert share is None or 0.2 < float(str(share)) <= 1.05, result["path"]
    paged, pinned = (told["cpu", "cuda:0", is_paged]["rate_gbs"] for is_paged in (True, False))
    assert float(str(paged)) < 1.1 * float(str(pinned))
