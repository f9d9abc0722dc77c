"""A played lesson as a page: what it tells, and that it needs nothing else."""

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Began,
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Pictured,
    Printed,
    Transferred,
)
from gpuexplorer.lab.ledger import Ledger
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
from gpuexplorer.lessons.values import Checked, Prediction, Revealed
from tests.lessons.fake_rig import FakeRig

CARDS = (
    Device("cpu", "x86_64"),
    Device("cuda:0", "NVIDIA TITAN RTX", "SIM-0", 24 << 30),
    Device("cuda:1", "NVIDIA TITAN RTX", "SIM-1", 24 << 30),
)
RATE = Expression(0, "copies[-1].rate / GB")
LIMIT = Expression(0, RATE.source, "what PCIe 3.0 x16 can carry")
WIRE = Predict(10, "How fast does it arrive?", RATE, "GB/s", limit=LIMIT)
CHOICE = Predict(20, "Where does it run?", choices=("On card 0", "It fails"), right=1)
CODE = Code(30, "X = torch.ones(2, 3, device=first)\nX")
CHECK = Check(40, [Expression(40, 'X.device.type == "cuda"', "X is not on a card.")])
WHY = Why(50, "Why 919 MiB for 24 bytes?", "The **context** of CUDA.")
HOSTILE = "<script>alert(1)</script></style>]]><img src=x onerror=alert(1)>&lt;"
OWN_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "div"),
    *("p", "h1", "h2", "h3", "h4", "dl", "dt", "dd", "pre", "code", "details", "summary"),
    *("strong", "em", "span", "small", "a", "img", "hr", "br", "h5", "h6", "s"),
    *("table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "blockquote"),
}


class Seen(HTMLParser):
    """What a browser would find."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self._words: list[str] = []
        self.feed(written)
        self.text = " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._words.append(" ")

    def handle_data(self, data: str) -> None:
        if "body" in self.tags:
            self._words.append(data)


class Played(Player):
    """It was played already: one step, which is done, or several."""

    def __init__(self, folder: Path, *steps: tuple[Part, ...], simulated: bool = True) -> None:
        self.ledger = Ledger()
        self.ledger.apply(Hello(5, "3.12.4", "2.13.0", "CUDA 13.0", simulated, devices=CARDS))
        named = [Step(at, f"Step {at}", parts) for at, parts in enumerate(steps, 1)]
        lesson = Lesson("04-tensors", "Tensors", 20, (), "", named, folder / "lesson.md")
        super().__init__(lesson, FakeRig(simulated=simulated))
        self._rig.ledger = self.ledger  # type: ignore[misc]
        for each in self.steps:
            each.state = StepState.DONE

    def ran(self, part: Code, *events: Event) -> "Played":
        """The cell has run, and this is what was told of it."""
        number = len(self.ledger.cells) + 1
        self._rig.run(part.source)
        self.cells[part.line] = number
        told: list[Event] = [replace(each, id=number) for each in (Began(0), *events)]  # type: ignore[type-var]  # all have one
        if not isinstance(told[-1], Finished | Failed):
            modelled = self._rig.simulated
            told.append(Finished(number, 1.2e-3, 34e-6, modelled=modelled))
        for each in told:
            self.ledger.apply(each)
        return self

    @property
    def html(self) -> str:
        return contents(self, self.ledger).decode()

    @property
    def text(self) -> str:
        return Seen(self.html).text


def whole(folder: Path) -> Played:
    """Something of everything."""
    text = Text(
        2,
        "A tensor lives on *one* device. `X.device` says on which.\n\n"
        "| way | rate |\n|---|--:|\n| PCIe 3.0 x16 | 15.8 GB/s |\n\n- one\n- two\n\n"
        "See [the documentation](https://pytorch.org/docs).",
    )
    fails = Code(33, "X + Y", fails=True)
    player = Played(
        folder,
        (text, WIRE, CODE, CHECK, WHY),
        (Text(3, "Two cards."), CHOICE, fails),
        (Text(5, "Three cards."), Code(34, "X.cuda(2)")),
        (Text(6, "The end."), Code(35, "del X"), replace(CHECK, line=41)),
    )
    first, second, third, last = player.steps
    copy = Transferred(0, "cpu", "cuda:0", 256 << 20, 0.0217, modelled=True, pinned=False)
    player.ran(CODE, Printed(0, "tensor([[1., 1., 1.]])", "value"), copy)
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
        "2 × NVIDIA TITAN RTX",
        "2.13.0",
        "The cards are simulated.",
        "Step 1 of 4 · done",
        "You said: 31 GB/s Measured, simulated: 12.4 GB/s",
        "Limit: what PCIe 3.0 x16 can carry: 15.8 GB/s",
        "2.5 times too much. Up to 20 % off counts as right.",
        "tensor([[1., 1., 1.]])",
        "cpu → cuda:0 · 256 MiB · 21.7 ms · 12.4 GB/s · simulated · pageable",
        "device 34.0 µs · host 1.20 ms · modelled",
        'X.device.type == "cuda" Checked, and it holds.',
        "Why 919 MiB for 24 bytes? The context of CUDA.",
        "On card 0 (your answer) It fails (so it is)",
        "This cell is here to fail. RuntimeError: Expected all tensors",
        "X is on cuda:0 and Y on cuda:1.",
        "Step 3 of 4 · skipped",
        "This machine has two cards, so there is no third one to copy to.",
        "Step 4 of 4 · not played",
        "This cell was not run.",
        "Not checked.",
    ):
        assert words in text, words
    assert "X.cuda(2)" not in text  # what is skipped has no cells to show


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    written = whole(tmp_path).html
    shown = Seen(written)
    assert not {"script", "link", "iframe", "object", "embed", "base", "form"} & {*shown.tags}
    assert all(value.startswith("data:") for name, value in shown.attributes if name == "src")
    assert not re.search(r"url\(|@import|@font-face", written)
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in written
    assert [value for name, value in shown.attributes if name == "href"] == [
        "https://pytorch.org/docs"  # a link that a person may click
    ]


def test_what_a_lesson_or_a_cell_says_is_never_html(tmp_path: Path) -> None:
    code, why = replace(CODE, source=HOSTILE), replace(WHY, question=HOSTILE, markdown=HOSTILE)
    wire = replace(WIRE, question=HOSTILE, unit=HOSTILE)
    choice = replace(CHOICE, choices=(HOSTILE, HOSTILE))
    player = Played(tmp_path, (Text(1, HOSTILE), wire, choice, code, why, CHECK))
    player.lesson = replace(player.lesson, title=HOSTILE, about=HOSTILE)
    step = player.steps[0]
    step.state = StepState.FAILED
    step.revealed[10] = Revealed(1.0, reason=Message("{text}", text=HOSTILE))
    step.checked[40] = Checked(held=False, line=40, told=HOSTILE)
    player.ran(
        code,
        Printed(0, HOSTILE),
        Printed(0, HOSTILE, HOSTILE),
        Pictured(0, HOSTILE),
        Transferred(0, HOSTILE, HOSTILE, 1, 1.0),
        Failed(0, "error", HOSTILE, HOSTILE),
    )
    shown = Seen(player.html)
    assert {*shown.tags} <= OWN_TAGS
    assert "onerror" not in dict(shown.attributes)
    assert shown.text.count("<script>alert(1)</script></style>]]>") >= 13


def test_pictures_beside_the_lesson_are_put_inside(tmp_path: Path) -> None:
    inside = tmp_path / "lesson"
    inside.mkdir()
    (inside / "a b.png").write_bytes(b"PNG")
    (inside / "way.svg").write_text("<svg/>")
    (tmp_path / "other.png").write_bytes(b"PNG")
    text = "![one](a%20b.png) ![two](way.svg) ![out](../other.png) ![net](https://a.b/c.png)"
    text += " [next](../05-two/lesson.md) and [x](javascript:1)"
    player = Played(inside, (Text(1, f"{text} ![gone](gone.png)"), CODE))
    shown = Seen(player.ran(CODE, Pictured(0, "iVBORw0KGgo=")).html)
    assert [value for name, value in shown.attributes if name == "src"] == [
        f"data:image/png;base64,{base64.b64encode(b'PNG').decode()}",
        f"data:image/svg+xml;base64,{base64.b64encode(b'<svg/>').decode()}",
        "data:image/png;base64,iVBORw0KGgo=",  # what the cell drew
    ]
    assert "a" not in shown.tags  # what lies beside the lesson is no link there
    for missing in ("out", "net", "gone"):
        assert f"A picture is missing here: {missing}" in shown.text


@pytest.mark.parametrize("known", [False, True])
def test_the_right_choice_is_told_only_after_it_was_revealed(
    tmp_path: Path, *, known: bool
) -> None:
    player = Played(tmp_path, (CHOICE,))
    player.steps[0].predictions[20] = Prediction("It fails", 1.0)
    if known:
        player.steps[0].revealed[20] = Revealed(right=True)
    assert ("It fails (your answer, so it is)" in player.text) == known
    assert ("You were right." in player.text) == known
    assert ("It was not revealed." in player.text) != known


@pytest.mark.parametrize(
    ("fails", "said", "words"),
    [
        (True, [Finished(0, 1.0)], "This cell is here to fail, and it did not."),
        (
            False,
            [Transferred(0, "cuda:1", "cuda:1", 24, None)],
            "cuda:1 → cuda:1 · 24 B · already there, nothing copied",
        ),
        (False, [Printed(0, "begin " + "x" * 90_000 + "\nend")], "x end"),
        (False, [Transferred(0, "cpu", "cuda:0", 9, None, line=e) for e in range(30)], "…"),
    ],
)
def test_how_a_cell_ended_is_told(
    tmp_path: Path, *, fails: bool, said: Sequence[Event], words: str
) -> None:
    part = replace(CODE, fails=fails)
    text = Played(tmp_path, (part,)).ran(part, *said).text
    assert words in text
    assert len(text) < 7_000


def test_a_lesson_of_which_nothing_was_played_or_a_check_failed_says_so(tmp_path: Path) -> None:
    two = [Expression(41, "A > 1"), Expression(42, "B > 2")]
    player = Played(tmp_path, (CODE, Check(40, two)), simulated=False)
    found = Message("`{side}` is `{value}`.", side="B", value="1")
    player.steps[0].checked[40] = Checked(held=False, line=42, told="No.", found=found)
    assert "This cell ran in an earlier session, and what it did was not kept." in player.text
    assert "Checked, and this does not hold: B > 2 B is 1 . No." in player.text
    assert "Everything was measured on this machine." in player.text
    assert "simulated" not in player.text.lower()
    player.ledger.hello = None
    assert "No cell was run." in player.text
    assert "Everything was measured" not in player.text
