"""What follows from one path over many sizes: the floor, and the size of half the rate."""

import pytest

from gpuexplorer.copies.jobs import sweep_sizes
from gpuexplorer.copies.result import curve_of
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import bench, measured, real


def test_floor_and_half_rate_are_those_of_a_line() -> None:
    curve = curve_of([real("cpu", "cpu", x, 10e-6 + x / 25e9) for x in sweep_sizes()])
    assert curve is not None
    assert curve.floor == pytest.approx(10e-6, rel=0.02)
    assert curve.floor_bytes == 32768
    assert curve.half_rate_bytes == pytest.approx(250e3, rel=0.05)


def test_a_modelled_sweep_gives_the_model_s_own_figures() -> None:
    on = bench("1xRTX4090")
    jobs = [CopyJob("cpu", "cuda:0", size, pinned=True) for size in sweep_sizes()]
    curve = curve_of([measured(on, job) for job in jobs])
    assert curve is not None
    assert curve.floor == pytest.approx(10e-6, rel=0.03)
    assert curve.top == pytest.approx(25.8e9, rel=0.01)
