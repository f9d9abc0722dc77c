"""A played lesson as a page that needs nothing else; and each of ours, played to its end."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello, Pictured, Printed
from gpuexplorer.lessons.html import contents
from gpuexplorer.lessons.lesson import (
    Check,
    Code,
    Expression,
    Lesson,
    Part,
    Predict,
    Step,
    Text,
    Why,
)
from gpuexplorer.lessons.player import Player, StepState
from gpuexplorer.lessons.reading import find
from gpuexplorer.lessons.values import Checked, Prediction, Revealed
from tests.commands.runs import played
from tests.lab.processes import needs_torch
from tests.lab.sessions import CARDS
from tests.lessons.fake_rig import FakeRig

RATE = "copies[-1].rate / GB"
LIMIT = Expression(0, RATE, "what PCIe 3.0 x16 can carry")
WIRE = Predict(10, "How fast does it arrive?", Expression(0, RATE), "GB/s", limit=LIMIT)
CHOICE = Predict(20, "Where does it run?", choices=("On card 0", "It fails"), right=1)
CODE = Code(30, "X = torch.ones(2, 3, device=first)\nX")
CHECK = Check(40, [Expression(40, 'X.device.type == "cuda"', "X is not on a card.")])
WHY = Why(50, "Why 919 MiB for 24 bytes?", "The **context** of CUDA.")
HOSTILE = "<script>alert(1)</script></style>]]><img src=x onerror=alert(1)>&lt;"


class Played(Player):
    """It was played already: one step, which is done, or several."""

    def __init__(self, folder: Path, *steps: tuple[Part, ...], simulated: bool = True) -> None:
        rig = FakeRig(simulated=simulated)
        self.ledger = rig.ledger
        self.ledger.apply(Hello(5, "3.12.4", "2.13.0", "CUDA 13.0", simulated, devices=CARDS))
        named = [Step(at, f"Step {at}", parts) for at, parts in enumerate(steps, 1)]
        lesson = Lesson("04-tensors", "Tensors", 20, (), "", named, folder / "lesson.md")
        super().__init__(lesson, rig)
        for each in self.steps:
            each.state = StepState.DONE

    def ran(self, part: Code, *events: Event) -> "Played":
        """The cell has run, and this is what was told of it."""
        number = self.cells[part.line] = self._rig.run(part.source)
        told: list[Event] = [replace(each, id=number) for each in (Began(0), *events)]
        if not isinstance(told[-1], Finished | Failed):
            told.append(Finished(number, 1.2e-3, 34e-6, modelled=self._rig.simulated))
        for each in told:
            self.ledger.apply(each)
        return self

    @property
    def html(self) -> str:
        return contents(self, self.ledger, "ada@server").decode()

    @property
    def text(self) -> str:
        words = re.sub("<[^>]*>", " ", self.html.partition("<body>")[2])
        return " ".join(unescape(words).split())


def whole(folder: Path) -> Played:
    """Something of everything."""
    table = "| way | rate |\n|---|--:|\n| PCIe 3.0 x16 | 15.8 GB/s |"
    text = Text(2, f"*One* device.\n\n{table}\n\nSee [more](https://pytorch.org/docs).")
    fails = Code(33, "X + Y", fails=True)
    player = Played(
        folder,
        (text, WIRE, CODE, CHECK, WHY),
        (Text(3, "Two cards."), CHOICE, fails),
        (Text(5, "Three cards."), Code(34, "X.cuda(2)")),
        (Text(6, "The end."), Code(35, "del X"), replace(CHECK, line=41)),
    )
    first, second, third, last = player.steps
    player.ran(CODE, Printed(0, "tensor([[1., 1., 1.]])", "value"))
    first.predictions[10] = Prediction("31", 31.0)
    first.revealed[10] = Revealed(12.37, 15.754, right=False, modelled=True)
    first.checked[40] = Checked(held=True, line=40)
    second.predictions[20] = Prediction("On card 0", 0.0)
    second.revealed[20] = Revealed(right=False)
    why = Message("X is on cuda:0 and Y on cuda:1.")
    raised = "Expected all tensors to be on the same device"
    player.ran(fails, Failed(0, "devices differ", "RuntimeError", raised, why))
    third.state = StepState.SKIPPED
    third.reason = "This machine has two cards, so there is no third one to copy to."
    last.state = StepState.AHEAD
    return player


def test_a_page_tells_everything_that_was_played(tmp_path: Path) -> None:
    text = whole(tmp_path).text
    for words in (
        "NVIDIA TITAN RTX · PyTorch 2.13.0 · Python 3.12.4",
        "The cards are simulated.",
        "1. Step 1 done",
        "You said: 31 GB/s Measured, simulated: 12.4 GB/s",
        "Limit: what PCIe 3.0 x16 can carry: 15.8 GB/s",
        "2.5 times too much. Up to 20 % off counts as right.",
        "tensor([[1., 1., 1.]])",
        "device 34.0 µs · host 1.20 ms · modelled",
        'X.device.type == "cuda" Checked, and it holds.',
        "Why 919 MiB for 24 bytes? The context of CUDA.",
        "On card 0 (your answer) It fails (so it is)",
        "This cell is here to fail. RuntimeError: Expected all tensors",
        "X is on cuda:0 and Y on cuda:1.",
        "3. Step 3 skipped",
        "This machine has two cards, so there is no third one to copy to.",
        "4. Step 4 not played",
        "This cell was not run in this session.",
        "Not checked.",
    ):
        assert words in text, words
    assert "X.cuda(2)" not in text  # what is skipped has no cells to show


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    written = whole(tmp_path).html
    assert not re.search(r"url\(|@import|@font-face|<(script|link|iframe|base|form)", written)
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in written
    # A link that a person may click.
    assert re.findall(r'(?:href|src)="([^"]*)"', written) == ["https://pytorch.org/docs"]


def test_what_a_lesson_or_a_cell_says_is_never_html(tmp_path: Path) -> None:
    code, why = replace(CODE, source=HOSTILE), replace(WHY, question=HOSTILE, markdown=HOSTILE)
    wire = replace(WIRE, question=HOSTILE, unit=HOSTILE)
    choice = replace(CHOICE, choices=(HOSTILE, HOSTILE))
    player = Played(tmp_path, (Text(1, HOSTILE), wire, choice, code, why, CHECK))
    player.lesson = replace(player.lesson, title=HOSTILE, about=HOSTILE)
    step = player.steps[0]
    step.revealed[10] = Revealed(1.0, reason=Message("{text}", text=HOSTILE))
    step.checked[40] = Checked(held=False, line=40, told=HOSTILE)
    player.ran(code, Printed(0, HOSTILE), Pictured(0, HOSTILE), Failed(0, "", HOSTILE, ""))
    assert not re.search("<(script|img)|</style>]", player.html)
    assert player.html.count("&lt;script&gt;") >= 11


def test_pictures_beside_the_lesson_are_put_inside(tmp_path: Path) -> None:
    inside = tmp_path / "lesson"
    inside.mkdir()
    (inside / "a b.png").write_bytes(b"PNG")
    (tmp_path / "other.png").write_bytes(b"PNG")
    text = "![one](a%20b.png) ![out](../other.png) ![net](https://a.b/c.png)"
    player = Played(inside, (Text(1, f"{text} [next](../05-two/lesson.md)"), CODE))
    written = player.ran(CODE, Pictured(0, "iVBORw0KGgo=")).html
    # What lies beside the lesson is no link there; the last is what the cell drew.
    found = re.findall(r'(?:href|src)="([^"]*)"', written)
    assert [*filter(None, found)] == [
        *("data:image/png;base64,UE5H", "data:image/png;base64,iVBORw0KGgo=")
    ]
    assert 'alt="out"' in written  # what is missing has its words


def test_a_lesson_of_which_nothing_was_played_or_a_check_failed_says_so(tmp_path: Path) -> None:
    two = [Expression(41, "A > 1"), Expression(42, "B > 2")]
    player = Played(tmp_path, (CODE, Check(40, two)), simulated=False)
    found = Message("`{side}` is `{value}`.", side="B", value="1")
    player.steps[0].checked[40] = Checked(held=False, line=42, told="No.", found=found)
    assert "This cell was not run in this session." in player.text
    assert "Checked, and this does not hold: B > 2 B is 1 . No." in player.text
    assert "Everything was measured on this machine." in player.text
    assert "simulated" not in player.text.lower()
    player.ledger.hello = None
    assert "No cell was run." in player.text
    assert "Everything was measured" not in player.text


_LESSONS = Path(__file__).parents[2] / "resources" / "lessons"
_NAMES = sorted(each.parent.name for each in _LESSONS.glob("*/lesson.md"))


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("cards", ["2xTitanRTX+idle", "1xTitanRTX+idle"])
@pytest.mark.parametrize("name", _NAMES)
def test_a_lesson_is_played_to_its_end(name: str, cards: str) -> None:
    ran = played(name, "--json", "--patience", "90", cards=("--simulate", cards))
    assert ran.err == ""
    steps = ran.told["steps"]
    parts = [part for step in find(name).steps for part in step.parts]
    real = [each.question for each in parts if isinstance(each, Predict) and each.real]
    told = [(each["title"], each["reason"], each["checks"]) for each in steps]
    assert {each["state"] for each in steps} <= {"done", "skipped"}, told
    assert all(each["reason"] for each in steps if each["state"] == "skipped")
    for step in steps:
        for each in step["predictions"] if step["state"] == "done" else ():
            is_choice = not each["unit"] and each["measured"] is None and not each["reason"]
            assert is_choice or each["measured"] is not None, each
            assert is_choice or each["modelled"] is (each["question"] not in real), each
    assert ran.status == 0
