"""Lines that a new worker is not given, since their card is lost."""

from collections.abc import Sequence

from gpuexplorer.core.words import NOTHING, Message


def left_out_words(numbers: Sequence[int], cards: Sequence[str]) -> Message:
    """Empty where there are none."""
    if not numbers:
        return NOTHING
    return Message.counted(
        "Line {lines} needs a card that is lost ({cards}) and is left out.",
        "Lines {lines} need a card that is lost ({cards}) and are left out.",
        len(numbers),
        lines=", ".join(str(each) for each in numbers),
        cards=", ".join(cards),
    )
