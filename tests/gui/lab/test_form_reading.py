"""What is typed into a form's fields, understood or refused in a sentence."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.forms.reading import (
    check_size,
    read_number,
    read_seed,
    read_shape,
    read_values,
    read_whole,
)


@pytest.mark.parametrize(
    ("typed", "shape"),
    [
        ("2, 3", (2, 3)),
        ("2,3,", (2, 3)),
        ("(2, 3)", (2, 3)),
        ("[2, 3]", (2, 3)),
        ("2 x 3", (2, 3)),
        ("2×3", (2, 3)),
        ("7", (7,)),
        ("0, 4", (0, 4)),
        ("1_000", (1000,)),
        ("", ()),
        ("()", ()),
        ("  ", ()),
    ],
)
def test_a_shape_is_read_as_people_write_it(typed: str, shape: tuple[int, ...]) -> None:
    assert read_shape(typed) == shape


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("-1", "A size cannot be -1."),
        ("2, -3", "A size cannot be -3."),
        ("2,,3", "A size is missing between two commas."),
        (",2", "A size is missing between two commas."),
        ("1e9 x 1e9", "'1e9' is not a whole number. Write 1000000000."),
        ("2.5", "'2.5' is not a whole number."),
        ("inf", "'inf' is not a whole number."),
        ("two, 3", "'two' is not a size."),
        ("(2, 3", "A bracket is missing"),
        ("9" * 40, "more than PyTorch can count"),
        ("1, " * 2000, "The shape is too long."),
        (",".join("1" * 65), "65 dimensions are more than the 64"),
    ],
)
def test_a_shape_that_is_none_gets_a_sentence(typed: str, sentence: str) -> None:
    with pytest.raises(Trouble) as trouble:
        read_shape(typed)
    assert sentence in str(trouble.value)


def test_every_shape_reads_as_it_was_written() -> None:
    for shape in ((), (1,), (2, 3), (4, 0, 1), (10, 20, 30, 40), tuple(range(64))):
        assert read_shape(", ".join(map(str, shape))) == shape
        assert read_shape(" x ".join(map(str, shape))) == shape
        assert read_shape(str(list(shape))) == shape


def test_more_bytes_than_can_be_counted_are_refused() -> None:
    assert check_size((1000, 1000), 8) == 8_000_000
    with pytest.raises(Trouble, match="more bytes than PyTorch can count"):
        check_size((10**9, 10**10), 8)
    with pytest.raises(Trouble, match="more bytes than PyTorch can count"):
        check_size((10**19,) * 64, 8)


@pytest.mark.parametrize("typed", ["", "-", "1.5", "one", "0x10", "1e3", "9" * 50])
def test_only_whole_numbers_are_whole_numbers(typed: str) -> None:
    with pytest.raises(Trouble, match="The number of steps"):
        read_whole(typed, Message("The number of steps"))


def test_a_seed_may_be_left_out_and_has_to_fit() -> None:
    assert read_seed("") is None
    assert read_seed(" 42 ") == 42
    with pytest.raises(Trouble, match="64 bits"):
        read_seed(str(2**64))


@pytest.mark.parametrize(
    ("typed", "number"), [("7", 7), ("-1.5", -1.5), ("1e-3", 0.001), ("True", True), ("2j", 2j)]
)
def test_numbers_are_read_as_python_writes_them(typed: str, number: object) -> None:
    assert read_number(typed, Message("The value")) == number


@pytest.mark.parametrize("typed", ["", "x", "__import__('os')", "[1]", "'7'", "1e999", "1 +"])
def test_what_is_no_number_is_not_evaluated(typed: str) -> None:
    with pytest.raises(Trouble, match="The value"):
        read_number(typed, Message("The value"))


def test_typed_in_values_know_their_shape() -> None:
    assert read_values("[[1, 2], [3, 4]]")[1] == (2, 2)
    assert read_values("[]")[1] == (0,)
    assert read_values("3.5")[1] == ()
    assert read_values("((1, 2, 3),)")[1] == (1, 3)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("[[1, 2], [3]]", "not equally long"),
        ("[1, [2]]", "not equally long"),
        ("['a', 'b']", "is not a number"),
        ("[1, 2", "cannot be read as numbers"),
        ("open('x')", "cannot be read as numbers"),
        ("{1: 2}", "is not a number"),
        ("[" * 300, "cannot be read as numbers"),
        ("", "missing"),
        (f"[{'1, ' * 2000}]", "at most 4000 characters"),
    ],
)
def test_values_that_are_none_get_a_sentence(typed: str, sentence: str) -> None:
    with pytest.raises(Trouble, match=sentence):
        read_values(typed)
