"""Lines that a new worker is not given, since their card is lost."""

from collections.abc import Sequence

from gpuexplorer.gui.wording.lab.amounts import listed


def left_out_words(numbers: Sequence[int], cards: Sequence[str]) -> str:
    """ "Lines 2 and 4 need cuda:1 and are left out." Empty where there are none."""
    if not numbers:
        return ""
    named = " or ".join(cards)
    if len(numbers) == 1:
        return f"Line {numbers[0]} needs {named} and is left out."
    return f"Lines {listed([str(each) for each in numbers])} need {named} and are left out."
