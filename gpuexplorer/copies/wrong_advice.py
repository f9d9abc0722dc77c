"""What to do about a copy that arrived wrong, by the way that its bytes took."""

from gpuexplorer.copies.asked_for import HOST

_THEN = "then measure again."
_BETWEEN = (
    "The IOMMU may redirect copies between cards: turn ACS off in the firmware or start Linux "
    f"with iommu=pt, try another driver, {_THEN}"
)
_PCIE = "look for PCIe errors of the card, its riser and the memory of the computer"
_STAGED = (
    "It went through host memory already, so no other way is left. Try another driver, start "
    f"Linux with iommu=pt, {_PCIE.replace('the card, its riser', 'both cards, their risers')}, "
    f"{_THEN}"
)
_WITH_HOST = f"Try another driver, start Linux with iommu=pt, {_PCIE}, {_THEN}"
_INSIDE_CARD = (
    "No wire takes part: look for errors of the card's memory (ECC), set its clocks back to "
    f"what its maker meant, try another driver, {_THEN}"
)
_INSIDE_HOST = f"No card takes part: test the memory of this computer, {_THEN}"


def advice(source: str, target: str, *, staged: bool) -> str:
    """`staged`: through host memory, whether on purpose or since there is no direct way."""
    if source == target:
        return _INSIDE_HOST if source == HOST else _INSIDE_CARD
    if HOST in (source, target):
        return _WITH_HOST
    return _STAGED if staged else _BETWEEN
