"""Examining: all topics of one check-up, in the order in which they are read."""

from datetime import datetime

from gpuexplorer.commands.checkup.answer import ask
from gpuexplorer.commands.checkup.container import container
from gpuexplorer.commands.checkup.display import display
from gpuexplorer.commands.checkup.driver import driver
from gpuexplorer.commands.checkup.memory import memory
from gpuexplorer.commands.checkup.parts import parts
from gpuexplorer.commands.checkup.pci import cards
from gpuexplorer.commands.checkup.permissions import permissions
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.commands.checkup.pythons import pythons
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.commands.checkup.toolkits import toolkits
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.telemetry.looked_for import looked_for


def examine(probe: Probe, clock: Clock, *, deep: bool = False) -> Report:
    # They take longest to answer, so all else is looked at meanwhile.
    asked = probe.pythons()
    answer = ask(probe)
    topics = [
        cards(probe, answer),
        driver(probe, answer),
        permissions(probe),
        container(probe, answer),
        toolkits(probe, answer),
        display(probe),
        parts(probe),
        memory(probe),
    ]
    topics.insert(4, pythons(probe, answer, asked, deep=deep))
    taken_at = datetime.fromtimestamp(clock.wall(), UTC).isoformat(timespec="seconds")
    return Report(taken_at, topics, () if answer.answering else looked_for(probe))
