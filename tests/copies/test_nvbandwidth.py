"""Reading what NVIDIA's nvbandwidth wrote, and laying it beside our own."""

import json
from collections.abc import Mapping

import pytest

from gpuexplorer.copies.nvbandwidth import read_nvbandwidth
from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.trouble import Trouble


def written(*cases: Mapping[str, object], **more: object) -> str:
    """As version 0.8 writes it: cells are strings."""
    return json.dumps(
        {
            "nvbandwidth": {
                "CUDA Runtime Version": 12040,
                "Driver Version": "550.54.15",
                "GPU Device list": ["0: NVIDIA H100 (00000000:19:00)", "1: NVIDIA H100"],
                "git_version": "v0.8",
                "version": "v0.8",
                "testcases": list(cases),
                **more,
            }
        }
    )


def case(name: str, *rows: list[str]) -> dict[str, object]:
    return {
        "name": name,
        "status": "Passed",
        "bandwidth_description": "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)",
        "bandwidth_matrix": list(rows),
        "sum": 1.0,
    }


H2D = case("host_to_device_memcpy_ce", ["55.3", "54.1"])
D2H = case("device_to_host_memcpy_ce", ["52.0", "N/A"])
READ = case("device_to_device_memcpy_read_ce", ["N/A", "390.1"], ["391.2", "N/A"])
WRITE = case("device_to_device_memcpy_write_ce", ["N/A", "392.3"], ["393.4", "N/A"])
LOCAL = case("device_local_copy", ["1432.1", "1433.2"])


def test_the_run_is_read_with_its_versions_and_cards() -> None:
    run = read_nvbandwidth(written(H2D))
    assert (run.version, run.cuda, run.driver) == ("v0.8", "12.4", "550.54.15")
    assert len(run.cards) == 2


def test_host_and_card_are_told_apart_by_the_test_s_name() -> None:
    run = read_nvbandwidth(written(H2D, D2H))
    there, back = run.cases
    assert there.cells == {("cpu", "cuda:0"): 55.3e9, ("cpu", "cuda:1"): 54.1e9}
    assert back.cells == {("cuda:0", "cpu"): 52e9, ("cuda:1", "cpu"): None}


def test_where_a_card_reads_the_bytes_go_from_the_column_to_the_row() -> None:
    run = read_nvbandwidth(written(READ, WRITE))
    reads, writes = run.cases
    assert reads.cells == {("cuda:1", "cuda:0"): 390.1e9, ("cuda:0", "cuda:1"): 391.2e9}
    assert writes.cells == {("cuda:0", "cuda:1"): 392.3e9, ("cuda:1", "cuda:0"): 393.4e9}


def test_of_both_directions_at_once_the_first_of_three_matrices_counts() -> None:
    rows = [["N/A", str(value)] for value in (1, 3, 5)], [[str(v), "N/A"] for v in (2, 4, 6)]
    stacked = [row for pair in zip(*rows, strict=True) for row in pair]
    run = read_nvbandwidth(
        written(case("device_to_device_bidirectional_memcpy_write_ce", *stacked))
    )
    assert run.cases[0].kind is Kind.BOTH_WAYS
    assert run.cases[0].cells == {("cuda:0", "cuda:1"): 1e9, ("cuda:1", "cuda:0"): 2e9}


def test_a_copy_within_a_card_stands_on_the_diagonal() -> None:
    assert read_nvbandwidth(written(LOCAL)).cases[0].cells["cuda:1", "cuda:1"] == 1433.2e9


def test_tests_that_we_do_not_know_are_kept_without_cells() -> None:
    run = read_nvbandwidth(written(case("all_to_host_memcpy_ce", ["1", "2"]), H2D))
    assert [each.name for each in run.comparable] == ["host_to_device_memcpy_ce"]
    assert run.cases[0].kind is None
    waived = {"name": "device_to_device_memcpy_read_sm", "status": "Waived"}
    read = read_nvbandwidth(written(waived)).cases[0]
    assert (read.status, read.by_kernel, read.cells) == ("Waived", True, {})


def test_words_before_the_json_do_no_harm() -> None:
    assert read_nvbandwidth("nvbandwidth Version: v0.8\n\n" + written(H2D)).version == "v0.8"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "[]",
        '{"nvbandwidth": 5}',
        '{"nvbandwidth": {"testcases": [5]}}',
        '{"nvbandwidth": {"testcases": [{"status": "Passed"}]}}',
        written(case("host_to_device_memcpy_ce", ["fast"])),
        written({"name": "device_local_copy", "bandwidth_matrix": 4}),
        written(case("device_local_copy", [])).replace("[[]]", f"[[{10**400}]]"),
        "[" * 100_000,
        '{"nvbandwidth":' * 10_000,
    ],
)
def test_what_it_would_not_write_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(Trouble) as refused:
        read_nvbandwidth(text)
    assert refused.value.sentence == "This is not what nvbandwidth writes."
    assert "nvbandwidth -j" in refused.value.hint


@pytest.mark.parametrize("cell", ["nan", "inf", "-1", "0"])
def test_figures_that_cannot_be_are_no_figures(cell: str) -> None:
    run = read_nvbandwidth(written(case("device_local_copy", [cell])))
    assert run.cases[0].cells == {("cuda:0", "cuda:0"): None}
