"""The facts of the computer itself: all of this one, and of another what that one said."""

import platform

from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.card.host_facts import host_facts
from gpuexplorer.remote.wire import Hello
from gpuexplorer.telemetry.facts import Reading

HOST = Card(HOST_ID, 0, "EPYC", None, kind=CardKind.HOST)
READ = Reading(HOST_ID, 0.0, {})
HELLO = Hello("3.12.1", "Linux 9.9", "n17", "ada", HOST, 0.0, 0.0)


def facts(name: str = "", hello: Hello | None = None) -> dict[str, str]:
    groups = host_facts(HOST, READ, USUAL, name, hello)
    return {each.key: each.value for group in groups for each in group.facts}


def test_of_this_computer_its_system_is_told() -> None:
    told = facts()
    assert told["computer"] == platform.node()
    assert told["kernel"] == platform.release()


def test_of_another_one_nothing_of_this_computer_is_told() -> None:
    told = facts("titan", HELLO)
    assert (told["computer"], told["system"], told["python"], told["user"]) == (
        *("titan", "Linux 9.9"),
        *("3.12.1", "ada"),
    )
    assert not {"kernel", "architecture"} & {*told}


def test_of_one_that_was_recorded_its_name_alone_is_told() -> None:
    told = facts("titan")
    assert told["computer"] == "titan"
    assert not {"system", "kernel", "python", "architecture"} & {*told}
