"""What is said of a machine and of its cards among many."""

from collections import Counter
from collections.abc import Sequence

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.catalogue import utilization
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.cards.process_words import cards_counted, gigabytes, processes_counted
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.state.groups.group import CardCell, HostGroup
from gpuexplorer.gui.state.machine_words import standing_sign, standing_words
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

_MANY = 100e9  # bytes
IDLE_MEANS = mark(
    "A card counts as idle when it answers and reports 0 % busy right now. Somebody may still"
    " hold memory on it: such cards stand further down, with the names of those who do."
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


def why_words(group: HostGroup) -> str:
    """The sentence with its way out; empty where it answers."""
    if group.standing.answers:
        return ""
    retry = ""
    if group.retry_in is not None:
        retry = tr("Next try in {span}.", span=span_words(group.retry_in))
    return paragraph((group.why, group.hint, retry))


def said_instead(group: HostGroup) -> str:
    """In the place of its cards, where it shows none."""
    if group.cards:
        return ""
    if group.standing.answers:
        return tr("No card answers.")
    return why_words(group) or tr("It has not answered yet.")


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
    marks = [cell.mark for cell in group.cards if cell.mark is not None]
    counts = Counter(marks)
    grave = sorted(counts, key=lambda each: each.tone is not Tone.BAD)
    said = [
        tr(each.several, count=counts[each]) if each.several and counts[each] > 1 else each.word
        for each in grave
    ]
    return [*said, *group.alerts]


def age_words(seconds: float) -> str:
    return tr("{span} old", span=span_words(seconds))


def cell_words(cell: CardCell, group: HostGroup, metric: MetricId, units: Units) -> str:
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
        said += _figures(cell, metric, units)
        said.append(users_words(cell))
    elif cell.state is CardState.WORKING:
        said.append(tr("not read yet"))
    if group.late is not None:
        said.append(age_words(group.late))
    return f"{name}: {', '.join(filter(None, said))}" if any(said) else name


def _figures(cell: CardCell, metric: MetricId, units: Units) -> Sequence[str]:
    said = []
    busy = cell.values.get(utilization.GPU_UTILIZATION)
    if busy is not None:
        said.append(tr("idle") if busy == 0 else tr("{share} busy", share=ratio(busy)))
    free, total = cell.memory_free, cell.memory_total
    if free is not None and total:
        part, whole = (part_of_memory(each, total, units) for each in (free, total))
        size = f"{trimmed(whole.number)} {whole.unit}"
        said.append(tr("{free} of {total} free", free=trimmed(part.number), total=size))
    said += [
        str(quantity(METRICS[each], cell.values[each], units))
        for each in (heat.TEMPERATURE, heat.POWER_DRAW)
        if each in cell.values
    ]
    if metric not in cell.values:
        absence = cell.missing.get(metric)
        why = tr("not read") if absence is None else tr(absence.sentence)
        said.append(tr("{label}: {reason}", label=tr(METRICS[metric].label), reason=why))
    return said


def short_reason(cell: CardCell, group: HostGroup, metric: MetricId) -> tuple[str, ...]:
    """At falling length, where there is room for it; nothing where all cards say the same."""
    if not group.standing.answers:
        return ()
    if cell.state is not CardState.WORKING:
        return (tr(cell.state.word),)
    absence = cell.missing.get(metric)
    return (tr("not read"),) if absence is None else short_reasons(absence)


def more_words(cell: CardCell, units: Units) -> Sequence[str]:
    """In a large cell, below the figure."""
    free, total = cell.memory_free, cell.memory_total
    if free is None or not total:
        return ()
    read = part_of_memory(free, total, units)
    return (tr("{free} {unit} free", free=read.number, unit=read.unit),)


def users_words(cell: CardCell) -> str:
    """Who uses it; "nobody" only where that is known."""
    if cell.users is None:
        return tr("who uses it is not known")
    if not cell.processes and not cell.users:
        return tr("nobody uses it")
    names = listed(sorted(cell.users)) if cell.users else tr("users not known")
    if not cell.processes:
        return names
    return tr(
        "{processes} of {users}", processes=processes_counted(cell.processes), users=names
    )


def held_words(cell: CardCell) -> str:
    """The same for a column that says what it is about."""
    if cell.users is None:
        return tr("not known")
    if not cell.processes and not cell.users:
        return tr("nobody")
    names = listed(sorted(cell.users)) if cell.users else tr("somebody")
    if not cell.processes:
        return names
    return tr("{users}, {processes}", users=names, processes=processes_counted(cell.processes))


def gigabytes_together(value: float, units: Units) -> str:
    """Of a whole machine: fractions say nothing from a hundred on."""
    words = gigabytes(value, units)
    return words if value < _MANY else f"{float(words):.0f}"


def _machines_counted(count: int) -> str:
    return trn("{count} machine", "{count} machines", count)


def summary(shown: Sequence[HostGroup], groups: Sequence[HostGroup]) -> str:
    """ "30 machines, 240 cards"; of what is found, how much of all that is."""
    cards = sum(len(group.cards) for group in shown)
    every = sum(len(group.cards) for group in groups)
    if len(shown) == len(groups) and cards == every:
        there = tr(
            "{machines}, {cards}",
            machines=_machines_counted(len(groups)),
            cards=cards_counted(every),
        )
    else:
        there = tr(
            "{cards} on {machines}, of {every} on {all}",
            cards=cards_counted(cards),
            machines=_machines_counted(len(shown)),
            every=every,
            all=len(groups),
        )
    parts = [there]
    simulated = sum(group.simulated for group in groups)
    if simulated:
        parts.append(trn("{count} machine simulated", "{count} machines simulated", simulated))
    away = sum(not group.standing.answers for group in groups)
    if away:
        parts.append(trn("{count} without a connection", "{count} without a connection", away))
    return " · ".join(parts)
