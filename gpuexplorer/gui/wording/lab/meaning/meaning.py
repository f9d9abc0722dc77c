"""What an error means here: plain words, with the names and devices of the very line."""

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message, paragraph
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure, about_failure
from gpuexplorer.gui.wording.lab.meaning.meaning_gradients import gradients_meaning
from gpuexplorer.gui.wording.lab.meaning.meaning_places import devices_meaning, places_meaning
from gpuexplorer.gui.wording.lab.meaning.meaning_room import room_meaning
from gpuexplorer.gui.wording.lab.meaning.meaning_shapes import shapes_meaning
from gpuexplorer.gui.wording.lab.meaning.meaning_values import values_meaning
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import Ledger

_RULES = (places_meaning, shapes_meaning, gradients_meaning, values_meaning)


def meaning(failed: Failed, code: str, ledger: Ledger, units: Units = USUAL) -> str:
    """Empty where nothing certain can be said: then PyTorch's own words stand alone."""
    about = about_failure(failed, code, ledger, units)
    match failed.cause:
        case "devices differ":
            said = devices_meaning(about)
        case "out of memory":
            said = room_meaning(about)
        case "cancelled":
            said = [
                Message(
                    "You gave this line up. What was on the shelf before it is still there."
                )
            ]
        case "refused by PyTorch":
            said = _refused(about)
        case _:
            said = [failed.told]
    return paragraph(said)


def _refused(about: AboutFailure) -> list[Message]:
    if "DefaultCPUAllocator" in about.message:
        return room_meaning(about)
    for rule in _RULES:
        said = rule(about)
        if said:
            return said
    return [about.failed.told]
