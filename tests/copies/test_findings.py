"""What stands out among measured copies, in sentences, and what is said of the rest."""

from dataclasses import replace

from gpuexplorer.copies.findings import Finding, Matter, findings, the_rest
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import Busy, CopyResult
from gpuexplorer.copies.routes import Narrow
from tests.copies.made import all_pairs, at_rate


def about(results: list[CopyResult], matter: Matter) -> list[Finding]:
    return [each for each in findings(results) if each.matter is matter]


def changed(
    results: list[CopyResult], source: str, target: str, rate: float
) -> list[CopyResult]:
    """Its plain copies."""
    path = (source, target, "copy")
    return [
        at_rate(each, rate)
        if (each.job.source, each.job.target, each.job.mode) == path
        else each
        for each in results
    ]


def test_nothing_stands_out_where_all_is_as_it_should_be() -> None:
    assert findings(all_pairs("8xH100+nvlink", Kind.ONE_WAY)) == []
    assert findings(all_pairs("4xRTX4090+pcie", Kind.ONE_WAY, Kind.LATENCY)) == []
    assert findings(all_pairs("1xH100,2xT4", Kind.ONE_WAY)) == []


def test_what_arrives_wrong_comes_first_with_its_bytes_and_what_to_do() -> None:
    results = all_pairs("8xL4", Kind.PAGEABLE, Kind.ONE_WAY, Kind.STAGED, faults="wrong:6>1")
    first = findings(results)[0]
    assert first.matter is Matter.WRONG
    assert first.cells == (("cuda:6", "cuda:1"),)
    assert first.title == "Arrives WRONG"
    said = first.sentence.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "In 3 of 7 rounds, 12 288 of 268 435 456 bytes came as zeros" in said
    assert "A wrong copy has no rate." in said
    assert "Through host memory: 18.0 GB/s one way, modelled." in said
    assert "ACS" in first.hint
    assert first.instead is not None
    assert first.instead.job.mode == "staged"


def test_in_whichever_order_they_were_measured_findings_stand_in_one() -> None:
    results = changed(all_pairs("8xL4", Kind.ONE_WAY), "cuda:2", "cuda:5", 9e9)
    results = changed(results, "cuda:4", "cuda:1", 6e9)
    cells = [each.cells[0] for each in findings(results)[:2]]
    assert cells == [("cuda:2", "cuda:5"), ("cuda:4", "cuda:1")]
    assert findings(results[::-1]) == findings(results)


def narrowed(result: CopyResult, device: str) -> CopyResult:
    route = result.route
    assert route is not None
    if device not in (result.job.source, result.job.target) or result.job.local:
        return result
    narrow = (Narrow(device, "x8", "x16", slot=True),)
    return at_rate(replace(result, route=replace(route, limit=15.75e9, narrow=narrow)), 13.1e9)


def test_a_card_on_half_its_lanes_is_one_finding_with_all_its_paths() -> None:
    results = [narrowed(each, "cuda:3") for each in all_pairs("8xL4", Kind.ONE_WAY)]
    [found] = findings(results)
    assert (found.matter, found.devices, found.title) == (
        Matter.NARROW,
        ("cuda:3",),
        "Runs at x8",
    )
    assert found.sentence == (
        "13.1 GB/s one way on every PCIe path: 83 % of what that carries. cuda:3 runs at x8: "
        "card and slot could do x16."
    )
    assert len(found.cells) == 16
    assert "Reseat" in found.hint


def test_a_card_of_whose_paths_most_are_slow_is_named_once() -> None:
    results = [
        at_rate(each, 5e9) if "cuda:3" in (each.job.source, each.job.target) else each
        for each in all_pairs("8xL4", Kind.ONE_WAY)
    ]
    [found] = findings(results)
    assert (found.matter, found.devices) == (Matter.SLOW_CARD, ("cuda:3",))
    assert "where others reach 21.9 to 132." in found.sentence
    assert found.hint.startswith("Look at its slot")


def test_what_is_said_of_many_is_summed_up() -> None:
    [found] = about(all_pairs("4xRTX4090", Kind.ONE_WAY, Kind.PAGEABLE), Matter.PAGEABLE)
    assert found.sentence == (
        "6.00 GB/s one way, where pinned memory reaches 25.8: it takes 4.3 times as long."
    )
    assert len(found.cells) == 8
    results = all_pairs("2xT4", Kind.ONE_WAY, faults="lost:1@0s")
    [found] = about(results, Matter.NOT_MEASURED)
    assert found.sentence == "cuda:1 is lost: it no longer answers the driver."
    assert len(found.cells) == 5


def test_what_disturbed_the_copies_is_said_and_by_how_much() -> None:
    results = all_pairs("2xT4", Kind.ONE_WAY)
    results[1] = replace(results[1], busy=(Busy("cuda:0", 0.83),))
    results[2] = replace(results[2], busy=(Busy("cuda:1", 0.12),))
    [busy] = about(results, Matter.BUSY)
    assert busy.devices == ("cuda:0", "cuda:1")
    assert busy.title == "Busy while it was measured: 83 %, 12 %"
    samples = replace(results[1].seen, samples_s=(0.01, 0.02, 0.03))
    results[1] = replace(results[1], measured=samples)
    [found] = about(results, Matter.UNSTEADY)
    assert found.cells == (("cpu", "cuda:0"),)
    assert found.sentence.startswith("By up to 50 % (standard deviation)")


def test_the_rest_is_summed_up_by_kind() -> None:
    results = changed(all_pairs("8xL4", Kind.ONE_WAY), "cuda:2", "cuda:5", 9e9)
    rest = the_rest(results, findings(results))
    told = {kin.words: (len(kin.results), round((kin.rate or 0) / 1e9, 1)) for kin in rest}
    assert told == {
        "Inside the host": (1, 12.0),
        "Host to card": (8, 25.8),
        "Card to host": (8, 25.8),
        "Inside a card": (8, 131.8),
        "On one PCIe switch": (8, 25.8),
        "Inside one socket": (16, 25.8),
        "Across the sockets": (31, 21.9),
    }
