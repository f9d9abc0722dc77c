"""What stands out among some results, as sentences with the cells they belong to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.finding import (
    Bar,
    Cell,
    Finding,
    Matter,
    cell_of,
    cells_of,
    from_to,
    unit_of,
)
from gpuexplorer.copies.kin import Kin, kin_of
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.remarks import (
    busy,
    faster,
    fewer_bytes,
    not_at_once,
    not_measured,
    pageable,
    unsteady,
)
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Narrow
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.units import grouped
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Measured, Wrong

__all__ = ["Bar", "Cell", "Finding", "Matter", "findings", "the_rest", "wrong_in_words"]

_SLOWER = 0.9  # direct, of staged
_FAR_BELOW = 0.75  # of the median of its kin
_MOST_OF_THEM = 0.75  # of a card's paths: then it is the card
_ENOUGH_KIN = 3
_LOPSIDED = 0.85
_LARGE = 1 << 20  # below, rates say more of the beginning than of the wire
_LANES_ADVICE = Message("Reseat the card, or look for lane splitting in the firmware.")
_MEASURED, _OTHERS = Message("Measured"), Message("Others")


def findings(results: Iterable[CopyResult]) -> list[Finding]:
    """The gravest first. Small copies, and those within a cache, are left out where only rates
    are compared.
    """
    told = list(results)
    large = [
        each
        for each in told
        if each.job.bytes >= _LARGE and each.rate is not None and not each.in_cache
    ]
    wrong = _wrong(told)
    slower = list(_direct_slower(large))
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
        *not_at_once(told),
        *fewer_bytes(told),
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


def wrong_in_words(wrong: Wrong, size: int) -> Message:
    values = {
        "rounds": wrong.rounds,
        "checked": wrong.checked,
        "wrong": grouped(wrong.bytes),
        "size": grouped(size),
        "first": grouped(wrong.first),
    }
    if wrong.zeros:
        return Message(
            "In {rounds} of {checked} rounds, {wrong} of {size} bytes came as zeros, the first "
            "at byte {first}. A wrong copy has no rate.",
            **values,
        )
    return Message(
        "In {rounds} of {checked} rounds, {wrong} of {size} bytes came otherwise than they "
        "were sent, the first at byte {first}. A wrong copy has no rate.",
        **values,
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
        sentence = Message("What arrived is not what was sent. A wrong copy has no rate.")
        for wrong in result.measured.wrong:
            sentence = wrong_in_words(wrong, result.bytes)
        by_the_host = cell in no_way
        staged = None if by_the_host else by_host.get((cell, result.job.bytes))
        if staged is not None and staged.rate is not None and staged.measured is not None:
            sentence = told(sentence, _by_the_host(staged.measured, staged.rate))
        both = result.job.both_ways
        title = Message("Arrives WRONG")
        found[cell] = Finding(
            Matter.WRONG,
            Message("Arrives WRONG, both ways at once") if both else title,
            sentence,
            (cell,),
            hint=advice(*cell, staged=by_the_host),
            instead=staged,
            both_ways=both,
            detour=HOST not in cell and not result.job.local and not by_the_host,
        )
    return list(found.values())


def _by_the_host(measured: Measured, rate: float) -> Message:
    if measured.intact:
        return Message("Through host memory it is intact: {rate} GB/s one way.", rate=gbs(rate))
    if measured.modelled:
        return Message("Through host memory: {rate} GB/s one way, modelled.", rate=gbs(rate))
    return Message("Through host memory: {rate} GB/s one way, not checked.", rate=gbs(rate))


def _direct_slower(results: Sequence[CopyResult]) -> Iterator[Finding]:
    by_host = _all_staged(results)
    for result in results:
        if kind_of(result.job) is not Kind.ONE_WAY:
            continue
        staged = by_host.get((cell_of(result), result.job.bytes))
        direct = result.measured is not None and result.measured.direct is True
        if staged is None or not direct or not result.rate or not staged.rate:
            continue
        if result.rate < _SLOWER * staged.rate:
            yield Finding(
                Matter.DIRECT_SLOWER,
                Message("Direct is slower here"),
                _direct_against(staged.rate, result.rate, result.limit),
                (cell_of(result),),
                bars=(
                    Bar(Message("Staged"), staged.rate, result.limit),
                    Bar(Message("Direct"), result.rate, result.limit),
                ),
                instead=staged,
            )


def _direct_against(staged: float, direct: float, limit: float | None) -> Message:
    rates = {"staged": gbs(staged), "direct": gbs(direct)}
    if limit is None:
        return Message(
            "Staged {staged} GB/s one way, direct {direct}. PyTorch takes the direct path as "
            "soon as there is one.",
            **rates,
        )
    return Message(
        "Staged {staged} of {limit} GB/s one way, direct {direct}. PyTorch takes the direct "
        "path as soon as there is one.",
        limit=gbs(limit),
        **rates,
    )


def _narrow(results: Sequence[CopyResult]) -> list[Finding]:
    of_device: dict[str, list[CopyResult]] = {}
    known: dict[str, Narrow] = {}
    for result in results:
        if result.route is not None and kind_of(result.job) is Kind.ONE_WAY:
            for each in result.route.narrow:
                of_device.setdefault(each.device, []).append(result)
                known.setdefault(each.device, each)
    # Where copies are faster than that, the link has woken up since it was read.
    return [
        _narrow_one(known[device], group)
        for device, group in of_device.items()
        if max(each.share or 0.0 for each in group) <= 1.0
    ]


def _narrow_one(narrow: Narrow, group: Sequence[CopyResult]) -> Finding:
    rates = [each.rate for each in group if each.rate is not None]
    limit = next((each.limit for each in group if each.route is not None), None)
    reached = Message("{rates} GB/s one way on every PCIe path.", rates=from_to(rates))
    if limit:
        reached = Message(
            "{rates} GB/s one way on every PCIe path: {share:.0f} % of what that carries.",
            rates=from_to(rates),
            share=max(rates) / limit * 100,
        )
    could = Message("The card could do {could}.", could=narrow.could)
    if narrow.slot:
        could = Message("Card and slot could do {could}.", could=narrow.could)
    return Finding(
        Matter.NARROW,
        Message("Runs at {runs}", runs=narrow.runs),
        told(reached, could),
        cells_of(group),
        (narrow.device,),
        _LANES_ADVICE,
        (Bar(_MEASURED, max(rates), limit),),
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
        Message("Slower than others of its kind"),
        Message(
            "{rates} {unit} on {paths} paths, where others reach {usual}.",
            rates=from_to(rates),
            unit=unit_of(each for each, _ in own),
            paths=len(own),
            usual=from_to(usual),
        ),
        cells_of(each for each, _ in own),
        (device,),
        _where_to_look([each for each, _ in own]),
        (Bar(_MEASURED, max(rates)), Bar(_OTHERS, max(usual))),
    )


def _where_to_look(results: Sequence[CopyResult]) -> Message:
    """Before its slot is blamed: was the memory of the host close to it?"""
    near = {
        each.measured.near
        for each in results
        if each.job.touches_host and each.measured is not None and not each.measured.modelled
    }
    if not near:
        return Message("Look at its slot, and at what else uses it.")
    if near == {True}:
        return Message(
            "The host's memory lay close to it, so look at its slot, and at what else uses it."
        )
    return Message(
        "It is not known whether the host's memory lay close to it; with several processors "
        "that alone can be the reason. If it is not, look at its slot, and at what else uses "
        "it."
    )


def _low_pair(result: CopyResult, kin: Kin) -> Finding:
    assert result.rate is not None
    assert kin.rate is not None
    kind = kind_of(result.job)
    values = {
        "rate": gbs(result.rate),
        "unit": unit_of([result]),
        "others": len(kin.results),
        "usual": gbs(kin.rate),
    }
    sentence = Message(
        "{rate} {unit}, where the median of {others} like it is {usual}.", **values
    )
    if kind is not Kind.ONE_WAY:
        sentence = Message(
            "{rate} {unit} ({kind}), where the median of {others} like it is {usual}.",
            kind=kind.value,
            **values,
        )
    return Finding(
        Matter.FAR_BELOW,
        Message("Far below others of its kind"),
        sentence,
        (cell_of(result),),
        bars=(Bar(_MEASURED, result.rate, result.limit), Bar(_OTHERS, kin.rate)),
    )


def _asymmetric(results: Sequence[CopyResult], known: set[Cell]) -> Iterator[Finding]:
    by_key = {(cell_of(each), _same(each)): each for each in results}
    for (cell, same), result in by_key.items():
        back = by_key.get((cell[::-1], same))
        if back is None or result.job.local or {cell, cell[::-1]} & known:
            continue
        if kind_of(result.job) is not Kind.ONE_WAY or not result.rate or not back.rate:
            continue
        if result.rate < _LOPSIDED * back.rate:
            yield Finding(
                Matter.ASYMMETRIC,
                Message("Slower than the way back"),
                Message(
                    "{there} GB/s there, {back} GB/s back.",
                    there=gbs(result.rate),
                    back=gbs(back.rate),
                ),
                (cell, cell[::-1]),
                bars=(
                    Bar(Message("There"), result.rate, result.limit),
                    Bar(Message("Back"), back.rate, back.limit),
                ),
            )


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
