"""What is to be said of one copy, what would help, and the cell's own code changed such that it
copies less; its remarks and its layout stay.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gpuexplorer.copies.copy_book import CopyBook, sums_of
from gpuexplorer.copies.findings import advice
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import called_in_words
from gpuexplorer.core.units import USUAL, Units, bytes_words, duration
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.moving.moved import Moved
from gpuexplorer.lab.cell_source import NO_PROGRAM, Edit, Source, plain

SMALL = mark("At this size, latency dominates.")
_OFTEN = 3  # copies of one line, from which on it is a loop that waits
_HELD_UP = mark(
    "Python runs one line at a time (its interpreter lock): while it waited for {device}, this "
    "line gave no card new work."
)
_READING = frozenset({"item", "tolist", "cpu", "numpy"})
_CASTING = frozenset({"float", "int", "bool"})
_MOVING = frozenset({"to", "cuda"})


@dataclass(frozen=True, slots=True)
class Said:
    """`code` is the cell, cured; empty where a word is all there is."""

    place: str = ""  # "3:2": line 2 of cell 3
    sentence: str = ""
    cure: str = ""
    before: str = ""  # the cell as it is
    code: str = ""
    asked: bool = True
    bad: bool = False


def said_of(book: CopyBook, moved: Moved, units: Units = USUAL) -> Said:
    place, target, source = moved.place, called_in_words(moved.target), moved.source
    whole, ends, asked = moved.whole, {"what": moved.names, "device": target}, moved.asked
    if moved.wrong:
        arrived, staged = tr("{what} arrived WRONG on {device}.", **ends), moved.direct is False
        between = HOST not in (source, moved.target) and not staged
        code = code_by_host(whole, moved.line) if between else ""
        trust = tr("Until then trust nothing that went this way.")
        by_host = tr("Through host memory it may arrive: the cure does that.") if code else ""
        cure = paragraph((advice(source, moved.target, staged=staged), trust, by_host))
        return Said(place, arrived, cure, whole, code, asked, bad=True)
    if moved.already_there:
        there = tr("{what} is on {device} already: nothing was copied.", **ends)
        return Said(place, there, tr("The very same tensor comes back, and no time is lost."))
    sums = sums_of(book, moved.ran, units)
    found = next((each for each in sums if moved.number in each.rows), None)
    told = found is not None and not asked
    if found is not None and told:
        sentence = tr(found.sentence)
    else:
        sentence = trn(
            "{what} moved {size} from {source} to {target}.",
            "{what} moved {size} from {source} to {target} in {count} copies.",
            moved.copies,
            what=moved.names,
            size=bytes_words(moved.bytes, units),
            source=called_in_words(source),
            target=target,
        )
        if moved.seconds is not None:
            took = mark("It took {time}, modelled.")
            took = took if moved.modelled else mark("It took {time}.")
            took = tr(took, time=str(duration(moved.seconds)))
            sentence = paragraph((sentence, took))
    copies = moved.copies if found is None else found.copies
    if moved.target == HOST and moved.blocking and copies >= _OFTEN:
        sentence = paragraph((sentence, tr(_HELD_UP, device=source)))
    cure, code = "", ""
    if found is not None and (told or set(found.rows) == set(moved.numbers)):
        cure = tr(found.cure)
    if cure:
        code = cure_code(whole, moved.line, moved.how, asked=asked)
    elif moved.small:
        cure = tr(SMALL)
    return Said(place, sentence, cure, whole, code, asked)


def cure_code(code: str, line: int, how: str, *, asked: bool) -> str:
    """With cheaper copies in that line; empty where no code makes them."""
    if asked:
        return _changed_moves(code, line, ".pin_memory()", ", non_blocking=True")
    return _read_once(code, line) if how in _READING | _CASTING else ""


def code_by_host(code: str, line: int) -> str:
    """Through the host's memory; empty where the line moves in another way."""
    return _changed_moves(code, line, ".cpu()", "")


def _read(code: str) -> tuple[Source, ast.Module]:
    """Empty where it is no program."""
    try:
        tree = ast.parse(plain(code))
    except NO_PROGRAM:
        tree = ast.Module([], [])
    return Source(plain(code)), tree


def _changed_moves(code: str, line: int, before: str, word: str) -> str:
    """`X.to(…)` becomes `X.cpu().to(…)`, and takes one more word. Line 0: all of them."""
    source, tree = _read(code)
    edits: list[Edit] = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or line not in (0, call.lineno):
            continue
        function, words = call.func, {each.arg for each in call.keywords}
        if not isinstance(function, ast.Attribute) or function.attr not in _MOVING:
            continue
        if ast.unparse(function.value).startswith("torch.") or "non_blocking" in words:
            continue
        begin = source.span(function)[1] - len(function.attr) - 1
        close = source.span(call)[1]
        said = source.text(call)[:-1].rstrip()
        last = word.removeprefix(", ") if said[-1:] in "(," else word
        edits += [Edit(begin, begin, before), Edit(close - 1, close - 1, last)]
    return source.changed(edits) if edits else ""


def _read_once(code: str, line: int) -> str:
    """A loop that keeps what it read: it stays on the card, and all is read at the end."""
    source, tree = _read(code)
    fresh = {
        target.id
        for each in tree.body
        if isinstance(each, ast.Assign) and ast.unparse(each.value) == "[]"
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    for loop, name, value in _kept(tree, line):
        match value:
            case ast.Call(func=ast.Attribute(value=tensor, attr=word)) if word in _READING:
                pass
            case ast.Call(func=ast.Name(id=word), args=[tensor]) if word in _CASTING:
                pass
            case _:
                continue
        if name in fresh:
            end = source.begins[loop.end_lineno or loop.lineno] - 1
            kept = f"{ast.unparse(tensor)}.detach()"
            once = f"\n{name} = torch.stack({name}).tolist()"
            return source.changed([Edit(*source.span(value), kept), Edit(end, end, once)])
    return ""


def _kept(tree: ast.Module, line: int) -> Iterator[tuple[ast.For | ast.While, str, ast.expr]]:
    """What a loop puts into which list: `log.append(x)` and `log += [x]`."""
    loops = [each for each in tree.body if isinstance(each, ast.For | ast.While)]
    for loop, node in [(each, node) for each in loops for node in ast.walk(each)]:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]
            ) if line in (0, node.lineno):
                yield loop, name, value
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List(elts=[value])) if (
                line in (0, node.lineno)
            ):
                yield loop, name, value
