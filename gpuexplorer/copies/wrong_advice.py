"""What to do about a copy that arrived wrong, by the way that its bytes took."""

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.core.words import Message


def advice(source: str, target: str, *, staged: bool) -> Message:
    """`staged`: through host memory, whether on purpose or since there is no direct way."""
    if source == target == HOST:
        return Message(
            "No card takes part: test the memory of the computer, then measure again."
        )
    if source == target:
        return Message(
            "No wire takes part: look for errors of the card's memory (ECC), set its clocks "
            "back to what its maker meant, try another driver, then measure again."
        )
    if HOST in (source, target):
        return Message(
            "Try another driver, start Linux with iommu=pt, look for PCIe errors of the card, "
            "its riser and the memory of the computer, then measure again."
        )
    if staged:
        return Message(
            "It went through host memory already, so no other way is left. Try another driver, "
            "start Linux with iommu=pt, look for PCIe errors of both cards, their risers and "
            "the memory of the computer, then measure again."
        )
    return Message(
        "The IOMMU may redirect copies between cards: turn ACS off in the firmware or start "
        "Linux with iommu=pt, try another driver, then measure again."
    )
