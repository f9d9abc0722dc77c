"""Why PyTorch cannot use a card, and the way out: a sentence each."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.lab.card_match import Match
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.torch_builds import TorchBuild, suits

_ASK_DOCTOR = "“gpuexplorer doctor” tells which PyTorch suits it."


@dataclass(frozen=True, slots=True)
class Reason:
    """Both empty where there is nothing to say."""

    why: str = ""
    way_out: str = ""


def left_out(
    shown: Shown,
    hello: Hello | None,
    found: Sequence[Match],
    cards: Sequence[Shown],
    driver: str | None,
    *,
    hidden: bool,
) -> Reason:
    """Of a card that is none of PyTorch's devices. `found` are those that are."""
    if hidden:
        return Reason(
            "It is not among the cards that the lab may see.",
            "Release the cards, then choose it among the visible ones.",
        )
    if hello is None:
        why = shown.card.cuda_reason
        said = f"CUDA gives it no number: {why}." if why else "CUDA gives it no number."
        return Reason(said, "“gpuexplorer doctor” tells more.")
    if hello.build == "CPU":
        return Reason(
            "Your PyTorch is a build for the processor only.", _advice(hello, cards, driver)
        )
    if not hello.build.startswith("CUDA"):
        return Reason(
            f"This PyTorch is built for {hello.build}.", _advice(hello, cards, driver)
        )
    if shown.instances:
        return Reason(
            "It is split: CUDA uses its instances only, one at a time.",
            "Start GPU Explorer with CUDA_VISIBLE_DEVICES set to the UUID of an instance.",
        )
    if any(each.card is None and "tells no UUID" in each.why for each in found):
        return Reason(
            "It may be one of PyTorch's cards; this PyTorch does not tell which.",
            "A newer PyTorch tells it.",
        )
    return Reason("This PyTorch does not offer it.", _ASK_DOCTOR)


def lost(state: CardState) -> Reason:
    if state is not CardState.LOST:
        return Reason()
    return Reason(
        "The driver has lost this card: nothing on it answers any more.",
        "Release the cards. Often only a restart of the computer brings it back.",
    )


def without_kernels(hello: Hello, cards: Sequence[Shown], driver: str | None) -> str:
    """The way out where a card takes copies and computes nothing."""
    return _advice(hello, cards, driver)


def _advice(hello: Hello, cards: Sequence[Shown], driver: str | None) -> str:
    kind, _, version = hello.build.partition(" ")
    build = TorchBuild(hello.torch, version if kind == "CUDA" else None)
    suited = suits(build, [each.card for each in cards], driver)
    if suited.install:
        return tr(
            "Install PyTorch built for CUDA {cuda} into this Python, or choose another Python "
            "of the lab.",
            cuda=suited.install,
        )
    return tr(suited.do) or _ASK_DOCTOR
