"""Products on benches: modelled, by a worker that plays its part, and for real."""

from collections.abc import Iterator

import pytest

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import ProductJob
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.clocks import ManualClock
from tests.lab.processes import Fake

PATIENCE = 60.0
WORKER = """
import json, sys
def say(**what):
    print(json.dumps(what), flush=True)
say(**{"is": "hello"}, python="3.11", torch="2", build="CPU", simulated=False,
    devices=[{"name": "cpu", "label": "cpu"}])
for line in sys.stdin:
    told = json.loads(line)
    number = told["id"]
    say(**{"is": "sampled"}, id=number, taken=0, samples=told["samples"])
    say(**{"is": "sampled"}, id=number, taken=1, samples=told["samples"])
    say(**{"is": "multiplied"}, id=number, samples_s=[0.5, 0.25, 0.5], right=True,
        loaded_s=told["seconds"], notes=["%s for %g s" % (told["kind"], told["seconds"])])
    say(**{"is": "finished"}, id=number, host_seconds=1.0)
"""


def product(bench: Bench, job: ProductJob) -> ProductResult:
    return bench.measure_product(job, lambda taken, samples: None)


@pytest.fixture
def worker() -> Iterator[WorkerBench]:
    made = WorkerBench(Fake(script=WORKER), clock=ManualClock(now=100.0))
    yield made
    made.close()


def test_the_lab_and_the_bench_take_simulated_cards_for_equally_fast() -> None:
    spec = parse_machine("1xH100,1xTitanRTX")
    told, _ = simulated_cards(Machine(spec))
    bench = ModelBench(spec)
    for index, kinds in ((0, ("fp32", "bf16")), (1, ("fp32",))):
        for kind in kinds:
            lab = told[index]["flops" if kind == "fp32" else "half_flops"]
            result = product(bench, ProductJob(f"cuda:{index}", kind))
            assert result.rate == pytest.approx(lab)
            assert result.measured is not None
            assert (result.measured.modelled, result.measured.right) == (True, None)


def test_the_moment_of_the_first_sample_ends_the_time_at_work(worker: WorkerBench) -> None:
    result = product(worker, ProductJob("cuda:0", "bf16", 2048))
    assert result.measured is not None, result.failure
    assert result.loaded == (96.0, 100.0)
    assert result.measured.notes == ("bf16 for 4 s",)
    assert result.rate == 2 * 2048**3 / 0.5
    host = product(worker, ProductJob("cpu", "fp32", 512))
    assert host.measured is not None
    assert host.measured.notes == ("fp32 for 0 s",)  # nobody tells its power
