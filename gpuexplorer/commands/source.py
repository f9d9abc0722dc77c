"""The cards a person asked for: real or simulated, all of them or some; and their wiring."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from gpuexplorer.commands.arguments import WrongArgumentsError, in_the_words, one_host
from gpuexplorer.core.cards import Card
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.facts import Attempt, Stream
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.looked_for import plain_bus_id
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.sources import first_that_answers, simulated
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine

_PATIENCE = 3.0  # a person would not wait longer for the wiring


class Opened(NamedTuple):
    """A source and the computer that it is in."""

    backend: Any  # a Backend, or the stream of another machine, which answers the same
    attempts: Sequence[Attempt] = ()
    far: "FarMachine | None" = None

    @property
    def stream(self) -> Stream:
        return Local(self.backend, self.attempts) if self.far is None else self.far.stream

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.backend.close()

    @property
    def machine(self) -> str | None:
        """Which it is, where it is not this computer."""
        return None if self.far is None else self.far.host.text

    @property
    def head(self) -> Mapping[str, object]:
        """What stands first in JSON, of whatever is told of its cards."""
        return {"schema": 1} | ({} if self.far is None else {"machine": self.machine})

    @property
    def silence(self) -> Message:
        """Why nothing is heard of another computer just now; empty where it is."""
        return NOTHING if self.far is None else self.far.now.why

    def check(self) -> None:
        """Raises Trouble where there was a connection and there is none."""
        if self.far is not None:
            self.far.wait_until_up(0.0)

    def chosen(self, cards: Sequence[Card], text: str | None) -> Sequence[Card]:
        """Those of its cards that a person named."""
        return choose(cards, text, "" if self.far is None else self.far.asked_as)


def opened(arguments: argparse.Namespace) -> Opened:
    """The source these arguments ask for, on this computer or on the one of --host."""
    host = one_host(arguments)
    if host is not None:
        far = connected(host, arguments)
        return Opened(far.stream, (), far)
    backend, attempts = open_source(arguments)
    return Opened(backend or NoCards(), attempts)


def open_source(arguments: argparse.Namespace) -> tuple[Backend | None, Sequence[Attempt]]:
    """Of this computer, opened. Raises WrongArgumentsError that names the wrong part of a
    simulation.
    """
    made_up = _simulated(arguments)
    return first_that_answers() if made_up is None else (made_up, ())


def connected(host: str, arguments: argparse.Namespace) -> "FarMachine":
    """Another machine, connected before anything is read of it. Raises Trouble with the reason,
    and WrongArgumentsError for what is wrong already here. Where somebody is at a terminal, ssh
    asks there what it has to ask.
    """
    # It needs ssh, and much of ours.
    from gpuexplorer.remote.machine import FarMachine  # noqa: PLC0415 - as just said
    from gpuexplorer.remote.ssh import host_name  # noqa: PLC0415

    with in_the_words():
        name = host_name(host)
    if (backend := _simulated(arguments)) is not None:
        backend.close()
    asked = {"simulate": None, "fault": "", "seed": 0} | vars(arguments)
    far = FarMachine(
        name,
        python=arguments.host_python or "",
        simulate=asked["simulate"],
        faults=asked["fault"],
        seed=asked["seed"],
        at_terminal=sys.stdin.isatty() and sys.stderr.isatty(),
    )
    try:
        far.connect()
        far.wait_until_up()
    except BaseException:
        far.stop(1.0)
        raise
    return far


def _simulated(arguments: argparse.Namespace) -> Backend | None:
    """None where none was asked for, or the command knows none."""
    if getattr(arguments, "simulate", None) is None:
        return None
    with in_the_words():
        return simulated(arguments.simulate, arguments.fault, arguments.seed)


def choose(cards: Sequence[Card], text: str | None, asked_as: str = "") -> Sequence[Card]:
    """The cards a person named by number, UUID, start of a UUID, or bus address; `asked_as` how
    a command line names their computer.
    """
    if text is None:
        return cards
    if not cards:
        raise Trouble(
            "No graphics card answers, so none can be chosen.",
            "`{doctor}` says why.",
            doctor=doctor(asked_as),
        )
    numbers = card_numbers(cards)
    chosen: dict[Card, None] = {}
    for word in map(str.strip, text.split(",")):
        matches = [card for card in cards if _is_called(card, numbers[card.id], word)]
        if not matches:
            raise WrongArgumentsError(
                "--cards names {word!r}, and no card is called so.",
                "There are: {offered}; a UUID or a bus address will do too.",
                word=word,
                offered=", ".join(numbers.values()),
            )
        chosen |= dict.fromkeys(matches)
    return [*chosen]


def _is_called(card: Card, number: str, word: str) -> bool:
    if word in (number, card.id):
        return True
    bus = card.bus_id or ""
    part = card.id.lower().startswith(word.lower()) or bus.endswith(word.lower())
    return (part and len(word) > 4) or (bus != "" and plain_bus_id(word) == bus)


def wiring_of(source: Opened) -> tuple[Topology | None, Message]:
    """Or why there is none."""
    if source.far is not None:
        try:
            return source.far.stream.asked_wiring(), NOTHING
        except Trouble as trouble:
            return None, trouble.sentence
    asked = Asked(source.backend.topology)
    if not asked.answered_within(_PATIENCE):
        late = "The driver did not report the wiring within {seconds:g} s, so it is left out."
        return None, Message(late, seconds=_PATIENCE)
    return asked.result(), NOTHING
