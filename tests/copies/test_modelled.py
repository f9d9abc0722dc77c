"""How long copies take on machines that do not exist: the lab's times, and shared wires."""

import statistics
import threading
from dataclasses import replace

import pytest

from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.plan import Kind, job_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import notes_of
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.copies.made import bench, measured, one_way

MACHINES = ("8xH100+nvlink", "4xRTX4090+pcie", "2xTitanRTX", "4xA6000", "8xL4", "1xH100,2xT4")
SIZE = 64 << 20


def rate(text: str, job: CopyJob | None) -> float:
    assert job is not None
    found = measured(bench(text), job).rate
    assert found is not None
    return found


def pinned(source: str, target: str, **more: object) -> CopyJob:
    return CopyJob(source, target, SIZE, pinned=True, **more)  # type: ignore[arg-type]  # as given


@pytest.mark.parametrize("text", MACHINES)
def test_the_lab_and_the_copies_agree_on_every_copy_of_a_machine(text: str) -> None:
    _, links = simulated_cards(Machine(parse_machine(text)))
    on = bench(text)
    for link in links:
        one, other = (int(str(link[end])) for end in ("one", "other"))
        source, target = ("cpu" if one < 0 else f"cuda:{one}"), f"cuda:{other}"
        latency, speed = float(str(link["latency"])), float(str(link["bytes_per_second"]))
        job = job_of(Kind.ONE_WAY, source, target, SIZE)
        assert job is not None
        assert measured(on, job).seconds == pytest.approx(latency + SIZE / speed)
        if one < 0:
            slow = float(str(link["pageable_bytes_per_second"]))
            pageable = job_of(Kind.PAGEABLE, source, target, SIZE)
            assert pageable is not None
            assert measured(on, pageable).seconds == pytest.approx(latency + SIZE / slow)


def test_every_result_says_that_it_is_modelled_and_not_that_it_is_intact() -> None:
    result = one_way("2xT4", "cuda:0", "cuda:1")
    assert result.measured is not None
    assert result.measured.modelled
    assert result.measured.intact is None
    assert "Modelled: no bytes were moved." in notes_of(result)


def test_the_same_seed_gives_the_same_samples_and_another_gives_others() -> None:
    job = pinned("cpu", "cuda:0")
    first, again = (measured(bench("2xT4", seed=3), job).measured for _ in range(2))
    other = measured(bench("2xT4", seed=4), job).measured
    assert first == again
    assert first is not None
    assert other is not None
    assert first.samples_s != other.samples_s
    assert len(first.samples_s) == 7
    assert 0 < statistics.stdev(first.samples_s) / statistics.fmean(first.samples_s) < 0.02


def test_a_wire_that_carries_both_directions_gives_each_less() -> None:
    alone, both = (
        rate("1xRTX4090", pinned("cpu", "cuda:0", both_ways=x)) for x in (False, True)
    )
    assert both == pytest.approx(0.74 * alone, rel=0.01)


def test_nvlinks_carry_both_directions_as_fast_as_one() -> None:
    one, both = (CopyJob("cuda:0", "cuda:1", SIZE, both_ways=both) for both in (False, True))
    assert rate("2xH100", both) == pytest.approx(rate("2xH100", one))


def test_both_directions_are_told() -> None:
    result = measured(bench("2xT4"), pinned("cpu", "cuda:1", both_ways=True))
    assert result.back_rate is not None
    assert result.back_rate == pytest.approx(result.rate, rel=0.01)


def test_two_cards_behind_one_switch_share_its_way_to_the_host() -> None:
    alone = rate("2xL4", pinned("cpu", "cuda:0"))
    together = rate("2xL4", pinned("cpu", "cuda:0", beside=(("cpu", "cuda:1"),)))
    assert together == pytest.approx(alone / 2, rel=0.01)


def test_cards_with_slots_of_their_own_do_not_get_in_each_others_way() -> None:
    alone = rate("2xRTX4090", pinned("cpu", "cuda:0"))
    together = rate("2xRTX4090", pinned("cpu", "cuda:0", beside=(("cpu", "cuda:1"),)))
    assert together == pytest.approx(alone)


def test_all_to_one_card_share_the_links_of_that_card() -> None:
    others = [f"cuda:{number}" for number in range(2, 8)]
    alone = rate("8xH100", job_of(Kind.ONE_WAY, "cuda:1", "cuda:0", SIZE))
    job = CopyJob("cuda:1", "cuda:0", SIZE, beside=tuple((each, "cuda:0") for each in others))
    result = measured(bench("8xH100"), job)
    assert result.rate == pytest.approx(alone / 7, rel=0.06)
    assert result.measured is not None
    assert len(result.measured.beside_samples_s) == 6
    out = CopyJob("cuda:0", "cuda:1", SIZE, beside=tuple(("cuda:0", each) for each in others))
    assert rate("8xH100", out) == pytest.approx(alone / 7, rel=0.06)


def test_many_pieces_pay_the_beginning_each_time() -> None:
    whole = measured(bench("1xT4"), pinned("cpu", "cuda:0")).seconds
    pieces = measured(bench("1xT4"), pinned("cpu", "cuda:0", pieces=1000)).seconds
    assert whole is not None
    assert pieces is not None
    assert pieces - whole == pytest.approx(999 * 10e-6)


def test_a_copy_inside_a_card_counts_its_bytes_once() -> None:
    result = one_way("1xH200", "cuda:0", "cuda:0")
    assert result.limit == pytest.approx(2400e9)
    assert result.share == pytest.approx(0.88, abs=0.02)


def test_latency_is_the_price_of_the_beginning() -> None:
    job = job_of(Kind.LATENCY, "cuda:0", "cuda:7")
    assert job is not None
    assert measured(bench("8xL4"), job).seconds == pytest.approx(14e-6, rel=0.01)


def test_memory_that_is_not_pinned_costs_and_fresh_memory_costs_more() -> None:
    usual, pageable, fresh = (
        rate("1xRTX4090", job_of(kind, "cpu", "cuda:0", SIZE))
        for kind in (Kind.ONE_WAY, Kind.PAGEABLE, Kind.FRESH)
    )
    assert usual > 2 * pageable > 2 * fresh


def test_beside_a_computation_only_what_does_not_block_overlaps() -> None:
    overlapping = pinned("cpu", "cuda:0", mode="overlap")
    blocking = pinned("cpu", "cuda:0", mode="blocking")
    assert measured(bench("1xT4"), overlapping).hidden == pytest.approx(0.97, abs=0.02)
    assert measured(bench("1xT4"), blocking).hidden == pytest.approx(0.0, abs=0.02)
    assert measured(bench("1xT4"), pinned("cpu", "cuda:0")).hidden is None


def test_rows_from_a_card_are_brought_together_faster_than_those_from_the_host() -> None:
    there, back = (
        measured(bench("1xT4"), CopyJob(*ends, 256 << 20, "strided", pinned=True)).measured
        for ends in (("cpu", "cuda:0"), ("cuda:0", "cpu"))
    )
    assert there is not None
    assert back is not None
    assert min(there.samples_s) > max(back.samples_s)
    assert there.asked_s == pytest.approx(min(there.samples_s), rel=0.1), "the host waits"
    assert back.asked_s == 5e-6


def test_a_staged_copy_is_slower_than_nvlink_and_its_route_says_so() -> None:
    staged = measured(bench("2xTitanRTX"), CopyJob("cuda:0", "cuda:1", SIZE, "staged"))
    assert staged.rate is not None
    assert staged.rate < rate("2xTitanRTX", CopyJob("cuda:0", "cuda:1", SIZE)) / 4
    assert staged.route is not None
    assert staged.route.words == "staged through host memory"
    assert staged.route.direct is False


def test_copies_that_were_ordered_wrong_arrive_wrong_and_have_no_rate() -> None:
    on = bench("8xH100", "wrong:6>1")
    result = measured(on, CopyJob("cuda:6", "cuda:1", SIZE))
    assert result.wrong
    assert result.rate is None
    assert result.measured is not None
    [wrong] = result.measured.wrong
    assert 0 < wrong.rounds <= wrong.checked
    assert wrong.first + wrong.bytes <= SIZE
    assert not measured(on, CopyJob("cuda:1", "cuda:6", SIZE)).wrong
    assert not measured(on, CopyJob("cuda:6", "cuda:1", SIZE, "staged")).wrong


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cuda:0", "cuda:2", SIZE), "There is no cuda:2."),
        (CopyJob("cuda:0", "tpu", SIZE), "There is no tpu."),
        (CopyJob("cuda:0", "cuda:1", 0), "There is nothing to copy: the size is 0."),
        (CopyJob("cpu", "cuda:0", SIZE, "staged"), "Only copies from one card to another"),
        (
            CopyJob("cuda:0", "cuda:1", 1 << 40),
            "Copying 1.00 TiB takes 1.00 TiB on cuda:0, more than",
        ),
        (CopyJob("cuda:0", "cuda:1", 4, pieces=5), "4 bytes cannot be cut into 5 pieces."),
        (CopyJob("cuda:0", "cuda:1", 4, "sideways"), "no way of copying called 'sideways'"),
    ],
)
def test_what_cannot_be_done_is_answered_in_a_sentence(job: CopyJob, sentence: str) -> None:
    result = measured(bench("2xT4"), job)
    assert result.measured is None
    assert sentence in result.failure


def test_within_a_small_card_as_many_bytes_are_copied_as_fit() -> None:
    job = job_of(Kind.ONE_WAY, "cuda:0", "cuda:0", 1 << 30, fit=True)
    assert job is not None
    result = measured(bench("1xT4"), job)
    assert result.bytes == 512 << 20
    assert notes_of(result)[1] == (
        "Only 512 MiB were copied. Copying 1.00 GiB takes 2.00 GiB on cuda:0, more than an "
        "eighth of the 14.6 GiB that are free there."
    )
    exactly = measured(bench("1xT4"), replace(job, fit=False))
    assert exactly.measured is None


def test_a_card_that_is_lost_copies_nothing() -> None:
    result = measured(bench("2xT4", "lost:1@0s"), CopyJob("cuda:0", "cuda:1", SIZE))
    assert result.failure == "cuda:1 is lost: it no longer answers the driver."


@pytest.mark.parametrize(
    ("fault", "sentence", "hint"),
    [
        (
            "unlisted:1@0s",
            "cuda:1 is not there: the driver no longer lists it.",
            "look for it with `lspci`",
        ),
        (
            "refused:1@0s",
            "cuda:1 cannot be used: the driver gives no access to it.",
            "look at the rights to /dev/nvidia*",
        ),
    ],
)
def test_a_card_without_access_copies_and_multiplies_nothing(
    fault: str, sentence: str, hint: str
) -> None:
    on = bench("3xT4", fault)
    jobs = [
        CopyJob("cuda:0", "cuda:1", SIZE),
        CopyJob("cuda:1", "cpu", SIZE),
        CopyJob("cuda:1", "cuda:1", SIZE),
        CopyJob("cpu", "cuda:0", SIZE, pinned=True, beside=(("cpu", "cuda:1"),)),
    ]
    product = on.measure_product(ProductJob("cuda:1", "fp32"), lambda taken, samples: None)
    results: list[CopyResult | ProductResult] = [*(measured(on, job) for job in jobs), product]
    for result in results:
        assert result.measured is None
        assert result.failure == sentence
        assert hint in result.hint
    assert measured(on, CopyJob("cuda:0", "cuda:2", SIZE)).measured is not None


def test_without_a_driver_no_card_copies_and_the_host_does() -> None:
    on = bench("2xT4", "driver@0s-9s")
    result = measured(on, CopyJob("cuda:0", "cuda:1", SIZE))
    assert result.failure == "cuda:0 cannot be reached: the driver is gone."
    assert measured(on, CopyJob("cpu", "cpu", SIZE)).measured is not None


def test_a_job_that_takes_its_time_is_stopped_at_once() -> None:
    on = ModelBench(parse_machine("2xT4"), pace=600.0)
    began, results = threading.Event(), []

    def run() -> None:
        began.set()
        results.append(measured(on, CopyJob("cuda:0", "cuda:1", SIZE)))

    thread = threading.Thread(target=run)
    thread.start()
    began.wait(5.0)
    while thread.is_alive():
        on.stop()
        thread.join(0.01)
    assert results[0].failure == "It was stopped."
