"""Why PyTorch cannot use a card, and the way out: a sentence each."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.lab.card_match import Match, stands_for_none
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.torch_builds import TorchBuild, suits

_ASK_DOCTOR = Message("“gpuexplorer doctor” says which PyTorch suits it.")


@dataclass(frozen=True, slots=True)
class Reason:
    """Both empty where there is nothing to say."""

    why: Message = NOTHING
    way_out: Message = NOTHING


def left_out(
    shown: Shown,
    hello: Hello | None,
    found: Sequence[Match],
    cards: Sequence[Shown],
    driver: str | None,
    *,
    hidden: bool,
) -> Reason:
    """For a card that is none of PyTorch's devices. `found` are those that are."""
    if hidden:
        return Reason(
            Message("It is not among the cards that the lab may see."),
            Message("Release the cards, then choose it among the visible ones."),
        )
    if hello is None:
        why = shown.card.cuda_reason
        said = Message("CUDA gives it no number.")
        if why:
            said = Message("CUDA gives it no number ({why}).", why=why)
        return Reason(said, Message("“gpuexplorer doctor” says more."))
    if hello.build == "CPU":
        why = Message("Your PyTorch is a build for the processor only.")
        return Reason(why, _advice(hello, cards, driver))
    if not hello.build.startswith("CUDA"):
        why = Message("This PyTorch is built for {build}.", build=hello.build)
        return Reason(why, _advice(hello, cards, driver))
    for each in hello.devices:
        if stands_for_none(each):
            return Reason(each.reason, each.way_out)
    if shown.instances:
        return Reason(
            Message("It is split: CUDA uses its instances only, one at a time."),
            Message(
                "Start GPU Explorer with CUDA_VISIBLE_DEVICES set to the UUID of an instance."
            ),
        )
    if any(each.one_of for each in found):
        return Reason(
            Message("It may be one of PyTorch's cards; this PyTorch does not say which."),
            Message("A newer PyTorch does."),
        )
    return Reason(Message("This PyTorch does not offer it."), _ASK_DOCTOR)


def lost(state: CardState) -> Reason:
    if state is CardState.UNLISTED:
        return Reason(
            Message("The driver no longer lists this card: nothing on it answers any more."),
            Message("Release the cards. It can be used again when the driver lists it."),
        )
    if state is not CardState.LOST:
        return Reason()
    return Reason(
        Message("The driver has lost this card: nothing on it answers any more."),
        Message("Release the cards. Often only a restart of the computer brings it back."),
    )


def without_kernels(hello: Hello, cards: Sequence[Shown], driver: str | None) -> Message:
    """The way out where a card takes copies and computes nothing."""
    return _advice(hello, cards, driver)


def _advice(hello: Hello, cards: Sequence[Shown], driver: str | None) -> Message:
    kind, _, version = hello.build.partition(" ")
    build = TorchBuild(hello.torch, version if kind == "CUDA" else None)
    suited = suits(build, [each.card for each in cards], driver)
    if suited.install:
        return Message(
            "Install PyTorch built for CUDA {cuda} into this Python, or choose another Python "
            "of the lab.",
            cuda=suited.install,
        )
    return suited.do or _ASK_DOCTOR
