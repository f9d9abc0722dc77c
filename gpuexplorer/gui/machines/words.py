"""What is said of a machine and of its cards among many."""

from collections import Counter
from collections.abc import Sequence

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW, TEMPERATURE
from gpuexplorer.core.units import Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.gui.cards.programs import cards_counted, processes_counted
from gpuexplorer.gui.cards.reasons import short_reasons, span_words
from gpuexplorer.gui.state.groups.group import CardCell, HostGroup
from gpuexplorer.gui.state.machine_words import standing_sign, standing_words
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

IDLE_MEANS = mark(
    "Idle is 0 % busy right now. Cards on which somebody holds memory stand further down."
)


def state_words(group: HostGroup) -> str:
    """ "Connected", "No connection for 2 min"."""
    words = standing_words(group.standing)
    if group.standing is Standing.BROKEN:
        return tr("{state} for {span}", state=words, span=span_words(group.for_seconds))
    return words


def state_sign(group: HostGroup) -> tuple[Icon, Tone] | None:
    """Nothing where it answers."""
    return None if group.standing.answers else standing_sign(group.standing)


def state_sentence(group: HostGroup) -> str:
    """The same with the reason and the way out, or that it has no card."""
    words, retry = state_words(group), ""
    if group.standing.answers:
        return words if group.cards else tr("{state}, no card", state=words)
    if group.retry_in is not None:
        retry = tr("Next try in {span}.", span=span_words(group.retry_in))
    why = paragraph((group.why, group.hint, retry)).replace("`", "")
    return tr("{state}: {why}", state=words, why=why) if why else words


def remark_on(group: HostGroup) -> str:
    """Beside its name: what is wrong there, how old its figures are, how many cards idle."""
    if not group.standing.answers:
        return state_words(group)
    parts = [state_words(group)] if group.standing is Standing.HERE else []
    if group.simulated:
        parts.append(tr("simulated"))
    if group.late is not None:
        parts.append(age_words(group.late))
    parts += wrong_words(group)[:1]
    if group.together.idle:
        parts.append(trn("{count} idle", "{count} idle", group.together.idle))
    if group.place:
        parts.append(group.place)
    return " · ".join(parts)


def wrong_words(group: HostGroup) -> Sequence[str]:
    """Of its cards, the gravest first, and what fires there."""
    counts = Counter(cell.mark for cell in group.cards if cell.mark is not None)
    grave = sorted(counts, key=lambda each: each.tone is not Tone.BAD)
    said = [
        tr("{count} × {mark}", count=counts[each], mark=each.word)
        if counts[each] > 1
        else each.word
        for each in grave
    ]
    return [*said, *group.alerts]


def age_words(seconds: float) -> str:
    return tr("{span} old", span=span_words(seconds))


def cell_words(cell: CardCell, group: HostGroup, units: Units) -> str:
    """All of it in one line: for the line below the map, a pointer and a screen reader."""
    name = tr("{machine}, card {number}", machine=group.name, number=cell.number)
    name = ", ".join(filter(None, (name, cell.name)))
    if not group.standing.answers:
        return f"{name}: {state_words(group)}"
    said = []
    if cell.state is not CardState.WORKING:
        said.append(tr(cell.state.sentence))
    elif cell.mark is not None:
        said.append(cell.mark.word)
    if cell.values:
        said += _figures(cell, units)
    elif cell.state is CardState.WORKING:
        said.append(tr("not read yet"))
    if group.late is not None:
        said.append(age_words(group.late))
    return f"{name}: {', '.join(said)}" if said else name


def _figures(cell: CardCell, units: Units) -> Sequence[str]:
    said = []
    busy = cell.values.get(GPU_UTILIZATION)
    if busy is not None:
        said.append(tr("idle") if busy == 0 else tr("{share} busy", share=ratio(busy)))
    free, total = cell.memory_free, cell.memory_total
    if free is not None and total:
        part, whole = (part_of_memory(each, total, units) for each in (free, total))
        size = f"{trimmed(whole.number)} {whole.unit}"
        said.append(tr("{free} of {total} free", free=trimmed(part.number), total=size))
    said += [
        str(quantity(METRICS[each], cell.values[each], units))
        for each in (TEMPERATURE, POWER_DRAW)
        if each in cell.values
    ]
    if busy is None:
        absence = cell.missing.get(GPU_UTILIZATION)
        why = tr("not read") if absence is None else tr(absence.sentence)
        label = tr(METRICS[GPU_UTILIZATION].label)
        said.append(tr("{label}: {reason}", label=label, reason=why))
    if cell.users is not None:
        said.append(tr("used by {users}", users=users_words(cell)))
    return said


def short_reason(cell: CardCell, group: HostGroup) -> tuple[str, ...]:
    """At falling length, where there is room for it; nothing where all cards say the same."""
    if not group.standing.answers:
        return ()
    if cell.state is not CardState.WORKING:
        return (tr(cell.state.word),)
    absence = cell.missing.get(GPU_UTILIZATION)
    return (tr("not read"),) if absence is None else short_reasons(absence)


def free_words(cell: CardCell, units: Units) -> str:
    """In a large cell, below the figure."""
    free, total = cell.memory_free, cell.memory_total
    if free is None or not total:
        return ""
    read = part_of_memory(free, total, units)
    return tr("{free} {unit} free", free=read.number, unit=read.unit)


def users_words(cell: CardCell) -> str:
    """Who uses it; "nobody" only where that is known."""
    if cell.users is None:
        return tr("not known")
    if not cell.processes and not cell.users:
        return tr("nobody")
    names = listed(sorted(cell.users)) if cell.users else tr("somebody")
    if not cell.processes:
        return names
    return tr("{users} ({processes})", users=names, processes=processes_counted(cell.processes))


def summary(shown: Sequence[HostGroup], groups: Sequence[HostGroup]) -> str:
    """ "30 machines, 240 cards"; of what is found, how much of all that is."""
    cards, every = (sum(len(each.cards) for each in some) for some in (shown, groups))
    machines = trn("{count} machine", "{count} machines", len(shown))
    parts = [tr("{machines}, {cards}", machines=machines, cards=cards_counted(cards))]
    if len(shown) < len(groups) or cards < every:
        parts = [
            tr(
                "{cards} on {machines}, of {every} on {all}",
                cards=cards_counted(cards),
                machines=machines,
                every=every,
                all=len(groups),
            )
        ]
    simulated = sum(group.simulated for group in groups)
    if simulated:
        parts.append(trn("{count} machine simulated", "{count} machines simulated", simulated))
    away = sum(not group.standing.answers for group in groups)
    if away:
        parts.append(trn("{count} without a connection", "{count} without a connection", away))
    return " · ".join(parts)
