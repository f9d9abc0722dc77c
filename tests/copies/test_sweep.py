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


def test_one_size_is_no_curve_and_wrong_copies_are_left_out() -> None:
    good, bad = real("cpu", "cpu", 64, 1e-6), real("cpu", "cpu", 128, 1e-6, intact=False)
    assert curve_of([good]) is None
    assert curve_of([good, bad]) is None
