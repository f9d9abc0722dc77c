"""What stands out among some results, as sentences with the cells they belong to."""

from collections.abc import Iterable, Mapping, Sequence

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.finding import Bar, Cell, Finding, Matter, cell_of, from_to
from gpuexplorer.copies.kin import Kin, kin_of
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.remarks import busy, faster, not_measured, pageable, unsteady
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.lab.events import Measured, Wrong

__all__ = ["Bar", "Cell", "Finding", "Matter", "findings", "the_rest", "wrong_in_words"]

_SLOWER = 0.9  # direct, of staged
_FAR_BELOW = 0.75  # of the median of its kin
_MOST_OF_THEM = 0.75  # of a card's paths: then it is the card
_ENOUGH_KIN = 3
_LOPSIDED = 0.85
_LARGE = 1 << 20  # below, rates say more of the beginning than of the wire
_LANES_ADVICE = "Reseat the card, or look for lane splitting in the firmware."


def findings(results: Iterable[CopyResult]) -> list[Finding]:
    """The gravest first. Small copies are left out where only rates are compared."""
    told = list(results)
    large = [each for each in told if each.job.bytes >= _LARGE and each.rate is not None]
    wrong = _wrong(told)
    slower = _direct_slower(large)
    narrow = _narrow(large)
    known = {cell for each in (*wrong, *slower, *narrow) for cell in each.cells}
    below = _far_below(large, known)
    known |= {cell for each in below for cell in each.cells}
    return [
        *wrong,
        *slower,
        *narrow,
        *below,
        *_asymmetric(large, known),
        *faster(large),
        *pageable(large),
        *busy(told),
        *unsteady(large),
        *not_measured(told),
    ]


def the_rest(results: Iterable[CopyResult], found: Iterable[Finding]) -> list[Kin]:
    """What nothing is to be said about, summed up by kind."""
    grave = {Matter.WRONG, Matter.DIRECT_SLOWER, Matter.NARROW, Matter.FAR_BELOW}
    known = {cell for each in found if each.matter in grave for cell in each.cells}
    plain = [
        each
        for each in results
        if cell_of(each) not in known and each.measured and not each.wrong
    ]
    return kin_of(plain)


def wrong_in_words(wrong: Wrong, size: int) -> str:
    came = "came as zeros" if wrong.zeros else "came otherwise than they were sent"
    return (
        f"In {wrong.rounds} of {wrong.checked} rounds, {_grouped(wrong.bytes)} of "
        f"{_grouped(size)} bytes {came}, the first at byte {_grouped(wrong.first)}. "
        "A wrong copy has no rate."
    )


def _wrong(results: Sequence[CopyResult]) -> list[Finding]:
    found: dict[Cell, Finding] = {}
    by_host = _all_staged(results)
    no_way = {cell_of(each) for each in results if each.wrong and direct_of(each) is False}
    for result in results:
        if not result.wrong or result.measured is None:
            continue
        cell = cell_of(result)
        if cell in found:
            continue
        sentence = "What arrived is not what was sent. A wrong copy has no rate."
        for wrong in result.measured.wrong:
            sentence = wrong_in_words(wrong, result.job.bytes)
        by_the_host = cell in no_way
        staged = None if by_the_host else by_host.get((cell, result.job.bytes))
        if staged is not None and staged.rate is not None and staged.measured is not None:
            sentence += _by_the_host(staged.measured, staged.rate)
        both = ", both ways at once" if result.job.both_ways else ""
        found[cell] = Finding(
            Matter.WRONG,
            f"arrives WRONG{both}",
            sentence,
            (cell,),
            hint=advice(*cell, staged=by_the_host),
            instead=staged,
            detour=HOST not in cell and not result.job.local and not by_the_host,
        )
    return list(found.values())


def _by_the_host(measured: Measured, rate: float) -> str:
    if measured.intact:
        return f" Through host memory it is intact: {gbs(rate)} GB/s."
    unsure = "modelled" if measured.modelled else "not checked"
    return f" Through host memory: {gbs(rate)} GB/s, {unsure}."


def _direct_slower(results: Sequence[CopyResult]) -> list[Finding]:
    found = []
    by_host = _all_staged(results)
    for result in results:
        if kind_of(result.job) is not Kind.ONE_WAY:
            continue
        staged = by_host.get((cell_of(result), result.job.bytes))
        direct = result.measured is not None and result.measured.direct is True
        if staged is None or not direct or not result.rate or not staged.rate:
            continue
        if result.rate < _SLOWER * staged.rate:
            limit = "" if result.limit is None else f" of {gbs(result.limit)}"
            found.append(
                Finding(
                    Matter.DIRECT_SLOWER,
                    "direct is slower here",
                    f"{gbs(staged.rate)}{limit} GB/s staged, {gbs(result.rate)} direct. "
                    "PyTorch takes the direct path as soon as there is one.",
                    (cell_of(result),),
                    bars=(
                        Bar("staged", staged.rate, result.limit),
                        Bar("direct", result.rate, result.limit),
                    ),
                    instead=staged,
                )
            )
    return found


def _narrow(results: Sequence[CopyResult]) -> list[Finding]:
    of_device: dict[str, list[CopyResult]] = {}
    for result in results:
        if result.route is not None and kind_of(result.job) is Kind.ONE_WAY:
            for device in result.route.narrow:
                of_device.setdefault(device, []).append(result)
    # Where copies are faster than that, the link has woken up since it was read.
    return [
        _narrow_one(device, group)
        for device, group in of_device.items()
        if max(each.share or 0.0 for each in group) <= 1.0
    ]


def _narrow_one(device: str, group: Sequence[CopyResult]) -> Finding:
    rates = [each.rate for each in group if each.rate is not None]
    route = next(each.route for each in group if each.route is not None)
    notes = route.note.split("; ")
    note = next(each for each in notes if each.startswith(f"{device} "))
    runs, _, could = note.removeprefix(f"{device} ").partition(": ")
    limit = route.limit
    share = "" if not limit else f": {max(rates) / limit * 100:.0f} % of what that carries"
    return Finding(
        Matter.NARROW,
        runs,
        f"{from_to(rates)} GB/s on every PCIe path{share}. {could[:1].upper()}{could[1:]}.",
        tuple(dict.fromkeys(cell_of(each) for each in group)),
        (device,),
        _LANES_ADVICE,
        (Bar("measured", max(rates), limit),),
    )


def _far_below(results: Sequence[CopyResult], known: set[Cell]) -> list[Finding]:
    low: list[tuple[CopyResult, Kin]] = []
    among: list[CopyResult] = []
    for kin in kin_of(results):
        if len(kin.results) < _ENOUGH_KIN or not kin.rate:
            continue
        among += kin.results
        low += [
            (each, kin)
            for each in kin.results
            if (each.rate or 0.0) < _FAR_BELOW * kin.rate and cell_of(each) not in known
        ]
    found = []
    left = low
    for device in dict.fromkeys(name for each, _ in low for name in cell_of(each)):
        own = [pair for pair in left if device in cell_of(pair[0])]
        all_own = [each for each in among if device in cell_of(each) and not each.job.local]
        if len(own) >= _ENOUGH_KIN and len(own) >= _MOST_OF_THEM * len(all_own):
            left = [pair for pair in left if pair not in own]
            found.append(_low_device(device, own))
    return found + [_low_pair(each, kin) for each, kin in left]


def _low_device(device: str, own: Sequence[tuple[CopyResult, Kin]]) -> Finding:
    rates = [each.rate for each, _ in own if each.rate is not None]
    usual = [kin.rate for _, kin in own if kin.rate is not None]
    return Finding(
        Matter.FAR_BELOW,
        "is slower than its kin",
        f"{from_to(rates)} GB/s on {len(own)} paths, where others reach {from_to(usual)}.",
        tuple(dict.fromkeys(cell_of(each) for each, _ in own)),
        (device,),
        "Look at its slot, and at what else uses it.",
        (Bar("measured", max(rates)), Bar("others", max(usual))),
    )


def _low_pair(result: CopyResult, kin: Kin) -> Finding:
    assert result.rate is not None
    assert kin.rate is not None
    kind = kind_of(result.job)
    ways = "" if kind is Kind.ONE_WAY else f" ({kind.value})"
    return Finding(
        Matter.FAR_BELOW,
        "is far below its kin",
        f"{gbs(result.rate)} GB/s{ways}, where the median of {len(kin.results)} like it is "
        f"{gbs(kin.rate)} GB/s.",
        (cell_of(result),),
        bars=(Bar("measured", result.rate, result.limit), Bar("others", kin.rate)),
    )


def _asymmetric(results: Sequence[CopyResult], known: set[Cell]) -> list[Finding]:
    by_key = {(cell_of(each), _same(each)): each for each in results}
    found = []
    for (cell, same), result in by_key.items():
        back = by_key.get((cell[::-1], same))
        if back is None or result.job.local or {cell, cell[::-1]} & known:
            continue
        if kind_of(result.job) is not Kind.ONE_WAY or not result.rate or not back.rate:
            continue
        if result.rate < _LOPSIDED * back.rate:
            found.append(
                Finding(
                    Matter.ASYMMETRIC,
                    "is slower than the way back",
                    f"{gbs(result.rate)} GB/s there, {gbs(back.rate)} GB/s back.",
                    (cell, cell[::-1]),
                    bars=(
                        Bar("there", result.rate, result.limit),
                        Bar("back", back.rate, back.limit),
                    ),
                )
            )
    return found


def _all_staged(results: Iterable[CopyResult]) -> Mapping[tuple[Cell, int], CopyResult]:
    """Those that were staged on purpose."""
    return {
        (cell_of(each), each.job.bytes): each
        for each in results
        if each.job.mode == "staged" and each.rate is not None
    }


def _same(result: CopyResult) -> tuple[object, ...]:
    job = result.job
    return kind_of(job), job.bytes, job.pinned, job.pieces, job.beside


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")
