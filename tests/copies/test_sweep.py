"""What follows from one path over many sizes: floor, half rate, and how long another takes."""

import pytest

from gpuexplorer.copies.plan import sweep_sizes
from gpuexplorer.copies.sweep import Curve, Point, curve_of
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import bench, measured, real


def line(latency: float, rate: float, sizes: tuple[int, ...] | None = None) -> Curve:
    sizes = sizes or sweep_sizes()
    return Curve([Point(size, latency + size / rate) for size in sizes])


def test_the_floor_is_what_the_smallest_copies_take() -> None:
    assert line(10e-6, 25e9).floor == pytest.approx(10e-6, rel=0.02)


def test_what_a_cache_carried_is_not_the_best_of_a_cards_memory() -> None:
    sizes = [1 << power for power in range(16, 28)]
    points = [
        Point(size, size / (3e12 if size <= 16 << 20 else 1.2e12), size <= 16 << 20)
        for size in sizes
    ]
    assert Curve(points).top == pytest.approx(1.2e12)
    assert not Curve(points).in_cache
    assert Curve(points[:4]).top == pytest.approx(3e12)
    assert Curve(points[:4]).in_cache


def test_up_to_some_size_the_price_is_the_floor() -> None:
    assert line(10e-6, 25e9).floor_bytes == 32768


def test_half_of_the_rate_is_reached_where_the_beginning_costs_as_much_as_the_way() -> None:
    assert line(10e-6, 25e9).half_rate_bytes == pytest.approx(250e3, rel=0.05)


def test_the_line_through_all_sizes_gives_both_back() -> None:
    found = line(8e-6, 46e9).line
    assert found.latency == pytest.approx(8e-6, rel=0.01)
    assert found.rate == pytest.approx(46e9, rel=0.01)
    assert found.seconds(256 << 20) == pytest.approx(8e-6 + (256 << 20) / 46e9, rel=0.01)


@pytest.mark.parametrize("size", [1, 6, 3000, 1_000_000, 200_000_000, 4 << 30])
def test_a_size_that_was_not_measured_is_predicted(size: int) -> None:
    curve = line(10e-6, 25e9)
    assert curve.seconds_for(size) == pytest.approx(10e-6 + size / 25e9, rel=0.05)


def test_large_sizes_alone_tell_no_floor_and_no_half() -> None:
    curve = line(10e-6, 25e9, (64 << 20, 128 << 20, 256 << 20))
    assert curve.floor is None
    assert curve.half_rate_bytes is None


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
