"""Through a lesson's steps: predict, run, reveal, check; and what goes wrong on the way."""

import pytest

from gpuexplorer.core.records import text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Began, Failed, Finished
from gpuexplorer.lessons.lesson import Expression, Text
from gpuexplorer.lessons.player import StepState, kept_of
from gpuexplorer.lessons.values import Prediction, Revealed, how_far
from tests.lessons.fake_rig import (
    MIB,
    cell,
    check,
    choice,
    number,
    played,
    run_next,
    state,
    step,
)

ROSE = "(cards[0].memory_used - before.cards[0].memory_used) / MiB"


def test_a_step_is_done_when_its_cells_have_run_and_its_checks_hold() -> None:
    part, condition = cell(3), check(5, "copies[-1].bytes == 256 * MiB")
    player, rig = played(step(part, condition), step(Text(9, "The end.")))
    assert player.next_cell() == part
    run_next(player)
    assert player.busy()
    rig.end(rig.copied(256 * MIB))
    assert player.step.checked[5].held
    assert state(player) is StepState.DONE
    assert player.next_cell() is None
    player.go(1)
    assert [each.state for each in player.steps] == [StepState.DONE, StepState.DONE]


@pytest.mark.parametrize(("said", "right"), [("919 MiB", True), ("1,100", True), ("24", False)])
def test_a_number_is_predicted_and_held_against_what_was_measured(
    said: str, right: bool
) -> None:
    limit = Expression(2, "cards[0].pcie_peak / GB", "what PCIe carries")
    asked = number(2, ROSE, unit="MiB", within=0.3, limit=limit)
    player, rig = played(step(asked, cell(4)))
    for wrong in ("much", "nan", "1e999", " "):
        with pytest.raises(Trouble, match=r"is no number|Type a number first"):
            player.predict(asked, wrong)
    player.predict(asked, said)
    assert player.step.revealed == {}
    run_next(player)
    rig.used += 919 * MIB
    rig.end()
    shown = player.step.revealed[2]
    assert (shown.measured, shown.limit, shown.right, shown.modelled) == (919, 12, right, False)
    assert state(player) is StepState.DONE
    with pytest.raises(Trouble, match="shown already"):
        player.predict(asked, "3")


def test_a_question_without_a_cell_is_answered_at_once_or_when_one_asks() -> None:
    first, second = choice(2), number(3, "MiB")
    player, rig = played(step(first, second))
    assert state(player) is StepState.BEGUN
    with pytest.raises(Trouble, match="1 to 2"):
        player.predict(first, "3")
    player.predict(first, "it FAILS")
    assert player.step.predictions[2].said == "It fails"
    assert player.step.revealed[2].right
    player.reveal(second)
    rig.answer()
    assert player.step.revealed[3].measured == MIB
    assert state(player) is StepState.DONE


def test_a_cell_that_was_stopped_did_not_fail_as_it_was_meant_to_and_can_be_run_again() -> None:
    part = cell(3, fails=True)
    player, rig = played(step(part))
    run_next(player)
    rig.end(cause="cancelled")
    assert state(player) is StepState.FAILED
    assert "stopped" in player.step.reason
    assert player.next_cell() == part
    run_next(player)
    rig.end(failed="NameError")
    assert state(player) is StepState.DONE


def test_a_cell_typed_by_hand_counts_as_the_next() -> None:
    player, rig = played(step(cell(3, "X = 1"), check(5, "cells[0].printed == 'hello'")))
    rig.run("Y = 2")
    rig.end()
    assert player.next_cell() is not None
    rig.run("X = 1\n")
    rig.end(printed="hello")
    assert state(player) is StepState.DONE


def test_a_lesson_from_outside_runs_nothing_before_it_is_allowed() -> None:
    needs = [Expression(2, "True")]
    player, rig = played(step(cell(3), check(1, "True"), needs=needs), outside=True)
    assert player.must_ask
    assert rig.asked == []
    with pytest.raises(Trouble, match="nobody has said yet"):
        run_next(player)
    player.allow()
    rig.answer()
    run_next(player)
    rig.end()
    assert state(player) is StepState.DONE


def test_when_the_worker_dies_the_step_can_be_run_again_and_the_others_are_offered() -> None:
    one, two = cell(3), cell(6)
    player, rig = played(step(one), step(two))
    run_next(player)
    rig.end()
    player.go(1)
    assert player.replay_needed == []
    run_next(player)
    command = rig.ledger.unfinished[0]
    rig.say(Began(command), Failed(command, "worker lost", "", "", "The worker crashed."))  # type: ignore[arg-type]  # a text will do
    assert state(player) is StepState.FAILED
    assert player.step.reason == "The worker crashed."
    assert player.gone(one)
    assert player.replay_needed == [one]
    player.run(*player.replay_needed)
    rig.end()
    assert player.replay_needed == []
    run_next(player)
    rig.end()
    assert state(player) is StepState.DONE
    assert player.steps[0].state is StepState.DONE


def test_a_worker_that_is_given_up_is_not_waited_for() -> None:
    player, rig = played(step(cell(3), check(5, "True")))
    run_next(player)
    command = rig.ledger.unfinished[0]
    rig.say(Began(command), Finished(command, 0.1))
    assert player.busy()
    rig.ledger.lost()  # a person released the cards, and nothing more is heard
    rig.ledger.lost()
    rig.asked.clear()
    assert not player.busy()
    run_next(player)
    rig.end()
    assert state(player) is StepState.DONE


def test_what_is_kept_comes_back_and_what_is_broken_does_no_harm() -> None:
    steps = step(choice(2), cell(3), title="One"), step(cell(5), title="Two")
    player, rig = played(*steps)
    player.predict(choice(2), "2")
    run_next(player)
    rig.end()
    player.go(1)
    text = text_of(player.kept)
    again, _ = played(*steps, kept=kept_of(text))
    assert again.at == 1
    assert [each.state for each in again.steps] == [StepState.DONE, StepState.BEGUN]
    assert again.replay_needed == [cell(3)]
    fewer, _ = played(steps[0], kept=kept_of(text))
    assert fewer.at == 0
    for broken in ("", "[]", "{", text[:-3]):
        assert kept_of(broken) is None


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "before.memory['cuda:0'].tensors",
            "PyTorch has not used cuda:0 yet, so it holds no figures of its memory.",
        ),
        (
            "cards[0].power_draw",
            "Power of cuda:0, Titan RTX is missing: this card does not report it.",
        ),
        ("copies[-1].pinned", "This was not measured of the copy from cpu to cuda:0."),
    ],
)
def test_a_figure_that_is_missing_has_its_reason(source: str, why: str) -> None:
    player, rig = played(step(number(2, source), cell(4)))
    run_next(player)
    rig.end(rig.copied(24))
    assert player.step.revealed[2].reason == why
    assert state(player) is StepState.DONE


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (1, "10 times too little."),
        (12.34, "23 % too much."),
        (10, "Exactly what was measured."),
        (0, "Not what was measured."),
    ],
)
def test_how_far_off_somebody_was_is_told(said: float, words: str) -> None:
    shown, predicted = Revealed(10.0, right=False), Prediction(str(said), said)
    told = how_far(number(1, "rate"), predicted, shown)
    assert told == f"{words} Up to 20 % off counts as right."
    told = how_far(number(1, "rate", factor=1.5), predicted, shown)
    assert told == f"{words} Up to a factor of 1.5 off counts as right."
