"""Giving back: a measurement leaves all memory as it found it, however it ends."""

import traceback
from collections.abc import Callable
from typing import TypeVar, Union

from gpuexplorer.worker.measuring.cards import Cards

T = TypeVar("T")


def given_back(cards: Cards, work: "Callable[[], T]") -> T:
    """What `work` comes to, or the error that ended it, when nothing holds memory any more."""
    outcome = _outcome(work)
    cards.give_back()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _outcome(work: "Callable[[], T]") -> Union[T, BaseException]:  # noqa: UP007 - Python 3.10
    try:
        return work()
    # Raised again at once, when nothing holds the memory any more.
    except BaseException as error:
        return _let_go(error)


def _let_go(error: BaseException) -> BaseException:
    """Without what it came through, which holds on to all the memory that was taken there."""
    each: BaseException | None = error
    while each is not None:
        traceback.clear_frames(each.__traceback__)
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error
