"""A played lesson as a notebook: as nbformat 4.5 has it, and nothing in it is HTML."""

import json
import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gpuexplorer.lab.events import Pictured, Printed
from gpuexplorer.lab.ledger import IMPORTS
from gpuexplorer.lessons.export.notebook import notebook
from gpuexplorer.lessons.lesson import Text
from tests.lessons.export.played import CODE, SAVED, WIRE, Lab, Played, played, whole
from tests.lessons.export.test_page import HOSTILE, PNG, hostile

KEYS = {
    "markdown": {"cell_type", "id", "metadata", "source"},
    "code": {"cell_type", "execution_count", "id", "metadata", "outputs", "source"},
}
OUTPUTS = {
    "stream": {"output_type", "name", "text"},
    "execute_result": {"output_type", "execution_count", "data", "metadata"},
    "display_data": {"output_type", "data", "metadata"},
    "error": {"output_type", "ename", "evalue", "traceback"},
}


# JSON, as it comes.
def cells(player: Played) -> list[dict]:  # type: ignore[type-arg]
    """Checked by what nbformat 4.5 asks for."""
    content = json.loads(notebook(player, player.lab.ledger, SAVED))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    found: list[dict] = content["cells"]  # type: ignore[type-arg]
    for each in found:
        assert set(each) == KEYS[each["cell_type"]]
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", each["id"])
        assert all(isinstance(line, str) for line in each["source"])
        for output in each.get("outputs", []):
            assert set(output) == OUTPUTS[output["output_type"]]
    assert len({each["id"] for each in found}) == len(found)
    return found


def source(player: Played) -> str:
    return "\n\n".join("".join(each["source"]) for each in cells(player))


def test_a_notebook_tells_everything_that_was_played(tmp_path: Path) -> None:
    text = source(whole(tmp_path))
    for words in (
        "# Tensors",
        "- Cards: 2 × NVIDIA TITAN RTX",
        "**The cards are simulated.",
        "| You said | 31 GB/s |\n| Measured | 12.4 GB/s (simulated) |",
        "| Limit: what PCIe 3.0 x16 can carry | 15.8 GB/s |",
        "| cpu → cuda:0 | 256 MiB | 21.7 ms | 12.4 GB/s | pageable |",
        "- On card 0 (your answer)\n- It fails (so it is)",
        "*device 34.0 µs · host 1.20 ms · modelled*",
        "Checked, and it holds.",
        "**Why 919 MiB for 24 bytes?**",
        "*skipped*\n\nThis machine has two cards",
        "*not played*",
        "This cell was not run.",
    ):
        assert words in text, words


def test_jupyter_gets_the_names_the_lab_has_from_the_beginning(tmp_path: Path) -> None:
    codes = [each for each in cells(whole(tmp_path)) if each["cell_type"] == "code"]
    assert "".join(codes[0]["source"]) == IMPORTS
    assert [each["execution_count"] for each in codes] == [None, 1, 2, 3, 4, None]


def test_a_cell_that_is_there_to_fail_stops_no_other(tmp_path: Path) -> None:
    part = replace(CODE, fails=True)
    codes = [each for each in cells(played(tmp_path, part)) if each["cell_type"] == "code"]
    assert codes[1]["metadata"]["tags"] == ["raises-exception"]
    failed = [each for each in cells(whole(tmp_path)) if each["metadata"].get("tags")]
    assert "raises-exception" in failed[0]["metadata"]["tags"]


def test_what_cells_printed_and_drew_is_in_it_and_very_much_is_cut(tmp_path: Path) -> None:
    lab = Lab()
    player = played(tmp_path, CODE, lab=lab)
    player.steps[0].cells[30] = lab.ran(
        CODE.source, Printed(0, "x" * 4_000_000), Pictured(0, "iVBORw0KGgo=")
    )
    (stream, drawn) = next(each["outputs"] for each in cells(player) if each.get("outputs"))
    assert "letters are left out here]" in "".join(stream["text"])
    assert len("".join(stream["text"])) < 6_000
    assert drawn["data"]["image/png"] == "iVBORw0KGgo="


def test_html_of_a_lesson_is_text_in_jupyter_too(tmp_path: Path) -> None:
    with_html = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for each in cells(hostile(tmp_path)):
        if each["cell_type"] == "markdown":
            tokens = with_html.parse("".join(each["source"]))
            inner = [one for token in tokens for one in (token, *(token.children or ()))]
            assert not {"html_block", "html_inline"} & {one.type for one in inner}
    assert HOSTILE in source(hostile(tmp_path))  # the code itself is as it is


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_notebook(text: str) -> None:
    player = played(Path("nowhere"), replace(WIRE, question=text), replace(CODE, source=text))
    player.steps[0].cells[30] = player.lab.ran(text, Printed(0, text))
    cells(player)


def test_pictures_beside_the_lesson_are_put_inside(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(PNG)
    text = source(played(tmp_path, Text(1, "![one](a%20b.png) ![no](gone.png)")))
    assert "![one](data:image/png;base64,iVBORw0KGgo=)" in text
    assert "![no](gone.png)" in text
