"""The table of cards: its figures agree with each other, have sources, and are matched."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuexplorer.copies.datasheet.cards_table import CardsTable, cards_table, read_table
from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble

GIB = 1 << 30
Change = Callable[..., CardsTable]


def lines_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(resource(name).read_text(encoding="utf-8").splitlines()))


LINES = lines_of("cards.csv")
CLOSE = 0.01


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["name"])
def test_figures_agree_with_cores_and_clock_and_with_width_and_rate(
    line: dict[str, str],
) -> None:
    if line["cores"]:
        computed = 2e-6 * float(line["cores"]) * float(line["boost_mhz"])
        assert float(line["fp32_tflops"]) == pytest.approx(computed, rel=CLOSE)
    if line["memory_bits"]:
        carried = float(line["memory_bits"]) * float(line["memory_gbps"]) / 8
        assert float(line["memory_gbs"]) == pytest.approx(carried, rel=CLOSE)
    tf32, bf16 = line["tf32_dense_tflops"], line["bf16_dense_tflops"]
    if tf32 not in ("", "none"):
        assert float(bf16) == pytest.approx(2 * float(tf32), rel=0.03)  # makers round
        assert line["fp16_dense_tflops"] == bf16  # as fast, where tensor cores know both


def test_every_source_has_a_title_and_is_used() -> None:
    rows = lines_of("card-sources.csv")
    used = {
        key for line in LINES for name in line if "source" in name for key in line[name].split()
    }
    assert {row["key"] for row in rows} == used
    assert all(row["title"] for row in rows)


def test_a_card_is_found_by_the_name_of_its_driver_and_its_memory() -> None:
    table = cards_table()
    found = table.match("NVIDIA GeForce RTX 4090", 24564 << 20)
    assert found is not None
    assert found.name == "GeForce RTX 4090"
    assert table.match("GeForce RTX 4090", 24564 << 20) == found  # an older driver
    assert table.match("NVIDIA L4", 23034 << 20) is not None  # ECC keeps some of it
    assert (
        table.match("NVIDIA GeForce RTX 3080", 12 * GIB) is None
    )  # the other one of that name
    assert table.match("NVIDIA GeForce RTX 9999", 24 * GIB) is None
    assert table.match("AMD Instinct MI300X", 192 * GIB) is None  # no driver of ours meets it


@pytest.fixture
def changed(tmp_path: Path) -> Change:
    """The line of the RTX 4090 alone, with other fields."""

    def change(**fields: str) -> CardsTable:
        line = next(each for each in LINES if each["name"] == "GeForce RTX 4090")
        path = tmp_path / "cards.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(line))
            writer.writeheader()
            writer.writerow({**line, **fields})
        return read_table(path, resource("card-sources.csv"))

    return change


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"memory_gbs": "fast"}, "could not convert string to float: 'fast'"),
        ({"fp32_tflops": "-3"}, "-3"),
        ({"power_source": "my-uncle"}, "'my-uncle'"),  # a figure needs a source that is known
    ],
)
def test_a_line_that_cannot_be_is_told_with_its_number(
    changed: Change, fields: dict[str, str], why: str
) -> None:
    with pytest.raises(Trouble) as told:
        changed(**fields)
    assert told.value.sentence == f"cards.csv cannot be read: line 2, {why}."


def test_a_table_that_is_no_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cards.csv"
    path.write_text("name;memory\n1;2\n", encoding="utf-8")
    with pytest.raises(Trouble, match=r"cards.csv cannot be read: line 2"):
        read_table(path, resource("card-sources.csv"))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Trouble, match=r"cards.csv cannot be read"):
        read_table(path, resource("card-sources.csv"))
