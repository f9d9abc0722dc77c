"""LinkState: how the connection to another machine is, as people are told."""

from enum import StrEnum
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message, mark


class LinkState(StrEnum):
    """The value is said to people."""

    CONNECTING = mark("connecting")
    ASKING = mark("ssh has a question")  # that a person has to answer
    UP = mark("connected")
    BROKEN = mark("no connection")  # it is tried again by itself
    REFUSED = mark("refused")  # there is no use in trying again without a person
    ENDED = mark("ended")  # or never begun


class LinkNow(NamedTuple):
    """Replaced whole, so that it fits together in any thread."""

    state: LinkState
    since: float  # steady seconds
    why: Message = NOTHING
    hint: Message = NOTHING
    retry_at: float | None = None  # steady seconds
