"""A played lesson as a page: what it tells, and that it needs nothing else."""

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Device,
    Failed,
    Finished,
    Pictured,
    Printed,
    Transferred,
)
from gpuexplorer.lessons.export.html import page
from gpuexplorer.lessons.lesson import Check, Code, Condition, Expression, Predict, Text
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.step_play import Checked, Prediction, Revealed, StepState
from tests.lessons.export.played import (
    CHECK,
    CHOICE,
    CODE,
    SAVED,
    WHY,
    WIRE,
    Lab,
    Played,
    played,
    readings,
    whole,
)

PNG = b"\x89PNG\r\n\x1a\n"
HOSTILE = "<script>alert(1)</script></style>]]><img src=x onerror=alert(1)>&lt;"
OWN_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "section", "div"),
    *("p", "h1", "h2", "h3", "h4", "dl", "dt", "dd", "pre", "code", "details", "summary"),
    *("strong", "em", "span", "small", "b", "a", "img", "figure", "figcaption", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "blockquote", "s"),
    *("svg", "rect", "path", "h5", "h6"),
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


def seen(player: Played) -> Seen:
    return Seen(page(player, player.lab.ledger, SAVED))


def done(folder: Path, *events: object, simulated: bool = True, part: Code = CODE) -> Played:
    """A lesson of one cell, of which these events told."""
    lab = Lab(simulated=simulated)
    player = played(folder, part, lab=lab)
    player.steps[0].cells[part.line] = lab.ran(part.source, *events)  # type: ignore[arg-type]
    return player


def test_a_page_tells_everything_that_was_played(tmp_path: Path) -> None:
    text = seen(whole(tmp_path)).text
    for words in (
        "2 × NVIDIA TITAN RTX",
        "2.13.0",
        "2026-11-23 07:05",
        "The cards are simulated.",
        "Step 1 of 5 · done",
        "You said 31 GB/s Measured simulated 12.4 GB/s Limit: what PCIe 3.0 x16 can carry 15.8",
        "2.5 times too much. Up to 20 % off counts as right.",
        "tensor([[1., 1., 1.]])",
        "Time, simulated Rate Host memory cpu → cuda:0 256 MiB 21.7 ms 12.4 GB/s pageable",
        "device 34.0 µs · host 1.20 ms · modelled",
        'X.device.type == "cuda" Checked, and it holds.',
        "Why 919 MiB for 24 bytes? The context of CUDA.",
        "cuda:0, NVIDIA TITAN RTX simulated 0.40 → 1.30 GiB of 24 GiB (+922 MiB)",
        "On card 0 your answer It fails so it is",
        "This cell is here to fail. RuntimeError: Expected all tensors",
        "X is on cuda:0 and Y on cuda:1.",
        "cuda:0 computes cuda:1 computes cuda:0 → cuda:1",
        "Step 4 of 5 · skipped",
        "This machine has two cards, so there is no third one to copy to.",
        "Step 5 of 5 · not played",
        "This cell was not run.",
        "Not checked.",
    ):
        assert words in text, words
    assert "X.cuda(2)" not in text  # what is skipped has no cells to show


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    written = page(whole(tmp_path), whole(tmp_path).lab.ledger, SAVED)
    shown = Seen(written)
    assert not {"script", "link", "iframe", "object", "embed", "base", "form"} & {*shown.tags}
    assert all(value.startswith("data:") for name, value in shown.attributes if name == "src")
    assert not re.search(r"url\(|@import|@font-face", written)
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in written
    assert [value for name, value in shown.attributes if name == "href"] == [
        "https://pytorch.org/docs"  # a link that a person may click
    ]


def test_real_cards_are_not_called_simulated(tmp_path: Path) -> None:
    copy = Transferred(0, "cpu", "cuda:0", 24, 1e-5, pinned=True)
    text = seen(done(tmp_path, copy, simulated=False)).text
    assert "Everything was measured on this machine." in text
    assert "2.13.0, for CUDA 13.0" in text
    assert "pinned" in text
    assert "simulated" not in text.lower()


def test_each_usable_card_is_named_and_none_is_told(tmp_path: Path) -> None:
    player = played(tmp_path, Text(1, "Text."))
    hello = player.lab.ledger.hello
    assert hello is not None
    host, broken = Device("cpu", "arm64"), Device("cuda:0", "no card", usable=False)
    player.lab.ledger.hello = replace(hello, devices=(host, broken))
    assert "Card none" in seen(player).text
    player.lab.ledger.hello = replace(hello, devices=(host, Device("mps", "Apple GPU")))
    assert "Card Apple GPU" in seen(player).text


def hostile(folder: Path) -> Played:
    lab = Lab()
    player = played(
        folder,
        Text(1, HOSTILE),
        replace(WIRE, question=HOSTILE, unit=HOSTILE),
        replace(CHOICE, choices=(HOSTILE, HOSTILE)),
        replace(CODE, source=HOSTILE),
        replace(WHY, question=HOSTILE, markdown=HOSTILE),
        replace(CHECK),
        lab=lab,
    )
    player.lesson = replace(player.lesson, title=HOSTILE, about=HOSTILE)
    step = player.steps[0]
    step.state = StepState.FAILED
    step.revealed[10] = Revealed(1.0, reason=Message("{text}", text=HOSTILE))
    step.checked[40] = Checked(held=False, line=40, told=HOSTILE)
    step.cells[30] = lab.ran(
        HOSTILE,
        Printed(0, HOSTILE),
        Printed(0, HOSTILE, HOSTILE),
        Pictured(0, HOSTILE),
        Transferred(0, HOSTILE, HOSTILE, 1, 1.0),
        Failed(0, "error", HOSTILE, HOSTILE),
    )
    return player


def test_what_a_lesson_or_a_cell_says_is_never_html(tmp_path: Path) -> None:
    shown = seen(hostile(tmp_path))
    assert {*shown.tags} <= OWN_TAGS
    assert "onerror" not in dict(shown.attributes)
    assert shown.text.count("<script>alert(1)</script></style>]]>") >= 13


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_page(text: str) -> None:
    player = played(Path("nowhere"), Text(1, text), replace(CODE, source=text))
    player.steps[0].cells[30] = player.lab.ran(text, Printed(0, text))
    page(player, player.lab.ledger, SAVED).encode()
    assert {*seen(player).tags} <= OWN_TAGS


def test_colours_of_a_terminal_and_what_is_no_letter_are_not_shown(tmp_path: Path) -> None:
    player = done(tmp_path, Printed(0, "\x1b[31mred\x1b[0m\0 and \ud800\u2028\n10 %\r100 %"))
    assert "red␦ and " in page(player, player.lab.ledger, SAVED)
    assert seen(player).text.count("10 %") == 0
    assert "100 %" in seen(player).text


def test_of_very_much_that_was_printed_the_beginning_and_the_end_are_shown(
    tmp_path: Path,
) -> None:
    text = seen(done(tmp_path, Printed(0, "begin " + "x" * 3_999_990 + " end"))).text
    assert len(text) < 6_000
    assert "begin x" in text
    assert "x end" in text
    assert "[3 996 000 letters are left out here]" in text


def test_what_the_lab_says_of_it_is_told_behind_very_much(tmp_path: Path) -> None:
    many = [Printed(0, "y" * 5_000, "warning") for _ in range(3)]
    text = seen(done(tmp_path, *many, Printed(0, "The rest was left out.", "note"))).text
    assert "[1 000 letters are left out here]" in text
    assert "The rest was left out. [10 000 letters are left out here]" in text


def test_what_the_lab_itself_did_not_keep_is_counted(tmp_path: Path) -> None:
    text = seen(done(tmp_path, Printed(0, "x" * 5_000_000))).text
    assert "[3 000 000 letters before this were not kept]" in text


def test_many_copies_are_cut_and_counted(tmp_path: Path) -> None:
    copies = [Transferred(0, "cpu", "cuda:0", 1024, None, line=at) for at in range(30)]
    text = seen(done(tmp_path, *copies)).text
    assert text.count("not timed") == 20
    assert "10 more copies are left out here, of 10 KiB together." in text


def test_a_copy_that_was_already_there_says_so(tmp_path: Path) -> None:
    text = seen(done(tmp_path, Transferred(0, "cuda:1", "cuda:1", 24, None))).text
    assert "cuda:1 → cuda:1 24 B already there, nothing copied" in text


def test_pictures_beside_the_lesson_are_put_inside(tmp_path: Path) -> None:
    inside = tmp_path / "lesson"
    inside.mkdir()
    (inside / "a b.png").write_bytes(PNG)
    (inside / "way.svg").write_text("<svg/>")
    (tmp_path / "other.png").write_bytes(PNG)
    text = "![one](a%20b.png) ![two](way.svg) ![out](../other.png) ![net](https://a.b/c.png)"
    shown = seen(played(inside, Text(1, f"{text} ![gone](gone.png)")))
    sources = [value for name, value in shown.attributes if name == "src"]
    assert sources == [
        f"data:image/png;base64,{base64.b64encode(PNG).decode()}",
        f"data:image/svg+xml;base64,{base64.b64encode(b'<svg/>').decode()}",
    ]
    for missing in ("out", "net", "gone"):
        assert f"A picture is missing here: {missing}" in shown.text


def test_a_link_to_what_lies_beside_the_lesson_is_only_words(tmp_path: Path) -> None:
    shown = seen(played(tmp_path, Text(1, "[next](../05-two/lesson.md) and [x](javascript:1)")))
    assert "a" not in shown.tags
    assert "next and" in shown.text


def test_what_a_cell_drew_is_shown(tmp_path: Path) -> None:
    shown = seen(done(tmp_path, Pictured(0, "iVBORw0KGgo=")))
    assert ("src", "data:image/png;base64,iVBORw0KGgo=") in shown.attributes


@pytest.mark.parametrize("known", [False, True])
def test_the_right_choice_is_told_only_after_it_was_revealed(
    tmp_path: Path, *, known: bool
) -> None:
    player = played(tmp_path, CHOICE)
    player.steps[0].predictions[20] = Prediction("It fails", 1.0)
    if known:
        player.steps[0].revealed[20] = Revealed(right=True)
    text = seen(player).text
    assert ("It fails your answer, so it is" in text) == known
    assert ("You were right." in text) == known
    assert ("It was not revealed." in text) != known


def test_a_measurement_that_is_missing_says_why(tmp_path: Path) -> None:
    player = played(tmp_path, WIRE)
    player.steps[0].revealed[10] = Revealed(reason=Message("This card reports no such thing."))
    text = seen(player).text
    assert "Nobody predicted this." not in text
    player.steps[0].predictions[20] = Prediction("On card 0", 0.0)
    text = seen(player).text
    assert "Nobody predicted this. This card reports no such thing." in text
    assert "Measured" not in text


def test_bars_stand_on_one_scale(tmp_path: Path) -> None:
    player = played(tmp_path, WIRE)
    player.steps[0].predictions[10] = Prediction("40", 40.0)
    player.steps[0].revealed[10] = Revealed(10.0, 20.0, right=False)
    widths = re.findall(r'width="([\d.]+)%" height="12" class="(\w+)"', str_of(player))
    shares = [(kind, share) for share, kind in widths if kind != "track"]
    assert shares == [("said", "100.00"), ("measured", "25.00"), ("limit", "50.00")]


def str_of(player: Played) -> str:
    return page(player, player.lab.ledger, SAVED)


def test_questions_and_choices_are_markdown_too(tmp_path: Path) -> None:
    choice = replace(CHOICE, question="What does `net(x)` do?", choices=("`x` moves", "no"))
    written = str_of(played(tmp_path, choice, replace(WHY, question="Why `no_grad`?")))
    for code in ("net(x)", "x", "no_grad"):
        assert f"<code>{code}</code>" in written


def test_copies_with_pauses_between_them_are_paler(tmp_path: Path) -> None:
    def copy(target: str, copies: int) -> Transferred:
        return Transferred(0, "cpu", target, 24, 0.25, copies=copies, begin=0.0, end=1.0)

    written = str_of(
        done(tmp_path, copy("cuda:0", 20), replace(copy("cuda:1", 1), seconds=1.0))
    )
    assert re.findall(r'class="copied"( opacity="[^"]*")?', written) == [' opacity="0.40"', ""]


@pytest.mark.parametrize("odd", [float("inf"), float("nan"), 0.0, -3.0, 1e300])
def test_odd_figures_are_drawn_as_far_as_they_can_be(tmp_path: Path, odd: float) -> None:
    player = played(tmp_path, WIRE)
    player.steps[0].predictions[10] = Prediction(str(odd), odd)
    player.steps[0].revealed[10] = Revealed(odd, 20.0, right=False)
    drawn = re.findall(r'width="([^"]*)%" height', str_of(player))
    assert all(0 <= float(each) <= 100 for each in drawn)


def test_a_check_that_failed_marks_its_line_and_says_why_the_cells_below_did_not_run(
    tmp_path: Path,
) -> None:
    two = [Condition(Expression(41, "A > 1")), Condition(Expression(42, "B > 2"))]
    player = played(tmp_path, Check(40, two), replace(CODE, line=45))
    player.steps[0].state = StepState.FAILED
    found = Message("`{side}` is `{value}`.", side="B", value="1")
    player.steps[0].checked[40] = Checked(held=False, line=42, told="No.", found=found)
    told = str_of(player)
    assert '<code>A &gt; 1</code><code class="bad">B &gt; 2</code>' in told
    assert "<code>B</code> is <code>1</code>. No." in told
    assert "This cell was not run, since what is above it is not as it should be." in told
    assert "earlier session" not in told


def test_headings_keep_what_is_code_in_them(tmp_path: Path) -> None:
    player = played(tmp_path, CODE)
    step = replace(player.steps[0].step, title="What X.to does", heading="What `X.to` does")
    player.steps[0].step = step
    assert "<h2>What <code>X.to</code> does</h2>" in str_of(player)


def test_a_lesson_of_which_all_was_skipped_says_so(tmp_path: Path) -> None:
    player = played(tmp_path, CODE)
    assert "Every step of this lesson was skipped" not in str_of(player)
    player.steps[0].state = StepState.SKIPPED
    assert "Every step of this lesson was skipped on this machine" in str_of(player)


def test_a_step_of_an_earlier_session_says_that_its_cells_were_not_kept(tmp_path: Path) -> None:
    text = seen(played(tmp_path, CODE)).text
    assert "This cell ran in an earlier session, and what it did was not kept." in text


@pytest.mark.parametrize(
    ("fails", "end", "words"),
    [
        (True, Finished(0, 1.0), "This cell is here to fail, and it did not."),
        (False, Failed(0, "cancelled", "", ""), "This cell was stopped before it was done."),
        (False, Failed(0, "error", "ValueError", "no"), "ValueError: no"),
    ],
)
def test_how_a_cell_ended_is_told(
    tmp_path: Path, *, fails: bool, end: Finished | Failed, words: str
) -> None:
    assert words in seen(done(tmp_path, end, part=replace(CODE, fails=fails))).text


def test_memory_that_did_not_change_is_not_drawn(tmp_path: Path) -> None:
    player = played(tmp_path, CODE)
    player.steps[0].before = player.steps[0].after = readings(1 << 30)
    assert "Memory in use" not in seen(player).text


def test_a_lesson_before_its_first_cell_says_so(tmp_path: Path) -> None:
    player = played(tmp_path, Text(1, "Text."), Predict(2, "How much?"))
    player.lab.ledger.hello = None
    text = seen(player).text
    assert "No cell was run." in text
    assert "Everything was measured" not in text


def test_the_player_is_left_as_it_was(tmp_path: Path) -> None:
    player: Player = whole(tmp_path)
    before = repr([vars(each) for each in player.steps])
    page(player, whole(tmp_path).lab.ledger, SAVED)
    assert repr([vars(each) for each in player.steps]) == before
