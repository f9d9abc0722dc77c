"""CureFace: a way on after an error, with its price before it is pressed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import listed, tr
from gpuexplorer.gui.wording.lab.amounts import bytes_words, seconds_words
from gpuexplorer.lab.cure import Copying, Cure
from gpuexplorer.lab.expected import Expected

# How long a copy would take; None where nobody can tell.
Expect = Callable[[Copying], Expected | None]


@dataclass(frozen=True, slots=True)
class CureFace:
    """`sources` and `target` are devices by PyTorch's names; empty where nothing is moved."""

    lines: tuple[str, ...]
    price: str
    sources: tuple[str, ...] = ()
    target: str = ""

    @property
    def words(self) -> str:
        """For screen readers."""
        path = ""
        if self.target:
            sources = listed(self.sources)
            path = tr("From {sources} to {target}", sources=sources, target=self.target)
        said = ["; ".join(self.lines), self.price, path]
        return ". ".join(each for each in said if each)


def cure_face(cure: Cure, expect: Expect, units: Units = USUAL) -> CureFace:
    if cure.copies:
        return CureFace(
            cure.lines,
            _price_of_copies(cure.copies, expect, units),
            tuple(dict.fromkeys(each.source for each in cure.copies)),
            cure.copies[0].target,
        )
    if cure.frees_bytes:
        frees = bytes_words(cure.frees_bytes, units)
        price = tr("Gives back {size}; then the line again", size=frees)
        if not cure.enough:
            price = tr(
                "Gives back {size}, which alone is not enough; then the line again", size=frees
            )
        return CureFace(cure.lines, price)
    if cure.halves:
        price = tr("Half the bytes, and about three digits in place of seven")
        return CureFace(cure.lines, price)
    return CureFace(cure.lines, tr(cure.label))


def _price_of_copies(copies: Sequence[Copying], expect: Expect, units: Units) -> str:
    sizes = [bytes_words(each.bytes, units) for each in copies]
    said = " + ".join(sizes)
    if len(set(sizes)) == 1 and len(sizes) > 1:
        said = f"{len(sizes)} × {sizes[0]}"
    expected = [expect(each) for each in copies]
    known = [each for each in expected if each is not None]
    target = copies[0].target
    if len(known) < len(copies):
        if target == "cpu":
            return tr("{sizes}; then it runs on the processor", sizes=said)
        return tr("{sizes}; then it runs on {device}", sizes=said, device=target)
    ways = listed(list(dict.fromkeys(each.way for each in known)))
    time = seconds_words(sum(each.seconds for each in known))
    if target == "cpu":
        return tr(
            "{sizes} over {ways}, about {time}; then it runs on the processor",
            sizes=said,
            ways=ways,
            time=time,
        )
    return tr(
        "{sizes} over {ways}, about {time}; then it runs on {device}",
        sizes=said,
        ways=ways,
        time=time,
        device=target,
    )
