"""The page that explains the format keeps its promises: what it shows can be read."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuexplorer.core.metrics import METRICS
from gpuexplorer.lab.events import Began, Finished, Memory
from gpuexplorer.lessons.lesson import CONTROLS, NEEDS
from gpuexplorer.lessons.reading import WORDS
from tests.lessons.fake_rig import cell, check, played, run_next, step
from tests.lessons.test_reading import problems, with_step

PAGE = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text("utf-8")
EXAMPLES = [
    each[1]
    for each in re.findall(r"^(`{4,5})markdown\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.split("\n")[1])
def test_every_example_can_be_read(tmp_path: Path, example: str) -> None:
    file = tmp_path / "lesson.md"
    made = "```python\nX = torch.ones(2, 3)\n```\n\n"
    file.write_text(example if example.startswith("# ") else with_step(made + example), "utf-8")
    assert problems(file) == []


def test_every_block_need_and_control_is_shown_and_explained() -> None:
    for word in WORDS:
        assert any(f"```{word}\n" in example for example in EXAMPLES), word
        assert word == "lesson" or f"### `{word}`: " in PAGE
    assert all(f"\n| `{word}` | " in PAGE for word in NEEDS)
    for name, words in CONTROLS.items():
        assert f"`{name}` ({words})" in PAGE


def row(first: str) -> set[str]:
    """The names in the row of a table that begins so, without examples of what they hold."""
    [told] = re.findall(rf"^\| {re.escape(first)} \| (.*) \|$", PAGE, re.MULTILINE)
    return set(re.findall(r"`([a-z_]+)`", re.sub(r"\(.*?\)", "", told)))


def values() -> Mapping[str, object]:
    """What a check is handed when a cell has copied something."""
    player, rig = played(step(cell(2), check(4, "x")))
    run_next(player)
    command = rig.ledger.unfinished[0]
    memory = (Memory("cuda:0", 24, 512, None, 24 << 30),)
    rig.say(Began(command), rig.copied(24), Finished(command, 0.5, memory=memory))
    told: Mapping[str, object] = json.loads(rig.asked[0].values)
    return told


def fields(record: object) -> set[str]:
    assert isinstance(record, dict)
    return {*record["has"], *record["lacks"]}


def test_every_value_and_figure_that_a_check_is_handed_is_told_of() -> None:
    there = values()
    names = re.findall(r"^\| (`\w+`.*?) \| ", PAGE.split("What a check or")[1], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", "".join(names))) - {"devices"} == set(there)
    assert isinstance(there["copies"], list)
    assert isinstance(there["cells"], list)
    assert isinstance(there["memory"], dict)
    assert fields(there["copies"][0]) == row("a copy")
    assert fields(there["cells"][0]) == row("a cell")
    assert fields(there["memory"]["cuda:0"]) == row("`memory[…]`")
    assert isinstance(there["cards"], list)
    figures = set(map(str, METRICS))
    told = row("a card, `host`")
    assert fields(there["cards"][0]) - figures <= told
    assert told - figures <= fields(there["cards"][0])
