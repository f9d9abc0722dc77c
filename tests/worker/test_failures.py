"""From an exception to what a person reads: what it means, where it arose, and what is lost."""

import pytest

from gpuexplorer.lab.events import Frame, Memory
from gpuexplorer.worker.engine import failed
from tests.worker.written import raised


class AcceleratorError(RuntimeError):
    """As PyTorch calls it from 2.8 on."""


def said_by_cuda(words: str) -> BaseException:
    return raised("raise error", error=AcceleratorError(f"CUDA error: {words}\nMore of it."))


def broken() -> None:
    """What a card answers when its context is broken: whatever is asked."""
    raise AcceleratorError("CUDA error: unknown error")


@pytest.mark.parametrize(
    "words",
    ["the launch timed out and was terminated", "an illegal memory access was encountered"],
)
def test_a_card_that_does_not_answer_any_more_is_broken(words: str) -> None:
    told = failed(1, said_by_cuda(words), settle=broken)
    assert told.cause == "device broken"
    assert told.message.startswith(f"CUDA error: {words}")
    assert told.sentence.startswith("The card broke off.")
    assert told.frames == (Frame(2, 1, "", 0, 11),)


@pytest.mark.parametrize("waited", [False, True])
def test_a_check_on_the_card_that_failed_is_told_late_unless_each_kernel_was_waited_for(
    monkeypatch: pytest.MonkeyPatch, *, waited: bool
) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1" if waited else "0")
    told = failed(1, said_by_cuda("device-side assert triggered"), settle=broken)
    assert (told.cause, told.waited) == ("device assert", waited)
    assert ("may be innocent" in told.sentence) is not waited


def test_a_card_that_goes_on_answering_is_not() -> None:
    assert failed(1, said_by_cuda("invalid argument")).cause == "refused by PyTorch"


def test_a_card_that_broke_unnoticed_is_found_by_whatever_fails_next() -> None:
    told = failed(1, raised("1 / 0"), settle=broken)
    assert (told.cause, told.error) == ("device broken", "AcceleratorError")
    assert told.message == "CUDA error: unknown error"


def test_no_room_for_a_context_is_no_room() -> None:
    memory = (Memory("cuda:0", 0, 0, 100, 1000),)
    told = failed(1, said_by_cuda("out of memory"), lambda: memory)
    assert told.cause == "out of memory"
    assert told.sentence == "It does not fit into the memory that is free."
    assert told.memory == memory


def test_what_python_refuses_is_not_put_down_to_pytorch() -> None:
    told = failed(1, raised("x = 1\nprint(nobody)"))
    assert (told.cause, told.error) == ("raised", "NameError")
    assert told.frames == (Frame(2, 2, "", 6, 12),)


def test_a_module_that_is_missing_is_named_for_pip() -> None:
    told = failed(1, raised("from nowhere_to_be_found import torch as d2l"))
    assert (told.cause, told.error) == ("raised", "ModuleNotFoundError")
    assert told.missing == "nowhere_to_be_found"
    assert told.sentence == "The lab's Python has no module nowhere_to_be_found."


@pytest.mark.parametrize(
    "code",
    [
        "import torch.nowhere",  # a part of what is installed
        "raise ModuleNotFoundError('no msvcrt', name='msvcrt')",  # Python's own
    ],
)
def test_what_pip_cannot_bring_is_not_named(code: str) -> None:
    told = failed(1, raised(code))
    assert (told.cause, told.missing, told.sentence) == ("raised", "", "")
