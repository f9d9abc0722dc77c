"""What an error means here: plain words, with the names and devices of the very line."""

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
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
            return devices_meaning(about)
        case "out of memory":
            return room_meaning(about)
        case "cancelled":
            return "You gave this line up. What was on the shelf before it is still there."
        case "refused by PyTorch":
            return _refused(about)
        case _:
            return tr(failed.told)


def _refused(about: AboutFailure) -> str:
    if "DefaultCPUAllocator" in about.message:
        return room_meaning(about)
    for rule in _RULES:
        words = rule(about)
        if words:
            return words
    return tr(about.failed.told)
