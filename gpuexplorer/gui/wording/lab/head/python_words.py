"""The lab's Python in words: at the foot of the rail, and in the list to choose from."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import Card
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, listed, mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.lab.head.lab_summary import StageWords
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.torch_builds import Suits, flavour

NONE = mark("No Python of this computer has PyTorch.")
_MAKE_ONE = mark("Make one: `python3 -m venv lab`, then `lab/bin/pip install torch`.")


@dataclass(frozen=True, slots=True)
class FootFace:
    """`line` says which, `state` how it is."""

    line: str
    state: str
    tone: Tone
    lit: bool
    hint: str


@dataclass(frozen=True, slots=True)
class RowFace:
    """One Python of the list."""

    path: str
    what: str  # version and build
    suits: str
    tone: Tone
    usable: bool
    used: bool


def foot_face(
    python: LabPython | None,
    found: Sequence[LabPython],
    trouble: str,
    stage: StageWords,
    *,
    working: bool,
    simulated: bool,
    passed_over: str = "",
) -> FootFace:
    """`found`: those that were asked, for where none of them was taken yet. `passed_over` says
    why the one that was chosen is not used.
    """
    if python is None:
        if working:
            return FootFace(
                tr("Looking for one"), tr("with PyTorch"), Tone.QUIET, lit=False, hint=""
            )
        usable = sum(each.usable for each in found)
        if usable and passed_over:
            line = trn("{count} with PyTorch", "{count} with PyTorch", usable)
            state = tr("Not the one you chose")
            return FootFace(line, state, Tone.WARN, lit=False, hint=passed_over)
        if usable:
            said = tr("The lab takes the first of them when it runs its first line.")
            line = trn("{count} with PyTorch", "{count} with PyTorch", usable)
            return FootFace(line, stage.words, Tone.QUIET, lit=False, hint=said)
        trouble = trouble or (tr(NONE) if found else "")
        if trouble:
            return FootFace(
                tr("None with PyTorch"), tr("Choose one"), Tone.WARN, lit=False, hint=trouble
            )
        said = tr("No Python was looked for yet: the lab does when its first line is run.")
        return FootFace(tr("Not looked for yet"), stage.words, Tone.QUIET, lit=False, hint=said)
    version = ".".join(map(str, python.version)) or "Python"
    torch = "" if python.build is None else f", torch {_bare(python.build.version)}"
    tone = Tone.QUIET if stage.tone is Tone.TEXT else stage.tone
    state = stage.words
    if simulated and tone is Tone.QUIET:
        state = tr("{state}, virtual cards", state=state)
    hint = f"{tr(python.label)}\n{stage.sentence}"
    if passed_over:
        state, tone = tr("Not the one you chose"), Tone.WARN
        hint = f"{hint}\n{passed_over}"
    return FootFace(f"{version}{torch}", state, tone, stage.lit, hint)


def row_face(
    python: LabPython,
    used: LabPython | None,
    cards: Sequence[Card],
    driver: str | None,
    simulated: bool,
    hello: Hello | None,
) -> RowFace:
    """`hello`: what the one that is used said when it started."""
    is_used = used is not None and used.path == python.path
    number = ".".join(map(str, python.version))
    what = [f"Python {number}" if number else "Python"]
    if python.build is not None:
        what.append(tr(python.build.label))
    suits = _suits(python, cards, driver, simulated)
    said = [tr(each) for each in (suits.sentence, suits.do) if each]
    if is_used and hello is not None:
        names = [each.name for each in hello.devices if each.usable]
        said.append(tr("It offers {devices}.", devices=listed(names)))
    tone = _TONES[suits.verdict] if python.usable else Tone.FAINT
    return RowFace(
        str(python.path), ", ".join(what), " ".join(said), tone, python.usable, is_used
    )


def one_of_each(pythons: Sequence[LabPython], used: LabPython | None) -> Sequence[LabPython]:
    """`python` and `python3` of one environment are the same; the one in use stays."""
    found: dict[str, LabPython] = {}
    for each in pythons:
        key = each.prefix or str(each.path)
        if key not in found or (used is not None and each.path == used.path):
            found[key] = each
    return list(found.values())


def way_to_torch(cards: Sequence[Card], driver: str | None, simulated: bool) -> str:
    """What to do where no Python has PyTorch."""
    made = tr(_MAKE_ONE)
    if simulated or not cards:
        return f"{made} {tr('For simulated cards every build will do.')}"
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    suited = flavour(driver, capabilities)
    if suited is None:
        return f"{made} {tr('No single build suits all these cards and this driver.')}"
    build = tr("The build for CUDA {cuda} suits these cards and this driver.", cuda=suited)
    return f"{made} {build}"


def _suits(
    python: LabPython, cards: Sequence[Card], driver: str | None, simulated: bool
) -> Suits:
    if simulated and python.usable:
        return Suits(Verdict.FINE, Message("It suits the simulated cards."))
    return python.fits(cards, driver)


def _bare(version: str) -> str:
    """2.13.0+cpu is 2.13.0."""
    return version.partition("+")[0]


_TONES = {
    Verdict.FINE: Tone.QUIET,
    Verdict.LOOK: Tone.QUIET,
    Verdict.BROKEN: Tone.WARN,
}
