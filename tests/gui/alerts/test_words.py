"""What a rule will do and what an alert says, word for word."""

import time
from dataclasses import replace

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import Units
from gpuexplorer.gui.state.alert_words import promise, rule_sentence, strip_sentence
from gpuexplorer.telemetry.alerts import USUAL_RULES, Alert, Rule, Side
from tests.clocks import ManualClock

NUMBERS = {CardId(f"GPU-{number}"): str(number) for number in range(8)}
SI, OTHER = Units(), Units(decimal_memory=True, fahrenheit=True)
WARM = Rule(m.TEMPERATURE, Side.ABOVE, -2.0, 30.0, of_limit=True)
GIB = float(1 << 30)


def said(words: str) -> str:
    return words.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (WARM, "Temperature above the card's limit − 2 °C for 30 s, on any card"),
        (
            replace(WARM, threshold=0.0),
            "Temperature above the card's limit for 30 s, on any card",
        ),
        (
            replace(WARM, threshold=5.0),
            "Temperature above the card's limit + 5 °C for 30 s, on any card",
        ),
        (
            replace(WARM, side=Side.BELOW, threshold=-40.0),
            "Temperature below the card's limit − 40 °C for 30 s, on any card",
        ),
        (
            Rule(m.MEMORY_FREE, Side.BELOW, 0.02, 60.0, of_limit=True),
            "Memory free below 2 % of the card's memory for 1 min, on any card",
        ),
        (
            Rule(m.MEMORY_USED, Side.ABOVE, 20 * GIB, 0.0, cards=frozenset(NUMBERS)),
            "Memory used above 20.0 GiB, on cards 0, 1, 2, 3 and 4 more",
        ),
        (
            Rule(m.GPU_UTILIZATION, Side.BELOW, 0.05, 600.0),
            "GPU utilisation below 5 % for 10 min, on any card",
        ),
        (
            Rule(m.CLOCK_SM, Side.BELOW, 9e8, 5.0, cards=frozenset({CardId("GPU-3")})),
            "SM clock below 900 MHz for 5 s, on card 3",
        ),
        (
            Rule(m.PCIE_RECEIVE, Side.ABOVE, 2.5e9, 90.0, cards=frozenset({CardId("x")})),
            "PCIe in above 2.5 GB/s for 1 min 30 s, on cards that are not here now",
        ),
    ],
)
def test_a_rule_is_one_sentence(rule: Rule, sentence: str) -> None:
    assert said(rule_sentence(rule, SI, NUMBERS)) == sentence


def test_figures_are_in_the_units_a_person_chose() -> None:
    assert "limit − 3.6 °F" in said(rule_sentence(WARM, OTHER, NUMBERS))
    full = Rule(m.MEMORY_USED, Side.ABOVE, 20e9, 0.0)
    assert "above 20.0 GB" in said(rule_sentence(full, OTHER, NUMBERS))


@pytest.mark.parametrize(
    ("rule", "over"),
    [
        (WARM, "back below the card's limit − 5 °C for 5 s, or was not above"),
        (Rule(m.TEMPERATURE, Side.ABOVE, 85.0, 1.0), "back below 82 °C for 5 s, or was not"),
        (
            Rule(m.MEMORY_FREE, Side.BELOW, 0.02, 60.0, of_limit=True),
            "back above 3 % of the card's memory for 5 s, or was not below",
        ),
    ],
)
def test_it_is_said_when_an_alert_is_over(rule: Rule, over: str) -> None:
    assert over in said(promise(rule, SI))


def alert(rule: Rule, card: int, since: float = 0.0) -> Alert:
    threshold, _ = rule.bounds(89.0)
    return Alert(rule, CardId(f"GPU-{card}"), since, since, threshold)


def at(seconds: float) -> Clock:
    """A clock that shows so much."""
    return ManualClock(seconds)


def test_the_strip_says_which_card_what_since_when_and_for_how_long() -> None:
    words = strip_sentence([alert(WARM, 0, since=40.0)], NUMBERS, SI, at(160.0))
    began = time.strftime("%H:%M:%S", time.localtime(at(160.0).wall() - 120.0))
    assert words == f"Card 0: Temperature above 87 °C since {began}, for 2 min"


def test_the_strip_stays_one_line_whatever_goes_on() -> None:
    alerts = [alert(rule, card) for rule in (WARM, *USUAL_RULES[1:]) for card in range(8)]
    words = strip_sentence(alerts, NUMBERS, SI, at(7200.0))
    first = (
        "32 alerts: Temperature above the card's limit − 2 °C on cards 0, 1, 2, 3 and 4 more"
    )
    assert words.startswith(first)
    assert words.endswith(", for 2 h; and 1 more")


def test_a_card_that_is_no_longer_listed_keeps_its_lasting_name() -> None:
    words = strip_sentence([alert(WARM, 9)], NUMBERS, SI, at(10.0))
    assert words.startswith("Card GPU-9: Temperature above 87 °C since ")
    assert words.endswith(", for 10 s")
