"""The words of the lab's head: what there is, how the worker is, and what the switches say."""

import pytest

from gpuexplorer.gui.cards.faces import arrange
from gpuexplorer.gui.lab.head.words import (
    ALL_SWITCHES,
    SwitchWords,
    as_choice,
    cap_line,
    caps_in,
    changed_caps,
    remembered_visible,
    summary_words,
    usual_order,
    visible_in,
    visible_line,
)
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.lab.events import Held, Placed
from tests.gui.fakes import card
from tests.gui.lab.conftest import MIB

CARD = BenchDevice(
    "cuda:0", "TITAN RTX", "0", 0, card(0).id, context_bytes=334 * MIB, cache_bytes=2 * MIB
)


def thing(name: str, device: str, size: int, storage: int) -> Placed:
    held = (Held(device, "values", size, storage),)
    return Placed(1, name, "tensor", device, "", bytes=size, holds=held)


def test_the_summary_counts_things_cards_and_what_holding_them_costs() -> None:
    things = {"X": thing("X", "cuda:0", 24, 1), "Y": thing("Y", "cuda:1", 24, 2)}
    said = summary_words(things, [CARD])
    assert said == "2 things on 2 cards: 48 B, and 336 MiB taken to hold them"


def test_a_view_takes_no_memory_of_its_own() -> None:
    things = {"X": thing("X", "cuda:0", 24, 1), "V": thing("V", "cuda:0", 24, 1)}
    assert summary_words(things, []) == "2 things on 1 card: 24 B"


def test_values_are_counted_and_not_the_blocks_they_lie_in() -> None:
    block = (Held("cuda:0", "values", 512, 1),)
    things = {"X": Placed(1, "X", "tensor", "cuda:0", "", bytes=24, holds=block)}
    assert summary_words(things, []) == "1 thing on 1 card: 24 B"


def test_what_lies_on_the_host_is_not_said_to_lie_on_a_card() -> None:
    here = {"X": thing("X", "cpu", 24, 1)}
    both = {**here, "Y": thing("Y", "cuda:0", 24, 2)}
    assert summary_words(here, []) == "1 thing on the host: 24 B"
    assert summary_words(both, []) == "2 things on 1 card and the host: 48 B"


def test_memory_that_is_held_for_nothing_is_said() -> None:
    assert summary_words({}, []) == "Nothing made yet"
    assert summary_words({}, [CARD]) == "Nothing made yet; 336 MiB taken all the same"


def test_every_stage_has_words_and_a_sentence() -> None:
    for stage in Stage:
        said = stage_words(stage)
        assert said.words
        assert said.sentence.endswith(".")


def test_a_line_that_takes_its_time_is_timed() -> None:
    assert stage_words(Stage.BUSY, running=0.1).words == "Busy"
    assert stage_words(Stage.BUSY, running=3.24).words == "Busy, 3.2 s"
    assert stage_words(Stage.BUSY, running=75).words == "Busy, 1:15 min"


def test_who_cannot_be_started_says_why() -> None:
    assert stage_words(Stage.FAILED, "None has PyTorch.").sentence == "None has PyTorch."


@pytest.mark.parametrize("words", ALL_SWITCHES, ids=lambda each: each.title)
def test_every_switch_shows_pytorchs_line_and_tensorflows_name(words: SwitchWords) -> None:
    told = words.tooltip("Inter", "monospace")
    assert "PyTorch:" in told
    assert "TensorFlow:" in told


def test_caps_are_what_the_lines_say_and_the_last_one_holds() -> None:
    lines = [
        "X = torch.ones(2)",
        cap_line(0.4, "cuda:0"),
        'torch.cuda.set_per_process_memory_fraction(0.5, device="cuda:1")',
        "torch.cuda.set_per_process_memory_fraction(0.25)",
        cap_line(1.0, "cuda:1"),
    ]
    assert caps_in(lines) == {"cuda:0": 0.25}


def test_only_what_changes_is_run() -> None:
    assert changed_caps({"cuda:0": 0.4, "cuda:1": 1.0}, {"cuda:0": 0.4}) == []
    assert changed_caps({"cuda:0": 1.0}, {"cuda:0": 0.4}) == [cap_line(1.0, "cuda:0")]


def test_visible_cards_are_written_as_cuda_wants_them() -> None:
    assert visible_line([1, 0]) == "CUDA_VISIBLE_DEVICES=1,0"
    assert as_choice([0, 1], [0, 1]) is None
    assert as_choice([1], [0, 1]) == (1,)


def test_visible_cards_are_remembered_for_these_cards_only() -> None:
    here, elsewhere = arrange([card(0), card(1)]), arrange([card(2), card(3)])
    text = remembered_visible((1, 0), here)
    assert list(usual_order(here)) == [0, 1]
    assert visible_in(text, here) == (1, 0)
    assert visible_in(text, elsewhere) is None
    assert visible_in("no JSON", here) is None
    assert visible_in(None, here) is None
