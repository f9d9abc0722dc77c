"""What people type for sizes, devices and modes, and what they are told when it is wrong."""

import pytest

from gpuexplorer.copies.jobs import devices_of, kinds_of, sizes_of
from gpuexplorer.core.trouble import Trouble

HERE = ("cpu", "cuda:0", "cuda:1", "cuda:2")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("4", (4,)),
        ("64M", (64 << 20,)),
        ("4 KiB", (4096,)),
        ("64MB", (64_000_000,)),
        ("1e9", (10**9,)),
        ("0.5G", (1 << 29,)),
        ("1T", (1 << 40,)),
        ("1M, 4K,1024K", (4096, 1 << 20)),
        ("4B - 100B", (4, 16, 64, 100)),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, sizes: tuple[int, ...]) -> None:
    assert sizes_of(text) == sizes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "No size is named."),
        ("64M,", "'64M,' has a comma with no size beside it."),
        ("1G-4B", "'1G-4B' ends before it begins."),
        ("4B-", "'' is not a size."),
        ("-4", "'-4' is nothing to copy."),
        ("big", "'big' is not a size."),
        ("0", "'0' is nothing to copy."),
        ("1.5", "'1.5' is not a whole number of bytes."),
        ("2T", "'2T' is more than any card holds."),
        ("nan", "'nan' is not a size."),
        ("1e999999K", "'1e999999K' is more than any card holds."),
        ("\u0664K", "'\u0664K' is not a size."),
    ],
)
def test_a_size_that_is_none_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Trouble) as refused:
        sizes_of(text)
    assert refused.value.sentence == sentence
    assert refused.value.hint


@pytest.mark.parametrize("text", ["7", "cuda:9", "gpu", "", "cpu,", "0-5", "-1", "2-0"])
def test_a_device_that_is_not_there_gets_those_that_are(text: str) -> None:
    with pytest.raises(Trouble) as refused:
        devices_of(text, HERE)
    assert "no device here is called" in refused.value.sentence
    assert refused.value.hint == "There are: cpu, cuda:0, cuda:1, cuda:2."


def test_a_mode_that_is_nearly_right_is_recognised() -> None:
    with pytest.raises(Trouble) as refused:
        kinds_of("bothway")
    assert refused.value.sentence == "--mode names 'bothway', which is not known."
    assert refused.value.hint.startswith(
        "Did you mean both-ways? There are: one-way, both-ways, latency"
    )
