"""Reasons: why there is no figure, in the few words that fit in its place."""

from typing import assert_never

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.card_face import Mark


def short_reasons(absence: Absence) -> tuple[str, ...]:
    """At falling length; each is understood without the others."""
    match absence:
        case Absence.NOT_SUPPORTED:
            return ("not reported by this card", "not reported", "no figure")
        case Absence.NOT_IN_DRIVER:
            return ("not in this driver", "old driver")
        case Absence.NO_PERMISSION:
            return ("for administrators only", "no permission", "no access")
        case Absence.NEEDS_TWO:
            return ("with the next reading", "soon")
        case Absence.IMPOSSIBLE:
            return ("impossible figure", "impossible")
        case Absence.NO_PART:
            return ("none on this card", "none")
        case Absence.LOST:
            return ("card lost", "lost")
        case Absence.ASLEEP:
            return ("card asleep", "asleep")
        case Absence.NO_ANSWER:
            return ("no answer",)
        case Absence.NO_DRIVER:
            return ("no driver",)
        case Absence.MIG_ON:
            return ("known per instance only", "per instance")
        case Absence.IN_INSTANCE:
            return ("known for the whole card only", "whole card only")
        case Absence.SHARED_MEMORY:
            return ("the computer's memory", "shared")
        case Absence.WINDOWS_KEEPS_IT:
            return ("managed by Windows", "by Windows")
        case Absence.NO_NEW_SAMPLE:
            return ("nothing to measure", "nothing new")
        case Absence.REFUSED:
            return ("refused just now", "refused")
        case Absence.NOT_YET:
            return ("not read yet",)
        case Absence.NOT_ASKED:
            return ("not read",)
        case _:
            assert_never(absence)


def state_mark(state: CardState) -> Mark | None:
    """What stands beside the name of a card that gives no figures."""
    match state:
        case CardState.WORKING:
            return None
        case CardState.ASLEEP:
            return Mark("Asleep", Tone.QUIET, Icon.ASLEEP)
        case CardState.LOST:
            return Mark("Lost", Tone.BAD, Icon.LOST)
        case CardState.NO_ANSWER:
            return Mark("No answer", Tone.WARN, Icon.SILENT)
        case CardState.NO_DRIVER:
            return Mark("No driver", Tone.BAD, Icon.LOST)
        case _:
            assert_never(state)


def as_sentence(words: str) -> str:
    """ "card lost" becomes "Card lost."."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
