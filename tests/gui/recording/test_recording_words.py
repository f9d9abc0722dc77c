"""What the banner and the marks say of a recording, whoever made it."""

from pathlib import Path

from gpuexplorer.core.words import Message
from gpuexplorer.gui.recording.scrubber_marks import Marks
from gpuexplorer.gui.recording.words import what_is_shown
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.recording.made import make_recording


def said(path: Path) -> str:
    recording = open_recording(path)
    try:
        return what_is_shown(recording)
    finally:
        recording.close()


def test_the_banner_names_computer_span_and_cards_and_that_they_are_simulated(
    tmp_path: Path,
) -> None:
    words = said(make_recording(tmp_path / "a.gpurec", "1xH100", 60.0))
    assert words.startswith("Recording of ")
    assert "21 Sep" in words
    assert "1 card; simulated cards: every figure is made up." in words


def test_a_recording_without_names_says_that_they_were_left_out(tmp_path: Path) -> None:
    words = said(make_recording(tmp_path / "a.gpurec", "2xH100", 60.0, anonymous=True))
    assert "Recording of a computer that is not named" in words
    assert "2 cards" in words
    assert "without names, command lines and users" in words


def happening(at: float, kind: Kind, words: str) -> Happening:
    return Happening(at, at, kind, None, Message("{text}", text=words))


def test_marks_on_one_spot_take_the_tone_of_the_worst_which_is_told_first() -> None:
    marks = Marks(
        [
            happening(1.0, Kind.PROCESS_APPEARED, "came"),
            happening(2.0, Kind.XID, "broke"),
            happening(900.0, Kind.PROCESS_ENDED, "went"),
        ]
    )
    first, last = marks.within(0.0, 1000.0, 500.0).values()
    assert marks.sentences(first) == ["broke", "came"]
    assert marks.worst(first).at == 2.0
    assert first.several
    assert first.tone == "bad"
    assert not last.several
    assert not marks.cut


def test_a_sentence_of_ten_thousand_letters_is_cut() -> None:
    marks = Marks([happening(1.0, Kind.XID, "x" * 10_000)])
    [mark] = marks.within(0.0, 2.0, 100.0).values()
    [sentence] = marks.sentences(mark)
    assert len(sentence) <= 160
