"""The trial's report: every step is told as passed, failed or untried, and why."""

import pytest

from trial.refusal import CannotTryError
from trial.report import Outcome, Report, Step, StepError


def fails() -> str:
    raise StepError("The window stayed empty.")


def cannot() -> str:
    raise CannotTryError("There is no Xvfb. Type: apt-get install xvfb")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def report(told: list[str]) -> Report:
    return Report(told.append)


def test_each_step_stands_in_the_table_with_what_was_seen(report: Report) -> None:
    steps = [Step("install", lambda: "It came."), Step("a window", fails), Step("x", cannot)]
    report.take("slim", steps)
    assert report.as_text() == (
        "\n"
        "slim\n"
        "  passed   install\n"
        "           It came.\n"
        "  failed   a window\n"
        "           The window stayed empty.\n"
        "  untried  x\n"
        "           There is no Xvfb. Type: apt-get install xvfb\n"
        "\n"
        "Steps: 1 passed, 1 failed, 1 untried."
    )


def test_one_that_fails_does_not_keep_the_others_back(report: Report, told: list[str]) -> None:
    report.take("slim", [Step("first", fails), Step("second", lambda: "Well.")])
    assert told == ["slim: first: failed (0 s)", "slim: second: passed (0 s)"]
    assert not report.good


def test_what_needs_a_step_that_failed_is_not_tried(report: Report) -> None:
    report.take("slim", [Step("install", fails), Step("a window", fails, ("install",))])
    assert [result.outcome for result in report.results] == [Outcome.FAILED, Outcome.UNTRIED]
    assert "needs what did not pass: install" in report.results[1].sentence


def test_a_step_of_the_other_size_does_not_count(report: Report) -> None:
    report.take("slim", [Step("install", lambda: "It came.")])
    report.take("classroom", [Step("a window", lambda: "It opened.", ("install",))])
    assert report.results[1].outcome is Outcome.UNTRIED


def test_a_trial_in_which_nothing_could_be_tried_is_no_good_one(report: Report) -> None:
    report.take("slim", [Step("x", cannot)])
    assert not report.good
    report.take("slim", [Step("install", lambda: "It came.")])
    assert report.good
