"""What is said of a cell: why it failed, what it cost, and what of its output is shown."""

from collections import defaultdict
from collections.abc import Sequence

from gpuexplorer.core.units import USUAL, Units, bytes_words, duration
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Failed, Span, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.printed import clean, shortened

DOT = " \N{MIDDLE DOT} "  # between short labels
_MOST_COPIES = 4  # groups of them that are told one by one
_WORTH_WAITING = 1e-3  # seconds
_WORTH_COMPARING = 1e-4  # seconds that a card worked
_WITHOUT_PAUSES = 0.9  # of a stretch: in the rest of it a card may have rested
_OFTEN = 3  # copies of one line, from which on it is a loop that waits
# So much that nobody named is no rounding of PyTorch's to whole blocks.
_WORTH_TELLING = 2 << 20
_LETTERS_A_ROW = 250
_BRIEFLY = {
    "cancelled": mark("Cancelled."),
    "out of memory": mark("Does not fit."),
    "devices differ": mark("Tensors are on different devices."),
    "bad request": mark("Not carried out."),
    "refused by PyTorch": mark("Refused by PyTorch."),
    "device broken": mark("The card broke off."),
    "device assert": mark("A check on the card failed."),
    "device lost": mark("The card is lost."),
    "worker lost": mark("Lost with its worker."),
}


def briefly(failed: Failed) -> str:
    """Why, in a few words."""
    return tr(_BRIEFLY.get(failed.cause, mark("Failed.")))


def outcome(cell: Cell, ledger: Ledger, units: Units = USUAL) -> tuple[str, Tone]:
    """What became of it."""
    cured = None if cell.cures is None else ledger.cell(cell.cures)
    said = [] if cured is None else [tr("Cures cell {number}.", number=cured.number)]
    match cell.state:
        case "waiting":
            return tr("Waits for its turn"), Tone.FAINT
        case "running":
            return tr("Running"), Tone.QUIET
        case "failed" | "cancelled" if cell.failed is not None:
            cure = None if cell.cured_by is None else ledger.cell(cell.cured_by)
            cured_by = [tr("Cured by cell {number}.", number=cure.number)] if cure else []
            said += [briefly(cell.failed), *cured_by, tr("Excluded from the saved script.")]
            return " ".join(said), Tone.BAD if cell.state == "failed" else Tone.QUIET
        case _:
            wrong = any(each.intact is False for each in cell.transfers)
            rows = [*said, *cost_rows(cell, units)]
            return "\n".join(rows), Tone.BAD if wrong else Tone.QUIET


def cost_rows(cell: Cell, units: Units = USUAL) -> list[str]:
    """None where a cell that is done cost nothing that is worth a word."""
    copies = [each for each in cell.transfers if not each.already_there]
    wrong = dict.fromkeys(each.target for each in copies if each.intact is False)
    rows = [tr("Arrived WRONG on {device}, see Copies", device=each) for each in wrong]
    rows += [*_copied(cell, copies, units), *_held(cell, copies, units), *_at_once(cell.spans)]
    return rows or ([tr("Already there, nothing copied")] if cell.transfers else [])


def shown_rows(text: str, most: int) -> tuple[list[str], int]:
    """The first and the last so many, and how many are left out between them."""
    half, room = most // 2, most * _LETTERS_A_ROW
    count = text.count("\n") + (not text.endswith("\n"))
    if len(text) > 2 * room:  # every piece that comes would cost as much as all before it
        text = f"{text[:room]}\n{text[-room:]}"
    rows = clean(text.removesuffix("\n")).split("\n")
    if len(rows) > most:
        rows = [*rows[:half], *rows[-half:]]
    return [shortened(each) for each in rows], max(0, count - len(rows))


def calls_to(failed: Failed, cell: Cell, ledger: Ledger) -> list[str]:
    """The person's own functions on the way to the error; the cell's own line is marked."""
    told = []
    for each in failed.frames:
        if each.name or each.cell != cell.number:
            home = ledger.by_number(each.cell)
            lines = [] if home is None else home.code.split("\n")
            code = lines[each.line - 1] if 0 < each.line <= len(lines) else ""
            where = {"name": each.name or "…", "cell": each.cell, "line": each.line}
            line = shortened(clean(code.strip()))
            told.append(tr("in {name}, cell {cell}, line {line}: {code}", code=line, **where))
    return told


def _copied(cell: Cell, copies: Sequence[Transferred], units: Units) -> list[str]:
    """Those of one line, one way, and for one cause together."""
    groups = defaultdict[tuple[object, ...], list[Transferred]](list)
    for each in copies:
        key = (each.cell, each.line, each.source, each.target, each.asked, each.within)
        groups[key].append(each)
    told = list(groups.values())
    rows = [_group(cell, each, units) for each in told[:_MOST_COPIES]]
    rest = [one for each in told[_MOST_COPIES:] for one in each]
    if rest:
        size = bytes_words(sum(each.bytes for each in rest), units)
        count = sum(each.copies for each in rest)
        rows.append(
            trn("{count} more copy, {size}", "{count} more copies, {size}", count, size=size)
        )
    return rows


def _group(cell: Cell, copies: Sequence[Transferred], units: Units) -> str:
    one, count = copies[0], sum(each.copies for each in copies)
    parts = [
        trn(
            "Copied {size}, {source} → {target}",
            "{count} copies, {size}, {source} → {target}",
            count,
            size=bytes_words(sum(each.bytes for each in copies), units),
            source=one.source,
            target=one.target,
        )
    ]
    if one.cell != cell.number and one.line:
        parts.append(tr("cell {cell}, line {line}", cell=one.cell, line=one.line))
    elif "\n" in cell.code and one.line:
        parts.append(tr("line {line}", line=one.line))
    if one.what and not one.asked:
        parts.append(tr("by {code}", code=one.what))
    if one.within and not one.asked:
        parts.append(tr("in {module}", module=one.within))
    waited = sum(each.host_seconds or 0.0 for each in copies if each.blocking)
    if one.target == "cpu" and waited >= _WORTH_WAITING:
        long = mark("Python waited {time} for {device} and gave no card new work meanwhile")
        short = one.thread or count < _OFTEN
        said = mark("host waited {time}") if short else long
        parts.append(tr(said, time=duration(waited), device=one.source))
    return DOT.join(parts)


def _at_once(spans: Sequence[Span]) -> list[str]:
    """Whether cards worked at the same time; nothing where that cannot be told."""
    worked = [each for each in spans if not each.waits_for and each.device != "cpu"]
    busy = defaultdict[str, float](float)
    for each in worked:
        busy[each.device] += each.busy
    cards = sorted(card for card, seconds in busy.items() if seconds >= _WORTH_COMPARING)
    worked = [each for each in worked if each.device in cards]
    length = sum(each.end - each.begin for each in worked)
    if len(cards) < 2 or sum(each.busy for each in worked) < _WITHOUT_PAUSES * length:
        return []
    edges = [(each.begin, 1) for each in worked] + [(each.end, -1) for each in worked]
    together = whole = last = 0.0
    working = 0
    for moment, change in sorted(edges):
        whole += (moment - last) if working else 0.0
        together += (moment - last) if working > 1 else 0.0
        working, last = working + change, moment
    if together < _WORTH_COMPARING / 10:
        return [tr("{cards} worked one after the other", cards=listed(cards))]
    shared, wide = duration(together), duration(whole)
    both = mark("{cards} worked at the same time for {shared} of {whole}")
    many = mark("{count} cards worked, two or more at the same time for {shared} of {whole}")
    few = {"count": len(cards), "cards": listed(cards), "whole": wide}
    same = shared.number if shared.unit == wide.unit else shared
    return [tr(many if len(cards) > 2 else both, shared=same, **few)]


def _held(cell: Cell, copies: Sequence[Transferred], units: Units) -> list[str]:
    rows = []
    known = {*cell.names_before, *cell.shares}
    fresh = [each for each in cell.placed.values() if each.name not in known]
    size = sum(each.bytes for each in fresh if each.device == "cpu" and not each.same_as)
    if size and not copies:
        rows.append(tr("{size} on the host", size=bytes_words(size, units)))
    grown = [each for each in cell.memory_after if cell.allocated_bytes(each)]
    for device in cell.memory_after:
        parts = _on_card(cell, copies, device, units)
        if parts:
            rows.append(DOT.join(([device] if len(grown) > 1 else []) + parts))
    for each in cell.placed.values():
        other = {"name": each.name, "other": each.same_as or cell.shares.get(each.name, "")}
        if each.same_as:
            rows.append(tr("{name} is the very same object as {other}", **other))
        elif each.name in cell.shares:
            rows.append(tr("No new memory, {name} shares that of {other}", **other))
    return rows


def _on_card(cell: Cell, copies: Sequence[Transferred], device: str, units: Units) -> list[str]:
    """As the courses count it: tensors, then the cache, then the context."""
    before, after = cell.memory_before.get(device), cell.memory_after[device]
    came = cell.allocated_bytes(device)
    cache = (after.reserved_bytes or 0) - ((before and before.reserved_bytes) or 0)
    context = (after.context_bytes or 0) - ((before and before.context_bytes) or 0)
    parts = []
    if came < 0:
        parts.append(tr("{size} back to PyTorch's cache", size=bytes_words(-came, units)))
    elif came > 0 and not any(each.target == device for each in copies):
        parts += _allocated(cell, device, came, units)
        if cache == 0:
            parts.append(tr("out of the cache"))
    if context > 0:
        parts.append(tr("context {size}", size=bytes_words(context, units)))
    if cache > 0:
        parts.append(tr("cache +{size}", size=bytes_words(cache, units)))
    elif cache < 0:
        parts.append(tr("{size} of cache back to the card", size=bytes_words(-cache, units)))
    return parts


def _allocated(cell: Cell, device: str, came: int, units: Units) -> list[str]:
    """PyTorch hands out whole blocks; what is shown is what the tensors themselves take."""
    here = [each for each in cell.placed.values() if each.device == device]
    held = [part for each in here for part in each.holds]
    rest = came - sum(part.bytes for part in held if part.device == device)
    named = sum(each.bytes for each in here if each.name not in cell.names_before)
    if named:
        parts = [tr("{size} allocated", size=bytes_words(named, units))]
        if rest > _WORTH_TELLING:
            parts.append(tr("{size} unnamed", size=bytes_words(rest, units)))
        return parts
    if any(part.what == "gradients" for part in held):
        return [tr("{size} of gradients", size=bytes_words(came, units))]
    return [tr("{size} unnamed", size=bytes_words(came, units))]
