"""Cards: those that answer, and those that are plugged in and do not."""

import json
from collections.abc import Mapping, Sequence, Set

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState, remedy
from gpuexplorer.core.words import Message, all_of, told
from gpuexplorer.telemetry.looked_for import DisplayController
from gpuexplorer.telemetry.pci_bus import plain_bus_id

_SIMULATED = Message("To see everything without a card, start `gpuexplorer --simulate 2xH100`.")
_FALLEN = Message(
    "Look for 'Xid' or 'fallen off the bus' in the system log (`sudo dmesg`),"
    " check the power cables, and restart the computer."
)
# Why a card does not answer, though nobody refuses to let it.
_SILENCES = {None, Absence.LOST, Absence.NO_ANSWER}
_IMPOSSIBLE = Message(
    "Restart the computer; if it stays so, install another version of the driver."
)
_NOT_SUPPORTED = Message(
    "The card may be too new for this driver, which an update mends, or too old for it: then"
    " install an older driver; NVIDIA's list says which was the last for it."
)
_COMPARE = Message("Compare with `nvidia-smi -q`; a newer driver may report more.")
# Windows keeps no files to read this from.
_ASK_WINDOWS = (
    "powershell.exe",
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "(Get-CimInstance Win32_VideoController).Name | ConvertTo-Json -Compress",
)


def cards(probe: Probe, answer: Answer) -> Topic:
    on_the_bus = answer.on_the_bus
    facts: dict[str, Fact] = {
        "answering": [_facts_of(card) for card in answer.answering],
        "no_figures": {card: why.sentence for card, why in answer.no_figures.items()},
        "silent": [_facts_of(card) for card in _dead(answer)],
        "on_the_pci_bus": None if on_the_bus is None else [_bus_facts(c) for c in on_the_bus],
    }
    if answer.asleep:
        return _asleep(answer, facts)
    if answer.cards:
        return _answering(answer, facts)
    topic = Topic(Subject.CARDS, facts=facts)
    # What is on the bus instead stands in the list of what was looked for.
    ours = answer.nvidia_on_the_bus
    if ours:
        return topic.broken(
            Message.counted(
                "There is {count} NVIDIA card, and no driver answers for it.",
                "There are {count} NVIDIA cards, and no driver answers for them.",
                len(ours),
            ),
            Message("See what is said about the driver."),
        )
    if probe.platform == "win32" and (named := _windows_names(probe)):
        facts["windows_names"] = named
        return Topic(Subject.CARDS, named, facts).look(
            Message("No NVIDIA card answers. Windows knows these graphics cards:"), _SIMULATED
        )
    return topic.look(
        Message("No NVIDIA card answers, and the PCI bus cannot be seen from here.")
        if ours is None
        else Message("There is no NVIDIA card."),
        _SIMULATED,
    )


def _asleep(answer: Answer, facts: Mapping[str, Fact]) -> Topic:
    ours = answer.nvidia_on_the_bus or ()
    sentence = Message.counted(
        "The NVIDIA card is asleep to save power. It was not woken to be asked.",
        "All {count} NVIDIA cards are asleep to save power, and were not woken.",
        len(ours),
    )
    details = [one.sentence for one in answer.on_the_bus or ()]
    return Topic(Subject.CARDS, details, facts).fine(
        sentence,
        Message(
            "Nothing needs to be done. Check again while a program uses the card to learn more."
        ),
    )


def _answering(answer: Answer, facts: Mapping[str, Fact]) -> Topic:
    details = [_described(card, answer) for card in answer.cards]
    # A card without access says so in its own line.
    denied = {card.cuda_reason for card in answer.cards if card.denied is not None}
    remedies = {remedy(card.denied) for card in answer.cards}  # one of them is to be done
    details += [
        note
        for note in answer.notes
        if note not in remedies and note.values.get("reason") not in denied
    ]
    silent, dead = _silent(answer), _dead(answer)
    others = [one for one in answer.on_the_bus or () if one not in _ours(answer)]
    details += [one.sentence for one in (silent if dead or silent else others)]
    topic = Topic(Subject.CARDS, details, facts)
    number = len(answer.answering)
    if dead:
        # One without a name may be the one that the bus shows and the driver does not mention.
        unplaced = sum(card.bus_id is None for card in dead)
        plugged = len(answer.cards) + max(0, len(silent) - unplaced)
        whys = {card.denied for card in dead}
        do = _FALLEN
        if len(whys) == 1 and not whys & _SILENCES:
            # The usual words for a card that is not supported send a person to the doctor.
            why = whys.pop()
            do = _NOT_SUPPORTED if why is Absence.NOT_SUPPORTED else remedy(why)
        return topic.broken(_answering_of(number, plugged), do)
    if silent:
        plugged = number + len(silent)
        return topic.broken(
            Message(
                "The driver answers for {number} of {plugged} NVIDIA cards."
                " It says nothing of the one at {addresses}.",
                number=number,
                plugged=plugged,
                addresses=all_of([one.bus_id for one in silent]),
            ),
            _FALLEN,
        )
    sentence = Message.counted(
        "{count} NVIDIA card answers.", "{count} NVIDIA cards answer.", number
    )
    if answer.no_figures:
        blind = Message.counted(
            "{count} of them gives no usable figure.",
            "{count} of them give no usable figure.",
            len(answer.no_figures),
        )
        return topic.look(
            told(sentence, blind), _to_see_figures(set(answer.no_figures.values()))
        )
    return topic.fine(sentence)


def _to_see_figures(reasons: Set[Absence]) -> Message:
    if reasons == {Absence.NO_PERMISSION}:
        return remedy(Absence.NO_PERMISSION)
    return _IMPOSSIBLE if reasons == {Absence.IMPOSSIBLE} else _COMPARE


def _answering_of(number: int, plugged: int) -> Message:
    if plugged == 1:
        return Message("The NVIDIA card does not answer.")
    if number == 0:
        return Message("None of the {plugged} NVIDIA cards answers.", plugged=plugged)
    return Message.counted(
        "{count} of {plugged} NVIDIA cards answers.",
        "{count} of {plugged} NVIDIA cards answer.",
        number,
        plugged=plugged,
    )


def _dead(answer: Answer) -> Sequence[Card]:
    """Cards that the driver lists and that do not answer."""
    answering = answer.answering
    return [card for card in answer.cards if card not in answering]


def _ours(answer: Answer) -> Sequence[DisplayController]:
    return answer.nvidia_on_the_bus or ()


def _silent(answer: Answer) -> Sequence[DisplayController]:
    """Cards that NVIDIA's driver holds and yet does not speak of."""
    known = {plain_bus_id(card.bus_id) for card in answer.cards if card.bus_id}
    if not known:
        return ()
    return [
        one
        for one in _ours(answer)
        if one.driver == "nvidia" and plain_bus_id(one.bus_id) not in known
    ]


def _described(card: Card, answer: Answer) -> Message:
    """A row of facts with commas between them."""
    state, no_figures = answer.states[card.id], answer.no_figures.get(card.id)
    facts = [Message("{number}: {card}", number=card.index, card=card.name)]
    if card.memory_bytes:
        facts.append(Message("{size:.0f} GiB", size=card.memory_bytes / 2**30))
    if card.compute_capability:
        capability = ".".join(map(str, card.compute_capability))
        facts.append(Message("compute capability {capability}", capability=capability))
    if card.bus_id:
        facts.append(Message("at {address}", address=card.bus_id))
    if card.denied is not None:
        facts.append(card.cuda_reason)
    elif state is not CardState.WORKING:
        facts.append(state.sentence)
    elif no_figures is not None:
        facts.append(Message("no usable figure: {why}", why=no_figures.sentence))
    elif card.cuda_index is not None:
        facts.append(Message("PyTorch calls it cuda:{index}", index=card.cuda_index))
    elif card.cuda_reason:
        facts.append(Message("PyTorch cannot use it: {reason}", reason=card.cuda_reason))
    return _row(facts)


def _row(facts: Sequence[Message]) -> Message:
    first, *more = facts
    return Message("{first}, {more}", first=first, more=_row(more)) if more else first


def _facts_of(card: Card) -> Mapping[str, Fact]:
    return {
        "index": card.index,
        "name": card.name,
        "memory_bytes": card.memory_bytes,
        "compute_capability": list(card.compute_capability or ()) or None,
        "bus_id": card.bus_id,
        "cuda_index": card.cuda_index,
    }


def _bus_facts(card: DisplayController) -> Mapping[str, Fact]:
    return {
        "bus_id": card.bus_id,
        "vendor": card.vendor,
        "pci_id": f"{card.vendor_id}:{card.device_id}",
        "name": card.name,
        "driver": card.driver,
        "asleep": card.asleep,
    }


def _windows_names(probe: Probe) -> list[str]:
    ran = probe.run_program(_ASK_WINDOWS, 10.0)
    try:
        named = json.loads(ran.output) if ran.well else []
    except ValueError:
        return []
    return [named] if isinstance(named, str) else [str(name) for name in named]
