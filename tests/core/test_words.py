"""Words travel as templates with values, and are translated by whoever shows them."""

import json
from collections.abc import Iterator

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import (
    PSEUDO,
    Message,
    tr,
    trn,
    use_language,
)
from words import Found, found

SILENT = "{card} does not answer for {seconds:.0f} s."


@pytest.fixture
def pseudo() -> Iterator[None]:
    use_language(PSEUDO)
    yield
    use_language("en")


def test_a_message_reads_as_english_and_keeps_its_values() -> None:
    message = Message(SILENT, card="Card 2", seconds=4.2)
    assert message == "Card 2 does not answer for 4 s."
    assert message.values["seconds"] == 4.2


@pytest.mark.parametrize(("count", "text"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_what_is_counted_has_a_plural(count: int, text: str) -> None:
    assert Message.counted("{count} card", "{count} cards", count) == text
    assert trn("{count} card", "{count} cards", count) == text


@pytest.mark.usefixtures("pseudo")
def test_whoever_shows_a_message_translates_it_and_what_is_in_it() -> None:
    way = Message("over {wire}", wire="PCIe")
    message = Message("{count} copy went {way}.", count=1, way=way)
    assert message == "1 copy went over PCIe."
    assert tr(message) == "⟦1 čópý wéñt ⟦óvéŕ PCIe~~~⟧.~~~~~~~~⟧"


def test_a_message_comes_through_a_pipe() -> None:
    message = Message.counted(
        "{count} copy of {what}", "{count} copies of {what}", 3, what=Message("{n} B", n=24)
    )
    again = Message.from_json(json.loads(json.dumps(message.as_json())))
    assert again == message == "3 copies of 24 B"
    assert again.values == message.values
    assert again.many == message.many


def test_trouble_fills_its_values_into_sentence_and_hint() -> None:
    trouble = Trouble("{file} is no recording.", "Look into {file}.", file="a.gpux")
    assert str(trouble) == trouble.told == "a.gpux is no recording. Look into a.gpux."
    assert trouble.sentence.template == "{file} is no recording."
    assert Trouble(trouble.sentence).sentence is trouble.sentence


def test_every_template_gets_just_the_values_it_has_places_for() -> None:
    def fits(each: Found) -> bool:
        if each.values is None:
            return True
        if each.function in ("Option", "PrometheusError"):  # they have values of their own too
            return each.wanted <= each.values
        return each.function == "mark" or each.wanted - {"count"} == each.values - {"count"}

    wrong = [(each.place, each.templates) for each in found() if each.wanted and not fits(each)]
    assert wrong == []
